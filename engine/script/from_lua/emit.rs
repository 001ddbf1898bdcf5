//! `emit` and `preview`: events that a game emits, and the hooks that mods register on them.
//!
//! `before` hooks may change the event and nothing else. `after` hooks see its final value, frozen,
//! and may act. A preview runs the `before` hooks on a copy.

use mlua::{Function, Value as LuaValue};

use super::event_snapshot::{
    EventChange, EventSnapshot, compare_event, freeze_event, push_deep_copy, take_snapshot,
    unfreeze_event,
};
use super::event_trace::{trace_after_hook, trace_before_hook, trace_event};
use super::host_fn::{
    AnyArgumentIndex, EventName, HostCall, HostFnRegistry, PushedValueCount, host_fn,
};
use super::strict_type_checks;
use crate::host::hook_table::{EventHooks, RegisteredHook};
use crate::host::phase::Permit;
use crate::host::upvalues::{ERROR_HANDLER_UPVALUE, HOOK_FUNCTIONS_UPVALUE};
use crate::source_text::describe_value::describe_lua_value;
use base::{Code, Problem, limits, quote};
use luau::{CallError, LuaType, Stack, StackIndex, TABLE_WITH_METATABLE};

/// The arguments of `emit`.
const EVENT_NAME_INDEX: StackIndex = 1;
const EVENT_INDEX: StackIndex = 2;
const APPLY_FUNCTION_INDEX: StackIndex = 3;
/// The index of the event among all with hooks, or nil.
const HOOKED_EVENT_INDEX: StackIndex = 4;
/// The handler that converts a Lua error to a host error.
const ERROR_HANDLER_INDEX: StackIndex = 5;
/// The snapshot of the event, or its frozen inner tables; nil at first.
const SNAPSHOT_INDEX: StackIndex = 6;

pub(super) fn register(api: &mut HostFnRegistry<'_>) -> mlua::Result<()> {
    host_fn!(
        api, Reading "preview"(name: EventName, event: AnyArgumentIndex) -> "any",
        "The event as the `before` hooks would change it; nothing else happens.",
        |call| preview_event(call, name, event)
    )?;
    host_fn!(
        api, Writing "emit"(
            name: EventName,
            event: AnyArgumentIndex,
            apply: AnyArgumentIndex as "((event: any) -> ())?",
        ) -> "any",
        "Emits an event: runs the `before` hooks, then `apply`, then the `after` hooks. Returns the final event.",
        |call| emit_event(call, name, event, apply)
    )
}

fn emit_event(
    call: &HostCall<'_>,
    name: &str,
    event: StackIndex,
    _: StackIndex,
) -> Result<PushedValueCount, CallError> {
    check_event_is_table(call, name, event)?;
    check_event_in_strict_mode(call, name)?;
    let event_hooks = find_hooks(call)?;
    with_emit_depth(call, || run_hooks_and_apply(call, name, event_hooks))
}

fn preview_event(
    call: &HostCall<'_>,
    name: &str,
    event: StackIndex,
) -> Result<PushedValueCount, CallError> {
    call.stack.set_top(EVENT_INDEX);
    check_event_is_table(call, name, event)?;
    check_event_in_strict_mode(call, name)?;
    let event_hooks = find_hooks(call)?;
    // Frozen tables (definitions) and tables of the state are not copied, because no hook can
    // change them.
    if !push_deep_copy(call.stack, EVENT_INDEX, 0) {
        call.host.check_fuel_budget()?;
        return Err(too_deep_error());
    }
    call.host.check_fuel_budget()?;
    call.stack.replace(EVENT_INDEX);
    with_emit_depth(call, || {
        event_hooks.map_or(Ok(()), |event_hooks| run_before_hooks(call, event_hooks))
    })
}

