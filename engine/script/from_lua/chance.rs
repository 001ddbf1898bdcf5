//! `chance`, `pick`, `shuffle`: draws that are no throw of dice and make no event. Each names its
//! stream.

use std::rc::Rc;

use mlua::{Lua, Table, Value as LuaValue};

use super::super::host::Host;
use super::super::{fuel, proxy};
use super::tell::{found, word};
use crate::dice;
use crate::kit::{Id, Problem, limits};
use crate::state::StateError;

/// Declares them.
pub(super) fn declare(lua: &Lua, host: &Rc<Host>, base: &Table) -> mlua::Result<()> {
    let shared = host.clone();
    let chance =
        lua.create_function(move |lua, (cases, of, stream): (LuaValue, LuaValue, LuaValue)| {
            shared.acting(lua, "chance")?;
            let stream = open(lua, &shared, "chance", &stream)?;
            let (LuaValue::Integer(cases), LuaValue::Integer(of)) = (&cases, &of) else {
                return Err(bad_chance(lua, &shared, &cases, &of));
            };
            match u32::try_from(*of) {
                Ok(sides @ 1..=limits::DIE_SIDES) if (0..=*of).contains(cases) => {
                    Ok(i64::from(draw(&shared, &stream, sides)) <= *cases)
                }
                _ => Err(bad_chance(
                    lua,
                    &shared,
                    &LuaValue::Integer(*cases),
                    &LuaValue::Integer(*of),
                )),
            }
        })?;
    base.raw_set("chance", chance)?;
    let shared = host.clone();
    let pick = lua.create_function(
        move |lua, (list, stream, weights): (LuaValue, LuaValue, LuaValue)| {
            shared.acting(lua, "pick")?;
            let stream = open(lua, &shared, "pick", &stream)?;
            let items = items(lua, &shared, "pick", &list)?;
            let at = match weights {
                LuaValue::Nil => draw(&shared, &stream, items.len() as u32) as usize - 1,
                weights => weighed(lua, &shared, &stream, &items, &weights)?,
            };
            Ok(items[at].clone())
        },
    )?;
    base.raw_set("pick", pick)?;
    let shared = host.clone();
    let shuffle = lua.create_function(move |lua, (list, stream): (LuaValue, LuaValue)| {
        shared.acting(lua, "shuffle")?;
        let stream = open(lua, &shared, "shuffle", &stream)?;
        let items =
            if is_empty(&list) { Vec::new() } else { items(lua, &shared, "shuffle", &list)? };
        let order = dice::shuffled(items.len(), &mut |sides| draw(&shared, &stream, sides));
        lua.create_sequence_from(order.into_iter().map(|at| items[at].clone()))
    })?;
    base.raw_set("shuffle", shuffle)
}

/// The whole name of a stream that a script may draw from: `mod:name`, always the calling mod's.
fn open(lua: &Lua, host: &Host, name: &str, stream: &LuaValue) -> mlua::Result<String> {
    open_of(lua, host, name, stream, &host.calling_mod(lua))
}

/// The same, of a mod that is known.
pub(super) fn open_of(
    lua: &Lua,
    host: &Host,
    name: &str,
    stream: &LuaValue,
    home: &str,
) -> mlua::Result<String> {
    let written = word(lua, host, name, stream, "the name of a stream, such as \"loot\"")?;
    let id = Id::parse(&written, home)
        .map_err(|why| host.fail(lua, Problem::error("bad-stream", format!("{name}: {why}"))))?;
    if id.owner() != home {
        let found = format!("{name} draws from {written:?}, a stream of another mod");
        let problem = Problem::error("bad-stream", found)
            .expected("a stream of this mod: its name, without a mod before it");
        return Err(host.fail(lua, problem));
    }
    let admitted = host.world.borrow().dice.admit(id.as_str());
    admitted.map_err(|why| host.fail(lua, Problem::error("bad-stream", why)))?;
    Ok(id.as_str().to_owned())
}

