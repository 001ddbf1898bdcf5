//! A profile in hand: read, kept whole on disk, written under its lock. Taking it in hand also
//! makes up for what a crash left undone: runs that began or ended without the profile hearing.

use super::data_dir::DataDir;
use super::entry::Entry;
use super::glances::Glance;
use super::journal::JournalWriter;
use super::lock::Lock;
use super::names::{check_display_name, in_one_form, is_same_name, run_number, slug, slug_apart};
use super::profile::{Payment, Profile};
use super::profile_file::{read, read_or_previous, write};
use super::trouble::Telling;
use unicode_normalization::UnicodeNormalization;

use crate::kit::Problem;
use crate::kit::fault::planted;

/// The most runs that a profile can have missed. Of a folder with a greater number it does not go on
/// counting: whoever made that, it was no run after its last.
const MISSED_RUNS: u64 = 1_000_000;

/// A profile in hand, under its lock.
#[derive(Debug)]
pub struct LockedProfile {
    data_dir: DataDir,
    id: String,
    profile: Profile,
    today: String,
    _lock: Lock,
}

impl DataDir {
    /// Reads a profile without its lock: to look at, not to change.
    pub fn read_profile(&self, profile_id: &str) -> Result<Profile, Problem> {
        read(self, &self.profile(profile_id)?)
    }

    /// Reads the profile of that name (or file id) without its lock; a new one if there is none.
    pub fn look_at_profile(&self, name: &str) -> Result<Profile, Problem> {
        check_display_name(name)?;
        let path = self.profile(&self.profile_id(name)?)?;
        match self.disk().exists(&path).telling("look for the profile", &path)? {
            true => read(self, &path),
            false => Ok(Profile::new(name)),
        }
    }

    /// Takes the profile of that name (or file id) in hand, making it if there is none. What is
    /// wrong with its file but can be helped is told beside it.
    pub fn lock_profile(&self, name: &str) -> Result<(LockedProfile, Vec<Problem>), Problem> {
        check_display_name(name)?;
        let id = self.profile_id(name)?;
        let path = self.profile(&id)?;
        self.make_folder(&self.profiles())?;
        let what = format!("the profile \"{}\"", name.trim());
        let lock = Lock::take(self.disk(), &self.profile_lock(&id)?, &what)?;
        let mut told = Vec::new();
        let profile = read_or_previous(self, &path, name, &mut told)?;
        told.extend(of_another(name, &profile.name));
        let (data_dir, today) = (self.clone(), String::new());
        let mut locked_profile = LockedProfile { data_dir, id, profile, today, _lock: lock };
        locked_profile.make_up(&mut told)?;
        told.extend(locked_profile.strays());
        Ok((locked_profile, told))
    }

    /// The file id for a name; a name that is the file id of a profile stands for itself. Of two names
    /// that differ in what no file's name can hold, the second gets digits of its own.
    pub fn profile_id(&self, name: &str) -> Result<String, Problem> {
        if self.is_kept(name)? {
            return Ok(name.to_owned());
        }
        let whole = in_one_form(name);
        // Files of earlier programs may be called after another spelling of the same letters.
        let decomposed: String = whole.nfd().collect();
        let (plain, apart) = (slug(&whole), slug_apart(name));
        for id in [&plain, &slug(name), &slug(&decomposed), &apart] {
            if self.is_kept(id)? && self.is_of(id, name) {
                return Ok(id.clone());
            }
        }
        Ok(if self.is_kept(&plain)? { apart } else { plain })
    }

    /// Whether there is a profile of that file id.
    fn is_kept(&self, id: &str) -> Result<bool, Problem> {
        let Ok(path) = self.profile(id) else { return Ok(false) };
        self.disk().exists(&path).telling("look for the profile", &path)
    }

    /// Whether a profile is of the player of that name; one that cannot be read is taken to be.
    fn is_of(&self, id: &str, name: &str) -> bool {
        self.read_profile(id).map_or(true, |profile| is_same_name(&profile.name, name))
    }
}

/// What is told where a name is the file id of another's profile.
fn of_another(name: &str, owner: &str) -> Option<Problem> {
    let plain = slug(owner) == name && !is_same_name(name, owner);
    let found = format!("this is the profile of {owner}, whose file is called {name}");
    plain.then(|| {
        Problem::warning("other-name", found)
            .hint("to play as somebody else, choose a name with other letters")
    })
}

