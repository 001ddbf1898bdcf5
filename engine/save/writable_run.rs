//! Opens a run for writing, under its lock, after the last valid line. Before bytes are cut, the
//! original is copied.

use std::path::PathBuf;

use super::checkpoint;
use super::data_dir::DataDir;
use super::file_lock::FileLock;
use super::ids_and_names::FIND_RUN_ID_HELP;
use super::io_error::IoContext;
use super::journal::JournalWriter;
use super::journal_reader::LoadedJournal;
use super::journal_replacement::JournalReplacement;
use super::run_state::ReadExtent;
use base::panic_guard::catch_panics;
use base::{Code, Problem};

/// A run that is open for writing.
#[derive(Debug)]
pub struct WritableRun {
    /// The journal that was read.
    pub loaded_journal: LoadedJournal,
    /// The writer at the end of the journal. `None` if the journal is damaged: the run can then be
    /// watched up to the damage, and `DataDir::repair_run` repairs it.
    pub writer: Option<JournalWriter>,
    /// The copies of original files.
    pub backups: Vec<PathBuf>,
}

/// Opens a run for writing: locks it, reads it and cuts an incomplete last line. A copy of the
/// original is kept.
pub fn open_run_for_writing(
    data_dir: &DataDir,
    run_id: &str,
    extent: ReadExtent,
) -> Result<WritableRun, Problem> {
    let lock = data_dir.lock_existing_run(run_id)?;
    let opened = data_dir.open_run(run_id, extent)?;
    if opened.damage.is_some() {
        return Ok(WritableRun { loaded_journal: opened, writer: None, backups: Vec::new() });
    }
    let mut backups = Vec::new();
    if opened.torn_line_note.is_some() {
        backups.push(truncate_damaged_end(data_dir, run_id, &opened)?);
    }
    let is_checkpoint_unusable = match extent {
        ReadExtent::AfterCheckpoint => opened.checkpoint.is_none(),
        ReadExtent::All => checkpoint::read_checkpoint(data_dir, run_id).is_err(),
    };
    if is_checkpoint_unusable {
        // The next checkpoint would overwrite it.
        backups.extend(data_dir.rename_bad_checkpoint(run_id)?);
    }
    let path = data_dir.journal_path(run_id)?;
    // A previous process may have died with lines that were written but not synced.
    data_dir.disk().sync_file(&path).with_context("sync the run's journal", &path)?;
    let end_state = catch_panics("read a run's files", || opened.end_state())?;
    let writer = JournalWriter::reopen_journal(data_dir, path, end_state, lock);
    Ok(WritableRun { loaded_journal: opened, writer: Some(writer), backups })
}

impl DataDir {
    /// Locks a run.
    pub(super) fn lock_run(&self, run_id: &str) -> Result<FileLock, Problem> {
        self.peek_cache.remove(run_id);
        FileLock::acquire(self.disk(), &self.run_lock_path(run_id)?, &format!("the run {run_id}"))
    }

    pub(super) fn lock_existing_run(&self, run_id: &str) -> Result<FileLock, Problem> {
        self.check_run_exists(run_id)?;
        self.lock_run(run_id)
    }

    /// Returns a Problem if there is no run with that id.
    pub fn check_run_exists(&self, run_id: &str) -> Result<(), Problem> {
        let path = self.journal_path(run_id)?;
        match self.disk().exists(&path).with_context("look for the run", &path)? {
            true => Ok(()),
            false => Err(Problem::error(Code::NoRun, format!("there is no run \"{run_id}\""))
                .at(super::io_error::file_location(&path, 0))
                .hint(FIND_RUN_ID_HELP)),
        }
    }

    /// Repairs a damaged run up to its last valid line. Returns the copies: the original journal,
    /// and a checkpoint that is newer than the rest. An undamaged run is not changed.
    pub fn repair_run(&self, run_id: &str) -> Result<Vec<PathBuf>, Problem> {
        let _lock = self.lock_existing_run(run_id)?;
        let opened = self.open_run(run_id, ReadExtent::AfterCheckpoint)?;
        if opened.damage.is_none() && opened.torn_line_note.is_none() {
            return Ok(Vec::new());
        }
        let mut backups = vec![truncate_damaged_end(self, run_id, &opened)?];
        if opened.checkpoint.is_none() {
            backups.extend(self.rename_bad_checkpoint(run_id)?);
        }
        Ok(backups)
    }

    /// Renames an unusable checkpoint, if there is one.
    pub(super) fn rename_bad_checkpoint(&self, run_id: &str) -> Result<Option<PathBuf>, Problem> {
        let path = self.checkpoint_path(run_id)?;
        let doing = "rename the checkpoint";
        if !self.disk().exists(&path).with_context(doing, &path)? {
            return Ok(None);
        }
        let backup_path = self.find_free_backup_path(&path)?;
        self.disk().rename(&path, &backup_path).with_context(doing, &backup_path)?;
        self.disk().sync_folder(&self.run_folder(run_id)?).with_context(doing, &backup_path)?;
        Ok(Some(backup_path))
    }
}

/// Copies the journal and cuts it after its last valid line.
fn truncate_damaged_end(
    data_dir: &DataDir,
    run_id: &str,
    opened: &LoadedJournal,
) -> Result<PathBuf, Problem> {
    let path = data_dir.journal_path(run_id)?;
    let backup_path = data_dir.backup_file(&path)?;
    let doing = "cut the damaged end of the journal";
    if opened.file.restored_header.is_some() {
        // Its first line differs from the one on disk.
        let mut repaired = JournalReplacement::begin(data_dir.disk(), &path, "repair the journal")?;
        repaired.copy_up_to(&opened.file, opened.valid_end)?;
        repaired.finish()?;
        return Ok(backup_path);
    }
    data_dir.disk().truncate_file(&path, opened.valid_end.byte_count).with_context(doing, &path)?;
    data_dir.disk().sync_file(&path).with_context(doing, &path)?;
    Ok(backup_path)
}
