//! A profile in hand: read, kept whole on disk, written under its lock. Taking it in hand also
//! makes up for what a crash left undone: runs that began or ended without the profile hearing.

use std::path::{Path, PathBuf};

use super::disk::{beside, replace};
use super::entry::{Entry, FORMAT};
use super::home::Home;
use super::journal::JournalWriter;
use super::lock::Lock;
use super::names::{check_display_name, run_number, slug};
use super::profile::Profile;
use super::reading::Reach;
use super::standing::check_format;
use super::trouble::{Telling, place, shown};
use crate::kit::Problem;

/// Most bytes of a profile.
const PROFILE_BYTES: usize = 16 * 1024 * 1024;
/// What a profile's file begins with.
const HEAD: &str =
    "# What lasts between your runs. The game writes it anew; the one before lies beside it.\n\n";

/// A profile in hand, under its lock.
#[derive(Debug)]
pub struct HeldProfile {
    home: Home,
    id: String,
    profile: Profile,
    _lock: Lock,
}

impl Home {
    /// The profiles there are: file id and, where it can be read, the name.
    pub fn profiles_there(&self) -> Result<Vec<(String, Result<String, Problem>)>, Problem> {
        let folder = self.profiles();
        let names = self.disk().list(&folder).telling("list the profiles", &folder)?;
        let ids = names.iter().filter_map(|name| name.strip_suffix(".toml"));
        let named = |id: &str| self.read_profile(id).map(|profile| profile.name);
        Ok(ids.filter(|id| self.profile(id).is_ok()).map(|id| (id.to_owned(), named(id))).collect())
    }

    /// Reads a profile without its lock: to look at, not to change.
    pub fn read_profile(&self, profile_id: &str) -> Result<Profile, Problem> {
        read(self, &self.profile(profile_id)?)
    }

    /// Takes the profile of that name (or file id) in hand, making it if there is none. What is wrong with its
    /// file but can be helped is told beside it.
    pub fn hold_profile(&self, name: &str) -> Result<(HeldProfile, Vec<Problem>), Problem> {
        check_display_name(name)?;
        let id = self.profile_id(name)?;
        let path = self.profile(&id)?;
        self.make_folder(&self.profiles())?;
        let what = format!("the profile \"{}\"", name.trim());
        let lock = Lock::take(self.disk(), &self.profile_lock(&id)?, &what)?;
        let mut told = Vec::new();
        let profile = read_or_previous(self, &path, name, &mut told)?;
        let mut held = HeldProfile { home: self.clone(), id, profile, _lock: lock };
        held.make_up(&mut told)?;
        Ok((held, told))
    }

    /// The file id for a name; a name that is the file id of a profile stands for itself.
    fn profile_id(&self, name: &str) -> Result<String, Problem> {
        if let Ok(path) = self.profile(name)
            && self.disk().exists(&path).telling("look for the profile", &path)?
        {
            return Ok(name.to_owned());
        }
        Ok(slug(name))
    }
}

impl HeldProfile {
    /// The file id.
    pub fn id(&self) -> &str {
        &self.id
    }

    /// The data folder it lies in.
    pub fn home(&self) -> &Home {
        &self.home
    }

    /// The profile.
    pub fn profile(&self) -> &Profile {
        &self.profile
    }

    /// Changes the profile and writes it; a Problem leaves both as they were.
    pub fn change(&mut self, edit: impl FnOnce(&mut Profile)) -> Result<(), Problem> {
        let mut fresh = self.profile.clone();
        edit(&mut fresh);
        write(&self.home, &self.home.profile(&self.id)?, &fresh)?;
        self.profile = fresh;
        Ok(())
    }

    /// Changes the profile even where it cannot be written now; the next change writes it. Only
    /// for what `make_up` would find out anyway.
    pub(super) fn change_at_least_here(&mut self, edit: impl Fn(&mut Profile)) {
        if self.change(&edit).is_err() {
            edit(&mut self.profile);
        }
    }

    /// Pays for a run whose journal says that it ended; true if it was paid for now, not before.
    /// The profile is written first and the note in the journal after it: if the program dies
    /// between, the profile knows the run and does not pay twice.
    ///
    /// # Panics
    /// If the run has not ended: the caller appends `Entry::Ended` first.
    pub fn settle(&mut self, journal: &mut JournalWriter) -> Result<bool, Problem> {
        let ending = journal.standing().ended.clone().expect("only a run that ended is paid for");
        let mut paid = false;
        if !self.profile.is_settled(&journal.header().game, journal.run_id()) {
            let (header, standing) = (journal.header(), journal.standing());
            self.change(|profile| paid = profile.settle(header, standing, &ending))?;
        }
        if !journal.standing().settled {
            journal.append(&Entry::Settled {}, true)?;
        }
        Ok(paid)
    }

