//! Removes parts of Luau's library and replaces others before mods see it. The library for mods is
//! in `prelude.luau`; this file has its Rust helpers and the sealing of the VM.

use std::rc::Rc;

use mlua::{Function, Lua, Table, Value};

use super::host::Host;
use super::{blocks, error, from_lua, guards, missing_names, proxy};
use crate::base::{Code, Problem, limits};
use crate::luau;
use crate::luau::{CallError, LuaKind, Stack, StackIndex};

/// The chunk name of the prelude. No mod's file has this name, so it is in no trail.
const PRELUDE_NAME: &str = "=[host]";
/// Fuel for each protected call of a script: an error takes microseconds.
const FUEL_PER_PROTECTED_CALL: usize = 100;
/// Seals the VM: mods see only the prelude's library and the host's names, read-only.
pub(crate) fn seal_vm(lua: &Lua, host: &Rc<Host>, names: &Table) -> mlua::Result<()> {
    let help = prelude_helpers(lua, host)?;
    let caps = lua.create_table()?;
    caps.set("text", limits::TEXT_BYTES)?;
    caps.set("pattern", limits::PATTERN_BYTES)?;
    caps.set("entries", limits::TABLE_ENTRIES)?;
    caps.set("caught", FUEL_PER_PROTECTED_CALL)?;
    caps.set("lookups", limits::MAX_INDEX_CHAIN_TABLES)?;
    caps.set("bounded", host.edition.bounds_scripts())?;
    let prelude = lua.load(include_str!("prelude.luau")).set_name(PRELUDE_NAME);
    let (library, debug, run): (Table, Table, Function) = prelude.call((help, caps))?;
    host.prelude.set_file_runner(run);
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
                replace_entries(native, &ours)?;
                missing_names::guard_library(lua, host, native, &name)?;
                base.raw_set(name, native)?;
            }
            (value, _) => base.raw_set(name, value)?,
        }
    }
    for pair in names.pairs::<String, Value>() {
        let (name, value) = pair?;
        base.raw_set(name, value)?;
    }
    for (name, guard) in guards::create_guards(lua, host)? {
        base.raw_set(name, guard)?;
    }
    missing_names::guard_base(lua, host, &base)?;
    host.environments.set_base(base);
    lua.sandbox(true)
}

/// Replaces the entries of a table of the native library.
fn replace_entries(native: &Table, ours: &Table) -> mlua::Result<()> {
    for name in native.pairs::<Value, Value>().collect::<mlua::Result<Vec<_>>>()? {
        native.raw_set(name.0, Value::Nil)?;
    }
    ours.for_each(|name: Value, value: Value| native.raw_set(name, value))
}

/// Helpers for the prelude that need Rust.
fn prelude_helpers(lua: &Lua, host: &Rc<Host>) -> mlua::Result<Table> {
    let help = lua.create_table()?;
    help.set(
        "comparison_cost",
        luau::typed_function(lua, |_, ()| Ok(blocks::units_per_comparison()))?,
    )?;
    help.set(
        "charge",
        host.typed_function(lua, |host, _, units: f64| Ok(host.charge(units.max(0.0) as usize)?))?,
    )?;
    help.set(
        "fail",
        host.typed_function(lua, |_, _, (code, found, expected): (String, String, String)| {
            let code = Code::parse(&code).expect("the prelude writes only codes that exist");
            Err::<(), _>(Problem::error(code, found).expected(expected).into())
        })?,
    )?;
    let caught = |host: &Rc<Host>, lua: &Lua, (permit, error): (usize, Value)| {
        host.mode.restore_permit(permit);
        error::caught_error_text(lua, host, error)
    };
    help.set("caught", host.typed_function(lua, caught)?)?;
    help.set(
        "permit",
        host.typed_function(lua, move |host, _, ()| Ok(host.mode.permit_number()))?,
    )?;
    help.set(
        "describe",
        proxy::create_proxy_function(lua, host, None, |_, stack| Ok(push_userdata_text(stack)))?,
    )?;
    help.set(
        "charge_slots",
        proxy::create_proxy_function(lua, host, None, |host, stack| {
            if stack.kind(1) == LuaKind::Table {
                stack.charge_table_walk(1);
                host.check_budget()?;
            }
            Ok(0)
        })?,
    )?;
    help.set(
        "note_raised",
        proxy::create_proxy_function(lua, host, None, |host, stack| {
            *host.scope.raised_text.borrow_mut() = stack.text(1).unwrap_or_default().to_owned();
            Ok(0)
        })?,
    )?;
    help.set("each", proxy::list_iterator(lua, host)?)?;
    help.set(
        "walk",
        proxy::create_proxy_function(lua, host, None, |_, stack| userdata_iterator(stack))?,
    )?;
    let (iterators, loading) = host.prelude.create_tables(lua)?;
    help.set("iterators", iterators)?;
    help.set("loading", loading)?;
    help.set("special", from_lua::state_list::create_state_list_functions(lua, host)?)?;
    Ok(help)
}

/// Userdata as a text, without its address.
fn push_userdata_text(stack: Stack<'_>) -> StackIndex {
    match stack.push_metafield(1, "__tostring") {
        LuaKind::Function => {
            stack.push_copy(1);
            stack.call(1, 1);
        }
        _ => drop(stack.push_metafield(1, "__type")),
    }
    1
}

/// The iterator of userdata.
fn userdata_iterator(stack: Stack<'_>) -> Result<StackIndex, CallError> {
    if stack.push_metafield(1, "__iter") != LuaKind::Function {
        let problem =
            Problem::error(Code::BadArgument, "a loop got a value of the host that has no entries");
        return Err(problem.expected("a table, or a table of the state").into());
    }
    stack.push_copy(1);
    stack.call(1, 1);
    Ok(1)
}
