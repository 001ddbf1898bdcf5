//! The functions of `table` for tables of the state. The prelude calls these; for plain tables it
//! uses Luau's own.

use std::rc::Rc;

use mlua::{Function, Lua, Table};

use crate::diagnostics::state_errors::state_error;
use crate::host::Host;
use crate::host::phase::Availability;
use crate::values::plain_data::MixedTablePolicy;
use crate::values::proxy;
use crate::values::proxy::StateProxy;
use base::{Code, Problem, limits};
use luau::{CallError, LuaType, Stack, StackIndex};
use state::{Key, StateError, StoredValue, TableHandle};

/// The first argument after the list.
const FIRST_ARGUMENT_INDEX: StackIndex = 2;
const SECOND_ARGUMENT_INDEX: StackIndex = 3;
const THIRD_ARGUMENT_INDEX: StackIndex = 4;

type PushedCountResult = Result<StackIndex, CallError>;
type ListFunction = fn(&StateList<'_>) -> PushedCountResult;

/// The functions for tables of the state, by their name in `table`.
pub(crate) fn create_state_list_functions(lua: &Lua, host: &Rc<Host>) -> mlua::Result<Table> {
    let sort_function: Function = lua.globals().get::<Table>("table")?.get("sort")?;
    let functions = lua.create_table()?;
    let list_functions: [(&'static str, ListFunction); 7] = [
        ("insert", insert_into_state_list),
        ("remove", remove_from_state_list),
        ("concat", concat_state_list),
        ("find", find_in_state_list),
        ("unpack", unpack_state_list),
        ("clone", clone_state_list),
        ("clear", clear_state_list),
    ];
    let add_function =
        |name: &'static str, list_function: Box<dyn Fn(&StateList<'_>) -> PushedCountResult>| {
            let full_name = format!("table.{name}");
            let function = proxy::create_proxy_function(lua, host, None, move |host, stack| {
                host.check_function_allowed(Availability::Reading, &full_name)?;
                let node = host.table_handle_at(stack, 1)?;
                list_function(&StateList { host, stack, name, node, argument_count: stack.top() })
            })?;
            functions.raw_set(name, function)
        };
    list_functions
        .into_iter()
        .try_for_each(|(name, list_function)| add_function(name, Box::new(list_function)))?;
    add_function("sort", Box::new(move |list| sort_state_list(list, &sort_function)))?;
    Ok(functions)
}

/// A table of the state that was passed to a library function.
struct StateList<'c> {
    host: &'c Rc<Host>,
    stack: Stack<'c>,
    name: &'static str,
    node: TableHandle,
    /// The number of arguments.
    argument_count: StackIndex,
}

impl StateList<'_> {
    fn path(&self) -> String {
        self.host.format_state_path(self.node, None)
    }

    fn state_error(&self, error: &StateError) -> CallError {
        // The path is read before the world may be borrowed again.
        state_error(format!("table.{} of {}", self.name, self.path()), error)
    }

    /// Refuses a write to several entries in read-only code.
    fn check_list_write(&self) -> Result<(), CallError> {
        self.host.execution_mode.check_write(&self.path())?;
        if self.host.write_checks.is_enabled.get() {
            self.host.trace_write(self.node, None);
        }
        Ok(())
    }

    fn len(&self) -> Result<usize, CallError> {
        let length = self.host.call_context.world.borrow().state.list_length(self.node);
        length.map_err(|error| self.state_error(&error))
    }

    /// Charges a walk over the whole list.
    fn charge_list_walk(&self) -> Result<usize, CallError> {
        let length = self.len()?;
        self.host.charge_fuel(length / 8)?;
        Ok(length)
    }

    /// Charges the entries from a position to the end, which move.
    fn charge_moved_entries(&self, end: usize, position: usize) -> Result<(), CallError> {
        self.host.charge_fuel(end.saturating_sub(position) / 8)?;
        Ok(())
    }

    /// The entry at a position.
    fn entry_at(&self, position: usize) -> Result<StoredValue, CallError> {
        let slot =
            self.host.call_context.world.borrow().state.get_by_index(self.node, position as u32);
        slot.map_err(|error| self.state_error(&error))
    }

    /// After a write to one entry, or to several.
    fn update_mirrors_after_write(&self, position: Option<usize>) -> PushedCountResult {
        let top = self.stack.top();
        let key = position.map(|position| {
            self.stack.push_number(position as f64);
            top + 1
        });
        self.host.update_mirrors(self.stack, self.node, key);
        self.stack.set_top(top);
        Ok(0)
    }

    /// A whole number argument with a minimum; `None` for nil.
    fn read_integer_argument(
        &self,
        index: StackIndex,
        min: i64,
        expected: &str,
    ) -> Result<Option<usize>, CallError> {
        let number = self.stack.number(index);
        match self.stack.lua_type(index) {
            LuaType::Nil => Ok(None),
            LuaType::Number if number == number.trunc() && number >= min as f64 => {
                Ok(Some(number as usize))
            }
            _ => Err(self.bad_argument_error(expected)),
        }
    }

    fn read_range(&self, first_index: StackIndex) -> Result<(usize, usize), CallError> {
        let length = self.len()?;
        let read_bound = |index| self.read_integer_argument(index, 0, "positions from 1");
        Ok((
            read_bound(first_index)?.unwrap_or(1).max(1),
            read_bound(first_index + 1)?.unwrap_or(length).min(length),
        ))
    }

    fn bad_argument_error(&self, expected: &str) -> CallError {
        let message = format!("table.{} got a wrong argument", self.name);
        Problem::error(Code::BadArgument, message).expected(expected).into()
    }
}

