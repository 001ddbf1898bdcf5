//! How the award of a run is paid into a profile: integers add up, lists are appended, tables merge
//! field by field, and any other value replaces one of its type. The same rule collects the awards
//! of a run and applies them to the profile when it ends.

use std::sync::Arc;

use crate::base::value::Map;
use crate::base::{Value, limits};

/// Largest magnitude of a sum.
const MOST: i64 = 1 << 53;

/// Pays an award into plain data. If a sum is too large or a type differs, nothing is paid and the
/// reason is returned.
pub fn pay_into(data: &mut Map, award: &Map) -> Result<(), String> {
    let wrong = |held: &Value, gift: &Value| of_another_sort(held, gift).or(too_large(held, gift));
    match first_conflict(data, award, "", &wrong) {
        Some(why) => Err(why),
        None => {
            pay_fields(data, award);
            Ok(())
        }
    }
}

/// The first value of the award whose type differs from the present one, if any.
pub fn type_conflict(data: &Map, award: &Map) -> Option<String> {
    first_conflict(data, award, "", &of_another_sort)
}

/// Pays an award as far as possible: a sum is clamped to 2^53, a list to the limit of entries, and
/// a value of another type is kept. Paying a finished run must never fail.
pub fn pay(into: &mut Value, award: &Value) {
    match (into, award) {
        // Scripts cannot tell an empty table from an empty list: nothing is paid.
        (_, Value::Map(award)) if award.is_empty() => {}
        (Value::Map(_), Value::List(award)) if award.is_empty() => {}
        (Value::Int(sum), Value::Int(more)) => {
            *sum = sum.saturating_add(*more).clamp(-MOST, MOST);
        }
        (Value::List(list), Value::List(more)) => {
            let room = limits::TABLE_ENTRIES.saturating_sub(list.len());
            list.extend(more.iter().take(room).cloned());
        }
        (Value::Map(table), Value::Map(award)) => pay_fields(table, award),
        (into, award) if of_another_sort(into, award).is_none() => *into = award.clone(),
        _ => {}
    }
}

fn pay_fields(table: &mut Map, award: &Map) {
    for (key, more) in award {
        match table.get_mut(key) {
            Some(there) => pay(there, more),
            None => drop(table.insert(Arc::clone(key), more.clone())),
        }
    }
}

/// The first conflict between an award and the present data.
fn first_conflict(
    data: &Map,
    award: &Map,
    path: &str,
    wrong: &dyn Fn(&Value, &Value) -> Option<String>,
) -> Option<String> {
    award.iter().find_map(|(key, gift)| {
        let path = if path.is_empty() { key.to_string() } else { format!("{path}.{key}") };
        match (data.get(key)?, gift) {
            (Value::Map(held), Value::Map(gift)) => first_conflict(held, gift, &path, wrong),
            (held, gift) => wrong(held, gift).map(|why| format!("award.{path} {why}")),
        }
    })
}

fn of_another_sort(held: &Value, gift: &Value) -> Option<String> {
    match (held, gift) {
        // An empty table may be either.
        (Value::List(_), Value::Map(gift)) if gift.is_empty() => None,
        (Value::Map(held), Value::List(gift)) if held.is_empty() || gift.is_empty() => None,
        _ if held.type_name() == gift.type_name() => None,
        _ => {
            let (is, other) = (held.type_name(), gift.type_name());
            Some(format!("has type {is}, and the award has type {other}"))
        }
    }
}

fn too_large(held: &Value, gift: &Value) -> Option<String> {
    let most = match (held, gift) {
        (Value::Int(held), Value::Int(gift)) => {
            let sum =
                held.checked_add(*gift).filter(|sum| sum.unsigned_abs() <= MOST.unsigned_abs());
            sum.is_none().then(|| "2^53".to_owned())
        }
        (Value::List(held), Value::List(gift)) => {
            let entries = limits::TABLE_ENTRIES;
            (held.len() + gift.len() > entries).then(|| format!("{entries} entries"))
        }
        _ => None,
    };
    most.map(|most| format!("would come to more than {most}"))
}
