//! The share that each game has of a profile: no game takes the room of another, and none grows a profile
//! until it cannot be written.

use std::sync::Arc;

use crate::kit::Value;
use crate::kit::value::Map;
use crate::play::award::pay;

/// Most bytes of what awards pay into, for one game.
pub(super) const DATA_BYTES: usize = 1024 * 1024;
/// Most bytes of the same for all games together. It leaves room in the file for all the rest.
const ALL_DATA_BYTES: usize = 16 * 1024 * 1024;
/// What a value counts as beside its text: its line, and the work of reading it.
const VALUE_BYTES: usize = 64;
/// Most bytes of the facts that history tells of one run.
const FACT_BYTES: usize = 2 * 1024;
/// Most bytes of the ids of achievements that one game has.
const ACHIEVED_BYTES: usize = 256 * 1024;

/// The bytes that a value takes in a profile at most.
fn bytes_of(value: &Value) -> usize {
    VALUE_BYTES
        + match value {
            Value::Text(text) => text_bytes(text),
            Value::List(list) => list.iter().map(bytes_of).sum(),
            Value::Map(map) => {
                map.iter().map(|(key, value)| text_bytes(key) + bytes_of(value)).sum()
            }
            _ => 0,
        }
}

/// A control character is written as six.
fn text_bytes(text: &str) -> usize {
    let escaped = text.bytes().filter(|byte| *byte < b' ' || matches!(byte, b'"' | b'\\' | 127));
    text.len() + 5 * escaped.count()
}

/// The bytes that are left for one game where others keep these.
pub(super) fn of_all<'g>(others: impl Iterator<Item = &'g Value>) -> usize {
    let taken: usize = others.map(bytes_of).sum();
    DATA_BYTES.min(ALL_DATA_BYTES.saturating_sub(taken))
}

/// Pays an award if the data is no larger than `room` after it; else says what was found, and pays nothing.
pub(super) fn pay_within(data: &mut Value, award: &Value, room: usize) -> Result<(), String> {
    let mut paid = data.clone();
    pay(&mut paid, award);
    let (before, after) = (bytes_of(data), bytes_of(&paid));
    // What takes no more room than before is paid wherever it is.
    if after > room && after > before {
        return Err(format!(
            "with it the game would keep {after} bytes, and there is room for {room}"
        ));
    }
    *data = paid;
    Ok(())
}

/// The ids among `achieved` that are new, as far as there is room for them.
pub(super) fn new_ids(kept: &[String], achieved: &[String]) -> Vec<String> {
    let cost = |id: &String| id.len() + VALUE_BYTES;
    let mut left = ACHIEVED_BYTES.saturating_sub(kept.iter().map(cost).sum());
    let mut fresh: Vec<String> = Vec::new();
    for id in achieved {
        if kept.contains(id) || fresh.contains(id) || cost(id) > left {
            continue;
        }
        left -= cost(id);
        fresh.push(id.clone());
    }
    fresh
}

/// What history keeps of a table: its plain facts as far as there is room, `outcome` first. Lists, tables
/// and longer texts stay in the run's own journal.
pub(super) fn short_facts(table: &Value) -> Value {
    let Value::Map(table) = table else { return Value::map() };
    let (mut facts, mut left) = (Map::new(), FACT_BYTES);
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
