//! Options of a roll, and the judge that names its outcome. The same judge names rolled dice and
//! computed odds, so the odds shown are exact.
//!
//! A judge receives the dice in the order of `dice::Throw`, so it cannot depend on the order of
//! equal dice.

use std::borrow::Cow;

use super::super::phase::Permit;
use super::super::plain::{InPlace, Mixed, not_plain};
use super::super::row::{self, Call, Param};
use super::super::shape::{Fields, Spot, wrong_type};
use super::super::value_ref::{Named, ValueRef};
use super::super::words::found;
use crate::kit::{Problem, limits, meter};
use crate::luau::{At, Fault, Kind, Reader};
use crate::play::event::Modifier;

/// Maximum number of modifiers of a roll, and of changes that odds consider.
const MODIFIERS: usize = 64;
/// The outcome below the lowest threshold; for rolls under, above the highest.
pub const BELOW: &str = "failure";
/// The key under which `odds` returns the total number of cases.
pub(super) const ALL: &str = "of";
/// Who reads the world while a judge is called.
const JUDGE: &str = "the judge of a roll";

/// The options of a roll.
#[derive(Default)]
pub(super) struct About {
    pub(super) label: String,
    pub(super) modifiers: Vec<Modifier>,
    pub(super) against: Option<i64>,
    pub(super) judge: Option<Judge>,
    /// Whether the roll is not shown.
    pub(super) silent: bool,
    /// Whether it stays open for changes before it is shown.
    pub(super) open: bool,
    /// Whether a threshold is reached by that number or less.
    pub(super) under: bool,
    /// Changes that may be made to the roll; and its outcomes, best first.
    pub(super) may: Vec<String>,
    pub(super) best: Vec<String>,
}

const KNOWN: &[&str] = &[
    "label",
    "modifiers",
    "target",
    "outcome",
    "values",
    "silent",
    "open",
    "roll_under",
    "changes",
    "best_outcomes",
];

impl Param for About {
    type Of<'c> = Self;
    const LUAU: &'static str = "About?";

    fn take<'c>(call: &Call<'c>, at: At) -> mlua::Result<Self> {
        let stack = call.stack;
        match stack.kind(at) {
            Kind::Nil => return Ok(Self::default()),
            Kind::Table => {}
            _ => {
                let given: mlua::Value = stack.take(&call.lua(), at)?;
                let found =
                    format!("{} got {} as the options of the roll", call.name, found(&given));
                return Err(Problem::error("wrong-type", found)
                    .expected("a table: { label, modifiers, target, outcome, … }")
                    .into());
            }
        }
        let kept = meter::kept();
        // A judge function is called in place: above the arguments.
        stack.push_text("outcome");
        stack.raw_get(at);
        let judge = stack.top();
        let judge = match stack.kind(judge) {
            Kind::Nil => None,
            _ => Some(Judge::read(call, judge)?),
        };
        let fields = ValueRef::Map(Self::fields(call, at)?);
        let fields = Fields::open(&fields, Spot::root("about", call.host.reworded()), KNOWN)?;
        let modifiers = fields.list("modifiers", MODIFIERS, |value, spot| {
            let fields = Fields::open(value, *spot, &["label", "value", "values"])?;
            let (label, value) = (fields.need_text("label")?, fields.need_int("value")?);
            Ok(Modifier { label, value })
        })?;
        let may = fields.list("changes", MODIFIERS, |value, spot| match value {
            ValueRef::Int(number) => Ok(format!("{number:+}")),
            other => {
                word(other, spot, "\"+1d6\", \"-1d6\", \"again\", \"better\" or a whole number")
            }
        })?;
        let best = fields.list("best_outcomes", MODIFIERS, |value, spot| {
            let name = word(value, spot, "a name")?;
            short_name(name.as_bytes()).map(|()| name)
        })?;
        let about = Self {
            label: fields.text_or_empty("label")?,
            modifiers,
            against: fields.int("target")?,
            judge,
            silent: fields.truth("silent")?,
            open: fields.truth("open")?,
            under: fields.truth("roll_under")?,
            may,
            best,
        };
        // Only the output is kept.
        meter::set_kept(kept);
        Ok(about)
    }
}

