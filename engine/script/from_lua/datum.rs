//! From Lua's tables to data of a definition. Functions are kept and become handles; everything
//! else must be plain.

use std::ffi::c_void;
use std::sync::Arc;

use mlua::{Lua, Table, Value};

use crate::content::{Datum, FnRef};
use crate::kit::{self, Place, Problem, limits};
use crate::script::host::{Host, KEPT_BYTES};
use crate::script::{fuel, raw};

/// Reads a value of Lua. `path` says what it is called, for Problems.
pub(super) fn read(lua: &Lua, host: &Host, value: &Value, path: &str) -> mlua::Result<Datum> {
    if let Value::Table(table) = value
        && let Some(datum) = read_plain(lua, host, table)
    {
        return Ok(datum);
    }
    read_at(lua, host, value, path, &mut Vec::new())
}

/// Reads a table in one go, where nothing is wrong with it and there is fuel and room for all of it.
fn read_plain(lua: &Lua, host: &Host, table: &Table) -> Option<Datum> {
    let units = |read: &raw::Counts| read.values * UNITS_PER_VALUE + read.units;
    let bytes =
        |read: &raw::Counts| read.values * VALUE_BYTES + read.bytes + read.tables * TABLE_BYTES;
    let fuel = usize::try_from(fuel::left()).unwrap_or(0);
    let room = limits::DECLARED_BYTES.saturating_sub(fuel::held());
    let fits = |read: &raw::Counts| {
        units(read) <= fuel && bytes(read) + read.functions * KEPT_BYTES <= room
    };
    let mut body = raw::body(lua, host, table, BYTES_PER_UNIT, &fits)?;
    if !fits(&body.counts) {
        return None;
    }
    fuel::charge(units(&body.counts));
    fuel::hold(bytes(&body.counts));
    let mut kept: Vec<Option<FnRef>> =
        body.functions.into_iter().map(|function| Some(host.keep(function))).collect();
    put_kept(&mut body.datum, &mut kept);
    Some(body.datum)
}

/// Puts the functions that are kept now where their places among all stand.
fn put_kept(datum: &mut Datum, kept: &mut [Option<FnRef>]) {
    match datum {
        Datum::Fn(function) => {
            let place = usize::try_from(function.id).expect("there are few functions");
            **function = kept[place].take().expect("each function has a place of its own");
        }
        Datum::List(list) => list.iter_mut().for_each(|item| put_kept(item, kept)),
        Datum::Map(map) => map.values_mut().for_each(|item| put_kept(item, kept)),
        _ => {}
    }
}

/// Fuel of one value in a definition, and how many bytes of a text cost one unit: what is declared
/// lies in our memory, and one table may stand in many places of another.
const UNITS_PER_VALUE: usize = 10;
const BYTES_PER_UNIT: usize = 4;
/// About what a value takes here and once more as scripts read it, beside the bytes of a text.
const VALUE_BYTES: usize = 256;
/// The same of a table that holds values.
const TABLE_BYTES: usize = 1024;

/// `above` are the tables that we are inside of.
fn read_at(
    lua: &Lua,
    host: &Host,
    value: &Value,
    path: &str,
    above: &mut Vec<*const c_void>,
) -> mlua::Result<Datum> {
    let bytes = value.as_string().map_or(0, |text| text.as_bytes().len());
    if !fuel::charge(UNITS_PER_VALUE + bytes / BYTES_PER_UNIT) {
        return Err(host.fail(lua, host.fuel.problem()));
    }
    fuel::hold(VALUE_BYTES + bytes);
    if let Some(problem) = fuel::held_too_much() {
        return Err(host.fail(lua, problem));
    }
    match value {
        Value::Boolean(truth) => Ok(Datum::Bool(*truth)),
        Value::Integer(int) => Ok(Datum::Int(*int)),
        Value::Number(number) => match kit::Value::number(*number) {
            Some(value) => Ok(Datum::from_value(&value)),
            None => Err(refuse(lua, host, path, "a number without end or meaning")),
        },
        Value::String(text) => match text.to_str() {
            Ok(text) if text.len() <= limits::TEXT_BYTES => Ok(Datum::text(&*text)),
            Ok(_) => Err(refuse(lua, host, path, "a text that is too long")),
            Err(_) => Err(refuse(lua, host, path, "a text that is not valid UTF-8")),
        },
        Value::Function(function) => Ok(Datum::Fn(Box::new(host.keep(function.clone())))),
        Value::Table(table) => read_table(lua, host, table, path, above),
        Value::UserData(data) if data.is::<super::edit::Mark>() => {
            let problem = Problem::error("edit-outside-patch", format!("{path} is an edit"))
                .expected("`add`, `drop` and `wrap` only inside `patch.kind \"id\" { … }`");
            Err(host.fail(lua, problem.at(place_of_path(lua, host, path))))
        }
        Value::UserData(_) => Err(refuse(lua, host, path, "a value of the host")),
        other => Err(refuse(lua, host, path, other.type_name())),
    }
}

