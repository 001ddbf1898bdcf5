//! A locked profile, which can be changed and written. Locking it also catches up with runs that
//! began or ended while a crash or an error kept the profile from being written.

use super::data_dir::DataDir;
use super::entry::JournalEntry;
use super::file_lock::FileLock;
use super::ids_and_names::{
    check_display_name, distinct_slug, file_slug, is_same_player_name, normalize_name,
    parse_run_number,
};
use super::io_error::IoContext;
use super::journal::JournalWriter;
use super::peek_cache::RunPeek;
use super::profile::{PaymentOutcome, Profile};
use super::profile_file::{read_profile_file, read_profile_or_previous, write_profile_file};
use unicode_normalization::UnicodeNormalization;

use base::problem::limit_problems;
use base::{Code, Problem};

/// The largest plausible number of missed runs. A run folder with a higher number was not created
/// by this profile and is ignored.
const MAX_MISSED_RUNS: u64 = 1_000_000;

/// The most Problems of a profile and its runs that a start shows; the rest is counted.
const MAX_REPORTED_PROBLEMS: usize = 8;

/// A profile under its lock.
#[derive(Debug)]
pub struct LockedProfile {
    data_dir: DataDir,
    id: String,
    profile: Profile,
    today: String,
    _lock: FileLock,
}

impl DataDir {
    /// Reads a profile without its lock, read-only.
    pub fn read_profile(&self, profile_id: &str) -> Result<Profile, Problem> {
        read_profile_file(self, &self.profile_path(profile_id)?)
    }

    /// Reads the profile of that name (or file id) without its lock; a new one if there is none.
    pub fn read_profile_by_name(&self, name: &str) -> Result<Profile, Problem> {
        check_display_name(name)?;
        let path = self.profile_path(&self.find_profile_id(name)?)?;
        match self.disk().exists(&path).with_context("look for the profile", &path)? {
            true => read_profile_file(self, &path),
            false => Ok(Profile::new(name)),
        }
    }

    /// Locks the profile of that name (or file id) and creates it if there is none. Also returns
    /// Problems of its file that were repaired.
    pub fn lock_profile(&self, name: &str) -> Result<(LockedProfile, Vec<Problem>), Problem> {
        check_display_name(name)?;
        let id = self.find_profile_id(name)?;
        let path = self.profile_path(&id)?;
        self.create_folder(&self.profiles_folder())?;
        let what = format!("the profile \"{}\"", name.trim());
        let lock = FileLock::acquire(self.disk(), &self.profile_lock_path(&id)?, &what)?;
        let mut notes = Vec::new();
        let profile = read_profile_or_previous(self, &path, name, &mut notes)?;
        notes.extend(other_player_warning(name, &profile.name));
        let (data_dir, today) = (self.clone(), String::new());
        let mut locked_profile = LockedProfile { data_dir, id, profile, today, _lock: lock };
        locked_profile.reconcile_runs(&mut notes)?;
        notes.extend(locked_profile.misnamed_run_warnings());
        Ok((locked_profile, limit_problems(notes, MAX_REPORTED_PROBLEMS)))
    }

    /// The file id for a name; a name that equals the file id of a profile refers to that profile.
    /// If two names give the same file name, the second gets digits of its digest.
    pub fn find_profile_id(&self, name: &str) -> Result<String, Problem> {
        if self.has_profile(name)? {
            return Ok(name.to_owned());
        }
        let normalized = normalize_name(name);
        // Files of older versions may use another Unicode form of the name.
        let decomposed: String = normalized.nfd().collect();
        let (default_slug, unique_slug) = (file_slug(&normalized), distinct_slug(name));
        for id in [&default_slug, &file_slug(name), &file_slug(&decomposed), &unique_slug] {
            if self.has_profile(id)? && self.belongs_to_player(id, name) {
                return Ok(id.clone());
            }
        }
        Ok(if self.has_profile(&default_slug)? { unique_slug } else { default_slug })
    }

    /// Whether there is a profile with that file id.
    fn has_profile(&self, id: &str) -> Result<bool, Problem> {
        let Ok(path) = self.profile_path(id) else { return Ok(false) };
        self.disk().exists(&path).with_context("look for the profile", &path)
    }

    /// Whether a profile belongs to the player of that name; an unreadable one counts as theirs.
    fn belongs_to_player(&self, id: &str, name: &str) -> bool {
        self.read_profile(id).map_or(true, |profile| is_same_player_name(&profile.name, name))
    }
}

