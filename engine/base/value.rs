//! Plain data: what the state, events, inputs and journals may contain.
//!
//! Absence is `Option<Value>`; there is no nil inside. Maps are ordered by key, so the same value
//! has the same text and digest everywhere.

use std::cell::Cell;
use std::collections::BTreeMap;
use std::sync::Arc;

use serde::de::{self, DeserializeSeed, Error, MapAccess, SeqAccess, Visitor};
use serde::{Deserialize, Deserializer, Serialize};

use super::digest::{Digest, Hasher};
use super::limits;

/// A map of plain data, ordered by key.
pub type ValueMap = BTreeMap<Arc<str>, Value>;

/// One plain value. It is serialized without a type tag.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[serde(untagged)]
pub enum Value {
    /// True or false.
    Bool(bool),
    /// A whole number. Every whole number from Lua within ±2^53 becomes this.
    Int(i64),
    /// A finite number that is not whole.
    Num(f64),
    /// Valid UTF-8.
    Text(Arc<str>),
    /// A table with keys 1..n.
    List(Vec<Value>),
    /// A table with string keys.
    Map(ValueMap),
}

/// Accessors that `Value` and similar types share: `Some` if the variant matches.
#[macro_export]
macro_rules! variant_accessors {
    ($vis:vis $of:ty $(, $map:ty)?) => {
        impl $of {
            /// The text inside, if it is one.
            $vis fn as_text(&self) -> Option<&str> {
                if let Self::Text(text) = self { Some(text) } else { None }
            }

            /// The integer inside, if it is one.
            $vis fn as_int(&self) -> Option<i64> {
                if let Self::Int(int) = self { Some(*int) } else { None }
            }

            /// The boolean inside, if it is one.
            $vis fn as_bool(&self) -> Option<bool> {
                if let Self::Bool(truth) = self { Some(*truth) } else { None }
            }

            /// The list inside; an empty map counts as an empty list, because Lua cannot tell them
            /// apart.
            $vis fn as_list(&self) -> Option<&[Self]> {
                match self {
                    Self::List(list) => Some(list),
                    Self::Map(map) if map.is_empty() => Some(&[]),
                    _ => None,
                }
            }

            $(/// The map inside, if it is one.
            $vis fn as_map(&self) -> Option<&$map> {
                if let Self::Map(map) = self { Some(map) } else { None }
            }

            /// The value under a key, if this is a map that has it.
            $vis fn get(&self, key: &str) -> Option<&Self> {
                self.as_map()?.get(key)
            })?
        }
    };
}

variant_accessors!(pub Value, ValueMap);

impl Value {
    /// Creates a text.
    pub fn text(text: impl AsRef<str>) -> Self {
        Self::Text(Arc::from(text.as_ref()))
    }

    /// Creates an empty map.
    pub fn map() -> Self {
        Self::Map(ValueMap::new())
    }

    /// Creates a map of the given pairs.
    pub fn map_of<'a>(pairs: impl IntoIterator<Item = (&'a str, Value)>) -> Self {
        Self::Map(pairs.into_iter().map(|(k, v)| (Arc::from(k), v)).collect())
    }

    /// Converts a number: an `Int` if it is whole and within ±2^53, `None` if it is not finite.
    pub fn number(number: f64) -> Option<Self> {
        if !number.is_finite() {
            return None;
        }
        if number == number.trunc() && number.abs() <= 9_007_199_254_740_992.0 {
            return Some(Self::Int(number as i64));
        }
        Some(Self::Num(number))
    }

    /// The name of this value's type, as Problems use it.
    pub fn type_name(&self) -> &'static str {
        match self {
            Self::Bool(_) => "boolean",
            Self::Int(_) => "integer",
            Self::Num(_) => "number",
            Self::Text(_) => "text",
            Self::List(_) => "list",
            Self::Map(_) => "table",
        }
    }

    /// The number of values, where a table counts as in the state, and the bytes of their texts.
    pub fn count_values_and_text_bytes(&self) -> (usize, usize) {
        let add_counts =
            |total: (usize, usize), item: (usize, usize)| (total.0 + item.0, total.1 + item.1);
        let empty_table = (1 + limits::TABLE_COST_ENTRIES, 0);
        match self {
            Self::Text(text) => (1, text.len()),
            Self::List(list) => {
                list.iter().map(Self::count_values_and_text_bytes).fold(empty_table, add_counts)
            }
            Self::Map(map) => {
                let entry_counts = map.iter().map(|(name, value)| {
                    add_counts((0, name.len()), value.count_values_and_text_bytes())
                });
                entry_counts.fold(empty_table, add_counts)
            }
            _ => (1, 0),
        }
    }

    /// Cost of a copy, in units of fuel: its values and the bytes of its texts.
    pub fn copy_fuel_cost(&self) -> usize {
        match self {
            Self::Text(text) => 1 + text.len() / limits::BYTES_PER_FUEL_UNIT,
            Self::List(list) => 1 + list.iter().map(Self::copy_fuel_cost).sum::<usize>(),
            Self::Map(map) => 1 + map.values().map(Self::copy_fuel_cost).sum::<usize>(),
            _ => 1,
        }
    }

    /// The value's canonical JSON: keys in order, no spaces.
    pub fn to_json(&self) -> String {
        serde_json::to_string(self).expect("plain values always have a JSON text")
    }

    /// Digest of the value, the same on every machine.
    pub fn digest(&self) -> Digest {
        let mut hasher = Hasher::new("value");
        self.feed_digest(&mut hasher);
        hasher.finish()
    }

    /// Feeds the value into a digest without ambiguity.
    pub fn feed_digest(&self, hasher: &mut Hasher) {
        match self {
            Self::Bool(truth) => hasher.feed_tag(if *truth { b't' } else { b'f' }),
            Self::Int(int) => hasher.feed_tag(b'i').feed_bytes(&int.to_le_bytes()),
            Self::Num(num) => hasher.feed_tag(b'n').feed_bytes(&num.to_bits().to_le_bytes()),
            Self::Text(text) => hasher.feed_tag(b's').feed_text(text),
            Self::List(list) => {
                hasher.feed_tag(b'l').feed_count(list.len());
                list.iter().for_each(|item| item.feed_digest(hasher));
                hasher
            }
            Self::Map(map) => {
                hasher.feed_tag(b'm').feed_count(map.len());
                for (key, value) in map {
                    hasher.feed_text(key);
                    value.feed_digest(hasher);
                }
                hasher
            }
        };
    }
}

