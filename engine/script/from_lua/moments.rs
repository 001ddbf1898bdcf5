//! `emit` and `preview`: events that a game emits, and the hooks that mods register on them.
//!
//! `before` hooks may change the event and nothing else. `after` hooks see its final value, frozen,
//! and may act. A preview runs the `before` hooks on a copy.

use mlua::{Function, Value as LuaValue};

use super::super::hook_table::{Hook, Moment};
use super::super::phase::Permit;
use super::super::row::{self, Anything, Api, Call, MOMENTS, MomentName, Pushed, row};
use super::super::words::{found, sort};
use super::events::{Kept, Left, freeze, keep_fields, push_copy, thaw, what_is_left};
use super::held;
use crate::kit::{Place, Problem, limits};
use crate::luau::{At, Fault, Kind, Stack};

/// The arguments of `emit`.
const MOMENT: At = 1;
const EVENT: At = 2;
const APPLY: At = 3;
/// The index of the event among all with hooks, or nil.
const PLACE: At = 4;
/// The handler that converts a Lua error to a host error.
const CARRY_UP: At = 5;
/// The snapshot of the event, or its frozen inner tables; nil at first.
const BESIDE: At = 6;

pub(super) fn declare(api: &mut Api<'_>) -> mlua::Result<()> {
    row!(
        api, Looking "preview"(name: MomentName, event: Anything) -> "any",
        "The event as the `before` hooks would change it; nothing else happens.",
        |call| preview(call, name, event)
    )?;
    row!(
        api, Acting "emit"(
            name: MomentName,
            event: Anything,
            apply: Anything as "((event: any) -> ())?",
        ) -> "any",
        "Emits an event: runs the `before` hooks, then `apply`, then the `after` hooks. Returns the final event.",
        |call| emit(call, name, event, apply)
    )
}

fn emit(call: &Call<'_>, name: &str, event: At, _: At) -> Result<Pushed, Fault> {
    begin(call, name, event)?;
    hold_announced(call, name)?;
    let moment = hooks_of(call)?;
    within(call, || announce(call, name, moment))
}

fn preview(call: &Call<'_>, name: &str, event: At) -> Result<Pushed, Fault> {
    call.stack.set_top(EVENT);
    begin(call, name, event)?;
    hold_announced(call, name)?;
    let moment = hooks_of(call)?;
    // Frozen tables (definitions) and tables of the state are not copied, because no hook can
    // change them.
    if !push_copy(call.stack, EVENT, 0) {
        call.host.paid()?;
        return Err(too_deep());
    }
    call.host.paid()?;
    call.stack.replace(EVENT);
    within(call, || moment.map_or(Ok(()), |moment| before(call, moment)))
}

/// Checks the event; nil stands for an empty one.
fn begin(call: &Call<'_>, name: &str, event: At) -> Result<(), Fault> {
    call.stack.set_top(APPLY);
    match call.stack.kind(event) {
        Kind::Table => Ok(()),
        Kind::Nil => {
            call.stack.push_table(0, 0);
            call.stack.replace(EVENT);
            Ok(())
        }
        _ => {
            let given: LuaValue = call.stack.take(&call.lua(), event)?;
            let found = format!("{} {name:?} got {}", call.name, found(&given));
            Err(Problem::error("wrong-type", found)
                .expected("a table: the event, with everything that hooks may change")
                .into())
        }
    }
}

/// In strict mode: checks that the emitted event is complete.
#[inline]
fn hold_announced(call: &Call<'_>, name: &str) -> Result<(), Fault> {
    let (host, stack) = (call.host, call.stack);
    if !host.holds.get() {
        return Ok(());
    }
    let made = format!("{} {name:?} emits", call.name);
    held::of_event(host, stack, EVENT, name, &made).map_or(Ok(()), |problem| Err(problem.into()))
}

