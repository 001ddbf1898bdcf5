//! `chance`, `pick`, `shuffle`: random draws that are not dice rolls and show nothing. Each names
//! its stream.

use super::super::describe_value::describe;
use super::super::host::Host;
use super::super::host_fn::{AnyArgument, HostApi, HostCall, PushedValues, StreamName, host_fn};
use super::super::proxy::{Proxy, state_error};
use crate::base::{Code, Id, Problem, id, limits, meter};
use crate::dice;
use crate::luau::{CallError, LuaKind, StackIndex};

pub(super) fn register(api: &mut HostApi<'_>) -> mlua::Result<()> {
    host_fn!(
        api, Writing "chance"(cases: AnyArgument as "number", of: AnyArgument as "number", stream: StreamName)
            -> "boolean",
        "True in N of M cases; shows nothing.",
        |call| draw_chance(call, cases, of, stream)
    )?;
    host_fn!(
        api, Writing "pick"(
            list: AnyArgument as "{ T }",
            stream: StreamName,
            weights: AnyArgument as "(((item: T) -> number) | { number })?",
        ) -> "T",
        "One item of a list, with equal chances or by weight.",
        |call| pick_item(call, list, stream, weights)
    )?;
    host_fn!(
        api, Writing "shuffle"(list: AnyArgument as "{ T }", stream: StreamName) -> "{ T }",
        "A new list with the items in random order.",
        |call| shuffle_list(call, list, stream)
    )?;
    host_fn!(
        api, Writing "lend_stream"(stream: StreamName) -> "string",
        "Lends a stream of this mod to other mods until the end of this step, for a library that rolls dice for its caller.",
        |call| lend_stream(call, stream)
    )
}

/// Lends a stream of the calling mod to other mods for the rest of this call.
fn lend_stream(call: &HostCall<'_>, stream: &str) -> Result<String, CallError> {
    let stream = resolve_stream_name(call, stream, &call.host.calling_mod(&call.lua()))?;
    call.host.scope.lent_streams.borrow_mut().insert(stream.clone());
    Ok(stream)
}

fn draw_chance(
    call: &HostCall<'_>,
    cases: StackIndex,
    of: StackIndex,
    stream: &str,
) -> Result<bool, CallError> {
    let stream = resolve_stream_name(call, stream, &call.host.calling_mod(&call.lua()))?;
    let whole = |at| {
        let number = call.stack.number(at);
        let is_whole = call.stack.kind(at) == LuaKind::Number && number == number.trunc();
        (is_whole && (0.0..=f64::from(limits::DIE_SIDES)).contains(&number))
            .then_some(number as u32)
    };
    match (whole(cases), whole(of)) {
        (Some(cases), Some(sides @ 1..)) if cases <= sides => {
            Ok(draw_die(call.host, &stream, sides) <= cases)
        }
        _ => {
            let lua = call.lua();
            let [cases, of] = [cases, of].map(|at| call.stack.read(&lua, at));
            let given = format!("chance got {} and {}", describe(&cases?), describe(&of?));
            Err(Problem::error(Code::BadArgument, given)
                .expected("chance(n, of, stream): two whole numbers, with n from 0 to of")
                .into())
        }
    }
}

fn pick_item(
    call: &HostCall<'_>,
    list: StackIndex,
    stream: &str,
    weights: StackIndex,
) -> Result<PushedValues, CallError> {
    let stream = resolve_stream_name(call, stream, &call.host.calling_mod(&call.lua()))?;
    let length = charge_list_length(call, list)?;
    if length == 0 {
        return Err(Problem::error(Code::EmptyList, "pick got an empty list")
            .expected("a list with at least one item")
            .hint("check `#list > 0` first; a table with names has no items")
            .into());
    }
    let at = match call.stack.kind(weights) {
        LuaKind::Nil => draw_die(call.host, &stream, length as u32) as usize,
        _ => pick_weighted(call, &stream, (list, length), weights)?,
    };
    push_item(call, list, at)?;
    Ok(PushedValues(1))
}

fn shuffle_list(
    call: &HostCall<'_>,
    list: StackIndex,
    stream: &str,
) -> Result<PushedValues, CallError> {
    let stream = resolve_stream_name(call, stream, &call.host.calling_mod(&call.lua()))?;
    let length = charge_list_length(call, list)?;
    let order = dice::shuffled_indices(length, &mut |sides| draw_die(call.host, &stream, sides));
    call.stack.push_table(length, 0);
    let made = call.stack.top();
    for (place, at) in (1..).zip(order) {
        push_item(call, list, at + 1)?;
        call.stack.raw_set_at(made, place);
    }
    Ok(PushedValues(1))
}

