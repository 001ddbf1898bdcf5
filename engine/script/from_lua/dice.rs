//! `roll` and `odds`: dice rolls that are shown with all their parts, and exact odds.
//!
//! A roll can stay open before it is shown: `amend_roll` changes it, `open_roll` reads it,
//! `tell_roll` shows it. Outcomes are named in `judge`.

use std::rc::Rc;

use super::super::call_scope;
use super::super::data_path::DataPath;
use super::super::describe_value::describe;
use super::super::host_fn::{
    AnyArgument, HostApi, HostCall, NotationText, Param, PushedValues, StreamName, host_fn,
};
use super::super::read_fields::FieldReader;
use super::super::value_ref::ValueRef;
use super::chance::{draw_die, resolve_stream_name};
use super::judge::{Judge, JudgedRoll, RollOptions};
use super::odds::{count_odds, unknown_roll_change_problem};
use super::story_output::output_event;
use crate::base::{Code, Problem, Value, meter};
use crate::dice::{self, RollResult};
use crate::luau::{CallError, LuaKind, Stack, StackIndex};
use crate::protocol::StoryEvent;
use crate::protocol::open_roll::OpenRoll;
use crate::protocol::story_event::{AddedDice, Die, Modifier, RollEvent};

pub(super) fn register(api: &mut HostApi<'_>) -> mlua::Result<()> {
    host_fn!(
        api, Reading "odds"(roll: AnyArgument as "string | number", judge: AnyArgument as "Judge?", about: RollOptions)
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
        api, Reading "open_roll"(roll: AnyArgument as "number") -> "OpenRoll?",
        "An open roll as it is now; nil if it was already shown.",
        |call| push_open_roll(call, roll)
    )?;
    host_fn!(
        api, Writing "amend_roll"(roll: AnyArgument as "number", what: AnyArgument as "string | number", how: AmendOptions)
            -> "(number, RollParts)",
        "Changes an open roll: adds or removes dice (`\"+1d6\"`) or a number, rolls it `\"again\"`, or rolls once more and keeps the `\"better\"`.",
        |call| amend_roll(call, roll, what, &how)
    )?;
    host_fn!(
        api, Writing "tell_roll"(roll: AnyArgument as "number", about: RollOptions) -> "(number, RollParts)",
        "Shows an open roll with all changes and closes it.",
        |call| show_and_close_roll(call, roll, about)
    )
}

/// Rolls the dice, shows the roll, and returns `total, parts`.
fn roll_dice(
    call: &HostCall<'_>,
    notation: &str,
    stream: &str,
    about: RollOptions,
) -> Result<PushedValues, CallError> {
    let (host, stack) = (call.host, call.stack);
    let read = parse_notation(call, notation)?;
    let (home, by) = host.caller_summary(stack);
    let stream = resolve_stream_name(call, stream, &home)?;
    let RollResult { total: dice_total, natural, dice } =
        dice::roll(&read.expr, &mut |sides| draw_die(host, &stream, sides));
    let total = about.total_with_modifiers(dice_total);
    let faces = match host.edition.shows_dice() {
        true => dice::faces_in_notation_order(&read.expr, &dice),
        false => dice.iter().map(|die| die.face).collect(),
    };
    let outcome = match &about.judge {
        None => None,
        Some(judge) => name_roll_outcome(call, judge, about.rolls_under, (total, natural, &faces))?,
    };
    stack.push_number(total as f64);
    push_parts(stack, natural, total, dice.iter().map(|die| die.face));
    let parts = stack.top();
    push_outcome(stack, parts, outcome.as_deref());
    let thresholds = match about.judge {
        Some(Judge::Thresholds(thresholds)) => thresholds,
        _ => Vec::new(),
    };
    let roll_event = RollEvent {
        label: about.label,
        notation: notation.to_owned(),
        stream,
        dice: dice.into_iter().map(Die::from).collect(),
        dice_total,
        modifiers: about.modifiers,
        added: Vec::new(),
        total,
        against: about.target,
        under: about.rolls_under,
        open: false,
        outcome,
        by,
    };
    if about.stays_open {
        let (more, shown) = (Vec::new(), about.is_silent);
        let kept = OpenRoll { roll: roll_event, natural, faces, more, thresholds, shown };
        let number = host.context.world.borrow_mut().add_open_roll(&kept);
        let number = number.map_err(|why| {
            Problem::error(Code::TooMany, why)
                .hint("show each with `tell_roll` when it needs no more changes")
        })?;
        stack.push_number(number as f64);
        stack.set_field(parts, "open");
    } else if !about.is_silent {
        output_event(call, StoryEvent::Roll(Box::new(roll_event)))?;
    }
    Ok(PushedValues(2))
}

/// The outcome that a judge names for rolled dice.
fn name_roll_outcome(
    call: &HostCall<'_>,
    judge: &Judge,
    under: bool,
    (total, natural, faces): (i64, Option<i64>, &[u32]),
) -> Result<Option<String>, CallError> {
    judge.name_outcome(call, under, JudgedRoll { total, natural, dice: Some(faces) })
}

