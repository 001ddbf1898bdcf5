//! Conversion between Lua values and plain data. Values that plain data cannot hold (functions,
//! cycles, infinite numbers, lists with holes) are refused with their path.

use mlua::ExternalError as _;
use mlua::ExternalResult as _;
use std::borrow::Cow;
use std::ffi::c_int;
use std::fmt;
use std::sync::Arc;

use mlua::{Lua, Value as LuaValue};

use super::proxy::StateProxy;
use super::read_fields::LIST_PART_KEY;
use super::value_ref::{NamedValue, ValueRef};
use crate::diagnostics::state_errors::state_error;
use crate::host::Host;
use crate::source_text::describe_value::field_suffix;
use base::value::ValueMap;
use base::{Code, Problem, Value, limits, meter, quote};
use luau::{
    ConvertError, ConvertErrorKind, ConvertPathStep, LuaType, ReadSize, Stack, StackIndex,
    TABLE_WITH_METATABLE, TableReader, TaggedUserdata, ValueVisitor, call_with_stack,
};

/// What one owner sees of the profile in the run's header: 0 stands for the game, other numbers for
/// the mods in the order in which they load.
#[derive(Clone, Copy, Default)]
pub(crate) struct ProfileHandle(pub(crate) usize);

impl ProfileHandle {
    /// That of the game.
    pub(crate) const GAME: Self = Self(0);
}

impl TaggedUserdata for ProfileHandle {
    const TAG: c_int = 78;
}

/// What a table with both list entries and named entries becomes.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum MixedTablePolicy {
    /// A Problem: the state has lists and maps, not both in one.
    Reject,
    /// A map with the list entries under `LIST_PART_KEY`: for prompts and views.
    Split,
}

/// Reads plain data to store.
pub(crate) struct PlainVisitor<'a> {
    host: &'a Host,
    mixed_table_policy: MixedTablePolicy,
}

/// Reads plain data in place, without a copy.
pub(crate) struct BorrowingVisitor<'a>(pub(crate) &'a Host);

impl<'c> ValueVisitor<'c> for PlainVisitor<'_> {
    type Output = Value;
    type Entries = ValueMap;

    fn visit_bool(&mut self, truth: bool) -> Value {
        Value::Bool(truth)
    }

    fn visit_number(&mut self, number: f64) -> Option<Value> {
        Value::number(number)
    }

    fn visit_text(&mut self, text: &'c str) -> Value {
        Value::Text(Arc::from(text))
    }

    fn add_entry(&mut self, entries: &mut ValueMap, name: &'c str, value: Value) {
        meter::charge_ordered_map_insert(entries.len());
        entries.insert(self.host.lazy_tables.key_interner.intern_key(name), value);
    }

    fn visit_list(&mut self, list: Vec<Value>) -> Value {
        Value::List(list)
    }

    fn visit_map(&mut self, entries: ValueMap) -> Value {
        Value::Map(entries)
    }

    fn visit_mixed_table(&mut self, list: Vec<Value>, mut entries: ValueMap) -> Option<Value> {
        if self.mixed_table_policy == MixedTablePolicy::Reject {
            return None;
        }
        entries.insert(Arc::from(LIST_PART_KEY), Value::List(list));
        Some(Value::Map(entries))
    }

    fn visit_function_or_userdata(
        &mut self,
        stack: Stack<'c>,
        index: StackIndex,
        size: &mut ReadSize,
    ) -> Result<Value, ConvertErrorKind> {
        self.host.copy_userdata_as_plain(stack, index, size)
    }

    fn check_size(&self, size: &ReadSize) -> Result<(), ConvertErrorKind> {
        check_state_size(size)
    }
}

impl<'c> ValueVisitor<'c> for BorrowingVisitor<'_> {
    type Output = ValueRef<'c>;
    type Entries = Vec<NamedValue<'c>>;

    fn visit_bool(&mut self, truth: bool) -> ValueRef<'c> {
        ValueRef::Bool(truth)
    }

    fn visit_number(&mut self, number: f64) -> Option<ValueRef<'c>> {
        Value::number(number).map(ValueRef::from_owned)
    }

    fn visit_text(&mut self, text: &'c str) -> ValueRef<'c> {
        ValueRef::Text(Cow::Borrowed(text))
    }

    fn add_entry(&mut self, entries: &mut Self::Entries, name: &'c str, value: ValueRef<'c>) {
        if entries.is_empty() {
            entries.reserve(ENTRY_CAPACITY);
        }
        entries.push((Cow::Borrowed(name), value));
    }

    fn visit_list(&mut self, list: Vec<ValueRef<'c>>) -> ValueRef<'c> {
        ValueRef::List(list)
    }

    fn visit_map(&mut self, entries: Self::Entries) -> ValueRef<'c> {
        ValueRef::Map(entries)
    }

    fn visit_mixed_table(
        &mut self,
        list: Vec<ValueRef<'c>>,
        mut entries: Self::Entries,
    ) -> Option<ValueRef<'c>> {
        entries.push((Cow::Borrowed(LIST_PART_KEY), ValueRef::List(list)));
        Some(ValueRef::Map(entries))
    }

    fn visit_function_or_userdata(
        &mut self,
        stack: Stack<'c>,
        index: StackIndex,
        size: &mut ReadSize,
    ) -> Result<ValueRef<'c>, ConvertErrorKind> {
        self.0.copy_userdata_as_plain(stack, index, size).map(ValueRef::from_owned)
    }

    fn check_size(&self, size: &ReadSize) -> Result<(), ConvertErrorKind> {
        check_state_size(size)
    }
}

