//! What a run pays into a profile, and how: whole numbers add up, lists grow, tables are paid into
//! field by field, and anything else is set in place of what is like it. The same rule gathers the awards of a run and
//! applies them to the profile when it ends.

use crate::kit::Value;
use crate::kit::value::Map;

/// Pays an award into plain data. If a sum would be too large, or what is there of another sort, nothing is
/// paid and the reason is given.
pub fn pay_into(data: &mut Map, award: &Map) -> Result<(), String> {
    if let Some(why) = unlike(data, award, "") {
        return Err(why);
    }
    let mut paid = data.clone();
    pay(&mut paid, award, "")?;
    *data = paid;
    Ok(())
}

/// What an award would put in place of something of another sort, which whoever reads it does not expect;
/// nothing where there is no such thing.
pub fn unlike(data: &Map, award: &Map, path: &str) -> Option<String> {
    award.iter().find_map(|(key, gift)| {
        let held = data.get(key)?;
        let path = if path.is_empty() { key.to_string() } else { format!("{path}.{key}") };
        match (held, gift) {
            (Value::Map(held), Value::Map(gift)) => unlike(held, gift, &path),
            // An empty table may be either.
            (Value::List(_), Value::Map(gift)) if gift.is_empty() => None,
            (Value::Map(held), Value::List(gift)) if held.is_empty() || gift.is_empty() => None,
            _ if held.type_name() == gift.type_name() => None,
            _ => {
                let (is, other) = (held.type_name(), gift.type_name());
                Some(format!(
                    "award.{path} is of type {is} so far, and what is paid is of type {other}"
                ))
            }
        }
    })
}

fn pay(data: &mut Map, award: &Map, path: &str) -> Result<(), String> {
    for (key, gift) in award {
        let path = if path.is_empty() { key.to_string() } else { format!("{path}.{key}") };
        let Some(held) = data.get_mut(key) else {
            data.insert(key.clone(), gift.clone());
            continue;
        };
        match (&mut *held, gift) {
            (Value::Int(held), Value::Int(gift)) => *held = sum(*held, *gift, &path)?,
            (Value::List(held), Value::List(gift)) => held.extend(gift.iter().cloned()),
            (Value::Map(held), Value::Map(gift)) => pay(held, gift, &path)?,
            // An empty table may be either, so that nothing is what it pays.
            (Value::List(_), Value::Map(gift)) if gift.is_empty() => {}
            (Value::Map(_), Value::List(gift)) if gift.is_empty() => {}
            _ => *held = gift.clone(),
        }
    }
    Ok(())
}

fn sum(held: i64, gift: i64, path: &str) -> Result<i64, String> {
    held.checked_add(gift)
        .filter(|sum| sum.unsigned_abs() <= 1 << 53)
        .ok_or_else(|| format!("award.{path} would come to more than 2^53"))
}
