//! Removes parts of Luau's library and replaces others before mods see it. The library for mods is
//! in `prelude.luau`; this file has its Rust helpers and the sealing of the VM.

use mlua::ExternalError as _;
use mlua::ExternalResult as _;
use std::rc::Rc;

use mlua::{Function, Lua, Table, Value};

use super::guard_functions;
use crate::diagnostics::{error, missing_names};
use crate::from_lua;
use crate::host::Host;
use crate::limits::allocation_checks;
use crate::values::proxy;
use base::{Code, Problem, limits};
use luau::{CallError, LuaType, Stack, StackIndex};

/// The chunk name of the prelude. No mod's file has this name, so it is in no trail.
const PRELUDE_CHUNK_NAME: &str = "=[host]";
/// Seals the VM: mods see only the prelude's library and the host's names, read-only.
pub(crate) fn seal_vm(lua: &Lua, host: &Rc<Host>, host_names: &Table) -> mlua::Result<()> {
    let helpers = prelude_helpers(lua, host)?;
    let limits_table = lua.create_table()?;
    limits_table.set("text", limits::MAX_TEXT_BYTES)?;
    limits_table.set("pattern", limits::MAX_PATTERN_BYTES)?;
    limits_table.set("entries", limits::MAX_TABLE_ENTRIES)?;
    limits_table.set("caught", limits::FUEL_PER_PROTECTED_CALL)?;
    limits_table.set("lookups", limits::MAX_INDEX_CHAIN_TABLES)?;
    let prelude = lua.load(include_str!("prelude.luau")).set_name(PRELUDE_CHUNK_NAME);
    let (library, debug, file_runner): (Table, Table, Function) =
        prelude.call((helpers, limits_table))?;
    host.prelude.set_file_runner(file_runner);
    library.set("debug", debug)?;

    let base = lua.globals();
    let native_entries = base.pairs::<Value, Value>().collect::<mlua::Result<Vec<_>>>()?;
    for (name, _) in &native_entries {
        base.raw_set(name, Value::Nil)?;
    }
    for pair in library.pairs::<String, Value>() {
        let (name, value) = pair?;
        let native_entry = native_entries.iter().find(|(native_name, _)| {
            native_name.as_string().is_some_and(|text| text == name.as_str())
        });
        match (value, native_entry) {
            // The table itself must stay: texts reach their methods through it.
            (Value::Table(replacement), Some((_, Value::Table(native_table)))) => {
                replace_entries(native_table, &replacement)?;
                missing_names::refuse_unknown_library_names(lua, host, native_table, &name)?;
                base.raw_set(name, native_table)?;
            }
            (value, _) => base.raw_set(name, value)?,
        }
    }
    for pair in host_names.pairs::<String, Value>() {
        let (name, value) = pair?;
        base.raw_set(name, value)?;
    }
    for (name, guard) in guard_functions::create_guard_functions(lua, host)? {
        base.raw_set(name, guard)?;
    }
    missing_names::refuse_unknown_globals(lua, host, &base)?;
    host.environments.set_base_table(base);
    lua.sandbox(true)
}

/// Replaces the entries of a table of the native library.
fn replace_entries(native_table: &Table, replacement: &Table) -> mlua::Result<()> {
    for entry in native_table.pairs::<Value, Value>().collect::<mlua::Result<Vec<_>>>()? {
        native_table.raw_set(entry.0, Value::Nil)?;
    }
    replacement.for_each(|name: Value, value: Value| native_table.raw_set(name, value))
}

/// Helpers for the prelude that need Rust.
fn prelude_helpers(lua: &Lua, host: &Rc<Host>) -> mlua::Result<Table> {
    let helpers = lua.create_table()?;
    helpers.set(
        "comparison_cost",
        luau::create_typed_function(
            lua,
            |_, ()| Ok(allocation_checks::fuel_per_text_comparison()),
        )?,
    )?;
    helpers.set(
        "charge",
        host.create_typed_function(lua, |host, _, units: f64| {
            host.charge_fuel(units.max(0.0) as usize).into_lua_err()
        })?,
    )?;
    helpers.set(
        "fail",
        host.create_typed_function(
            lua,
            |_, _, (code, message, expected): (String, String, String)| {
                let code =
                    Code::parse_code(&code).expect("the prelude writes only codes that exist");
                Err::<(), _>(Problem::error(code, message).expected(expected).into_lua_err())
            },
        )?,
    )?;
    let handle_caught_error = |host: &Rc<Host>, lua: &Lua, (permit, error): (usize, Value)| {
        host.execution_mode.restore_permit(permit);
        error::caught_error_text(lua, host, error)
    };
    helpers.set("caught", host.create_typed_function(lua, handle_caught_error)?)?;
    helpers.set(
        "permit",
        host.create_typed_function(lua, move |host, _, ()| {
            Ok(host.execution_mode.permit_number())
        })?,
    )?;
    helpers.set(
        "describe",
        proxy::create_proxy_function(lua, host, None, |_, stack| Ok(push_userdata_text(stack)))?,
    )?;
    helpers.set(
        "charge_slots",
        proxy::create_proxy_function(lua, host, None, |host, stack| {
            if stack.lua_type(1) == LuaType::Table {
                stack.charge_table_walk(1);
                host.check_fuel_budget()?;
            }
            Ok(0)
        })?,
    )?;
    helpers.set(
        "note_raised",
        proxy::create_proxy_function(lua, host, None, |host, stack| {
            *host.call_scope.last_raised_text.borrow_mut() =
                stack.text(1).unwrap_or_default().to_owned();
            Ok(0)
        })?,
    )?;
    helpers.set("each", proxy::list_iterator(lua, host)?)?;
    helpers.set(
        "walk",
        proxy::create_proxy_function(lua, host, None, |_, stack| userdata_iterator(stack))?,
    )?;
    let (iterators, loading) = host.prelude.create_tables(lua)?;
    helpers.set("iterators", iterators)?;
    helpers.set("loading", loading)?;
    helpers.set("special", from_lua::state_list::create_state_list_functions(lua, host)?)?;
    Ok(helpers)
}

/// Userdata as a text, without its address.
fn push_userdata_text(stack: Stack<'_>) -> StackIndex {
    match stack.push_metafield(1, "__tostring") {
        LuaType::Function => {
            stack.push_copy(1);
            stack.call(1, 1);
        }
        _ => drop(stack.push_metafield(1, "__type")),
    }
    1
}

/// The iterator of userdata.
fn userdata_iterator(stack: Stack<'_>) -> Result<StackIndex, CallError> {
    if stack.push_metafield(1, "__iter") != LuaType::Function {
        let problem = Problem::error(
            Code::BadArgument,
            "a loop got an object of the engine that has no entries",
        );
        return Err(problem.expected("a table, or a table of the state").into());
    }
    stack.push_copy(1);
    stack.call(1, 1);
    Ok(1)
}
