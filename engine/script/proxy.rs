//! The state as scripts see it: userdata that stand for tables of the tree. Reading gives leaves
//! as they are and tables as further proxies; writing copies what is given into the tree.
//!
//! The same table gives the same proxy within one call into the VM, so that `==` means what it
//! says. A proxy whose table has left the tree, or that was kept past its call, is refused at its
//! next use.
//!
//! What scripts do most, reading and writing leaves, goes by `glance` and `raw` without a detour;
//! whatever is in the way there comes here, is looked at in full, and is told.

use std::cell::RefCell;
use std::fmt;
use std::rc::Rc;

use mlua::Value as LuaValue;
use mlua::{AnyUserData, Function, Lua};

use super::convert::{self, Mixed};
use super::from_lua::state::Profile;
use super::host::{Host, Permit};
use super::shape::LIST_PART;
use super::{fuel, raw};
use crate::kit::{Problem, Value};
use crate::state::{Key, NodeId, Slot, StateError, path_text};

/// Proxies that there is room for at once.
const PROXIES: usize = 128;

/// A table of the state, as a script holds it.
#[derive(Clone, Copy)]
pub(crate) struct Proxy {
    /// The table; `None` for the whole state, which is found anew in each call.
    pub(super) node: Option<NodeId>,
    /// The call that it belongs to.
    pub(super) turn: u64,
}

/// Teaches the VM what may be done with a proxy.
pub(crate) fn register(lua: &Lua, host: &Rc<Host>) -> mlua::Result<()> {
    // Most states have fewer tables than that; theirs are found without a search.
    host.turn.keep_proxies(lua.create_table_with_capacity(PROXIES, 0)?);
    let meta = lua.create_table()?;
    meta.raw_set("__type", "state")?;
    meta.raw_set("__metatable", false)?;
    let shared = host.clone();
    let length = move |lua: &Lua, data: AnyUserData| {
        let node = expect_node(lua, &shared, &data)?;
        let length = shared.world.borrow().state.len(node);
        length.map_err(|error| refused(lua, &shared, "state", &error))
    };
    meta.raw_set("__len", lua.create_function(length)?)?;
    let shared = host.clone();
    let shown = move |lua: &Lua, data: AnyUserData| {
        Ok(name_of(&shared, expect_node(lua, &shared, &data)?, None))
    };
    meta.raw_set("__tostring", lua.create_function(shown)?)?;
    let shared = host.clone();
    let iterate =
        move |lua: &Lua, data: AnyUserData| walk(lua, &shared, expect_node(lua, &shared, &data)?);
    meta.raw_set("__iter", lua.create_function(iterate)?)?;
    let shared = host.clone();
    let read = lua.create_function(move |lua, (data, key): (AnyUserData, LuaValue)| {
        read(lua, &shared, expect_node(lua, &shared, &data)?, &key)
    })?;
    let shared = host.clone();
    let write =
        lua.create_function(move |lua, (data, key, value): (AnyUserData, LuaValue, LuaValue)| {
            write(lua, &shared, expect_node(lua, &shared, &data)?, &key, &value)
        })?;
    raw::teach_proxies(lua, host, &meta, [read, write])
}

/// The proxy of the whole state, which holds for every call.
pub(crate) fn root(lua: &Lua) -> mlua::Result<AnyUserData> {
    raw::proxy(lua, Proxy { node: None, turn: 0 })
}

impl Proxy {
    /// The table that this stands for.
    fn node(self, lua: &Lua, host: &Host) -> mlua::Result<NodeId> {
        match self.node {
            None => {
                host.playing(lua, "state")?;
                Ok(host.world.borrow().game())
            }
            Some(node) if self.turn == host.turn.number() => Ok(node),
            Some(_) => Err(refused(lua, host, "a table of the state", &StateError::Stale)),
        }
    }
}

/// The table that a userdata stands for, if it is a proxy.
pub(crate) fn node_of(lua: &Lua, host: &Host, data: &AnyUserData) -> Option<mlua::Result<NodeId>> {
    Some(raw::proxy_of(lua, data)?.node(lua, host))
}

