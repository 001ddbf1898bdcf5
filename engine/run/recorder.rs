//! Where a session writes what happens. A run on disk writes a journal; a simulated one writes
//! nowhere. The session calls these in one fixed order: intent, then result or refusal.

use super::content::Content;
use crate::kit::{Digest, Problem, Value};
use crate::play::world::Written;
use crate::play::{Event, Input, World};
use crate::save::{JournalWriter, Order, SetAside};

/// Where a session writes what happens. Every call that returns `Ok` has reached its place; after
/// an `Err` nothing that it was to write counts.
pub trait Recorder {
    /// An input is about to be tried. On disk and synced when this returns.
    fn intent(&mut self, step: u64, input: &Input) -> Result<(), Problem>;

    /// An order of the console is about to be tried. On disk and synced when this returns.
    fn console(&mut self, step: u64, order: &Order) -> Result<(), Problem> {
        let _ = (step, order);
        Ok(())
    }

    /// A step that was begun before the program died is about to be tried once more.
    fn again(&mut self, step: u64) -> Result<(), Problem>;

    /// Whether results are to carry the digest of the world. Where nobody will ever compare it, it
    /// is not worked out.
    fn wants_digest(&self) -> bool {
        true
    }

    /// What the step that is about to succeed wrote, by path; told where a digest is wanted.
    fn written(&mut self, written: &Written) {
        let _ = written;
    }

    /// The step succeeded: the world after it, and what it told.
    fn result(
        &mut self,
        step: u64,
        digest: Digest,
        events: &[Event],
        world: &World,
    ) -> Result<(), Problem>;

    /// The step was refused and left no trace but this.
    fn refusal(&mut self, step: u64, problem: &Problem) -> Result<(), Problem>;

    /// The content was replaced between two steps: the world carried over, and what was told.
    fn reload(
        &mut self,
        content: &Content,
        digest: Digest,
        events: &[Event],
    ) -> Result<(), Problem>;

    /// A hook or a mod takes no further part.
    fn set_aside(&mut self, entry: &SetAside) -> Result<(), Problem> {
        let _ = entry;
        Ok(())
    }

    /// The player gave the run up.
    fn abandon(&mut self, outcome: Value, award: Value) -> Result<(), Problem>;

    /// The journal behind this recorder, if there is one.
    fn journal(&mut self) -> Option<&mut JournalWriter>;
}

/// A recorder that keeps nothing, for runs that nobody will resume.
pub struct Nowhere;

impl Recorder for Nowhere {
    fn wants_digest(&self) -> bool {
        false
    }

    fn intent(&mut self, _: u64, _: &Input) -> Result<(), Problem> {
        Ok(())
    }

    fn again(&mut self, _: u64) -> Result<(), Problem> {
        Ok(())
    }

    fn result(&mut self, _: u64, _: Digest, _: &[Event], _: &World) -> Result<(), Problem> {
        Ok(())
    }

    fn refusal(&mut self, _: u64, _: &Problem) -> Result<(), Problem> {
        Ok(())
    }

    fn reload(&mut self, _: &Content, _: Digest, _: &[Event]) -> Result<(), Problem> {
        Ok(())
    }

    fn abandon(&mut self, _: Value, _: Value) -> Result<(), Problem> {
        Ok(())
    }

    fn journal(&mut self) -> Option<&mut JournalWriter> {
        None
    }
}
