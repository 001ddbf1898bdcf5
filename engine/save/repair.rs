//! Opens a run for writing, under its lock, after the last valid line. Before bytes are cut, the
//! original is copied.

use std::path::PathBuf;

use super::checkpoint;
use super::data_dir::DataDir;
use super::disk::replace;
use super::journal::JournalWriter;
use super::lock::Lock;
use super::names::WHERE_RUNS_LIE;
use super::reading::{Opened, Reach};
use super::trouble::Telling;
use crate::kit::Problem;

/// A run that is open for writing.
#[derive(Debug)]
pub struct Resumed {
    /// The journal that was read.
    pub opened: Opened,
    /// The writer at the end of the journal. `None` if the journal is damaged: the run can then be
    /// watched up to the damage, and `DataDir::mend` repairs it.
    pub writer: Option<JournalWriter>,
    /// The copies of original files.
    pub kept: Vec<PathBuf>,
}

/// Opens a run for writing: locks it, reads it and cuts an incomplete last line. A copy of the
/// original is kept.
pub fn resume(data_dir: &DataDir, run_id: &str, reach: Reach) -> Result<Resumed, Problem> {
    let lock = data_dir.lock_existing(run_id)?;
    let opened = data_dir.open(run_id, reach)?;
    if opened.damage.is_some() {
        return Ok(Resumed { opened, writer: None, kept: Vec::new() });
    }
    let mut kept = Vec::new();
    if opened.torn.is_some() {
        kept.push(cut(data_dir, run_id, &opened)?);
    }
    let unusable = match reach {
        Reach::Tail => opened.checkpoint.is_none(),
        Reach::All => checkpoint::read(data_dir, run_id).is_err(),
    };
    if unusable {
        // The next checkpoint would overwrite it.
        kept.extend(data_dir.checkpoint_aside(run_id)?);
    }
    let path = data_dir.journal(run_id)?;
    // A previous process may have died with lines that were written but not synced.
    data_dir.disk().sync(&path).telling("sync the run's journal", &path)?;
    let writer = JournalWriter::go_on(data_dir, path, opened.tail(), lock);
    Ok(Resumed { opened, writer: Some(writer), kept })
}

impl DataDir {
    /// Locks a run.
    pub(super) fn lock_run(&self, run_id: &str) -> Result<Lock, Problem> {
        self.glances.forget(run_id);
        Lock::take(self.disk(), &self.run_lock(run_id)?, &format!("the run {run_id}"))
    }

    pub(super) fn lock_existing(&self, run_id: &str) -> Result<Lock, Problem> {
        self.run_is_there(run_id)?;
        self.lock_run(run_id)
    }

    /// Returns a Problem if there is no run with that id.
    pub fn run_is_there(&self, run_id: &str) -> Result<(), Problem> {
        let path = self.journal(run_id)?;
        match self.disk().exists(&path).telling("look for the run", &path)? {
            true => Ok(()),
            false => Err(Problem::error("no-run", format!("there is no run \"{run_id}\""))
                .at(super::trouble::place(&path, 0))
                .hint(WHERE_RUNS_LIE)),
        }
    }

    /// Repairs a damaged run up to its last valid line. Returns the copies: the original journal,
    /// and a checkpoint that is newer than the rest. An undamaged run is not changed.
    pub fn mend(&self, run_id: &str) -> Result<Vec<PathBuf>, Problem> {
        let _lock = self.lock_existing(run_id)?;
        let opened = self.open(run_id, Reach::Tail)?;
        if opened.damage.is_none() && opened.torn.is_none() {
            return Ok(Vec::new());
        }
        let mut kept = vec![cut(self, run_id, &opened)?];
        if opened.checkpoint.is_none() {
            kept.extend(self.checkpoint_aside(run_id)?);
        }
        Ok(kept)
    }

    /// Renames an unusable checkpoint, if there is one.
    pub(super) fn checkpoint_aside(&self, run_id: &str) -> Result<Option<PathBuf>, Problem> {
        let path = self.checkpoint(run_id)?;
        let doing = "rename the checkpoint";
        if !self.disk().exists(&path).telling(doing, &path)? {
            return Ok(None);
        }
        let aside = self.free_name(&path)?;
        self.disk().rename(&path, &aside).telling(doing, &aside)?;
        self.disk().sync_folder(&self.run_folder(run_id)?).telling(doing, &aside)?;
        Ok(Some(aside))
    }
}

/// Copies the journal and cuts it after its last valid line.
fn cut(data_dir: &DataDir, run_id: &str, opened: &Opened) -> Result<PathBuf, Problem> {
    let path = data_dir.journal(run_id)?;
    let aside = data_dir.keep_aside(&path)?;
    let doing = "cut the damaged end of the journal";
    if opened.is_made_anew {
        // Its first line differs from the one on disk.
        let good = usize::try_from(opened.good_bytes).unwrap_or(usize::MAX);
        let good = opened.bytes.get(..good).unwrap_or_default();
        replace(data_dir.disk(), &path, good).telling("repair the journal", &path)?;
        return Ok(aside);
    }
    data_dir.disk().cut(&path, opened.good_bytes).telling(doing, &path)?;
    data_dir.disk().sync(&path).telling(doing, &path)?;
    Ok(aside)
}
