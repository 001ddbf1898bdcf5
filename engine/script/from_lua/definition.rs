//! The name of a kind, as scripts use it: while loading it declares (`spell "x" { … }`), while
//! playing it reads (`spell["m:x"]`, `spell.x`, `all(spell)`).

use std::rc::Rc;
use std::sync::Arc;

use mlua::{Function, Lua, MetaMethod, Table, UserData, UserDataMethods, UserDataRef, Value};

use super::datum;
use super::tell::found;
use crate::content::{Change, Draft};
use crate::kit::Problem;
use crate::script::host::{Host, Phase};

/// The name of a kind.
pub(super) struct Handle {
    kind: Arc<str>,
    host: Rc<Host>,
}

impl Handle {
    /// The name of that kind.
    pub(super) fn new(kind: &str, host: &Rc<Host>) -> Self {
        Self { kind: Arc::from(kind), host: host.clone() }
    }

    /// Refuses reading while loading: other mods may still change what would be read.
    fn reading(&self, lua: &Lua) -> mlua::Result<()> {
        if self.host.phase.get() == Phase::Playing {
            return Ok(());
        }
        let found = format!("a {} was read while loading", self.kind);
        let problem = Problem::error("not-playing", found)
            .expected("declarations only: definitions are not yet complete")
            .hint("read it inside a function that a run calls, such as a handler");
        Err(self.host.fail(lua, problem))
    }
}

impl UserData for Handle {
    fn add_methods<M: UserDataMethods<Self>>(methods: &mut M) {
        methods.add_meta_method(MetaMethod::Call, |lua, handle, id: Value| {
            handle.host.loading(lua, &handle.kind)?;
            open(lua, &handle.host, &handle.kind, &id)
        });
        methods.add_meta_method(MetaMethod::Index, |lua, handle, id: Value| {
            handle.reading(lua)?;
            match id.as_string().and_then(|id| id.to_str().ok()) {
                Some(id) => handle.host.find_definition(lua, &handle.kind, &id),
                None => {
                    let given = format!("a {} is asked for by {}", handle.kind, found(&id));
                    let problem = Problem::error("bad-argument", given).expected("an id, a text");
                    Err(handle.host.fail(lua, problem))
                }
            }
        });
        methods.add_meta_method(MetaMethod::ToString, |_, handle, ()| Ok(handle.kind.to_string()));
    }
}

/// Puts the host's own kinds and `all` into the base.
pub(super) fn declare(lua: &Lua, host: &Rc<Host>, base: &Table) -> mlua::Result<()> {
    for kind in Draft::new().kinds() {
        base.set(&*kind.name, Handle::new(&kind.name, host))?;
    }
    let owner = host.clone();
    let all = lua.create_function(move |lua, kind: Value| {
        owner.playing(lua, "all")?;
        let name = match &kind {
            Value::UserData(data) => {
                let handle: Option<UserDataRef<Handle>> = data.borrow().ok();
                handle.map(|handle| handle.kind.clone())
            }
            Value::String(name) => Some(Arc::from(name.to_string_lossy())),
            _ => None,
        };
        let list = name.and_then(|name| owner.all_of(&name));
        list.ok_or_else(|| {
            let problem = Problem::error("bad-argument", "`all` was not given a kind")
                .expected("the name of a kind, such as `all(scene)`");
            owner.fail(lua, problem)
        })
    })?;
    base.set("all", all)
}

/// Begins a definition; the function that is returned takes its body.
fn open(lua: &Lua, host: &Rc<Host>, kind: &str, id: &Value) -> mlua::Result<Function> {
    let id = id_of(lua, host, kind, id)?;
    let place = host.place_of_caller(lua);
    let declare = Change::Declare { kind: kind.to_owned(), id: id.clone(), body: None, place };
    let index = record(host, declare);
    let (host, what) = (host.clone(), format!("{kind} \"{id}\""));
    lua.create_function(move |lua, value: Value| {
        host.loading(lua, &what)?;
        let datum = datum::read(lua, &host, &value, &what)?;
        if let Change::Declare { body, .. } = &mut host.changes.borrow_mut()[index] {
            *body = Some(datum);
        }
        Ok(())
    })
}

/// Writes down what a mod says, and where it stands, so that a body can follow.
pub(super) fn record(host: &Host, change: Change) -> usize {
    let mut changes = host.changes.borrow_mut();
    changes.push(change);
    changes.len() - 1
}

/// The id that a script wrote.
pub(super) fn id_of(lua: &Lua, host: &Host, kind: &str, id: &Value) -> mlua::Result<String> {
    if let Some(id) = id.as_string() {
        return Ok(id.to_string_lossy());
    }
    let problem = Problem::error("bad-argument", format!("`{kind}` was given {}", found(id)))
        .expected(format!("an id first: `{kind} \"name\" …`"));
    Err(host.fail(lua, problem))
}
