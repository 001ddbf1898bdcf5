//! Salvages data after damage. If early lines of a journal are damaged, a checkpoint after them and
//! the lines after it may be intact. Then only the story of some steps is lost, and the run
//! continues from its end.

use std::io;
use std::path::PathBuf;

use super::checkpoint::Checkpoint;
use super::data_dir::DataDir;
use super::entry::{JournalEntry, RestoredCheckpoint};
use super::hash_chain::JournalPosition;
use super::io_error::file_location;
use super::journal_file::JournalFile;
use super::journal_replacement::JournalReplacement;
use super::run_state::RunState;
use super::run_state::{ReadExtent, parse_entry};
use base::{Code, Problem};

/// An intact checkpoint after the damage, and the valid lines after it.
#[derive(Debug)]
pub(super) struct SalvagedData {
    restored_entry: JournalEntry,
    /// After the checkpoint.
    after_checkpoint: JournalPosition,
    /// After the last valid line.
    valid_end: JournalPosition,
    run_state: RunState,
}

impl SalvagedData {
    /// The checkpoint and the lines after it, if they reach further than the lines before the
    /// damage.
    pub(super) fn from_checkpoint(
        file: &JournalFile,
        checkpoint: Checkpoint,
        before: &RunState,
    ) -> io::Result<Option<Self>> {
        if checkpoint.step < before.next_step {
            return Ok(None);
        }
        let start = checkpoint.position();
        let Checkpoint { step, run_state: checkpoint_state, digest, snapshot, .. } = checkpoint;
        let mut run_state = before.clone();
        let restored = RestoredCheckpoint { step, run_state: checkpoint_state, digest, snapshot };
        let restored = JournalEntry::RestoredFromCheckpoint(Box::new(restored));
        if run_state.apply_entry(&restored).is_err() {
            return Ok(None);
        }
        let (mut lines, mut end) = (file.lines_after(start)?, start);
        while let Some(entry) = lines.next_entry()? {
            if parse_entry(entry, &mut run_state).is_err() {
                break;
            }
            end = lines.position;
        }
        Ok(Some(Self {
            restored_entry: restored,
            after_checkpoint: start,
            valid_end: end,
            run_state,
        }))
    }

    /// The last step of the salvaged data.
    pub(super) fn last_completed_step(&self) -> Option<u64> {
        self.run_state.last_completed_step()
    }
}

impl DataDir {
    /// Repairs a damaged run from the data after the damage: the valid lines before it, the
    /// checkpoint, and the lines after that. Returns the copies of original files.
    pub fn repair_by_salvage(&self, run_id: &str) -> Result<Vec<PathBuf>, Problem> {
        let _lock = self.lock_existing_run(run_id)?;
        let opened = self.open_run(run_id, ReadExtent::AfterCheckpoint)?;
        let path = self.journal_path(run_id)?;
        let Some(salvage) = &opened.salvaged_data else {
            let message = "this run has no intact checkpoint after damage";
            return Err(Problem::error(Code::NoCheckpointAfterDamage, message)
                .at(file_location(&path, 0))
                .hint("repair it up to the last valid line instead"));
        };
        let mut backups = vec![self.backup_file(&path)?];
        let mut repaired = JournalReplacement::begin(self.disk(), &path, "repair the journal")?;
        repaired.copy_up_to(&opened.file, opened.valid_end)?;
        repaired.append(&salvage.restored_entry)?;
        let mut lines =
            opened.file.lines_between(salvage.after_checkpoint, salvage.valid_end.byte_count);
        while let Some(entry) = opened.file.with_context(lines.next_entry())? {
            let entry =
                serde_json::from_slice(entry).expect("it was parsed before, under the lock");
            repaired.append(&entry)?;
        }
        // The journal is replaced first: while the checkpoint exists, this can be repeated.
        repaired.finish()?;
        backups.extend(self.rename_bad_checkpoint(run_id)?);
        Ok(backups)
    }
}
