//! `patch`, `replace`, `retire`: recorded changes to definitions; `add`, `drop`, `wrap`: what a
//! patch does to a field other than setting it.

use std::collections::BTreeMap;
use std::rc::Rc;
use std::sync::Arc;

use mlua::{Function, Lua, MetaMethod, Table, UserData, UserDataMethods, Value};

use super::datum;
use super::definition::{id_of, record};
use crate::content::{Change, Edit};
use crate::kit::{Place, Problem, limits};
use crate::script::{fuel, host::Host};

/// What `add`, `drop` and `wrap` give back: an edit on its way into a patch.
pub(super) struct Mark(Edit);

impl UserData for Mark {}

/// `patch`, `replace` or `retire`: asked for a kind, each gives the function that takes an id.
struct Verb {
    name: &'static str,
    host: Rc<Host>,
}

impl UserData for Verb {
    fn add_methods<M: UserDataMethods<Self>>(methods: &mut M) {
        methods.add_meta_method(MetaMethod::Index, |lua, verb, kind: String| {
            if verb.host.compiling.get() {
                return Ok(Value::Nil);
            }
            verb.host.loading(lua, verb.name)?;
            let (name, host) = (verb.name, verb.host.clone());
            let take =
                lua.create_function(move |lua, id: Value| open(lua, &host, name, &kind, &id))?;
            Ok(Value::Function(take))
        });
    }
}

/// Puts the names of this topic into the base.
pub(super) fn declare(lua: &Lua, host: &Rc<Host>, base: &Table) -> mlua::Result<()> {
    for name in ["patch", "replace", "retire"] {
        base.set(name, Verb { name, host: host.clone() })?;
    }
    let owner = host.clone();
    let wrap = lua.create_function(move |lua, function: Function| {
        owner.loading(lua, "wrap")?;
        Ok(Mark(Edit::Wrap(owner.keep(function))))
    })?;
    base.set("wrap", wrap)?;
    let owner = host.clone();
    let add = lua.create_function(move |lua, items: Value| {
        owner.loading(lua, "add")?;
        Ok(Mark(Edit::Add(datum::read(lua, &owner, &items, "add")?)))
    })?;
    base.set("add", add)?;
    let owner = host.clone();
    let drop = lua.create_function(move |lua, items: Value| {
        owner.loading(lua, "drop")?;
        Ok(Mark(Edit::Drop(datum::read(lua, &owner, &items, "drop")?)))
    })?;
    base.set("drop", drop)
}

/// Records a change that may still be without a body; the function that is returned takes it.
fn open(
    lua: &Lua,
    host: &Rc<Host>,
    verb: &'static str,
    kind: &str,
    id: &Value,
) -> mlua::Result<Function> {
    host.loading(lua, verb)?;
    let id = id_of(lua, host, &format!("{verb}.{kind}"), id)?;
    let what = format!("{verb}.{kind} \"{id}\"");
    let at = record(host, bare(verb, kind.to_owned(), id, host.place_of_caller(lua)));
    let host = host.clone();
    lua.create_function(move |lua, value: Value| {
        host.loading(lua, &what)?;
        let may_be_absent = take_optional(&value)?;
        let (mut new_edit, mut new_body) = (None, None);
        match verb {
            "patch" => new_edit = Some(read_edit(lua, &host, &value, &what, 0)?),
            "replace" => new_body = Some(datum::read(lua, &host, &value, &what)?),
            _ => {}
        }
        host.amend(at, |change| match change {
            Change::Patch { edit, optional, .. } => (*edit, *optional) = (new_edit, may_be_absent),
            Change::Replace { body, optional, .. } => {
                (*body, *optional) = (new_body, may_be_absent)
            }
            Change::Retire { optional, .. } => *optional = may_be_absent,
            Change::Declare { .. } => {}
        });
        Ok(())
    })
}

fn bare(verb: &str, kind: String, id: String, place: Place) -> Change {
    match verb {
        "patch" => Change::Patch { kind, id, edit: None, optional: false, place },
        "replace" => Change::Replace { kind, id, body: None, optional: false, place },
        _ => Change::Retire { kind, id, optional: false, place },
    }
}

/// Takes `optional = true` out of a body: it is said of the change, not of the definition.
fn take_optional(body: &Value) -> mlua::Result<bool> {
    let Value::Table(table) = body else { return Ok(false) };
    let Value::Boolean(optional) = table.raw_get("optional")? else { return Ok(false) };
    table.raw_set("optional", Value::Nil)?;
    Ok(optional)
}

/// About what a table of edits takes.
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
        // The body of a patch is always read field by field; below, a table is only if it holds
        // an edit.
        Value::Table(table) if depth == 0 || holds_edit(table, depth)? => {
            let mut inside: BTreeMap<Arc<str>, Edit> = BTreeMap::new();
            fuel::hold(EDIT_BYTES);
            for pair in table.pairs::<Value, Value>() {
                let (key, item) = pair?;
                let Some(name) = key.as_string().and_then(|key| key.to_str().ok()) else {
                    let problem = Problem::error("bad-patch", format!("{path} has no names"))
                        .expected("names of fields, each with its value, `add`, `drop` or `wrap`")
                        .hint("change a list through `add { … }` and `drop { … }`");
                    return Err(host.fail(lua, problem));
                };
                let inner = datum::below(path, &name);
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
