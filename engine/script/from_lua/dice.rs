//! `roll` and `odds`: dice that fall, told with all their parts, and their exact odds. Both go
//! through the same judge, so that the odds shown are the odds there are.

use std::borrow::Cow;
use std::collections::BTreeMap;
use std::rc::Rc;

use super::super::call_scope;
use super::super::phase::Permit;
use super::super::plain::{InPlace, Mixed, not_plain};
use super::super::row::{Anything, Api, Call, Notation, Param, Pushed, StreamName, row};
use super::super::shape::{Fields, Spot};
use super::super::value_ref::{Named, ValueRef};
use super::super::words::found;
use super::chance::{draw, open};
use super::tell::tell;
use crate::dice::{self, Outcome, Rolled};
use crate::kit::Problem;
use crate::luau::{At, Fault, Kind, Reader};
use crate::play::Event;
use crate::play::event::{Die, Modifier, Roll};

/// Most named numbers added to one roll.
const MODIFIERS: usize = 64;
/// The name of everything below the lowest threshold.
const BELOW: &str = "failure";
/// The name under which `odds` gives the number of all cases.
const ALL: &str = "of";

/// Declares them.
pub(super) fn declare(api: &mut Api<'_>) -> mlua::Result<()> {
    row!(
        api, Looking "odds"(notation: Notation, judge: Anything as "Judge?", about: About)
            -> "{ [string]: number }",
        "In how many cases a roll comes to what: `{ of = 20, full = 6, … }`, counted exactly.",
        |call| odds(call, notation, judge, about)
    )?;
    row!(
        api, Acting "roll"(notation: Notation, stream: StreamName, about: About)
            -> "(number, RollParts)",
        "Rolls dice from a stream of this mod and tells it: the total, and its parts.",
        |call| roll(call, notation, stream, about)
    )
}

/// Rolls, tells it, and gives `total, parts`.
fn roll(call: &Call<'_>, notation: &str, stream: &str, about: About) -> Result<Pushed, Fault> {
    let (host, stack) = (call.host, call.stack);
    let dice = read(call, notation)?;
    let (home, by) = host.caller_in_short(stack);
    let stream = open(call, stream, &home)?;
    let Rolled { total: dice_total, natural, dice } =
        dice::roll(&dice.expr, &mut |sides| draw(host, &stream, sides));
    let total = about.total(dice_total);
    stack.push_number(total as f64);
    let result = stack.top();
    push_parts(call, natural, total, &dice);
    let outcome = match &about.judge {
        None => None,
        Some(Judge::Thresholds(thresholds)) => Some(reached(thresholds, total).to_owned()),
        Some(Judge::Function(judge)) => Some(judged(call, *judge, total)?),
    };
    match &outcome {
        Some(outcome) => stack.push_text(outcome),
        None => stack.push_nil(),
    }
    stack.put(result + 1, "outcome");
    let told = Roll {
        label: about.label,
        notation: notation.to_owned(),
        stream,
        dice: dice.into_iter().map(Die::from).collect(),
        dice_total,
        modifiers: about.modifiers,
        total,
        against: about.against,
        outcome,
        by,
    };
    tell(call, Event::Roll(told))?;
    Ok(Pushed(2))
}

/// Pushes what a roll gives beside its total; what it comes to is put there afterwards. The same names in
/// the same order each time: a table is walked in the order that it was filled in.
fn push_parts(call: &Call<'_>, natural: Option<i64>, total: i64, dice: &[dice::Die]) {
    let stack = call.stack;
    stack.push_table(0, 4);
    let parts = stack.top();
    match natural {
        Some(natural) => stack.push_number(natural as f64),
        None => stack.push_nil(),
    }
    stack.put(parts, "natural");
    stack.push_number(total as f64);
    stack.put(parts, "total");
    stack.push_list(dice, false, |die| stack.push_number(f64::from(die.face)));
    stack.put(parts, "dice");
}

/// Counts in how many cases a roll comes to what: `{ of = 20, full = 6, … }`.
fn odds(call: &Call<'_>, notation: &str, judge: At, about: About) -> Result<Pushed, Fault> {
    let judge = match call.stack.kind(judge) {
        Kind::Nil => about.judge.clone(),
        _ => Some(Judge::read(call, judge)?),
    };
    let Some(judge) = judge else {
        return Err(Problem::error("bad-argument", "odds was given nothing to judge by")
            .expected("thresholds such as { full = 18, partial = 13 }, or a function(total, parts)")
            .into());
    };
    let dice = read(call, notation)?;
    let outcomes = dice.outcomes().map_err(|why| {
        Problem::error("bad-roll", format!("the odds of {notation:?}: {why}"))
            .hint("fewer dice, or fewer that explode")
    })?;
    call.host.charge(outcomes.len() / 8)?;
    let counted = judge.count(call, &about, outcomes)?;
    let of = outcomes.iter().map(|outcome| outcome.cases).sum::<u64>();
    let stack = call.stack;
    stack.push_table(0, counted.len() + 1);
    let made = stack.top();
    for (name, cases) in counted.iter().map(|(name, cases)| (&**name, *cases)).chain([(ALL, of)]) {
        stack.push_number(cases as f64);
        stack.put(made, name);
    }
    Ok(Pushed(1))
}

fn read(call: &Call<'_>, notation: &str) -> Result<Rc<call_scope::Notation>, Problem> {
    call.host.scope.notation(notation).map_err(|error| {
        // The error's text ends with what was expected; a Problem says that in a line of its own.
        let shown = error.to_string();
        let shown: Vec<&str> =
            shown.lines().filter(|line| !line.trim_start().starts_with("expected")).collect();
        let found = format!("{} cannot read this roll: {}", call.name, shown.join("\n"));
        Problem::error("bad-roll", found).expected(error.expected)
    })
}

