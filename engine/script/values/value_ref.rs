//! Plain data read in place: in a Lua table while it is on the stack, or in our own plain data.
//! Prompts and views are read from it, mostly without copies.

use std::borrow::Cow;
use std::sync::Arc;

use base::Value;
use base::variant_accessors;

/// A reference to plain data.
pub(crate) enum ValueRef<'a> {
    Bool(bool),
    Int(i64),
    /// A number that is not whole.
    Num(f64),
    Text(Cow<'a, str>),
    List(Vec<ValueRef<'a>>),
    /// Named fields, in any order.
    Map(Vec<NamedValue<'a>>),
}

/// A name and its value.
pub(crate) type NamedValue<'a> = (Cow<'a, str>, ValueRef<'a>);

variant_accessors!(pub(crate) ValueRef<'_>);

impl<'a> ValueRef<'a> {
    /// From our own plain data.
    pub(crate) fn from_value(value: &'a Value) -> Self {
        match value {
            Value::Bool(truth) => Self::Bool(*truth),
            Value::Int(int) => Self::Int(*int),
            Value::Num(number) => Self::Num(*number),
            Value::Text(text) => Self::Text(Cow::Borrowed(text)),
            Value::List(list) => Self::List(list.iter().map(Self::from_value).collect()),
            Value::Map(map) => {
                let entries = map.iter();
                Self::Map(
                    entries
                        .map(|(name, item)| (Cow::Borrowed(&**name), Self::from_value(item)))
                        .collect(),
                )
            }
        }
    }

    /// From owned data, independent of its source.
    pub(crate) fn from_owned(value: Value) -> ValueRef<'static> {
        match value {
            Value::Bool(truth) => ValueRef::Bool(truth),
            Value::Int(int) => ValueRef::Int(int),
            Value::Num(number) => ValueRef::Num(number),
            Value::Text(text) => ValueRef::Text(Cow::Owned(text.to_string())),
            Value::List(list) => {
                ValueRef::List(list.into_iter().map(ValueRef::from_owned).collect())
            }
            Value::Map(map) => {
                let entries = map.into_iter();
                ValueRef::Map(
                    entries
                        .map(|(name, value)| {
                            (Cow::Owned(name.to_string()), ValueRef::from_owned(value))
                        })
                        .collect(),
                )
            }
        }
    }

    /// An owned copy.
    pub(crate) fn to_value(&self) -> Value {
        match self {
            Self::Bool(truth) => Value::Bool(*truth),
            Self::Int(int) => Value::Int(*int),
            Self::Num(number) => Value::Num(*number),
            Self::Text(text) => Value::Text(Arc::from(&**text)),
            Self::List(list) => Value::List(list.iter().map(Self::to_value).collect()),
            Self::Map(map) => Value::Map(
                map.iter().map(|(name, value)| (Arc::from(&**name), value.to_value())).collect(),
            ),
        }
    }

    /// Whether it is `false`, which counts as missing where a value is optional.
    pub(crate) fn is_false(&self) -> bool {
        matches!(self, Self::Bool(false))
    }

    /// The value under a name, if it is a map.
    pub(crate) fn get(&self, name: &str) -> Option<&Self> {
        match self {
            Self::Map(map) => find_value_by_name(map, name),
            _ => None,
        }
    }
}

/// The value under a name.
pub(crate) fn find_value_by_name<'l, 'a>(
    map: &'l [NamedValue<'a>],
    name: &str,
) -> Option<&'l ValueRef<'a>> {
    map.iter().find(|(entry_name, _)| entry_name == name).map(|(_, value)| value)
}
