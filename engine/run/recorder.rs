//! Where a session writes what happens: a run on disk a journal, in which intents are synced before
//! anything comes of them, results follow, and now and then a checkpoint is replaced; a run that nobody
//! will resume nowhere. The session calls in one fixed order: intent, then result or refusal.

use super::content::Content;
use crate::kit::{Digest, Problem};
use crate::play::world::Written;
use crate::play::{Event, Input, World};
use crate::save::{Ending, Entry, JournalWriter, ModMark, Order, SetAside};

/// Steps between two checkpoints: few enough that resuming is quick, many enough that writing
/// them does not show.
const CHECKPOINT_EVERY: u64 = 16;
/// For each so many tables and leaves of the state they stand as many steps further apart: what a
/// checkpoint costs grows with the state, and what a step costs must not.
const STATE_PER_CHECKPOINT: u64 = 1_024;
/// The same for so many mods, each of which a checkpoint names with its version and digest.
const MODS_PER_CHECKPOINT: u64 = 32;

/// Where a session writes what happens. Every call that returns `Ok` has reached its place; after
/// an `Err` nothing that it was to write counts.
pub struct Recorder {
    journal: Option<JournalWriter>,
    written: Written,
}

impl Recorder {
    /// It keeps nothing, for runs that nobody will resume.
    pub fn nowhere() -> Self {
        Self { journal: None, written: Written::new() }
    }

    /// At the end of a journal.
    pub fn of(journal: JournalWriter) -> Self {
        Self { journal: Some(journal), ..Self::nowhere() }
    }

    fn append(&mut self, entry: impl FnOnce() -> Entry) -> Result<(), Problem> {
        self.journal.as_mut().map_or(Ok(()), |journal| journal.append(&entry(), true))
    }

    /// An input is about to be tried, with what it says in words. On disk and synced when this returns.
    pub(super) fn intent(
        &mut self,
        step: u64,
        input: &Input,
        said: impl FnOnce() -> String,
    ) -> Result<(), Problem> {
        self.append(|| Entry::Intent { step, input: input.clone(), said: said() })
    }

    /// An order of the console is about to be tried. On disk and synced when this returns.
    pub(super) fn console(&mut self, step: u64, order: &Order) -> Result<(), Problem> {
        let Some(journal) = &mut self.journal else { return Ok(()) };
        let mut entries = vec![Entry::Console { step, order: order.clone() }];
        if !journal.run_state().marks.contains("console") {
            entries.insert(0, Entry::Mark { mark: "console".to_owned() });
        }
        journal.append_all(&entries, true)
    }

    /// A step that was begun before the program died is about to be tried once more.
    pub(super) fn again(&mut self, step: u64) -> Result<(), Problem> {
        self.append(|| Entry::Again { step })
    }

    /// Whether results are to carry the digest of the world. Where nobody will ever compare it, it
    /// is not worked out.
    pub(super) fn wants_digest(&self) -> bool {
        self.journal.is_some()
    }

    /// What the step that is about to succeed wrote, by path; told where a digest is wanted.
    pub(super) fn written(&mut self, written: &Written) {
        if self.journal.is_some() {
            self.written.clone_from(written);
        }
    }

    /// The step succeeded: the world after it with what it told, and how the run ended if it has.
    pub(super) fn result(
        &mut self,
        step: u64,
        digest: Digest,
        world: &World,
        ending: Option<Ending>,
    ) -> Result<(), Problem> {
        let Some(journal) = &mut self.journal else { return Ok(()) };
        let (events, written) = (world.events.clone(), std::mem::take(&mut self.written));
        let mut entries = vec![Entry::Result { step, digest, events, written }];
        let ended = ending.is_some();
        entries.extend(ending.map(Entry::Ended));
        journal.append_all(&entries, ended)?;
        let mods = journal.run_state().mods.len() as u64;
        let stretches =
            1 + world.state.nodes() as u64 / STATE_PER_CHECKPOINT + mods / MODS_PER_CHECKPOINT;
        if ended || step.is_multiple_of(CHECKPOINT_EVERY * stretches) {
            // A checkpoint only saves time. If it cannot be written now, a later one will be.
            let _ = journal.checkpoint(world.snapshot(), digest);
        }
        Ok(())
    }

    /// The step was refused and left no trace but this.
    pub(super) fn refusal(&mut self, step: u64, problem: &Problem) -> Result<(), Problem> {
        self.append(|| Entry::Refusal { step, problem: problem.clone() })
    }

    /// The content was replaced between two steps, where `disabled` is what takes no further part from
    /// here on: the world carried over, and what was told.
    pub(super) fn reload(
        &mut self,
        disabled: Option<&SetAside>,
        content: &Content,
        digest: Digest,
        events: &[Event],
    ) -> Result<(), Problem> {
        let Some(journal) = &mut self.journal else { return Ok(()) };
        let mods = ModMark::all(&content.mods);
        let mut entries: Vec<Entry> = disabled.cloned().map(Entry::SetAside).into_iter().collect();
        entries.push(Entry::Reload { mods, digest, events: events.to_vec() });
        journal.append_all(&entries, true)
    }

    /// The player gave the run up.
    pub(super) fn abandon(&mut self, ending: Ending) -> Result<(), Problem> {
        self.append(|| Entry::Ended(ending))
    }

    pub(super) fn journal(&mut self) -> Option<&mut JournalWriter> {
        self.journal.as_mut()
    }
}
