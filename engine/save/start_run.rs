//! Starts a run. The profile on disk holds the seed before anything of the run is visible. Writing
//! the run's header uses the seed up. So a player cannot see a run and draw another seed.

use super::entry::{
    ConsoleCommand, JOURNAL_FORMAT, JournalEntry, ModVersion, ParentRun, RunHeader,
};
use super::ids_and_names::format_run_id;
use super::io_error::IoContext;
use super::journal::JournalWriter;
use super::journal_entries::EffectiveEntries;
use super::locked_profile::LockedProfile;
use super::peek_cache::RunPeek;
use base::{Code, Problem, Value};

/// The maximum number of unreadable run folders that are skipped.
const MAX_UNREADABLE_FOLDERS: u32 = 16;

/// The parameters of a new run.
#[derive(Clone, Debug)]
pub struct NewRunParameters {
    /// The engine version.
    pub engine: String,
    /// The id of the game.
    pub game: String,
    /// The complete options.
    pub options: Value,
    /// The mods in load order; their content is already in the content store.
    pub mods: Vec<ModVersion>,
    /// The settings of the mods.
    pub settings: Value,
    /// A seed that the player named. The seed in the profile is then kept for the next run.
    pub seed: Option<u64>,
    /// Whether the run is practice and earns nothing.
    pub is_practice: bool,
    /// The run that it is forked from.
    pub forked_from: Option<ParentRun>,
    /// The day of the daily seed, `2026-11-21`.
    pub daily_seed_date: Option<String>,
    /// What scripts read as the profile, where it is the same for everybody.
    pub shared_profile: Option<Value>,
}

/// The outcome of starting a run.
#[derive(Debug)]
pub enum StartRunOutcome {
    /// A new run: its header is on disk, its start is pending.
    Started(Box<JournalWriter>),
    /// A run of this game is unfinished. The player must resume or abandon it first.
    BlockedByUnfinishedRun(String),
}

impl LockedProfile {
    /// Starts a run. `draw` returns a seed from the system; it is called only for a seed that
    /// nobody has seen.
    pub fn start_new_run(
        &mut self,
        parameters: NewRunParameters,
        draw: &mut dyn FnMut() -> u64,
    ) -> Result<StartRunOutcome, Problem> {
        let is_uncounted = parameters.is_practice || parameters.forked_from.is_some();
        if !is_uncounted && let Some(id) = self.newest_unfinished_original_run(&parameters.game)? {
            return Ok(StartRunOutcome::BlockedByUnfinishedRun(id));
        }
        // A practice run must not reveal the dice of the next counted run.
        let seed = match parameters.seed {
            Some(seed) => seed,
            None if is_uncounted => draw(),
            None => self.draw_or_stored_seed(&parameters.game, draw)?,
        };
        let header = RunHeader {
            format: JOURNAL_FORMAT,
            engine_version: parameters.engine,
            run_id: self.find_free_run_id()?,
            profile_id: self.id().to_owned(),
            profile_name: self.profile().name.clone(),
            seed,
            is_seed_from_profile: parameters.seed.is_none() && !is_uncounted,
            profile: parameters
                .shared_profile
                .unwrap_or_else(|| self.profile().game_profile(&parameters.game).award_data),
            game: parameters.game,
            options: parameters.options,
            mods: parameters.mods,
            settings: parameters.settings,
            forked_from: parameters.forked_from,
            is_practice: parameters.is_practice,
            daily_seed_date: parameters.daily_seed_date.filter(|_| !is_uncounted),
        };
        let journal = JournalWriter::create_journal(self.data_dir(), header, [])?;
        self.record_run_start(&journal, draw);
        Ok(StartRunOutcome::Started(Box::new(journal)))
    }

    /// Takes back a run in which nothing happened yet: it leaves nothing, and the next one has its
    /// seed.
    pub fn take_back_run(&mut self, run_id: &str) -> Result<(), Problem> {
        let Some(RunPeek { header, .. }) = self.data_dir().peek_run(run_id)? else { return Ok(()) };
        let number = super::ids_and_names::parse_run_number(self.id(), run_id);
        self.update_profile(|profile| {
            if number == Some(profile.last_run_number) {
                profile.last_run_number -= 1;
            }
            let game = profile.game_profile_mut(&header.game);
            game.runs_started = game.runs_started.saturating_sub(u64::from(header.is_counted()));
            if header.is_seed_from_profile {
                game.next_seed = Some(header.seed);
            }
            game.daily_seed_dates.retain(|day| Some(day) != header.daily_seed_date.as_ref());
        })?;
        // If this fails, the next start learns of the run from its folder.
        let path = self.data_dir().journal_path(run_id)?;
        self.data_dir().disk().remove_file(&path).with_context("take back the run", &path)
    }

    /// The seed of the next run of a game: drawn once, then stored until it is used.
    pub fn draw_or_stored_seed(
        &mut self,
        game: &str,
        draw: &mut dyn FnMut() -> u64,
    ) -> Result<u64, Problem> {
        if let Some(seed) = self.profile().game_profile(game).next_seed {
            return Ok(seed);
        }
        let seed = draw();
        self.update_profile(|profile| profile.game_profile_mut(game).next_seed = Some(seed))?;
        Ok(seed)
    }

