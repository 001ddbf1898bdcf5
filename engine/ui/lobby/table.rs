//! Playing a run: starting, resuming, answering, finishing.

use std::rc::Rc;

use super::super::front::Answer;
use super::history::names_of_achieved;
use super::workbench::Workbench;
use super::{Door, Lobby, Stop, ask, choice, content};
use crate::kit::text::{escape, shown};
use crate::kit::{Problem, Value};
use crate::mods::load_order;
use crate::play::{Event, Input, View};
use crate::run::{
    self, Account, Content, InHand, ReplayPlayer, RunSummary, Session, StepError, Wish,
};
use crate::ui::day;
use crate::ui::log::LogReader;
use crate::ui::report::Report;

impl Lobby {
    /// Starts a new run and plays it.
    pub(super) fn begin(
        &mut self,
        door: &mut Door<'_>,
        draw_seed: &mut dyn FnMut() -> u64,
    ) -> Result<(), Stop> {
        self.look_again(door)?;
        let Some(options) = self.ask_options(door)? else { return Ok(()) };
        let content = self.content.clone();
        let day = self.setup.daily.clone();
        // A daily seed counts once, so nobody can draw again.
        let played = day.as_ref().is_some_and(|day| self.days().iter().any(|of| of == day));
        let practice = self.setup.practice || played;
        let seed = day.as_ref().map(|day| day::seed(&self.game, day)).or(self.setup.seed);
        let wish = Wish { content, options, seed, practice };
        content::ready(&mut self.vm, &self.content);
        let vm = self.vm.take().expect("it is ready");
        match run::begin_of_day(vm, &mut self.held, wish, day.clone(), draw_seed) {
            Ok(in_hand) => {
                (self.setup.seed, self.setup.daily) = (None, None);
                door.front.begin(&[])?;
                if let Some(day) = day {
                    let again = if played { ", played before, so this is practice" } else { "" };
                    let text = format!("The seed of {day}{again}.");
                    door.front.tell(&[Event::Note { text }])?;
                }
                door.front.tell(&in_hand.told.events)?;
                self.sit(door, in_hand, draw_seed)
            }
            Err(problem) => self.ask_back(door, &problem),
        }
    }

    /// Shows the frontend the earlier prompts of a run, so that keys stay the same. A long run is
    /// skipped, because this would take too long.
    fn recall(&self, door: &mut Door<'_>, session: &mut Session) {
        let run_id = session.run_id().unwrap_or_default();
        let journal = self.setup.data_dir.journal(&run_id).ok();
        let length = journal.and_then(|path| self.setup.data_dir.disk().length(&path).ok());
        // Before the first answer there is only the current prompt.
        if session.step_number() == 0 || length.is_none_or(|length| length > MET_AGAIN_BYTES) {
            return door.front.recall(&run_id, &mut || None);
        }
        let mut replay = None;
        door.front.recall(&run_id, &mut || {
            let replay = replay.get_or_insert_with(|| {
                let mut replay = ReplayPlayer::open(&self.setup.data_dir, &run_id).ok()?;
                replay.show_views();
                (replay.last() <= MET_AGAIN).then_some(replay)
            });
            let replay = replay.as_mut()?;
            replay.next_step().ok()??;
            Some((replay.session().prompt().clone(), replay.session().view().clone()))
        });
    }

    /// Resumes a run.
    pub(super) fn go_on(
        &mut self,
        door: &mut Door<'_>,
        run_id: &str,
        draw_seed: &mut dyn FnMut() -> u64,
    ) -> Result<(), Stop> {
        self.look_again(door)?;
        let Some(today) = self.ask_which_mods(door, run_id)? else { return Ok(()) };
        self.vm = None;
        let resumed = self.mending(door, run_id, |lobby| {
            run::resume(&lobby.setup.data_dir, run_id, today.then_some(&lobby.content))
        })?;
        resumed.map_or(Ok(()), |resumed| self.sit_down_again(door, resumed, draw_seed))
    }

    /// Plays a resumed run; its story so far is shown.
    pub(super) fn sit_down_again(
        &mut self,
        door: &mut Door<'_>,
        resumed: Result<InHand, Problem>,
        draw_seed: &mut dyn FnMut() -> u64,
    ) -> Result<(), Stop> {
        match resumed {
            Ok(in_hand) => {
                door.front.begin(&in_hand.past)?;
                door.front.tell(&in_hand.told.events)?;
                self.sit(door, in_hand, draw_seed)
            }
            Err(problem) => self.ask_back(door, &problem),
        }
    }

