//! Opens a run for writing, under its lock, after the last valid line. Before bytes are cut, the
//! original is copied.

use std::path::PathBuf;

use super::checkpoint;
use super::data_dir::DataDir;
use super::disk::replace;
use super::io_error::IoContext;
use super::journal::JournalWriter;
use super::journal_reader::{OpenedRun, ReadExtent};
use super::lock::Lock;
use super::names::WHERE_RUNS_LIE;
use crate::base::{Code, Problem};

/// A run that is open for writing.
#[derive(Debug)]
pub struct WritableRun {
    /// The journal that was read.
    pub opened: OpenedRun,
    /// The writer at the end of the journal. `None` if the journal is damaged: the run can then be
    /// watched up to the damage, and `DataDir::repair_run` repairs it.
    pub writer: Option<JournalWriter>,
    /// The copies of original files.
    pub kept: Vec<PathBuf>,
}

/// Opens a run for writing: locks it, reads it and cuts an incomplete last line. A copy of the
/// original is kept.
pub fn resume(data_dir: &DataDir, run_id: &str, reach: ReadExtent) -> Result<WritableRun, Problem> {
    let lock = data_dir.lock_existing(run_id)?;
    let opened = data_dir.open(run_id, reach)?;
    if opened.damage.is_some() {
        return Ok(WritableRun { opened, writer: None, kept: Vec::new() });
    }
    let mut kept = Vec::new();
    if opened.torn.is_some() {
        kept.push(cut(data_dir, run_id, &opened)?);
    }
    let unusable = match reach {
        ReadExtent::Tail => opened.checkpoint.is_none(),
        ReadExtent::All => checkpoint::read(data_dir, run_id).is_err(),
    };
    if unusable {
        // The next checkpoint would overwrite it.
        kept.extend(data_dir.rename_bad_checkpoint(run_id)?);
    }
    let path = data_dir.journal(run_id)?;
    // A previous process may have died with lines that were written but not synced.
    data_dir.disk().sync(&path).with_context("sync the run's journal", &path)?;
    let writer = JournalWriter::reopen(data_dir, path, opened.tail(), lock);
    Ok(WritableRun { opened, writer: Some(writer), kept })
}

impl DataDir {
    /// Locks a run.
    pub(super) fn lock_run(&self, run_id: &str) -> Result<Lock, Problem> {
        self.glances.forget(run_id);
        Lock::acquire(self.disk(), &self.run_lock(run_id)?, &format!("the run {run_id}"))
    }

    pub(super) fn lock_existing(&self, run_id: &str) -> Result<Lock, Problem> {
        self.run_is_there(run_id)?;
        self.lock_run(run_id)
    }

    /// Returns a Problem if there is no run with that id.
    pub fn run_is_there(&self, run_id: &str) -> Result<(), Problem> {
        let path = self.journal(run_id)?;
        match self.disk().exists(&path).with_context("look for the run", &path)? {
            true => Ok(()),
            false => Err(Problem::error(Code::NoRun, format!("there is no run \"{run_id}\""))
                .at(super::io_error::file_location(&path, 0))
                .hint(WHERE_RUNS_LIE)),
        }
    }

    /// Repairs a damaged run up to its last valid line. Returns the copies: the original journal,
    /// and a checkpoint that is newer than the rest. An undamaged run is not changed.
    pub fn repair_run(&self, run_id: &str) -> Result<Vec<PathBuf>, Problem> {
        let _lock = self.lock_existing(run_id)?;
        let opened = self.open(run_id, ReadExtent::Tail)?;
        if opened.damage.is_none() && opened.torn.is_none() {
            return Ok(Vec::new());
        }
        let mut kept = vec![cut(self, run_id, &opened)?];
        if opened.checkpoint.is_none() {
            kept.extend(self.rename_bad_checkpoint(run_id)?);
        }
        Ok(kept)
    }

    /// Renames an unusable checkpoint, if there is one.
    pub(super) fn rename_bad_checkpoint(&self, run_id: &str) -> Result<Option<PathBuf>, Problem> {
        let path = self.checkpoint(run_id)?;
        let doing = "rename the checkpoint";
        if !self.disk().exists(&path).with_context(doing, &path)? {
            return Ok(None);
        }
        let aside = self.free_backup_name(&path)?;
        self.disk().rename(&path, &aside).with_context(doing, &aside)?;
        self.disk().sync_folder(&self.run_folder(run_id)?).with_context(doing, &aside)?;
        Ok(Some(aside))
    }
}

/// Copies the journal and cuts it after its last valid line.
fn cut(data_dir: &DataDir, run_id: &str, opened: &OpenedRun) -> Result<PathBuf, Problem> {
    let path = data_dir.journal(run_id)?;
    let aside = data_dir.backup_file(&path)?;
    let doing = "cut the damaged end of the journal";
    if opened.is_made_anew {
        // Its first line differs from the one on disk.
        let good = usize::try_from(opened.good_bytes).unwrap_or(usize::MAX);
        let good = opened.bytes.get(..good).unwrap_or_default();
        replace(data_dir.disk(), &path, good).with_context("repair the journal", &path)?;
        return Ok(aside);
    }
    data_dir.disk().cut(&path, opened.good_bytes).with_context(doing, &path)?;
    data_dir.disk().sync(&path).with_context(doing, &path)?;
    Ok(aside)
}
