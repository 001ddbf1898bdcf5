//! `state`, `profile` and `plain`: the data of a run, the profile as it was at the start of the
//! run, and copies of either that a script may change.

use std::cell::RefCell;
use std::ffi::c_int;
use std::rc::Rc;

use mlua::{Lua, Table, Value as LuaValue};

use super::super::host::Host;
use super::super::phase::When;
use super::super::proxy::{self, Proxy};
use super::super::row::{Anything, Api, Pushed, row};
use crate::kit::{Problem, limits, meter};
use crate::luau::{self, At, Carried, Fault, Kind, Stack, once};

pub(super) fn declare(api: &mut Api<'_>) -> mlua::Result<()> {
    proxy::register(api.lua, api.host)?;
    let looking = |name| (name, When::Looking);
    api.value(
        looking("state"),
        "{ [string]: any }",
        "The data of the run. Writes need a function that may make changes.",
        proxy::root(api.lua, api.host)?,
    )?;
    api.value(
        looking("profile"),
        "{ [string]: any }",
        "The data that is kept between runs, as it was when this run began; read-only.",
        declare_profile(api.lua, api.host)?,
    )?;
    row!(
        api, Looking "copy"(value: Anything as "T") -> "T",
        "A copy of a part of the state, which you may change.",
        |call| copy(call.host, call.stack, value, 0).map(|()| Pushed(1))
    )
}

/// The profile in the run's header: frozen Lua tables, created on first use.
#[derive(Clone, Copy)]
pub(crate) struct Profile;

impl Carried for Profile {
    const TAG: c_int = 78;
}

fn declare_profile(lua: &Lua, host: &Rc<Host>) -> mlua::Result<LuaValue> {
    let rules = lua.create_table()?;
    rules.raw_set("__type", "profile")?;
    rules.raw_set("__metatable", false)?;
    let index = host.function(lua, move |host, lua, (_, key): (LuaValue, LuaValue)| {
        if host.compiling.get() {
            return Ok(LuaValue::Nil);
        }
        profile(lua, host)?.map_or(Ok(LuaValue::Nil), |table| table.raw_get(key))
    });
    rules.raw_set("__index", index?)?;
    let write = host.function(lua, |_, _, _: (LuaValue, LuaValue)| -> mlua::Result<()> {
        let problem = Problem::error("read-only", "the profile was written to")
            .expected("only reads: it stays as it was when the run began")
            .hint("use award { … } to pay into the profile when the run ends");
        Err(problem.into())
    });
    rules.raw_set("__newindex", write?)?;
    let length = host.function(lua, move |host, lua, _: LuaValue| {
        Ok(profile(lua, host)?.map_or(0, |table| table.raw_len()))
    });
    rules.raw_set("__len", length?)?;
    let walk = host.function(lua, move |host, lua, _: LuaValue| walk(lua, host));
    rules.raw_set("__iter", walk?)?;
    luau::set_rules_of::<Profile>(lua, &rules)?;
    once(lua, (), |stack| stack.push_carried(Profile))
}

fn profile(lua: &Lua, host: &Host) -> mlua::Result<Option<Table>> {
    host.allows(When::Looking, "profile")?;
    Ok(host.scope.profile(lua, &host.lent.profile.borrow())?.as_table().cloned())
}

/// Iterates over the fields of the profile in the order of their names.
pub(crate) fn walk(lua: &Lua, host: &Rc<Host>) -> mlua::Result<mlua::Function> {
    let table = profile(lua, host)?;
    let names = host.lent.profile.borrow().as_map().map(|map| {
        meter::entries(map.len());
        map.keys().cloned().collect::<Vec<_>>()
    });
    let left = RefCell::new(names.unwrap_or_default().into_iter());
    host.function(lua, move |_, lua, ()| match (left.borrow_mut().next(), &table) {
        (Some(name), Some(table)) => {
            let value = table.raw_get::<LuaValue>(&*name)?;
            Ok((LuaValue::String(lua.create_string(name.as_bytes())?), value))
        }
        _ => Ok((LuaValue::Nil, LuaValue::Nil)),
    })
}

/// Pushes a deep copy of a table. Functions are left out, because a copy is plain data.
fn copy(host: &Host, stack: Stack<'_>, at: At, depth: usize) -> Result<(), Fault> {
    if depth > limits::DEPTH {
        let problem =
            Problem::error("too-large", "a copy of tables nested too deep, or in a cycle")
                .expected(format!("at most {} tables inside each other", limits::DEPTH));
        return Err(problem.into());
    }
    host.charge(1)?;
    match stack.kind(at) {
        Kind::Table => {
            stack.room(6);
            stack.push_table(stack.length(at), 0);
            let made = stack.top();
            let mut next = stack.next(at, 0);
            while next >= 0 {
                if stack.kind(made + 2) != Kind::Function {
                    stack.push_copy(made + 1);
                    copy(host, stack, made + 2, depth + 1)?;
                    stack.raw_set(made);
                }
                stack.set_top(made);
                next = stack.next(at, next);
            }
        }
        Kind::Host if stack.carried::<Profile>(at).is_some() => {
            host.allows(When::Looking, "profile")?;
            host.charge(host.lent.profile.borrow().weight())?;
            stack.push_plain(&host.lent.profile.borrow(), false);
        }
        Kind::Host if stack.carried::<Proxy>(at).is_some() => {
            let node = host.node_at(stack, at)?;
            let value = host.lent.world.borrow().state.value(node);
            let value = value.map_err(|error| proxy::refused("a table of the state", &error))?;
            host.charge(value.weight())?;
            stack.push_plain(&value, false);
        }
        Kind::Host => {
            host.node_at(stack, at)?;
        }
        _ => stack.push_copy(at),
    }
    Ok(())
}