/// Pushes the parts of a roll; the outcome is added afterwards. The names are always in the same
/// order, because a table is iterated in the order in which it was filled.
fn push_parts(
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

/// Options of `amend_roll`.
#[derive(Default)]
struct AmendOptions {
    stream: Option<String>,
    label: String,
}

impl Param for AmendOptions {
    type Value<'c> = Self;
    const LUAU_TYPE: &'static str = "{ stream: string?, label: string?, values: Values? }?";

    fn read_argument<'c>(call: &HostCall<'c>, at: StackIndex) -> mlua::Result<Self> {
        if call.stack.kind(at) == LuaKind::Nil {
            return Ok(Self::default());
        }
        let kept = meter::host_bytes();
        let field_values = call.host.read_plain_at(
            call.stack,
            at,
            &call.name,
            super::super::plain::MixedTablePolicy::Reject,
        )?;
        let given = field_values.unwrap_or_else(Value::map);
        let given = ValueRef::from_value(&given);
        let fields = FieldReader::open_table(
            &given,
            DataPath::root("how", call.host.active_text_overrides()),
            &["stream", "label", "values"],
        )?;
        let stream = fields.word("stream")?.map(str::to_owned);
        let label = fields.text_or_empty("label")?;
        // Only the output is kept.
        meter::set_host_bytes(kept);
        Ok(Self { stream, label })
    }
}

/// The open roll with the number that a script gave.
pub(super) fn find_open_roll(call: &HostCall<'_>, roll: StackIndex) -> Result<OpenRoll, CallError> {
    let number = read_roll_number(call, roll)?;
    let open = call.host.context.world.borrow().open_roll(number);
    Ok(open.ok_or_else(|| not_open(call, number))?)
}

fn read_roll_number(call: &HostCall<'_>, roll: StackIndex) -> Result<u64, CallError> {
    let number = call.stack.number(roll);
    if call.stack.kind(roll) != LuaKind::Number || number != number.trunc() || number < 1.0 {
        return Err(call.wrong_argument(roll, "the number of an open roll: `parts.open`").into());
    }
    Ok(number as u64)
}

fn not_open(call: &HostCall<'_>, number: u64) -> Problem {
    Problem::error(Code::NoOpenRoll, format!("{}: the roll {number} is not open", call.name))
        .expected("the `parts.open` of a roll made with { open = true } that was not shown yet")
        .hint("store the number in the state, and delete it when the roll is shown")
}

fn push_open_roll(call: &HostCall<'_>, roll: StackIndex) -> Result<PushedValues, CallError> {
    let number = read_roll_number(call, roll)?;
    let stack = call.stack;
    let Some(open) = call.host.context.world.borrow().open_roll(number) else {
        stack.push_nil();
        return Ok(PushedValues(1));
    };
    push_parts(stack, open.natural, open.roll.total, open.all_faces().into_iter());
    let made = stack.top();
    push_outcome(stack, made, open.roll.outcome.as_deref());
    for (name, text) in [("label", &open.roll.label), ("notation", &open.roll.notation)] {
        stack.push_text(text);
        stack.set_field(made, name);
    }
    if let Some(against) = open.roll.against {
        stack.push_number(against as f64);
        stack.set_field(made, "target");
    }
    Ok(PushedValues(1))
}

fn amend_roll(
    call: &HostCall<'_>,
    roll: StackIndex,
    what: StackIndex,
    how: &AmendOptions,
) -> Result<PushedValues, CallError> {
    let number = read_roll_number(call, roll)?;
    let mut open = find_open_roll(call, roll)?;
    match call.stack.kind(what) {
        LuaKind::Number if call.stack.number(what).fract() == 0.0 => {
            let value = call.stack.number(what) as i64;
            open.roll.modifiers.push(Modifier { label: how.label.clone(), value });
            open.roll.total = open.roll.total.saturating_add(value);
        }
        _ => match call.stack.text(what) {
            Some(word @ ("again" | "better")) => reroll_open_roll(call, &mut open, word, how)?,
            Some(word) if word.starts_with(['+', '-']) => add_dice(call, &mut open, word, how)?,
            Some(word) => return Err(unknown_roll_change_problem(call.name, word).into()),
            None => {
                let given: mlua::Value = call.stack.read(&call.lua(), what)?;
                return Err(unknown_roll_change_problem(call.name, &describe(&given)).into());
            }
        },
    }
    open.roll.outcome = match open.thresholds.is_empty() {
        true => None,
        false => {
            let judge = Judge::Thresholds(open.thresholds.clone());
            name_roll_outcome(call, &judge, open.roll.under, (open.roll.total, open.natural, &[]))?
        }
    };
    let kept = call.host.context.world.borrow_mut().set_open_roll(number, &open);
    kept.map_err(|why| Problem::error(Code::TooLarge, why))?;
    push_roll_result(call, &open)
}