    /// Asks which mods to use if they changed since the run was saved: the current ones (true) or
    /// those of the run. `None` leaves the run unchanged.
    fn ask_which_mods(&self, door: &mut Door<'_>, run_id: &str) -> Result<Option<bool>, Stop> {
        let lines = match run::mods_since(&self.setup.data_dir, run_id, &self.content) {
            Ok(lines) if lines.is_empty() => return Ok(Some(true)),
            Ok(lines) => lines,
            // Errors of the file are reported when it is opened.
            Err(_) => return Ok(Some(true)),
        };
        let text = format!("The mods changed since this run was saved:\n{}", lines.join("\n"));
        let choices = vec![
            choice("today", "Continue with the current mods"),
            choice("kept", "Continue with the mods of the run"),
            choice(run::LEAVE, "Leave the run unchanged"),
        ];
        let view = View { title: self.name(), widgets: Vec::new() };
        let chosen = door.choose(&ask("host:mods", &escape(&text), choices), &view)?;
        Ok(match chosen.as_deref() {
            Some("today") => Some(true),
            Some("kept") => Some(false),
            _ => None,
        })
    }

    fn sit(
        &mut self,
        door: &mut Door<'_>,
        in_hand: InHand,
        draw_seed: &mut dyn FnMut() -> u64,
    ) -> Result<(), Stop> {
        let InHand { mut session, told, notes, past: _ } = in_hand;
        self.recall(door, &mut session);
        door.front.read_log_from(self.log_reader(&mut session));
        for problem in notes.iter().chain(&told.refused) {
            door.front.trouble(problem)?;
        }
        session.offer_ways_out();
        if self.setup.dev {
            session.hold_declared();
        }
        let apart = run::set_apart(&mut session);
        door.front.mark(apart.unwrap_or_default(), apart.is_some())?;
        let mut bench = self.open_workbench(door, &session)?;
        let stood_up = self.stay_seated(door, &mut session, &mut bench, draw_seed);
        door.front.workbench(None);
        door.front.stale(None);
        door.front.mark("", false)?;
        match stood_up? {
            true => self.end(door, session),
            false => Ok(()),
        }
    }

    /// Plays until the run is over (true) or the player leaves it.
    fn stay_seated(
        &mut self,
        door: &mut Door<'_>,
        session: &mut Session,
        bench: &mut Workbench,
        draw_seed: &mut dyn FnMut() -> u64,
    ) -> Result<bool, Stop> {
        while session.finished().is_none() {
            session.set_account(self.account());
            let prompt = session.prompt().clone();
            let input = match door.answer(&prompt, session.view())? {
                Answer::Input(input) => input,
                Answer::Reload => {
                    self.reload(door, session, bench)?;
                    continue;
                }
                Answer::Undo => {
                    match run::take_back(session, &self.setup.data_dir) {
                        Ok(told) => door.front.begin(&told)?,
                        Err(problem) => door.front.trouble(&problem)?,
                    }
                    continue;
                }
                Answer::Console(line) => {
                    self.console(door, session, &line, draw_seed)?;
                    continue;
                }
                _ => return Ok(false),
            };
            let of_host = prompt.scene.starts_with("host:");
            if of_host && input == Input::Choice(run::LEAVE.to_owned()) {
                return Ok(false);
            }
            let again = input == Input::Choice(run::AGAIN.to_owned());
            if again && prompt.scene == "host:refused" {
                self.reload(door, session, bench)?;
                if session.prompt().scene != prompt.scene {
                    continue;
                }
            } else if again && of_host {
                // The cause may have been fixed meanwhile, so the mods are read again first.
                self.take_up(door, session)?;
            }
            step(door, session, &input)?;
        }
        Ok(true)
    }

    /// Reloads the run's mods from disk, if they changed and can be loaded. The set of mods stays
    /// the same.
    fn take_up(&mut self, door: &mut Door<'_>, session: &mut Session) -> Result<(), Stop> {
        self.look_again(door)?;
        self.vm = None;
        let sources = session.content().mods.mods.iter();
        let sources =
            sources.map(|source| self.content.mods.get(source.id()).unwrap_or(source).clone());
        let settings = session.content().settings.clone();
        let taken = load_order(sources.collect())
            .map(|mods| Content { mods, settings })
            .and_then(|content| run::reload(&self.setup.data_dir, session, content));
        match taken {
            Ok(reloaded) => Ok(door.front.tell(&reloaded.unwrap_or_default().events)?),
            Err(problems) => {
                problems.iter().try_for_each(|problem| door.front.trouble(problem))?;
                Ok(())
            }
        }
    }

