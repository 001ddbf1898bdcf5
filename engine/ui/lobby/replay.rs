//! Watching a run again: on and back, to any step, and playing on from there for practice.

use std::path::PathBuf;

use super::{Door, Lobby, Stop, ask, choice};
use crate::kit::Problem;
use crate::kit::text::escape;
use crate::mods::{discover, embedded};
use crate::play::{Ask, Choice, Event, Input, Prompt, View};
use crate::run::{self, Film, Frame};
use crate::ui::facts;

const SCENE: &str = "host:replay";
/// How many steps the longer stride takes.
const STRIDE: u64 = 10;

/// A run to be watched.
#[derive(Clone, Debug)]
pub enum Reel {
    /// One of the data folder, by its id.
    Run(String),
    /// A journal, wherever it lies.
    File(PathBuf),
}

impl Lobby {
    /// Opens a run to be watched. What a journal from elsewhere was made on may be any mod that is
    /// found, also the game inside the program where another one lies on the disk.
    pub(super) fn open_film(&self, reel: &Reel) -> Result<Film, Problem> {
        let home = &self.setup.home;
        match reel {
            Reel::Run(run_id) => Film::open(home, run_id),
            Reel::File(path) => {
                let mut sources = discover(&self.setup.places).0;
                sources.extend(embedded());
                Film::open_file(home, path, &sources)
            }
        }
    }

    /// Shows a run until the player goes back, or plays on from some point of it.
    pub(super) fn watch(
        &mut self,
        door: &mut Door<'_>,
        mut film: Film,
        draw_seed: &mut dyn FnMut() -> u64,
    ) -> Result<(), Stop> {
        let run_id = film.header().run_id.clone();
        door.front.begin(&[])?;
        door.front.mark(&format!("Replay of {run_id}"), false)?;
        if !self.on(door, &mut film, 1)? {
            return door.front.mark("", false).map_err(Stop::from);
        }
        loop {
            let chosen = door.choose(&prompt_of(&film), film.session().view())?;
            let at = film.at();
            let done = match chosen.as_deref() {
                Some("next") => self.on(door, &mut film, 1)?,
                Some("stride") => self.on(door, &mut film, STRIDE)?,
                Some("before") => self.to(door, &mut film, at.saturating_sub(1))?,
                Some("first") => self.to(door, &mut film, 0)?,
                Some("last") => {
                    let last = film.last();
                    self.to(door, &mut film, last)?
                }
                Some("jump") => match self.ask_step(door, &film)? {
                    Some(step) => self.to(door, &mut film, step)?,
                    None => true,
                },
                Some("play") => {
                    door.front.mark("", false)?;
                    return match run::play_on(&mut self.held, film, draw_seed) {
                        Ok(in_hand) => {
                            door.front.begin(&in_hand.past)?;
                            door.front.tell(&in_hand.told.events)?;
                            self.sit(door, in_hand, draw_seed)
                        }
                        Err(problem) => self.ask_back(door, &problem),
                    };
                }
                _ => false,
            };
            if !done {
                return door.front.mark("", false).map_err(Stop::from);
            }
        }
    }

    /// Shows the next steps; false where the run cannot be shown any further for a mistake.
    fn on(&self, door: &mut Door<'_>, film: &mut Film, steps: u64) -> Result<bool, Stop> {
        for _ in 0..steps {
            match film.next_step() {
                Ok(Some(frame)) => tell(door, &frame)?,
                Ok(None) => break,
                Err(problem) => {
                    self.ask_back(door, &problem)?;
                    return Ok(false);
                }
            }
        }
        Ok(true)
    }

    fn to(&self, door: &mut Door<'_>, film: &mut Film, step: u64) -> Result<bool, Stop> {
        if let Err(problem) = film.jump(step) {
            self.ask_back(door, &problem)?;
            return Ok(false);
        }
        door.front.begin(film.told())?;
        Ok(true)
    }

    fn ask_step(&self, door: &mut Door<'_>, film: &Film) -> Result<Option<u64>, Stop> {
        let last = i64::try_from(film.last()).unwrap_or(i64::MAX);
        let at = i64::try_from(film.at()).unwrap_or(0);
        let prompt = Prompt {
            scene: SCENE.to_owned(),
            text: "To which step?".to_owned(),
            ask: Ask::Number { min: 0, max: last, default: at },
            choices: Vec::new(),
        };
        let input = door.input(&prompt, &View::default())?;
        Ok(input.and_then(|input| match input {
            Input::Number(number) => u64::try_from(number).ok(),
            _ => None,
        }))
    }
}

/// Tells a step: the answer, then what came of it.
fn tell(door: &mut Door<'_>, frame: &Frame) -> Result<(), Stop> {
    let answer = frame.input.as_ref().map(|input| in_words(frame, input));
    let mut events: Vec<Event> = Vec::new();
    events
        .extend(answer.map(|words| Event::Note { text: format!("Step {}: {words}", frame.step) }));
    events.extend_from_slice(&frame.events);
    door.front.tell(&events)?;
    if let Some(problem) = &frame.refused {
        door.front.trouble(problem)?;
    }
    Ok(())
}

/// An answer in the words of what was asked, as marked text.
fn in_words(frame: &Frame, input: &Input) -> String {
    let label = |id: &String| {
        let choice = frame.asked.as_ref().and_then(|asked| asked.choice(id));
        choice.map_or(id.clone(), facts::choice_label)
    };
    escape(&match input {
        Input::Choice(id) => label(id),
        Input::Many(ids) => ids.iter().map(label).collect::<Vec<_>>().join(", "),
        Input::Number(number) => number.to_string(),
        Input::Text(line) => line.clone(),
    })
}

fn prompt_of(film: &Film) -> Prompt {
    let (at, last) = (film.at(), film.last());
    let over = film.session().finished().is_some();
    let end = (at >= last).then(|| "this is the end of what was played".to_owned());
    let start = (at == 0).then(|| "this is the start".to_owned());
    let closed = |closed: &Option<String>, one: Choice| Choice { closed: closed.clone(), ..one };
    let mut play = choice("play", "Play on from here, for practice");
    play.note = "it earns nothing".to_owned();
    play.closed = over.then(|| "the run is over here".to_owned());
    let choices = vec![
        closed(&end, choice("next", "The next step")),
        closed(&end, choice("stride", &format!("{STRIDE} steps on"))),
        closed(&start, choice("before", "The step before")),
        closed(&start, choice("first", "To the start")),
        closed(&end, choice("last", "To the end")),
        choice("jump", "To a step by its number"),
        play,
        choice("back", "Enough"),
    ];
    let question = &film.session().prompt().text;
    let asked = match over || question.is_empty() {
        true => String::new(),
        false => format!(" Here was asked: {question}"),
    };
    ask(SCENE, &format!("Step {at} of {last}.{asked}"), choices)
}