/// Checks the event; nil stands for an empty one.
fn check_event_is_table(
    call: &HostCall<'_>,
    name: &str,
    event: StackIndex,
) -> Result<(), CallError> {
    call.stack.set_top(APPLY_FUNCTION_INDEX);
    match call.stack.lua_type(event) {
        LuaType::Table if !call.stack.has_metatable(event) => Ok(()),
        LuaType::Table => {
            let message = format!("{} {} got {TABLE_WITH_METATABLE}", call.name, quote(name));
            Err(Problem::error(Code::NotPlain, message)
                .expected("a plain table: the event, with everything that hooks may change")
                .hint("copy its fields into a new table")
                .into())
        }
        LuaType::Nil => {
            call.stack.push_table(0, 0);
            call.stack.replace(EVENT_INDEX);
            Ok(())
        }
        _ => {
            let event_value: LuaValue = call.stack.read_value(&call.lua(), event)?;
            let message =
                format!("{} {} got {}", call.name, quote(name), describe_lua_value(&event_value));
            Err(Problem::error(Code::WrongType, message)
                .expected("a table: the event, with everything that hooks may change")
                .into())
        }
    }
}

/// In strict mode: checks that the emitted event is complete.
#[inline]
fn check_event_in_strict_mode(call: &HostCall<'_>, name: &str) -> Result<(), CallError> {
    let (host, stack) = (call.host, call.stack);
    if !host.is_strict.get() {
        return Ok(());
    }
    trace_event(call, EVENT_INDEX, name);
    let description = format!("{} {}", call.name, quote(name));
    strict_type_checks::check_complete_event(host, stack, EVENT_INDEX, name, &description)
        .map_or(Ok(()), |problem| Err(problem.into()))
}

/// Pushes the values that are needed beside the arguments, and finds the hooks of the event.
fn find_hooks<'c>(call: &HostCall<'c>) -> Result<Option<&'c EventHooks>, CallError> {
    let stack = call.stack;
    stack.push_copy(EVENT_NAME_INDEX);
    let has_hooks = stack.raw_get(HOOK_FUNCTIONS_UPVALUE) == LuaType::Number;
    stack.push_copy(ERROR_HANDLER_UPVALUE);
    stack.set_top(SNAPSHOT_INDEX);
    Ok(has_hooks
        .then(|| call.host.hook_table.event_hooks(stack.number(HOOKED_EVENT_INDEX) as usize)))
}

/// Runs `work` one level deeper, and returns the event.
fn with_emit_depth(
    call: &HostCall<'_>,
    work: impl FnOnce() -> Result<(), CallError>,
) -> Result<PushedValueCount, CallError> {
    let depth = &call.host.call_scope.emit_depth;
    if depth.get() >= limits::MAX_EMIT_DEPTH {
        let message = format!("more than {} events nested in each other", limits::MAX_EMIT_DEPTH);
        return Err(Problem::error(Code::TooDeep, message)
            .hint("do not emit an event from its own hooks, directly or through another event")
            .into());
    }
    depth.set(depth.get() + 1);
    let result = work();
    depth.set(depth.get() - 1);
    result?;
    call.stack.set_top(EVENT_INDEX);
    Ok(PushedValueCount(1))
}

fn run_hooks_and_apply(
    call: &HostCall<'_>,
    name: &str,
    event_hooks: Option<&EventHooks>,
) -> Result<(), CallError> {
    let stack = call.stack;
    if let Some(event_hooks) = event_hooks {
        run_before_hooks(call, event_hooks)?;
    }
    match stack.lua_type(APPLY_FUNCTION_INDEX) {
        LuaType::Nil => {}
        LuaType::Function => {
            stack.push_copy(APPLY_FUNCTION_INDEX);
            stack.push_copy(EVENT_INDEX);
            call_with_error_handler(stack, 1, 0)?;
        }
        _ => {
            let apply_value: LuaValue = stack.read_value(&call.lua(), APPLY_FUNCTION_INDEX)?;
            let message =
                format!("emit {} got {} as `apply`", quote(name), describe_lua_value(&apply_value));
            return Err(Problem::error(Code::WrongType, message).expected("a function").into());
        }
    }
    event_hooks.map_or(Ok(()), |event_hooks| run_after_hooks(call, event_hooks))
}

