//! Playing a run: resuming, answering, finishing. `run_start` has its beginning.

use base::host_text;
use std::rc::Rc;

use super::super::{display_text, frontend::Answer};
use super::dev_mode::DevMode;
use super::history::achievement_names;
use super::run_labels::RunLabels;
use super::run_start::{EndedRun, PLAY_AGAIN_CHOICE_ID};
use super::{ExitReason, HostPrompts, Menu, host_choice, host_prompt};
use crate::daily_seed;
use crate::run_report::RunReport;
use crate::story_log::LogReader;
use base::text::escape_markup;
use base::{Problem, Value};
use protocol::{Input, StoryEntry, StoryEvent, View};
use session::{self, ActiveRun, PlayerAccount, RunSummary, Session, StepOutcome};

/// How a run was left.
enum RunExit {
    /// It ended, and is played again.
    Ended(Box<EndedRun>),
    Left,
    /// Nothing had happened in it; the options are asked again.
    TakenBack,
}

/// Why a run is played no further.
enum PlayedUntil {
    Over,
    Left,
    /// The player left it before anything happened.
    NothingHappened,
}

impl Menu {
    /// Resumes a run.
    pub(super) fn resume_run(
        &mut self,
        host_prompts: &mut HostPrompts<'_>,
        run_id: &str,
        draw_seed: &mut dyn FnMut() -> u64,
    ) -> Result<(), ExitReason> {
        self.rescan_mods(host_prompts)?;
        let Some(uses_current_mods) = self.ask_which_mods(host_prompts, run_id)? else {
            return Ok(());
        };
        self.vm = None;
        let resumed = self.run_with_repair(host_prompts, run_id, |menu| {
            session::resume_run(
                &menu.setup.data_dir,
                run_id,
                uses_current_mods.then_some(&menu.content),
            )
        })?;
        resumed.map_or(Ok(()), |resumed| self.play_resumed_run(host_prompts, resumed, draw_seed))
    }

    /// Plays a resumed run; its story so far is shown.
    pub(super) fn play_resumed_run(
        &mut self,
        host_prompts: &mut HostPrompts<'_>,
        resumed: Result<ActiveRun, Problem>,
        draw_seed: &mut dyn FnMut() -> u64,
    ) -> Result<(), ExitReason> {
        match resumed {
            Ok(in_hand) => {
                host_prompts.frontend.begin_story(&in_hand.earlier_story)?;
                host_prompts.frontend.show_events(&in_hand.step_outcome.events)?;
                self.play_run(host_prompts, in_hand, draw_seed).map(drop)
            }
            Err(problem) => self.show_problem_and_wait(host_prompts, &problem),
        }
    }

    /// Plays a run, and further ones while the player plays again. Returns whether the player went
    /// back to the options.
    pub(super) fn play_run(
        &mut self,
        host_prompts: &mut HostPrompts<'_>,
        active_run: ActiveRun,
        draw_seed: &mut dyn FnMut() -> u64,
    ) -> Result<bool, ExitReason> {
        let mut next_run = Some(active_run);
        while let Some(active_run) = next_run.take() {
            next_run = match self.play_single_run(host_prompts, active_run, draw_seed)? {
                RunExit::Ended(ended_run) => {
                    self.start_run_again(host_prompts, *ended_run, draw_seed)?
                }
                RunExit::Left => None,
                RunExit::TakenBack => return Ok(true),
            };
        }
        Ok(false)
    }

    /// Plays a run until the player leaves it.
    fn play_single_run(
        &mut self,
        host_prompts: &mut HostPrompts<'_>,
        active_run: ActiveRun,
        draw_seed: &mut dyn FnMut() -> u64,
    ) -> Result<RunExit, ExitReason> {
        let ActiveRun { mut session, step_outcome: told, notes, earlier_story: _ } = active_run;
        let run_id = session.run_id().unwrap_or_default();
        let data_dir = self.setup.data_dir.clone();
        host_prompts
            .frontend
            .restore_keys(&run_id, &mut |page| data_dir.read_run_page(&run_id, page));
        host_prompts.frontend.set_log_reader(self.log_reader(&mut session));
        for problem in notes.iter().chain(&told.refusal) {
            host_prompts.frontend.show_problem(problem)?;
        }
        host_prompts.frontend.set_terms(self.explained_terms(&mut session));
        session.offer_disabling_with_flags(self.mods_command_flags());
        if self.setup.is_dev_mode {
            session.enable_strict_mode();
        }
        let practice_reason = session::no_award_reason(&mut session);
        host_prompts.frontend.set_run_label(
            practice_reason.as_deref().unwrap_or_default(),
            practice_reason.is_some(),
        )?;
        let mut dev_mode = self.start_dev_mode(host_prompts, &session)?;
        let is_over = self.play_until_over(host_prompts, &mut session, &mut dev_mode, draw_seed);
        host_prompts.frontend.set_reload_signal(None);
        host_prompts.frontend.set_stale_mods_reason(None);
        host_prompts.frontend.set_run_label("", false)?;
        match is_over? {
            PlayedUntil::Over => {
                let ended_run = self.finish_run(host_prompts, session)?;
                Ok(ended_run.map_or(RunExit::Left, |ended_run| RunExit::Ended(Box::new(ended_run))))
            }
            PlayedUntil::Left => Ok(RunExit::Left),
            PlayedUntil::NothingHappened => {
                drop(session);
                match self.profile_lock.take_back_run(&run_id) {
                    Ok(()) => Ok(RunExit::TakenBack),
                    Err(problem) => {
                        host_prompts.frontend.show_problem(&problem)?;
                        Ok(RunExit::Left)
                    }
                }
            }
        }
    }

