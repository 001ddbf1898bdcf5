//! Whether writes to the state are checked against their schema, and the wrong ones that were
//! found.

use std::cell::{Cell, RefCell};

use base::Problem;

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
}