/// What a script says of a roll.
#[derive(Default)]
struct About {
    label: String,
    modifiers: Vec<Modifier>,
    against: Option<i64>,
    judge: Option<Judge>,
}

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
                let found = format!("{} was given {} as its third value", call.name, found(&given));
                return Err(Problem::error("wrong-type", found)
                    .expected("a table: { label, modifiers, against, outcome }")
                    .into());
            }
        }
        // A judge that is a function is called where it lies: behind the arguments.
        stack.push_text("outcome");
        stack.raw_get(at);
        let judge = stack.top();
        let judge = match stack.kind(judge) {
            Kind::Nil => None,
            _ => Some(Judge::read(call, judge)?),
        };
        let fields = ValueRef::Map(Self::fields(call, at)?);
        let known = &["label", "modifiers", "against", "outcome", "values"];
        let fields = Fields::open(&fields, Spot::root("about"), known)?;
        let modifiers = fields.list("modifiers", MODIFIERS, |value, spot| {
            let fields = Fields::open(value, *spot, &["label", "value", "values"])?;
            let (label, value) = (fields.need_text("label")?, fields.need_int("value")?);
            Ok(Modifier { label, value })
        })?;
        let (label, against) = (fields.text_or_empty("label")?, fields.int("against")?);
        Ok(Self { label, modifiers, against, judge })
    }
}

impl About {
    /// The fields of what a script says, but for the judge. Each is read, and paid for, by itself.
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
                call.host.charge(reader.weight.nodes() / 4)?;
                fields.push((Cow::Borrowed(field), value));
            }
            stack.set_top(name - 1);
            next = stack.next(about, next);
        }
        Ok(fields)
    }

    fn total(&self, dice: i64) -> i64 {
        self.modifiers.iter().fold(dice, |total, modifier| total.saturating_add(modifier.value))
    }
}

/// What says what a total comes to.
#[derive(Clone)]
enum Judge {
    /// Names with the number each needs, highest first.
    Thresholds(Vec<(i64, String)>),
    /// A function of the total and the parts, which lies at a place.
    Function(At),
}

impl Judge {
    fn read(call: &Call<'_>, at: At) -> Result<Self, Problem> {
        let stack = call.stack;
        let refuse = |found: &str| {
            Problem::error("wrong-type", format!("{} was given {found}", call.name))
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
                Err(refuse(&format!("{given} to judge by")))
            }
        }
    }

    /// In how many cases each name is come to; those of thresholds are all there.
    fn count(
        &self,
        call: &Call<'_>,
        about: &About,
        outcomes: &[Outcome],
    ) -> Result<BTreeMap<String, u64>, Fault> {
        let mut counted = BTreeMap::new();
        match self {
            Self::Thresholds(thresholds) => {
                counted.extend(thresholds.iter().map(|(_, name)| (name.clone(), 0)));
                for outcome in outcomes {
                    let name = reached(thresholds, about.total(outcome.total));
                    *counted.entry(name.to_owned()).or_default() += outcome.cases;
                }
            }
            Self::Function(judge) => {
                let stack = call.stack;
                let _permit = call.host.now.narrow(Permit::Look(JUDGE));
                stack.room(8);
                let top = stack.top();
                for outcome in outcomes {
                    let total = about.total(outcome.total);
                    stack.push_copy(*judge);
                    stack.push_number(total as f64);
                    stack.push_table(0, 4);
                    if let Some(natural) = outcome.natural {
                        stack.push_number(natural as f64);
                        stack.put(top + 3, "natural");
                    }
                    stack.push_number(total as f64);
                    stack.put(top + 3, "total");
                    stack.call(2, 1);
                    let name = name_at(call, top + 1, total)?;
                    match counted.get_mut(&*name) {
                        Some(sum) => *sum += outcome.cases,
                        None => drop(counted.insert(name.into_owned(), outcome.cases)),
                    }
                    stack.set_top(top);
                }
            }
        }
        Ok(counted)
    }
}

/// What looks while a judge is asked.
const JUDGE: &str = "the judge of a roll";

/// What a function says that a roll comes to, whose parts lie on top.
fn judged(call: &Call<'_>, judge: At, total: i64) -> Result<String, Fault> {
    let stack = call.stack;
    let parts = stack.top();
    let _permit = call.host.now.narrow(Permit::Look(JUDGE));
    stack.push_copy(judge);
    stack.push_number(total as f64);
    stack.push_copy(parts);
    stack.call(2, 1);
    let name = name_at(call, parts + 1, total)?.into_owned();
    stack.set_top(parts);
    Ok(name)
}

/// The name that a judge gave.
fn name_at<'c>(call: &Call<'c>, at: At, total: i64) -> Result<Cow<'c, str>, Fault> {
    match call.stack.bytes(at) {
        Some(name) if name != ALL.as_bytes() => Ok(String::from_utf8_lossy(name)),
        _ => {
            let given: mlua::Value = call.stack.take(&call.lua(), at)?;
            let found =
                format!("the judge of a roll gave {} for a total of {total}", found(&given));
            Err(Problem::error("wrong-type", found)
                .expected(format!("a name for what it comes to, other than {ALL:?}"))
                .into())
        }
    }
}

/// The name of the highest threshold that a total reaches.
fn reached(thresholds: &[(i64, String)], total: i64) -> &str {
    let reached = thresholds.iter().find(|(needed, _)| total >= *needed);
    reached.map_or(BELOW, |(_, name)| name)
}
