//! How the award of a run is paid into a profile: integers add up, lists are appended, tables merge
//! field by field, and any other value replaces one of its type. The same rule collects the awards
//! of a run and applies them to the profile when it ends.

use std::sync::Arc;

use crate::base::value::Map;
use crate::base::{Value, limits};

/// Largest magnitude of a sum.
const MAX_AWARD_SUM: i64 = 1 << 53;

/// Pays an award into plain data. If a sum is too large or a type differs, nothing is paid and the
/// reason is returned.
pub fn pay_award(data: &mut Map, award: &Map) -> Result<(), String> {
    let wrong = |present: &Value, gift: &Value| {
        type_mismatch(present, gift).or(sum_too_large(present, gift))
    };
    match first_award_conflict(data, award, "", &wrong) {
        Some(why) => Err(why),
        None => {
            pay_entries(data, award);
            Ok(())
        }
    }
}

/// The first value of the award whose type differs from the present one, if any.
pub fn type_conflict(data: &Map, award: &Map) -> Option<String> {
    first_award_conflict(data, award, "", &type_mismatch)
}

/// Pays an award as far as possible: a sum is clamped to 2^53, a list to the limit of entries, and
/// a value of another type is kept. Paying a finished run must never fail.
pub fn pay_award_clamped(into: &mut Value, award: &Value) {
    match (into, award) {
        // Scripts cannot tell an empty table from an empty list: nothing is paid.
        (_, Value::Map(award)) if award.is_empty() => {}
        (Value::Map(_), Value::List(award)) if award.is_empty() => {}
        (Value::Int(sum), Value::Int(more)) => {
            *sum = sum.saturating_add(*more).clamp(-MAX_AWARD_SUM, MAX_AWARD_SUM);
        }
        (Value::List(list), Value::List(more)) => {
            let room = limits::TABLE_ENTRIES.saturating_sub(list.len());
            list.extend(more.iter().take(room).cloned());
        }
        (Value::Map(table), Value::Map(award)) => pay_entries(table, award),
        (into, award) if type_mismatch(into, award).is_none() => *into = award.clone(),
        _ => {}
    }
}

fn pay_entries(table: &mut Map, award: &Map) {
    for (key, more) in award {
        match table.get_mut(key) {
            Some(there) => pay_award_clamped(there, more),
            None => drop(table.insert(Arc::clone(key), more.clone())),
        }
    }
}

/// The first conflict between an award and the present data.
fn first_award_conflict(
    data: &Map,
    award: &Map,
    path: &str,
    wrong: &dyn Fn(&Value, &Value) -> Option<String>,
) -> Option<String> {
    award.iter().find_map(|(key, gift)| {
        let path = if path.is_empty() { key.to_string() } else { format!("{path}.{key}") };
        match (data.get(key)?, gift) {
            (Value::Map(present), Value::Map(gift)) => {
                first_award_conflict(present, gift, &path, wrong)
            }
            (present, gift) => wrong(present, gift).map(|why| format!("award.{path} {why}")),
        }
    })
}

fn type_mismatch(present: &Value, gift: &Value) -> Option<String> {
    match (present, gift) {
        // An empty table may be either.
        (Value::List(_), Value::Map(gift)) if gift.is_empty() => None,
        (Value::Map(present), Value::List(gift)) if present.is_empty() || gift.is_empty() => None,
        _ if present.type_name() == gift.type_name() => None,
        _ => {
            let (is, other) = (present.type_name(), gift.type_name());
            Some(format!("has type {is}, and the award has type {other}"))
        }
    }
}

fn sum_too_large(present: &Value, gift: &Value) -> Option<String> {
    let most = match (present, gift) {
        (Value::Int(present), Value::Int(gift)) => {
            let sum = present
                .checked_add(*gift)
                .filter(|sum| sum.unsigned_abs() <= MAX_AWARD_SUM.unsigned_abs());
            sum.is_none().then(|| "2^53".to_owned())
        }
        (Value::List(present), Value::List(gift)) => {
            let entries = limits::TABLE_ENTRIES;
            (present.len() + gift.len() > entries).then(|| format!("{entries} entries"))
        }
        _ => None,
    };
    most.map(|most| format!("would come to more than {most}"))
}
