//! Lists the saved runs and profiles.

use std::sync::Arc;

use super::data_dir::DataDir;
use super::entry::{RunEnding, RunHeader};
use super::io_error::IoContext;
use super::profile::Profile;
use super::run_state::ReadExtent;
use base::Problem;
use base::panic_guard::catch_panics;

/// A saved run.
#[derive(Clone, Debug)]
pub struct SavedRun {
    /// Its id.
    pub run_id: String,
    /// Its header, if it is readable, without the profile.
    pub header: Option<RunHeader>,
    /// Its status.
    pub status: RunStatus,
}

/// The status of a saved run.
#[derive(Clone, Debug)]
pub enum RunStatus {
    /// It can be resumed.
    Unfinished {
        /// The next step.
        next_step: u64,
    },
    /// It is over.
    Ended(RunEnding),
    /// It is unreadable, or readable only up to some step.
    Damaged(Problem),
}

/// A saved profile.
#[derive(Clone, Debug)]
pub struct SavedProfile {
    /// Its file id.
    pub profile_id: String,
    /// The profile, if it is readable.
    pub profile: Result<Profile, Problem>,
}

impl DataDir {
    /// The profiles, by file id.
    pub fn list_profiles(&self) -> Result<Vec<SavedProfile>, Problem> {
        let folder = self.profiles_folder();
        let names = self.disk().list_folder(&folder).with_context("list the profiles", &folder)?;
        let ids = names.iter().filter_map(|name| name.strip_suffix(".toml"));
        let to_saved_profile = |id: &str| SavedProfile {
            profile_id: id.to_owned(),
            profile: catch_panics("read a profile", || self.read_profile(id)),
        };
        // Files with other names, such as copies, are not profiles.
        Ok(ids.filter(|id| self.profile_path(id).is_ok()).map(to_saved_profile).collect())
    }

    /// The runs, by id.
    pub fn list_runs(&self) -> Result<Vec<SavedRun>, Problem> {
        let folder = self.runs_folder();
        let ids = self.disk().list_folder(&folder).with_context("list the runs", &folder)?;
        let mut saved_runs = Vec::new();
        for run_id in ids {
            // Folders with other names are not runs; one without a journal never started.
            if self.journal_path(&run_id).is_err() {
                continue;
            }
            let (header, status) =
                match self.open_run_if_exists(&run_id, ReadExtent::AfterCheckpoint) {
                    Ok(None) => continue,
                    Err(problem) => (None, RunStatus::Damaged(problem)),
                    Ok(Some(opened)) => {
                        let status = match (opened.damage, opened.run_state.run_ending) {
                            (Some(damage), _) => RunStatus::Damaged(damage.problem),
                            (None, Some(ending)) => RunStatus::Ended(ending),
                            (None, None) => {
                                RunStatus::Unfinished { next_step: opened.run_state.next_step }
                            }
                        };
                        (Some(Arc::unwrap_or_clone(opened.header).for_list()), status)
                    }
                };
            saved_runs.push(SavedRun { run_id, header, status });
        }
        Ok(saved_runs)
    }
}