fn word(value: &ValueRef<'_>, spot: &Spot<'_>, expected: &str) -> Result<String, Problem> {
    value.as_text().map(str::to_owned).ok_or_else(|| wrong_type(spot, value, expected))
}

impl About {
    /// The options without the judge. Each is read and charged separately.
    fn fields<'c>(call: &Call<'c>, about: At) -> mlua::Result<Vec<Named<'c>>> {
        let (stack, mut fields) = (call.stack, Vec::new());
        stack.room(6);
        let name = stack.top() + 1;
        let mut next = stack.next(about, 0);
        while next >= 0 {
            let field = stack.text(name).unwrap_or_default();
            if field != "outcome" {
                let mut sink = InPlace(call.host);
                let mut reader = Reader::new(&mut sink);
                let value = reader.value(stack, name + 1);
                let target = format_args!("about.{field}");
                let value = value.map_err(|odd| not_plain(&target, *odd, Mixed::Refused))?;
                meter::units(1);
                call.host.paid()?;
                fields.push((Cow::Borrowed(field), value));
            }
            stack.set_top(name - 1);
            next = stack.next(about, next);
        }
        Ok(fields)
    }

    /// The total of dice and modifiers.
    pub(super) fn total(&self, dice: i64) -> i64 {
        self.modifiers.iter().fold(dice, |total, modifier| total.saturating_add(modifier.value))
    }
}

/// Names the outcome of a total.
#[derive(Clone)]
pub(super) enum Judge {
    /// Names with the number that each needs, highest first.
    Thresholds(Vec<(i64, String)>),
    /// A function of the total and the parts, at a stack index.
    Function(At),
}

/// What a judge knows of a roll.
#[derive(Clone, Copy)]
pub(super) struct Shown<'s> {
    pub(super) total: i64,
    pub(super) natural: Option<i64>,
    /// The faces; `None` if they were not enumerated.
    pub(super) dice: Option<&'s [u32]>,
}

impl Judge {
    pub(super) fn read(call: &Call<'_>, at: At) -> Result<Self, Problem> {
        let stack = call.stack;
        let refuse = |found: &str| {
            Problem::error("wrong-type", format!("{} got {found}", call.name))
                .expected("thresholds such as { full = 18, partial = 13 }, or a function")
        };
        match stack.kind(at) {
            Kind::Function => Ok(Self::Function(at)),
            Kind::Table => {
                let mut thresholds = Vec::new();
                stack.room(4);
                let name = stack.top() + 1;
                let mut next = stack.next(at, 0);
                while next >= 0 {
                    let needed = stack.number(name + 1);
                    let whole = stack.kind(name + 1) == Kind::Number && needed == needed.trunc();
                    match stack.bytes(name) {
                        Some(band) if whole => {
                            short_name(band)?;
                            // The name is sorted, ranked and returned.
                            meter::units(1);
                            let band = String::from_utf8_lossy(band).into_owned();
                            thresholds.push((needed as i64, band));
                        }
                        _ => {
                            return Err(refuse("thresholds that are not names with whole numbers"));
                        }
                    }
                    stack.set_top(name - 1);
                    next = stack.next(at, next);
                }
                thresholds.sort_by(|a, b| b.0.cmp(&a.0).then_with(|| a.1.cmp(&b.1)));
                Ok(Self::Thresholds(thresholds))
            }
            _ => {
                let given = stack.take::<mlua::Value>(&call.lua(), at);
                let given = given.map_or_else(|_| "something".to_owned(), |given| found(&given));
                Err(refuse(&format!("{given} as a judge")))
            }
        }
    }

