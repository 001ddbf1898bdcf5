//! Lua values to plain data and back. What plain data cannot hold (a function, a cycle, a number
//! without end, a table with holes) is refused with the path to it.

use std::collections::BTreeMap;
use std::ffi::c_void;
use std::fmt;
use std::sync::Arc;

use mlua::{AnyUserData, Lua, Table, Value as LuaValue};

use crate::kit::value::Map;
use crate::kit::{Problem, Value, limits};

use super::raw;
use super::shape::LIST_PART;

/// What a table with both named and unnamed entries becomes.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Mixed {
    /// A Problem: the state keeps lists and tables, not both in one.
    Refused,
    /// A table whose unnamed entries lie under `LIST_PART`: for shapes that are read at once.
    Split,
}

/// How a proxy of the state is read while a table that holds it is converted.
pub(crate) type ReadProxy<'a> = &'a dyn Fn(&AnyUserData) -> Option<Result<Value, Problem>>;

/// Turns a Lua value into plain data; nil is `None`. `name` is how the value is called in a
/// Problem (`state.hero.bag`). Also says how many values were read, for charging fuel.
pub(crate) fn to_plain(
    name: &dyn fmt::Display,
    value: &LuaValue,
    mixed: Mixed,
    proxy: ReadProxy<'_>,
) -> Result<(Option<Value>, usize), Problem> {
    let mut reading = Reading {
        name,
        mixed,
        proxy,
        path: Vec::new(),
        open: Vec::new(),
        read: 0,
        bytes: 0,
        depth: 0,
    };
    let plain = reading.value(value)?;
    Ok((plain, reading.read))
}

/// Most steps of a path that a Problem shows.
const SHOWN_STEPS: usize = 8;

enum Step {
    Name(Arc<str>),
    Index(i64),
}

struct Reading<'a> {
    name: &'a dyn fmt::Display,
    mixed: Mixed,
    proxy: ReadProxy<'a>,
    path: Vec<Step>,
    /// Tables that we are inside of: meeting one again is a cycle.
    open: Vec<*const c_void>,
    read: usize,
    /// Bytes of texts so far: one text may stand in many places of a table, and is copied for each.
    bytes: usize,
    depth: usize,
}