fn insert_into_state_list(list: &StateList<'_>) -> PushedCountResult {
    let length = list.len()?;
    let wrong_arguments = || list.bad_argument_error("a value, or a position from 1 and a value");
    let (position, value_index) = match list.argument_count {
        FIRST_ARGUMENT_INDEX => (length + 1, FIRST_ARGUMENT_INDEX),
        SECOND_ARGUMENT_INDEX => {
            let position = list.read_integer_argument(
                FIRST_ARGUMENT_INDEX,
                1,
                "a value, or a position from 1 and a value",
            )?;
            (position.ok_or_else(wrong_arguments)?, SECOND_ARGUMENT_INDEX)
        }
        _ => return Err(wrong_arguments()),
    };
    let target =
        list.host.format_state_path(list.node, u32::try_from(position).ok().map(Key::Index));
    list.host.execution_mode.check_write(&target)?;
    let Some(value) = list.host.read_plain_value_at(
        list.stack,
        value_index,
        &target,
        MixedTablePolicy::Reject,
    )?
    else {
        return Err(list.bad_argument_error("a value that is not nil"));
    };
    if list.host.write_checks.is_enabled.get()
        && let Ok(key) = u32::try_from(position).map(Key::Index)
        && let Some(problem) = list.host.check_write(list.node, &key, Some(&value))
    {
        return Err(problem.into());
    }
    list.charge_moved_entries(length + 1, position)?;
    let insert_result = list
        .host
        .call_context
        .world
        .borrow_mut()
        .state
        .insert_into_list(list.node, position, value);
    insert_result.map_err(|error| list.state_error(&error))?;
    list.update_mirrors_after_write((position == length + 1).then_some(position))
}

fn remove_from_state_list(list: &StateList<'_>) -> PushedCountResult {
    let length = list.len()?;
    let position =
        list.read_integer_argument(FIRST_ARGUMENT_INDEX, 0, "a position from 1")?.unwrap_or(length);
    list.check_list_write()?;
    list.charge_moved_entries(length, position)?;
    let remove_result =
        list.host.call_context.world.borrow_mut().state.remove_from_list(list.node, position);
    let removed_value = remove_result.map_err(|error| list.state_error(&error))?;
    list.update_mirrors_after_write((position == length).then_some(position))?;
    match removed_value {
        Some(value) => list.stack.push_plain_data(&value, false),
        None => list.stack.push_nil(),
    }
    Ok(1)
}

fn concat_state_list(list: &StateList<'_>) -> PushedCountResult {
    let separator = match list.stack.lua_type(FIRST_ARGUMENT_INDEX) {
        LuaType::Nil => "",
        LuaType::Text => list
            .stack
            .text(FIRST_ARGUMENT_INDEX)
            .ok_or_else(|| list.bad_argument_error("a text in UTF-8"))?,
        _ => return Err(list.bad_argument_error("a separator text")),
    };
    let (first, last) = list.read_range(SECOND_ARGUMENT_INDEX)?;
    list.charge_list_walk()?;
    let mut joined = String::new();
    for position in first..=last {
        if position > first {
            joined.push_str(separator);
        }
        match list.entry_at(position)? {
            StoredValue::Text(text) => joined.push_str(&text),
            StoredValue::Int(int) => joined.push_str(&int.to_string()),
            StoredValue::Num(num) => joined.push_str(&num.to_string()),
            _ => return Err(list.bad_argument_error("a list of texts and numbers")),
        }
        if joined.len() > limits::MAX_TEXT_BYTES {
            let expected = format!("a text of at most {} bytes", limits::MAX_TEXT_BYTES);
            return Err(list.bad_argument_error(&expected));
        }
    }
    list.stack.push_text(joined);
    Ok(1)
}

