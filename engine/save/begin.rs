//! The beginning of a run. Its seed lies in the profile, on disk, before anything is known of the
//! run; it is used up by the header that is written with it. At no moment is there a way to see a
//! run and draw another.

use super::entry::{Entry, FORMAT, Header, ModMark, Order, Parent};
use super::glances::Glance;
use super::journal::JournalWriter;
use super::locked_profile::LockedProfile;
use super::names::run_id;
use super::trouble::Telling;
use crate::kit::{Problem, Value};

/// How many folders may be passed over that cannot be looked into.
const UNLOOKED: u32 = 16;

/// What a run is to be started with.
#[derive(Clone, Debug)]
pub struct NewRun {
    /// The version of the program.
    pub engine: String,
    /// The id of the mod that brings the ruleset.
    pub game: String,
    /// The options, complete.
    pub options: Value,
    /// The mods in load order; their content is already in the store.
    pub mods: Vec<ModMark>,
    /// The settings of the mods.
    pub settings: Value,
    /// A seed that the player named. The one in the profile is then left for another run.
    pub seed: Option<u64>,
    /// Whether it is played for practice and earns nothing.
    pub practice: bool,
    /// The run that it is forked from.
    pub parent: Option<Parent>,
    /// The day whose seed was named, `2026-11-21`.
    pub day: Option<String>,
}

/// What came of beginning a run.
#[derive(Debug)]
pub enum Begun {
    /// A new run: its header is on disk, its start is pending.
    New(Box<JournalWriter>),
    /// There is a run of this game that is not over. It is to be gone on with, or given up.
    Unfinished(String),
}

impl LockedProfile {
    /// Begins a run. `draw` gives a seed from the system; it is asked only for a seed that no
    /// one has seen.
    pub fn begin(&mut self, new: NewRun, draw: &mut dyn FnMut() -> u64) -> Result<Begun, Problem> {
        let apart = new.practice || new.parent.is_some();
        if !apart && let Some(id) = self.unfinished(&new.game)? {
            return Ok(Begun::Unfinished(id));
        }
        // A run for practice must not show what the next one that counts will hold.
        let seed = match new.seed {
            Some(seed) => seed,
            None if apart => draw(),
            None => self.next_seed(&new.game, draw)?,
        };
        let header = Header {
            format: FORMAT,
            engine: new.engine,
            run_id: self.free_run_id()?,
            profile_id: self.id().to_owned(),
            profile_name: self.profile().name.clone(),
            seed,
            seed_from_profile: new.seed.is_none() && !apart,
            profile: self.profile().game(&new.game).data,
            game: new.game,
            options: new.options,
            mods: new.mods,
            settings: new.settings,
            parent: new.parent,
            practice: new.practice,
            day: new.day.filter(|_| !apart),
        };
        let journal = JournalWriter::create(self.data_dir(), header, &[])?;
        self.hear_of(&journal, draw);
        Ok(Begun::New(Box::new(journal)))
    }

    /// The seed of the next run of a game: drawn once, then on disk until it is used.
    pub fn next_seed(&mut self, game: &str, draw: &mut dyn FnMut() -> u64) -> Result<u64, Problem> {
        if let Some(seed) = self.profile().game(game).next_seed {
            return Ok(seed);
        }
        let seed = draw();
        self.change(|profile| profile.game_mut(game).next_seed = Some(seed))?;
        Ok(seed)
    }

    /// Begins a run that has everything of another up to a step: the same header but for its id
    /// and its parent, and these entries. `order` is begun behind them. All of it is one write, so that nobody
    /// gets the run without the order. Returns its id; it is opened like any other.
    pub fn fork(
        &mut self,
        parent: &Header,
        step: u64,
        mut entries: Vec<Entry>,
        order: Option<Order>,
    ) -> Result<String, Problem> {
        let header = Header {
            run_id: self.free_run_id()?,
            profile_id: self.id().to_owned(),
            seed_from_profile: false,
            parent: Some(Parent { run_id: parent.run_id.clone(), step }),
            day: None,
            ..parent.clone()
        };
        if let Some(order) = order {
            let mark = Entry::Mark { mark: "console".to_owned() };
            let marked = entries.contains(&mark);
            entries.extend((!marked).then_some(mark));
            entries.push(Entry::Console { step: step + 1, order });
        }
        let journal = JournalWriter::create(self.data_dir(), header, &entries)?;
        self.hear_of(&journal, &mut || 0);
        Ok(journal.run_id().to_owned())
    }

    /// The newest run of a game that is not over, whatever it is played for.
    pub fn newest(&self, game: &str) -> Result<Option<String>, Problem> {
        self.newest_that(game, |_| true)
    }

    /// The newest run of a game that is not over, not played for practice and no fork.
    pub fn unfinished(&self, game: &str) -> Result<Option<String>, Problem> {
        self.newest_that(game, |header| !header.practice && header.parent.is_none())
    }

    fn newest_that(
        &self,
        game: &str,
        counts: impl Fn(&Header) -> bool,
    ) -> Result<Option<String>, Problem> {
        for (_, id) in self.open_runs()?.into_iter().rev() {
            // One that cannot be read is told of in the list of runs; it holds up no other.
            let Ok(Some(Glance { header, run_state, .. })) = self.data_dir().glance(&id) else {
                continue;
            };
            if header.game == game && run_state.ended.is_none() && counts(&header) {
                return Ok(Some(id));
            }
        }
        Ok(None)
    }

    /// The seed is used up by the header, whether or not the profile can be written: the next
    /// time it is taken in hand it hears of the run from the folder.
    fn hear_of(&mut self, journal: &JournalWriter, draw: &mut dyn FnMut() -> u64) {
        let header = journal.header();
        let number = super::names::run_number(self.id(), &header.run_id);
        let fresh = header.seed_from_profile.then(draw);
        self.change_at_least_here(|profile| {
            profile.last_run = number.unwrap_or(0).max(profile.last_run);
            profile.note_begun(header);
            let game = profile.game_mut(&header.game);
            game.runs_started += 1;
            if fresh.is_some() {
                game.next_seed = fresh;
            }
        });
    }

    /// The id after the newest run's. A folder without a journal is one that a crash left before
    /// anything was in it.
    fn free_run_id(&self) -> Result<String, Problem> {
        let mut unlooked = 0;
        for number in self.profile().last_run.saturating_add(1).. {
            let id = run_id(self.id(), number);
            let journal = self.data_dir().journal(&id)?;
            // A disk that does not answer once is asked again. A folder that cannot be looked into is
            // passed over; many of them are a disk that does not answer at all.
            let data_dir = self.data_dir();
            let disk = data_dir.disk();
            let there = disk.exists(&journal).or_else(|_| disk.exists(&journal));
            let there = there.telling("look for a free run", &journal).and_then(|there| {
                // What has the folder's name may be none.
                let folder = data_dir.run_folder(&id)?;
                let make = || data_dir.make_folder(&folder);
                if there { Ok(true) } else { make().or_else(|_| make()).map(|()| false) }
            });
            match there {
                Ok(false) => return Ok(id),
                Ok(true) => {}
                Err(problem) if unlooked == UNLOOKED => return Err(problem),
                Err(_) => unlooked += 1,
            }
        }
        Err(Problem::error("too-many-runs", "this profile has no number left for a run")
            .hint("play under another name"))
    }
}
