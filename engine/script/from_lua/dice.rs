//! `roll` and `odds`: dice rolls that are shown with all their parts, and exact odds.
//!
//! A roll can stay open before it is shown: `amend_roll` changes it, `open_roll` reads it,
//! `tell_roll` shows it. Outcomes are named in `judge`.

use std::rc::Rc;

use super::amend_roll_options::AmendRollOptions;
use super::count_odds::{count_odds, unknown_roll_change_problem};
use super::host_fn::{
    AnyArgumentIndex, HostCall, HostFnParam, HostFnRegistry, NotationText, PushedValueCount,
    StreamName, host_fn,
};
use super::judge::{Judge, JudgedRoll, RollOptions};
use super::random_draws::{draw_die, resolve_stream_name};
use super::story_output::output_roll;
use crate::host::call_scope;
use crate::source_text::describe_value::describe_lua_value;
use base::value::ValueMap;
use base::{Code, Problem};
use dice::{NotationError, RollResult, parse_roll};
use luau::{CallError, LuaType, Stack, StackIndex};
use protocol::open_roll::OpenRoll;
use protocol::story_event::{AddedDice, Die, Modifier, RollEvent};

pub(super) fn register(api: &mut HostFnRegistry<'_>) -> mlua::Result<()> {
    host_fn!(
        api, Reading "odds"(roll: AnyArgumentIndex as "string | number", judge: AnyArgumentIndex as "Judge?", about: RollOptions)
            -> "{ [string]: number }",
        "Counts exactly in how many cases a roll has each outcome: `{ of = 20, full = 6, … }`. For an open roll it starts from the present result.",
        |call| count_odds(call, roll, judge, about)
    )?;
    host_fn!(
        api, Writing "roll"(notation: NotationText, stream: StreamName, about: RollOptions)
            -> "(number, RollParts)",
        "Rolls dice from a stream of this mod and shows the roll. Returns the total and its parts.",
        |call| roll_dice(call, notation, stream, about)
    )?;
    host_fn!(
        api, Reading "open_roll"(roll: OpenRollNumber) -> "OpenRoll?",
        "An open roll as it is now; nil if it was already shown.",
        |call| push_open_roll(call, roll)
    )?;
    host_fn!(
        api, Writing "amend_roll"(roll: OpenRollNumber, what: AnyArgumentIndex as "string | number", how: AmendRollOptions)
            -> "(number, RollParts)",
        "Changes an open roll: adds or removes dice (`\"+1d6\"`) or a number, rolls it `\"again\"`, or rolls once more and keeps the `\"better\"`.",
        |call| amend_roll(call, roll, what, &how)
    )?;
    host_fn!(
        api, Writing "tell_roll"(roll: OpenRollNumber, about: RollOptions) -> "(number, RollParts)",
        "Shows an open roll with all changes and closes it.",
        |call| show_and_close_roll(call, roll, about)
    )
}