/// The warning if a name is the file id of another player's profile.
fn other_player_warning(name: &str, owner: &str) -> Option<Problem> {
    let is_file_id_of_other_player = file_slug(owner) == name && !is_same_player_name(name, owner);
    let found = format!("this is the profile of {owner}, whose file is named {name}");
    is_file_id_of_other_player.then(|| {
        Problem::warning(Code::PlayerFileNameTaken, found)
            .hint("to use another profile, choose a name with other letters")
    })
}

impl LockedProfile {
    /// The file id.
    pub fn id(&self) -> &str {
        &self.id
    }

    /// The data folder of the profile.
    pub fn data_dir(&self) -> &DataDir {
        &self.data_dir
    }

    /// The profile.
    pub fn profile(&self) -> &Profile {
        &self.profile
    }

    /// Sets the current day, `2026-11-21`, for runs that end from now on.
    pub fn set_today(&mut self, today: String) {
        self.today = today;
    }

    /// Changes the profile and writes it; a Problem leaves both unchanged.
    pub fn update_profile(&mut self, edit: impl FnOnce(&mut Profile)) -> Result<(), Problem> {
        let mut updated = self.profile.clone();
        edit(&mut updated);
        write_profile_file(&self.data_dir, &self.data_dir.profile_path(&self.id)?, &updated)?;
        self.profile = updated;
        Ok(())
    }

    /// Changes the profile in memory even if it cannot be written now; the next change writes it.
    /// Only for changes that the next start would make again.
    pub fn update_profile_best_effort(&mut self, edit: impl Fn(&mut Profile)) {
        if self.update_profile(&edit).is_err() {
            edit(&mut self.profile);
        }
    }

    /// The current day; empty if it is unknown.
    pub fn today(&self) -> &str {
        &self.today
    }

    /// Pays a finished run, with everything in one write of the profile. The profile is written
    /// before the note in the journal. If the program dies between the two, the profile knows the
    /// run and does not pay twice.
    ///
    /// # Panics
    /// If the run has not ended: the caller appends `JournalEntry::Ended` first.
    pub fn pay_run(&mut self, journal: &mut JournalWriter) -> Result<PaymentOutcome, Problem> {
        let ending =
            journal.run_state().run_ending.clone().expect("only a run that ended is paid for");
        let mut outcome = PaymentOutcome::default();
        if !self.profile.is_paid(&journal.header().game, journal.run_id()) {
            let (header, run_state) = (journal.header(), journal.run_state());
            let today = self.today.clone();
            self.update_profile(|profile| {
                outcome = profile.pay_run(header, run_state, &ending, &today);
            })?;
        }
        if !journal.run_state().is_paid {
            // The profile has the same fact and is synced.
            journal.append(&JournalEntry::Paid {}, false)?;
        }
        Ok(outcome)
    }

    /// The runs that this profile has not paid, oldest first.
    pub(super) fn unpaid_runs(&self) -> Result<Vec<(u64, String)>, Problem> {
        let folder = self.data_dir.runs_folder();
        let names =
            self.data_dir.disk().list_folder(&folder).with_context("list the runs", &folder)?;
        let is_paid = |id: &String| self.profile.games.values().any(|g| g.paid_runs.contains(id));
        let mut runs: Vec<(u64, String)> = names
            .into_iter()
            .filter_map(|id| Some((parse_run_number(&self.id, &id)?, id)))
            .filter(|(_, id)| !is_paid(id))
            .collect();
        runs.sort();
        Ok(runs)
    }

    /// Catches up with runs that began or ended while the profile could not be written.
    fn reconcile_runs(&mut self, notes: &mut Vec<Problem>) -> Result<(), Problem> {
        let mut updated = self.profile.clone();
        for (number, id) in self.unpaid_runs()? {
            // A damaged run folder does not block other runs.
            let run_peek = match self.data_dir.peek_run(&id) {
                Ok(Some(run_peek)) => run_peek,
                Ok(None) => continue,
                Err(problem) => {
                    notes.push(problem);
                    continue;
                }
            };
            let RunPeek { header, run_state, is_damaged: damaged } = &run_peek;
            // A number beyond all plausible ones would leave none for the next run.
            if number > updated.last_run_number
                && number - updated.last_run_number <= MAX_MISSED_RUNS
            {
                updated.last_run_number = number;
                updated.game_profile_mut(&header.game).runs_started +=
                    u64::from(header.is_counted());
            }
            updated.record_run_start(header);
            if let Some(ending) = run_state.run_ending.as_ref().filter(|_| !damaged) {
                notes.extend(updated.pay_run(header, run_state, ending, "").award_problem);
            }
        }
        if updated != self.profile
            && let Err(problem) = self.update_profile(|profile| profile.clone_from(&updated))
        {
            // The next change writes it too; a full disk does not block play.
            self.profile = updated;
            notes.push(problem);
        }
        Ok(())
    }
}
