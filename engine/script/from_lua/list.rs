//! The functions of `table` where they are given a table of the state. The prelude calls these; for
//! plain tables it keeps Luau's own.

use std::rc::Rc;

use mlua::{AnyUserData, Function, Lua, MultiValue, Table, Value as LuaValue, Variadic};

use super::super::host::Host;
use super::super::{fuel, proxy};
use crate::kit::{Problem, limits};
use crate::state::{Key, NodeId, Slot, StateError};

/// Declares what `table.<name>` does with a table of the state, as `host_table_<name>`.
pub(super) fn declare(lua: &Lua, host: &Rc<Host>, base: &Table) -> mlua::Result<()> {
    let sort: Function = lua.globals().get::<Table>("table")?.get("sort")?;
    add(lua, host, base, "insert", insert)?;
    add(lua, host, base, "remove", remove)?;
    add(lua, host, base, "concat", concat)?;
    add(lua, host, base, "find", find)?;
    add(lua, host, base, "unpack", |lua, host, list, rest| {
        let (from, to) = range(lua, host, &list, &rest, "unpack")?;
        let items = list.items(lua, host)?;
        let taken = items.into_iter().skip(from - 1).take(to.saturating_sub(from - 1));
        Ok(taken.collect())
    })?;
    add(lua, host, base, "clone", |lua, host, list, _| {
        let made = lua.create_table()?;
        let mut after = None;
        while let Some((key, slot)) = list.next(lua, host, after.as_ref())? {
            let value = proxy::to_lua(lua, host, slot)?;
            match &key {
                Key::Index(at) => made.raw_set(*at, value)?,
                Key::Text(name) => made.raw_set(&**name, value)?,
            }
            after = Some(key);
        }
        one(LuaValue::Table(made))
    })?;
    add(lua, host, base, "clear", |lua, host, list, _| {
        proxy::may_write(lua, host, &proxy::name_of(host, list.node, None))?;
        let state = &mut host.world.borrow_mut().state;
        let cleared = (|| {
            while let Ok(length @ 1..) = state.len(list.node) {
                state.remove(list.node, length)?;
            }
            while let Some((key, _)) = state.next(list.node, None)? {
                state.set(list.node, key, None)?;
            }
            Ok(())
        })();
        cleared.map_err(|error| list.refused(lua, host, &error))?;
        Ok(MultiValue::new())
    })?;
    add(lua, host, base, "sort", move |lua, host, list, rest| {
        sort_by(lua, host, &sort, &list, rest)
    })
}

/// A table of the state that a library function was given.
struct Listed {
    name: &'static str,
    node: NodeId,
}

impl Listed {
    fn refused(&self, lua: &Lua, host: &Host, error: &StateError) -> mlua::Error {
        // The path is read before the world may be busy again.
        let path = proxy::name_of(host, self.node, None);
        proxy::refused(lua, host, format!("table.{} of {path}", self.name), error)
    }

    fn next(
        &self,
        lua: &Lua,
        host: &Host,
        after: Option<&Key>,
    ) -> mlua::Result<Option<(Key, Slot)>> {
        let entry = host.world.borrow().state.next(self.node, after);
        entry.map_err(|error| self.refused(lua, host, &error))
    }

    fn len(&self, lua: &Lua, host: &Host) -> mlua::Result<usize> {
        let length = host.world.borrow().state.len(self.node);
        length.map_err(|error| self.refused(lua, host, &error))
    }

    fn slots(&self, lua: &Lua, host: &Host) -> mlua::Result<Vec<Slot>> {
        let length = self.len(lua, host)?;
        if !fuel::charge(length / 8) {
            return Err(host.fail(lua, host.fuel.problem()));
        }
        let state = &host.world.borrow().state;
        let slots: Result<Vec<Slot>, StateError> =
            (1..=length as u32).map(|at| state.get_index(self.node, at)).collect();
        slots.map_err(|error| self.refused(lua, host, &error))
    }

