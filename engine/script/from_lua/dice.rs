//! `roll` and `odds`: dice rolls that are shown with all their parts, and exact odds.
//!
//! A roll can stay open before it is shown: `amend_roll` changes it, `open_roll` reads it,
//! `tell_roll` shows it. Outcomes are named in `judge`.

use std::rc::Rc;

use super::super::call_scope;
use super::super::row::{Anything, Api, Call, Notation, Param, Pushed, StreamName, row};
use super::super::shape::{Fields, Spot};
use super::super::value_ref::ValueRef;
use super::super::words::found;
use super::chance::{draw, open};
use super::judge::{About, Judge, Shown};
use super::odds::{odds, unknown_way};
use super::tell::tell;
use crate::dice::{self, Rolled};
use crate::kit::{Problem, Value, meter};
use crate::luau::{At, Fault, Kind, Stack};
use crate::play::Event;
use crate::play::event::{Added, Die, Modifier, Roll};
use crate::play::open_roll::OpenRoll;

pub(super) fn declare(api: &mut Api<'_>) -> mlua::Result<()> {
    row!(
        api, Looking "odds"(roll: Anything as "string | number", judge: Anything as "Judge?", about: About)
            -> "{ [string]: number }",
        "Counts exactly in how many cases a roll has each outcome: `{ of = 20, full = 6, … }`. For an open roll it starts from the present result.",
        |call| odds(call, roll, judge, about)
    )?;
    row!(
        api, Acting "roll"(notation: Notation, stream: StreamName, about: About)
            -> "(number, RollParts)",
        "Rolls dice from a stream of this mod and shows the roll. Returns the total and its parts.",
        |call| roll(call, notation, stream, about)
    )?;
    row!(
        api, Looking "open_roll"(roll: Anything as "number") -> "OpenRoll?",
        "An open roll as it is now; nil if it was already shown.",
        |call| look(call, roll)
    )?;
    row!(
        api, Acting "amend_roll"(roll: Anything as "number", what: Anything as "string | number", how: How)
            -> "(number, RollParts)",
        "Changes an open roll: adds or removes dice (`\"+1d6\"`) or a number, rolls it `\"again\"`, or rolls once more and keeps the `\"better\"`.",
        |call| amend(call, roll, what, &how)
    )?;
    row!(
        api, Acting "tell_roll"(roll: Anything as "number", about: About) -> "(number, RollParts)",
        "Shows an open roll with all changes and closes it.",
        |call| close(call, roll, about)
    )
}

/// Rolls the dice, shows the roll, and returns `total, parts`.
fn roll(call: &Call<'_>, notation: &str, stream: &str, about: About) -> Result<Pushed, Fault> {
    let (host, stack) = (call.host, call.stack);
    let read = read(call, notation)?;
    let (home, by) = host.caller_in_short(stack);
    let stream = open(call, stream, &home)?;
    let Rolled { total: dice_total, natural, dice } =
        dice::roll(&read.expr, &mut |sides| draw(host, &stream, sides));
    let total = about.total(dice_total);
    let faces = match host.edition.shows_dice() {
        true => dice::in_order(&read.expr, &dice),
        false => dice.iter().map(|die| die.face).collect(),
    };
    let outcome = match &about.judge {
        None => None,
        Some(judge) => named(call, judge, about.under, (total, natural, &faces))?,
    };
    stack.push_number(total as f64);
    push_parts(stack, natural, total, dice.iter().map(|die| die.face));
    let parts = stack.top();
    push_outcome(stack, parts, outcome.as_deref());
    let thresholds = match about.judge {
        Some(Judge::Thresholds(thresholds)) => thresholds,
        _ => Vec::new(),
    };
    let told = Roll {
        label: about.label,
        notation: notation.to_owned(),
        stream,
        dice: dice.into_iter().map(Die::from).collect(),
        dice_total,
        modifiers: about.modifiers,
        added: Vec::new(),
        total,
        against: about.against,
        under: about.under,
        open: false,
        outcome,
        by,
    };
    if about.open {
        let (more, shown) = (Vec::new(), about.silent);
        let kept = OpenRoll { roll: told, natural, faces, more, thresholds, shown };
        let number = host.lent.world.borrow_mut().add_open_roll(&kept);
        let number = number.map_err(|why| {
            Problem::error("too-many", why)
                .hint("show each with `tell_roll` when it needs no more changes")
        })?;
        stack.push_number(number as f64);
        stack.put(parts, "open");
    } else if !about.silent {
        tell(call, Event::Roll(Box::new(told)))?;
    }
    Ok(Pushed(2))
}