/// Rolls the dice, shows the roll, and returns `total, parts`.
fn roll_dice(
    call: &HostCall<'_>,
    notation: &str,
    stream: &str,
    options: RollOptions,
) -> Result<PushedValueCount, CallError> {
    let (host, stack) = (call.host, call.stack);
    let parsed_notation = parse_notation(call, notation)?;
    let (caller_mod, caller_place) = host.caller_summary(stack);
    let stream = resolve_stream_name(call, stream, &caller_mod)?;
    let RollResult { total: dice_total, natural, dice } =
        dice::roll(&parsed_notation.expr, &mut |sides| draw_die(host, &stream, sides));
    let total = options.total_with_modifiers(dice_total);
    let faces = dice::faces_in_notation_order(&parsed_notation.expr, &dice);
    let outcome = match &options.judge {
        None => None,
        Some(judge) => {
            name_roll_outcome(call, judge, options.rolls_under, (total, natural, &faces))?
        }
    };
    stack.push_number(total as f64);
    push_roll_parts(stack, natural, total, dice.iter().map(|die| die.face));
    let parts = stack.top();
    push_outcome(stack, parts, outcome.as_deref());
    let thresholds = match options.judge {
        Some(Judge::Thresholds(thresholds)) => thresholds,
        _ => Vec::new(),
    };
    let roll_event = RollEvent {
        label: options.label,
        notation: notation.to_owned(),
        stream,
        dice: dice.into_iter().map(Die::from).collect(),
        dice_total,
        modifiers: options.modifiers,
        added_dice: Vec::new(),
        total,
        target: options.target,
        rolls_under: options.rolls_under,
        is_open: false,
        outcome,
        source_position: caller_place,
        text_sources: ValueMap::new(),
    };
    if options.stays_open {
        let (more, shown) = (Vec::new(), options.is_silent);
        let open_roll = OpenRoll {
            event: roll_event,
            natural,
            faces,
            added_faces: more,
            thresholds,
            is_shown: shown,
        };
        let number = host.call_context.world.borrow_mut().add_open_roll(&open_roll);
        let number = number.map_err(|reason| {
            Problem::error(Code::TooMany, reason)
                .hint("show each roll with `tell_roll` once it needs no more changes")
        })?;
        stack.push_number(number as f64);
        stack.set_field(parts, "open");
    } else if !options.is_silent {
        output_roll(call, roll_event)?;
    }
    Ok(PushedValueCount(2))
}

/// The outcome that a judge names for rolled dice.
fn name_roll_outcome(
    call: &HostCall<'_>,
    judge: &Judge,
    rolls_under: bool,
    (total, natural, faces): (i64, Option<i64>, &[u32]),
) -> Result<Option<String>, CallError> {
    judge.name_outcome(call, rolls_under, JudgedRoll { total, natural, dice: Some(faces) })
}

/// Pushes the parts of a roll; the outcome is added afterwards. The names are always in the same
/// order, because a table is iterated in the order in which it was filled.
fn push_roll_parts(
    stack: Stack<'_>,
    natural: Option<i64>,
    total: i64,
    faces: impl ExactSizeIterator<Item = u32>,
) {
    stack.push_table(0, 4);
    let parts = stack.top();
    match natural {
        Some(natural) => stack.push_number(natural as f64),
        None => stack.push_nil(),
    }
    stack.set_field(parts, "natural");
    stack.push_number(total as f64);
    stack.set_field(parts, "total");
    let faces: Vec<u32> = faces.collect();
    stack.push_list(&faces, false, |face| stack.push_number(f64::from(*face)));
    stack.set_field(parts, "dice");
}

fn push_outcome(stack: Stack<'_>, parts: StackIndex, outcome: Option<&str>) {
    match outcome {
        Some(outcome) => stack.push_text(outcome),
        None => stack.push_nil(),
    }
    stack.set_field(parts, "outcome");
}

/// The number of an open roll.
pub(super) struct OpenRollNumber;

impl HostFnParam for OpenRollNumber {
    type Value<'c> = u64;
    const LUAU_TYPE: &'static str = "number";

    fn read_argument<'c>(call: &HostCall<'c>, index: StackIndex) -> mlua::Result<u64> {
        let number = call.stack.number(index);
        match call.stack.lua_type(index) {
            LuaType::Number if number == number.trunc() && number >= 1.0 => Ok(number as u64),
            _ => Err(call.wrong_argument_error(index, "the number of an open roll: `parts.open`")),
        }
    }
}

/// The open roll with the number that a script gave.
pub(super) fn find_open_roll(call: &HostCall<'_>, number: u64) -> Result<OpenRoll, Problem> {
    let open_roll = call.host.call_context.world.borrow().find_open_roll(number);
    open_roll.ok_or_else(|| roll_not_open_problem(call, number))
}

fn roll_not_open_problem(call: &HostCall<'_>, number: u64) -> Problem {
    Problem::error(Code::NoOpenRoll, format!("{}: the roll {number} is not open", call.name))
        .expected("the `parts.open` of a roll made with { open = true } that was not shown yet")
        .hint(
            "the number is good until the roll is shown: store it in the state, and delete it then",
        )
}

