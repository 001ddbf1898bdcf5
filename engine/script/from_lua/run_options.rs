//! `options`: what the player chose when the run began, as every mod reads it during the run.

use mlua::ExternalError as _;
use mlua::ExternalResult as _;
use std::rc::Rc;

use mlua::{Lua, Table, Value as LuaValue};

use super::host_fn::HostFnRegistry;
use crate::diagnostics::host_explanation::HostExplanation as _;
use crate::host::Host;
use crate::host::phase::Availability;
use crate::source_text::describe_value::shortened_name;
use crate::values::plain_data;
use base::problem::{describe_alternatives, nearest_name, searched_part};
use base::{Code, Problem};
use content::{Definition, Registry};

pub(super) fn register(api: &mut HostFnRegistry<'_>) -> mlua::Result<()> {
    let table = create_options(api.lua, api.host)?;
    api.register_value(
        ("options", Availability::Reading),
        "{ [string]: any }",
        "The options of the run, of the game and of all mods, by name; read-only.",
        table,
    )
}

fn create_options(lua: &Lua, host: &Rc<Host>) -> mlua::Result<Table> {
    let index_function =
        host.create_typed_function(lua, |host, lua, (_, key): (LuaValue, LuaValue)| {
            match key.as_string().filter(|_| !host.is_compiling.get()) {
                Some(name) => read_option(lua, host, &shortened_name(name)),
                None => Ok(LuaValue::Nil),
            }
        })?;
    let write_function = host.create_typed_function(
        lua,
        |_, _, _: (LuaValue, LuaValue, LuaValue)| -> mlua::Result<()> {
            Err(option_write_problem("an option of the run").into_lua_err())
        },
    )?;
    let metatable = lua.create_table()?;
    metatable.raw_set("__index", index_function)?;
    metatable.raw_set("__newindex", write_function)?;
    metatable.raw_set("__metatable", false)?;
    metatable.set_readonly(true);
    let table = lua.create_table()?;
    table.set_metatable(Some(metatable))?;
    Ok(table)
}

/// The Problem of a write to an option.
pub fn option_write_problem(target: &str) -> Problem {
    Problem::error(Code::ReadOnly, format!("{target} was written to"))
        .expected("only reads: options stay as they were chosen")
        .hint("keep data that changes in `state`")
}

/// The chosen value of a declared option, or its default: a mod may join a run that began without
/// it.
fn read_option(lua: &Lua, host: &Rc<Host>, name: &str) -> mlua::Result<LuaValue> {
    host.check_function_allowed(Availability::Reading, "options").into_lua_err()?;
    if let Some(value) = host.call_context.world.borrow().run_options().get(name) {
        return plain_data::plain_value_to_lua(lua, value, true);
    }
    let declared = find_option(host.registry(), name);
    match declared.and_then(content::option_default) {
        Some(value) => plain_data::plain_value_to_lua(lua, &value, true),
        None => match missing_option_problem(host.registry(), name) {
            Some(problem) => Err(problem.into_lua_err()),
            None => Ok(LuaValue::Nil),
        },
    }
}

/// The option that scripts and players know by a name.
fn find_option<'r>(registry: &'r Registry, name: &str) -> Option<&'r Definition> {
    registry.active_definitions("option").find(|option| option.id.name() == name)
}

/// The Problem of a name that no option has.
pub(crate) fn missing_option_problem(registry: &Registry, name: &str) -> Option<Problem> {
    if find_option(registry, name).is_some() {
        return None;
    }
    let message = format!("there is no option `{name}`");
    let name = searched_part(name);
    Some(Problem::error(Code::UnknownOption, message).explain_in_host(move |host, problem| {
        let names = || host.registry().active_definitions("option").map(|one| one.id.name());
        let near = nearest_name(&name, names());
        let expected = match names().next() {
            Some(_) => describe_alternatives(&name, names()),
            None => "an option that the game or a mod declares".to_owned(),
        };
        problem.expected(expected).suggest_field("options", near)
    }))
}
