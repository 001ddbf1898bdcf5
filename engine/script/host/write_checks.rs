//! Whether writes to the state are checked against their schema, and the wrong ones that were
//! found.

use std::cell::{Cell, RefCell};

use base::{Problem, SourceLocation};

/// Maximum number of remembered incomplete tables.
const MAX_INCOMPLETE_WRITES: usize = 64;

/// A write that does not match its schema.
#[derive(Clone, Debug)]
pub struct WrongWrite {
    /// The path, such as `state.hero.vigour`.
    pub path: String,
    /// The Problem that strict mode reports at the line of the write.
    pub type_problem: Problem,
}

/// Whether writes are checked, and what was found.
#[derive(Default)]
pub(crate) struct WriteChecks {
    /// Whether any write is checked.
    pub(crate) is_enabled: Cell<bool>,
    /// Present where wrong writes are collected and not refused.
    pub(crate) collected_writes: RefCell<Option<Vec<WrongWrite>>>,
    /// The tables of this step that lacked a required field when they were written: the path to the
    /// field, and the line.
    incomplete_writes: RefCell<Vec<(String, SourceLocation)>>,
}

impl WriteChecks {
    /// Remembers a table that lacks a field, which may be added before the step ends.
    pub(crate) fn add_incomplete_write(&self, field_path: String, place: SourceLocation) {
        let mut writes = self.incomplete_writes.borrow_mut();
        if writes.len() < MAX_INCOMPLETE_WRITES {
            writes.push((field_path, place));
        }
    }

    /// The line that wrote a table without this field last.
    pub(crate) fn find_incomplete_write(&self, field_path: &str) -> Option<SourceLocation> {
        let writes = self.incomplete_writes.borrow();
        let (_, place) = writes.iter().rev().find(|(path, _)| path == field_path)?;
        Some(place.clone())
    }

    /// Begins a step.
    pub(crate) fn forget_incomplete_writes(&self) {
        self.incomplete_writes.borrow_mut().clear();
    }
}
