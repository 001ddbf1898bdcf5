//! How the award of a run is paid into a profile: integers add up, lists are appended, tables merge
//! field by field, and any other value replaces one of its type. The same rule collects the awards
//! of a run and applies them to the profile when it ends. `award_modes` has the other ways to pay.

use std::sync::Arc;

use super::award_modes;
use base::value::ValueMap;
use base::{Value, limits};

/// Largest magnitude of a sum.
const MAX_AWARD_SUM: i64 = 1 << 53;

/// The size of a value in a profile in addition to its texts: its line, and the time to read it.
pub const PROFILE_VALUE_OVERHEAD_BYTES: usize = 64;

/// The maximum size of a value in the file of a profile.
pub fn estimate_profile_bytes(value: &Value) -> usize {
    PROFILE_VALUE_OVERHEAD_BYTES
        + match value {
            Value::Text(text) => estimate_profile_text_bytes(text),
            Value::List(list) => list.iter().map(estimate_profile_bytes).sum(),
            Value::Map(map) => estimate_profile_map_bytes(map),
            _ => 0,
        }
}

/// The maximum size of a text in the file: an escaped character takes six bytes.
pub fn estimate_profile_text_bytes(text: &str) -> usize {
    let escaped = text.bytes().filter(|byte| *byte < b' ' || matches!(byte, b'"' | b'\\' | 127));
    text.len() + 5 * escaped.count()
}

/// Why an award is refused, and how its author can fix it.
#[derive(Debug)]
pub struct AwardError {
    /// What is wrong with it.
    pub reason: String,
    /// What to change.
    pub hint: &'static str,
}

impl AwardError {
    /// A value of the award has another type than the value that it is paid into.
    pub fn wrong_type(reason: String) -> Self {
        Self { reason, hint: "pay a value of the same type, or use a name of your own" }
    }

    /// A name that is reserved.
    pub(super) fn reserved_name(name: &str) -> Self {
        let reason = format!("award[{}] has a reserved name", base::quote(name));
        Self { reason, hint: "use a name that does not begin with @ or =" }
    }

    /// A name that one run pays in two ways.
    pub(super) fn mixed_modes(reason: String) -> Self {
        Self { reason, hint: "pay each name in one way: \"add\", \"max\" or \"set\"" }
    }

    /// A sum, a list or the whole award is too large.
    pub fn too_large(reason: String) -> Self {
        Self { reason, hint: "award less: small numbers, and a few names" }
    }
}

/// Refuses an award or an outcome that no profile has room for.
pub fn check_profile_size(data: &ValueMap) -> Result<(), String> {
    let (most, total) = (limits::MAX_PROFILE_BYTES_PER_GAME, estimate_profile_map_bytes(data));
    let found = || {
        format!("would take {total} bytes in a profile; at most {most} are allowed for one game")
    };
    if total > most { Err(found()) } else { Ok(()) }
}

fn estimate_profile_map_bytes(map: &ValueMap) -> usize {
    map.iter()
        .map(|(key, value)| estimate_profile_text_bytes(key) + estimate_profile_bytes(value))
        .sum()
}

/// Pays an award into plain data. If a sum is too large or a type differs, nothing is paid and the
/// reason is returned.
pub fn pay_award(data: &mut ValueMap, award: &ValueMap) -> Result<(), String> {
    let explain_conflict = |current: &Value, award_value: &Value| {
        explain_type_mismatch(current, award_value).or(explain_sum_overflow(current, award_value))
    };
    match find_award_conflict(data, award, "", &explain_conflict) {
        Some(why) => Err(why),
        None => {
            pay_entries(data, award);
            Ok(())
        }
    }
}

/// The first value of the award whose type differs from the present one, if any.
pub fn find_award_type_conflict(data: &ValueMap, award: &ValueMap) -> Option<String> {
    find_award_conflict(data, award, "", &explain_type_mismatch)
}

/// Pays an award as far as possible: a sum is clamped to 2^53, a list to the limit of entries, and
/// a value of another type is kept. Paying a finished run must never fail.
pub fn pay_award_clamped(target: &mut Value, award: &Value) {
    match (target, award) {
        (Value::Map(table), Value::Map(award)) => {
            award_modes::pay_modes(table, award);
            let sums = award.iter().filter(|(name, _)| !award_modes::is_mode_name(name));
            pay_entries(table, sums);
        }
        (target, award) => pay_value(target, award),
    }
}

fn pay_value(target: &mut Value, award: &Value) {
    match (target, award) {
        // Scripts cannot tell an empty table from an empty list: nothing is paid.
        (_, Value::Map(award)) if award.is_empty() => {}
        (Value::Map(_), Value::List(award)) if award.is_empty() => {}
        (Value::Int(sum), Value::Int(more)) => {
            *sum = sum.saturating_add(*more).clamp(-MAX_AWARD_SUM, MAX_AWARD_SUM);
        }
        (Value::List(list), Value::List(more)) => {
            let room = limits::MAX_TABLE_ENTRIES.saturating_sub(list.len());
            list.extend(more.iter().take(room).cloned());
        }
        (Value::Map(table), Value::Map(award)) => pay_entries(table, award),
        (into, award) if explain_type_mismatch(into, award).is_none() => *into = award.clone(),
        _ => {}
    }
}

fn pay_entries<'a>(
    table: &mut ValueMap,
    award: impl IntoIterator<Item = (&'a Arc<str>, &'a Value)>,
) {
    for (key, award_value) in award {
        match table.get_mut(key) {
            Some(there) => pay_value(there, award_value),
            None => drop(table.insert(Arc::clone(key), award_value.clone())),
        }
    }
}

/// The first conflict between an award and the present data.
fn find_award_conflict(
    data: &ValueMap,
    award: &ValueMap,
    path: &str,
    explain_conflict: &dyn Fn(&Value, &Value) -> Option<String>,
) -> Option<String> {
    award.iter().find_map(|(key, award_value)| {
        let path = if path.is_empty() { key.to_string() } else { format!("{path}.{key}") };
        match (data.get(key)?, award_value) {
            (Value::Map(present), Value::Map(gift)) => {
                find_award_conflict(present, gift, &path, explain_conflict)
            }
            (present, gift) => {
                explain_conflict(present, gift).map(|why| format!("award.{path} {why}"))
            }
        }
    })
}

pub(super) fn explain_type_mismatch(current: &Value, award_value: &Value) -> Option<String> {
    match (current, award_value) {
        // An empty table may be either.
        (Value::List(_), Value::Map(gift)) if gift.is_empty() => None,
        (Value::Map(present), Value::List(gift)) if present.is_empty() || gift.is_empty() => None,
        _ if current.type_name() == award_value.type_name() => None,
        _ => {
            let (current_type, other) = (current.type_name(), award_value.type_name());
            Some(format!("has type {current_type}, and the award has type {other}"))
        }
    }
}

fn explain_sum_overflow(current: &Value, award_value: &Value) -> Option<String> {
    let exceeded_limit = match (current, award_value) {
        (Value::Int(present), Value::Int(gift)) => {
            let sum = present
                .checked_add(*gift)
                .filter(|sum| sum.unsigned_abs() <= MAX_AWARD_SUM.unsigned_abs());
            sum.is_none().then(|| "2^53".to_owned())
        }
        (Value::List(present), Value::List(gift)) => {
            let entries = limits::MAX_TABLE_ENTRIES;
            (present.len() + gift.len() > entries).then(|| format!("{entries} entries"))
        }
        _ => None,
    };
    exceeded_limit.map(|most| format!("would come to more than {most}"))
}