    /// Plays until the run is over or the player leaves it.
    fn play_until_over(
        &mut self,
        host_prompts: &mut HostPrompts<'_>,
        session: &mut Session,
        dev_mode: &mut DevMode,
        draw_seed: &mut dyn FnMut() -> u64,
    ) -> Result<PlayedUntil, ExitReason> {
        // A run in which only its form was filled in is left without a trace.
        let mut has_begun = session.step_number() > 0;
        let shows_state = self.setup.is_dev_mode && host_prompts.frontend.shows_state();
        if shows_state {
            session.trace_steps();
        }
        let (run_id, mut saved_keys) = (session.run_id().unwrap_or_default(), String::new());
        while session.run_outcome().is_none() {
            session.set_player_account(self.player_account());
            if shows_state {
                let trace = session.take_step_trace();
                host_prompts.frontend.show_state(session.world().snapshot().state, trace)?;
            }
            let input = match host_prompts.ask_answer(session.prompt(), session.view())? {
                Answer::Input(input) => input,
                Answer::Reload => {
                    self.reload_mods(host_prompts, session, dev_mode)?;
                    continue;
                }
                Answer::Undo => {
                    match session::undo_step(session, &self.setup.data_dir) {
                        Ok(told) => host_prompts.frontend.begin_story(&told)?,
                        Err(problem) => host_prompts.frontend.show_problem(&problem)?,
                    }
                    continue;
                }
                Answer::ConsoleLine(line) => {
                    self.run_console_line(host_prompts, session, &line, draw_seed)?;
                    continue;
                }
                Answer::Leave if !has_begun && session.view().has_form() => {
                    return Ok(PlayedUntil::NothingHappened);
                }
                _ => return Ok(PlayedUntil::Left),
            };
            let scene = session.prompt().scene.clone();
            let host_choice_id = match &*input {
                Input::Choice(id) if session.prompt().is_from_host() => id.as_str(),
                _ => "",
            };
            match host_choice_id {
                session::LEAVE_RUN_CHOICE_ID => return Ok(PlayedUntil::Left),
                // The cause may have been fixed meanwhile, so the mods are read again first.
                session::RETRY_CHOICE_ID => {
                    match scene == "host:refused" {
                        true => self.reload_mods(host_prompts, session, dev_mode)?,
                        false => self.reload_run_mods(host_prompts, session)?,
                    }
                    if session.prompt().scene != scene {
                        continue;
                    }
                }
                _ => {}
            }
            if let Some((page, keys)) = host_prompts.frontend.saved_keys()
                && keys != saved_keys
            {
                // If this fails, a resumed run only shows other keys.
                let _ = self.setup.data_dir.write_run_page(&run_id, page, &keys);
                saved_keys = keys;
            }
            let is_form_choice =
                matches!(&*input, Input::Choice(id) if session.view().is_form_choice(id));
            has_begun |= !is_form_choice;
            let answer = display_text::answer_text(session.prompt(), &input);
            let answer = Some(answer).filter(|_| !is_form_choice);
            show_step(host_prompts, answer, session.take_answer(input))?;
        }
        Ok(PlayedUntil::Over)
    }

