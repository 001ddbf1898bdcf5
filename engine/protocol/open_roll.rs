//! Open rolls: dice were rolled, and modifiers may still change the result before it is final. They
//! are in the host's table of the state, so a roll can stay open while the player is asked. Scripts
//! hold only its number, so a script cannot report a roll that no dice produced.

use std::sync::Arc;

use serde::{Deserialize, Serialize};

use super::story_event::{RollEvent, StoryEvent};
use super::world::WorldState;
use base::value::ValueMap;
use base::{Value, limits, meter};
use state::StoredValue;

/// The table in the host's table: a counter, and the open rolls.
const ROLLS_KEY: &str = "rolls";
const ROLL_COUNT_KEY: &str = "made";
const OPEN_ROLLS_KEY: &str = "open";

/// Memory that one byte of a roll counts as where it is parsed or written.
const PARSE_COST_PER_BYTE: usize = 4;

/// Parses an open roll from its stored text.
fn parse_open_roll(text: &str) -> Option<OpenRoll> {
    meter::charge_bytes(PARSE_COST_PER_BYTE * text.len());
    serde_json::from_str(text).ok()
}

/// An open roll.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct OpenRoll {
    /// The roll as it would be reported now.
    #[serde(rename = "roll")]
    pub event: RollEvent,
    /// As in `dice::RollResult`.
    pub natural: Option<i64>,
    /// The current faces, in the order of `dice::FaceCombination`.
    pub faces: Vec<u32>,
    /// The faces of added dice.
    #[serde(rename = "more")]
    pub added_faces: Vec<u32>,
    /// The thresholds that judge it, if any.
    pub thresholds: Vec<(i64, String)>,
    /// Whether the player has seen its current state.
    #[serde(rename = "shown")]
    pub is_shown: bool,
}

impl OpenRoll {
    /// All faces that count, in the form that a judge function receives.
    pub fn all_faces(&self) -> Vec<u32> {
        self.faces.iter().chain(&self.added_faces).copied().collect()
    }
}

impl WorldState {
    /// A roll that is open.
    pub fn find_open_roll(&self, number: u64) -> Option<OpenRoll> {
        let StoredValue::Table(rolls) = self.host_value_ref(ROLLS_KEY)? else { return None };
        let Ok(StoredValue::Table(open)) = self.state.get_ref_by_text_key(*rolls, OPEN_ROLLS_KEY)
        else {
            return None;
        };
        let Ok(StoredValue::Text(text)) =
            self.state.get_ref_by_text_key(*open, &number.to_string())
        else {
            return None;
        };
        parse_open_roll(text)
    }

    /// Stores an open roll and returns its number.
    pub fn add_open_roll(&mut self, open_roll: &OpenRoll) -> Result<u64, String> {
        let number = self.created_roll_count() + 1;
        let mut all = self.open_rolls();
        if all.len() >= limits::MAX_OPEN_ROLLS {
            let oldest = &all[0].1.event;
            return Err(format!(
                "more than {} rolls are open; the oldest was made at {}",
                limits::MAX_OPEN_ROLLS,
                oldest.source_position
            ));
        }
        all.push((number, open_roll.clone()));
        self.set_open_rolls(number, &all)?;
        Ok(number)
    }

    /// Updates an open roll.
    pub fn set_open_roll(&mut self, number: u64, open_roll: &OpenRoll) -> Result<(), String> {
        let mut all = self.open_rolls();
        all.iter_mut()
            .filter(|(one, _)| *one == number)
            .for_each(|(_, stored)| *stored = open_roll.clone());
        self.set_open_rolls(self.created_roll_count(), &all)
    }

    /// Removes an open roll and returns it.
    pub fn remove_open_roll(&mut self, number: u64) -> Option<OpenRoll> {
        let mut all = self.open_rolls();
        let at = all.iter().position(|(one, _)| *one == number)?;
        let (_, open_roll) = all.remove(at);
        self.set_open_rolls(self.created_roll_count(), &all)
            .expect("a table that became smaller has room");
        Some(open_roll)
    }

    /// Emits every open roll that was not shown, in its current state.
    pub fn emit_unshown_rolls(&mut self) -> Result<(), String> {
        if !self.has_host_value(ROLLS_KEY) {
            return Ok(());
        }
        for (number, mut open_roll) in self.open_rolls() {
            if !open_roll.is_shown {
                open_roll.is_shown = true;
                self.set_open_roll(number, &open_roll)?;
                self.emit_story_event(StoryEvent::Roll(Box::new(RollEvent {
                    is_open: true,
                    ..open_roll.event
                })))?;
            }
        }
        Ok(())
    }

    fn created_roll_count(&self) -> u64 {
        let roll_count =
            self.host_value(ROLLS_KEY).and_then(|rolls| rolls.get(ROLL_COUNT_KEY)?.as_int());
        roll_count.unwrap_or(0).unsigned_abs()
    }

    /// All open rolls, the oldest first.
    fn open_rolls(&self) -> Vec<(u64, OpenRoll)> {
        let rolls = self.host_value(ROLLS_KEY);
        let open = rolls.as_ref().and_then(|rolls| rolls.get(OPEN_ROLLS_KEY)?.as_map());
        let parse_entry = |(number, text): (&Arc<str>, &Value)| {
            Some((number.parse().ok()?, parse_open_roll(text.as_text()?)?))
        };
        let mut all: Vec<(u64, OpenRoll)> =
            open.into_iter().flatten().filter_map(parse_entry).collect();
        all.sort_by_key(|(number, _)| *number);
        all
    }

    fn set_open_rolls(&mut self, roll_count: u64, all: &[(u64, OpenRoll)]) -> Result<(), String> {
        let mut open = ValueMap::new();
        for (number, roll) in all {
            let text = serde_json::to_string(roll).expect("a roll always has a JSON text");
            meter::charge_bytes(text.len());
            if text.len() > limits::MAX_TEXT_BYTES {
                return Err("a roll with this many dice cannot stay open".to_owned());
            }
            open.insert(Arc::from(number.to_string()), Value::text(text));
        }
        let roll_count = Value::Int(i64::try_from(roll_count).unwrap_or(i64::MAX));
        let rolls =
            Value::map_of([(ROLL_COUNT_KEY, roll_count), (OPEN_ROLLS_KEY, Value::Map(open))]);
        self.set_host_value(ROLLS_KEY, Some(rolls))
    }
}