/// What stands in a slot, as Lua.
pub(crate) fn to_lua(lua: &Lua, host: &Host, slot: Slot) -> mlua::Result<LuaValue> {
    Ok(match slot {
        Slot::Nil => LuaValue::Nil,
        Slot::Bool(truth) => LuaValue::Boolean(truth),
        Slot::Int(int) => LuaValue::Integer(int),
        Slot::Num(num) => LuaValue::Number(num),
        Slot::Text(text) => LuaValue::String(lua.create_string(text.as_bytes())?),
        Slot::Node(node) => LuaValue::UserData(raw::proxy_in(lua, host, node)?),
    })
}

fn read(lua: &Lua, host: &Host, node: NodeId, key: &LuaValue) -> mlua::Result<LuaValue> {
    let slot = {
        let world = host.world.borrow();
        match key {
            LuaValue::String(name) => match std::str::from_utf8(&name.as_bytes()) {
                Ok(name) => world.state.get_text(node, name),
                Err(_) => Ok(Slot::Nil),
            },
            LuaValue::Integer(at) => match u32::try_from(*at) {
                Ok(at) => world.state.get_index(node, at),
                Err(_) => Ok(Slot::Nil),
            },
            _ => Ok(Slot::Nil),
        }
    };
    match slot {
        Ok(slot) => to_lua(lua, host, slot),
        Err(error) => Err(refused(lua, host, "a table of the state", &error)),
    }
}

fn write(
    lua: &Lua,
    host: &Host,
    node: NodeId,
    key: &LuaValue,
    value: &LuaValue,
) -> mlua::Result<()> {
    let target = Target { host, node, key };
    may_write(lua, host, &target)?;
    let value = plain(lua, host, &target, value)?;
    let written = {
        let state = &mut host.world.borrow_mut().state;
        match key {
            LuaValue::String(name) => match std::str::from_utf8(&name.as_bytes()) {
                Ok(name) => state.set_text(node, name, value),
                Err(_) => return Err(bad_key(lua, host, node, "a text that is not UTF-8")),
            },
            LuaValue::Integer(at) => match u32::try_from(*at) {
                Ok(at @ 1..) => state.set_index(node, at, value),
                _ => return Err(bad_key(lua, host, node, &format!("the number {at}"))),
            },
            LuaValue::Number(at) => {
                return Err(bad_key(lua, host, node, &format!("the number {at}")));
            }
            other => return Err(bad_key(lua, host, node, &format!("a {}", other.type_name()))),
        }
    };
    written.map_err(|error| refused(lua, host, &target, &error))
}

/// Walks a table: lists in order, names sorted. What is written on the way may be met or not; it
/// never confuses the walk.
pub(crate) fn walk(lua: &Lua, host: &Rc<Host>, node: NodeId) -> mlua::Result<Function> {
    let (host, turn) = (host.clone(), host.turn.number());
    let after: RefCell<Option<Key>> = RefCell::new(None);
    lua.create_function(move |lua, ()| {
        if host.turn.number() != turn {
            return Err(refused(lua, &host, "a table of the state", &StateError::Stale));
        }
        let entry = host.world.borrow().state.next(node, after.borrow().as_ref());
        match entry {
            Ok(None) => Ok((LuaValue::Nil, LuaValue::Nil)),
            Ok(Some((key, slot))) => {
                let shown = match &key {
                    Key::Index(at) => LuaValue::Integer((*at).into()),
                    Key::Text(name) => LuaValue::String(lua.create_string(name.as_bytes())?),
                };
                *after.borrow_mut() = Some(key);
                Ok((shown, to_lua(lua, &host, slot)?))
            }
            Err(error) => Err(refused(lua, &host, "a table of the state", &error)),
        }
    })
}

/// The table of a userdata that must be a proxy.
pub(crate) fn expect_node(lua: &Lua, host: &Host, data: &AnyUserData) -> mlua::Result<NodeId> {
    node_of(lua, host, data).unwrap_or_else(|| {
        let problem = Problem::error("wrong-type", "this is something of the host's own")
            .expected("a table, or a table of the state");
        Err(host.fail(lua, problem))
    })
}

/// Refuses a write where things are only looked at.
pub(crate) fn may_write(lua: &Lua, host: &Host, target: &dyn fmt::Display) -> mlua::Result<()> {
    let Permit::Look(what) = host.permit.get() else { return Ok(()) };
    let problem = Problem::error("only-looking", format!("{target} was written in {what}"))
        .expected(format!("{what} changes nothing: no writes, no dice, nothing told"))
        .hint("move the write into the handler of a choice, or into an `after` hook");
    Err(host.fail(lua, problem))
}

