//! Finds folders in `runs/` whose name is not the id of the run in them. No list shows such a run,
//! so its player gets a warning.

use std::path::{Path, PathBuf};

use super::data_dir::DataDir;
use super::io_error::file_location;
use super::locked_profile::LockedProfile;
use base::panic_guard::catch_panics;
use base::{Code, Problem};

/// The maximum number of warnings; further folders are counted.
const MAX_WARNINGS: usize = 4;

impl LockedProfile {
    /// A warning for each misnamed folder with a run of this player.
    pub(super) fn misnamed_run_warnings(&self) -> Vec<Problem> {
        let data_dir = self.data_dir();
        let folder = data_dir.runs_folder();
        let names = data_dir.disk().list_folder(&folder).unwrap_or_default();
        let unknown_names =
            names.into_iter().filter(|name| !is_run_of_known_player(data_dir, name));
        let mut found =
            unknown_names.filter_map(|name| self.misnamed_run_warning(&name, &folder.join(&name)));
        let mut warnings: Vec<Problem> = found.by_ref().take(MAX_WARNINGS).collect();
        let omitted_count = found.count();
        if omitted_count > 0 {
            let message = format!(
                "more folders contain runs with other ids than their names: {omitted_count}"
            );
            warnings
                .push(Problem::warning(Code::RunRenamed, message).at(file_location(&folder, 0)));
        }
        warnings
    }

    fn misnamed_run_warning(&self, name: &str, folder: &Path) -> Option<Problem> {
        let data_dir = self.data_dir();
        let journal = folder.join("journal.jsonl");
        if !data_dir.disk().exists(&journal).unwrap_or(false) {
            return None;
        }
        let read = || data_dir.read_header(&journal);
        let header = catch_panics("read the first line of a journal", read).ok()?;
        if header.profile_id != self.id() || header.run_id == name {
            return None;
        }
        let id = header.run_id;
        let expected_journal = data_dir.journal_path(&id).ok()?;
        let hint = match data_dir.disk().exists(&expected_journal).unwrap_or(false) {
            true => format!("\"{id}\" exists too: move this copy out of runs/"),
            false => format!("rename the folder to \"{id}\""),
        };
        let message =
            format!("the folder \"{name}\" contains the run \"{id}\", which no list shows");
        Some(Problem::warning(Code::RunRenamed, message).at(file_location(&journal, 0)).hint(hint))
    }
}

/// Whether a name is a run id of a player who has a profile here: that player gets the warning.
fn is_run_of_known_player(data_dir: &DataDir, name: &str) -> bool {
    let Some((profile_id, _)) = name.rsplit_once('-') else { return false };
    let there = |path: PathBuf| data_dir.disk().exists(&path).unwrap_or(false);
    super::ids_and_names::parse_run_number(profile_id, name).is_some()
        && data_dir.profile_path(profile_id).is_ok_and(there)
}
