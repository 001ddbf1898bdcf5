//! Converts Lua tables to the data of definitions. Functions are stored and become handles;
//! everything else must be plain data.

use mlua::ExternalError as _;
use mlua::ExternalResult as _;
use std::sync::Arc;

use mlua::{Function, Lua, Value};

use crate::host::Host;
use crate::limits::fuel;
use crate::values::plain_data::{HINT_PLAIN_TABLE, describe_convert_error, format_path};
use base::{Code, Problem, limits, meter};
use content::{Datum, FunctionRef};
use luau::{
    ConvertError, ConvertErrorKind, ConvertPathStep, LuaType, ReadSize, Stack, StackIndex,
    TABLE_WITH_METATABLE, TableReader, ValueVisitor,
};

/// Whole numbers from here on are not exact.
const MAX_EXACT_INT: f64 = 9.2e18;
/// Name of an edit that is used as a value.
const EDIT_VALUE_DESCRIPTION: &str = "an edit";

/// Reads a Lua value. `path` is its name in messages.
pub(super) fn read_datum(lua: &Lua, host: &Host, value: &Value, path: &str) -> mlua::Result<Datum> {
    let mut outcome = None;
    let outcome_mut = &mut outcome;
    let remaining_fuel = usize::try_from(fuel::remaining_units()).unwrap_or(0);
    let remaining_bytes =
        limits::MAX_DECLARED_BYTES_PER_MOD.saturating_sub(meter::counted_host_bytes());
    host.protected_caller.call_protected::<()>(lua, value, |stack| {
        let mut visitor = DatumVisitor {
            lua,
            host,
            remaining_fuel,
            remaining_memory: remaining_bytes,
            function_count: 0,
        };
        let mut reader = TableReader::new(&mut visitor);
        let datum_result = reader.read_value(stack, 1);
        let size = reader.size;
        *outcome_mut = Some((datum_result, size));
        stack.set_top(0);
    })?;
    let (datum_result, size) = outcome.expect("the work has run");
    host.charge_fuel(fuel_cost(&size)).into_lua_err()?;
    meter::count_host_bytes(memory_cost(&size));
    match (datum_result, fuel::declared_bytes_problem()) {
        (_, Some(problem)) => Err(problem.into_lua_err()),
        (Ok(datum), None) => Ok(datum),
        (Err(convert_error), None) => {
            Err(create_convert_error_problem(lua, host, path, *convert_error))
        }
    }
}

fn fuel_cost(size: &ReadSize) -> usize {
    size.value_count * limits::FUEL_PER_DECLARED_VALUE + size.text_4_byte_units
}

fn memory_cost(size: &ReadSize) -> usize {
    size.value_count * limits::DECLARED_VALUE_HOST_BYTES
        + size.text_bytes
        + size.table_count * limits::DECLARED_TABLE_HOST_BYTES
}

/// Reads the body of a definition while fuel and memory last.
struct DatumVisitor<'a> {
    lua: &'a Lua,
    host: &'a Host,
    remaining_fuel: usize,
    remaining_memory: usize,
    function_count: usize,
}