    /// Finishes a run: updates the profile and shows the result. Returns the run if it is played
    /// again.
    fn finish_run(
        &mut self,
        host_prompts: &mut HostPrompts<'_>,
        mut session: Session,
    ) -> Result<Option<EndedRun>, ExitReason> {
        self.update_profile_date();
        let payment = loop {
            match session::pay_run(&mut session, &mut self.profile_lock) {
                Ok(payment) => break payment,
                Err(problem) => host_prompts.ask_retry_or_quit(&[problem])?,
            }
        };
        let problems = session.take_ending_problems();
        problems
            .iter()
            .chain(&payment.award_problem)
            .try_for_each(|one| host_prompts.frontend.show_problem(one))?;
        let outcome = session.run_outcome().unwrap_or_else(Value::map);
        let text = self.ending_text(&outcome, &session);
        let ended_run = self.describe_ended_run(&mut session, outcome);
        // The widgets of the last prompt do not describe the end.
        let view = View { title: session.view().title.clone(), widgets: Vec::new() };
        let run_id = session.run_id().unwrap_or_default();
        let report = self.save_run_report(host_prompts, session, &payment.new_achievements)?;
        // The first choice has the focus: it must not leave a story that is still being read.
        let mut choices = Vec::new();
        if report.is_some() {
            choices.push(host_choice("page", &host_text!("Show the report")));
            choices.push(host_choice("copy", &host_text!("Copy the report as text")));
            choices.push(host_choice("picture", &host_text!("Save the report as a picture")));
        }
        choices.extend(ended_run.as_ref().map(|ended_run| ended_run.again_choice.clone()));
        choices.push(host_choice("title", &host_text!("Back to the title")));
        choices.push(host_choice("quit", &host_text!("Quit")));
        let prompt = host_prompt("host:end", &text, choices);
        loop {
            match (host_prompts.ask_choice(&prompt, &view)?.as_deref(), &report) {
                (Some("quit"), _) => return Err(ExitReason::Quit),
                (Some(what @ ("page" | "copy" | "picture")), Some(report)) => {
                    self.export_report(host_prompts, &run_id, report, what)?;
                }
                (Some(PLAY_AGAIN_CHOICE_ID), _) => return Ok(ended_run),
                _ => return Ok(None),
            }
        }
    }

    /// Shows the achievements and writes the report beside the journal.
    fn save_run_report(
        &mut self,
        host_prompts: &mut HostPrompts<'_>,
        mut session: Session,
        achieved: &[String],
    ) -> Result<Option<RunReport>, ExitReason> {
        let Some(run_id) = session.run_id() else { return Ok(None) };
        let achievements = achievement_names(session.vm().registry(), achieved);
        let events = achievements
            .iter()
            .map(|name| StoryEvent::Gain { text: host_text!("Achieved: {name}", name = name) });
        host_prompts.frontend.show_events(&events.collect::<Vec<_>>())?;
        drop(session);
        let report = match RunSummary::from_run(&self.setup.data_dir, &run_id) {
            Ok(summary) => self.build_report(&summary, &achievements),
            Err(problem) => {
                host_prompts.frontend.show_problem(&problem)?;
                return Ok(None);
            }
        };
        let pages = [("page.md", report.to_markdown()), ("page.txt", report.to_plain_text())];
        for (name, page) in pages {
            if let Err(problem) = self.setup.data_dir.write_run_page(&run_id, name, &page) {
                host_prompts.frontend.show_problem(&problem)?;
            }
        }
        Ok(Some(report))
    }

    /// Where the log of a run is read from.
    fn log_reader(&self, session: &mut Session) -> Option<LogReader> {
        let (data_dir, run_id) = (self.setup.data_dir.clone(), session.run_id()?);
        let overrides = session.text_overrides().clone();
        // Read errors are reported when the run is opened.
        Some(Rc::new(move || data_dir.read_recent_story(&run_id, &overrides).unwrap_or_default()))
    }

    /// The player's data for a run that may end.
    pub(super) fn player_account(&self) -> PlayerAccount {
        PlayerAccount { stored_award_data: self.profile_data(), today: today() }
    }

    /// Runs that end from now on end today.
    pub(super) fn update_profile_date(&mut self) {
        self.profile_lock.set_today(today());
    }

    /// How the run ended, in short; the report has the details.
    fn ending_text(&self, table: &Value, session: &Session) -> String {
        let seed = session.world().dice.seed();
        let labels = RunLabels::from_registry(&self.registry, &self.game_id);
        escape_markup(&match table.get("outcome") {
            Some(outcome) => host_text!(
                "The run is over: {outcome}. Its seed was {seed}.",
                outcome = labels.value_text(outcome),
                seed = seed
            ),
            None => host_text!("The run is over. Its seed was {seed}.", seed = seed),
        })
    }
}

fn today() -> String {
    daily_seed::parse_date("today").unwrap_or_default()
}

/// Shows what a step did after an answer, or why it did not run.
pub(super) fn show_step(
    host_prompts: &mut HostPrompts<'_>,
    answer: Option<String>,
    step_result: Result<StepOutcome, Problem>,
) -> Result<(), ExitReason> {
    match step_result {
        Ok(told) => {
            let StepOutcome { events, refusal } = told;
            host_prompts.frontend.show_story(&StoryEntry::of_step(answer, events))?;
            host_prompts.frontend.show_problems(refusal.as_slice())?;
        }
        Err(problem) => host_prompts.frontend.show_problem(&problem)?,
    }
    Ok(())
}