/// Pushes the values that are needed beside the arguments, and finds the hooks of the event.
fn hooks_of<'c>(call: &Call<'c>) -> Result<Option<&'c Moment>, Fault> {
    let stack = call.stack;
    stack.push_copy(MOMENT);
    let has_hooks = stack.raw_get(MOMENTS) == Kind::Number;
    stack.push_copy(row::CARRY_UP);
    stack.set_top(BESIDE);
    Ok(has_hooks.then(|| call.host.hooks.at(stack.number(PLACE) as usize)))
}

/// Runs `work` one level deeper, and returns the event.
fn within(call: &Call<'_>, work: impl FnOnce() -> Result<(), Fault>) -> Result<Pushed, Fault> {
    let depth = &call.host.scope.depth;
    if depth.get() >= limits::EMIT_DEPTH {
        let found = format!("more than {} events nested in each other", limits::EMIT_DEPTH);
        return Err(Problem::error("too-deep", found)
            .hint("a hook that emits its own event calls itself")
            .into());
    }
    depth.set(depth.get() + 1);
    let done = work();
    depth.set(depth.get() - 1);
    done?;
    call.stack.set_top(EVENT);
    Ok(Pushed(1))
}

fn announce(call: &Call<'_>, name: &str, moment: Option<&Moment>) -> Result<(), Fault> {
    let stack = call.stack;
    if let Some(moment) = moment {
        before(call, moment)?;
    }
    match stack.kind(APPLY) {
        Kind::Nil => {}
        Kind::Function => {
            stack.push_copy(APPLY);
            stack.push_copy(EVENT);
            try_call(stack, 1, 0)?;
        }
        _ => {
            let given: LuaValue = stack.take(&call.lua(), APPLY)?;
            let found = format!("emit {name:?} got {} as `apply`", found(&given));
            return Err(Problem::error("wrong-type", found).expected("a function").into());
        }
    }
    moment.map_or(Ok(()), |moment| after(call, moment))
}

fn before(call: &Call<'_>, moment: &Moment) -> Result<(), Fault> {
    if moment.before.is_empty() {
        return Ok(());
    }
    let (host, stack) = (call.host, call.stack);
    let held = moment.declared.is_some() && moment.before.iter().any(|hook| hook.held);
    let mut kept = keep_fields(stack, (EVENT, BESIDE), (held, held && moment.lists));
    for (at, hook) in moment.before.iter().enumerate() {
        let permit = host.now.permit.replace(Permit::Look("a before-hook"));
        let called = call_hook(call, moment, hook, at);
        host.now.permit.set(permit);
        called?;
        kept.more = at + 1 < moment.before.len();
        look_at(call, moment, hook, &mut kept)?;
    }
    Ok(())
}

/// Checks what a hook changed in the event: it removes nothing and changes no type, and its values
/// match the declaration.
#[inline]
fn look_at(call: &Call<'_>, moment: &Moment, hook: &Hook, kept: &mut Kept) -> Result<(), Fault> {
    let (host, stack) = (call.host, call.stack);
    let declared = moment.declared.as_deref().filter(|_| hook.held);
    let mut each = |left: Left| {
        if let Left::Changed { key, now } = left
            && !held::same_sort(stack, key + 1, now)
        {
            return Err(Fault::from(changed(call, &moment.name, &hook.place, key, now)?));
        }
        let Some(declared) = declared else { return Ok(()) };
        let problem = held::of_hook(host, stack, declared, &left);
        problem.map_or(Ok(()), |problem| Err(problem.at(hook.place.clone()).into()))
    };
    let left = what_is_left(stack, (EVENT, BESIDE), kept, &mut each);
    let left = match left {
        Ok(_) if host.holds.get() && hook.held => {
            let made = format!("a before-hook on {:?} made", &*moment.name);
            match held::of_event(host, stack, EVENT, &moment.name, &made) {
                Some(problem) => Err(problem.at(hook.place.clone()).into()),
                None => left,
            }
        }
        left => left,
    };
    match left {
        Ok(false) => Ok(()),
        Ok(true) => {
            stack.set_top(BESIDE);
            *kept = keep_fields(stack, (EVENT, BESIDE), (kept.held, kept.lists));
            Ok(())
        }
        Err(fault) => {
            host.blame_hook(&hook.place, &moment.name);
            Err(fault)
        }
    }
}

