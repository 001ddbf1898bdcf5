//! Definition changes: everything a mod declares about definitions while it loads. Each is recorded
//! with its source location and applied later, so the order of files does not matter.

use std::collections::BTreeMap;
use std::sync::Arc;

use super::datum::{Datum, FunctionRef};
use base::SourceLocation;

/// One statement of a mod about a definition.
#[derive(Clone, Debug, PartialEq)]
pub struct DefinitionChange {
    /// The kind's name, as written.
    pub kind: String,
    /// The id as written: a name without a mod belongs to the writing mod.
    pub id: String,
    /// Its source location. The owner is the writing mod.
    pub place: SourceLocation,
    /// Whether the change is ignored if the definition is absent.
    pub is_optional: bool,
    /// Whether it settles a conflict between other changes: `settle_conflict`.
    pub settles_conflict: bool,
    /// What is changed.
    pub change_kind: ChangeKind,
}

/// The kind of a change. A missing body (`None`) is a Problem.
#[derive(Clone, Debug, PartialEq)]
pub enum ChangeKind {
    /// `boat "x" { … }`: a new definition and its body.
    Declare(Option<Datum>),
    /// `patch.boat "m:x" { … }`: changes fields of a definition: [`FieldEdit::Nested`] for a table
    /// of fields; any other edit applies to the kind's body field.
    Patch(Option<FieldEdit>),
    /// `replace.boat "m:x" { … }`: replaces a whole definition.
    Replace(Option<Datum>),
    /// `retire.boat "m:x"`: excluded from listings and draws; old saves still load.
    Retire,
}

/// One edit of a field.
#[derive(Clone, Debug, PartialEq)]
pub enum FieldEdit {
    /// A plain value. For a field that is a record or a map, a table changes the fields it names
    /// and leaves the others as they are.
    Set(Datum),
    /// `add { … }`: appends items to a list, or adds entries to a map.
    Add(Datum),
    /// `drop { … }`: removes items of a list (those equal to a given value, or whose `id` is the
    /// given text), or entries of a map by key.
    Drop(Datum),
    /// `wrap(fn)`: wraps a function around the present one.
    Wrap(FunctionRef),
    /// A table with at least one edit: edits inside a definition, a record or a map.
    Nested(BTreeMap<Arc<str>, FieldEdit>),
}

impl DefinitionChange {
    /// Creates a change of a definition that must exist.
    pub fn new(kind: &str, id: &str, place: SourceLocation, change_kind: ChangeKind) -> Self {
        Self {
            kind: kind.to_owned(),
            id: id.to_owned(),
            place,
            is_optional: false,
            settles_conflict: false,
            change_kind,
        }
    }
}
