//! `say`, `heading`, `note`, `gain`, `loss`: what happened, told to the player; and `fill`, which
//! puts values into a text without telling it.

use std::rc::Rc;
use std::sync::Arc;

use mlua::{Lua, Table, Value as LuaValue};

use super::super::host::Host;
use super::super::{convert, proxy, raw, shape};
use crate::kit::value::Map;
use crate::kit::{Problem, Value, text};
use crate::play::Event;

/// Declares them.
pub(super) fn declare(lua: &Lua, host: &Rc<Host>, base: &Table) -> mlua::Result<()> {
    for (sort, (name, event)) in raw::TOLD.into_iter().enumerate() {
        let (shared, name) = (host.clone(), name.to_str().expect("these names are plain"));
        let in_full = lua.create_function(move |lua, (text, values): (LuaValue, LuaValue)| {
            shared.acting(lua, name)?;
            let text = filled(lua, &shared, name, &text, &values)?;
            tell(lua, &shared, event(text))
        })?;
        base.raw_set(name, raw::teller(lua, host, sort, &in_full)?)?;
    }
    let host = host.clone();
    let fill = lua.create_function(move |lua, (text, values): (LuaValue, LuaValue)| {
        host.playing(lua, "fill")?;
        filled(lua, &host, "fill", &text, &values)
    })?;
    base.raw_set("fill", fill)
}

/// Tells an event, if the step has not told too much.
pub(super) fn tell(lua: &Lua, host: &Host, event: Event) -> mlua::Result<()> {
    let told = host.world.borrow_mut().tell(event);
    told.map_err(|why| {
        let problem = Problem::error("too-much-told", why).hint("look for a loop that tells");
        host.fail(lua, problem)
    })
}

/// A text of a script with its marks filled from `values`, a table of whatever sort.
pub(super) fn filled(
    lua: &Lua,
    host: &Host,
    name: &str,
    text: &LuaValue,
    values: &LuaValue,
) -> mlua::Result<String> {
    let written = match text {
        LuaValue::String(written) => written.to_str().map_err(|_| {
            let problem = Problem::error("bad-text", format!("{name} was given a broken text"));
            host.fail(lua, problem.expected("a text in UTF-8"))
        })?,
        other => {
            let found = format!("{name} was given {}", found(other));
            let problem = Problem::error("wrong-type", found).expected("a text");
            return Err(host.fail(lua, problem));
        }
    };
    if !matches!(values, LuaValue::Nil | LuaValue::Table(_) | LuaValue::UserData(_)) {
        let found = format!("{name} was given {} beside its text", found(values));
        let problem = Problem::error("wrong-type", found).expected("a table of named values");
        return Err(host.fail(lua, problem));
    }
    let refused = std::cell::RefCell::new(None);
    let leaves = match values {
        LuaValue::Table(table) if written.as_bytes().contains(&b'{') => {
            raw::leaves(lua, host, table)
        }
        _ => Map::new(),
    };
    let look_up = |mark: &str| {
        // A name with a point in it means a field of a field.
        if let Some(leaf) = leaves.get(mark).filter(|_| !mark.contains('.')) {
            return Some(leaf.clone());
        }
        read(lua, host, values, mark).unwrap_or_else(|error| {
            refused.borrow_mut().get_or_insert(error);
            None
        })
    };
    let filled = text::fill(&written, &look_up);
    if let Some(error) = refused.into_inner() {
        return Err(error);
    }
    let filled = filled.map_err(|mark| {
        let problem = shape::unfilled(&format!("the text of {name}"), &mark, &names(values));
        host.fail(lua, problem)
    })?;
    shape::fit(&format_args!("the text of {name}"), &filled)
        .map_err(|problem| host.fail(lua, problem))?;
    Ok(filled)
}

/// The value of a mark; `{foe.name}` looks into a table.
fn read(lua: &Lua, host: &Host, values: &LuaValue, mark: &str) -> mlua::Result<Option<Value>> {
    let mut here = values.clone();
    for name in mark.split('.') {
        here = match &here {
            LuaValue::Table(table) => table.get(name)?,
            LuaValue::UserData(data) => mlua::ObjectLike::get(data, name)?,
            _ => return Ok(None),
        };
    }
    proxy::plain(lua, host, &format_args!("{{{mark}}}"), &here)
}

/// The names that a table of values has, for the Problem that lists them.
fn names(values: &LuaValue) -> Vec<Arc<str>> {
    let mut names = Vec::new();
    if let LuaValue::Table(table) = values {
        let walked = table.for_each(|key: LuaValue, _: LuaValue| {
            if let LuaValue::String(name) = key {
                names.push(Arc::from(name.to_string_lossy()));
            }
            Ok(())
        });
        debug_assert!(walked.is_ok(), "nothing in the walk fails");
    }
    names.sort();
    names
}

/// What a value of Lua is, in words.
pub(super) fn found(value: &LuaValue) -> String {
    match value {
        LuaValue::Nil => "nothing".to_owned(),
        LuaValue::Boolean(truth) => truth.to_string(),
        LuaValue::Integer(int) => format!("the number {int}"),
        LuaValue::Number(num) => format!("the number {num}"),
        LuaValue::String(text) if text.as_bytes().len() <= 40 => {
            format!("the text {:?}", text.to_string_lossy())
        }
        LuaValue::String(_) => "a long text".to_owned(),
        LuaValue::Table(_) => "a table".to_owned(),
        LuaValue::Function(_) => "a function".to_owned(),
        _ => "something of the host's own".to_owned(),
    }
}

/// A word from a script, such as a scene's id or a stream's name.
pub(super) fn word(
    lua: &Lua,
    host: &Host,
    name: &str,
    value: &LuaValue,
    expected: &str,
) -> mlua::Result<String> {
    if let LuaValue::String(word) = value
        && let Ok(word) = word.to_str()
    {
        return Ok(word.to_owned());
    }
    let problem = Problem::error("wrong-type", format!("{name} was given {}", found(value)));
    Err(host.fail(lua, problem.expected(expected)))
}

/// A table of named values that a script gave, as plain data.
pub(super) fn table(
    lua: &Lua,
    host: &Host,
    name: &str,
    value: &LuaValue,
    mixed: convert::Mixed,
) -> mlua::Result<Value> {
    let plain = proxy::plain_or_mixed(lua, host, &name, value, mixed)?;
    match plain {
        Some(map @ Value::Map(_)) => Ok(map),
        _ => {
            let problem =
                Problem::error("wrong-type", format!("{name} was given {}", found(value)))
                    .expected("a table of named values");
            Err(host.fail(lua, problem))
        }
    }
}
