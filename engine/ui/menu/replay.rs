//! Replays: watching a run forward and back to any step, and playing from there as practice.

use base::host_text;
use std::io;

use super::{ExitReason, HostPrompts, Menu, MenuSetup, host_choice, host_prompt};
use base::Problem;
use base::text::escape_markup;
use mods::{ModSource, SearchPaths, discover_mods, read_embedded_mods};
use protocol::{AnswerType, Choice, Input, Prompt, StoryEvent, View};
use session::{ReplayFrame, ReplayPlayer, RunSource};

const REPLAY_SCENE: &str = "host:replay";
/// The steps of the longer jump.
const STEPS_PER_JUMP: u64 = 10;

/// The viewer of a replay.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum ReplayViewer {
    /// A player who may play from one of its steps.
    Player,
    /// A spectator while another program uses the profile.
    Spectator,
}

/// Opens a run to be watched.
pub(super) fn open_replay(setup: &MenuSetup, source: &RunSource) -> Result<ReplayPlayer, Problem> {
    source.open_replay(&setup.data_dir, &|| installed_mods(&setup.search_paths))
}

/// The mods with which a journal from elsewhere may have been made: all installed mods, and the
/// bundled games even if others on disk replace them.
pub fn installed_mods(places: &SearchPaths) -> Vec<ModSource> {
    let mut sources = discover_mods(places).0;
    sources.extend(read_embedded_mods());
    sources
}

impl Menu {
    /// Shows a run until the player goes back or plays from one of its steps.
    pub(super) fn watch_replay(
        &mut self,
        host_prompts: &mut HostPrompts<'_>,
        mut replay: ReplayPlayer,
        draw_seed: &mut dyn FnMut() -> u64,
    ) -> Result<(), ExitReason> {
        self.vm = None;
        let plays_on = show_replay(host_prompts, &mut replay, ReplayViewer::Player)?;
        host_prompts.frontend.set_run_label("", false)?;
        if !plays_on {
            return Ok(());
        }
        let forked_run = session::fork_from_replay(&mut self.profile_lock, replay, draw_seed);
        self.play_resumed_run(host_prompts, forked_run, draw_seed)
    }
}

/// Shows a run until the viewer goes back; true if they play from the step shown last.
pub(super) fn show_replay(
    host_prompts: &mut HostPrompts<'_>,
    replay: &mut ReplayPlayer,
    viewer: ReplayViewer,
) -> Result<bool, ExitReason> {
    let run_id = replay.header().run_id.clone();
    host_prompts.frontend.begin_story(&[])?;
    host_prompts
        .frontend
        .set_run_label(&host_text!("Replay of {run_id}", run_id = run_id), false)?;
    let mut result = show_next_steps(host_prompts, replay, 1);
    let mut shown_problem = None;
    loop {
        match result {
            Ok(()) => {}
            Err(ReplayStop::Exit(stop)) => return Err(stop),
            Err(ReplayStop::Problem(problem)) => {
                host_prompts.frontend.show_problem(&problem)?;
                let prompt =
                    host_prompt("host:trouble", "", vec![host_choice("back", &host_text!("Back"))]);
                host_prompts.ask_choice(&prompt, &View::default())?;
                return Ok(false);
            }
        }
        let (question, view) = match replay.session() {
            Ok(session) => (session.prompt().text.clone(), session.view().clone()),
            Err(problem) => {
                if shown_problem.as_ref() != Some(&problem) {
                    host_prompts.frontend.show_problem(&problem)?;
                }
                shown_problem = Some(problem);
                (String::new(), View::default())
            }
        };
        if let Some(problem) = replay.take_view_problem() {
            host_prompts.frontend.show_problem(&problem)?;
        }
        let chosen = host_prompts.ask_choice(&replay_prompt(replay, viewer, &question), &view)?;
        let (at, last) = (replay.current_step_number(), replay.last_step_number());
        result = match chosen.as_deref() {
            Some("next") => show_next_steps(host_prompts, replay, 1),
            Some("stride") => show_next_steps(host_prompts, replay, STEPS_PER_JUMP),
            Some("before") => jump_to_step(host_prompts, replay, at.saturating_sub(1)),
            Some("first") => jump_to_step(host_prompts, replay, 0),
            Some("last") => jump_to_step(host_prompts, replay, last),
            Some("jump") => match ask_step_number(host_prompts, replay)? {
                Some(step) => jump_to_step(host_prompts, replay, step),
                None => Ok(()),
            },
            Some("more") => catch_up_with_run(host_prompts, replay),
            Some("play") => return Ok(true),
            _ => return Ok(false),
        };
    }
}

/// Why a replay ended.
enum ReplayStop {
    Exit(ExitReason),
    Problem(Problem),
}