impl From<bool> for Value {
    fn from(truth: bool) -> Self {
        Self::Bool(truth)
    }
}

impl From<i64> for Value {
    fn from(int: i64) -> Self {
        Self::Int(int)
    }
}

impl From<&str> for Value {
    fn from(text: &str) -> Self {
        Self::text(text)
    }
}

impl From<String> for Value {
    fn from(text: String) -> Self {
        Self::text(text)
    }
}

impl From<Vec<Value>> for Value {
    fn from(list: Vec<Value>) -> Self {
        Self::List(list)
    }
}

impl<'de> Deserialize<'de> for Value {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let own_count = Cell::new(Some(limits::MAX_DESERIALIZED_VALUES));
        REMAINING_VALUES.with(|shared_count| {
            let remaining_values =
                if shared_count.get().is_some() { shared_count } else { &own_count };
            LimitedValueDeserializer { remaining_values }.deserialize(deserializer)
        })
    }
}

thread_local! {
    /// The count of values that may still be deserialized, if several values share one.
    static REMAINING_VALUES: Cell<Option<usize>> = const { Cell::new(None) };
}

/// Lets all values that `work` deserializes share one count, so that a file of many values takes no
/// more memory than one value. A table counts as in the state.
pub fn share_value_count<T>(max_values: usize, work: impl FnOnce() -> T) -> T {
    struct ResetOnDrop;
    impl Drop for ResetOnDrop {
        fn drop(&mut self) {
            REMAINING_VALUES.set(None);
        }
    }
    REMAINING_VALUES.set(Some(max_values));
    let _reset = ResetOnDrop;
    work()
}

/// Deserializes a value and those inside it, up to a count: a value takes ten times the memory of
/// its text, and a table with one value eighty times.
#[derive(Clone, Copy)]
struct LimitedValueDeserializer<'l> {
    remaining_values: &'l Cell<Option<usize>>,
}

impl LimitedValueDeserializer<'_> {
    fn count_values<E: Error>(self, count: usize) -> Result<(), E> {
        let left = self.remaining_values.get().and_then(|left| left.checked_sub(count));
        self.remaining_values
            .set(Some(left.ok_or_else(|| E::custom("more values than plain data has"))?));
        Ok(())
    }
}

impl<'de> DeserializeSeed<'de> for LimitedValueDeserializer<'_> {
    type Value = Value;

    fn deserialize<D: Deserializer<'de>>(self, deserializer: D) -> Result<Value, D::Error> {
        self.count_values(1)?;
        deserializer.deserialize_any(self)
    }
}

impl<'de> Visitor<'de> for LimitedValueDeserializer<'_> {
    type Value = Value;

    fn expecting(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        formatter.write_str("a boolean, number, text, list or table")
    }

    fn visit_bool<E>(self, truth: bool) -> Result<Value, E> {
        Ok(Value::Bool(truth))
    }

    fn visit_i64<E>(self, int: i64) -> Result<Value, E> {
        Ok(Value::Int(int))
    }

    fn visit_u64<E: de::Error>(self, int: u64) -> Result<Value, E> {
        i64::try_from(int).map(Value::Int).map_err(|_| E::custom("a whole number past 2^63"))
    }

    fn visit_f64<E: de::Error>(self, num: f64) -> Result<Value, E> {
        if num.is_finite() {
            Ok(Value::Num(num))
        } else {
            Err(E::custom("a number that is not finite"))
        }
    }

    fn visit_str<E>(self, text: &str) -> Result<Value, E> {
        Ok(Value::text(text))
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut items: A) -> Result<Value, A::Error> {
        self.count_values(limits::TABLE_COST_ENTRIES)?;
        let mut list = Vec::new();
        while let Some(item) = items.next_element_seed(self)? {
            list.push(item);
        }
        Ok(Value::List(list))
    }

    fn visit_map<A: MapAccess<'de>>(self, mut entries: A) -> Result<Value, A::Error> {
        self.count_values(limits::TABLE_COST_ENTRIES)?;
        let mut map = ValueMap::new();
        while let Some(key) = entries.next_key::<String>()? {
            map.insert(Arc::from(key), entries.next_value_seed(self)?);
        }
        Ok(Value::Map(map))
    }
}