/// The outcome that a judge names for rolled dice.
fn named(
    call: &Call<'_>,
    judge: &Judge,
    under: bool,
    (total, natural, faces): (i64, Option<i64>, &[u32]),
) -> Result<Option<String>, Fault> {
    judge.name(call, under, Shown { total, natural, dice: Some(faces) })
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
    stack.put(parts, "natural");
    stack.push_number(total as f64);
    stack.put(parts, "total");
    let faces: Vec<u32> = faces.collect();
    stack.push_list(&faces, false, |face| stack.push_number(f64::from(*face)));
    stack.put(parts, "dice");
}

fn push_outcome(stack: Stack<'_>, parts: At, outcome: Option<&str>) {
    match outcome {
        Some(outcome) => stack.push_text(outcome),
        None => stack.push_nil(),
    }
    stack.put(parts, "outcome");
}

/// Options of `amend_roll`.
#[derive(Default)]
struct How {
    stream: Option<String>,
    label: String,
}

impl Param for How {
    type Of<'c> = Self;
    const LUAU: &'static str = "{ stream: string?, label: string?, values: Values? }?";

    fn take<'c>(call: &Call<'c>, at: At) -> mlua::Result<Self> {
        if call.stack.kind(at) == Kind::Nil {
            return Ok(Self::default());
        }
        let kept = meter::kept();
        let given =
            call.host.plain_at(call.stack, at, &call.name, super::super::plain::Mixed::Refused)?;
        let given = given.unwrap_or_else(Value::map);
        let given = ValueRef::of(&given);
        let fields = Fields::open(
            &given,
            Spot::root("how", call.host.reworded()),
            &["stream", "label", "values"],
        )?;
        let stream = fields.word("stream")?.map(str::to_owned);
        let label = fields.text_or_empty("label")?;
        // Only the output is kept.
        meter::set_kept(kept);
        Ok(Self { stream, label })
    }
}

/// The open roll with the number that a script gave.
pub(super) fn opened(call: &Call<'_>, roll: At) -> Result<OpenRoll, Fault> {
    let number = number(call, roll)?;
    let open = call.host.lent.world.borrow().open_roll(number);
    Ok(open.ok_or_else(|| not_open(call, number))?)
}

fn number(call: &Call<'_>, roll: At) -> Result<u64, Fault> {
    let number = call.stack.number(roll);
    if call.stack.kind(roll) != Kind::Number || number != number.trunc() || number < 1.0 {
        return Err(call.wrong(roll, "the number of an open roll: `parts.open`").into());
    }
    Ok(number as u64)
}

fn not_open(call: &Call<'_>, number: u64) -> Problem {
    Problem::error("no-open-roll", format!("{}: the roll {number} is not open", call.name))
        .expected("the `parts.open` of a roll made with { open = true } that was not shown yet")
        .hint("store the number in the state, and delete it when the roll is shown")
}

fn look(call: &Call<'_>, roll: At) -> Result<Pushed, Fault> {
    let number = number(call, roll)?;
    let stack = call.stack;
    let Some(open) = call.host.lent.world.borrow().open_roll(number) else {
        stack.push_nil();
        return Ok(Pushed(1));
    };
    push_parts(stack, open.natural, open.roll.total, open.all_faces().into_iter());
    let made = stack.top();
    push_outcome(stack, made, open.roll.outcome.as_deref());
    for (name, text) in [("label", &open.roll.label), ("notation", &open.roll.notation)] {
        stack.push_text(text);
        stack.put(made, name);
    }
    if let Some(against) = open.roll.against {
        stack.push_number(against as f64);
        stack.put(made, "target");
    }
    Ok(Pushed(1))
}

fn amend(call: &Call<'_>, roll: At, what: At, how: &How) -> Result<Pushed, Fault> {
    let number = number(call, roll)?;
    let mut open = opened(call, roll)?;
    match call.stack.kind(what) {
        Kind::Number if call.stack.number(what).fract() == 0.0 => {
            let value = call.stack.number(what) as i64;
            open.roll.modifiers.push(Modifier { label: how.label.clone(), value });
            open.roll.total = open.roll.total.saturating_add(value);
        }
        _ => match call.stack.text(what) {
            Some(word @ ("again" | "better")) => throw_again(call, &mut open, word, how)?,
            Some(word) if word.starts_with(['+', '-']) => add_dice(call, &mut open, word, how)?,
            Some(word) => return Err(unknown_way(call.name, word).into()),
            None => {
                let given: mlua::Value = call.stack.take(&call.lua(), what)?;
                return Err(unknown_way(call.name, &found(&given)).into());
            }
        },
    }
    open.roll.outcome = match open.thresholds.is_empty() {
        true => None,
        false => {
            let judge = Judge::Thresholds(open.thresholds.clone());
            named(call, &judge, open.roll.under, (open.roll.total, open.natural, &[]))?
        }
    };
    let kept = call.host.lent.world.borrow_mut().set_open_roll(number, &open);
    kept.map_err(|why| Problem::error("too-large", why))?;
    give(call, &open)
}