fn run_before_hooks(call: &HostCall<'_>, event_hooks: &EventHooks) -> Result<(), CallError> {
    if event_hooks.before.is_empty() {
        return Ok(());
    }
    let (host, stack) = (call.host, call.stack);
    let checks_declaration =
        event_hooks.declaration.is_some() && event_hooks.before.iter().any(|hook| hook.is_strict);
    let mut snapshot = take_snapshot(
        stack,
        (EVENT_INDEX, SNAPSHOT_INDEX),
        (checks_declaration, checks_declaration && event_hooks.has_list_fields),
    );
    for (hook_index, hook) in event_hooks.before.iter().enumerate() {
        let permit = host.execution_mode.permit.replace(Permit::ReadOnly("a before-hook"));
        let call_result = call_hook(call, event_hooks, hook, hook_index);
        host.execution_mode.permit.set(permit);
        call_result?;
        snapshot.has_next_hook = hook_index + 1 < event_hooks.before.len();
        check_event_changes(call, event_hooks, hook, &mut snapshot)?;
    }
    Ok(())
}

/// Checks what a hook changed in the event: it removes nothing and changes no type, and its values
/// match the declaration.
#[inline]
fn check_event_changes(
    call: &HostCall<'_>,
    event_hooks: &EventHooks,
    hook: &RegisteredHook,
    snapshot: &mut EventSnapshot,
) -> Result<(), CallError> {
    let (host, stack) = (call.host, call.stack);
    let declaration = event_hooks.declaration.as_deref().filter(|_| hook.is_strict);
    let mut check_change = |change: EventChange| {
        if let EventChange::ValueChanged { key, new_value } = change
            && !strict_type_checks::is_same_lua_kind(stack, key + 1, new_value)
        {
            return Err(CallError::from(strict_type_checks::changed_type_problem(
                call,
                &event_hooks.name,
                &hook.place,
                key,
                new_value,
            )?));
        }
        let Some(declaration) = declaration else { return Ok(()) };
        let problem = strict_type_checks::check_hook_change(host, stack, declaration, &change);
        problem.map_or(Ok(()), |problem| Err(problem.at(hook.place.clone()).into()))
    };
    let has_changed =
        compare_event(stack, (EVENT_INDEX, SNAPSHOT_INDEX), snapshot, &mut check_change);
    let check_result = match has_changed {
        Ok(_) if host.is_strict.get() => {
            trace_before_hook(call, EVENT_INDEX, &hook.place);
            let description = format!("a before-hook on {:?}", &*event_hooks.name);
            let find_problem = || {
                strict_type_checks::check_complete_event(
                    host,
                    stack,
                    EVENT_INDEX,
                    &event_hooks.name,
                    &description,
                )
            };
            match hook.is_strict.then(find_problem).flatten() {
                Some(problem) => Err(problem.at(hook.place.clone()).into()),
                None => has_changed,
            }
        }
        unchanged_result => unchanged_result,
    };
    match check_result {
        Ok(false) => Ok(()),
        Ok(true) => {
            stack.set_top(SNAPSHOT_INDEX);
            *snapshot = take_snapshot(
                stack,
                (EVENT_INDEX, SNAPSHOT_INDEX),
                (snapshot.compares_values, snapshot.compares_lengths),
            );
            Ok(())
        }
        Err(call_error) => {
            host.record_failed_hook(&hook.place, &event_hooks.name);
            Err(call_error)
        }
    }
}