fn after(call: &Call<'_>, moment: &Moment) -> Result<(), Fault> {
    if moment.after.is_empty() {
        return Ok(());
    }
    let stack = call.stack;
    if !moment.before.is_empty() {
        stack.push_nil();
        stack.replace(BESIDE);
    }
    let frozen = match stack.is_frozen(EVENT) {
        true => None,
        false => {
            let inner = freeze(stack, EVENT, BESIDE).ok_or_else(too_deep)?;
            call.host.paid()?;
            Some(inner)
        }
    };
    let scope = &call.host.scope;
    scope.in_after.set(scope.in_after.get() + 1);
    let mut hooks = (moment.before.len()..).zip(&moment.after);
    let called: Result<(), Fault> = hooks.try_for_each(|(at, hook)| {
        call_hook(call, moment, hook, at)?;
        if !scope.hooked.borrow().is_empty() {
            scope.note_hook(&hook.place, &moment.name);
        }
        Ok(())
    });
    scope.in_after.set(scope.in_after.get() - 1);
    called?;
    // The event is returned as writable as it came, with or without hooks.
    if let Some(inner) = frozen {
        thaw(stack, EVENT, (BESIDE, inner));
    }
    Ok(())
}

/// Calls a hook with its share of the fuel. If it fails, it is recorded as the failed hook.
fn call_hook(call: &Call<'_>, moment: &Moment, hook: &Hook, at: usize) -> Result<(), Fault> {
    let (host, stack) = (call.host, call.stack);
    // There are few hooks.
    if stack.raw_get_at(MOMENTS, moment.first + at as At) != Kind::Function {
        stack.set_top(stack.top() - 1);
        let lua = call.lua();
        stack.push(&lua, wake(call, moment, at)?)?;
    }
    stack.push_copy(EVENT);
    let share = host.fuel.begin_hook(hook.spender, &hook.purse);
    let called = try_call(stack, 1, 0);
    host.fuel.end_hook(&hook.purse, share);
    if called.is_err() || host.fuel.is_spent() {
        host.blame_hook(&hook.place, &moment.name);
    }
    called
}

/// Loads the function of a hook and stores it in the list of all hooks.
fn wake(call: &Call<'_>, moment: &Moment, hook: usize) -> mlua::Result<Function> {
    let work = moment.hooks().nth(hook).expect("the list has a slot for each hook").work;
    let function = call.host.kept(work)?.function;
    call.host.hooks.table(&call.lua())?.raw_set(moment.first + hook as At, &function)?;
    Ok(function)
}

/// Calls the function below its arguments. An error is converted where it happens, with its
/// traceback.
fn try_call(stack: Stack<'_>, arguments: At, results: At) -> Result<(), Fault> {
    match stack.try_call(arguments, results, CARRY_UP) {
        true => Ok(()),
        false => Err(Fault::OnTop),
    }
}

#[cold]
fn too_deep() -> Fault {
    Problem::error("too-large", "an event with tables nested too deep, or in a cycle")
        .expected(format!("at most {} tables inside each other", limits::DEPTH))
        .into()
}

/// The Problem of a before-hook that removed a field or changed its type.
#[cold]
fn changed(
    call: &Call<'_>,
    moment: &str,
    place: &Place,
    key: At,
    now: At,
) -> mlua::Result<Problem> {
    let (stack, lua) = (call.stack, call.lua());
    let was: LuaValue = stack.take(&lua, key + 1)?;
    let is: LuaValue = stack.take(&lua, now)?;
    let key = match stack.take(&lua, key)? {
        LuaValue::String(name) => name.to_string_lossy(),
        other => format!("[{}]", found(&other)),
    };
    let found = format!("a before-hook on {moment:?} changed event.{key} to {}", sort(&is));
    Ok(Problem::error("event-changed-type", found)
        .expected(format!("{}, as the game emitted it", sort(&was)))
        .hint("a hook may change values, but not remove them or change their type")
        .at(place.clone()))
}
