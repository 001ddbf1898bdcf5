//! The phase (loading or playing), the permit (read-only or read-write), and which functions are
//! available when.

use std::cell::{Cell, RefCell};

use crate::kit::Problem;

/// When a host function may be used.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum When {
    /// At the top level of a file, while scripts load.
    Loading,
    /// In play, also in read-only code.
    Looking,
    /// In play, where changes are allowed.
    Acting,
    /// Always.
    Always,
}

/// Whether scripts are loading, playing, or neither.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Phase {
    /// Files are running; only declarations may be called.
    Loading,
    /// No Lua code should be running.
    Between,
    /// A step, a prompt or a view is being computed; declarations are over.
    Playing,
}

/// What the running Lua code may do to the world.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Permit {
    /// Read only: no writes, no dice, no output. Names the reader, with its article (`a prompt`, `a
    /// rule`).
    Look(&'static str),
    /// Read and write.
    Act,
}

/// The current phase and permit.
pub(crate) struct Now {
    /// Loading, playing or neither.
    pub(crate) phase: Cell<Phase>,
    /// What is allowed now.
    pub(crate) permit: Cell<Permit>,
    /// The readers so far; see `permit_number`.
    looks: RefCell<Vec<&'static str>>,
}

impl Default for Now {
    fn default() -> Self {
        let (phase, permit) = (Cell::new(Phase::Loading), Cell::new(Permit::Act));
        Self { phase, permit, looks: RefCell::default() }
    }
}

impl Now {
    /// Refuses a function that is not available now.
    pub(crate) fn allows(&self, when: When, name: &str) -> Result<(), Problem> {
        match (when, self.phase.get(), self.permit.get()) {
            (When::Always, _, _)
            | (When::Loading, Phase::Loading, _)
            | (When::Looking, Phase::Playing, _)
            | (When::Acting, Phase::Playing, Permit::Act) => Ok(()),
            (When::Loading, _, _) => Err(not_loading(name)),
            (When::Acting, Phase::Playing, Permit::Look(what)) => Err(only_looking(name, what)),
            (When::Looking | When::Acting, _, _) => Err(not_playing(name)),
        }
    }

    /// Refuses a write in read-only code.
    pub(crate) fn may_write(&self, target: &dyn std::fmt::Display) -> Result<(), Problem> {
        let Permit::Look(what) = self.permit.get() else { return Ok(()) };
        Err(written_while_looking(target, what))
    }

    /// Restricts the permit until the guard is dropped.
    pub(crate) fn narrow(&self, permit: Permit) -> Narrowed<'_> {
        Narrowed { now: self, before: self.permit.replace(permit) }
    }

    /// The current permit as a number for `restore_permit`.
    pub(crate) fn keep_permit(&self) -> usize {
        match self.permit.get() {
            Permit::Act => 0,
            Permit::Look(what) => {
                let mut looks = self.looks.borrow_mut();
                let known = looks.iter().position(|known| *known == what);
                1 + known.unwrap_or_else(|| {
                    looks.push(what);
                    looks.len() - 1
                })
            }
        }
    }

    /// Restores the permit with this number.
    pub(crate) fn give_permit(&self, kept: usize) {
        let what = kept.checked_sub(1).and_then(|at| self.looks.borrow().get(at).copied());
        self.permit.set(what.map_or(Permit::Act, Permit::Look));
    }
}

/// Restores the previous permit when dropped.
pub(crate) struct Narrowed<'n> {
    now: &'n Now,
    before: Permit,
}

impl Drop for Narrowed<'_> {
    fn drop(&mut self) {
        self.now.permit.set(self.before);
    }
}

#[cold]
fn not_loading(name: &str) -> Problem {
    Problem::error("not-loading", format!("`{name}` was used in play"))
        .expected(format!("`{name}` only while loading: it declares something"))
        .hint("call it at the top level of a file, outside any function")
}

#[cold]
fn not_playing(name: &str) -> Problem {
    Problem::error("not-playing", format!("`{name}` was used while loading"))
        .expected("only declarations while files load")
        .hint(format!("use `{name}` inside a function that runs in play: `function() … end`"))
}

/// The Problem of a write in read-only code.
#[cold]
pub fn written_while_looking(target: &dyn std::fmt::Display, what: &str) -> Problem {
    Problem::error("only-looking", format!("{target} was written in {what}"))
        .expected(format!("no changes in {what}: no writes, no dice, no output"))
        .hint("move the write into the handler of a choice, or into an `after` hook")
}

/// The Problem of a function that makes changes, called in read-only code.
#[cold]
pub fn only_looking(name: &str, what: &str) -> Problem {
    Problem::error("only-looking", format!("`{name}` was used in {what}"))
        .expected(format!("no changes in {what}: no writes, no dice, no output"))
        .hint("move it into the handler of a choice, or into an `after` hook")
}
