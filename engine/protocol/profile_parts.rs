//! The parts of the data that a profile keeps for a game: the game's own values, and a table for
//! each other mod, so that no two of them use the same name.

use std::borrow::Cow;
use std::sync::Arc;

use base::Value;
use base::value::ValueMap;

/// The sign before the id of a mod. No value of a game has a name that begins with it.
const MOD_SIGN: char = '@';
/// The signs with which no name of a value begins: they stand for mods and for ways to pay.
const RESERVED_SIGNS: [char; 2] = [MOD_SIGN, '='];

/// Whether a name is reserved, so that no script may award a value under it.
pub(super) fn is_reserved_name(name: &str) -> bool {
    name.starts_with(RESERVED_SIGNS)
}

/// The name of a mod's table.
pub fn mod_table_name(mod_id: &str) -> Arc<str> {
    Arc::from(format!("{MOD_SIGN}{mod_id}"))
}

/// The mod whose table has this name, if it is one.
pub fn mod_of_table_name(name: &str) -> Option<&str> {
    name.strip_prefix(MOD_SIGN)
}

/// What one owner sees of the data: a mod its table, and the game (`None`) its own values.
pub fn profile_part<'d>(data: &'d Value, mod_id: Option<&str>) -> Cow<'d, Value> {
    let Some(mod_id) = mod_id else { return game_part(data) };
    match data.get(&mod_table_name(mod_id)) {
        Some(table @ Value::Map(_)) => Cow::Borrowed(table),
        _ => Cow::Owned(Value::map()),
    }
}

fn game_part(data: &Value) -> Cow<'_, Value> {
    match data {
        Value::Map(map) if map.keys().any(|name| is_reserved_name(name)) => {
            let own = map.iter().filter(|(name, _)| !is_reserved_name(name));
            Cow::Owned(Value::Map(own.map(|(name, value)| (name.clone(), value.clone())).collect()))
        }
        _ => Cow::Borrowed(data),
    }
}

/// Replaces what one owner sees of the data.
pub fn replace_profile_part(data: Value, mod_id: Option<&str>, part: Value) -> Value {
    let mut map = match data {
        Value::Map(map) => map,
        _ => ValueMap::new(),
    };
    match (mod_id, part) {
        (Some(mod_id), part) => {
            map.insert(mod_table_name(mod_id), part);
        }
        (None, Value::Map(part)) => {
            map.retain(|name, _| is_reserved_name(name));
            map.extend(part);
        }
        (None, _) => {}
    }
    Value::Map(map)
}