impl Reading<'_> {
    fn value(&mut self, value: &LuaValue) -> Result<Option<Value>, Problem> {
        self.weigh(1, 0)?;
        Ok(Some(match value {
            LuaValue::Nil => return Ok(None),
            LuaValue::Boolean(truth) => Value::Bool(*truth),
            LuaValue::Integer(int) => self.integer(*int)?,
            LuaValue::Number(num) => self.number(*num)?,
            LuaValue::String(text) => {
                let text = self.text(&text.as_bytes())?;
                self.weigh(0, text.len())?;
                Value::Text(text)
            }
            LuaValue::Table(table) => self.table(table)?,
            LuaValue::UserData(data) => match (self.proxy)(data) {
                Some(value) => {
                    let value = value?;
                    let (nodes, bytes) = weight(&value);
                    self.weigh(nodes, bytes)?;
                    value
                }
                None => return Err(self.wrong("something of the host's own")),
            },
            LuaValue::Function(_) => {
                let problem = self.wrong("a function");
                return Err(match self.mixed {
                    Mixed::Split => problem,
                    Mixed::Refused => problem.hint(
                        "keep the id of a definition, and read its function where it is called",
                    ),
                });
            }
            LuaValue::Thread(_) => return Err(self.wrong("a coroutine")),
            LuaValue::Buffer(_) => return Err(self.wrong("a buffer")),
            _ => return Err(self.wrong("a value of no plain type")),
        }))
    }

    /// Counts what was read; too much of it is refused before it fills our memory.
    fn weigh(&mut self, nodes: usize, bytes: usize) -> Result<(), Problem> {
        self.read = self.read.saturating_add(nodes);
        self.bytes = self.bytes.saturating_add(bytes);
        if self.read > limits::STATE_NODES {
            let most = format!(
                "at most {}, a table counted as {}",
                limits::STATE_NODES,
                limits::TABLE_NODES
            );
            return Err(self.refused("holds too many values", &most));
        }
        if self.bytes > limits::STATE_BYTES {
            let most = format!("at most {} bytes", limits::STATE_BYTES);
            return Err(self.refused("holds too much text", &most));
        }
        Ok(())
    }

    fn integer(&self, int: i64) -> Result<Value, Problem> {
        if int.unsigned_abs() <= 1 << 53 {
            return Ok(Value::Int(int));
        }
        self.number(int as f64)
    }

    fn number(&self, num: f64) -> Result<Value, Problem> {
        Value::number(num).ok_or_else(|| {
            let found = if num.is_nan() { "is not a number (0/0)" } else { "is without end (1/0)" };
            self.refused(found, "a finite number")
        })
    }

    fn text(&self, bytes: &[u8]) -> Result<Arc<str>, Problem> {
        if bytes.len() > limits::TEXT_BYTES {
            let found = format!("is a text of {} bytes", bytes.len());
            return Err(self.refused(&found, &format!("at most {} bytes", limits::TEXT_BYTES)));
        }
        std::str::from_utf8(bytes)
            .map(Arc::from)
            .map_err(|_| self.refused("is a text that is not UTF-8", "a text of whole characters"))
    }

    fn table(&mut self, table: &Table) -> Result<Value, Problem> {
        let pointer = table.to_pointer();
        if self.open.contains(&pointer) {
            return Err(self.refused("holds itself (a cycle)", "tables inside tables, with an end"));
        }
        if self.depth >= limits::DEPTH {
            let expected = format!("at most {} tables inside each other", limits::DEPTH);
            return Err(self.refused("lies too deep", &expected));
        }
        self.weigh(limits::TABLE_NODES, 0)?;
        self.open.push(pointer);
        self.depth += 1;
        let value = self.entries(table);
        self.depth -= 1;
        self.open.pop();
        value
    }

    fn entries(&mut self, table: &Table) -> Result<Value, Problem> {
        let (mut list, mut later, mut map) = (Vec::new(), BTreeMap::new(), Map::new());
        // A Problem cannot pass through mlua's walk as it is, so that it is carried beside it.
        let mut problem = None;
        let walked = table.for_each(|key: LuaValue, value: LuaValue| {
            match self.entry(&key, &value) {
                Ok(Entry::At(at, value)) if at == list.len() as i64 + 1 => list.push(value),
                Ok(Entry::At(at, value)) => drop(later.insert(at, value)),
                Ok(Entry::Named(name, value)) => drop(map.insert(name, value)),
                Err(wrong) => {
                    problem = Some(wrong);
                    return Err(mlua::Error::runtime("refused"));
                }
            }
            if list.len() + later.len() + map.len() > limits::TABLE_ENTRIES {
                problem = Some(self.refused(
                    "has too many entries",
                    &format!("at most {}", limits::TABLE_ENTRIES),
                ));
                return Err(mlua::Error::runtime("refused"));
            }
            Ok(())
        });
        if let Some(problem) = problem {
            return Err(problem);
        }
        walked.map_err(|_| self.refused("cannot be walked", "a plain table"))?;
        for (at, value) in later {
            if at != list.len() as i64 + 1 {
                let found = format!("has an entry [{at}] but none at [{}]", list.len() + 1);
                return Err(
                    self.refused(&found, "a list without holes, or a table of named fields")
                );
            }
            list.push(value);
        }
        self.joined(list, map)
    }

    fn joined(&self, list: Vec<Value>, mut map: Map) -> Result<Value, Problem> {
        match (list.is_empty(), map.is_empty()) {
            (true, _) => Ok(Value::Map(map)),
            (false, true) => Ok(Value::List(list)),
            (false, false) if self.mixed == Mixed::Split => {
                map.insert(Arc::from(LIST_PART), Value::List(list));
                Ok(Value::Map(map))
            }
            (false, false) => {
                let name = map.keys().next().expect("it is not empty");
                let found = format!("has both list entries and the name {name:?}");
                Err(self.refused(&found, "a list or a table of named fields, not both"))
            }
        }
    }

    fn entry(&mut self, key: &LuaValue, value: &LuaValue) -> Result<Entry, Problem> {
        let step = match key {
            LuaValue::String(name) => {
                let name = self.text(&name.as_bytes())?;
                self.weigh(0, name.len())?;
                Step::Name(name)
            }
            LuaValue::Integer(at) => Step::Index(*at),
            LuaValue::Number(at) => {
                let found = format!("has the key {at}");
                return Err(self.refused(&found, "names, or whole numbers from 1"));
            }
            other => {
                let found = format!("has a {} as a key", other.type_name());
                return Err(self.refused(&found, "names, or whole numbers from 1"));
            }
        };
        self.path.push(step);
        let value = self.value(value)?.expect("a table holds no nil");
        match self.path.pop().expect("it was pushed above") {
            Step::Name(name) => Ok(Entry::Named(name, value)),
            Step::Index(at) => Ok(Entry::At(at, value)),
        }
    }

    fn wrong(&self, found: &str) -> Problem {
        self.refused(&format!("is {found}"), "a boolean, a number, a text or a table of these")
    }

    fn refused(&self, found: &str, expected: &str) -> Problem {
        let mut spot = self.name.to_string();
        for (depth, step) in self.path.iter().enumerate() {
            if depth == SHOWN_STEPS {
                spot.push('…');
                break;
            }
            match step {
                Step::Name(name) => spot.push_str(&dotted(name)),
                Step::Index(at) => spot.push_str(&format!("[{at}]")),
            }
        }
        Problem::error("not-plain", format!("{spot} {found}")).expected(expected)
    }
}

/// The values in plain data, and the bytes of their texts.
pub(crate) fn weight(value: &Value) -> (usize, usize) {
    let sum = |all: (usize, usize), one: (usize, usize)| (all.0 + one.0, all.1 + one.1);
    match value {
        Value::Text(text) => (1, text.len()),
        Value::List(list) => list.iter().map(weight).fold((1 + limits::TABLE_NODES, 0), sum),
        Value::Map(map) => {
            let inside = map.iter().map(|(name, value)| sum((0, name.len()), weight(value)));
            inside.fold((1 + limits::TABLE_NODES, 0), sum)
        }
        _ => (1, 0),
    }
}

enum Entry {
    At(i64, Value),
    Named(Arc<str>, Value),
}

/// A name as it is written behind a table: `.bag`, or `["two words"]`.
pub(crate) fn dotted(name: &str) -> String {
    let plain = name.chars().all(|c| c.is_ascii_alphanumeric() || c == '_')
        && !name.starts_with(|c: char| c.is_ascii_digit())
        && !name.is_empty();
    if plain { format!(".{name}") } else { format!("[{name:?}]") }
}

/// Turns plain data into Lua tables; `frozen` ones refuse every write.
pub(crate) fn to_lua(lua: &Lua, value: &Value, frozen: bool) -> mlua::Result<LuaValue> {
    raw::make(lua, value, frozen)
}
