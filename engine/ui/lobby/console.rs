//! Parses and runs a line of the author's console.

use super::{Door, Lobby, Stop};
use crate::kit::Problem;
use crate::kit::text::escape;
use crate::play::Event;
use crate::run::{self, InHand, Session, StepError};
use crate::save::Order;

const HELP: &str = "A line of Luau runs as a step, as in `state.x = 3` or `state.x`. Commands: \
    `goto SCENE`, `seed N`, `back` or `back N` (that many steps), `back to N`, `fork`. \
    A run earns nothing once the console was used.";

/// A command of the console.
#[derive(Debug, PartialEq, Eq)]
enum Line {
    Help,
    Order(Order),
    Back(u64),
    BackTo(u64),
    Fork,
}

/// Parses a line; what is not a command is Luau.
fn read(line: &str) -> Line {
    let words: Vec<&str> = line.split_whitespace().collect();
    let number = |word: &str| word.parse::<u64>().ok();
    match words[..] {
        [] | ["console"] => Line::Help,
        ["fork"] => Line::Fork,
        ["goto", scene] => Line::Order(Order::Goto(scene.to_owned())),
        ["back"] => Line::Back(1),
        ["back", "to", step] if number(step).is_some() => Line::BackTo(number(step).unwrap_or(0)),
        ["back", steps] if number(steps).is_some() => Line::Back(number(steps).unwrap_or(0)),
        ["seed", seed] if number(seed).is_some() => {
            Line::Order(Order::Seed(number(seed).unwrap_or(0)))
        }
        _ => Line::Order(Order::Lua(line.to_owned())),
    }
}

impl Lobby {
    /// Runs a line of the console.
    pub(super) fn console(
        &mut self,
        door: &mut Door<'_>,
        session: &mut Session,
        line: &str,
        draw_seed: &mut dyn FnMut() -> u64,
    ) -> Result<(), Stop> {
        match read(line) {
            Line::Help => Ok(door.front.tell(&[note(HELP)])?),
            Line::Order(order) => order_of(door, session, order),
            Line::Back(steps) => {
                let to = session.step_number().saturating_sub(steps);
                self.back(door, session, to)
            }
            Line::BackTo(step) => self.back(door, session, step),
            Line::Fork => self.fork(door, session, draw_seed),
        }
    }

    fn back(&mut self, door: &mut Door<'_>, session: &mut Session, to: u64) -> Result<(), Stop> {
        match run::back(&self.setup.data_dir, session, to) {
            Ok(story) => {
                door.front.begin(&story)?;
                let text = format!("Back at step {}.", session.step_number());
                Ok(door.front.tell(&[note(&text)])?)
            }
            Err(problem) => Ok(door.front.trouble(&problem)?),
        }
    }

    fn fork(
        &mut self,
        door: &mut Door<'_>,
        session: &mut Session,
        draw_seed: &mut dyn FnMut() -> u64,
    ) -> Result<(), Stop> {
        match run::fork(&mut self.held, session, draw_seed) {
            Ok(InHand { session: forked, told, notes, .. }) => {
                *session = forked;
                session.offer_ways_out();
                notes.iter().chain(&told.refused).try_for_each(|note| door.front.trouble(note))?;
                let name = session.run_id().unwrap_or_default();
                Ok(door
                    .front
                    .tell(&[note(&format!("This is now the run {name}, with its own dice."))])?)
            }
            Err(problem) => Ok(door.front.trouble(&problem)?),
        }
    }
}

fn order_of(door: &mut Door<'_>, session: &mut Session, order: Order) -> Result<(), Stop> {
    match session.console(order) {
        Ok(told) => {
            door.front.tell(&told.events)?;
            told.refused.iter().try_for_each(|problem| door.front.trouble(problem))?;
        }
        Err(StepError::NotAccepted(why)) => {
            door.front.trouble(&Problem::error("bad-answer", why))?;
        }
        Err(StepError::NotWritten(problem)) => door.front.trouble(&problem)?,
    }
    Ok(())
}

fn note(text: &str) -> Event {
    Event::Note { text: escape(text) }
}
