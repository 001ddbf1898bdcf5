//! The runs and profiles there are, as a screen of saves shows them.

use super::data_dir::DataDir;
use super::entry::{Ending, Header};
use super::profile::Profile;
use super::reading::Reach;
use super::trouble::Telling;
use crate::kit::Problem;
use crate::kit::fence::fenced;

/// A saved run.
#[derive(Clone, Debug)]
pub struct RunLine {
    /// Its id.
    pub run_id: String,
    /// What it was started with, if that can be read.
    pub header: Option<Header>,
    /// Where it stands.
    pub status: RunStatus,
}

/// Where a saved run stands.
#[derive(Clone, Debug)]
pub enum RunStatus {
    /// It can be gone on with, after this many steps.
    Unfinished {
        /// The step that comes next.
        next_step: u64,
    },
    /// It is over.
    Ended(Ending),
    /// It cannot be read, or only up to a good step.
    Damaged(Problem),
}

/// A saved profile.
#[derive(Clone, Debug)]
pub struct ProfileLine {
    /// Its file id.
    pub profile_id: String,
    /// What is in it, if it can be read.
    pub profile: Result<Profile, Problem>,
}

impl DataDir {
    /// The profiles there are, by file id.
    pub fn profiles_there(&self) -> Result<Vec<ProfileLine>, Problem> {
        let folder = self.profiles();
        let names = self.disk().list(&folder).telling("list the profiles", &folder)?;
        let ids = names.iter().filter_map(|name| name.strip_suffix(".toml"));
        let line = |id: &str| ProfileLine {
            profile_id: id.to_owned(),
            profile: fenced("read a profile", || self.read_profile(id)),
        };
        // Files of other names, such as those kept aside, are no profiles.
        Ok(ids.filter(|id| self.profile(id).is_ok()).map(line).collect())
    }

    /// The runs there are, by id.
    pub fn runs_there(&self) -> Result<Vec<RunLine>, Problem> {
        let folder = self.runs();
        let ids = self.disk().list(&folder).telling("list the runs", &folder)?;
        let mut lines = Vec::new();
        for run_id in ids {
            // Folders of other names are none of ours; one without a journal never began.
            if self.journal(&run_id).is_err() {
                continue;
            }
            let (header, status) = match self.open_if_there(&run_id, Reach::Tail) {
                Ok(None) => continue,
                Err(problem) => (None, RunStatus::Damaged(problem)),
                Ok(Some(opened)) => {
                    let status = match (opened.damage, opened.run_state.ended) {
                        (Some(damage), _) => RunStatus::Damaged(damage.problem),
                        (None, Some(ending)) => RunStatus::Ended(ending),
                        (None, None) => {
                            RunStatus::Unfinished { next_step: opened.run_state.next_step }
                        }
                    };
                    (Some(opened.header), status)
                }
            };
            lines.push(RunLine { run_id, header, status });
        }
        Ok(lines)
    }
}
