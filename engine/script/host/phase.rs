//! The phase (loading or playing), the permit (read-only or read-write), and which functions are
//! available when.

use std::cell::{Cell, RefCell};

use base::{Code, Problem};

/// When a host function may be used.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Availability {
    /// At the top level of a file, while scripts load.
    Loading,
    /// In play, also in read-only code.
    Reading,
    /// In play, where changes are allowed.
    Writing,
    /// Always.
    Always,
}

/// Whether scripts are loading, playing, or neither.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Phase {
    /// Files are running; only declarations may be called.
    Loading,
    /// No Lua code should be running.
    Idle,
    /// A step, a prompt or a view is being computed; declarations are over.
    Playing,
}

/// What the running Lua code may do to the world.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Permit {
    /// Read only: no writes, no dice, no output. Names the reader, with its article (`a prompt`, `a
    /// rule`).
    ReadOnly(&'static str),
    /// Read and write.
    ReadWrite,
}

/// The current phase and permit.
pub(crate) struct ExecutionMode {
    /// Loading, playing or neither.
    pub(crate) phase: Cell<Phase>,
    /// What is allowed now.
    pub(crate) permit: Cell<Permit>,
    /// The readers so far; see `permit_number`.
    reader_names: RefCell<Vec<&'static str>>,
}

impl Default for ExecutionMode {
    fn default() -> Self {
        let (phase, permit) = (Cell::new(Phase::Loading), Cell::new(Permit::ReadWrite));
        Self { phase, permit, reader_names: RefCell::default() }
    }
}

impl ExecutionMode {
    /// Refuses a function that is not available now.
    pub(crate) fn check_function_allowed(
        &self,
        availability: Availability,
        name: &str,
    ) -> Result<(), Problem> {
        match (availability, self.phase.get(), self.permit.get()) {
            (Availability::Always, _, _)
            | (Availability::Loading, Phase::Loading, _)
            | (Availability::Reading, Phase::Playing, _)
            | (Availability::Writing, Phase::Playing, Permit::ReadWrite) => Ok(()),
            (Availability::Loading, _, _) => Err(not_loading_problem(name)),
            (Availability::Writing, Phase::Playing, Permit::ReadOnly(reader)) => {
                Err(call_in_read_only_problem(name, reader))
            }
            (Availability::Reading | Availability::Writing, _, _) => Err(not_playing_problem(name)),
        }
    }

    /// Refuses a write in read-only code.
    pub(crate) fn check_write(&self, target: &dyn std::fmt::Display) -> Result<(), Problem> {
        let Permit::ReadOnly(reader) = self.permit.get() else { return Ok(()) };
        Err(write_in_read_only_problem(target, reader))
    }

    /// Restricts the permit until the guard is dropped.
    pub(crate) fn restrict_permit(&self, permit: Permit) -> PermitGuard<'_> {
        PermitGuard { mode: self, previous_permit: self.permit.replace(permit) }
    }

    /// The current permit as a number for `restore_permit`.
    pub(crate) fn permit_number(&self) -> usize {
        match self.permit.get() {
            Permit::ReadWrite => 0,
            Permit::ReadOnly(reader) => {
                let mut reader_names = self.reader_names.borrow_mut();
                let known_reader = reader_names.iter().position(|known| *known == reader);
                1 + known_reader.unwrap_or_else(|| {
                    reader_names.push(reader);
                    reader_names.len() - 1
                })
            }
        }
    }

    /// Restores the permit with this number.
    pub(crate) fn restore_permit(&self, number: usize) {
        let reader =
            number.checked_sub(1).and_then(|index| self.reader_names.borrow().get(index).copied());
        self.permit.set(reader.map_or(Permit::ReadWrite, Permit::ReadOnly));
    }
}

/// Restores the previous permit when dropped.
pub(crate) struct PermitGuard<'n> {
    mode: &'n ExecutionMode,
    previous_permit: Permit,
}

impl Drop for PermitGuard<'_> {
    fn drop(&mut self) {
        self.mode.permit.set(self.previous_permit);
    }
}

/// The Problem of a declaration or a `require` in play.
#[cold]
pub fn not_loading_problem(name: &str) -> Problem {
    let reason = match name {
        "require" => "the files of a mod are read before a run begins",
        _ => "it declares something",
    };
    Problem::error(Code::NotLoading, format!("`{name}` was used in play"))
        .expected(format!("`{name}` only while loading: {reason}"))
        .hint("call it at the top level of a file, outside any function")
}

#[cold]
fn not_playing_problem(name: &str) -> Problem {
    Problem::error(Code::NotPlaying, format!("`{name}` was used while loading"))
        .expected("only declarations while files load")
        .hint(format!("use `{name}` inside a function that runs in play: `function() … end`"))
}

/// The Problem of a write in read-only code.
#[cold]
pub fn write_in_read_only_problem(target: &dyn std::fmt::Display, reader: &str) -> Problem {
    Problem::error(Code::SideEffect, format!("{target} was written in {reader}"))
        .expected(format!("no changes in {reader}: no writes, no dice, no output"))
        .hint("move the write into the handler of a choice, or into an `after` hook")
}

/// The Problem of a function that makes changes, called in read-only code.
#[cold]
pub fn call_in_read_only_problem(name: &str, reader: &str) -> Problem {
    Problem::error(Code::SideEffect, format!("`{name}` was used in {reader}"))
        .expected(format!("no changes in {reader}: no writes, no dice, no output"))
        .hint("move it into the handler of a choice, or into an `after` hook")
}
