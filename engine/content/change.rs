//! Changes: everything a mod says about definitions while it loads, recorded with its place and
//! applied later, so that the order of files does not matter.

use std::collections::BTreeMap;
use std::sync::Arc;

use super::datum::{Datum, FnRef};
use crate::kit::Place;

/// One thing that a mod says about a definition. The mod is `place.owner`. Ids are as they were
/// written: a name without a mod means the writing mod's own.
#[derive(Clone, Debug, PartialEq)]
pub enum Change {
    /// `boat "x" { … }`: a new definition.
    Declare {
        /// The kind's name.
        kind: String,
        /// The id as written.
        id: String,
        /// What followed; `None` for an open declaration, which is a Problem.
        body: Option<Datum>,
        /// Where.
        place: Place,
    },
    /// `patch.boat "m:x" { … }`: fields of a definition changed.
    Patch {
        /// The kind's name.
        kind: String,
        /// The id as written.
        id: String,
        /// What followed: [`Edit::Inside`] for a table of fields; any other edit is meant for the
        /// kind's body field. `None` for an open patch, which is a Problem.
        edit: Option<Edit>,
        /// Whether the definition may be absent, and the patch is then forgotten.
        optional: bool,
        /// Where.
        place: Place,
    },
    /// `replace.boat "m:x" { … }`: a definition written anew as a whole.
    Replace {
        /// The kind's name.
        kind: String,
        /// The id as written.
        id: String,
        /// What followed.
        body: Option<Datum>,
        /// Whether the definition may be absent.
        optional: bool,
        /// Where.
        place: Place,
    },
    /// `retire.boat "m:x"`: no longer drawn; old saves still open.
    Retire {
        /// The kind's name.
        kind: String,
        /// The id as written.
        id: String,
        /// Whether the definition may be absent.
        optional: bool,
        /// Where.
        place: Place,
    },
}

/// One change of a field.
#[derive(Clone, Debug, PartialEq)]
pub enum Edit {
    /// A plain value. For a field that is a record or a map, a table given here changes the fields
    /// it names and leaves the others alone.
    Set(Datum),
    /// `add { … }`: items put at the end of a list, or new entries of a map.
    Add(Datum),
    /// `drop { … }`: items taken out of a list (those equal to one given, or whose `id` is the
    /// text given), or entries of a map by key.
    Drop(Datum),
    /// `wrap(fn)`: a function put around the one that is there.
    Wrap(FnRef),
    /// A table some of whose values are edits: changes inside a definition, a record or a map.
    Inside(BTreeMap<Arc<str>, Edit>),
}

impl Change {
    /// The kind's name, as written.
    pub fn kind(&self) -> &str {
        match self {
            Self::Declare { kind, .. }
            | Self::Patch { kind, .. }
            | Self::Replace { kind, .. }
            | Self::Retire { kind, .. } => kind,
        }
    }

    /// The id, as written.
    pub fn id(&self) -> &str {
        match self {
            Self::Declare { id, .. }
            | Self::Patch { id, .. }
            | Self::Replace { id, .. }
            | Self::Retire { id, .. } => id,
        }
    }

    /// Where it was said.
    pub fn place(&self) -> &Place {
        match self {
            Self::Declare { place, .. }
            | Self::Patch { place, .. }
            | Self::Replace { place, .. }
            | Self::Retire { place, .. } => place,
        }
    }

    /// Whether the definition may be absent.
    pub fn is_optional(&self) -> bool {
        match self {
            Self::Declare { .. } => false,
            Self::Patch { optional, .. }
            | Self::Replace { optional, .. }
            | Self::Retire { optional, .. } => *optional,
        }
    }
}
