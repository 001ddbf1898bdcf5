//! `roll` and `odds`: dice that fall, told with all their parts, and their exact odds. Both go
//! through the same judge, so that the odds shown are the odds there are.

use std::collections::BTreeMap;
use std::rc::Rc;

use mlua::{Function, Lua, Table, Value as LuaValue};

use super::super::host::{Host, Permit};
use super::super::look::Look;
use super::super::raw::judge::{Case, judge_all};
use super::super::shape::{Fields, Spot};
use super::super::{fuel, proxy, raw};
use super::chance::{draw, open_of};
use super::tell::{found, tell, word};
use crate::dice::{self, Rolled};
use crate::kit::value::Map;
use crate::kit::{Problem, Value};
use crate::play::Event;
use crate::play::event::{Die, Modifier, Roll};

/// Most named numbers added to one roll.
const MODIFIERS: usize = 64;
/// The name of everything below the lowest threshold.
const BELOW: &str = "failure";
/// The name under which `odds` gives the number of all cases.
const ALL: &str = "of";

/// Declares them.
pub(super) fn declare(lua: &Lua, host: &Rc<Host>, base: &Table) -> mlua::Result<()> {
    let shared = host.clone();
    let in_full = lua.create_function(
        move |lua, (notation, stream, about): (LuaValue, LuaValue, LuaValue)| {
            shared.acting(lua, "roll")?;
            let notation = word(lua, &shared, "roll", &notation, "a roll, such as \"d20+3\"")?;
            let about = About::read(lua, &shared, "roll", &about)?;
            roll(lua, &shared, &notation, &stream, about)
        },
    )?;
    base.raw_set("roll", raw::roller(lua, host, &in_full)?)?;
    let shared = host.clone();
    let odds = lua.create_function(
        move |lua, (notation, judge, about): (LuaValue, LuaValue, LuaValue)| {
            shared.playing(lua, "odds")?;
            let notation = word(lua, &shared, "odds", &notation, "a roll, such as \"d20+3\"")?;
            let about = About::read(lua, &shared, "odds", &about)?;
            let judge = match judge {
                LuaValue::Nil => about.judge.clone(),
                judge => Some(Judge::read(lua, &shared, "odds", &judge)?),
            };
            odds(lua, &shared, &notation, judge, &about)
        },
    )?;
    base.raw_set("odds", odds)
}

/// Rolls, tells it, and gives `total, parts`.
fn roll(
    lua: &Lua,
    host: &Host,
    notation: &str,
    stream: &LuaValue,
    about: About,
) -> mlua::Result<(i64, Table)> {
    let expr = read(lua, host, "roll", notation)?;
    let (home, by) = host.caller_in_short(lua);
    let stream = open_of(lua, host, "roll", stream, &home)?;
    let Rolled { total: dice_total, natural, dice } =
        dice::roll(&expr.expr, &mut |sides| draw(host, &stream, sides));
    let total = about.total(dice_total);
    let parts =
        |outcome| raw::parts(lua, host, natural, total, dice.iter().map(|die| die.face), outcome);
    let (parts, outcome) = match &about.judge {
        None => (parts(Some(None))?, None),
        Some(Judge::Thresholds(thresholds)) => {
            let outcome = reached(thresholds, total);
            (parts(Some(Some(outcome)))?, Some(outcome.to_owned()))
        }
        Some(Judge::Function(judge)) => {
            let parts = parts(None)?;
            let outcome = judged(lua, host, judge, total, &parts)?;
            parts.raw_set("outcome", &*outcome)?;
            (parts, Some(outcome))
        }
    };
    let dice = dice.into_iter().map(|d| Die { sides: d.sides, face: d.face, kept: d.kept });
    let told = Roll {
        label: about.label,
        notation: notation.to_owned(),
        stream,
        dice: dice.collect(),
        dice_total,
        modifiers: about.modifiers,
        total,
        against: about.against,
        outcome,
        by,
    };
    tell(lua, host, Event::Roll(told))?;
    Ok((total, parts))
}