/// The full name `mod:name` of a stream that a mod may draw from: its own, or one that was lent in
/// this call.
pub(super) fn resolve_stream_name(
    call: &HostCall<'_>,
    written: &str,
    home: &str,
) -> Result<String, CallError> {
    let name = call.name;
    let stream = if !home.is_empty() && id::check_id_part(written).is_ok() {
        [home, ":", written].concat()
    } else {
        let id = Id::parse(written, home)
            .map_err(|why| Problem::error(Code::BadStream, format!("{name}: {why}")))?;
        let lent = || call.host.scope.lent_streams.borrow().contains(id.as_str());
        if id.owner() != home && !lent() {
            let found = format!("{name} draws from {written:?}, a stream of another mod");
            return Err(Problem::error(Code::BadStream, found)
                .expected("a stream of this mod: its name, without a mod before it")
                .hint(format!(
                    "a library rolls its caller's dice with `lend_stream {:?}`, called again in each step",
                    id.name()
                ))
                .into());
        }
        id.as_str().to_owned()
    };
    let admitted = call.host.context.world.borrow().dice.check_stream_available(&stream);
    admitted.map_err(|why| Problem::error(Code::BadStream, why))?;
    Ok(stream)
}

/// One draw from 1 to `sides`.
pub(super) fn draw_die(host: &Host, stream: &str, sides: u32) -> u32 {
    meter::charge_entries(2);
    host.context.world.borrow_mut().dice.draw(stream, sides)
}

/// The index of an item drawn by weight. Weights are a function of the item or a list of numbers.
fn pick_weighted(
    call: &HostCall<'_>,
    stream: &str,
    (list, length): (StackIndex, usize),
    weights: StackIndex,
) -> Result<usize, CallError> {
    let stack = call.stack;
    let top = stack.top();
    let mut sums = Vec::with_capacity(length);
    let mut sum = 0_u32;
    for at in 1..=length {
        match stack.kind(weights) {
            LuaKind::Function => {
                stack.push_copy(weights);
                push_item(call, list, at)?;
                stack.call(1, 1);
            }
            LuaKind::Table => drop(stack.raw_get_at(weights, at as StackIndex)),
            _ => stack.push_nil(),
        }
        let weight = stack.number(top + 1);
        let fits = stack.kind(top + 1) == LuaKind::Number
            && weight == weight.trunc()
            && (0.0..=f64::from(limits::DIE_SIDES)).contains(&weight);
        let added = fits.then(|| sum + weight as u32);
        sum = added.filter(|sum| *sum <= limits::DIE_SIDES).ok_or_else(|| {
            let found = format!("pick got no valid weight for item {at}");
            Problem::error(Code::BadArgument, found).expected(
                "a function that returns a whole number from 0, or a list of such numbers; \
                     at most a million in total",
            )
        })?;
        sums.push(sum);
        stack.set_top(top);
    }
    if sum == 0 {
        let problem = Problem::error(Code::EmptyList, "pick got weights that are all 0");
        return Err(problem.expected("at least one item that can be picked").into());
    }
    let drawn = draw_die(call.host, stream, sum);
    Ok(sums.partition_point(|sum| *sum < drawn) + 1)
}

/// The length of a list, plain or in the state. Charges fuel for it.
fn charge_list_length(call: &HostCall<'_>, list: StackIndex) -> Result<usize, CallError> {
    let length = match call.stack.kind(list) {
        LuaKind::Table => call.stack.length(list),
        LuaKind::Userdata => {
            let node = call.host.node_at(call.stack, list)?;
            let length = call.host.context.world.borrow().state.len(node);
            length.map_err(|error| state_error(call.name, &error))?
        }
        _ => return Err(call.wrong_argument(list, "a list").into()),
    };
    if length > limits::TABLE_ENTRIES || call.host.charge(length / 4).is_err() {
        let found = format!("{} of a huge list", call.name);
        return Err(Problem::error(Code::TooLarge, found).into());
    }
    Ok(length)
}

/// Pushes an item of a list, plain or in the state.
fn push_item(call: &HostCall<'_>, list: StackIndex, at: usize) -> Result<(), CallError> {
    let Some(proxy) = call.stack.tagged_userdata::<Proxy>(list) else {
        call.stack.raw_get_at(list, at as StackIndex);
        return Ok(());
    };
    let node = call.host.node_of_proxy(proxy)?;
    let slot = call.host.context.world.borrow().state.get_index(node, at as u32);
    call.host.push_slot(call.stack, &slot.map_err(|error| state_error(call.name, &error))?);
    Ok(())
}
