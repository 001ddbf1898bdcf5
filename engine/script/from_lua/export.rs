//! `export` and `export_builder`: names that a mod shares with itself and with the mods that need
//! it, usually in a module: `export("fight.harm", …)` is called as `fight.harm(3)`.

use mlua::ExternalError as _;
use std::rc::Rc;

use mlua::{Lua, Table, Value};

use super::definition;
use super::host_fn::{HostCall, HostFnRegistry, host_fn};
use crate::diagnostics::missing_names;
use crate::host::Host;
use crate::host::export_overrides;
use crate::source_text::describe_value::describe_lua_value;
use base::{Code, Problem, id::check_id_part};
use content::{ChangeKind, DefinitionChange, EXPORT_KIND};

pub(super) fn register(api: &mut HostFnRegistry<'_>) -> mlua::Result<()> {
    host_fn!(
        api, Loading "export"(name: String, work: Value as "(...any) -> ...any") -> "()",
        "Shares a function under a name that this mod and the mods that need it see: `\"module.name\"`.",
        |call| export_function(call, &name, work, false)
    )?;
    host_fn!(
        api, Loading "export_builder"(name: String, work: Value as "(...any) -> ...any") -> "()",
        "The same for a function that is called while loading, to build definitions.",
        |call| export_function(call, &name, work, true)
    )
}

fn export_function(
    call: &HostCall<'_>,
    name: &str,
    value: Value,
    is_builder: bool,
) -> mlua::Result<()> {
    let (host, function_name, lua) = (call.host, call.name, call.lua());
    host.load_state.has_side_effects.set(true);
    let (module, name_in_module) = name.split_once('.').unwrap_or((name, name));
    if let Some(reason) =
        [module, name_in_module].into_iter().find_map(|part| check_id_part(part).err())
    {
        let problem =
            Problem::error(Code::BadName, format!("{function_name} \"{name}\": {reason}"));
        let problem = problem.expected("a name in a module, such as \"fight.harm\"");
        let flat_name = name_in_module
            .contains('.')
            .then(|| format!("{module}.{}", name_in_module.replace('.', "_")));
        let hint =
            flat_name.map(|flat_name| format!("modules cannot be nested: write {flat_name:?}"));
        return Err(problem.with_optional_hint(hint).into_lua_err());
    }
    let Value::Function(function) = value else {
        let message = format!("{function_name} \"{name}\" got {}", describe_lua_value(&value));
        return Err(Problem::error(Code::BadArgument, message)
            .expected("a function")
            .into_lua_err());
    };
    let place = host.place_of_caller(&lua);
    let id = format!("{}:{name}", place.owner);
    if is_builder {
        host.export_overrides.add_export_builder(&id);
    }
    let shared_function = host.wrap_shared_export(&lua, &id, function.clone())?;
    let module_creator = |module: &str| create_module(&lua, host, module);
    if let Some(problem) = host.environments.share_name(
        place.clone(),
        name,
        Value::Function(shared_function),
        module_creator,
    )? {
        return Err(problem.into_lua_err());
    }
    let change_kind =
        ChangeKind::Declare(Some(export_overrides::export_datum(host.store_function(function))));
    definition::record_change(host, DefinitionChange::new(EXPORT_KIND, name, place, change_kind));
    Ok(())
}

/// Creates an empty module. Reading a missing name from it is a Problem.
fn create_module(lua: &Lua, host: &Rc<Host>, module: &str) -> mlua::Result<Table> {
    let name = module.to_owned();
    let report_missing = move |host: &Rc<Host>, lua: &Lua, key: &str| {
        missing_names::not_exported_problem(host, &host.calling_mod(lua), &name, key)
    };
    let table: Table = lua.create_table()?;
    table.set_metatable(Some(missing_names::missing_key_metatable(lua, host, report_missing)?))?;
    table.set_readonly(true);
    Ok(table)
}