/// One draw from 1 to `sides`.
pub(super) fn draw(host: &Host, stream: &str, sides: u32) -> u32 {
    host.world.borrow_mut().dice.draw(stream, sides)
}

/// The place of an item drawn by weight: a function of the item, or a list of numbers.
fn weighed(
    lua: &Lua,
    host: &Host,
    stream: &str,
    items: &[LuaValue],
    weights: &LuaValue,
) -> mlua::Result<usize> {
    let mut sums = Vec::with_capacity(items.len());
    let mut sum = 0_u32;
    for (at, item) in items.iter().enumerate() {
        let weight: LuaValue = match weights {
            LuaValue::Function(weigh) => weigh.call(item)?,
            LuaValue::Table(list) => list.raw_get(at + 1)?,
            _ => LuaValue::Nil,
        };
        let weight = weight.as_integer().and_then(|weight| u32::try_from(weight).ok());
        let added = weight.and_then(|weight| sum.checked_add(weight));
        sum = added.filter(|sum| *sum <= limits::DIE_SIDES).ok_or_else(|| {
            let found = format!("pick was given no weight that counts for item {}", at + 1);
            let problem = Problem::error("bad-argument", found).expected(
                "a function that gives a whole number from 0, or a list of such; \
                     at most a million in all",
            );
            host.fail(lua, problem)
        })?;
        sums.push(sum);
    }
    if sum == 0 {
        let problem = Problem::error("empty-list", "pick was given weights that are all 0");
        return Err(host.fail(lua, problem.expected("at least one item that can be picked")));
    }
    let drawn = draw(host, stream, sum);
    Ok(sums.partition_point(|sum| *sum < drawn))
}

/// The items of a list, plain or of the state. There is at least one.
fn items(lua: &Lua, host: &Host, name: &str, list: &LuaValue) -> mlua::Result<Vec<LuaValue>> {
    let items: Vec<LuaValue> = match list {
        LuaValue::Table(table) => (1..=table.raw_len())
            .map(|at| table.raw_get(at))
            .collect::<mlua::Result<Vec<LuaValue>>>()?,
        LuaValue::UserData(data) => {
            let node = proxy::expect_node(lua, host, data)?;
            let slots = {
                let state = &host.world.borrow().state;
                let length = state.len(node).unwrap_or(0) as u32;
                (1..=length).map(|at| state.get_index(node, at)).collect::<Result<Vec<_>, _>>()
            };
            let slots =
                slots.map_err(|error: StateError| proxy::refused(lua, host, name, &error))?;
            slots
                .into_iter()
                .map(|slot| proxy::to_lua(lua, host, slot))
                .collect::<mlua::Result<Vec<LuaValue>>>()?
        }
        other => {
            let problem =
                Problem::error("wrong-type", format!("{name} was given {}", found(other)));
            return Err(host.fail(lua, problem.expected("a list")));
        }
    };
    if items.len() > limits::TABLE_ENTRIES || !fuel::charge(items.len() / 4) {
        return Err(host.fail(lua, Problem::error("too-large", format!("{name} of a huge list"))));
    }
    if items.is_empty() {
        let problem = Problem::error("empty-list", format!("{name} was given an empty list"))
            .expected("a list with at least one item")
            .hint("ask `#list > 0` before; a table with names has no items");
        return Err(host.fail(lua, problem));
    }
    Ok(items)
}

fn is_empty(list: &LuaValue) -> bool {
    match list {
        LuaValue::Table(table) => table.raw_len() == 0,
        LuaValue::UserData(data) => {
            mlua::ObjectLike::call_function::<usize>(data, "__len", ()).is_ok_and(|n| n == 0)
        }
        _ => false,
    }
}

fn bad_chance(lua: &Lua, host: &Host, cases: &LuaValue, of: &LuaValue) -> mlua::Error {
    let given = format!("chance was given {} and {}", found(cases), found(of));
    let problem = Problem::error("bad-argument", given)
        .expected("chance(n, of, stream): n from 0 to of, both whole numbers");
    host.fail(lua, problem)
}
