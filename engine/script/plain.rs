//! Conversion between Lua values and plain data. Values that plain data cannot hold (functions,
//! cycles, infinite numbers, lists with holes) are refused with their path.

use std::borrow::Cow;
use std::fmt;
use std::sync::Arc;

use mlua::{Lua, Value as LuaValue};

use super::from_lua::state::Profile;
use super::host::Host;
use super::proxy::{Proxy, refused};
use super::shape::LIST_PART;
use super::value_ref::{Named, ValueRef};
use super::words::dotted;
use crate::kit::fault::planted;
use crate::kit::value::Map;
use crate::kit::{Problem, Value, limits, meter};
use crate::luau::{
    At, Kind, Odd, Reader, Refused, Sink, Stack, Step, WITH_METATABLE, Weight, once,
};

/// What a table with both list entries and named entries becomes.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Mixed {
    /// A Problem: the state has lists and maps, not both in one.
    Refused,
    /// A map with the list entries under `LIST_PART`: for prompts and views.
    Split,
}

/// Reads plain data to store.
pub(crate) struct Plain<'a> {
    host: &'a Host,
    mixed: Mixed,
}

/// Reads plain data in place, without a copy.
pub(crate) struct InPlace<'a>(pub(crate) &'a Host);

impl<'c> Sink<'c> for Plain<'_> {
    type Out = Value;
    type Names = Map;

    fn truth(&mut self, truth: bool) -> Value {
        Value::Bool(truth)
    }

    fn number(&mut self, number: f64) -> Option<Value> {
        Value::number(number)
    }

    fn text(&mut self, text: &'c str) -> Value {
        Value::Text(Arc::from(text))
    }

    fn name(&mut self, names: &mut Map, name: &'c str, value: Value) {
        names.insert(self.host.made.keys.key(name), value);
    }

    fn list(&mut self, list: Vec<Value>) -> Value {
        Value::List(list)
    }

    fn names(&mut self, names: Map) -> Value {
        Value::Map(names)
    }

    fn both(&mut self, list: Vec<Value>, mut names: Map) -> Option<Value> {
        if self.mixed == Mixed::Refused {
            return None;
        }
        names.insert(Arc::from(LIST_PART), Value::List(list));
        Some(Value::Map(names))
    }

    fn other(&mut self, stack: Stack<'c>, at: At, weight: &mut Weight) -> Result<Value, Odd> {
        self.host.part_at(stack, at, weight)
    }

    fn passes_metatables_by(&self) -> bool {
        !self.host.edition.bounds_scripts()
    }

    fn fits(&self, weight: &Weight) -> Result<(), Odd> {
        fits_a_state(weight)
    }
}

impl<'c> Sink<'c> for InPlace<'_> {
    type Out = ValueRef<'c>;
    type Names = Vec<Named<'c>>;

    fn truth(&mut self, truth: bool) -> ValueRef<'c> {
        ValueRef::Bool(truth)
    }

    fn number(&mut self, number: f64) -> Option<ValueRef<'c>> {
        Value::number(number).map(ValueRef::kept)
    }

    fn text(&mut self, text: &'c str) -> ValueRef<'c> {
        ValueRef::Text(Cow::Borrowed(text))
    }

    fn name(&mut self, names: &mut Self::Names, name: &'c str, value: ValueRef<'c>) {
        if names.is_empty() {
            names.reserve(NAMES);
        }
        names.push((Cow::Borrowed(name), value));
    }

    fn list(&mut self, list: Vec<ValueRef<'c>>) -> ValueRef<'c> {
        ValueRef::List(list)
    }

    fn names(&mut self, names: Self::Names) -> ValueRef<'c> {
        ValueRef::Map(names)
    }

    fn both(&mut self, list: Vec<ValueRef<'c>>, mut names: Self::Names) -> Option<ValueRef<'c>> {
        names.push((Cow::Borrowed(LIST_PART), ValueRef::List(list)));
        Some(ValueRef::Map(names))
    }

    fn other(
        &mut self,
        stack: Stack<'c>,
        at: At,
        weight: &mut Weight,
    ) -> Result<ValueRef<'c>, Odd> {
        self.0.part_at(stack, at, weight).map(ValueRef::kept)
    }

    fn passes_metatables_by(&self) -> bool {
        !self.0.edition.bounds_scripts()
    }

    fn fits(&self, weight: &Weight) -> Result<(), Odd> {
        fits_a_state(weight)
    }
}