    /// The outcome of a roll; `None` if the judge needs dice that were not passed.
    pub(super) fn name(
        &self,
        call: &Call<'_>,
        under: bool,
        shown: Shown<'_>,
    ) -> Result<Option<String>, Fault> {
        match self {
            Self::Thresholds(thresholds) => {
                Ok(Some(reached(thresholds, shown.total, under).to_owned()))
            }
            Self::Function(judge) => {
                let (wants, top) = (&call.host.scope.wants_dice, call.stack.top());
                wants.set(false);
                let name = ask(call, *judge, shown);
                if wants.replace(false) {
                    call.stack.set_top(top);
                    return Ok(None);
                }
                name.map(Some)
            }
        }
    }

    /// All outcomes, best first, if the judge determines them.
    pub(super) fn ranking(&self, under: bool) -> Option<Vec<String>> {
        let Self::Thresholds(thresholds) = self else { return None };
        let names = thresholds.iter().map(|(_, name)| name.clone());
        let best_first: Vec<String> = if under { names.rev().collect() } else { names.collect() };
        Some(best_first.into_iter().chain([BELOW.to_owned()]).collect())
    }
}

/// Calls a judge function.
fn ask(call: &Call<'_>, judge: At, shown: Shown<'_>) -> Result<String, Fault> {
    let stack = call.stack;
    let _permit = call.host.now.narrow(Permit::Look(JUDGE));
    stack.room(12);
    let top = stack.top();
    stack.push_copy(row::CARRY_UP);
    stack.push_copy(judge);
    stack.push_number(shown.total as f64);
    stack.push_table(0, 4);
    let parts = stack.top();
    if let Some(natural) = shown.natural {
        stack.push_number(natural as f64);
        stack.put(parts, "natural");
    }
    stack.push_number(shown.total as f64);
    stack.put(parts, "total");
    match shown.dice {
        Some(dice) => {
            stack.push_list(dice, false, |face| stack.push_number(f64::from(*face)));
            stack.put(parts, "dice");
        }
        None if call.host.edition.shows_dice() => {
            stack.push_copy(row::UNSEEN);
            stack.set_rules(parts);
        }
        None => {}
    }
    if !stack.try_call(2, 1, top + 1) {
        return Err(Fault::OnTop);
    }
    let name = name_at(call, top + 2, shown.total)?.into_owned();
    stack.set_top(top);
    Ok(name)
}

/// The outcome that a judge function returned.
fn name_at<'c>(call: &Call<'c>, at: At, total: i64) -> Result<Cow<'c, str>, Fault> {
    match call.stack.bytes(at) {
        Some(name) if name != ALL.as_bytes() => {
            short_name(name)?;
            Ok(String::from_utf8_lossy(name))
        }
        _ => {
            let given: mlua::Value = call.stack.take(&call.lua(), at)?;
            let found =
                format!("the judge of a roll returned {} for a total of {total}", found(&given));
            Err(Problem::error("wrong-type", found)
                .expected(format!("a name for the outcome, other than {ALL:?}"))
                .into())
        }
    }
}

/// Refuses a name that is too long to be shown: there may be very many of them.
fn short_name(name: &[u8]) -> Result<(), Problem> {
    if name.len() <= limits::OUTCOME_BYTES {
        return Ok(());
    }
    let found = format!("an outcome of a roll has a name of {} bytes", name.len());
    Err(Problem::error("bad-argument", found)
        .expected(format!("a name of at most {} bytes", limits::OUTCOME_BYTES)))
}

/// The threshold that a total reaches: the highest, or for rolls under the lowest. The list is
/// sorted from the highest.
pub(super) fn reached(thresholds: &[(i64, String)], total: i64, under: bool) -> &str {
    let reached = match under {
        false => thresholds.get(thresholds.partition_point(|(needed, _)| *needed > total)),
        true => {
            let from_above = thresholds.partition_point(|(needed, _)| *needed >= total);
            from_above.checked_sub(1).and_then(|at| thresholds.get(at))
        }
    };
    reached.map_or(BELOW, |(_, name)| name)
}
