//! The profile quota of each game: no game uses up the space of another, and a profile stays small
//! enough to be written.

use std::sync::Arc;

use crate::base::value::Map;
use crate::base::{Value, limits};
use crate::protocol::award::{
    PROFILE_BYTES_PER_VALUE, pay_award_clamped, profile_bytes, profile_text_bytes,
};

/// The maximum size of the award data of all games together. It leaves room in the file for everything else.
const MAX_ALL_GAMES_DATA_BYTES: usize = 16 * 1024 * 1024;
/// The maximum size of the facts that history shows for one run.
const MAX_FACTS_BYTES: usize = 2 * 1024;
/// The maximum size of the achievement ids of one game.
const MAX_ACHIEVEMENT_BYTES: usize = 256 * 1024;

/// The bytes that remain for one game beside the data of the others.
pub(super) fn remaining_for_game<'g>(others: impl Iterator<Item = &'g Value>) -> usize {
    let used_bytes: usize = others.map(profile_bytes).sum();
    limits::PROFILE_BYTES_PER_GAME.min(MAX_ALL_GAMES_DATA_BYTES.saturating_sub(used_bytes))
}

/// Pays an award if the data then fits into `max_bytes`; else returns the reason and changes nothing.
pub(super) fn pay_within_quota(
    data: &mut Value,
    award: &Value,
    max_bytes: usize,
) -> Result<(), String> {
    let mut updated = data.clone();
    pay_award_clamped(&mut updated, award);
    let (before, after) = (profile_bytes(data), profile_bytes(&updated));
    // An award that does not increase the size is always paid.
    if after > max_bytes && after > before {
        return Err(format!(
            "with it the game would store {after} bytes, and {max_bytes} are allowed"
        ));
    }
    *data = updated;
    Ok(())
}

/// The new ids among `achieved` that fit.
pub(super) fn new_achievement_ids(recorded: &[String], achieved: &[String]) -> Vec<String> {
    let cost = |id: &String| id.len() + PROFILE_BYTES_PER_VALUE;
    let mut left = MAX_ACHIEVEMENT_BYTES.saturating_sub(recorded.iter().map(cost).sum());
    let mut new_ids: Vec<String> = Vec::new();
    for id in achieved {
        if recorded.contains(id) || new_ids.contains(id) || cost(id) > left {
            continue;
        }
        left -= cost(id);
        new_ids.push(id.clone());
    }
    new_ids
}

/// The facts of a table for history: plain values that fit, `outcome` first. Lists, tables and
/// longer texts stay in the run's journal.
pub(super) fn select_history_facts(table: &Value) -> Value {
    let Value::Map(table) = table else { return Value::map() };
    let (mut facts, mut left) = (Map::new(), MAX_FACTS_BYTES);
    let first = table.get_key_value("outcome");
    let rest = table.iter().filter(|(key, _)| &***key != "outcome");
    for (key, value) in first.into_iter().chain(rest) {
        let cost = profile_text_bytes(key) + profile_bytes(value);
        if !matches!(value, Value::List(_) | Value::Map(_)) && cost <= left {
            left -= cost;
            facts.insert(Arc::clone(key), value.clone());
        }
    }
    Value::Map(facts)
}
