//! `patch`, `settle_conflict`, `replace`, `retire`: recorded changes of definitions. `add`, `drop`,
//! `wrap`: edits of a field in a patch.

use mlua::ExternalError as _;
use mlua::ExternalResult as _;
use std::collections::BTreeMap;
use std::rc::Rc;
use std::sync::Arc;

use mlua::{AnyUserData, Function, Lua, MetaMethod, Table, UserData, UserDataMethods, Value};

use super::datum;
use super::definition::{read_definition_id, record_change};
use super::host_fn::{HostCall, HostFnRegistry, host_fn};
use crate::host::Host;
use crate::host::phase::Availability;
use crate::source_text::describe_value::shortened_name;
use base::{Code, Problem, limits, meter};
use content::{ChangeKind, DefinitionChange, FieldEdit};

/// The value that `add`, `drop` and `wrap` return: an edit for a patch.
pub(super) struct EditValue(FieldEdit);

impl UserData for EditValue {}

/// `patch`, `replace` or `retire`: indexed by a kind, each returns the function that takes an id.
struct ChangeVerbTable {
    name: &'static str,
    host: Rc<Host>,
}

impl UserData for ChangeVerbTable {
    fn add_methods<M: UserDataMethods<Self>>(methods: &mut M) {
        methods.add_meta_method(MetaMethod::Index, |lua, verb, kind: mlua::LuaString| {
            if verb.host.is_compiling.get() {
                return Ok(Value::Nil);
            }
            verb.host
                .check_function_allowed(Availability::Loading, verb.name)
                .map_err(mlua::Error::external)
                .map_err(luau::into_counted_error)?;
            let (name, host, kind) = (verb.name, &verb.host, shortened_name(&kind));
            let id_function = host.create_typed_function(lua, move |host, lua, id: Value| {
                begin_change(lua, host, name, &kind, &id)
            })?;
            Ok(Value::Function(id_function))
        });
    }
}

pub(super) fn register(api: &mut HostFnRegistry<'_>) -> mlua::Result<()> {
    let verbs = [
        (
            "patch",
            "{ [string]: (id: string) -> (changes: any) -> () }",
            "`patch.KIND \"mod:name\" { field = value }` changes fields of a definition. Use `add`, `drop` or `wrap` in place of a value. With `optional = true` the definition may be missing.",
        ),
        (
            "settle_conflict",
            "{ [string]: (id: string) -> (changes: any) -> () }",
            "`settle_conflict.KIND \"mod:name\" { field = value }` settles a conflict between two mods; it belongs in a mod that loads after both.",
        ),
        (
            "replace",
            "{ [string]: (id: string) -> (body: any) -> () }",
            "`replace.KIND \"mod:name\" { … }` replaces a definition.",
        ),
        (
            "retire",
            "{ [string]: (id: string) -> any }",
            "`retire.KIND \"mod:name\"` removes a definition from `all`; references to it still work.",
        ),
    ];
    for (name, luau_type, doc) in verbs {
        let verb = ChangeVerbTable { name, host: api.host.clone() };
        api.register_value((name, Availability::Loading), luau_type, doc, verb)?;
    }
    host_fn!(
        api, Loading "add"(items: Value) -> "any", "In a patch: adds items to a list, or fields to a table.",
        |call| datum::read_datum(&call.lua(), call.host, &items, "add")
            .and_then(|items| create_edit_value(call, FieldEdit::Add(items)))
    )?;
    host_fn!(
        api, Loading "drop"(items: Value) -> "any",
        "In a patch: removes items from a list, or names from a table.",
        |call| datum::read_datum(&call.lua(), call.host, &items, "drop")
            .and_then(|items| create_edit_value(call, FieldEdit::Drop(items)))
    )?;
    host_fn!(
        api, Loading "wrap"(work: Function as "(original: (...any) -> ...any, ...any) -> ...any") -> "any",
        "In a patch: wraps a function. The wrapper gets the original function as its first argument.",
        |call| create_edit_value(call, FieldEdit::Wrap(call.host.store_function(work)))
    )
}

