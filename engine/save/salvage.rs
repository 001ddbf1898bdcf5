//! Salvages data after damage. If early lines of a journal are damaged, a checkpoint after them and
//! the lines after it may be intact. Then only the story of some steps is lost, and the run
//! continues from its end.

use std::path::PathBuf;

use super::chain::verify_chain;
use super::checkpoint::Checkpoint;
use super::data_dir::DataDir;
use super::disk::replace_file;
use super::entry::{JournalEntry, RestoredCheckpoint};
use super::io_error::{IoContext, file_location};
use super::journal::encode_line;
use super::journal_reader::ReadExtent;
use super::run_state::RunState;
use base::{Code, Problem};

/// An intact checkpoint after the damage, and the valid lines after it.
#[derive(Debug)]
pub(super) struct SalvagedData {
    entries: Vec<JournalEntry>,
    run_state: RunState,
}

impl SalvagedData {
    /// The checkpoint and the lines after it, if they reach further than the lines before the
    /// damage.
    pub(super) fn from_checkpoint(
        checkpoint: Checkpoint,
        bytes: &[u8],
        before: &RunState,
    ) -> Option<Self> {
        if checkpoint.step < before.next_step {
            return None;
        }
        let from = usize::try_from(checkpoint.journal_bytes).unwrap_or(usize::MAX);
        let rest = bytes.get(from..).unwrap_or_default();
        let (lines, _) = verify_chain(rest, checkpoint.journal_chain);
        let Checkpoint { step, run_state: checkpoint_state, digest, snapshot, .. } = checkpoint;
        let mut run_state = before.clone();
        let restored = RestoredCheckpoint { step, run_state: checkpoint_state, digest, snapshot };
        let mut entries = vec![JournalEntry::Restored(Box::new(restored))];
        run_state.apply_entry(&entries[0]).ok()?;
        for line in lines {
            let entry = serde_json::from_slice(&rest[line.entry]).ok();
            let Some(entry) = entry.filter(|entry| run_state.apply_entry(entry).is_ok()) else {
                break;
            };
            entries.push(entry);
        }
        Some(Self { entries, run_state })
    }

    /// The last step of the salvaged data.
    pub(super) fn last_step(&self) -> Option<u64> {
        self.run_state.last_completed_step()
    }
}

impl DataDir {
    /// Repairs a damaged run from the data after the damage: the valid lines before it, the
    /// checkpoint, and the lines after that. Returns the copies of original files.
    pub fn repair_by_salvage(&self, run_id: &str) -> Result<Vec<PathBuf>, Problem> {
        let _lock = self.lock_existing(run_id)?;
        let opened = self.open_run(run_id, ReadExtent::AfterCheckpoint)?;
        let path = self.journal_path(run_id)?;
        let Some(salvage) = &opened.salvage else {
            let message = "this run has no intact checkpoint after damage";
            return Err(Problem::error(Code::NoCheckpointAfterDamage, message)
                .at(file_location(&path, 0))
                .hint("repair it up to the last valid line instead"));
        };
        let good = usize::try_from(opened.valid_bytes).unwrap_or(usize::MAX);
        let mut repaired_bytes = opened.bytes.get(..good).unwrap_or_default().to_vec();
        let mut last_link = opened.last_link;
        for entry in &salvage.entries {
            let (line, link) = encode_line(last_link, entry, &path)?;
            repaired_bytes.extend(line);
            last_link = link;
        }
        let mut backups = vec![self.backup_file(&path)?];
        // The journal is replaced first: while the checkpoint exists, this can be repeated.
        replace_file(self.disk(), &path, &repaired_bytes)
            .with_context("repair the journal", &path)?;
        backups.extend(self.rename_bad_checkpoint(run_id)?);
        Ok(backups)
    }
}