    fn items(&self, lua: &Lua, host: &Host) -> mlua::Result<Vec<LuaValue>> {
        let slots = self.slots(lua, host)?;
        slots.into_iter().map(|slot| proxy::to_lua(lua, host, slot)).collect()
    }
}

fn add(
    lua: &Lua,
    host: &Rc<Host>,
    base: &Table,
    name: &'static str,
    work: impl Fn(&Lua, &Host, Listed, Variadic<LuaValue>) -> mlua::Result<MultiValue> + 'static,
) -> mlua::Result<()> {
    let (host, whole) = (host.clone(), format!("table.{name}"));
    let function =
        lua.create_function(move |lua, (list, rest): (AnyUserData, Variadic<LuaValue>)| {
            host.playing(lua, &whole)?;
            let node = proxy::expect_node(lua, &host, &list)?;
            work(lua, &host, Listed { name, node }, rest)
        })?;
    base.raw_set(format!("host_table_{name}"), function)
}

fn one(value: LuaValue) -> mlua::Result<MultiValue> {
    Ok(MultiValue::from_iter([value]))
}

fn insert(
    lua: &Lua,
    host: &Host,
    list: Listed,
    rest: Variadic<LuaValue>,
) -> mlua::Result<MultiValue> {
    let length = list.len(lua, host)?;
    let (at, value) = match rest.as_slice() {
        [value] => (length + 1, value),
        [LuaValue::Integer(at), value] if *at >= 1 => (*at as usize, value),
        _ => {
            return Err(bad_argument(
                lua,
                host,
                "insert",
                "a value, or a place from 1 and a value",
            ));
        }
    };
    let key = LuaValue::Integer(at as i64);
    let target = proxy::Target { host, node: list.node, key: &key };
    proxy::may_write(lua, host, &target)?;
    let Some(value) = proxy::plain(lua, host, &target, value)? else {
        return Err(bad_argument(lua, host, "insert", "a value that is not nil"));
    };
    let inserted = host.world.borrow_mut().state.insert(list.node, at, value);
    inserted.map_err(|error| list.refused(lua, host, &error))?;
    Ok(MultiValue::new())
}

fn remove(
    lua: &Lua,
    host: &Host,
    list: Listed,
    rest: Variadic<LuaValue>,
) -> mlua::Result<MultiValue> {
    let length = list.len(lua, host)?;
    let at = match rest.first() {
        None | Some(LuaValue::Nil) => length,
        Some(LuaValue::Integer(at)) if *at >= 0 => *at as usize,
        _ => return Err(bad_argument(lua, host, "remove", "a place from 1")),
    };
    proxy::may_write(lua, host, &proxy::name_of(host, list.node, None))?;
    let removed = host.world.borrow_mut().state.remove(list.node, at);
    match removed.map_err(|error| list.refused(lua, host, &error))? {
        Some(value) => one(super::super::convert::to_lua(lua, &value, false)?),
        None => one(LuaValue::Nil),
    }
}

fn concat(
    lua: &Lua,
    host: &Host,
    list: Listed,
    rest: Variadic<LuaValue>,
) -> mlua::Result<MultiValue> {
    let separator = match rest.first() {
        None | Some(LuaValue::Nil) => String::new(),
        Some(LuaValue::String(text)) => text.to_str()?.to_owned(),
        _ => return Err(bad_argument(lua, host, "concat", "a text to put between")),
    };
    let bounds: Variadic<LuaValue> = rest.iter().skip(1).cloned().collect();
    let (from, to) = range(lua, host, &list, &bounds, "concat")?;
    let mut joined = String::new();
    for (at, slot) in list.slots(lua, host)?.iter().enumerate() {
        if at + 1 < from || at + 1 > to {
            continue;
        }
        if at + 1 > from {
            joined.push_str(&separator);
        }
        match slot {
            Slot::Text(text) => joined.push_str(text),
            Slot::Int(int) => joined.push_str(&int.to_string()),
            Slot::Num(num) => joined.push_str(&num.to_string()),
            _ => return Err(bad_argument(lua, host, "concat", "a list of texts and numbers")),
        }
        if joined.len() > limits::TEXT_BYTES {
            let expected = format!("a text of at most {} bytes", limits::TEXT_BYTES);
            return Err(bad_argument(lua, host, "concat", &expected));
        }
    }
    one(LuaValue::String(lua.create_string(joined)?))
}

