//! Replays: watching a run forward and back to any step, and playing from there as practice.

use std::io;

use super::{Door, Lobby, Setup, Stop, ask, choice};
use crate::kit::Problem;
use crate::kit::text::escape;
use crate::mods::{ModSource, Places, discover, embedded};
use crate::play::{Ask, Choice, Event, Input, Prompt, View};
use crate::run::{self, Frame, ReplayPlayer, RunSource};

const SCENE: &str = "host:replay";
/// The steps of the longer jump.
const STRIDE: u64 = 10;

/// Who watches a replay.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Viewer {
    /// Somebody who may play from a step of it.
    Player,
    /// Somebody who watches while another program uses the profile.
    Onlooker,
}

/// Opens a run to be watched.
pub(super) fn open_replay(setup: &Setup, source: &RunSource) -> Result<ReplayPlayer, Problem> {
    source.open(&setup.data_dir, &|| installed(&setup.places))
}

/// The mods with which a journal from elsewhere may have been made: all installed mods, and the
/// bundled games even if others on disk replace them.
pub fn installed(places: &Places) -> Vec<ModSource> {
    let mut sources = discover(places).0;
    sources.extend(embedded());
    sources
}

impl Lobby {
    /// Shows a run until the player goes back or plays from one of its steps.
    pub(super) fn watch(
        &mut self,
        door: &mut Door<'_>,
        mut replay: ReplayPlayer,
        draw_seed: &mut dyn FnMut() -> u64,
    ) -> Result<(), Stop> {
        self.vm = None;
        let plays = show(door, &mut replay, Viewer::Player)?;
        door.front.mark("", false)?;
        if !plays {
            return Ok(());
        }
        let played_on = run::play_on(&mut self.held, replay, draw_seed);
        self.sit_down_again(door, played_on, draw_seed)
    }
}

/// Shows a run until the viewer goes back; true if they play from the step shown last.
pub(super) fn show(
    door: &mut Door<'_>,
    replay: &mut ReplayPlayer,
    viewer: Viewer,
) -> Result<bool, Stop> {
    let run_id = replay.header().run_id.clone();
    replay.show_views();
    door.front.begin(&[])?;
    door.front.mark(&format!("Replay of {run_id}"), false)?;
    let mut done = on(door, replay, 1);
    loop {
        match done {
            Ok(()) => {}
            Err(Cut::Stop(stop)) => return Err(stop),
            Err(Cut::Problem(problem)) => {
                door.front.trouble(&problem)?;
                let enough = ask("host:trouble", "", vec![choice("back", "Back")]);
                door.choose(&enough, &View::default())?;
                return Ok(false);
            }
        }
        if let Some(problem) = replay.take_blindness() {
            door.front.trouble(&problem)?;
        }
        let chosen = door.choose(&prompt_of(replay, viewer), replay.session().view())?;
        let (at, last) = (replay.at(), replay.last());
        done = match chosen.as_deref() {
            Some("next") => on(door, replay, 1),
            Some("stride") => on(door, replay, STRIDE),
            Some("before") => to(door, replay, at.saturating_sub(1)),
            Some("first") => to(door, replay, 0),
            Some("last") => to(door, replay, last),
            Some("jump") => match ask_step(door, replay)? {
                Some(step) => to(door, replay, step),
                None => Ok(()),
            },
            Some("more") => more(door, replay),
            Some("play") => return Ok(true),
            _ => return Ok(false),
        };
    }
}

/// Why a replay ended.
enum Cut {
    Stop(Stop),
    Problem(Problem),
}

impl From<Problem> for Cut {
    fn from(problem: Problem) -> Self {
        Self::Problem(problem)
    }
}

impl From<io::Error> for Cut {
    fn from(error: io::Error) -> Self {
        Self::Stop(error.into())
    }
}

/// Shows the next steps.
fn on(door: &mut Door<'_>, replay: &mut ReplayPlayer, steps: u64) -> Result<(), Cut> {
    for _ in 0..steps {
        match replay.next_step()? {
            Some(frame) => tell(door, &frame)?,
            None => break,
        }
    }
    Ok(())
}

fn to(door: &mut Door<'_>, replay: &mut ReplayPlayer, step: u64) -> Result<(), Cut> {
    replay.jump(step)?;
    Ok(door.front.begin(replay.told())?)
}

/// Shows what was played since the journal was opened.
fn more(door: &mut Door<'_>, replay: &mut ReplayPlayer) -> Result<(), Cut> {
    let before = replay.at();
    replay.look_again()?;
    if replay.at() < before {
        door.front.begin(replay.told())?;
    }
    on(door, replay, u64::MAX)
}

fn ask_step(door: &mut Door<'_>, replay: &ReplayPlayer) -> Result<Option<u64>, Stop> {
    let last = i64::try_from(replay.last()).unwrap_or(i64::MAX);
    let at = i64::try_from(replay.at()).unwrap_or(0);
    let prompt = Prompt {
        scene: SCENE.to_owned(),
        text: "Go to which step?".to_owned(),
        ask: Ask::Number { min: 0, max: last, default: at },
        choices: Vec::new(),
        rounds: false,
    };
    let input = door.input(&prompt, &View::default())?;
    Ok(input.and_then(|input| match input {
        Input::Number(number) => u64::try_from(number).ok(),
        _ => None,
    }))
}

/// Shows a step: the answer, then its events.
fn tell(door: &mut Door<'_>, frame: &Frame) -> io::Result<()> {
    let answer = frame.answer().map(|words| Event::Note { text: escape(&words) });
    let mut events: Vec<Event> = answer.into_iter().collect();
    events.extend_from_slice(&frame.events);
    door.front.tell(&events)?;
    if let Some(problem) = &frame.refused {
        door.front.trouble(problem)?;
    }
    Ok(())
}

fn prompt_of(replay: &ReplayPlayer, viewer: Viewer) -> Prompt {
    let (at, last) = (replay.at(), replay.last());
    let over = replay.session().finished().is_some();
    let end = (at >= last).then(|| "this is the last step".to_owned());
    let start = (at == 0).then(|| "this is the first step".to_owned());
    let closed = |closed: &Option<String>, one: Choice| Choice { closed: closed.clone(), ..one };
    let mut play = choice("play", "Play from here as practice");
    play.note = "it earns nothing".to_owned();
    play.closed = over.then(|| "the run is over here".to_owned());
    let mut choices = vec![
        closed(&end, choice("next", "Next step")),
        closed(&end, choice("stride", &format!("{STRIDE} steps forward"))),
        closed(&start, choice("before", "Previous step")),
        closed(&start, choice("first", "Go to the start")),
        closed(&end, choice("last", "Go to the end")),
        choice("jump", "Go to a step by its number"),
    ];
    choices.push(match viewer {
        Viewer::Player => play,
        Viewer::Onlooker => choice("more", "Catch up with the run"),
    });
    choices.push(choice("back", "Back"));
    let question = &replay.session().prompt().text;
    let asked = match over || question.is_empty() {
        true => String::new(),
        false => format!(" The prompt was: {question}"),
    };
    ask(SCENE, &format!("Step {at} of {last}.{asked}"), choices)
}