impl From<Problem> for ReplayStop {
    fn from(problem: Problem) -> Self {
        Self::Problem(problem)
    }
}

impl From<io::Error> for ReplayStop {
    fn from(error: io::Error) -> Self {
        Self::Exit(error.into())
    }
}

/// Shows the next steps.
fn show_next_steps(
    host_prompts: &mut HostPrompts<'_>,
    replay: &mut ReplayPlayer,
    steps: u64,
) -> Result<(), ReplayStop> {
    for _ in 0..steps {
        match replay.advance_step()? {
            Some(frame) => show_frame(host_prompts, &frame)?,
            None => break,
        }
    }
    Ok(())
}

fn jump_to_step(
    host_prompts: &mut HostPrompts<'_>,
    replay: &mut ReplayPlayer,
    step: u64,
) -> Result<(), ReplayStop> {
    replay.jump_to_step(step)?;
    Ok(host_prompts.frontend.begin_story(replay.story())?)
}

/// Shows what was played since the journal was opened.
fn catch_up_with_run(
    host_prompts: &mut HostPrompts<'_>,
    replay: &mut ReplayPlayer,
) -> Result<(), ReplayStop> {
    let before = replay.current_step_number();
    replay.read_new_entries()?;
    if replay.current_step_number() < before {
        host_prompts.frontend.begin_story(replay.story())?;
    }
    show_next_steps(host_prompts, replay, u64::MAX)
}

fn ask_step_number(
    host_prompts: &mut HostPrompts<'_>,
    replay: &ReplayPlayer,
) -> Result<Option<u64>, ExitReason> {
    let last = i64::try_from(replay.last_step_number()).unwrap_or(i64::MAX);
    let at = i64::try_from(replay.current_step_number()).unwrap_or(0);
    let prompt = Prompt {
        scene: REPLAY_SCENE.to_owned(),
        text: host_text!("Go to which step?"),
        answer_type: AnswerType::Number { min: 0, max: last, default: at },
        choices: Vec::new(),
        repeats: false,
    };
    let input = host_prompts.ask_input(&prompt, &View::default())?;
    Ok(input.and_then(|input| match input {
        Input::Number(number) => u64::try_from(number).ok(),
        _ => None,
    }))
}

/// Shows a step: the answer, then its events.
fn show_frame(host_prompts: &mut HostPrompts<'_>, frame: &ReplayFrame) -> io::Result<()> {
    let answer =
        frame.numbered_answer_text().map(|words| StoryEvent::Note { text: escape_markup(&words) });
    let mut events: Vec<StoryEvent> = answer.into_iter().collect();
    events.extend_from_slice(&frame.events);
    host_prompts.frontend.show_events(&events)?;
    if let Some(problem) = &frame.refusal {
        host_prompts.frontend.show_problem(problem)?;
    }
    Ok(())
}

fn replay_prompt(replay: &ReplayPlayer, viewer: ReplayViewer, question: &str) -> Prompt {
    let (at, last) = (replay.current_step_number(), replay.last_step_number());
    let is_over = replay.world().run_outcome().is_some();
    let last_step_reason = (at >= last).then(|| host_text!("this is the last step"));
    let first_step_reason = (at == 0).then(|| host_text!("this is the first step"));
    let disable_choice =
        |closed: &Option<String>, one: Choice| Choice { disabled_because: closed.clone(), ..one };
    let mut play = host_choice("play", &host_text!("Play from here as practice"));
    play.note = host_text!("it earns nothing");
    play.disabled_because = is_over.then(|| host_text!("the run is over here"));
    let mut choices = vec![
        disable_choice(&last_step_reason, host_choice("next", &host_text!("Next step"))),
        disable_choice(
            &last_step_reason,
            host_choice("stride", &host_text!("{count} steps forward", count = STEPS_PER_JUMP)),
        ),
        disable_choice(&first_step_reason, host_choice("before", &host_text!("Previous step"))),
        disable_choice(&first_step_reason, host_choice("first", &host_text!("Go to the start"))),
        disable_choice(&last_step_reason, host_choice("last", &host_text!("Go to the end"))),
        host_choice("jump", &host_text!("Go to a step by its number")),
    ];
    choices.push(match viewer {
        ReplayViewer::Player => play,
        ReplayViewer::Spectator => host_choice("more", &host_text!("Catch up with the run")),
    });
    choices.push(host_choice("back", &host_text!("Back")));
    let prompt_note = match is_over || question.is_empty() {
        true => String::new(),
        false => host_text!(" The prompt was: {question}", question = question),
    };
    host_prompt(
        REPLAY_SCENE,
        &(host_text!("Step {step} of {last}.", step = at, last = last) + &prompt_note),
        choices,
    )
}
