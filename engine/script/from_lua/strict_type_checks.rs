//! Checks events against their declarations: the changes of a `before` hook, and in strict mode
//! each emitted event.

use std::rc::Rc;

use mlua::{Function, Lua, Value as LuaValue};

use super::event_snapshot::EventChange;
use super::host_fn::HostCall;
use crate::functions::runtime_type_checker::{EVENT_MISMATCH_CODES, FieldMismatch};
use crate::host::Host;
use crate::source_text::describe_value::{describe_lua_type, describe_lua_value, shortened_name};
use base::problem::searched_part;
use base::{Code, Problem, SourceLocation};
use content::{Field, FieldList, FieldType, FirstParameter, FunctionSchema, Kind as Declared};
use luau::{LuaType, Stack, StackIndex};

/// Whether the values at two stack indices have the same Lua type. Proxies count as tables.
pub(super) fn is_same_lua_kind(stack: Stack<'_>, one: StackIndex, other: StackIndex) -> bool {
    let sort = |at| match stack.lua_type(at) {
        LuaType::Userdata => LuaType::Table,
        kind => kind,
    };
    sort(one) == sort(other)
}

/// The Problem of a hook's change that does not match the declaration.
pub(super) fn check_hook_change(
    host: &Host,
    stack: Stack<'_>,
    event_kind: &Declared,
    left: &EventChange,
) -> Option<Problem> {
    let (key, now) = match *left {
        EventChange::ValueChanged { key, new_value: now } => (key, now),
        EventChange::ListResized { key, .. } | EventChange::KeyAdded { key } => (key, key + 1),
    };
    // A key that is not a text is not a field.
    let name = stack.text_bytes(key)?;
    let field = event_kind.fields.iter().find(|field| field.name.as_bytes() == name);
    let misfit = match (field, left) {
        (Some(field), EventChange::ListResized { old_length: from, .. }) => {
            check_added_list_items(host, stack, field, now, *from)?
        }
        (Some(field), _) => host.find_stack_value_mismatch(stack, now, &field.ty, true)?,
        (None, EventChange::KeyAdded { .. }) => {
            let name = stack.text(key)?;
            let cause_text = format!("a before-hook on {:?}", &*event_kind.name);
            return Some(
                undeclared_event_field_problem(event_kind, name, &cause_text)
                    .add_related_location(event_kind.place.clone()),
            );
        }
        (None, _) => return None,
    };
    let cause_text = format!("a before-hook on {:?}", &*event_kind.name);
    let problem = misfit.into_problem(
        EVENT_MISMATCH_CODES,
        &cause_text,
        &format!("event.{}", stack.text(key)?),
    );
    Some(problem.add_related_location(event_kind.place.clone()))
}

/// The Problem of an event that does not match its declaration; `cause_text` names the code that
/// set it. The declaration is looked up by name, because most events have no hooks.
#[cold]
pub(super) fn check_complete_event(
    host: &Host,
    stack: Stack<'_>,
    event: StackIndex,
    name: &str,
    cause_text: &str,
) -> Option<Problem> {
    let moments = host.load_state.declared_events.borrow();
    let event_kind = moments.iter().find(|event_kind| &*event_kind.name == name)?;
    if let Some(problem) = check_event_fields(host, stack, event, event_kind, cause_text) {
        return Some(problem);
    }
    let top = stack.top();
    let missing = event_kind.fields.iter().filter(|field| !field.is_optional).find(|field| {
        stack.push_text(&*field.name);
        let lacks = stack.raw_get(event) == LuaType::Nil;
        stack.set_top(top);
        lacks
    })?;
    let found = format!("{cause_text} leaves the event without `{}`", missing.name);
    let problem = Problem::error(Code::MissingEventField, found)
        .expected(format!("`{}`, {}", missing.name, missing.ty))
        .hint("add it, or declare it `optional = true`");
    Some(problem.add_related_location(event_kind.place.clone()))
}

/// The Problem of a field of an event that does not match the declaration.
fn check_event_fields(
    host: &Host,
    stack: Stack<'_>,
    event: StackIndex,
    event_kind: &Declared,
    cause_text: &str,
) -> Option<Problem> {
    let unknown = |field: &str| undeclared_event_field_problem(event_kind, field, cause_text);
    let problem =
        check_table_fields(host, stack, (event, &event_kind.fields), cause_text, &unknown)?;
    Some(problem.add_related_location(event_kind.place.clone()))
}

/// The Problem of a table that does not match these fields.
fn check_table_fields(
    host: &Host,
    stack: Stack<'_>,
    (table, fields): (StackIndex, &[Field]),
    cause_text: &str,
    unknown: &dyn Fn(&str) -> Problem,
) -> Option<Problem> {
    let top = stack.top();
    let mut next = stack.push_next_entry(table, 0);
    while next >= 0 {
        let problem = stack.text(top + 1).and_then(|name| {
            match fields.iter().find(|field| &*field.name == name) {
                Some(declared) => {
                    let misfit =
                        host.find_stack_value_mismatch(stack, top + 2, &declared.ty, true)?;
                    Some(misfit.into_problem(
                        EVENT_MISMATCH_CODES,
                        cause_text,
                        &format!("event.{name}"),
                    ))
                }
                None => Some(unknown(name)),
            }
        });
        stack.set_top(top);
        if problem.is_some() {
            return problem;
        }
        next = stack.push_next_entry(table, next);
    }
    None
}