impl LockedProfile {
    /// The file id.
    pub fn id(&self) -> &str {
        &self.id
    }

    /// The data folder it lies in.
    pub fn data_dir(&self) -> &DataDir {
        &self.data_dir
    }

    /// The profile.
    pub fn profile(&self) -> &Profile {
        &self.profile
    }

    /// Says which day it is, `2026-11-21`: that on which runs end from now on.
    pub fn today_is(&mut self, today: String) {
        self.today = today;
    }

    /// Changes the profile and writes it; a Problem leaves both as they were.
    pub fn change(&mut self, edit: impl FnOnce(&mut Profile)) -> Result<(), Problem> {
        let mut fresh = self.profile.clone();
        edit(&mut fresh);
        write(&self.data_dir, &self.data_dir.profile(&self.id)?, &fresh)?;
        self.profile = fresh;
        Ok(())
    }

    /// Changes the profile even where it cannot be written now; the next change writes it. Only
    /// for what the next start would find out anyway.
    pub fn change_at_least_here(&mut self, edit: impl Fn(&mut Profile)) {
        if self.change(&edit).is_err() {
            edit(&mut self.profile);
        }
    }

    /// The day on which runs end from now on; empty where nobody said.
    pub fn today(&self) -> &str {
        &self.today
    }

    /// Pays for a run whose journal says that it ended, with everything that it pays in one write. The profile is written first and the note in the journal after it: if the program dies
    /// between, the profile knows the run and does not pay twice.
    ///
    /// # Panics
    /// If the run has not ended: the caller appends `Entry::Ended` first.
    pub fn settle(&mut self, journal: &mut JournalWriter) -> Result<Payment, Problem> {
        let ending = journal.run_state().ended.clone().expect("only a run that ended is paid for");
        let mut payment = Payment::default();
        if !self.profile.is_settled(&journal.header().game, journal.run_id()) {
            let (header, run_state) = (journal.header(), journal.run_state());
            let today = self.today.clone();
            self.change(|profile| {
                payment = profile.settle(header, run_state, &ending, &today);
            })?;
        }
        if !journal.run_state().settled {
            // The profile says it too, and has been synced.
            journal.append(&Entry::Settled {}, false)?;
        }
        Ok(payment)
    }

    /// This profile's runs that the profile has not settled, oldest first.
    pub(super) fn open_runs(&self) -> Result<Vec<(u64, String)>, Problem> {
        let folder = self.data_dir.runs();
        let names = self.data_dir.disk().list(&folder).telling("list the runs", &folder)?;
        let settled = |id: &String| self.profile.games.values().any(|g| g.settled.contains(id));
        let mut runs: Vec<(u64, String)> = names
            .into_iter()
            .filter_map(|id| Some((run_number(&self.id, &id)?, id)))
            .filter(|(_, id)| !settled(id))
            .collect();
        runs.sort();
        Ok(runs)
    }

    /// Hears of runs that began or ended while the profile could not be written.
    fn make_up(&mut self, told: &mut Vec<Problem>) -> Result<(), Problem> {
        let mut fresh = self.profile.clone();
        for (number, id) in self.open_runs()? {
            // Whatever lies in the folder of one run keeps no other from being played.
            let glance = match self.data_dir.glance(&id) {
                Ok(Some(glance)) => glance,
                Ok(None) => continue,
                Err(problem) if planted("one_run_stops_all") => return Err(problem),
                Err(problem) => {
                    told.push(problem);
                    continue;
                }
            };
            let Glance { header, run_state, damaged } = &glance;
            // A number that no player comes to would leave none for the next run.
            if number > fresh.last_run && number - fresh.last_run <= MISSED_RUNS {
                fresh.last_run = number;
                fresh.game_mut(&header.game).runs_started += 1;
            }
            fresh.note_begun(header);
            if let Some(ending) = run_state.ended.as_ref().filter(|_| !damaged) {
                told.extend(fresh.settle(header, run_state, ending, "").refused);
            }
        }
        if fresh != self.profile
            && let Err(problem) = self.change(|profile| profile.clone_from(&fresh))
        {
            // The next change writes it too; a full disk keeps nobody from playing on.
            self.profile = fresh;
            told.push(problem);
        }
        Ok(())
    }
}
