//! The profile quota of each game: no game uses up the space of another, and a profile stays small
//! enough to be written.

use std::sync::Arc;

use crate::base::Value;
use crate::base::value::Map;
use crate::protocol::award::pay_award_clamped;

/// The maximum size of the award data of one game.
pub(super) const MAX_GAME_DATA_BYTES: usize = 1024 * 1024;
/// The same for all games together. It leaves room in the file for everything else.
const MAX_ALL_GAMES_DATA_BYTES: usize = 16 * 1024 * 1024;
/// The overhead per value: its line, and the time to read it.
const VALUE_OVERHEAD_BYTES: usize = 64;
/// The maximum size of the facts that history shows for one run.
const MAX_FACTS_BYTES: usize = 2 * 1024;
/// The maximum size of the achievement ids of one game.
const MAX_ACHIEVEMENT_BYTES: usize = 256 * 1024;

/// The most bytes that a value takes in the file of a profile.
fn bytes_of(value: &Value) -> usize {
    VALUE_OVERHEAD_BYTES
        + match value {
            Value::Text(text) => text_bytes(text),
            Value::List(list) => list.iter().map(bytes_of).sum(),
            Value::Map(map) => {
                map.iter().map(|(key, value)| text_bytes(key) + bytes_of(value)).sum()
            }
            _ => 0,
        }
}

/// A control character takes six bytes.
fn text_bytes(text: &str) -> usize {
    let escaped = text.bytes().filter(|byte| *byte < b' ' || matches!(byte, b'"' | b'\\' | 127));
    text.len() + 5 * escaped.count()
}

/// The bytes that remain for one game beside the data of the others.
pub(super) fn remaining_for_game<'g>(others: impl Iterator<Item = &'g Value>) -> usize {
    let taken: usize = others.map(bytes_of).sum();
    MAX_GAME_DATA_BYTES.min(MAX_ALL_GAMES_DATA_BYTES.saturating_sub(taken))
}

/// Pays an award if the data then fits into `room`; else returns the reason and changes nothing.
pub(super) fn pay_within_quota(data: &mut Value, award: &Value, room: usize) -> Result<(), String> {
    let mut paid = data.clone();
    pay_award_clamped(&mut paid, award);
    let (before, after) = (bytes_of(data), bytes_of(&paid));
    // An award that does not increase the size is always paid.
    if after > room && after > before {
        return Err(format!("with it the game would store {after} bytes, and {room} are allowed"));
    }
    *data = paid;
    Ok(())
}

/// The new ids among `achieved` that fit.
pub(super) fn new_achievement_ids(recorded: &[String], achieved: &[String]) -> Vec<String> {
    let cost = |id: &String| id.len() + VALUE_OVERHEAD_BYTES;
    let mut left = MAX_ACHIEVEMENT_BYTES.saturating_sub(recorded.iter().map(cost).sum());
    let mut fresh: Vec<String> = Vec::new();
    for id in achieved {
        if recorded.contains(id) || fresh.contains(id) || cost(id) > left {
            continue;
        }
        left -= cost(id);
        fresh.push(id.clone());
    }
    fresh
}

/// The facts of a table for history: plain values that fit, `outcome` first. Lists, tables and
/// longer texts stay in the run's journal.
pub(super) fn short_facts(table: &Value) -> Value {
    let Value::Map(table) = table else { return Value::map() };
    let (mut facts, mut left) = (Map::new(), MAX_FACTS_BYTES);
    let first = table.get_key_value("outcome");
    let rest = table.iter().filter(|(key, _)| &***key != "outcome");
    for (key, value) in first.into_iter().chain(rest) {
        let cost = text_bytes(key) + bytes_of(value);
        if !matches!(value, Value::List(_) | Value::Map(_)) && cost <= left {
            left -= cost;
            facts.insert(Arc::clone(key), value.clone());
        }
    }
    Value::Map(facts)
}