fn create_edit_value(call: &HostCall<'_>, edit: FieldEdit) -> mlua::Result<AnyUserData> {
    call.lua().create_userdata(EditValue(edit))
}

/// Records a change, possibly without a body yet. The returned function takes the body.
fn begin_change(
    lua: &Lua,
    host: &Rc<Host>,
    verb: &'static str,
    kind: &str,
    id: &Value,
) -> mlua::Result<Function> {
    host.check_function_allowed(Availability::Loading, verb).into_lua_err()?;
    let id = read_definition_id(&format!("{verb}.{kind}"), id)?;
    let change_text = format!("{verb}.{kind} \"{id}\"");
    let empty_change = match verb {
        "patch" | "settle_conflict" => ChangeKind::Patch(None),
        "replace" => ChangeKind::Replace(None),
        _ => ChangeKind::Retire,
    };
    let change = DefinitionChange::new(kind, &id, host.place_of_caller(lua), empty_change);
    let change_ref = record_change(
        host,
        DefinitionChange { settles_conflict: verb == "settle_conflict", ..change },
    );
    host.create_typed_function(lua, move |host, lua, value: Value| {
        host.check_function_allowed(Availability::Loading, &change_text).into_lua_err()?;
        let optional = read_optional_flag(&value)?;
        let full_change = match verb {
            "patch" | "settle_conflict" => {
                ChangeKind::Patch(Some(read_edit(lua, host, &value, &change_text, 0)?))
            }
            "replace" => {
                ChangeKind::Replace(Some(datum::read_datum(lua, host, &value, &change_text)?))
            }
            _ => ChangeKind::Retire,
        };
        host.complete_change(change_ref, |change| {
            (change.change_kind, change.is_optional) = (full_change, optional)
        });
        Ok(())
    })
}

/// Reads `optional = true` from a body: it belongs to the change, not to the definition.
fn read_optional_flag(body: &Value) -> mlua::Result<bool> {
    let Value::Table(table) = body else { return Ok(false) };
    let Value::Boolean(optional) = table.raw_get("optional")? else { return Ok(false) };
    table.raw_set("optional", Value::Nil)?;
    Ok(optional)
}

fn read_edit(
    lua: &Lua,
    host: &Host,
    value: &Value,
    path: &str,
    depth: usize,
) -> mlua::Result<FieldEdit> {
    match value {
        Value::UserData(data) if data.is::<EditValue>() => {
            Ok(data.borrow::<EditValue>()?.0.clone())
        }
        // The body of a patch is always read field by field; a nested table only if it contains an
        // edit.
        Value::Table(table) if depth == 0 || contains_edit(table, depth)? => {
            let mut field_edits: BTreeMap<Arc<str>, FieldEdit> = BTreeMap::new();
            meter::count_host_bytes(limits::EDIT_TABLE_HOST_BYTES);
            for pair in table.pairs::<Value, Value>() {
                let (key, item) = pair?;
                let Some(name) = key.as_string().and_then(|key| key.to_str().ok()) else {
                    let problem = Problem::error(
                        Code::BadPatch,
                        format!("{path} has entries without a field name"),
                    )
                    .expected("names of fields, each with its value, `add`, `drop` or `wrap`")
                    .hint("change a list with `add { … }` and `drop { … }`");
                    return Err(problem.into_lua_err());
                };
                let inner_path = format!("{path}.{name}");
                field_edits.insert(
                    Arc::from(&*name),
                    read_edit(lua, host, &item, &inner_path, depth + 1)?,
                );
            }
            Ok(FieldEdit::Nested(field_edits))
        }
        _ => Ok(FieldEdit::Set(datum::read_datum(lua, host, value, path)?)),
    }
}

fn contains_edit(table: &Table, depth: usize) -> mlua::Result<bool> {
    if depth >= limits::MAX_NESTING_DEPTH {
        return Ok(false);
    }
    for pair in table.pairs::<Value, Value>() {
        let has_edit = match pair?.1 {
            Value::UserData(data) => data.is::<EditValue>(),
            Value::Table(inner_table) => contains_edit(&inner_table, depth + 1)?,
            _ => false,
        };
        if has_edit {
            return Ok(true);
        }
    }
    Ok(false)
}