fn push_open_roll(call: &HostCall<'_>, number: u64) -> Result<PushedValueCount, CallError> {
    let stack = call.stack;
    let Some(open_roll) = call.host.call_context.world.borrow().find_open_roll(number) else {
        stack.push_nil();
        return Ok(PushedValueCount(1));
    };
    push_roll_parts(
        stack,
        open_roll.natural,
        open_roll.event.total,
        open_roll.all_faces().into_iter(),
    );
    let parts = stack.top();
    push_outcome(stack, parts, open_roll.event.outcome.as_deref());
    for (name, text) in [("label", &open_roll.event.label), ("notation", &open_roll.event.notation)]
    {
        stack.push_text(text);
        stack.set_field(parts, name);
    }
    if let Some(target) = open_roll.event.target {
        stack.push_number(target as f64);
        stack.set_field(parts, "target");
    }
    Ok(PushedValueCount(1))
}

fn amend_roll(
    call: &HostCall<'_>,
    number: u64,
    change: StackIndex,
    options: &AmendRollOptions,
) -> Result<PushedValueCount, CallError> {
    let mut open_roll = find_open_roll(call, number)?;
    match call.stack.lua_type(change) {
        LuaType::Number if call.stack.number(change).fract() == 0.0 => {
            let value = call.stack.number(change) as i64;
            open_roll.event.modifiers.push(Modifier { label: options.label.clone(), value });
            open_roll.event.total = open_roll.event.total.saturating_add(value);
        }
        _ => match call.stack.text(change) {
            Some(word @ ("again" | "better")) => {
                reroll_open_roll(call, &mut open_roll, word, options)?
            }
            Some(word) if word.starts_with(['+', '-']) => {
                add_dice_to_open_roll(call, &mut open_roll, word, options)?
            }
            Some(word) => return Err(unknown_roll_change_problem(call.name, word).into()),
            None => {
                let change_value: mlua::Value = call.stack.read_value(&call.lua(), change)?;
                return Err(unknown_roll_change_problem(
                    call.name,
                    &describe_lua_value(&change_value),
                )
                .into());
            }
        },
    }
    open_roll.event.outcome = match open_roll.thresholds.is_empty() {
        true => None,
        false => {
            let judge = Judge::Thresholds(open_roll.thresholds.clone());
            let rolled = (open_roll.event.total, open_roll.natural, [].as_slice());
            name_roll_outcome(call, &judge, open_roll.event.rolls_under, rolled)?
        }
    };
    let store_result = call.host.call_context.world.borrow_mut().set_open_roll(number, &open_roll);
    store_result.map_err(|reason| Problem::error(Code::TooLarge, reason))?;
    push_roll_result(call, &open_roll)
}

/// Returns `total, parts` of a roll.
fn push_roll_result(
    call: &HostCall<'_>,
    open_roll: &OpenRoll,
) -> Result<PushedValueCount, CallError> {
    let stack = call.stack;
    stack.push_number(open_roll.event.total as f64);
    push_roll_parts(
        stack,
        open_roll.natural,
        open_roll.event.total,
        open_roll.all_faces().into_iter(),
    );
    push_outcome(stack, stack.top(), open_roll.event.outcome.as_deref());
    Ok(PushedValueCount(2))
}

/// Rolls dice for an open roll, from a stream of the calling mod.
fn throw_dice_for_amendment(
    call: &HostCall<'_>,
    notation: &str,
    options: &AmendRollOptions,
) -> Result<(RollResult, Vec<u32>, String), CallError> {
    let parsed_notation = parse_notation(call, notation)?;
    let Some(stream) = &options.stream else {
        let message = format!("{} rolls {notation} without a stream", call.name);
        return Err(Problem::error(Code::BadArgument, message)
            .expected("the stream of the dice: { stream = \"inspiration\" }")
            .into());
    };
    let stream = resolve_stream_name(call, stream, &call.host.calling_mod(&call.lua()))?;
    let roll_result =
        dice::roll(&parsed_notation.expr, &mut |sides| draw_die(call.host, &stream, sides));
    let faces = dice::faces_in_notation_order(&parsed_notation.expr, &roll_result.dice);
    Ok((roll_result, faces, stream))
}