impl<'c> ValueVisitor<'c> for DatumVisitor<'_> {
    type Output = Datum;
    type Entries = Vec<(Arc<str>, Datum)>;

    fn visit_bool(&mut self, truth: bool) -> Datum {
        Datum::Bool(truth)
    }

    fn visit_number(&mut self, number: f64) -> Option<Datum> {
        if number == number.trunc() && number.abs() < MAX_EXACT_INT {
            return Some(Datum::Int(number as i64));
        }
        number.is_finite().then_some(Datum::Num(number))
    }

    fn visit_text(&mut self, text: &'c str) -> Datum {
        Datum::text(text)
    }

    fn add_entry(&mut self, entries: &mut Self::Entries, name: &'c str, value: Datum) {
        entries.push((self.host.lazy_tables.key_interner.intern_key(name), value));
    }

    fn visit_list(&mut self, list: Vec<Datum>) -> Datum {
        Datum::List(list)
    }

    fn visit_map(&mut self, entries: Self::Entries) -> Datum {
        Datum::Map(entries.into_iter().collect())
    }

    fn visit_mixed_table(&mut self, _: Vec<Datum>, _: Self::Entries) -> Option<Datum> {
        None
    }

    fn visit_function_or_userdata(
        &mut self,
        stack: Stack<'c>,
        index: StackIndex,
        _: &mut ReadSize,
    ) -> Result<Datum, ConvertErrorKind> {
        match stack.lua_type(index) {
            LuaType::Function => {
                let function: Function =
                    stack.read_value(self.lua, index).map_err(ConvertErrorKind::LuaError)?;
                self.function_count += 1;
                let function_ref: FunctionRef = self.host.store_function(function);
                Ok(Datum::Fn(Box::new(function_ref)))
            }
            LuaType::Userdata => {
                let value: Value =
                    stack.read_value(self.lua, index).map_err(ConvertErrorKind::LuaError)?;
                let is_edit = value
                    .as_userdata()
                    .is_some_and(|userdata| userdata.is::<super::edit::EditValue>());
                Err(ConvertErrorKind::WrongType(if is_edit {
                    EDIT_VALUE_DESCRIPTION
                } else {
                    "an object of the engine"
                }))
            }
            LuaType::Nil => Err(ConvertErrorKind::WrongType("nothing")),
            _ => Err(ConvertErrorKind::WrongType("a value that is not plain data")),
        }
    }

    fn check_size(&self, size: &ReadSize) -> Result<(), ConvertErrorKind> {
        let memory_bytes =
            memory_cost(size) + self.function_count * limits::STORED_FUNCTION_HOST_BYTES;
        if fuel_cost(size) <= self.remaining_fuel && memory_bytes <= self.remaining_memory {
            Ok(())
        } else {
            Err(ConvertErrorKind::SizeBudgetExceeded)
        }
    }
}

fn create_convert_error_problem(
    lua: &Lua,
    host: &Host,
    path: &str,
    convert_error: ConvertError,
) -> mlua::Error {
    let path_names = convert_error.reversed_path.iter().rev().map(|step| match step {
        ConvertPathStep::Name(name) => name.clone(),
        ConvertPathStep::Index(index) => format!("[{index}]"),
    });
    let inner_path = match path.rsplit_once('"') {
        Some((_, after_quote)) => after_quote,
        None if convert_error.reversed_path.is_empty() => path,
        None => "",
    };
    let inner_names = inner_path.split('.').filter(|name| !name.is_empty()).map(str::to_owned);
    let steps: Vec<String> = inner_names.chain(path_names).collect();
    let value_path = format_path(&path, &convert_error.reversed_path);
    let problem = match convert_error.kind {
        ConvertErrorKind::WrongType(EDIT_VALUE_DESCRIPTION) => {
            Problem::error(Code::EditOutsidePatch, format!("{value_path} is an edit"))
                .expected("`add`, `drop` and `wrap` only inside `patch.kind \"id\" { … }`")
        }
        error_kind => {
            let expected =
                "booleans, numbers, texts, functions, and tables of them with keys 1..n or names";
            let hint = matches!(error_kind, ConvertErrorKind::WrongType(TABLE_WITH_METATABLE))
                .then_some(HINT_PLAIN_TABLE);
            match describe_convert_error(&value_path, error_kind, expected) {
                Ok(problem) => problem.with_optional_hint(hint),
                Err(lua_error) => return lua_error,
            }
        }
    };
    problem.at(host.sources.locate_field(&host.place_of_caller(lua), &steps)).into_lua_err()
}

/// The number of a value, if it is one. mlua has separate variants for whole numbers and fractions.
pub(super) fn number_of_value(value: &Value) -> Option<f64> {
    value.as_f64().or_else(|| value.as_i64().map(|int| int as f64))
}