/// Initial capacity for names; few tables have more.
const ENTRY_CAPACITY: usize = 8;

#[inline]
fn check_state_size(size: &ReadSize) -> Result<(), ConvertErrorKind> {
    if size.weighted_values() > limits::MAX_STATE_ENTRIES {
        return Err(ConvertErrorKind::TooManyValues);
    }
    if size.text_and_name_bytes > limits::MAX_STATE_TEXT_BYTES {
        return Err(ConvertErrorKind::TooMuchText);
    }
    Ok(())
}

impl Host {
    /// A copy of the part of the state or the profile that userdata stands for.
    fn copy_userdata_as_plain(
        &self,
        stack: Stack<'_>,
        index: StackIndex,
        size: &mut ReadSize,
    ) -> Result<Value, ConvertErrorKind> {
        if stack.lua_type(index) != LuaType::Userdata {
            return Err(ConvertErrorKind::WrongType(match stack.lua_type(index) {
                LuaType::Function => "a function",
                _ => "a value that is not plain data",
            }));
        }
        let value = if let Some(proxy) = stack.tagged_userdata::<StateProxy>(index) {
            let node = self.table_handle_of_proxy(proxy)?;
            let value = self.call_context.world.borrow().state.table_to_value(node);
            value.map_err(|error| state_error("a table of the state", &error))?
        } else if let Some(handle) = stack.tagged_userdata::<ProfileHandle>(index) {
            self.with_profile_of_handle(handle, Value::clone)
        } else {
            return Err(ConvertErrorKind::WrongType("an object of the engine"));
        };
        let (value_count, bytes) = value.count_values_and_text_bytes();
        meter::charge_units(value_count / 4);
        meter::charge_bytes(bytes);
        size.value_count = size.value_count.saturating_add(value_count);
        size.text_and_name_bytes = size.text_and_name_bytes.saturating_add(bytes);
        Ok(value)
    }

    /// The value at an index as plain data to store; `None` for nil. `name` is its name in messages
    /// (`state.hero.bag`).
    pub(crate) fn read_plain_value_at(
        &self,
        stack: Stack<'_>,
        index: StackIndex,
        name: &dyn fmt::Display,
        mixed_policy: MixedTablePolicy,
    ) -> mlua::Result<Option<Value>> {
        // Most written values are leaves.
        let leaf_value = match stack.lua_type(index) {
            LuaType::Nil => return Ok(None),
            LuaType::Bool => Some(Value::Bool(stack.is_truthy(index))),
            LuaType::Number => Value::number(stack.number(index)),
            LuaType::Text => {
                let text = stack.text(index).filter(|text| text.len() <= limits::MAX_TEXT_BYTES);
                text.map(Value::text)
            }
            _ => None,
        };
        if leaf_value.is_some() {
            return Ok(leaf_value);
        }
        let top = stack.top();
        let mut visitor = PlainVisitor { host: self, mixed_table_policy: mixed_policy };
        let mut reader = TableReader::new(&mut visitor);
        let read_result = reader.read_value(stack, index);
        stack.set_top(top);
        let value = read_result.map_err(|error| not_plain_error(name, *error, mixed_policy))?;
        self.check_fuel_budget().into_lua_err()?;
        Ok(Some(value))
    }

    /// The same for an mlua value.
    pub(crate) fn read_plain_value(
        &self,
        lua: &Lua,
        name: &dyn fmt::Display,
        value: &LuaValue,
        mixed_policy: MixedTablePolicy,
    ) -> mlua::Result<Option<Value>> {
        let mut outcome = Ok(None);
        let outcome_mut = &mut outcome;
        self.protected_caller.call_protected::<()>(lua, value, |stack| {
            *outcome_mut = self.read_plain_value_at(stack, 1, name, mixed_policy);
            stack.set_top(0);
        })?;
        outcome.map_err(|error| self.add_error_place(error))
    }
}