fn add_dice_to_open_roll(
    call: &HostCall<'_>,
    open_roll: &mut OpenRoll,
    word: &str,
    options: &AmendRollOptions,
) -> Result<(), CallError> {
    let (sign, notation) = (if word.starts_with('-') { -1 } else { 1 }, &word[1..]);
    let (roll_result, faces, stream) = throw_dice_for_amendment(call, notation, options)?;
    let total = sign * roll_result.total;
    open_roll.event.total = open_roll.event.total.saturating_add(total);
    open_roll.added_faces.extend(faces);
    let dice = roll_result.dice.into_iter().map(Die::from).collect();
    let (label, notation) = (options.label.clone(), notation.trim().to_owned());
    open_roll.event.added_dice.push(AddedDice { label, notation, stream, dice, total });
    Ok(())
}

fn reroll_open_roll(
    call: &HostCall<'_>,
    open_roll: &mut OpenRoll,
    word: &str,
    options: &AmendRollOptions,
) -> Result<(), CallError> {
    let (roll_result, faces, _) =
        throw_dice_for_amendment(call, &open_roll.event.notation, options)?;
    let is_better = match open_roll.event.rolls_under {
        true => roll_result.total < open_roll.event.dice_total,
        false => roll_result.total > open_roll.event.dice_total,
    };
    let replaces_roll = word == "again" || is_better;
    let mut dice: Vec<Die> = roll_result.dice.into_iter().map(Die::from).collect();
    let dropped_dice = if replaces_roll { &mut open_roll.event.dice } else { &mut dice };
    dropped_dice.iter_mut().for_each(|die| die.is_kept = false);
    open_roll.event.dice.append(&mut dice);
    if replaces_roll {
        let difference = roll_result.total - open_roll.event.dice_total;
        open_roll.event.total = open_roll.event.total.saturating_add(difference);
        (open_roll.event.dice_total, open_roll.natural, open_roll.faces) =
            (roll_result.total, roll_result.natural, faces);
    }
    Ok(())
}

/// Shows an open roll and closes it.
fn show_and_close_roll(
    call: &HostCall<'_>,
    number: u64,
    options: RollOptions,
) -> Result<PushedValueCount, CallError> {
    let mut open_roll = find_open_roll(call, number)?;
    let judge = match options.judge {
        Some(judge) => Some(judge),
        None if !open_roll.thresholds.is_empty() => {
            Some(Judge::Thresholds(open_roll.thresholds.clone()))
        }
        None => None,
    };
    if let Some(judge) = &judge {
        let faces = open_roll.all_faces();
        open_roll.event.outcome = name_roll_outcome(
            call,
            judge,
            open_roll.event.rolls_under,
            (open_roll.event.total, open_roll.natural, &faces),
        )?;
    }
    call.host.call_context.world.borrow_mut().remove_open_roll(number);
    let pushed_values = push_roll_result(call, &open_roll)?;
    if !options.is_silent {
        output_roll(call, open_roll.event)?;
    }
    Ok(pushed_values)
}

/// Parses a notation.
pub(super) fn parse_notation(
    call: &HostCall<'_>,
    notation: &str,
) -> Result<Rc<call_scope::ParsedNotation>, Problem> {
    let parsed_notation = call.host.call_scope.parse_cached_notation(notation);
    parsed_notation.map_err(|error| notation_error_problem(call.name, error))
}

/// The Problem of a function that cannot read a notation; `None` if it can.
pub fn notation_problem(function: &str, notation: &str) -> Option<Problem> {
    Some(notation_error_problem(function, parse_roll(notation).err()?))
}

fn notation_error_problem(function: &str, error: NotationError) -> Problem {
    // The error text ends with what was expected; a Problem has its own line for that.
    let error_text = error.to_string();
    let error_lines: Vec<&str> =
        error_text.lines().filter(|line| !line.trim_start().starts_with("expected")).collect();
    let message = format!("{function} cannot read this roll: {}", error_lines.join("\n"));
    Problem::error(Code::BadRoll, message).expected(error.expected)
}