/// Returns `total, parts` of a roll.
fn give(call: &Call<'_>, open: &OpenRoll) -> Result<Pushed, Fault> {
    let stack = call.stack;
    stack.push_number(open.roll.total as f64);
    push_parts(stack, open.natural, open.roll.total, open.all_faces().into_iter());
    push_outcome(stack, stack.top(), open.roll.outcome.as_deref());
    Ok(Pushed(2))
}

/// Rolls dice for an open roll, from a stream of the calling mod.
fn thrown(call: &Call<'_>, notation: &str, how: &How) -> Result<(Rolled, Vec<u32>, String), Fault> {
    let written = read(call, notation)?;
    let Some(stream) = &how.stream else {
        let found = format!("{} rolls {notation} without a stream", call.name);
        return Err(Problem::error("bad-argument", found)
            .expected("the stream of the dice: { stream = \"inspiration\" }")
            .into());
    };
    let stream = open(call, stream, &call.host.calling_mod(&call.lua()))?;
    let rolled = dice::roll(&written.expr, &mut |sides| draw(call.host, &stream, sides));
    let faces = dice::in_order(&written.expr, &rolled.dice);
    Ok((rolled, faces, stream))
}

fn add_dice(call: &Call<'_>, open: &mut OpenRoll, word: &str, how: &How) -> Result<(), Fault> {
    let (sign, notation) = (if word.starts_with('-') { -1 } else { 1 }, &word[1..]);
    let (rolled, faces, stream) = thrown(call, notation, how)?;
    let total = sign * rolled.total;
    open.roll.total = open.roll.total.saturating_add(total);
    open.more.extend(faces);
    let dice = rolled.dice.into_iter().map(Die::from).collect();
    let (label, notation) = (how.label.clone(), notation.trim().to_owned());
    open.roll.added.push(Added { label, notation, stream, dice, total });
    Ok(())
}

fn throw_again(call: &Call<'_>, open: &mut OpenRoll, word: &str, how: &How) -> Result<(), Fault> {
    let (rolled, faces, _) = thrown(call, &open.roll.notation, how)?;
    let better = match open.roll.under {
        true => rolled.total < open.roll.dice_total,
        false => rolled.total > open.roll.dice_total,
    };
    let stands = word == "again" || better;
    let mut dice: Vec<Die> = rolled.dice.into_iter().map(Die::from).collect();
    let dropped = if stands { &mut open.roll.dice } else { &mut dice };
    dropped.iter_mut().for_each(|die| die.kept = false);
    open.roll.dice.append(&mut dice);
    if stands {
        let gained = rolled.total - open.roll.dice_total;
        open.roll.total = open.roll.total.saturating_add(gained);
        (open.roll.dice_total, open.natural, open.faces) = (rolled.total, rolled.natural, faces);
    }
    Ok(())
}

/// Shows an open roll and closes it.
fn close(call: &Call<'_>, roll: At, about: About) -> Result<Pushed, Fault> {
    let number = number(call, roll)?;
    let mut open = opened(call, roll)?;
    let judge = match about.judge {
        Some(judge) => Some(judge),
        None if !open.thresholds.is_empty() => Some(Judge::Thresholds(open.thresholds.clone())),
        None => None,
    };
    if let Some(judge) = &judge {
        let faces = open.all_faces();
        open.roll.outcome =
            named(call, judge, open.roll.under, (open.roll.total, open.natural, &faces))?;
    }
    call.host.lent.world.borrow_mut().take_open_roll(number);
    let given = give(call, &open)?;
    if !about.silent {
        tell(call, Event::Roll(Box::new(open.roll)))?;
    }
    Ok(given)
}

/// Parses a notation.
pub(super) fn read(call: &Call<'_>, notation: &str) -> Result<Rc<call_scope::Notation>, Problem> {
    call.host.scope.notation(notation).map_err(|error| {
        // The error text ends with what was expected; a Problem has its own line for that.
        let shown = error.to_string();
        let shown: Vec<&str> =
            shown.lines().filter(|line| !line.trim_start().starts_with("expected")).collect();
        let found = format!("{} cannot read this roll: {}", call.name, shown.join("\n"));
        Problem::error("bad-roll", found).expected(error.expected)
    })
}
