//! `chance`, `pick`, `shuffle`: random draws that are not dice rolls and show nothing. Each names
//! its stream.

use super::host_fn::{
    AnyArgumentIndex, HostCall, HostFnRegistry, PushedValueCount, StreamName, host_fn,
};
use crate::diagnostics::state_errors::state_error;
use crate::host::Host;
use crate::source_text::describe_value::describe_lua_value;
use crate::values::proxy::StateProxy;
use base::{Code, Id, Problem, id, limits, meter, quote};
use luau::{CallError, LuaType, StackIndex};

pub(super) fn register(api: &mut HostFnRegistry<'_>) -> mlua::Result<()> {
    host_fn!(
        api, Writing "chance"(cases: AnyArgumentIndex as "number", of: AnyArgumentIndex as "number", stream: StreamName)
            -> "boolean",
        "True in N of M cases; shows nothing.",
        |call| draw_chance(call, cases, of, stream)
    )?;
    host_fn!(
        api, Writing "pick"(
            list: AnyArgumentIndex as "{ T }",
            stream: StreamName,
            weights: AnyArgumentIndex as "(((item: T) -> number) | { number })?",
        ) -> "T",
        "One item of a list, with equal chances or by weight.",
        |call| pick_item(call, list, stream, weights)
    )?;
    host_fn!(
        api, Writing "shuffle"(list: AnyArgumentIndex as "{ T }", stream: StreamName) -> "{ T }",
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
    call.host.call_scope.lent_streams.borrow_mut().insert(stream.clone());
    Ok(stream)
}

fn draw_chance(
    call: &HostCall<'_>,
    cases: StackIndex,
    total_cases: StackIndex,
    stream: &str,
) -> Result<bool, CallError> {
    let stream = resolve_stream_name(call, stream, &call.host.calling_mod(&call.lua()))?;
    let read_whole = |index| {
        let number = call.stack.number(index);
        let is_whole = call.stack.lua_type(index) == LuaType::Number && number == number.trunc();
        (is_whole && (0.0..=f64::from(limits::MAX_DIE_SIDES)).contains(&number))
            .then_some(number as u32)
    };
    match (read_whole(cases), read_whole(total_cases)) {
        (Some(cases), Some(sides @ 1..)) if cases <= sides => {
            Ok(draw_die(call.host, &stream, sides) <= cases)
        }
        _ => {
            let lua = call.lua();
            let [cases_value, total_value] =
                [cases, total_cases].map(|index| call.stack.read_value(&lua, index));
            let message = format!(
                "chance got {} and {}",
                describe_lua_value(&cases_value?),
                describe_lua_value(&total_value?)
            );
            Err(Problem::error(Code::BadArgument, message)
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
) -> Result<PushedValueCount, CallError> {
    let stream = resolve_stream_name(call, stream, &call.host.calling_mod(&call.lua()))?;
    let length = charge_list_length(call, list)?;
    if length == 0 {
        return Err(Problem::error(Code::EmptyList, "pick got an empty list")
            .expected("a list with at least one item")
            .hint("check `#list > 0` first; a table with names has no items")
            .into());
    }
    let index = match call.stack.lua_type(weights) {
        LuaType::Nil => draw_die(call.host, &stream, length as u32) as usize,
        _ => pick_weighted(call, &stream, (list, length), weights)?,
    };
    push_item(call, list, index)?;
    Ok(PushedValueCount(1))
}

fn shuffle_list(
    call: &HostCall<'_>,
    list: StackIndex,
    stream: &str,
) -> Result<PushedValueCount, CallError> {
    let stream = resolve_stream_name(call, stream, &call.host.calling_mod(&call.lua()))?;
    let length = charge_list_length(call, list)?;
    let order = dice::shuffled_indices(length, &mut |sides| draw_die(call.host, &stream, sides));
    call.stack.push_table(length, 0);
    let new_list = call.stack.top();
    for (position, source_index) in (1..).zip(order) {
        push_item(call, list, source_index + 1)?;
        call.stack.raw_set_at(new_list, position);
    }
    Ok(PushedValueCount(1))
}

/// The full name `mod:name` of a stream that a mod may draw from: its own, or one that was lent in
/// this call.
pub(super) fn resolve_stream_name(
    call: &HostCall<'_>,
    written_name: &str,
    owner: &str,
) -> Result<String, CallError> {
    let name = call.name;
    let stream = if !owner.is_empty() && id::check_id_part(written_name).is_ok() {
        [owner, ":", written_name].concat()
    } else {
        let id = Id::parse(written_name, owner).map_err(|reason| {
            let found = format!("{name} got an invalid stream name: {reason}");
            Problem::error(Code::BadStream, found)
                .hint("use lower-case letters, digits and _, such as `roll(\"d6\", \"loot\")`")
        })?;
        let is_lent = || call.host.call_scope.lent_streams.borrow().contains(id.as_str());
        if id.mod_id() != owner && !is_lent() {
            let message =
                format!("{name} draws from {}, a stream of another mod", quote(written_name));
            return Err(Problem::error(Code::BadStream, message)
                .expected("a stream of this mod: its name, without a mod before it")
                .hint(format!(
                    "a library rolls its caller's dice with `lend_stream {:?}`, called again in each step",
                    id.name()
                ))
                .into());
        }
        id.as_str().to_owned()
    };
    let availability = call.host.call_context.world.borrow().dice.check_stream_available(&stream);
    availability.map_err(|reason| Problem::error(Code::BadStream, reason))?;
    Ok(stream)
}

/// One draw from 1 to `sides`.
pub(super) fn draw_die(host: &Host, stream: &str, sides: u32) -> u32 {
    meter::charge_table_entries(2);
    host.call_context.world.borrow_mut().dice.draw(stream, sides)
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
    let mut cumulative_sums = Vec::with_capacity(length);
    let mut sum = 0_u32;
    for index in 1..=length {
        match stack.lua_type(weights) {
            LuaType::Function => {
                stack.push_copy(weights);
                push_item(call, list, index)?;
                stack.call(1, 1);
            }
            LuaType::Table => drop(stack.raw_get_at(weights, index as StackIndex)),
            _ => stack.push_nil(),
        }
        let weight = stack.number(top + 1);
        let is_valid = stack.lua_type(top + 1) == LuaType::Number
            && weight == weight.trunc()
            && (0.0..=f64::from(limits::MAX_DIE_SIDES)).contains(&weight);
        let new_sum = is_valid.then(|| sum + weight as u32);
        sum = new_sum.filter(|sum| *sum <= limits::MAX_DIE_SIDES).ok_or_else(|| {
            let message = format!("pick got no valid weight for item {index}");
            Problem::error(Code::BadArgument, message).expected(
                "a function that returns a whole number from 0, or a list of such numbers; \
                     at most a million in total",
            )
        })?;
        cumulative_sums.push(sum);
        stack.set_top(top);
    }
    if sum == 0 {
        let problem = Problem::error(Code::EmptyList, "pick got weights that are all 0");
        return Err(problem.expected("at least one item that can be picked").into());
    }
    let drawn_number = draw_die(call.host, stream, sum);
    Ok(cumulative_sums.partition_point(|sum| *sum < drawn_number) + 1)
}

/// The length of a list, plain or in the state. Charges fuel for it.
fn charge_list_length(call: &HostCall<'_>, list: StackIndex) -> Result<usize, CallError> {
    let length = match call.stack.lua_type(list) {
        LuaType::Table => call.stack.list_length(list),
        LuaType::Userdata => {
            let node = call.host.table_handle_at(call.stack, list)?;
            let length = call.host.call_context.world.borrow().state.list_length(node);
            length.map_err(|error| state_error(call.name, &error))?
        }
        _ => return Err(call.wrong_argument_error(list, "a list").into()),
    };
    if length > limits::MAX_TABLE_ENTRIES || call.host.charge_fuel(length / 4).is_err() {
        let message = format!("{} got a list that is too long", call.name);
        return Err(Problem::error(Code::TooLarge, message).into());
    }
    Ok(length)
}

/// Pushes an item of a list, plain or in the state.
fn push_item(call: &HostCall<'_>, list: StackIndex, index: usize) -> Result<(), CallError> {
    let Some(proxy) = call.stack.tagged_userdata::<StateProxy>(list) else {
        call.stack.raw_get_at(list, index as StackIndex);
        return Ok(());
    };
    let node = call.host.table_handle_of_proxy(proxy)?;
    let slot = call.host.call_context.world.borrow().state.get_by_index(node, index as u32);
    call.host.push_stored_value(call.stack, &slot.map_err(|error| state_error(call.name, &error))?);
    Ok(())
}