/// Counts in how many cases a roll comes to what: `{ of = 20, full = 6, … }`.
fn odds(
    lua: &Lua,
    host: &Host,
    notation: &str,
    judge: Option<Judge>,
    about: &About,
) -> mlua::Result<Table> {
    let Some(judge) = judge else {
        let problem = Problem::error("bad-argument", "odds was given nothing to judge by")
            .expected(
                "thresholds such as { full = 18, partial = 13 }, or a function(total, parts)",
            );
        return Err(host.fail(lua, problem));
    };
    let expr = read(lua, host, "odds", notation)?;
    let outcomes = expr.outcomes();
    let outcomes = outcomes.map_err(|why| {
        let problem = Problem::error("bad-roll", format!("the odds of {notation:?}: {why}"));
        host.fail(lua, problem.hint("fewer dice, or fewer that explode"))
    })?;
    if !fuel::charge(outcomes.len() / 8) {
        return Err(host.fail(lua, host.fuel.problem()));
    }
    let added = outcomes.iter().map(|outcome| Case {
        natural: outcome.natural,
        total: about.total(outcome.total),
        cases: outcome.cases,
    });
    let bands = judge.judge_all(lua, host, added)?;
    let of = outcomes.iter().map(|outcome| outcome.cases).sum::<u64>();
    raw::counts(lua, host, &bands, (ALL, of))
}

fn read(
    lua: &Lua,
    host: &Host,
    name: &str,
    notation: &str,
) -> mlua::Result<Rc<super::super::turn::Notation>> {
    host.turn.notation(notation).map_err(|error| {
        // The error's text ends with what was expected; a Problem says that in a line of its own.
        let shown = error.to_string();
        let shown: Vec<&str> =
            shown.lines().filter(|line| !line.trim_start().starts_with("expected")).collect();
        let found = format!("{name} cannot read this roll: {}", shown.join("\n"));
        host.fail(lua, Problem::error("bad-roll", found).expected(error.expected))
    })
}

/// What a script says of a roll.
struct About {
    label: String,
    modifiers: Vec<Modifier>,
    against: Option<i64>,
    judge: Option<Judge>,
}

impl About {
    fn read(lua: &Lua, host: &Host, name: &str, about: &LuaValue) -> mlua::Result<Self> {
        let about = match about {
            LuaValue::Nil => {
                return Ok(Self {
                    label: String::new(),
                    modifiers: Vec::new(),
                    against: None,
                    judge: None,
                });
            }
            LuaValue::Table(about) => about,
            other => {
                let found = format!("{name} was given {} as its third value", found(other));
                let problem = Problem::error("wrong-type", found)
                    .expected("a table: { label, modifiers, against, outcome }");
                return Err(host.fail(lua, problem));
            }
        };
        let judge = match host.field::<LuaValue>(about, "outcome")? {
            LuaValue::Nil => None,
            judge => Some(Judge::read(lua, host, name, &judge)?),
        };
        let spot = Spot::root("about");
        let fields = match raw::plain_but(lua, host, about, "outcome") {
            Some(read) if fuel::charge(read.fuel) => read.fields,
            Some(_) => return Err(host.fail(lua, host.fuel.problem())),
            None => Self::in_full(lua, host, about)?,
        };
        let fields = Value::Map(fields);
        let fields = Look::of(&fields);
        let read = || -> Result<Self, Problem> {
            let known = &["label", "modifiers", "against", "outcome", "values"];
            let fields = Fields::open(&fields, spot, known)?;
            let modifiers = fields.list("modifiers", MODIFIERS, |value, spot| {
                let fields = Fields::open(value, *spot, &["label", "value", "values"])?;
                let (label, value) = (fields.need_text("label")?, fields.need_int("value")?);
                Ok(Modifier { label, value })
            })?;
            let (label, against) = (fields.text_or_empty("label")?, fields.int("against")?);
            Ok(Self { label, modifiers, against, judge: None })
        };
        let read = read().map_err(|problem| host.fail(lua, problem))?;
        Ok(Self { judge, ..read })
    }