fn find_in_state_list(list: &StateList<'_>) -> PushedCountResult {
    let stack = list.stack;
    let number = stack.number(SECOND_ARGUMENT_INDEX);
    let start = if number >= 1.0 && number == number.trunc() { number as usize } else { 1 };
    let table = stack
        .tagged_userdata::<StateProxy>(FIRST_ARGUMENT_INDEX)
        .and_then(|table| list.host.table_handle_of_proxy(table).ok());
    let kind = stack.lua_type(FIRST_ARGUMENT_INDEX);
    let is_same_value = |slot: &StoredValue| match (slot, kind) {
        (StoredValue::Bool(truth), LuaType::Bool) => {
            *truth == stack.is_truthy(FIRST_ARGUMENT_INDEX)
        }
        (StoredValue::Int(int), LuaType::Number) => {
            *int as f64 == stack.number(FIRST_ARGUMENT_INDEX)
        }
        (StoredValue::Num(num), LuaType::Number) => *num == stack.number(FIRST_ARGUMENT_INDEX),
        (StoredValue::Text(text), _) => {
            stack.text_bytes(FIRST_ARGUMENT_INDEX) == Some(text.as_bytes())
        }
        (StoredValue::Table(node), _) => table == Some(*node),
        _ => false,
    };
    let length = list.charge_list_walk()?;
    let world = list.host.call_context.world.borrow();
    let is_match = |position: &usize| {
        world.state.get_ref_by_index(list.node, *position as u32).is_ok_and(is_same_value)
    };
    match (start..=length).find(is_match) {
        Some(position) => stack.push_number(position as f64),
        None => stack.push_nil(),
    }
    Ok(1)
}

fn unpack_state_list(list: &StateList<'_>) -> PushedCountResult {
    let (first, last) = list.read_range(FIRST_ARGUMENT_INDEX)?;
    list.charge_list_walk()?;
    let value_count = StackIndex::try_from((first..=last).count()).unwrap_or(StackIndex::MAX);
    for position in first..=last {
        list.host.push_stored_value(list.stack, &list.entry_at(position)?);
    }
    Ok(value_count)
}

fn clone_state_list(list: &StateList<'_>) -> PushedCountResult {
    list.stack.push_table(0, 0);
    let (new_table, mut last_key) = (list.stack.top(), None);
    loop {
        let entry =
            list.host.call_context.world.borrow().state.next_entry(list.node, last_key.as_ref());
        let Some((key, slot)) = entry.map_err(|error| list.state_error(&error))? else {
            return Ok(1);
        };
        match &key {
            Key::Index(position) => list.stack.push_number(f64::from(*position)),
            Key::Text(name) => list.stack.push_text(&**name),
        }
        list.host.push_stored_value(list.stack, &slot);
        list.stack.raw_set(new_table);
        last_key = Some(key);
    }
}

fn clear_state_list(list: &StateList<'_>) -> PushedCountResult {
    list.check_list_write()?;
    let clear_result = (|| {
        let state = &mut list.host.call_context.world.borrow_mut().state;
        while let Ok(length @ 1..) = state.list_length(list.node) {
            state.remove_from_list(list.node, length)?;
        }
        while let Some((key, _)) = state.next_entry(list.node, None)? {
            state.set(list.node, key, None)?;
        }
        Ok(())
    })();
    list.update_mirrors_after_write(None)?;
    clear_result.map(|()| 0).map_err(|error| list.state_error(&error))
}

/// Sorts the values outside the state and writes them back. Tables in the list are new ones
/// afterwards: proxies of the old ones are stale.
fn sort_state_list(list: &StateList<'_>, sort_function: &Function) -> PushedCountResult {
    let (stack, name) = (list.stack, list.path());
    list.check_list_write()?;
    let length = list.charge_list_walk()?;
    stack.set_top(FIRST_ARGUMENT_INDEX);
    stack.push_table(length, 0);
    for position in 1..=length {
        list.host.push_stored_value(stack, &list.entry_at(position)?);
        stack.raw_set_at(SECOND_ARGUMENT_INDEX, position as StackIndex);
    }
    list.host.charge_fuel(length)?;
    stack.push_value(&list.host.lua(), sort_function)?;
    stack.push_copy(SECOND_ARGUMENT_INDEX);
    stack.push_copy(FIRST_ARGUMENT_INDEX);
    stack.call(2, 0);
    let mut sorted_values = Vec::with_capacity(length);
    for position in 1..=length {
        stack.raw_get_at(SECOND_ARGUMENT_INDEX, position as StackIndex);
        sorted_values.extend(list.host.read_plain_value_at(
            stack,
            THIRD_ARGUMENT_INDEX,
            &name,
            MixedTablePolicy::Reject,
        )?);
        stack.set_top(SECOND_ARGUMENT_INDEX);
    }
    let write_result = (1..).zip(sorted_values).try_for_each(|(position, value)| {
        list.host.call_context.world.borrow_mut().state.set_by_index(
            list.node,
            position,
            Some(value),
        )
    });
    list.update_mirrors_after_write(None)?;
    write_result.map(|()| 0).map_err(|error| state_error(&name, &error))
}