    /// Creates a run with these entries of another up to a step, except for its end. The header is
    /// the same except for the id and the parent. `order` then begins as the next step. One write
    /// holds everything, so that no run exists without the command. Returns its id; it is opened
    /// like any other run.
    pub fn fork_run(
        &mut self,
        parent: &RunHeader,
        step: u64,
        mut entries: EffectiveEntries,
        console_command: Option<ConsoleCommand>,
    ) -> Result<String, Problem> {
        let header = RunHeader {
            run_id: self.find_free_run_id()?,
            profile_id: self.id().to_owned(),
            is_seed_from_profile: false,
            forked_from: Some(ParentRun { run_id: parent.run_id.clone(), step }),
            daily_seed_date: None,
            ..parent.clone()
        };
        let mark = JournalEntry::NoAwardReason { reason: "console".to_owned() };
        let mut is_marked = false;
        let mut command =
            console_command.map(|command| JournalEntry::Console { step: step + 1, command });
        let next_entry = || loop {
            match entries.next_entry() {
                Ok(Some((_, JournalEntry::Ended(_) | JournalEntry::Paid {}))) => {}
                Ok(Some((_, entry))) => {
                    is_marked |= entry == mark;
                    return Some(Ok(entry));
                }
                Ok(None) if command.is_some() && !is_marked => {
                    is_marked = true;
                    return Some(Ok(mark.clone()));
                }
                Ok(None) => return command.take().map(Ok),
                Err(problem) => return Some(Err(problem)),
            }
        };
        let journal =
            JournalWriter::create_journal(self.data_dir(), header, std::iter::from_fn(next_entry))?;
        self.record_run_start(&journal, &mut || 0);
        Ok(journal.run_id().to_owned())
    }

    /// The newest unfinished run of a game, including practice runs and forks.
    pub fn newest_unfinished_run(&self, game: &str) -> Result<Option<String>, Problem> {
        self.newest_unfinished_run_where(game, |_| true)
    }

    /// The newest unfinished run of a game that is neither practice nor a fork.
    pub fn newest_unfinished_original_run(&self, game: &str) -> Result<Option<String>, Problem> {
        self.newest_unfinished_run_where(game, RunHeader::is_counted)
    }

    fn newest_unfinished_run_where(
        &self,
        game: &str,
        is_wanted: impl Fn(&RunHeader) -> bool,
    ) -> Result<Option<String>, Problem> {
        for (_, id) in self.unpaid_runs()?.into_iter().rev() {
            // The list of runs reports an unreadable run; it does not block others.
            let Ok(Some(RunPeek { header, run_state, .. })) = self.data_dir().peek_run(&id) else {
                continue;
            };
            if header.game == game && run_state.run_ending.is_none() && is_wanted(&header) {
                return Ok(Some(id));
            }
        }
        Ok(None)
    }

    /// The header uses the seed up even if the profile cannot be written. The next `lock_profile`
    /// then learns of the run from its folder.
    fn record_run_start(&mut self, journal: &JournalWriter, draw: &mut dyn FnMut() -> u64) {
        let header = journal.header();
        let number = super::ids_and_names::parse_run_number(self.id(), &header.run_id);
        let next_seed = header.is_seed_from_profile.then(draw);
        self.update_profile_best_effort(|profile| {
            profile.last_run_number = number.unwrap_or(0).max(profile.last_run_number);
            profile.record_run_start(header);
            let game = profile.game_profile_mut(&header.game);
            game.runs_started += u64::from(header.is_counted());
            if next_seed.is_some() {
                game.next_seed = next_seed;
            }
        });
    }

    /// The id after the newest run's. A folder without a journal was left by a crash and is reused.
    fn find_free_run_id(&self) -> Result<String, Problem> {
        let mut unreadable_count = 0;
        for number in self.profile().last_run_number.saturating_add(1).. {
            let id = format_run_id(self.id(), number);
            let journal = self.data_dir().journal_path(&id)?;
            // A failed read is tried again, then the folder is skipped. If many fail, the disk is
            // broken.
            let data_dir = self.data_dir();
            let disk = data_dir.disk();
            let there = disk.exists(&journal).or_else(|_| disk.exists(&journal));
            let there = there.with_context("look for a free run id", &journal).and_then(|there| {
                // A file may have the folder's name.
                let folder = data_dir.run_folder(&id)?;
                let make = || data_dir.create_folder(&folder);
                if there { Ok(true) } else { make().or_else(|_| make()).map(|()| false) }
            });
            match there {
                Ok(false) => return Ok(id),
                Ok(true) => {}
                Err(problem) if unreadable_count == MAX_UNREADABLE_FOLDERS => return Err(problem),
                Err(_) => unreadable_count += 1,
            }
        }
        Err(Problem::error(Code::TooManyRuns, "the run numbers of this player are used up")
            .hint("play with another player name"))
    }
}