fn read_table(
    lua: &Lua,
    host: &Host,
    table: &Table,
    path: &str,
    above: &mut Vec<*const c_void>,
) -> mlua::Result<Datum> {
    if above.contains(&table.to_pointer()) {
        return Err(refuse(lua, host, path, "a table that holds this one again, without end"));
    }
    if above.len() >= limits::DEPTH {
        return Err(refuse(lua, host, path, "a table nested too deep"));
    }
    above.push(table.to_pointer());
    fuel::hold(TABLE_BYTES);
    let length = table.raw_len();
    let mut list = Vec::new();
    let mut map: Vec<(Arc<str>, Datum)> = Vec::new();
    for pair in table.pairs::<Value, Value>() {
        let (key, item) = pair?;
        if list.len() + map.len() >= limits::TABLE_ENTRIES {
            return Err(refuse(lua, host, path, "a table with too many entries"));
        }
        match index_of(&key) {
            Some(at) if at <= length => {
                let inner = read_at(lua, host, &item, &format!("{path}[{at}]"), above)?;
                list.push((at, inner));
            }
            _ => {
                let Some(name) = key.as_string().and_then(|key| key.to_str().ok()) else {
                    let found = format!("a table with a key that is {}", key.type_name());
                    return Err(refuse(lua, host, path, &found));
                };
                let inner = read_at(lua, host, &item, &below(path, &name), above)?;
                map.push((Arc::from(&*name), inner));
            }
        }
    }
    above.pop();
    match (list.is_empty(), map.iter().map(|(name, _)| name).min()) {
        (false, Some(name)) => {
            let found = format!("both a list and names (`{name}`)");
            Err(refuse(lua, host, path, &found))
        }
        (false, None) => {
            list.sort_by_key(|(at, _)| *at);
            Ok(Datum::List(list.into_iter().map(|(_, item)| item).collect()))
        }
        (true, _) => Ok(Datum::Map(map.into_iter().collect())),
    }
}

/// Where the last name of a path stands in the declaration that the calling Lua is at.
pub(super) fn place_of_path(lua: &Lua, host: &Host, path: &str) -> Place {
    let place = host.place_of_caller(lua);
    let last = path.rsplit('.').next().unwrap_or(path);
    let name = last.split('[').next().unwrap_or(last);
    host.sources.place_of_field(place, name)
}

/// The path of a field below a path.
pub(super) fn below(path: &str, name: &str) -> String {
    if path.is_empty() { name.to_owned() } else { format!("{path}.{name}") }
}

/// The number that a value is. A whole one arrives as another variant than a fraction does.
pub(super) fn number_of(value: &Value) -> Option<f64> {
    value.as_f64().or_else(|| value.as_i64().map(|whole| whole as f64))
}

/// The whole number from 1 that a key is, if it is one.
fn index_of(key: &Value) -> Option<usize> {
    let number = number_of(key)?;
    (number >= 1.0 && number == number.trunc() && number < 9e15).then_some(number as usize)
}

fn refuse(lua: &Lua, host: &Host, path: &str, found: &str) -> mlua::Error {
    let problem = Problem::error("not-plain", format!("{path} is {found}")).expected(
        "booleans, numbers, texts, functions, and tables of them with keys 1..n or names",
    );
    host.fail(lua, problem.at(place_of_path(lua, host, path)))
}
