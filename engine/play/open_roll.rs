//! Rolls whose telling is still open: dice have fallen, and something may yet be done to them before they
//! are told. They lie in the host's own table of the state, so that one may stay open while the player
//! is asked what to spend on it; scripts hold its number and nothing more, so that no roll is told that
//! no dice have thrown.

use std::sync::Arc;

use serde::{Deserialize, Serialize};

use super::event::{Event, Roll};
use super::world::World;
use crate::kit::value::Map;
use crate::kit::{Value, limits, meter};
use crate::state::Slot;

/// The table of them in the host's table: how many there were, and those that are open.
const ROLLS: &str = "rolls";
const MADE: &str = "made";
const OPEN: &str = "open";

/// Bytes that one byte of a roll counts as where the roll is read or written.
const PARSED: usize = 4;

/// A roll, read from the text that is kept of it.
fn parsed(text: &str) -> Option<OpenRoll> {
    meter::bytes(PARSED * text.len());
    serde_json::from_str(text).ok()
}

/// A roll whose telling is open.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct OpenRoll {
    /// As it would be told now.
    pub roll: Roll,
    /// As in `dice::Rolled`.
    pub natural: Option<i64>,
    /// The faces as they stand, in the order of `dice::Throw`; and those of what was added.
    pub faces: Vec<u32>,
    /// See above.
    pub more: Vec<u32>,
    /// What it is judged by, if that is thresholds.
    pub thresholds: Vec<(i64, String)>,
    /// Whether the player has seen it as it stands.
    pub shown: bool,
}

impl OpenRoll {
    /// All faces that count, as a judge is shown them.
    pub fn all_faces(&self) -> Vec<u32> {
        self.faces.iter().chain(&self.more).copied().collect()
    }
}

impl World {
    /// A roll that is open.
    pub fn open_roll(&self, number: u64) -> Option<OpenRoll> {
        let Slot::Node(rolls) = self.look_at_host(ROLLS)? else { return None };
        let Ok(Slot::Node(open)) = self.state.look_text(*rolls, OPEN) else { return None };
        let Ok(Slot::Text(text)) = self.state.look_text(*open, &number.to_string()) else {
            return None;
        };
        parsed(text)
    }

    /// Keeps a roll open; its number.
    pub fn add_open_roll(&mut self, open: &OpenRoll) -> Result<u64, String> {
        let number = self.rolls_made() + 1;
        let mut all = self.open_rolls();
        if all.len() >= limits::OPEN_ROLLS {
            let oldest = &all[0].1.roll;
            return Err(format!(
                "more than {} rolls are open, the oldest of them thrown at {}",
                limits::OPEN_ROLLS,
                oldest.by
            ));
        }
        all.push((number, open.clone()));
        self.set_open_rolls(number, &all)?;
        Ok(number)
    }

    /// Keeps a roll open as it is now.
    pub fn set_open_roll(&mut self, number: u64, open: &OpenRoll) -> Result<(), String> {
        let mut all = self.open_rolls();
        all.iter_mut().filter(|(one, _)| *one == number).for_each(|(_, kept)| *kept = open.clone());
        self.set_open_rolls(self.rolls_made(), &all)
    }

    /// A roll is open no longer.
    pub fn take_open_roll(&mut self, number: u64) -> Option<OpenRoll> {
        let mut all = self.open_rolls();
        let at = all.iter().position(|(one, _)| *one == number)?;
        let (_, taken) = all.remove(at);
        self.set_open_rolls(self.rolls_made(), &all).expect("a table that became smaller has room");
        Some(taken)
    }

    /// Tells all that are open and were not shown, as they stand.
    pub fn show_open_rolls(&mut self) -> Result<(), String> {
        if !self.has_host_value(ROLLS) {
            return Ok(());
        }
        for (number, mut open) in self.open_rolls() {
            if !open.shown {
                open.shown = true;
                self.set_open_roll(number, &open)?;
                self.tell(Event::Roll(Box::new(Roll { open: true, ..open.roll })))?;
            }
        }
        Ok(())
    }

    fn rolls_made(&self) -> u64 {
        let made = self.host_value(ROLLS).and_then(|rolls| rolls.get(MADE)?.as_int());
        made.unwrap_or(0).unsigned_abs()
    }

    /// All, the oldest first.
    fn open_rolls(&self) -> Vec<(u64, OpenRoll)> {
        let rolls = self.host_value(ROLLS);
        let open = rolls.as_ref().and_then(|rolls| rolls.get(OPEN)?.as_map());
        let read = |(number, text): (&Arc<str>, &Value)| {
            Some((number.parse().ok()?, parsed(text.as_text()?)?))
        };
        let mut all: Vec<(u64, OpenRoll)> = open.into_iter().flatten().filter_map(read).collect();
        all.sort_by_key(|(number, _)| *number);
        all
    }

    fn set_open_rolls(&mut self, made: u64, all: &[(u64, OpenRoll)]) -> Result<(), String> {
        let mut open = Map::new();
        for (number, roll) in all {
            let text = serde_json::to_string(roll).expect("a roll always has a JSON text");
            meter::bytes(text.len());
            if text.len() > limits::TEXT_BYTES {
                return Err("a roll of so many dice cannot be kept open".to_owned());
            }
            open.insert(Arc::from(number.to_string()), Value::text(text));
        }
        let made = Value::Int(i64::try_from(made).unwrap_or(i64::MAX));
        let rolls = Value::of([(MADE, made), (OPEN, Value::Map(open))]);
        self.set_host_value(ROLLS, Some(rolls))
    }
}
