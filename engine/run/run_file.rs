//! The recorder of a run that lies on disk: intents are synced before anything comes of them,
//! results follow, and now and then a checkpoint is replaced.

use super::content::Content;
use super::recorder::Recorder;
use crate::kit::{Digest, Problem, Value};
use crate::mods::ModSet;
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

/// The recorder of a run that lies on disk.
pub struct RunFile {
    journal: JournalWriter,
    written: Written,
}

impl RunFile {
    /// A recorder at the end of a journal.
    pub fn new(journal: JournalWriter) -> Self {
        Self { journal, written: Written::new() }
    }

    fn checkpoint(&mut self, digest: Digest, world: &World) {
        // A checkpoint only saves time. If it cannot be written now, a later one will be.
        let _ = self.journal.checkpoint(world.snapshot(), digest);
    }
}

impl Recorder for RunFile {
    fn intent(&mut self, step: u64, input: &Input) -> Result<(), Problem> {
        self.journal.append(&Entry::Intent { step, input: input.clone() }, true)
    }

    fn console(&mut self, step: u64, order: &Order) -> Result<(), Problem> {
        let mut entries = vec![Entry::Console { step, order: order.clone() }];
        if !self.journal.run_state().marks.contains("console") {
            entries.insert(0, Entry::Mark { mark: "console".to_owned() });
        }
        self.journal.append_all(&entries, true)
    }

    fn again(&mut self, step: u64) -> Result<(), Problem> {
        self.journal.append(&Entry::Again { step }, true)
    }

    fn written(&mut self, written: &Written) {
        self.written.clone_from(written);
    }

    fn result(
        &mut self,
        step: u64,
        digest: Digest,
        events: &[Event],
        world: &World,
    ) -> Result<(), Problem> {
        let (events, written) = (events.to_vec(), std::mem::take(&mut self.written));
        let mut entries = vec![Entry::Result { step, digest, events, written }];
        if let Some(outcome) = world.finished() {
            let award = world.awarded();
            entries.push(Entry::Ended(Ending { outcome, award, abandoned: false }));
        }
        let ended = entries.len() > 1;
        self.journal.append_all(&entries, ended)?;
        let mods = self.journal.run_state().mods.len() as u64;
        let stretches =
            1 + world.state.nodes() as u64 / STATE_PER_CHECKPOINT + mods / MODS_PER_CHECKPOINT;
        if ended || step.is_multiple_of(CHECKPOINT_EVERY * stretches) {
            self.checkpoint(digest, world);
        }
        Ok(())
    }

    fn refusal(&mut self, step: u64, problem: &Problem) -> Result<(), Problem> {
        self.journal.append(&Entry::Refusal { step, problem: problem.clone() }, true)
    }

    fn reload(
        &mut self,
        content: &Content,
        digest: Digest,
        events: &[Event],
    ) -> Result<(), Problem> {
        let mods = mod_marks(&content.mods);
        self.journal.append(&Entry::Reload { mods, digest, events: events.to_vec() }, true)
    }

    fn set_aside(&mut self, entry: &SetAside) -> Result<(), Problem> {
        self.journal.append(&Entry::SetAside(entry.clone()), true)
    }

    fn abandon(&mut self, outcome: Value, award: Value) -> Result<(), Problem> {
        self.journal.append(&Entry::Ended(Ending { outcome, award, abandoned: true }), true)
    }

    fn journal(&mut self) -> Option<&mut JournalWriter> {
        Some(&mut self.journal)
    }
}

/// The mods as a journal names them.
pub(super) fn mod_marks(mods: &ModSet) -> Vec<ModMark> {
    let mark = |source: &crate::mods::ModSource| ModMark {
        id: source.id().to_owned(),
        version: source.manifest.version.to_string(),
        digest: source.digest,
    };
    mods.mods.iter().map(mark).collect()
}