/// The Problem of a value that is not plain data.
#[cold]
pub(crate) fn not_plain_error(
    name: &dyn fmt::Display,
    convert_error: ConvertError,
    mixed_policy: MixedTablePolicy,
) -> mlua::Error {
    let value_path = format_path(name, &convert_error.reversed_path);
    let hint = match convert_error.kind {
        ConvertErrorKind::WrongType("a function") if mixed_policy == MixedTablePolicy::Reject => {
            Some("store the id of a definition, and read its function where it is called")
        }
        ConvertErrorKind::WrongType(TABLE_WITH_METATABLE) => Some(HINT_PLAIN_TABLE),
        _ => None,
    };
    let problem_result = describe_convert_error(
        &value_path,
        convert_error.kind,
        "a boolean, a number, a text or a table of these",
    );
    problem_result.map_or_else(
        |lua_error| lua_error,
        |problem| problem.with_optional_hint(hint).into_lua_err(),
    )
}

/// The hint for a table with a metatable.
pub(crate) const HINT_PLAIN_TABLE: &str = "write its content as fields of a plain table; functions that work on it \
     take it as an argument: `act_on(state.value)`";

/// Maximum number of path steps in a message.
const MAX_PATH_STEPS: usize = 8;

/// The path of a value, as a script would write it.
pub(crate) fn format_path(name: &dyn fmt::Display, reversed_path: &[ConvertPathStep]) -> String {
    let mut path = name.to_string();
    for (depth, step) in reversed_path.iter().rev().enumerate() {
        if depth == MAX_PATH_STEPS {
            path.push('…');
            break;
        }
        match step {
            ConvertPathStep::Name(name) => path.push_str(&field_suffix(name)),
            ConvertPathStep::Index(index) => path.push_str(&format!("[{index}]")),
        }
    }
    path
}

/// Describes a convert error; returns the original error if it is one.
pub(crate) fn describe_convert_error(
    path: &str,
    error_kind: ConvertErrorKind,
    expected_value: &str,
) -> mlua::Result<Problem> {
    let expected_keys = "names, or whole numbers from 1";
    let (description, expected) = match error_kind {
        ConvertErrorKind::WrongType(kind_text) => {
            (format!("is {kind_text}"), expected_value.to_owned())
        }
        ConvertErrorKind::NotFinite(number) if number.is_nan() => {
            ("is not a number (0/0)".to_owned(), "a finite number".to_owned())
        }
        ConvertErrorKind::NotFinite(_) => {
            ("is infinite (1/0)".to_owned(), "a finite number".to_owned())
        }
        ConvertErrorKind::TextTooLong(bytes) => (
            format!("is a text of {bytes} bytes"),
            format!("at most {} bytes", limits::MAX_TEXT_BYTES),
        ),
        ConvertErrorKind::NotUtf8 => {
            ("is a text that is not UTF-8".to_owned(), "a text of whole characters".to_owned())
        }
        ConvertErrorKind::Cycle => {
            ("contains itself (a cycle)".to_owned(), "nested tables without a cycle".to_owned())
        }
        ConvertErrorKind::TooDeep => (
            "is nested too deep".to_owned(),
            format!("at most {} tables inside each other", limits::MAX_NESTING_DEPTH),
        ),
        ConvertErrorKind::TooManyEntries => {
            ("has too many entries".to_owned(), format!("at most {}", limits::MAX_TABLE_ENTRIES))
        }
        ConvertErrorKind::BadKey(key) => (format!("has {key}"), expected_keys.to_owned()),
        ConvertErrorKind::HoleInList(index, missing_index) => (
            format!("has an entry [{index}] but none at [{missing_index}]"),
            "a list without holes, or a table of named fields".to_owned(),
        ),
        ConvertErrorKind::MixedTable(name) => (
            format!("has both list entries and the name {}", quote(&name)),
            "a list or a table of named fields, not both".to_owned(),
        ),
        ConvertErrorKind::TooManyValues | ConvertErrorKind::SizeBudgetExceeded => (
            "has too many values".to_owned(),
            format!(
                "at most {}, with each table counted as {}",
                limits::MAX_STATE_ENTRIES,
                limits::TABLE_COST_ENTRIES
            ),
        ),
        ConvertErrorKind::TooMuchText => (
            "has too much text".to_owned(),
            format!("at most {} bytes", limits::MAX_STATE_TEXT_BYTES),
        ),
        ConvertErrorKind::LuaError(error) => return Err(error),
    };
    Ok(Problem::error(Code::NotPlain, format!("{path} {description}")).expected(expected))
}

/// Plain data as a Lua value; with `read_only` the tables are read-only.
pub(crate) fn plain_value_to_lua(
    lua: &Lua,
    value: &Value,
    read_only: bool,
) -> mlua::Result<LuaValue> {
    call_with_stack(lua, (), |stack| stack.push_plain_data(value, read_only))
}
