//! Identifies a run: by its id in the data folder, or by the path of a journal. Every command
//! that takes a run starts here, so that it reads exactly the named file.

use std::path::PathBuf;

use super::lifecycle::{ReplayedJournal, replay_and_verify_stream};
use super::replay_player::ReplayPlayer;
use super::run_summary::RunSummary;
use base::Problem;
use mods::ModSource;
use save::{DataDir, JournalStream, LoadedJournal, ModVersion, ReadExtent};

/// A run that a person named.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum RunSource {
    /// A run of the data folder, by its id.
    RunId(String),
    /// A journal at any path.
    JournalFile(PathBuf),
}

impl RunSource {
    /// Opens it for watching. A journal from elsewhere may lack its content here: it can be watched
    /// without. `find_installed_mods` lists the installed mods; it is called only to find that
    /// content.
    pub fn open_replay(
        &self,
        data_dir: &DataDir,
        find_installed_mods: &dyn Fn() -> Vec<ModSource>,
    ) -> Result<ReplayPlayer, Problem> {
        let opened = self.read_journal(data_dir)?;
        let content_problem = match self {
            Self::RunId(_) => None,
            Self::JournalFile(_) => {
                self.open_journal_stream(data_dir)?.mod_versions().iter().find_map(|version| {
                    check_content_available(data_dir, version, find_installed_mods).err()
                })
            }
        };
        Ok(ReplayPlayer::from_opened_run(data_dir, self.clone(), opened, content_problem))
    }

    /// Reads its whole journal.
    pub(super) fn read_journal(&self, data_dir: &DataDir) -> Result<LoadedJournal, Problem> {
        match self {
            Self::RunId(run_id) => {
                data_dir.check_run_exists(run_id)?;
                data_dir.open_run(run_id, ReadExtent::All)
            }
            Self::JournalFile(path) => data_dir.open_journal_file(path),
        }
    }

    /// Replays it and compares every step with its journal. `on_progress` gets the bytes of the journal
    /// that are compared, and all of them.
    pub fn replay_and_verify(
        &self,
        data_dir: &DataDir,
        find_installed_mods: &dyn Fn() -> Vec<ModSource>,
        on_progress: &mut dyn FnMut(u64, u64),
    ) -> Result<ReplayedJournal, Problem> {
        let stream = self.open_journal_stream(data_dir)?;
        if let Self::JournalFile(_) = self {
            stream.mod_versions().iter().try_for_each(|mark| {
                check_content_available(data_dir, mark, find_installed_mods)
            })?;
        }
        let total = stream.byte_count();
        let on_progress = &mut |bytes| on_progress(bytes, total);
        replay_and_verify_stream(data_dir, &stream, &mut |_, _| {}, on_progress, None)
    }

    fn open_journal_stream(&self, data_dir: &DataDir) -> Result<JournalStream, Problem> {
        match self {
            Self::RunId(run_id) => {
                data_dir.check_run_exists(run_id)?;
                data_dir.stream_journal(run_id)
            }
            Self::JournalFile(path) => data_dir.stream_journal_file(path),
        }
    }

    /// Its summary, for the run's page.
    pub fn summarize_run(&self, data_dir: &DataDir) -> Result<RunSummary, Problem> {
        Ok(RunSummary::from_replay(self.open_replay(data_dir, &Vec::new)?))
    }
}

/// Checks that the content of a journal from elsewhere is here. Otherwise the Problem names the
/// missing content and its place.
fn check_content_available(
    data_dir: &DataDir,
    mod_version: &ModVersion,
    find_installed_mods: &dyn Fn() -> Vec<ModSource>,
) -> Result<(), Problem> {
    let Err(problem) = data_dir.load_content_or_fallback(mod_version.digest) else { return Ok(()) };
    let ModVersion { id, version, digest } = mod_version;
    let sources = find_installed_mods();
    if let Some(source) = sources.iter().find(|source| source.digest == *digest) {
        return data_dir.store_content(source);
    }
    let other = sources.iter().find(|source| source.id() == id);
    let local_version = other.map_or("it is not here at all".to_owned(), |source| {
        format!("here is {} with the digest {}", source.manifest.version, source.digest)
    });
    let message =
        format!("the run was played with {id} {version} with the digest {digest}; {local_version}");
    Err(Problem { message, ..problem }.expected(format!("the file {digest}.json")).hint(format!(
        "copy it from the folder \"content\" of the data folder that the run was played in to {}",
        data_dir.root().join("content").display()
    )))
}
