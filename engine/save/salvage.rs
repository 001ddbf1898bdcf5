//! What lies behind damage. A journal whose earlier lines are damaged may have a whole checkpoint
//! that was taken behind them, and whole lines after that: then nothing is lost but the tale of
//! some steps, and the run goes on from its very end.

use std::path::PathBuf;

use super::chain::walk;
use super::checkpoint::Checkpoint;
use super::data_dir::DataDir;
use super::disk::replace;
use super::entry::{Entry, Restored};
use super::journal::encode;
use super::reading::Reach;
use super::run_state::RunState;
use super::trouble::{Telling, place};
use crate::kit::Problem;
use crate::kit::fault::planted;

/// A whole checkpoint behind damage, and the whole lines after it.
#[derive(Debug)]
pub(super) struct Salvage {
    entries: Vec<Entry>,
    run_state: RunState,
}

impl Salvage {
    /// What a checkpoint and the lines after it still hold, if that is more than what stands
    /// before the damage.
    pub(super) fn behind(checkpoint: Checkpoint, bytes: &[u8], before: &RunState) -> Option<Self> {
        if checkpoint.step < before.next_step || planted("salvage_forgotten") {
            return None;
        }
        let from = usize::try_from(checkpoint.journal_bytes).unwrap_or(usize::MAX);
        let rest = bytes.get(from..).unwrap_or_default();
        let (lines, _) = walk(rest, checkpoint.journal_chain);
        let Checkpoint { step, run_state: stood, digest, snapshot, .. } = checkpoint;
        let mut run_state = before.clone();
        let restored = Restored { step, run_state: stood, digest, snapshot };
        let mut entries = vec![Entry::Restored(Box::new(restored))];
        run_state.follow(&entries[0]).ok()?;
        for line in lines {
            let entry = serde_json::from_slice(&rest[line.entry]).ok();
            let Some(entry) = entry.filter(|entry| run_state.follow(entry).is_ok()) else { break };
            entries.push(entry);
        }
        Some(Self { entries, run_state })
    }

    /// The last step that it holds.
    pub(super) fn last_step(&self) -> Option<u64> {
        self.run_state.last_step()
    }
}

impl DataDir {
    /// Makes a damaged run whole from what lies behind the damage: the good lines before it, what
    /// the checkpoint held, and the lines after that. Says which files were kept aside.
    pub fn mend_by_salvage(&self, run_id: &str) -> Result<Vec<PathBuf>, Problem> {
        let _lock = self.lock_existing(run_id)?;
        let opened = self.open(run_id, Reach::Tail)?;
        let path = self.journal(run_id)?;
        let Some(salvage) = &opened.salvage else {
            let nothing = "no whole checkpoint lies behind damage in this run";
            return Err(Problem::error("nothing-beyond", nothing)
                .at(place(&path, 0))
                .hint("mend it up to the last good line instead"));
        };
        let good = usize::try_from(opened.good_bytes).unwrap_or(usize::MAX);
        let mut whole = opened.bytes.get(..good).unwrap_or_default().to_vec();
        let mut chain = opened.chain;
        for entry in &salvage.entries {
            let (line, link) = encode(chain, entry, &path)?;
            whole.extend(line);
            chain = link;
        }
        let mut kept = vec![self.keep_aside(&path)?];
        // The journal first: as long as the checkpoint lies there, this can be done again.
        replace(self.disk(), &path, &whole).telling("mend the journal", &path)?;
        kept.extend(self.checkpoint_aside(run_id)?);
        Ok(kept)
    }
}