fn find(
    lua: &Lua,
    host: &Host,
    list: Listed,
    rest: Variadic<LuaValue>,
) -> mlua::Result<MultiValue> {
    let from = match rest.get(1) {
        Some(LuaValue::Integer(from @ 1..)) => *from as usize,
        _ => 1,
    };
    let wanted = rest.first().unwrap_or(&LuaValue::Nil);
    let text = wanted.as_string().map(mlua::LuaString::as_bytes);
    let table = match wanted {
        LuaValue::UserData(data) => proxy::node_of(lua, host, data).and_then(mlua::Result::ok),
        _ => None,
    };
    let same = |slot: &Slot| match (slot, wanted) {
        (Slot::Bool(truth), LuaValue::Boolean(wanted)) => truth == wanted,
        (Slot::Int(int), LuaValue::Integer(wanted)) => int == wanted,
        (Slot::Num(num), LuaValue::Number(wanted)) => num == wanted,
        (Slot::Text(one), _) => text.as_ref().is_some_and(|text| **text == *one.as_bytes()),
        (Slot::Node(node), _) => table == Some(*node),
        _ => false,
    };
    let length = list.len(lua, host)?;
    if !fuel::charge(length / 8) {
        return Err(host.fail(lua, host.fuel.problem()));
    }
    let world = host.world.borrow();
    let is_it = |at: &usize| world.state.look_index(list.node, *at as u32).is_ok_and(&same);
    one((from..=length).find(is_it).map_or(LuaValue::Nil, |at| LuaValue::Integer(at as i64)))
}

/// Sorts the values aside and writes them back. The tables in the list are new ones afterwards:
/// proxies of the old ones are stale.
fn sort_by(
    lua: &Lua,
    host: &Host,
    sort: &Function,
    list: &Listed,
    rest: Variadic<LuaValue>,
) -> mlua::Result<MultiValue> {
    let name = proxy::name_of(host, list.node, None);
    proxy::may_write(lua, host, &name)?;
    let items = lua.create_sequence_from(list.items(lua, host)?)?;
    if !fuel::charge(items.raw_len()) {
        return Err(host.fail(lua, host.fuel.problem()));
    }
    sort.call::<()>((items.clone(), rest.first().cloned().unwrap_or(LuaValue::Nil)))?;
    let mut sorted = Vec::with_capacity(items.raw_len());
    for at in 1..=items.raw_len() {
        let item: LuaValue = items.raw_get(at)?;
        sorted.extend(proxy::plain(lua, host, &name, &item)?);
    }
    let state = &mut host.world.borrow_mut().state;
    for (at, value) in sorted.into_iter().enumerate() {
        let written = state.set_index(list.node, at as u32 + 1, Some(value));
        written.map_err(|error| proxy::refused(lua, host, &name, &error))?;
    }
    Ok(MultiValue::new())
}

fn range(
    lua: &Lua,
    host: &Host,
    list: &Listed,
    bounds: &[LuaValue],
    name: &str,
) -> mlua::Result<(usize, usize)> {
    let length = list.len(lua, host)?;
    let bound = |at: usize, otherwise: usize| match bounds.get(at) {
        None | Some(LuaValue::Nil) => Ok(otherwise),
        Some(LuaValue::Integer(bound @ 0..)) => Ok(*bound as usize),
        _ => Err(bad_argument(lua, host, name, "places from 1")),
    };
    Ok((bound(0, 1)?.max(1), bound(1, length)?.min(length)))
}

fn bad_argument(lua: &Lua, host: &Host, name: &str, expected: &str) -> mlua::Error {
    let problem = Problem::error("bad-argument", format!("table.{name} was given something else"));
    host.fail(lua, problem.expected(expected))
}
