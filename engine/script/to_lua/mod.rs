//! What calls scripts, one file per topic: the start of a run, prompts, views, answers, pages.
//! Each lends the world for the call and gives it back whatever happens; none rolls anything back.

mod achievement;
mod act;
mod bot;
mod console;
mod lint;
mod migrate;
mod option;
mod page;
mod prompt;
mod rule;
mod start;
mod view;

pub use bot::Seen;
pub use migrate::Risen;

use std::rc::Rc;

use mlua::{Function, Lua, Value as LuaValue};

use super::asked::Scene;
use super::convert::Mixed;
use super::host::Host;
use super::look::Look;
use super::raw::{self, Gave};
use super::shape::LIST_PART;
use super::{fuel, proxy};
use crate::content::Datum;
use crate::kit::{Place, Problem, Value};

/// The scene that is asked now.
fn scene(lua: &Lua, host: &Host) -> mlua::Result<Rc<Scene>> {
    let id = host.world.borrow().scene();
    let Some(id) = id else {
        let problem = Problem::error("no-scene", "the run is in no scene")
            .hint("the function given to start must go to a scene");
        return Err(host.fail(lua, problem));
    };
    match host.scene_to_ask(&id)? {
        Some(scene) => Ok(scene),
        None => {
            let problem = Problem::error("unknown-scene", format!("the run is in {id:?}"))
                .expected("a scene that there is; its mod may have changed or be switched off");
            Err(host.fail(lua, problem))
        }
    }
}

/// Where a function of a definition was written.
fn place_of(host: &Host, kind: &str, id: &str, field: &str) -> Option<Place> {
    let definition = host.registry().get(kind, id)?;
    match definition.get(field) {
        Some(Datum::Fn(function)) => Some(function.place.clone()),
        _ => Some(definition.place.clone()),
    }
}

/// Most of those who changed a definition that a Problem names.
const CHANGERS: usize = 4;

/// A Problem of what a definition gave, with the places where others changed the definition: what
/// is wrong may be theirs. The latest comes first.
fn with_changers(host: &Host, kind: &str, id: &str, problem: Problem) -> Problem {
    let changes = host.registry().get(kind, id).map_or(&[][..], |one| &one.changes[..]);
    let places = changes.iter().rev().map(|change| change.place.clone()).take(CHANGERS);
    places.fold(problem, Problem::by_way_of)
}

/// What a function of a definition gave, as plain data.
fn given(lua: &Lua, host: &Host, name: &str, value: &LuaValue) -> mlua::Result<Option<Value>> {
    proxy::plain_or_mixed(lua, host, &name, value, Mixed::Split)
}

/// Calls a function of a definition and reads what it gave. What went wrong in the call is raised; what is
/// wrong with what it gave is not.
fn asked<R>(
    lua: &Lua,
    host: &Host,
    name: &str,
    function: &Function,
    read: impl Fn(&Look<'_>) -> R,
) -> mlua::Result<mlua::Result<Option<R>>> {
    let gave = raw::call_and_read(lua, host, function, LIST_PART, |look, looked| {
        fuel::charge(looked / 4).then(|| read(look))
    })?;
    Ok(match gave {
        Gave::Read(Some(read)) => Ok(Some(read)),
        Gave::Read(None) => Err(host.fail(lua, host.fuel.problem())),
        Gave::Other(value) => {
            given(lua, host, name, &value).map(|value| value.map(|value| read(&Look::of(&value))))
        }
    })
}

/// Moves a Problem that no line of a script raised to the function that gave the value: the line
/// that made it has returned. `changed` adds who else had a hand in it.
fn moved(
    lua: &Lua,
    host: &Host,
    error: mlua::Error,
    place: Option<Place>,
    changed: impl Fn(Problem) -> Problem,
) -> mlua::Error {
    match error.downcast_ref::<Problem>() {
        Some(problem) if problem.place.as_ref().is_none_or(|place| place.line == 0) => {
            let problem = Problem { place: None, ..problem.clone() };
            blame(lua, host, changed(problem), place)
        }
        _ => error,
    }
}

/// Gives a Problem its place, if it has none, and makes it an error of Lua.
fn blame(lua: &Lua, host: &Host, problem: Problem, place: Option<Place>) -> mlua::Error {
    match place {
        Some(place) if problem.place.is_none() => host.fail(lua, problem.at(place)),
        _ => host.fail(lua, problem),
    }
}
