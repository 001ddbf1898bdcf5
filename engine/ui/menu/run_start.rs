//! The start of a run: a new one, that of a day, and one more like the one that ended.

use base::host_text;
use std::collections::BTreeMap;

use super::{ExitReason, HostPrompts, Menu, content_loading, host_choice, options};
use base::Value;
use base::text::escape_markup;
use protocol::{Choice, StoryEvent};
use session::{self, ActiveRun, RunRequest, Session};

/// The choice of the end screen that begins a run like the one that ended.
pub(super) const PLAY_AGAIN_CHOICE_ID: &str = "again";

/// A run that ended, as far as the next one is like it.
pub(super) struct EndedRun {
    /// The options that it was started with.
    options: Value,
    outcome: Value,
    is_practice: bool,
    /// The choice that begins the next one.
    pub again_choice: Choice,
}

/// What distinguishes the start of a run besides its options.
pub(super) struct NewRunStart {
    /// A seed that the player named.
    pub seed: Option<u64>,
    /// The day, for the run of a day.
    pub day: Option<String>,
    /// Whether it earns nothing.
    pub is_practice: bool,
}

impl Menu {
    /// Asks for the options of a new run, starts it and plays it.
    pub(super) fn begin_run(
        &mut self,
        host_prompts: &mut HostPrompts<'_>,
        draw_seed: &mut dyn FnMut() -> u64,
    ) -> Result<(), ExitReason> {
        loop {
            self.rescan_mods(host_prompts)?;
            let no_options = BTreeMap::new();
            let Some(options) = self.choose_options_of_new_run(host_prompts, &no_options)? else {
                return Ok(());
            };
            let is_practice = self.setup.is_practice;
            let seed = self.setup.seed;
            let start = NewRunStart { seed, day: None, is_practice };
            if !self.start_and_play_run(host_prompts, options, start, draw_seed)? {
                return Ok(());
            }
            // A run that is taken back is begun again with the seed that was named for it.
            self.setup.seed = seed;
        }
    }

    /// Starts a run and plays it. Returns whether the player went back to the options.
    pub(super) fn start_and_play_run(
        &mut self,
        host_prompts: &mut HostPrompts<'_>,
        options: Value,
        start: NewRunStart,
        draw_seed: &mut dyn FnMut() -> u64,
    ) -> Result<bool, ExitReason> {
        match self.start_run(host_prompts, options, start, draw_seed)? {
            Some(active_run) => self.play_run(host_prompts, active_run, draw_seed),
            None => Ok(false),
        }
    }

    /// Starts a run and shows its beginning; `None` if it cannot be started.
    fn start_run(
        &mut self,
        host_prompts: &mut HostPrompts<'_>,
        options: Value,
        start: NewRunStart,
        draw_seed: &mut dyn FnMut() -> u64,
    ) -> Result<Option<ActiveRun>, ExitReason> {
        let NewRunStart { seed, day, is_practice } = start;
        let request = RunRequest { content: self.content.clone(), options, seed, is_practice };
        content_loading::ensure_vm(&mut self.vm, &self.content);
        let vm = self.vm.take().expect("it is ready");
        match session::start_daily_run(vm, &mut self.profile_lock, request, day.clone(), draw_seed)
        {
            Ok(active_run) => {
                self.setup.seed = None;
                host_prompts.frontend.begin_story(&[])?;
                if let Some(day) = day {
                    self.setup.daily_date = None;
                    let text = match is_practice {
                        true => host_text!("The run of {day}, for practice.", day = day),
                        false => host_text!("The run of {day}.", day = day),
                    };
                    host_prompts.frontend.show_events(&[StoryEvent::Note { text }])?;
                }
                host_prompts.frontend.show_events(&active_run.step_outcome.events)?;
                Ok(Some(active_run))
            }
            Err(problem) => {
                self.show_problem_and_wait(host_prompts, &problem)?;
                Ok(None)
            }
        }
    }

    /// What the next run takes over from one that ended; `None` if no run can follow here: the
    /// run is of another game, or it was practice beside an unfinished run.
    pub(super) fn describe_ended_run(
        &self,
        session: &mut Session,
        outcome: Value,
    ) -> Option<EndedRun> {
        let header = session.run_header()?;
        if header.game != self.game_id {
            return None;
        }
        let is_practice = self.setup.is_practice || !header.is_counted();
        let labels = super::run_labels::RunLabels::from_registry(&self.registry, &self.game_id);
        let mut cells = labels.repeatable_values(&outcome, &header.options);
        cells.retain(|cell| !cell.is_empty());
        let note = escape_markup(&cells.join(", "));
        let label = match is_practice {
            true => host_text!("Play again as practice, with the same options"),
            false => host_text!("Play again, with the same options"),
        };
        let again_choice = Choice { note, ..host_choice(PLAY_AGAIN_CHOICE_ID, &label) };
        let options = header.options.clone();
        Some(EndedRun { options, outcome, is_practice, again_choice })
    }

    /// Starts a run like one that ended, with a new seed.
    pub(super) fn start_run_again(
        &mut self,
        host_prompts: &mut HostPrompts<'_>,
        ended_run: EndedRun,
        draw_seed: &mut dyn FnMut() -> u64,
    ) -> Result<Option<ActiveRun>, ExitReason> {
        self.rescan_mods(host_prompts)?;
        let EndedRun { options, outcome, is_practice, .. } = ended_run;
        let vm = content_loading::ensure_vm(&mut self.vm, &self.content);
        let options = options::options_to_repeat(vm, &options, &outcome);
        let Some(options) = self.choose_options_of_new_run(host_prompts, &options)? else {
            return Ok(None);
        };
        let start = NewRunStart { seed: self.setup.seed, day: None, is_practice };
        self.start_run(host_prompts, options, start, draw_seed)
    }

    /// The days whose runs this player has played.
    pub(super) fn played_days(&self) -> Vec<String> {
        let profile = self.profile_lock.profile();
        let day_list = profile.preferences.get("days").and_then(|days| days.get(&self.game_id));
        let days = day_list.and_then(Value::as_list).into_iter().flatten();
        let days = days.filter_map(|day| day.as_text().map(str::to_owned));
        days.chain(profile.game_profile(&self.game_id).daily_seed_dates).collect()
    }
}