/// Initial capacity for names; few tables have more.
const NAMES: usize = 8;

#[inline]
fn fits_a_state(weight: &Weight) -> Result<(), Odd> {
    if weight.nodes() > limits::STATE_NODES {
        return Err(Odd::ManyValues);
    }
    if weight.bytes > limits::STATE_BYTES {
        return Err(Odd::MuchText);
    }
    Ok(())
}

impl Host {
    /// A copy of the part of the state or the profile that userdata stands for.
    fn part_at(&self, stack: Stack<'_>, at: At, weight: &mut Weight) -> Result<Value, Odd> {
        if stack.kind(at) != Kind::Host {
            return Err(Odd::Is(match stack.kind(at) {
                Kind::Function => "a function",
                _ => "a value that is not plain data",
            }));
        }
        let value = if let Some(proxy) = stack.carried::<Proxy>(at) {
            let node = self.node_of(proxy)?;
            let value = self.lent.world.borrow().state.value(node);
            value.map_err(|error| refused("a table of the state", &error))?
        } else if stack.carried::<Profile>(at).is_some() {
            self.lent.profile.borrow().clone()
        } else {
            return Err(Odd::Is("userdata of the host"));
        };
        let (nodes, bytes) = weigh(&value);
        meter::units(nodes / 4);
        meter::bytes(bytes);
        weight.values = weight.values.saturating_add(nodes);
        weight.bytes = weight.bytes.saturating_add(bytes);
        Ok(value)
    }

    /// The value at an index as plain data to store; `None` for nil. `name` is its name in messages
    /// (`state.hero.bag`).
    pub(crate) fn plain_at(
        &self,
        stack: Stack<'_>,
        at: At,
        name: &dyn fmt::Display,
        mixed: Mixed,
    ) -> mlua::Result<Option<Value>> {
        // Most written values are leaves.
        let leaf = match stack.kind(at) {
            Kind::Nil => return Ok(None),
            Kind::Bool => Some(Value::Bool(stack.truth(at))),
            Kind::Number => Value::number(stack.number(at)),
            Kind::Text => {
                let text = stack.text(at).filter(|text| text.len() <= limits::TEXT_BYTES);
                text.map(Value::text)
            }
            _ => None,
        };
        if leaf.is_some() {
            return Ok(leaf);
        }
        let top = stack.top();
        let mut sink = Plain { host: self, mixed };
        let mut reader = Reader::new(&mut sink);
        let read = reader.value(stack, at);
        stack.set_top(top);
        let value = read.map_err(|odd| not_plain(name, *odd, mixed))?;
        self.paid()?;
        Ok(Some(value))
    }

    /// The same for an mlua value.
    pub(crate) fn plain(
        &self,
        lua: &Lua,
        name: &dyn fmt::Display,
        value: &LuaValue,
        mixed: Mixed,
    ) -> mlua::Result<Option<Value>> {
        let mut outcome = Ok(None);
        let out = &mut outcome;
        self.protected.run::<()>(lua, value, |stack| {
            *out = self.plain_at(stack, 1, name, mixed);
            stack.set_top(0);
        })?;
        outcome.map_err(|error| self.placed_error(error))
    }
}

/// The Problem of a value that is not plain data.
#[cold]
pub(crate) fn not_plain(name: &dyn fmt::Display, refused: Refused, mixed: Mixed) -> mlua::Error {
    let spot = spot(name, &refused.way_back);
    let hint = match refused.odd {
        Odd::Is("a function") if mixed == Mixed::Refused => {
            Some("store the id of a definition, and read its function where it is called")
        }
        Odd::Is(WITH_METATABLE) => Some(PLAIN_TABLE),
        _ => None,
    };
    let worded = worded(&spot, refused.odd, "a boolean, a number, a text or a table of these");
    worded.map_or_else(|raised| raised, |problem| problem.maybe_hint(hint).into())
}