/// Wraps a function of a definition whose kind belongs to another mod. The wrapper checks the
/// changes to the first argument, and the result. The tuple has the schema, the name, the location
/// of the function, and the location of the kind.
pub(crate) fn wrap_with_schema_check(
    lua: &Lua,
    host: &Rc<Host>,
    (work, name, maker, kind): (FunctionSchema, String, SourceLocation, SourceLocation),
    function: Function,
) -> mlua::Result<Function> {
    let host = host.clone();
    luau::create_stack_function(lua, Some(c"work"), function, move |stack| {
        let look = || {
            Some(
                check_first_parameter(&host, stack, 1, work.parameter.as_ref()?, &name)?
                    .at(maker.clone()),
            )
        };
        stack.set_top(stack.top().max(1));
        // An argument that was already wrong is the caller's mistake.
        let was_valid_before =
            stack.lua_type(1) == LuaType::Table && !stack.is_frozen(1) && look().is_none();
        stack.push_copy(1);
        stack.insert(1);
        let arguments = stack.top() - 1;
        stack.push_copy(luau::upvalue_index(1));
        stack.insert(2);
        stack.call(arguments, luau::ALL_RESULTS);
        if let Some(problem) = was_valid_before.then(look).flatten() {
            return Err(problem.into());
        }
        if let Some(gives) = &work.result {
            let lacks = stack.top() < 2 || stack.lua_type(2) == LuaType::Nil;
            let misfit = (!lacks)
                .then(|| host.find_stack_value_mismatch(stack, 2, &gives.ty, true))
                .flatten();
            let found = match misfit {
                Some(misfit) => {
                    Some(misfit.found.unwrap_or_else(|| "a table that does not fit".to_owned()))
                }
                None => (lacks && !gives.is_optional).then(|| "nothing".to_owned()),
            };
            if let Some(found) = found {
                let problem = Problem::error(Code::WrongResult, format!("{name} returned {found}"));
                let or = if gives.is_optional { ", or nothing" } else { "" };
                let problem = problem.at(maker.clone()).expected(format!("{}{or}", gives.ty));
                return Err(problem.add_related_location(kind.clone()).into());
            }
        }
        Ok(stack.top() - 1)
    })
}

/// The Problem of the first argument, as the function changed it.
#[cold]
fn check_first_parameter(
    host: &Host,
    stack: Stack<'_>,
    table: StackIndex,
    parameter_schema: &FirstParameter,
    cause_text: &str,
) -> Option<Problem> {
    match parameter_schema {
        FirstParameter::Fields(fields) => {
            check_table_fields(host, stack, (table, fields), cause_text, &|name| {
                unknown_event_field_problem(fields, name, cause_text)
            })
        }
        FirstParameter::Event(name) => {
            let moments = host.load_state.declared_events.borrow();
            let event_kind = moments.iter().find(|event_kind| event_kind.name == *name)?;
            check_event_fields(host, stack, table, event_kind, cause_text)
        }
    }
}

/// The mismatch of an item that was added to a list.
fn check_added_list_items(
    host: &Host,
    stack: Stack<'_>,
    field: &Field,
    list: StackIndex,
    from: u32,
) -> Option<FieldMismatch> {
    let FieldType::List(one) = &field.ty else {
        return host.find_stack_value_mismatch(stack, list, &field.ty, true);
    };
    let top = stack.top();
    (from as usize + 1..=stack.list_length(list)).find_map(|at| {
        stack.raw_get_at(list, at as StackIndex);
        let misfit = host.find_stack_value_mismatch(stack, top + 1, one, true);
        stack.set_top(top);
        misfit.map(|misfit| misfit.prefix_path(&format!("[{at}]")))
    })
}

/// The Problem of a field that is not declared.
#[cold]
fn unknown_event_field_problem(fields: &FieldList, name: &str, cause_text: &str) -> Problem {
    let found = format!("{cause_text} sets event.{name}, which is not declared");
    let problem = Problem::error(Code::UnknownEventField, found);
    FieldMismatch::of_undeclared_field(fields, name).explain_later(problem)
}

/// The Problem of an undeclared field of an event. Without a similar name, it is probably a new
/// field of a mod.
fn undeclared_event_field_problem(event_kind: &Declared, name: &str, cause_text: &str) -> Problem {
    let problem = unknown_event_field_problem(&event_kind.fields, name, cause_text);
    let (event_name, name) = (event_kind.name.clone(), searched_part(name));
    problem.explain_later(move |problem, _| match problem.hint {
        Some(_) => problem,
        None => problem.hint(format!(
            "to add a field of your own, declare it: `event {:?} {{ {name} = field.any {{ optional = true }} }}`",
            &*event_name
        )),
    })
}

/// The Problem of a before-hook that removed a field or changed its type.
#[cold]
pub(super) fn changed_type_problem(
    call: &HostCall<'_>,
    event_name: &str,
    place: &SourceLocation,
    key: StackIndex,
    new_value_index: StackIndex,
) -> mlua::Result<Problem> {
    let (stack, lua) = (call.stack, call.lua());
    let old_value: LuaValue = stack.read_value(&lua, key + 1)?;
    let new_value: LuaValue = stack.read_value(&lua, new_value_index)?;
    let key = match stack.read_value(&lua, key)? {
        LuaValue::String(name) => shortened_name(&name),
        other => format!("[{}]", describe_lua_value(&other)),
    };
    let message = format!(
        "a before-hook on {event_name:?} changed event.{key} to {}",
        describe_lua_type(&new_value)
    );
    Ok(Problem::error(Code::EventChangedType, message)
        .expected(format!("{}, as the game emitted it", describe_lua_type(&old_value)))
        .hint("a hook may change values, but not remove them or change their type")
        .at(place.clone()))
}
