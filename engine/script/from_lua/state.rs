//! `state` and `copy`: the data of a run, and copies of data that a script may change.

use super::host_fn::{AnyArgumentIndex, HostFnRegistry, PushedValueCount, host_fn};
use crate::diagnostics::state_errors;
use crate::host::Host;
use crate::host::phase::Availability;
use crate::values::plain_data::ProfileHandle;
use crate::values::proxy;
use crate::values::proxy::StateProxy;
use base::{Code, Problem, limits};
use luau::{CallError, LuaType, Stack, StackIndex};

pub(super) fn register(api: &mut HostFnRegistry<'_>) -> mlua::Result<()> {
    proxy::register_proxy_metatable(api.lua, api.host)?;
    api.register_value(
        ("state", Availability::Reading),
        "{ [string]: any }",
        "The data of the run. Writes need a function that may make changes.",
        proxy::root_proxy(api.lua, api.host)?,
    )?;
    host_fn!(
        api, Reading "copy"(value: AnyArgumentIndex as "T") -> "T",
        "A plain copy that you may change, without functions and metatables.",
        |call| push_plain_copy(call.host, call.stack, value, 0).map(|()| PushedValueCount(1))
    )
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
            let handle = stack.tagged_userdata::<ProfileHandle>(index).unwrap_or_default();
            host.with_profile_of_handle(handle, |profile| {
                host.charge_fuel(profile.copy_fuel_cost())?;
                stack.push_plain_data(profile, false);
                Ok::<_, Problem>(())
            })?;
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