    /// Finishes a run: updates the profile and shows the result.
    fn end(&mut self, door: &mut Door<'_>, mut session: Session) -> Result<(), Stop> {
        self.look_at_the_day();
        let payment = loop {
            match run::settle(&mut session, &mut self.held) {
                Ok(payment) => break payment,
                Err(problem) => door.again_or_quit(&[problem])?,
            }
        };
        let problems = session.take_ending_problems();
        problems.iter().chain(&payment.refused).try_for_each(|one| door.front.trouble(one))?;
        let text = ending(&session.finished().unwrap_or_else(Value::map), &session);
        // The widgets of the last prompt do not describe the end.
        let view = View { title: session.view().title.clone(), widgets: Vec::new() };
        let run_id = session.run_id().unwrap_or_default();
        let report = self.account_for(door, session, &payment.achieved)?;
        let mut choices = vec![choice("title", "Back to the title")];
        if report.is_some() {
            choices.push(choice("page", "Show the report of this run"));
            choices.push(choice("copy", "Copy the report as text"));
            choices.push(choice("picture", "Save the report as a picture"));
        }
        choices.push(choice("quit", "Quit"));
        let prompt = ask("host:end", &text, choices);
        loop {
            match (door.choose(&prompt, &view)?.as_deref(), &report) {
                (Some("quit"), _) => return Err(Stop::Quit),
                (Some(what @ ("page" | "copy" | "picture")), Some(report)) => {
                    self.hand_out(door, &run_id, report, what)?;
                }
                _ => return Ok(()),
            }
        }
    }

    /// Shows the achievements and writes the report beside the journal.
    fn account_for(
        &mut self,
        door: &mut Door<'_>,
        mut session: Session,
        achieved: &[String],
    ) -> Result<Option<Report>, Stop> {
        let Some(run_id) = session.run_id() else { return Ok(None) };
        let done = names_of_achieved(session.vm().registry(), achieved);
        let told = done.iter().map(|name| Event::Gain { text: format!("Achieved: {name}") });
        door.front.tell(&told.collect::<Vec<_>>())?;
        // The report re-executes the run in the same VM.
        let report = match RunSummary::of_played(&self.setup.data_dir, &run_id, session) {
            Ok(summary) => self.page_of(&summary, &done),
            Err(problem) => {
                door.front.trouble(&problem)?;
                return Ok(None);
            }
        };
        let pages = [("page.md", report.markdown()), ("page.txt", report.plain())];
        for (name, page) in pages {
            if let Err(problem) = self.setup.data_dir.keep_page(&run_id, name, &page) {
                door.front.trouble(&problem)?;
            }
        }
        Ok(Some(report))
    }

    /// Where the log of a run is read from.
    fn log_reader(&self, session: &mut Session) -> Option<LogReader> {
        let (data_dir, run_id) = (self.setup.data_dir.clone(), session.run_id()?);
        // Read errors are reported when the run is opened.
        Some(Rc::new(move || data_dir.story(&run_id).unwrap_or_default()))
    }

    /// The player's data for a run that may end.
    pub(super) fn account(&self) -> Account {
        Account { kept: self.kept(), today: today() }
    }

    /// Runs that end from now on end today.
    pub(super) fn look_at_the_day(&mut self) {
        self.held.today_is(today());
    }

    /// The days whose seeds this player has played.
    fn days(&self) -> Vec<String> {
        let profile = self.held.profile();
        let kept = profile.preferences.get("days").and_then(|days| days.get(&self.game));
        let days = kept.and_then(Value::as_list).into_iter().flatten();
        let days = days.filter_map(|day| day.as_text().map(str::to_owned));
        days.chain(profile.game(&self.game).days).collect()
    }
}

fn today() -> String {
    day::named("today").unwrap_or_default()
}

/// The most answers that are re-executed to restore keys; takes a second or two at most.
const MET_AGAIN: u64 = 1_000;
/// The longest journal that is read for this.
const MET_AGAIN_BYTES: u64 = 8 * 1024 * 1024;

/// How the run ended, in short; the report has the details.
fn ending(table: &Value, session: &Session) -> String {
    let outcome =
        table.get("outcome").map_or(String::new(), |outcome| format!(": {}", shown(outcome)));
    let seed = session.world().dice.seed();
    escape(&format!("The run is over{outcome}. Its seed was {seed}."))
}

pub(super) fn step(door: &mut Door<'_>, session: &mut Session, input: &Input) -> Result<(), Stop> {
    match session.take(input) {
        Ok(told) => {
            door.front.tell(&told.events)?;
            if let Some(problem) = &told.refused {
                door.front.trouble(problem)?;
            }
        }
        Err(StepError::NotAccepted(why)) => {
            door.front.trouble(&Problem::error("bad-answer", why))?;
        }
        Err(StepError::NotWritten(problem)) => door.front.trouble(&problem)?,
    }
    Ok(())
}