    /// What a script says beside the judge, where it takes a closer look.
    fn in_full(lua: &Lua, host: &Host, about: &Table) -> mlua::Result<Map> {
        let mut fields = Map::new();
        for pair in about.pairs::<LuaValue, LuaValue>() {
            let (key, value) = pair?;
            let key = key.as_string().map(|key| key.to_string_lossy()).unwrap_or_default();
            if key == "outcome" {
                continue;
            }
            let target = format!("about.{key}");
            if let Some(value) = proxy::plain(lua, host, &target, &value)? {
                fields.insert(key.into(), value);
            }
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
    /// A function of the total and the parts.
    Function(Function),
}

impl Judge {
    fn read(lua: &Lua, host: &Host, name: &str, judge: &LuaValue) -> mlua::Result<Self> {
        let refuse = |found: String| {
            let problem = Problem::error("wrong-type", format!("{name} was given {found}"))
                .expected("thresholds such as { full = 18, partial = 13 }, or a function");
            host.fail(lua, problem)
        };
        match judge {
            LuaValue::Function(function) => Ok(Self::Function(function.clone())),
            LuaValue::Table(table) => {
                let mut thresholds = Vec::new();
                for pair in table.pairs::<LuaValue, LuaValue>() {
                    let (band, needed) = pair?;
                    let (LuaValue::String(band), LuaValue::Integer(needed)) = (&band, &needed)
                    else {
                        return Err(refuse(
                            "thresholds that are not names with whole numbers".to_owned(),
                        ));
                    };
                    thresholds.push((*needed, band.to_string_lossy()));
                }
                thresholds.sort_by(|a, b| b.0.cmp(&a.0).then_with(|| a.1.cmp(&b.1)));
                Ok(Self::Thresholds(thresholds))
            }
            other => Err(refuse(format!("{} to judge by", found(other)))),
        }
    }

    /// In how many cases each name is come to; those of thresholds are all there.
    fn judge_all(
        &self,
        lua: &Lua,
        host: &Host,
        outcomes: impl Iterator<Item = Case>,
    ) -> mlua::Result<BTreeMap<String, u64>> {
        match self {
            Self::Thresholds(thresholds) => {
                let mut bands: BTreeMap<String, u64> =
                    thresholds.iter().map(|(_, name)| (name.clone(), 0)).collect();
                for outcome in outcomes {
                    let band = reached(thresholds, outcome.total);
                    *bands.entry(band.to_owned()).or_default() += outcome.cases;
                }
                Ok(bands)
            }
            Self::Function(function) => {
                let mut totals = Vec::new();
                let noted = outcomes.inspect(|outcome| totals.push(outcome.total));
                let judged = host.with_permit(Permit::Look("the judge of a roll"), || {
                    judge_all(lua, function, ALL, noted)
                })?;
                match judged.odd {
                    Some((at, odd)) => Err(no_name(lua, host, &odd, totals[at])),
                    None => Ok(judged.bands.into_iter().collect()),
                }
            }
        }
    }
}

/// What a function says that a roll comes to.
fn judged(
    lua: &Lua,
    host: &Host,
    judge: &Function,
    total: i64,
    parts: &Table,
) -> mlua::Result<String> {
    let band = host.with_permit(Permit::Look("the judge of a roll"), || {
        judge.call::<LuaValue>((total, parts))
    })?;
    match &band {
        LuaValue::String(band) if *band != ALL => Ok(band.to_string_lossy()),
        other => Err(no_name(lua, host, other, total)),
    }
}

/// The name of the highest threshold that a total reaches.
fn reached(thresholds: &[(i64, String)], total: i64) -> &str {
    let reached = thresholds.iter().find(|(needed, _)| total >= *needed);
    reached.map_or(BELOW, |(_, name)| name)
}

/// A judge that gave no name.
fn no_name(lua: &Lua, host: &Host, given: &LuaValue, total: i64) -> mlua::Error {
    let found = format!("the judge of a roll gave {} for a total of {total}", found(given));
    let problem = Problem::error("wrong-type", found)
        .expected(format!("a name for what it comes to, other than {ALL:?}"));
    host.fail(lua, problem)
}
