//! A datum: plain data of a definition, which may also contain functions.

use std::sync::Arc;

use super::datum_map::DatumMap;
use base::digest::Hasher;
use base::variant_accessors;
use base::{SourceLocation, Value};

/// One value of a definition.
#[derive(Clone, Debug, PartialEq)]
pub enum Datum {
    /// True or false.
    Bool(bool),
    /// A whole number.
    Int(i64),
    /// A finite number that is not whole.
    Num(f64),
    /// Valid UTF-8.
    Text(Arc<str>),
    /// A table with keys 1..n.
    List(Vec<Datum>),
    /// A table with string keys. An empty table may arrive as this or as an empty list.
    Map(DatumMap),
    /// A function of a script. It is boxed to keep the enum small.
    Fn(Box<FunctionRef>),
}

/// A handle of a function that the module `script` stores, with its wrappers.
#[derive(Clone, Debug, PartialEq)]
pub struct FunctionRef {
    /// Its index in the function table of `script`.
    pub id: u64,
    /// Its source location.
    pub place: SourceLocation,
    /// Its wrappers, innermost first. A wrapper has no wrappers of its own; it is called with the
    /// inner function as its first argument.
    pub wrappers: Vec<FunctionRef>,
}

impl FunctionRef {
    /// Creates a function without wrappers.
    pub fn new(id: u64, place: SourceLocation) -> Self {
        Self { id, place, wrappers: Vec::new() }
    }
}

variant_accessors!(pub Datum, DatumMap);

impl Datum {
    /// Creates a text.
    pub fn text(text: impl AsRef<str>) -> Self {
        Self::Text(Arc::from(text.as_ref()))
    }

    /// Creates a map of the given pairs.
    pub fn map_of<'a>(pairs: impl IntoIterator<Item = (&'a str, Datum)>) -> Self {
        Self::Map(pairs.into_iter().map(|(key, datum)| (Arc::from(key), datum)).collect())
    }

    /// The name of this datum's type, as Problems use it.
    pub fn type_name(&self) -> &'static str {
        match self {
            Self::Bool(_) => "boolean",
            Self::Int(_) => "integer",
            Self::Num(_) => "number",
            Self::Text(_) => "text",
            Self::List(_) => "list",
            Self::Map(_) => "table",
            Self::Fn(_) => "function",
        }
    }

    /// The datum as a Problem describes it: its type, and its value where that is short.
    pub fn describe_for_problem(&self) -> String {
        match self {
            Self::Bool(truth) => truth.to_string(),
            Self::Int(int) => format!("the integer {int}"),
            Self::Num(num) => format!("the number {num}"),
            Self::Text(text) if text.chars().count() <= 40 => format!("the text {text:?}"),
            Self::Text(_) => "a long text".to_owned(),
            Self::List(list) if list.is_empty() => "an empty table".to_owned(),
            Self::List(list) => format!("a list of {}", list.len()),
            Self::Map(map) if map.is_empty() => "an empty table".to_owned(),
            Self::Map(_) => "a table".to_owned(),
            Self::Fn(_) => "a function".to_owned(),
        }
    }

    /// The function inside, if it is one.
    pub fn as_fn(&self) -> Option<&FunctionRef> {
        match self {
            Self::Fn(function) => Some(function),
            _ => None,
        }
    }

    /// Converts plain data to a datum.
    pub fn from_value(value: &Value) -> Self {
        match value {
            Value::Bool(truth) => Self::Bool(*truth),
            Value::Int(int) => Self::Int(*int),
            Value::Num(num) => Self::Num(*num),
            Value::Text(text) => Self::Text(text.clone()),
            Value::List(list) => Self::List(list.iter().map(Self::from_value).collect()),
            Value::Map(map) => {
                Self::Map(map.iter().map(|(k, v)| (k.clone(), Self::from_value(v))).collect())
            }
        }
    }

    /// The plain data in this datum, without its functions.
    pub fn to_value(&self) -> Option<Value> {
        Some(match self {
            Self::Bool(truth) => Value::Bool(*truth),
            Self::Int(int) => Value::Int(*int),
            Self::Num(num) => Value::Num(*num),
            Self::Text(text) => Value::Text(text.clone()),
            Self::List(list) => Value::List(list.iter().filter_map(Self::to_value).collect()),
            Self::Map(map) => Value::Map(
                map.iter().filter_map(|(k, v)| Some((k.clone(), v.to_value()?))).collect(),
            ),
            Self::Fn(_) => return None,
        })
    }

    /// Feeds the datum into a digest. A function is represented by its location; its code is
    /// covered by the digest of its mod.
    pub fn feed_digest(&self, hasher: &mut Hasher) {
        match self {
            Self::Bool(truth) => drop(hasher.feed_tag(if *truth { b't' } else { b'f' })),
            Self::Int(int) => drop(hasher.feed_tag(b'i').feed_bytes(&int.to_le_bytes())),
            Self::Num(num) => drop(hasher.feed_tag(b'n').feed_bytes(&num.to_bits().to_le_bytes())),
            Self::Text(text) => drop(hasher.feed_tag(b's').feed_text(text)),
            Self::List(list) => {
                hasher.feed_tag(b'l').feed_count(list.len());
                list.iter().for_each(|item| item.feed_digest(hasher));
            }
            Self::Map(map) => {
                hasher.feed_tag(b'm').feed_count(map.len());
                for (key, datum) in map {
                    hasher.feed_text(key);
                    datum.feed_digest(hasher);
                }
            }
            Self::Fn(function) => function.feed_digest(hasher),
        }
    }
}

impl FunctionRef {
    fn feed_digest(&self, hasher: &mut Hasher) {
        hasher.feed_tag(b'x').feed_text(&self.place.owner).feed_text(&self.place.file);
        hasher.feed_count(self.place.line as usize).feed_count(self.wrappers.len());
        self.wrappers.iter().for_each(|wrapper| wrapper.feed_digest(hasher));
    }
}
