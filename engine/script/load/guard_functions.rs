//! The guard functions whose calls `bytecode` inserts into compiled files. One refuses loops over
//! tables whose keys have no order. The other refuses assignments in play to locals that were
//! captured while loading.

use std::rc::Rc;

use mlua::{Function, Lua};

use crate::compile::bytecode::{ASSIGNMENT_GUARD_NAME, KEY_ORDER_GUARD_NAME};
use crate::host::Host;
use crate::host::phase::Phase;
use crate::values::proxy;
use base::{Code, Problem};
use luau::{CallError, LuaType, Stack, StackIndex};

/// The guard functions, by name.
pub(crate) fn create_guard_functions(
    lua: &Lua,
    host: &Rc<Host>,
) -> mlua::Result<Vec<(&'static str, Function)>> {
    let walk = proxy::create_proxy_function(lua, host, Some(c"walked"), |host, stack| {
        refuse_unordered_keys(host, stack)
    })?;
    let assign = proxy::create_proxy_function(lua, host, Some(c"assigned"), |host, stack| {
        refuse_frozen_assignment(host, stack)
    })?;
    Ok(vec![(KEY_ORDER_GUARD_NAME, walk), (ASSIGNMENT_GUARD_NAME, assign)])
}

/// Refuses a table whose keys have no defined order.
fn refuse_unordered_keys(host: &Host, stack: Stack<'_>) -> Result<StackIndex, CallError> {
    if stack.lua_type(1) != LuaType::Table {
        return Ok(0);
    }
    for rule in ["__iter", "__call"] {
        let has = stack.push_metafield(1, rule) != LuaType::Nil;
        stack.set_top(1);
        if has {
            return Ok(0);
        }
    }
    // The loop visits each slot; the walk below pays for itself.
    stack.charge_table_walk(1);
    host.check_fuel_budget()?;
    // Skips the list part, because its keys are numbers.
    let mut next = stack.push_next_entry(1, stack.list_length(1) as StackIndex);
    while next >= 0 {
        let kind = stack.lua_type(2);
        if !matches!(kind, LuaType::Number | LuaType::Text | LuaType::Bool) {
            let found = format!("a loop went over a table whose keys are {}", lua_type_name(kind));
            return Err(Problem::error(Code::UnorderedKeys, found)
                .expected("keys that are texts or numbers: other keys have no fixed order")
                .into());
        }
        host.check_fuel_budget()?;
        stack.set_top(1);
        next = stack.push_next_entry(1, next);
    }
    Ok(0)
}

fn lua_type_name(kind: LuaType) -> &'static str {
    match kind {
        LuaType::Table => "tables",
        LuaType::Function => "functions",
        _ => "values of the host",
    }
}

/// Refuses an assignment in play to a local that was created while loading. The first argument
/// tells whether the local belongs to the file; else the calling function must have been created
/// while loading.
fn refuse_frozen_assignment(host: &Host, stack: Stack<'_>) -> Result<StackIndex, CallError> {
    let always = stack.is_truthy(1);
    if host.execution_mode.phase.get() != Phase::Playing {
        return Ok(0);
    }
    if !always
        && !stack.caller_address().is_some_and(|at| host.frozen_closures.borrow().contains_key(&at))
    {
        return Ok(0);
    }
    // Cases may assign to their locals, because no real run loads them.
    if host.place_of_caller(&host.lua()).file.starts_with(mods::TESTS_FOLDER) {
        host.mirrors.switch_off();
        return Ok(0);
    }
    let found = "a function assigns to a local that was made while loading";
    Err(Problem::error(Code::KeptInALocal, found)
        .expected("no change of a local of a file: a save does not contain it")
        .hint("keep data that changes in `state`")
        .into())
}
