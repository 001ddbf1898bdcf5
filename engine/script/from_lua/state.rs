//! `state`, `profile` and `plain`: what a run remembers, what its header froze of the profile, and
//! copies of either that a script may change as it likes.

use std::cell::RefCell;
use std::rc::Rc;

use mlua::Value as LuaValue;
use mlua::{
    AnyUserData, Function, Lua, MetaMethod, Table, UserDataFields, UserDataMethods,
    UserDataRegistry,
};

use super::super::host::Host;
use super::super::{convert, fuel, proxy};
use crate::kit::{Problem, limits};

/// Declares them.
pub(super) fn declare(lua: &Lua, host: &Rc<Host>, base: &Table) -> mlua::Result<()> {
    proxy::register(lua, host)?;
    base.raw_set("state", proxy::root(lua)?)?;
    register_profile(lua, host)?;
    base.raw_set("profile", lua.create_any_userdata(Profile)?)?;
    let shared = host.clone();
    base.raw_set(
        "plain",
        lua.create_function(move |lua, value: LuaValue| {
            shared.playing(lua, "plain")?;
            copy(lua, &shared, &value, 0)
        })?,
    )
}

/// What the run's header froze of the profile: its tables are frozen Lua, made when first asked for.
pub(crate) struct Profile;

fn register_profile(lua: &Lua, host: &Rc<Host>) -> mlua::Result<()> {
    lua.register_userdata_type(|methods: &mut UserDataRegistry<Profile>| {
        methods.add_meta_field(MetaMethod::Type, "profile");
        let shared = host.clone();
        methods.add_meta_method(MetaMethod::Index, move |lua, _, key: LuaValue| {
            if shared.compiling.get() {
                return Ok(LuaValue::Nil);
            }
            match profile(lua, &shared)? {
                LuaValue::Table(table) => table.raw_get::<LuaValue>(key),
                _ => Ok(LuaValue::Nil),
            }
        });
        let shared = host.clone();
        methods.add_meta_method(
            MetaMethod::NewIndex,
            move |lua, _, _: (LuaValue, LuaValue)| -> mlua::Result<()> {
                let problem = Problem::error("read-only", "the profile was written to")
                    .expected("reads only: it is as it was when the run began")
                    .hint("award { … } pays into the profile when the run ends");
                Err(shared.fail(lua, problem))
            },
        );
        let shared = host.clone();
        methods.add_meta_method(MetaMethod::Len, move |lua, _, ()| {
            Ok(profile(lua, &shared)?.as_table().map_or(0, Table::raw_len))
        });
        let shared = host.clone();
        methods.add_meta_method(MetaMethod::Iter, move |lua, _, ()| walk(lua, &shared));
    })
}

fn profile(lua: &Lua, host: &Host) -> mlua::Result<LuaValue> {
    host.playing(lua, "profile")?;
    host.turn.profile(lua, &host.profile.borrow())
}

/// Walks the profile's fields in the order of their names.
fn walk(lua: &Lua, host: &Rc<Host>) -> mlua::Result<Function> {
    let table = profile(lua, host)?;
    let names = host.profile.borrow().as_map().map(|map| map.keys().cloned().collect::<Vec<_>>());
    let left = RefCell::new(names.unwrap_or_default().into_iter());
    lua.create_function(move |lua, ()| match (left.borrow_mut().next(), table.as_table()) {
        (Some(name), Some(table)) => {
            let value = table.raw_get::<LuaValue>(&*name)?;
            Ok((LuaValue::String(lua.create_string(name.as_bytes())?), value))
        }
        _ => Ok((LuaValue::Nil, LuaValue::Nil)),
    })
}

/// A copy of a table with all tables in it; functions are left out, since a copy is plain data.
pub(super) fn copy(
    lua: &Lua,
    host: &Host,
    value: &LuaValue,
    depth: usize,
) -> mlua::Result<LuaValue> {
    if depth > limits::DEPTH {
        let problem =
            Problem::error("too-large", "a copy of tables nested too deep, or in a cycle")
                .expected(format!("at most {} tables inside each other", limits::DEPTH));
        return Err(host.fail(lua, problem));
    }
    if !fuel::charge(1) {
        return Err(host.fail(lua, host.fuel.problem()));
    }
    match value {
        LuaValue::Table(table) => {
            let made = lua.create_table_with_capacity(table.raw_len(), 0)?;
            table.for_each(|key: LuaValue, item: LuaValue| {
                if item.is_function() {
                    return Ok(());
                }
                made.raw_set(key, copy(lua, host, &item, depth + 1)?)
            })?;
            Ok(LuaValue::Table(made))
        }
        LuaValue::UserData(data) => copy_of_host(lua, host, data),
        other => Ok(other.clone()),
    }
}

fn copy_of_host(lua: &Lua, host: &Host, data: &AnyUserData) -> mlua::Result<LuaValue> {
    if data.is::<Profile>() {
        host.playing(lua, "profile")?;
        return convert::to_lua(lua, &host.profile.borrow(), false);
    }
    let node = proxy::expect_node(lua, host, data)?;
    let value = host.world.borrow().state.value(node);
    match value {
        Ok(value) => convert::to_lua(lua, &value, false),
        Err(error) => Err(proxy::refused(lua, host, "a table of the state", &error)),
    }
}
