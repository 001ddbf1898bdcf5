//! `state`, `profile` and `plain`: the data of a run, the profile as it was at the start of the
//! run, and copies of either that a script may change.

use mlua::ExternalError as _;
use mlua::ExternalResult as _;
use std::cell::RefCell;
use std::rc::Rc;

use mlua::{Lua, Table, Value as LuaValue};

use super::host_fn::{AnyArgumentIndex, HostFnRegistry, PushedValueCount, host_fn};
use crate::diagnostics::state_errors;
use crate::host::Host;
use crate::host::phase::Availability;
use crate::values::plain_data::ProfileHandle;
use crate::values::proxy;
use crate::values::proxy::StateProxy;
use base::{Code, Problem, limits, meter};
use luau::{CallError, LuaType, Stack, StackIndex, call_with_stack};

pub(super) fn register(api: &mut HostFnRegistry<'_>) -> mlua::Result<()> {
    proxy::register_proxy_metatable(api.lua, api.host)?;
    let reading_entry = |name| (name, Availability::Reading);
    api.register_value(
        reading_entry("state"),
        "{ [string]: any }",
        "The data of the run. Writes need a function that may make changes.",
        proxy::root_proxy(api.lua, api.host)?,
    )?;
    api.register_value(
        reading_entry("profile"),
        "{ [string]: any }",
        "The data that is kept between runs, as it was when this run began; read-only.",
        create_profile(api.lua, api.host)?,
    )?;
    host_fn!(
        api, Reading "copy"(value: AnyArgumentIndex as "T") -> "T",
        "A plain copy that you may change, without functions and metatables.",
        |call| push_plain_copy(call.host, call.stack, value, 0).map(|()| PushedValueCount(1))
    )
}

fn create_profile(lua: &Lua, host: &Rc<Host>) -> mlua::Result<LuaValue> {
    let metatable = lua.create_table()?;
    metatable.raw_set("__type", "profile")?;
    metatable.raw_set("__metatable", false)?;
    let index_function =
        host.create_typed_function(lua, move |host, lua, (_, key): (LuaValue, LuaValue)| {
            if host.is_compiling.get() {
                return Ok(LuaValue::Nil);
            }
            profile_table(lua, host)?.map_or(Ok(LuaValue::Nil), |table| table.raw_get(key))
        });
    metatable.raw_set("__index", index_function?)?;
    let write_function =
        host.create_typed_function(lua, |_, _, _: (LuaValue, LuaValue)| -> mlua::Result<()> {
            let problem = Problem::error(Code::ReadOnly, "the profile was written to")
                .expected("only reads: the profile stays as it was when the run began")
                .hint("use award { … } to pay into the profile when the run ends");
            Err(problem.into_lua_err())
        });
    metatable.raw_set("__newindex", write_function?)?;
    let length_function = host.create_typed_function(lua, move |host, lua, _: LuaValue| {
        Ok(profile_table(lua, host)?.map_or(0, |table| table.raw_len()))
    });
    metatable.raw_set("__len", length_function?)?;
    let iterate_function = host.create_typed_function(lua, move |host, lua, _: LuaValue| {
        create_profile_iterator(lua, host)
    });
    metatable.raw_set("__iter", iterate_function?)?;
    luau::set_type_metatable::<ProfileHandle>(lua, &metatable)?;
    call_with_stack(lua, (), |stack| stack.push_tagged_userdata(ProfileHandle))
}

fn profile_table(lua: &Lua, host: &Host) -> mlua::Result<Option<Table>> {
    host.check_function_allowed(Availability::Reading, "profile").into_lua_err()?;
    Ok(host.call_scope.profile(lua, &host.call_context.profile.borrow())?.as_table().cloned())
}

/// Iterates over the fields of the profile in the order of their names.
pub(crate) fn create_profile_iterator(lua: &Lua, host: &Rc<Host>) -> mlua::Result<mlua::Function> {
    let table = profile_table(lua, host)?;
    let names = host.call_context.profile.borrow().as_map().map(|map| {
        meter::charge_table_entries(map.len());
        map.keys().cloned().collect::<Vec<_>>()
    });
    let remaining_names = RefCell::new(names.unwrap_or_default().into_iter());
    host.create_typed_function(lua, move |_, lua, ()| {
        match (remaining_names.borrow_mut().next(), &table) {
            (Some(name), Some(table)) => {
                let value = table.raw_get::<LuaValue>(&*name)?;
                Ok((LuaValue::String(lua.create_string(name.as_bytes())?), value))
            }
            _ => Ok((LuaValue::Nil, LuaValue::Nil)),
        }
    })
}

/// Pushes a deep copy of a table. Functions are left out, because a copy is plain data.
fn push_plain_copy(
    host: &Host,
    stack: Stack<'_>,
    index: StackIndex,
    depth: usize,
) -> Result<(), CallError> {
    if depth > limits::MAX_NESTING_DEPTH {
        let problem =
            Problem::error(Code::TooLarge, "a copy of tables nested too deep, or in a cycle")
                .expected(format!(
                    "at most {} tables inside each other",
                    limits::MAX_NESTING_DEPTH
                ));
        return Err(problem.into());
    }
    host.charge_fuel(1)?;
    match stack.lua_type(index) {
        LuaType::Table => {
            stack.push_table(stack.list_length(index), 0);
            let copy = stack.top();
            let mut position = stack.push_next_entry(index, 0);
            while position >= 0 {
                if stack.lua_type(copy + 2) != LuaType::Function {
                    stack.push_copy(copy + 1);
                    push_plain_copy(host, stack, copy + 2, depth + 1)?;
                    stack.raw_set(copy);
                }
                stack.set_top(copy);
                position = stack.push_next_entry(index, position);
            }
        }
        LuaType::Userdata if stack.tagged_userdata::<ProfileHandle>(index).is_some() => {
            host.check_function_allowed(Availability::Reading, "profile")?;
            host.charge_fuel(host.call_context.profile.borrow().copy_fuel_cost())?;
            stack.push_plain_data(&host.call_context.profile.borrow(), false);
        }
        LuaType::Userdata if stack.tagged_userdata::<StateProxy>(index).is_some() => {
            let node = host.table_handle_at(stack, index)?;
            let value = host.call_context.world.borrow().state.table_to_value(node);
            let value =
                value.map_err(|error| state_errors::state_error("a table of the state", &error))?;
            host.charge_fuel(value.copy_fuel_cost())?;
            stack.push_plain_data(&value, false);
        }
        LuaType::Userdata => {
            host.table_handle_at(stack, index)?;
        }
        _ => stack.push_copy(index),
    }
    Ok(())
}