/// Returns `total, parts` of a roll.
fn push_roll_result(call: &HostCall<'_>, open: &OpenRoll) -> Result<PushedValues, CallError> {
    let stack = call.stack;
    stack.push_number(open.roll.total as f64);
    push_parts(stack, open.natural, open.roll.total, open.all_faces().into_iter());
    push_outcome(stack, stack.top(), open.roll.outcome.as_deref());
    Ok(PushedValues(2))
}

/// Rolls dice for an open roll, from a stream of the calling mod.
fn throw_dice_for_amendment(
    call: &HostCall<'_>,
    notation: &str,
    how: &AmendOptions,
) -> Result<(RollResult, Vec<u32>, String), CallError> {
    let written = parse_notation(call, notation)?;
    let Some(stream) = &how.stream else {
        let found = format!("{} rolls {notation} without a stream", call.name);
        return Err(Problem::error(Code::BadArgument, found)
            .expected("the stream of the dice: { stream = \"inspiration\" }")
            .into());
    };
    let stream = resolve_stream_name(call, stream, &call.host.calling_mod(&call.lua()))?;
    let rolled = dice::roll(&written.expr, &mut |sides| draw_die(call.host, &stream, sides));
    let faces = dice::faces_in_notation_order(&written.expr, &rolled.dice);
    Ok((rolled, faces, stream))
}

fn add_dice(
    call: &HostCall<'_>,
    open: &mut OpenRoll,
    word: &str,
    how: &AmendOptions,
) -> Result<(), CallError> {
    let (sign, notation) = (if word.starts_with('-') { -1 } else { 1 }, &word[1..]);
    let (rolled, faces, stream) = throw_dice_for_amendment(call, notation, how)?;
    let total = sign * rolled.total;
    open.roll.total = open.roll.total.saturating_add(total);
    open.more.extend(faces);
    let dice = rolled.dice.into_iter().map(Die::from).collect();
    let (label, notation) = (how.label.clone(), notation.trim().to_owned());
    open.roll.added.push(AddedDice { label, notation, stream, dice, total });
    Ok(())
}

fn reroll_open_roll(
    call: &HostCall<'_>,
    open: &mut OpenRoll,
    word: &str,
    how: &AmendOptions,
) -> Result<(), CallError> {
    let (rolled, faces, _) = throw_dice_for_amendment(call, &open.roll.notation, how)?;
    let better = match open.roll.under {
        true => rolled.total < open.roll.dice_total,
        false => rolled.total > open.roll.dice_total,
    };
    let replaces_roll = word == "again" || better;
    let mut dice: Vec<Die> = rolled.dice.into_iter().map(Die::from).collect();
    let dropped = if replaces_roll { &mut open.roll.dice } else { &mut dice };
    dropped.iter_mut().for_each(|die| die.kept = false);
    open.roll.dice.append(&mut dice);
    if replaces_roll {
        let gained = rolled.total - open.roll.dice_total;
        open.roll.total = open.roll.total.saturating_add(gained);
        (open.roll.dice_total, open.natural, open.faces) = (rolled.total, rolled.natural, faces);
    }
    Ok(())
}

/// Shows an open roll and closes it.
fn show_and_close_roll(
    call: &HostCall<'_>,
    roll: StackIndex,
    about: RollOptions,
) -> Result<PushedValues, CallError> {
    let number = read_roll_number(call, roll)?;
    let mut open = find_open_roll(call, roll)?;
    let judge = match about.judge {
        Some(judge) => Some(judge),
        None if !open.thresholds.is_empty() => Some(Judge::Thresholds(open.thresholds.clone())),
        None => None,
    };
    if let Some(judge) = &judge {
        let faces = open.all_faces();
        open.roll.outcome = name_roll_outcome(
            call,
            judge,
            open.roll.under,
            (open.roll.total, open.natural, &faces),
        )?;
    }
    call.host.context.world.borrow_mut().take_open_roll(number);
    let given = push_roll_result(call, &open)?;
    if !about.is_silent {
        output_event(call, StoryEvent::Roll(Box::new(open.roll)))?;
    }
    Ok(given)
}

/// Parses a notation.
pub(super) fn parse_notation(
    call: &HostCall<'_>,
    notation: &str,
) -> Result<Rc<call_scope::ParsedNotation>, Problem> {
    call.host.scope.parse_cached_notation(notation).map_err(|error| {
        // The error text ends with what was expected; a Problem has its own line for that.
        let shown = error.to_string();
        let shown: Vec<&str> =
            shown.lines().filter(|line| !line.trim_start().starts_with("expected")).collect();
        let found = format!("{} cannot read this roll: {}", call.name, shown.join("\n"));
        Problem::error(Code::BadRoll, found).expected(error.expected)
    })
}
