//! Changes: everything a mod says about definitions while it loads, recorded with its place and
//! applied later, so that the order of files does not matter.

use std::collections::BTreeMap;
use std::sync::Arc;

use super::datum::{Datum, FnRef};
use crate::kit::Place;

/// One thing that a mod says about a definition.
#[derive(Clone, Debug, PartialEq)]
pub struct Change {
    /// The kind's name, as written.
    pub kind: String,
    /// The id, as written: a name without a mod means the writing mod's own.
    pub id: String,
    /// Where it was said. The mod is its owner.
    pub place: Place,
    /// Whether the definition may be absent, and the change is then forgotten.
    pub optional: bool,
    /// Whether it says which of several changes that clash holds: `resolve`.
    pub resolves: bool,
    /// What is said.
    pub verb: Verb,
}

/// What is said of a definition. What is left open (`None`) is a Problem.
#[derive(Clone, Debug, PartialEq)]
pub enum Verb {
    /// `boat "x" { … }`: a new definition, and what followed.
    Declare(Option<Datum>),
    /// `patch.boat "m:x" { … }`: fields of a definition changed: [`Edit::Inside`] for a table of fields;
    /// any other edit is meant for the kind's body field.
    Patch(Option<Edit>),
    /// `replace.boat "m:x" { … }`: a definition written anew as a whole.
    Replace(Option<Datum>),
    /// `retire.boat "m:x"`: no longer drawn; old saves still open.
    Retire,
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
    /// What is said of a definition that must be there.
    pub fn new(kind: &str, id: &str, place: Place, verb: Verb) -> Self {
        Self {
            kind: kind.to_owned(),
            id: id.to_owned(),
            place,
            optional: false,
            resolves: false,
            verb,
        }
    }
}
