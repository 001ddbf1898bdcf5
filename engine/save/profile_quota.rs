//! The profile quota of each game: no game uses up the space of another, and a profile stays small
//! enough to be written.

use std::sync::Arc;

use base::value::ValueMap;
use base::{Value, limits};
use protocol::award::{
    PROFILE_VALUE_OVERHEAD_BYTES, estimate_profile_bytes, estimate_profile_text_bytes,
    pay_award_clamped,
};

/// The maximum size of the award data of all games together. It leaves room in the file for
/// everything else.
const MAX_ALL_GAMES_DATA_BYTES: usize = 16 * 1024 * 1024;
/// The maximum size of the facts that history shows for one run.
const MAX_HISTORY_FACTS_BYTES: usize = 2 * 1024;
/// The maximum size of the achievement ids of one game.
const MAX_ACHIEVEMENT_BYTES: usize = 256 * 1024;

/// The bytes that remain for one game beside the data of the others.
pub(super) fn remaining_quota_for_game<'g>(others: impl Iterator<Item = &'g Value>) -> usize {
    let used_bytes: usize = others.map(estimate_profile_bytes).sum();
    limits::MAX_PROFILE_BYTES_PER_GAME.min(MAX_ALL_GAMES_DATA_BYTES.saturating_sub(used_bytes))
}

/// Pays an award if the data then fits into `max_bytes`; else returns the reason and changes
/// nothing.
pub(super) fn pay_within_quota(
    data: &mut Value,
    award: &Value,
    max_bytes: usize,
) -> Result<(), String> {
    let mut updated = data.clone();
    pay_award_clamped(&mut updated, award);
    let (before, after) = (estimate_profile_bytes(data), estimate_profile_bytes(&updated));
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
    let cost = |id: &String| id.len() + PROFILE_VALUE_OVERHEAD_BYTES;
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
    let (mut facts, mut left) = (ValueMap::new(), MAX_HISTORY_FACTS_BYTES);
    let first = table.get_key_value("outcome");
    let rest = table.iter().filter(|(key, _)| &***key != "outcome");
    for (key, value) in first.into_iter().chain(rest) {
        let cost = estimate_profile_text_bytes(key) + estimate_profile_bytes(value);
        if !matches!(value, Value::List(_) | Value::Map(_)) && cost <= left {
            left -= cost;
            facts.insert(Arc::clone(key), value.clone());
        }
    }
    Value::Map(facts)
}