fn run_after_hooks(call: &HostCall<'_>, event_hooks: &EventHooks) -> Result<(), CallError> {
    if event_hooks.after.is_empty() {
        return Ok(());
    }
    let stack = call.stack;
    if !event_hooks.before.is_empty() {
        stack.push_nil();
        stack.replace(SNAPSHOT_INDEX);
    }
    let frozen_count = match stack.is_frozen(EVENT_INDEX) {
        true => None,
        false => {
            let inner_count =
                freeze_event(stack, EVENT_INDEX, SNAPSHOT_INDEX).ok_or_else(too_deep_error)?;
            call.host.check_fuel_budget()?;
            Some(inner_count)
        }
    };
    let scope = &call.host.call_scope;
    scope.after_hook_depth.set(scope.after_hook_depth.get() + 1);
    let mut hooks = (event_hooks.before.len()..).zip(&event_hooks.after);
    let call_result: Result<(), CallError> = hooks.try_for_each(|(hook_index, hook)| {
        call_hook(call, event_hooks, hook, hook_index)?;
        if !scope.scenes_opened_by_hooks.borrow().is_empty() {
            scope.attribute_scenes_to_hook(&hook.place, &event_hooks.name);
        }
        Ok(())
    });
    scope.after_hook_depth.set(scope.after_hook_depth.get() - 1);
    call_result?;
    // The event is returned as writable as it came, with or without hooks.
    if let Some(inner_count) = frozen_count {
        unfreeze_event(stack, EVENT_INDEX, (SNAPSHOT_INDEX, inner_count));
    }
    Ok(())
}

/// Calls a hook with its share of the fuel. If it fails, it is recorded as the failed hook.
fn call_hook(
    call: &HostCall<'_>,
    event_hooks: &EventHooks,
    hook: &RegisteredHook,
    hook_index: usize,
) -> Result<(), CallError> {
    let (host, stack) = (call.host, call.stack);
    // There are few hooks.
    if stack
        .raw_get_at(HOOK_FUNCTIONS_UPVALUE, event_hooks.first_hook_index + hook_index as StackIndex)
        != LuaType::Function
    {
        stack.set_top(stack.top() - 1);
        let lua = call.lua();
        stack.push_value(&lua, load_hook(call, event_hooks, hook_index)?)?;
    }
    stack.push_copy(EVENT_INDEX);
    let allowance = host.fuel.begin_hook(hook.fuel_account, &hook.budget);
    let call_result = call_with_error_handler(stack, 1, 0);
    host.fuel.end_hook(&hook.budget, allowance);
    if call_result.is_err() || host.fuel.is_spent() {
        host.record_failed_hook(&hook.place, &event_hooks.name);
    }
    call_result
}

/// Loads the function of a hook and stores it in the list of all hooks. While a step is traced
/// nothing is stored, so that each call comes here.
fn load_hook(
    call: &HostCall<'_>,
    event_hooks: &EventHooks,
    hook_index: usize,
) -> mlua::Result<Function> {
    let hook = event_hooks.hooks().nth(hook_index).expect("the list has a slot for each hook");
    let function = call.host.stored_function(hook.function_id)?.function;
    if call.host.step_trace.is_on() {
        if hook_index >= event_hooks.before.len() {
            trace_after_hook(call, &hook.place);
        }
        return Ok(function);
    }
    call.host
        .hook_table
        .lua_table(&call.lua())?
        .raw_set(event_hooks.first_hook_index + hook_index as StackIndex, &function)?;
    Ok(function)
}

/// Calls the function below its arguments. An error is converted where it happens, with its
/// traceback.
fn call_with_error_handler(
    stack: Stack<'_>,
    argument_count: StackIndex,
    result_count: StackIndex,
) -> Result<(), CallError> {
    match stack.protected_call(argument_count, result_count, ERROR_HANDLER_INDEX) {
        true => Ok(()),
        false => Err(CallError::ErrorOnStack),
    }
}

#[cold]
fn too_deep_error() -> CallError {
    Problem::error(Code::TooLarge, "an event with tables nested too deep, or in a cycle")
        .expected(format!("at most {} tables inside each other", limits::MAX_NESTING_DEPTH))
        .into()
}
