//! Converts Lua tables to the data of definitions. Functions are stored and become handles;
//! everything else must be plain data.

use std::sync::Arc;

use mlua::{Function, Lua, Value};

use crate::content::{Datum, FnRef};
use crate::kit::{Problem, limits, meter};
use crate::luau::{At, Kind, Odd, Reader, Refused, Sink, Stack, Step, WITH_METATABLE, Weight};
use crate::script::fuel;
use crate::script::functions::KEPT_BYTES;
use crate::script::host::Host;
use crate::script::plain::{PLAIN_TABLE, spot, worded};

/// Fuel for one value in a definition: declared values use host memory, and one table may occur in
/// many places of another. Four bytes of text cost one unit in addition.
const UNITS_PER_VALUE: usize = 10;
/// Approximate bytes of a value, here and in the table that scripts read, without its text.
const VALUE_BYTES: usize = 256;
/// The same for a table.
const TABLE_BYTES: usize = 1024;
/// Whole numbers from here on are not exact.
const LARGE: f64 = 9.2e18;
/// Name of an edit that is used as a value.
const EDIT: &str = "an edit";

/// Reads a Lua value. `path` is its name in messages.
pub(super) fn read(lua: &Lua, host: &Host, value: &Value, path: &str) -> mlua::Result<Datum> {
    let mut outcome = None;
    let out = &mut outcome;
    let fuel = usize::try_from(fuel::left()).unwrap_or(0);
    let room = limits::DECLARED_BYTES.saturating_sub(meter::kept());
    host.protected.run::<()>(lua, value, |stack| {
        let mut body = Body { lua, host, fuel, room, functions: 0 };
        let mut reader = Reader::new(&mut body);
        let read = reader.value(stack, 1);
        let weight = reader.weight;
        *out = Some((read, weight));
        stack.set_top(0);
    })?;
    let (read, weight) = outcome.expect("the work has run");
    host.charge(units(&weight))?;
    meter::keep(bytes(&weight));
    match (read, fuel::held_too_much()) {
        (_, Some(problem)) => Err(problem.into()),
        (Ok(datum), None) => Ok(datum),
        (Err(refused), None) => Err(refuse(lua, host, path, *refused)),
    }
}

fn units(weight: &Weight) -> usize {
    weight.values * UNITS_PER_VALUE + weight.quads
}

fn bytes(weight: &Weight) -> usize {
    weight.values * VALUE_BYTES + weight.texts + weight.tables * TABLE_BYTES
}

/// Reads the body of a definition while fuel and memory last.
struct Body<'a> {
    lua: &'a Lua,
    host: &'a Host,
    fuel: usize,
    room: usize,
    functions: usize,
}

impl<'c> Sink<'c> for Body<'_> {
    type Out = Datum;
    type Names = Vec<(Arc<str>, Datum)>;

    fn truth(&mut self, truth: bool) -> Datum {
        Datum::Bool(truth)
    }

    fn number(&mut self, number: f64) -> Option<Datum> {
        if number == number.trunc() && number.abs() < LARGE {
            return Some(Datum::Int(number as i64));
        }
        number.is_finite().then_some(Datum::Num(number))
    }

    fn text(&mut self, text: &'c str) -> Datum {
        Datum::text(text)
    }

    fn name(&mut self, names: &mut Self::Names, name: &'c str, value: Datum) {
        names.push((self.host.made.keys.key(name), value));
    }

    fn list(&mut self, list: Vec<Datum>) -> Datum {
        Datum::List(list)
    }

    fn names(&mut self, names: Self::Names) -> Datum {
        Datum::Map(names.into_iter().collect())
    }

    fn both(&mut self, _: Vec<Datum>, _: Self::Names) -> Option<Datum> {
        None
    }

    fn other(&mut self, stack: Stack<'c>, at: At, _: &mut Weight) -> Result<Datum, Odd> {
        match stack.kind(at) {
            Kind::Function => {
                let function: Function = stack.take(self.lua, at).map_err(Odd::Raised)?;
                self.functions += 1;
                let kept: FnRef = self.host.keep(function);
                Ok(Datum::Fn(Box::new(kept)))
            }
            Kind::Host => {
                let value: Value = stack.take(self.lua, at).map_err(Odd::Raised)?;
                let is_edit = value.as_userdata().is_some_and(|it| it.is::<super::edit::Mark>());
                Err(Odd::Is(if is_edit { EDIT } else { "userdata of the host" }))
            }
            Kind::Nil => Err(Odd::Is("nothing")),
            _ => Err(Odd::Is("a value that is not plain data")),
        }
    }

    fn passes_metatables_by(&self) -> bool {
        !self.host.edition.bounds_scripts()
    }

    fn fits(&self, weight: &Weight) -> Result<(), Odd> {
        let held = bytes(weight) + self.functions * KEPT_BYTES;
        if units(weight) <= self.fuel && held <= self.room { Ok(()) } else { Err(Odd::NoRoom) }
    }
}

fn refuse(lua: &Lua, host: &Host, path: &str, refused: Refused) -> mlua::Error {
    let way = refused.way_back.iter().rev().map(|step| match step {
        Step::Name(name) => name.clone(),
        Step::Index(at) => format!("[{at}]"),
    });
    let inside = match path.rsplit_once('"') {
        Some((_, inside)) => inside,
        None if refused.way_back.is_empty() => path,
        None => "",
    };
    let inside = inside.split('.').filter(|name| !name.is_empty()).map(str::to_owned);
    let steps: Vec<String> = inside.chain(way).collect();
    let spot = spot(&path, &refused.way_back);
    let problem = match refused.odd {
        Odd::Is(EDIT) => Problem::error("edit-outside-patch", format!("{spot} is an edit"))
            .expected("`add`, `drop` and `wrap` only inside `patch.kind \"id\" { … }`"),
        odd => {
            let plain =
                "booleans, numbers, texts, functions, and tables of them with keys 1..n or names";
            let cure = matches!(odd, Odd::Is(WITH_METATABLE)).then_some(PLAIN_TABLE);
            match worded(&spot, odd, plain) {
                Ok(problem) => problem.maybe_hint(cure),
                Err(raised) => return raised,
            }
        }
    };
    problem.at(host.sources.field(&host.place_of_caller(lua), &steps)).into()
}

/// The number of a value, if it is one. mlua has separate variants for whole numbers and fractions.
pub(super) fn number_of(value: &Value) -> Option<f64> {
    value.as_f64().or_else(|| value.as_i64().map(|whole| whole as f64))
}