/// The hint for a table with a metatable.
pub(crate) const PLAIN_TABLE: &str = "write its content as fields of a plain table; functions that work on it \
     take it as an argument: `act_on(state.value)`";

/// Maximum number of path steps in a message.
const SHOWN_STEPS: usize = 8;

/// The path of a value, as a script would write it.
pub(crate) fn spot(name: &dyn fmt::Display, way_back: &[Step]) -> String {
    let mut spot = name.to_string();
    for (depth, step) in way_back.iter().rev().enumerate() {
        if depth == SHOWN_STEPS {
            spot.push('…');
            break;
        }
        match step {
            Step::Name(name) => spot.push_str(&dotted(name)),
            Step::Index(at) => spot.push_str(&format!("[{at}]")),
        }
    }
    spot
}

/// Describes a convert error; returns the original error if it is one.
pub(crate) fn worded(spot: &str, odd: Odd, plain: &str) -> mlua::Result<Problem> {
    let endless = matches!(odd, Odd::NotFinite(_));
    assert!(!endless || !planted("hostile_numbers_panic"), "planted");
    let keys = "names, or whole numbers from 1";
    let (found, expected) = match odd {
        Odd::Is(what) => (format!("is {what}"), plain.to_owned()),
        Odd::NotFinite(number) if number.is_nan() => {
            ("is not a number (0/0)".to_owned(), "a finite number".to_owned())
        }
        Odd::NotFinite(_) => ("is infinite (1/0)".to_owned(), "a finite number".to_owned()),
        Odd::Long(bytes) => {
            (format!("is a text of {bytes} bytes"), format!("at most {} bytes", limits::TEXT_BYTES))
        }
        Odd::NotUtf8 => {
            ("is a text that is not UTF-8".to_owned(), "a text of whole characters".to_owned())
        }
        Odd::Cycle => {
            ("contains itself (a cycle)".to_owned(), "nested tables without a cycle".to_owned())
        }
        Odd::Deep => (
            "is nested too deep".to_owned(),
            format!("at most {} tables inside each other", limits::DEPTH),
        ),
        Odd::Wide => {
            ("has too many entries".to_owned(), format!("at most {}", limits::TABLE_ENTRIES))
        }
        Odd::Key(key) => (format!("has {key}"), keys.to_owned()),
        Odd::Hole(at, next) => (
            format!("has an entry [{at}] but none at [{next}]"),
            "a list without holes, or a table of named fields".to_owned(),
        ),
        Odd::Both(name) => (
            format!("has both list entries and the name {name:?}"),
            "a list or a table of named fields, not both".to_owned(),
        ),
        Odd::ManyValues | Odd::NoRoom => (
            "has too many values".to_owned(),
            format!(
                "at most {}, with each table counted as {}",
                limits::STATE_NODES,
                limits::TABLE_NODES
            ),
        ),
        Odd::MuchText => {
            ("has too much text".to_owned(), format!("at most {} bytes", limits::STATE_BYTES))
        }
        Odd::Raised(error) => return Err(error),
    };
    Ok(Problem::error("not-plain", format!("{spot} {found}")).expected(expected))
}

/// The number of values in plain data, and the bytes of their texts.
fn weigh(value: &Value) -> (usize, usize) {
    let sum = |all: (usize, usize), one: (usize, usize)| (all.0 + one.0, all.1 + one.1);
    match value {
        Value::Text(text) => (1, text.len()),
        Value::List(list) => list.iter().map(weigh).fold((1 + limits::TABLE_NODES, 0), sum),
        Value::Map(map) => {
            let inside = map.iter().map(|(name, value)| sum((0, name.len()), weigh(value)));
            inside.fold((1 + limits::TABLE_NODES, 0), sum)
        }
        _ => (1, 0),
    }
}

/// Plain data as a Lua value; with `frozen` the tables are read-only.
pub(crate) fn to_lua(lua: &Lua, value: &Value, frozen: bool) -> mlua::Result<LuaValue> {
    once(lua, (), |stack| stack.push_plain(value, frozen))
}
