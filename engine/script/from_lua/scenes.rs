//! `go`, `push`, `pop`, `finish`, `award`: where a run goes next, how it ends, and what it pays.

use std::rc::Rc;

use mlua::{Lua, Table, Value as LuaValue};

use super::super::convert::Mixed;
use super::super::host::Host;
use super::tell::{table, word};
use crate::kit::problem::nearest;
use crate::kit::{Id, Problem, Value};

/// Declares them.
pub(super) fn declare(lua: &Lua, host: &Rc<Host>, base: &Table) -> mlua::Result<()> {
    let shared = host.clone();
    let go = lua.create_function(move |lua, scene: LuaValue| {
        shared.acting(lua, "go")?;
        let scene = known_scene(lua, &shared, "go", &scene)?;
        let gone = shared.world.borrow_mut().go(&scene);
        gone.map_err(|why| shared.fail(lua, Problem::error("too-many-scenes", why)))
    })?;
    base.raw_set("go", go)?;
    let shared = host.clone();
    let push = lua.create_function(move |lua, scene: LuaValue| {
        shared.acting(lua, "push")?;
        let scene = known_scene(lua, &shared, "push", &scene)?;
        let pushed = shared.world.borrow_mut().push(&scene);
        pushed.map_err(|why| shared.fail(lua, Problem::error("too-many-scenes", why)))
    })?;
    base.raw_set("push", push)?;
    let shared = host.clone();
    let pop = lua.create_function(move |lua, ()| {
        shared.acting(lua, "pop")?;
        let popped = shared.world.borrow_mut().pop();
        popped.map_err(|why| {
            let problem = Problem::error("no-scene-below", why).hint("use go to another scene");
            shared.fail(lua, problem)
        })
    })?;
    base.raw_set("pop", pop)?;
    let shared = host.clone();
    let finish = lua.create_function(move |lua, outcome: LuaValue| {
        shared.acting(lua, "finish")?;
        finish_with(lua, &shared, &outcome)
    })?;
    base.raw_set("finish", finish)?;
    let shared = host.clone();
    let award = lua.create_function(move |lua, award: LuaValue| {
        shared.acting(lua, "award")?;
        let Value::Map(award) = table(lua, &shared, "award", &award, Mixed::Refused)? else {
            return Ok(());
        };
        let awarded = shared.world.borrow_mut().award(&award);
        awarded.map_err(|why| shared.fail(lua, Problem::error("bad-award", why)))
    })?;
    base.raw_set("award", award)
}

fn finish_with(lua: &Lua, host: &Host, outcome: &LuaValue) -> mlua::Result<()> {
    if host.world.borrow().finished().is_some() {
        let problem = Problem::error("finished-twice", "finish was called, and the run has ended")
            .expected("one finish in a run")
            .hint("return from the handler after finish");
        return Err(host.fail(lua, problem));
    }
    let outcome = table(lua, host, "finish", outcome, Mixed::Refused)?;
    if outcome.get("outcome").and_then(Value::as_text).is_none() {
        let problem = Problem::error("missing-field", "finish was given no outcome")
            .expected("finish { outcome = \"…\", … }: a word for how the run ended");
        return Err(host.fail(lua, problem));
    }
    let finished = host.world.borrow_mut().finish(outcome);
    finished.map_err(|error| {
        host.fail(lua, Problem::error("too-large", format!("finish: {error}")).hint(error.hint()))
    })
}

/// The whole id of a scene that a script names; one without a mod is the calling mod's own.
fn known_scene(lua: &Lua, host: &Host, name: &str, scene: &LuaValue) -> mlua::Result<String> {
    let written = word(lua, host, name, scene, "the id of a scene")?;
    let home = host.calling_mod(lua);
    let id = Id::parse(&written, &home)
        .map_err(|why| host.fail(lua, Problem::error("bad-id", format!("{name}: {why}"))))?;
    let registry = host.registry();
    if registry.get("scene", id.as_str()).is_some() {
        return Ok(id.as_str().to_owned());
    }
    let known: Vec<&str> = registry.every("scene").map(|scene| scene.id.as_str()).collect();
    let problem = Problem::error("unknown-scene", format!("{name} {written:?}: no such scene"))
        .expected("the id of a scene");
    // A scene of that name in another mod is a likelier slip than a wrong letter.
    let same_name = known.iter().find(|known| known.ends_with(&format!(":{}", id.name())));
    let near = same_name.copied().or_else(|| nearest(id.as_str(), known.iter().copied()));
    Err(host.fail(
        lua,
        match near {
            Some(near) => problem.hint(format!("did you mean {near:?}?")),
            None => problem,
        },
    ))
}
