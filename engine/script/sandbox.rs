//! What is taken away from Luau before a mod sees it, and what stands in its place. The library
//! that mods see is written in `prelude.luau`; here is what Rust does for it, and the sealing.

use std::rc::Rc;

use mlua::{AnyUserData, Function, Lua, MetaMethod, Table, Value, Variadic};

use super::host::Host;
use super::{absent, fault, fuel, proxy, raw};
use crate::kit::{Problem, limits};

/// The name of the host's own chunk. No mod's file is called so, so that it is in no trail.
const PRELUDE_NAME: &str = "=[host]";
/// Fuel that a script pays for each error that it may catch: one takes microseconds.
const CAUGHT_FUEL: usize = 100;
/// Names that the functions of play give to what stands for `table.insert` and its like when the
/// first argument is a piece of the state.
const SPECIAL: &str = "host_table_";

/// Seals the VM: the library of the prelude and the given names are all that mods will see, and
/// are read-only.
pub(crate) fn seal(lua: &Lua, host: &Rc<Host>, names: &Table) -> mlua::Result<()> {
    let help = help_for_prelude(lua, host, names)?;
    let caps = lua.create_table()?;
    caps.set("text", limits::TEXT_BYTES)?;
    caps.set("pattern", limits::PATTERN_BYTES)?;
    caps.set("entries", limits::TABLE_ENTRIES)?;
    caps.set("caught", CAUGHT_FUEL)?;
    let prelude = lua.load(include_str!("prelude.luau")).set_name(PRELUDE_NAME);
    let (library, debug): (Table, Table) = prelude.call((help, caps))?;
    library.set("debug", debug)?;

    let base = lua.globals();
    let natives = base.pairs::<Value, Value>().collect::<mlua::Result<Vec<_>>>()?;
    for (name, _) in &natives {
        base.raw_set(name, Value::Nil)?;
    }
    for pair in library.pairs::<String, Value>() {
        let (name, value) = pair?;
        let native = natives
            .iter()
            .find(|(native, _)| native.as_string().is_some_and(|text| text == name.as_str()));
        match (value, native) {
            // The table itself must stay: texts reach their methods through it.
            (Value::Table(ours), Some((_, Value::Table(native)))) => {
                refill(native, &ours)?;
                absent::guard_library(lua, host, native, &name)?;
                base.raw_set(name, native)?;
            }
            (value, _) => base.raw_set(name, value)?,
        }
    }
    for pair in names.pairs::<String, Value>() {
        let (name, value) = pair?;
        base.raw_set(name, value)?;
    }
    absent::guard_base(lua, host, &base)?;
    host.environments.set_base(base);
    lua.sandbox(true)
}

/// Empties a table of the native library and fills it with ours.
fn refill(native: &Table, ours: &Table) -> mlua::Result<()> {
    for name in native.pairs::<Value, Value>().collect::<mlua::Result<Vec<_>>>()? {
        native.raw_set(name.0, Value::Nil)?;
    }
    ours.for_each(|name: Value, value: Value| native.raw_set(name, value))
}

/// What only Rust can do for the prelude.
fn help_for_prelude(lua: &Lua, host: &Rc<Host>, names: &Table) -> mlua::Result<Table> {
    let help = lua.create_table()?;
    let owner = host.clone();
    help.set(
        "charge",
        lua.create_function(move |lua, units: f64| {
            if fuel::charge(units.max(0.0) as usize) {
                return Ok(());
            }
            Err(owner.fail(lua, owner.fuel.problem()))
        })?,
    )?;
    let owner = host.clone();
    help.set(
        "fail",
        lua.create_function(move |lua, (code, found, expected): (String, String, String)| {
            Err::<(), _>(owner.fail(lua, Problem::error(&code, found).expected(expected)))
        })?,
    )?;
    let owner = host.clone();
    let caught = move |lua: &Lua, (permit, error): (usize, Value)| {
        owner.give_permit(permit);
        fault::caught(lua, &owner, error)
    };
    help.set("caught", lua.create_function(caught)?)?;
    let owner = host.clone();
    help.set("permit", lua.create_function(move |_, ()| Ok(owner.keep_permit()))?)?;
    let owner = host.clone();
    let shown = move |lua: &Lua, data: AnyUserData| describe(lua, &owner, &data);
    help.set("describe", lua.create_function(shown)?)?;
    help.set("each", raw::each(lua, host)?)?;
    let owner = host.clone();
    help.set("walk", lua.create_function(move |lua, data: AnyUserData| walk(lua, &owner, &data))?)?;

    let special = lua.create_table()?;
    for pair in names.pairs::<String, Value>().collect::<mlua::Result<Vec<_>>>()? {
        if let Some(name) = pair.0.strip_prefix(SPECIAL) {
            special.set(name, pair.1)?;
            names.raw_set(pair.0.as_str(), Value::Nil)?;
        }
    }
    help.set("special", special)?;
    Ok(help)
}

/// A value of the host as a text, without its address.
fn describe(lua: &Lua, host: &Host, data: &AnyUserData) -> mlua::Result<Value> {
    if let Some(node) = proxy::node_of(lua, host, data) {
        return Ok(Value::String(lua.create_string(proxy::name_of(host, node?, None))?));
    }
    let meta = data.metatable()?;
    if let Ok(Some(shown)) = meta.get::<Option<Function>>(MetaMethod::ToString) {
        return shown.call(data);
    }
    meta.get(MetaMethod::Type)
}

/// The closure that walks a value of the host.
fn walk(lua: &Lua, host: &Rc<Host>, data: &AnyUserData) -> mlua::Result<Value> {
    if let Some(node) = proxy::node_of(lua, host, data) {
        return Ok(Value::Function(proxy::walk(lua, host, node?)?));
    }
    let Some(iterate) = data.metatable()?.get::<Option<Function>>(MetaMethod::Iter)? else {
        let problem = Problem::error("bad-argument", "this value of the host cannot be walked")
            .expected("a table");
        return Err(host.fail(lua, problem));
    };
    let results: Variadic<Value> = iterate.call(data)?;
    Ok(results.first().cloned().unwrap_or(Value::Nil))
}