    /// This profile's runs that the profile has not settled, oldest first.
    pub(super) fn open_runs(&self) -> Result<Vec<(u64, String)>, Problem> {
        let folder = self.home.runs();
        let names = self.home.disk().list(&folder).telling("list the runs", &folder)?;
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
            let journal = self.home.journal(&id)?;
            if !self.home.disk().exists(&journal).telling("look for a run", &journal)? {
                continue;
            }
            let opened = match self.home.open(&id, Reach::Tail) {
                Ok(opened) => opened,
                Err(problem) => {
                    told.push(problem);
                    continue;
                }
            };
            let header = &opened.header;
            if number > fresh.last_run {
                fresh.last_run = number;
                fresh.game_mut(&header.game).runs_started += 1;
            }
            let game = fresh.game_mut(&header.game);
            if header.seed_from_profile && game.next_seed == Some(header.seed) {
                game.next_seed = None;
            }
            if let Some(ending) = opened.standing.ended.clone().filter(|_| opened.damage.is_none())
            {
                fresh.settle(header, &opened.standing, &ending);
            }
        }
        if fresh != self.profile {
            self.change(|profile| *profile = fresh)?;
        }
        Ok(())
    }
}

fn previous(path: &Path) -> PathBuf {
    beside(path, ".previous")
}

fn read(home: &Home, path: &Path) -> Result<Profile, Problem> {
    let bytes = home.disk().read(path, PROFILE_BYTES as u64).telling("read the profile", path)?;
    let text = String::from_utf8(bytes)
        .map_err(|_| damaged("it is not valid UTF-8").at(place(path, 0)))?;
    let profile: Profile = toml::from_str(&text).map_err(|error| {
        let line = error.span().map_or(0, |span| {
            text.as_bytes().iter().take(span.start).filter(|byte| **byte == b'\n').count() + 1
        });
        damaged(error.message()).at(place(path, line as u64))
    })?;
    check_format(profile.format).map_err(|why| {
        Problem::error("profile-newer", format!("the profile cannot be read: {why}"))
            .at(place(path, 0))
            .hint("open it with the newer program; it is left as it is")
    })?;
    Ok(profile)
}

fn damaged(what: &str) -> Problem {
    let what = crate::kit::text::clean(what);
    Problem::error("profile-damaged", format!("the profile cannot be read: {what}"))
        .expected("a profile as the game writes it")
}

/// Reads a profile; the one before it if it is damaged or gone, a new one if there was none.
fn read_or_previous(
    home: &Home,
    path: &Path,
    name: &str,
    told: &mut Vec<Problem>,
) -> Result<Profile, Problem> {
    let exists = |path: &Path| home.disk().exists(path).telling("look for the profile", path);
    let problem = if exists(path)? {
        match read(home, path) {
            Err(problem) if problem.code == "profile-damaged" => problem,
            done => return done,
        }
    } else if exists(&previous(path))? {
        damaged("it is not there, though the one before it is").at(place(path, 0))
    } else {
        return Ok(Profile::new(name));
    };
    let Ok(profile) = read(home, &previous(path)) else {
        let hint = "mend the file by hand, or move it away to begin anew; runs that are over are paid again";
        return Err(problem.hint(hint));
    };
    let mut hint = "the one before it is used; runs that ended since are paid again".to_owned();
    if exists(path)? {
        let bytes = home.disk().read(path, PROFILE_BYTES as u64).telling("read it", path)?;
        let aside = home.keep_aside(path, &bytes)?;
        hint = format!("{hint}; the damaged one is kept as {}", shown(&aside));
    }
    told.push(Problem { severity: crate::kit::Severity::Warning, ..problem }.hint(hint));
    Ok(profile)
}

/// Writes a profile, and keeps the one that was there.
fn write(home: &Home, path: &Path, profile: &Profile) -> Result<(), Problem> {
    let doing = "write the profile";
    let profile = Profile { format: FORMAT, ..profile.clone() };
    let text = toml::to_string_pretty(&profile)
        .map_err(|error| damaged(&error.to_string()).at(place(path, 0)))?;
    let text = format!("{HEAD}{text}");
    if text.len() > PROFILE_BYTES {
        return Err(Problem::error(
            "profile-too-large",
            format!("it would take {} bytes", text.len()),
        )
        .at(place(path, 0))
        .expected(format!("at most {PROFILE_BYTES}")));
    }
    if home.disk().exists(path).telling(doing, path)? && read(home, path).is_ok() {
        let old = home.disk().read(path, PROFILE_BYTES as u64).telling(doing, path)?;
        let previous = previous(path);
        replace(home.disk(), &previous, &old).telling(doing, &previous)?;
    }
    replace(home.disk(), path, text.as_bytes()).telling(doing, path)
}