/// A value of Lua as plain data that the state can keep; proxies in it are copied.
pub(crate) fn plain(
    lua: &Lua,
    host: &Host,
    target: &dyn fmt::Display,
    value: &LuaValue,
) -> mlua::Result<Option<Value>> {
    plain_or_mixed(lua, host, target, value, Mixed::Refused)
}

/// The same, for shapes that may mix named and unnamed entries.
pub(crate) fn plain_or_mixed(
    lua: &Lua,
    host: &Host,
    target: &dyn fmt::Display,
    value: &LuaValue,
    mixed: Mixed,
) -> mlua::Result<Option<Value>> {
    if let LuaValue::Table(table) = value {
        let split = (mixed == Mixed::Split).then_some(LIST_PART);
        if let Some((plain, read)) = raw::plain(lua, host, table, split) {
            if !fuel::charge(read / 4) {
                return Err(host.fail(lua, host.fuel.problem()));
            }
            return Ok(Some(plain));
        }
    }
    // A proxy's own refusal is an error of Lua already; it is kept aside so that nothing is lost.
    let stale = RefCell::new(None);
    let read_proxy = |data: &AnyUserData| match node_of(lua, host, data) {
        None if data.is::<Profile>() => Some(Ok(host.profile.borrow().clone())),
        None => None,
        Some(Ok(node)) => Some(host.world.borrow().state.value(node).map_err(|error| {
            Problem::error(code(&error), format!("{target}: {error}")).hint(error.hint())
        })),
        Some(Err(error)) => {
            *stale.borrow_mut() = Some(error);
            Some(Err(Problem::error("stale-table", "")))
        }
    };
    match convert::to_plain(target, value, mixed, &read_proxy) {
        Ok((plain, read)) => {
            if !fuel::charge(read / 4) {
                return Err(host.fail(lua, host.fuel.problem()));
            }
            Ok(plain)
        }
        Err(problem) => Err(stale.into_inner().unwrap_or_else(|| host.fail(lua, problem))),
    }
}

/// What the state refused, as an error at the line of the caller.
pub(crate) fn refused(
    lua: &Lua,
    host: &Host,
    target: impl fmt::Display,
    error: &StateError,
) -> mlua::Error {
    // A table that is gone has no name any more.
    let found = match error {
        StateError::Stale => error.to_string(),
        _ => format!("{target}: {error}"),
    };
    host.fail(lua, Problem::error(code(error), found).hint(error.hint()))
}

fn code(error: &StateError) -> &'static str {
    match error {
        StateError::Stale => "stale-table",
        StateError::Deep | StateError::Wide | StateError::Full | StateError::Spent => "too-large",
        StateError::LongText(_) | StateError::NotFinite | StateError::BigInt(_) => "not-plain",
        _ => "bad-key",
    }
}

fn bad_key(lua: &Lua, host: &Host, node: NodeId, found: &str) -> mlua::Error {
    let name = name_of(host, node, None);
    let problem = Problem::error("bad-key", format!("{found} was used as a key of {name}"))
        .expected("a name, or a whole number from 1");
    host.fail(lua, problem)
}

/// What is written to, as a script would name it; worked out only when it is shown.
pub(crate) struct Target<'a> {
    /// Whose world it is in.
    pub(crate) host: &'a Host,
    /// The table.
    pub(crate) node: NodeId,
    /// The key in it.
    pub(crate) key: &'a LuaValue,
}

impl fmt::Display for Target<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let key = match self.key {
            LuaValue::Integer(at) => u32::try_from(*at).ok().map(Key::Index),
            LuaValue::String(name) => Some(Key::Text(name.to_string_lossy().into())),
            _ => None,
        };
        f.write_str(&name_of(self.host, self.node, key))
    }
}

/// A table of the state as a script would name it: `state.hero.bag[3]`.
pub(crate) fn name_of(host: &Host, node: NodeId, key: Option<Key>) -> String {
    let Ok(world) = host.world.try_borrow() else { return "state".to_owned() };
    // The first key leads from the root to the game's own table.
    let mut path: Vec<Key> = world.state.path(node).into_iter().skip(1).collect();
    path.extend(key);
    let path = path_text(&path);
    match path.chars().next() {
        None => "state".to_owned(),
        Some('[') => format!("state{path}"),
        Some(_) => format!("state.{path}"),
    }
}
