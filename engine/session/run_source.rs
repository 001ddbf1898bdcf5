//! Identifies a run: by its id in the data folder, or by the path of a journal. Every command
//! that takes a run starts here, so that it reads exactly the named file.

use std::path::PathBuf;

use super::lifecycle::{ReplayedJournal, replay_stream};
use super::replay_player::ReplayPlayer;
use super::run_summary::RunSummary;
use crate::base::Problem;
use crate::mods::ModSource;
use crate::save::{DataDir, JournalStream, ModVersion, OpenedRun, ReadExtent};

/// A run that a person named.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum RunSource {
    /// A run of the data folder, by its id.
    Run(String),
    /// A journal at any path.
    File(PathBuf),
}

impl RunSource {
    /// Opens it for watching. `found` lists the installed mods; it is called only to explain
    /// missing content.
    pub fn open(
        &self,
        data_dir: &DataDir,
        found: &dyn Fn() -> Vec<ModSource>,
    ) -> Result<ReplayPlayer, Problem> {
        let opened = self.read(data_dir)?;
        if let Self::File(_) = self {
            opened
                .mod_versions()
                .into_iter()
                .try_for_each(|mark| check_content(data_dir, mark, found))?;
        }
        ReplayPlayer::of(data_dir, self.clone(), opened, None)
    }

    /// Reads its whole journal.
    pub(super) fn read(&self, data_dir: &DataDir) -> Result<OpenedRun, Problem> {
        match self {
            Self::Run(run_id) => {
                data_dir.check_run_exists(run_id)?;
                data_dir.open(run_id, ReadExtent::All)
            }
            Self::File(path) => data_dir.open_file(path),
        }
    }

    /// Replays it and compares every step with its journal.
    pub fn verify(
        &self,
        data_dir: &DataDir,
        found: &dyn Fn() -> Vec<ModSource>,
    ) -> Result<ReplayedJournal, Problem> {
        let whole = self.stream(data_dir)?;
        if let Self::File(_) = self {
            whole
                .mod_versions()
                .iter()
                .try_for_each(|mark| check_content(data_dir, mark, found))?;
        }
        replay_stream(data_dir, &whole, &mut |_, _| {}, None)
    }

    fn stream(&self, data_dir: &DataDir) -> Result<JournalStream, Problem> {
        match self {
            Self::Run(run_id) => {
                data_dir.check_run_exists(run_id)?;
                data_dir.stream_journal(run_id)
            }
            Self::File(path) => data_dir.stream_journal_file(path),
        }
    }

    /// Its summary, for the run's page.
    pub fn summary(
        &self,
        data_dir: &DataDir,
        found: &dyn Fn() -> Vec<ModSource>,
    ) -> Result<RunSummary, Problem> {
        Ok(RunSummary::read(self.open(data_dir, found)?))
    }
}

/// Checks that the content of a journal from elsewhere is here. Otherwise the Problem names the
/// missing content and its place.
fn check_content(
    data_dir: &DataDir,
    mark: &ModVersion,
    found: &dyn Fn() -> Vec<ModSource>,
) -> Result<(), Problem> {
    let Err(problem) = data_dir.load_content(mark.digest) else { return Ok(()) };
    let ModVersion { id, version, digest } = mark;
    let sources = found();
    if let Some(source) = sources.iter().find(|source| source.digest == *digest) {
        return data_dir.store_content(source);
    }
    let other = sources.iter().find(|source| source.id() == id);
    let here = other.map_or("it is not here at all".to_owned(), |source| {
        format!("here is {} with the digest {}", source.manifest.version, source.digest)
    });
    let words = format!("the run was played with {id} {version} with the digest {digest}; {here}");
    Err(Problem { message: words, ..problem }.expected(format!("the file {digest}.json")).hint(
        format!(
            "copy it from the folder \"content\" of the data folder that the run was played in to {}",
            data_dir.root().join("content").display()
        ),
    ))
}
