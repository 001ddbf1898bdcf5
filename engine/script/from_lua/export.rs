//! `export` and `export_builder`: names that a mod gives to itself and to those that need it.

use std::rc::Rc;

use mlua::{Lua, Table, Value};

use super::tell::found;
use crate::kit::{Problem, id::check_word};
use crate::script::host::Host;

/// Puts `export` and `export_builder` into the base.
pub(super) fn declare(lua: &Lua, host: &Rc<Host>, base: &Table) -> mlua::Result<()> {
    for verb in ["export", "export_builder"] {
        let owner = host.clone();
        let export = lua.create_function(move |lua, (name, value): (String, Value)| {
            owner.loading(lua, verb)?;
            give(lua, &owner, verb, &name, value)
        })?;
        base.set(verb, export)?;
    }
    Ok(())
}

fn give(lua: &Lua, host: &Host, verb: &str, name: &str, value: Value) -> mlua::Result<()> {
    host.quiet.set(false);
    if let Err(why) = check_word(name) {
        return Err(host.fail(lua, Problem::error("bad-name", format!("{verb} \"{name}\": {why}"))));
    }
    if !matches!(value, Value::Function(_)) {
        let given = format!("{verb} \"{name}\" was given {}", found(&value));
        return Err(host.fail(lua, Problem::error("bad-argument", given).expected("a function")));
    }
    match host.environments.give(host.place_of_caller(lua), name, value)? {
        None => Ok(()),
        Some(problem) => Err(host.fail(lua, problem)),
    }
}
