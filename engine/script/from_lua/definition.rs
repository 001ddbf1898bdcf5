//! Kinds as scripts use them: while loading they declare (`spell "x" { … }`), in play they read
//! (`spell["m:x"]`, `spell.x`, `all(spell)`).

use std::rc::Rc;
use std::sync::Arc;

use mlua::{AnyUserData, Function, Lua, Table, Value};

use super::datum;
use crate::content::{Change, Draft, Verb};
use crate::kit::problem::nearest;
use crate::kit::{Problem, meter};
use crate::luau;
use crate::script::host::{Host, KindName};
use crate::script::phase::Phase;
use crate::script::phase::When;
use crate::script::row::{Api, row};
use crate::script::words::found;

/// Approximate bytes of a declaration, without its values.
const CHANGE_BYTES: usize = 1536;

/// Creates the handle of a kind. Definitions by full id are in a table that is filled after loading
/// (`definitions`); other keys are looked up here.
pub(super) fn handle(lua: &Lua, host: &Rc<Host>, kind: &str) -> mlua::Result<AnyUserData> {
    let kind: Arc<str> = Arc::from(kind);
    let ready = lua.create_table()?;
    let below = lua.create_table()?;
    let name = kind.clone();
    let read = host.lookup(lua, move |host, lua, (_, id): (Value, Value)| {
        // Luau resolves names ahead of time; nil here means: ask again at run time.
        if host.compiling.get() {
            return Ok(Value::Nil);
        }
        reading(host, &name)?;
        match id.as_string().and_then(|id| id.to_str().ok()) {
            Some(id) => host.find_definition(lua, &name, &id).map(Value::Table),
            None => {
                let given = format!("a {name} is read with the key {}", found(&id));
                let problem =
                    Problem::error("bad-argument", given).expected("an id, which is a text");
                Err(problem.into())
            }
        }
    })?;
    below.raw_set("__index", read)?;
    ready.set_metatable(Some(below))?;
    let meta = lua.create_table()?;
    meta.raw_set("__index", &ready)?;
    let name = kind.clone();
    let call = host.function(lua, move |host, lua, (_, id): (Value, Value)| {
        host.allows(When::Loading, &name)?;
        open(lua, host, &name, &id)
    })?;
    meta.raw_set("__call", call)?;
    let name = kind.clone();
    meta.raw_set("__tostring", host.function(lua, move |_, _, ()| Ok(name.to_string()))?)?;
    meta.raw_set("__metatable", false)?;
    meta.set_readonly(true);
    let handle = luau::blank(lua, &meta)?;
    host.made.names.borrow_mut().push(KindName { kind, handle: handle.clone(), found: ready });
    Ok(handle)
}

/// Refuses reads while loading: other mods may still change the definitions.
fn reading(host: &Host, kind: &str) -> mlua::Result<()> {
    if host.now.phase.get() == Phase::Playing {
        return Ok(());
    }
    let problem = Problem::error("not-playing", format!("a {kind} was read while loading"))
        .expected("declarations only: definitions are not complete yet")
        .hint("read it inside a function that runs in play, such as a handler");
    Err(problem.into())
}

/// Registers the host's own kinds and `all`.
pub(super) fn declare(api: &mut Api<'_>) -> mlua::Result<()> {
    for kind in Draft::new().kinds() {
        api.base.set(&*kind.name, handle(api.lua, api.host, &kind.name)?)?;
    }
    row!(
        api, Looking "all"(kind: Value) -> "{ any }",
        "All definitions of a kind in the order of declaration, without retired ones.",
        |call| all(call.host, &kind)
    )
}

fn all(host: &Host, kind: &Value) -> mlua::Result<Table> {
    let name = match kind {
        Value::UserData(data) => {
            let names = host.made.names.borrow();
            let named = names.iter().find(|one| one.handle.to_pointer() == data.to_pointer());
            named.map(|one| one.kind.clone())
        }
        Value::String(name) => Some(Arc::from(name.to_string_lossy())),
        _ => None,
    };
    let list = name.map_or(Ok(None), |name| host.all_of(&name))?;
    list.ok_or_else(|| {
        let given = match kind {
            Value::String(name) => {
                format!("`all` got {:?}, which is not a kind", name.to_string_lossy())
            }
            _ => "`all` did not get a kind".to_owned(),
        };
        let problem = Problem::error("bad-argument", given);
        let problem = problem.expected("the name of a kind, such as `all(scene)`");
        let Value::String(name) = kind else { return problem.into() };
        let kinds = host.registry().kinds().map(|kind| &*kind.name);
        problem.did_you_mean(nearest(&name.to_string_lossy(), kinds)).into()
    })
}

/// Begins a definition. The returned function takes its body.
fn open(lua: &Lua, host: &Rc<Host>, kind: &str, id: &Value) -> mlua::Result<Function> {
    let id = id_of(kind, id)?;
    let place = host.place_of_caller(lua);
    let at = record(host, Change::new(kind, &id, place, Verb::Declare(None)));
    let what = format!("{kind} \"{id}\"");
    host.function(lua, move |host, lua, value: Value| {
        host.allows(When::Loading, &what)?;
        let datum = datum::read(lua, host, &value, &what)?;
        host.amend(at, |change| change.verb = Verb::Declare(Some(datum)));
        Ok(())
    })
}

/// Records a change of a definition and returns its index, so that a body can follow.
pub(super) fn record(host: &Host, change: Change) -> Spoken {
    meter::keep(CHANGE_BYTES);
    let mut changes = host.heard.changes.borrow_mut();
    changes.push(change);
    Spoken { run: host.functions.borrow().now(), at: changes.len() - 1 }
}

/// A reference to a recorded change: the run of the file and the index.
#[derive(Clone, Copy)]
pub(super) struct Spoken {
    run: u32,
    at: usize,
}

impl Host {
    /// Completes a recorded change. A file that completes a change of another file has side
    /// effects.
    pub(super) fn amend(&self, spoken: Spoken, work: impl FnOnce(&mut Change)) {
        if spoken.run == self.functions.borrow().now() {
            return work(&mut self.heard.changes.borrow_mut()[spoken.at]);
        }
        self.heard.loud.set(true);
        if let Some(changes) = self.heard.open.borrow_mut().get_mut(&spoken.run) {
            work(&mut changes[spoken.at]);
        }
    }
}

/// Reads the id that a script wrote.
pub(super) fn id_of(kind: &str, id: &Value) -> mlua::Result<String> {
    if let Some(id) = id.as_string() {
        return Ok(id.to_string_lossy());
    }
    let problem = Problem::error("bad-argument", format!("`{kind}` got {}", found(id)))
        .expected(format!("an id first: `{kind} \"name\" …`"));
    Err(problem.into())
}
