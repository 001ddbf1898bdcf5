//! `patch`, `resolve`, `replace`, `retire`: recorded changes of definitions. `add`, `drop`, `wrap`:
//! edits of a field in a patch.

use std::collections::BTreeMap;
use std::rc::Rc;
use std::sync::Arc;

use mlua::{AnyUserData, Function, Lua, MetaMethod, Table, UserData, UserDataMethods, Value};

use super::datum;
use super::definition::{id_of, record};
use crate::content::{Change, Edit, Verb};
use crate::kit::{Problem, limits, meter};
use crate::script::host::Host;
use crate::script::phase::When;
use crate::script::row::{Api, Call, row};

/// The value that `add`, `drop` and `wrap` return: an edit for a patch.
pub(super) struct Mark(Edit);

impl UserData for Mark {}

/// `patch`, `replace` or `retire`: indexed by a kind, each returns the function that takes an id.
struct VerbTable {
    name: &'static str,
    host: Rc<Host>,
}

impl UserData for VerbTable {
    fn add_methods<M: UserDataMethods<Self>>(methods: &mut M) {
        methods.add_meta_method(MetaMethod::Index, |lua, verb, kind: String| {
            if verb.host.compiling.get() {
                return Ok(Value::Nil);
            }
            verb.host.allows(When::Loading, verb.name)?;
            let (name, host) = (verb.name, &verb.host);
            let take =
                host.function(lua, move |host, lua, id: Value| open(lua, host, name, &kind, &id))?;
            Ok(Value::Function(take))
        });
    }
}

pub(super) fn declare(api: &mut Api<'_>) -> mlua::Result<()> {
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
    for (name, gives, doc) in verbs {
        let verb = VerbTable { name, host: api.host.clone() };
        api.value((name, When::Loading), gives, doc, verb)?;
    }
    row!(
        api, Loading "add"(items: Value) -> "any", "In a patch: adds items to a list, or fields to a table.",
        |call| datum::read(&call.lua(), call.host, &items, "add")
            .and_then(|items| mark(call, Edit::Add(items)))
    )?;
    row!(
        api, Loading "drop"(items: Value) -> "any",
        "In a patch: removes items from a list, or names from a table.",
        |call| datum::read(&call.lua(), call.host, &items, "drop")
            .and_then(|items| mark(call, Edit::Drop(items)))
    )?;
    row!(
        api, Loading "wrap"(work: Function as "(original: (...any) -> ...any, ...any) -> ...any") -> "any",
        "In a patch: wraps a function. The wrapper gets the original function as its first argument.",
        |call| mark(call, Edit::Wrap(call.host.keep(work)))
    )
}

fn mark(call: &Call<'_>, edit: Edit) -> mlua::Result<AnyUserData> {
    call.lua().create_userdata(Mark(edit))
}

/// Records a change, possibly without a body yet. The returned function takes the body.
fn open(
    lua: &Lua,
    host: &Rc<Host>,
    verb: &'static str,
    kind: &str,
    id: &Value,
) -> mlua::Result<Function> {
    host.allows(When::Loading, verb)?;
    let id = id_of(&format!("{verb}.{kind}"), id)?;
    let what = format!("{verb}.{kind} \"{id}\"");
    let open = match verb {
        "patch" | "settle_conflict" => Verb::Patch(None),
        "replace" => Verb::Replace(None),
        _ => Verb::Retire,
    };
    let change = Change::new(kind, &id, host.place_of_caller(lua), open);
    let at = record(host, Change { resolves: verb == "settle_conflict", ..change });
    host.function(lua, move |host, lua, value: Value| {
        host.allows(When::Loading, &what)?;
        let optional = take_optional(&value)?;
        let said = match verb {
            "patch" | "settle_conflict" => {
                Verb::Patch(Some(read_edit(lua, host, &value, &what, 0)?))
            }
            "replace" => Verb::Replace(Some(datum::read(lua, host, &value, &what)?)),
            _ => Verb::Retire,
        };
        host.amend(at, |change| (change.verb, change.optional) = (said, optional));
        Ok(())
    })
}

/// Reads `optional = true` from a body: it belongs to the change, not to the definition.
fn take_optional(body: &Value) -> mlua::Result<bool> {
    let Value::Table(table) = body else { return Ok(false) };
    let Value::Boolean(optional) = table.raw_get("optional")? else { return Ok(false) };
    table.raw_set("optional", Value::Nil)?;
    Ok(optional)
}

/// Approximate bytes of a table of edits.
const EDIT_BYTES: usize = 2048;

fn read_edit(
    lua: &Lua,
    host: &Host,
    value: &Value,
    path: &str,
    depth: usize,
) -> mlua::Result<Edit> {
    match value {
        Value::UserData(data) if data.is::<Mark>() => Ok(data.borrow::<Mark>()?.0.clone()),
        // The body of a patch is always read field by field; a nested table only if it contains an
        // edit.
        Value::Table(table) if depth == 0 || holds_edit(table, depth)? => {
            let mut inside: BTreeMap<Arc<str>, Edit> = BTreeMap::new();
            meter::keep(EDIT_BYTES);
            for pair in table.pairs::<Value, Value>() {
                let (key, item) = pair?;
                let Some(name) = key.as_string().and_then(|key| key.to_str().ok()) else {
                    let problem = Problem::error("bad-patch", format!("{path} has no names"))
                        .expected("names of fields, each with its value, `add`, `drop` or `wrap`")
                        .hint("change a list with `add { … }` and `drop { … }`");
                    return Err(problem.into());
                };
                let inner = format!("{path}.{name}");
                inside.insert(Arc::from(&*name), read_edit(lua, host, &item, &inner, depth + 1)?);
            }
            Ok(Edit::Inside(inside))
        }
        _ => Ok(Edit::Set(datum::read(lua, host, value, path)?)),
    }
}

fn holds_edit(table: &Table, depth: usize) -> mlua::Result<bool> {
    if depth >= limits::DEPTH {
        return Ok(false);
    }
    for pair in table.pairs::<Value, Value>() {
        let found = match pair?.1 {
            Value::UserData(data) => data.is::<Mark>(),
            Value::Table(inner) => holds_edit(&inner, depth + 1)?,
            _ => false,
        };
        if found {
            return Ok(true);
        }
    }
    Ok(false)
}
