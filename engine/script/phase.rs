//! Where we are: loading or playing, looking or acting; and what may be used when.

use std::cell::{Cell, RefCell};

use crate::kit::Problem;

/// When a name of the host's may be used.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum When {
    /// At the top of a file, while scripts are loaded.
    Loading,
    /// Anywhere in play, also where things are only looked at.
    Looking,
    /// In play, where things may change.
    Acting,
    /// Always.
    Always,
}

/// Whether scripts are being loaded or played, or neither.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Phase {
    /// Files are running; only declarations may be called.
    Loading,
    /// Nothing of Lua should be running.
    Between,
    /// A step, a prompt or a view is being computed; declarations are over.
    Playing,
}

/// What the Lua that runs now may do to the world.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Permit {
    /// Look only: no writes, no dice, nothing told. Says what is looking, with its article
    /// (`a prompt`, `a rule`).
    Look(&'static str),
    /// Look and change.
    Act,
}

/// What is going on, and what it may do.
pub(crate) struct Now {
    /// Loading, playing or neither.
    pub(crate) phase: Cell<Phase>,
    /// What may be done now.
    pub(crate) permit: Cell<Permit>,
    /// Words for who looked so far; see `keep_permit`.
    looks: RefCell<Vec<&'static str>>,
}

impl Default for Now {
    fn default() -> Self {
        let (phase, permit) = (Cell::new(Phase::Loading), Cell::new(Permit::Act));
        Self { phase, permit, looks: RefCell::default() }
    }
}

impl Now {
    /// Refuses what may not be used now.
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

    /// Refuses a write of something where things are only looked at.
    pub(crate) fn may_write(&self, target: &dyn std::fmt::Display) -> Result<(), Problem> {
        let Permit::Look(what) = self.permit.get() else { return Ok(()) };
        Err(written_while_looking(target, what))
    }

    /// Narrows what may be done until what is given is dropped, whatever ends it.
    pub(crate) fn narrow(&self, permit: Permit) -> Narrowed<'_> {
        Narrowed { now: self, before: self.permit.replace(permit) }
    }

    /// What may be done now, as a number to be handed to `give_permit`.
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

    /// Gives back what could be done when the number was kept.
    pub(crate) fn give_permit(&self, kept: usize) {
        let what = kept.checked_sub(1).and_then(|at| self.looks.borrow().get(at).copied());
        self.permit.set(what.map_or(Permit::Act, Permit::Look));
    }
}

/// Gives back what could be done before when it is dropped.
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
    Problem::error("not-loading", format!("`{name}` was used while playing"))
        .expected(format!("`{name}` declares something: it belongs to the time of loading"))
        .hint("call it at the top of a file, outside any function")
}

#[cold]
fn not_playing(name: &str) -> Problem {
    Problem::error("not-playing", format!("`{name}` was used while loading"))
        .expected("declarations only, while files are loaded")
        .hint(format!("use `{name}` inside a function that a run calls: `function() … end`"))
}

/// The Problem of a write where things are only looked at.
#[cold]
pub fn written_while_looking(target: &dyn std::fmt::Display, what: &str) -> Problem {
    Problem::error("only-looking", format!("{target} was written in {what}"))
        .expected(format!("{what} changes nothing: no writes, no dice, nothing told"))
        .hint("move the write into the handler of a choice, or into an `after` hook")
}

/// The Problem of a function that changes something, used where things are only looked at.
#[cold]
pub fn only_looking(name: &str, what: &str) -> Problem {
    Problem::error("only-looking", format!("`{name}` was used in {what}"))
        .expected(format!("{what} changes nothing: no writes, no dice, nothing told"))
        .hint("move it into the handler of a choice, or into an `after` hook")
}
