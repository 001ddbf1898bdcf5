//! The prompt of the current scene.

use std::rc::Rc;
use std::sync::Arc;

use mlua::{Lua, Table, Value as LuaValue};

use super::super::host::Host;
use super::super::phase::Permit;
use super::super::plain;
use super::super::read_prompt::{self, Known};
use super::super::shape::Spot;
use super::super::value_ref::ValueRef;
use super::super::vm::Vm;
use super::agenda;
use super::call::{asked, blame, given, moved, place_of, scene, with_changers};
use crate::kit::value::Map;
use crate::kit::{Place, Problem, Value};
use crate::play::{Choice, Prompt, World};

/// Prefix of the handler name of a choice that was added to a scene; see `answer`.
pub(super) const ADDED: &str = "choices.";

impl Vm {
    /// The current prompt. Writes and dice are refused while it is computed.
    pub fn prompt(&self, world: &mut World, profile: &Value) -> Result<Prompt, Problem> {
        self.enter(world, profile, Permit::Look("a prompt"), prompt)
    }
}

fn prompt(lua: &Lua, host: &Rc<Host>) -> mlua::Result<Prompt> {
    if host.lent.world.borrow().finished().is_some() {
        let problem = Problem::error("finished", "the run has ended and asks nothing more");
        return Err(problem.into());
    }
    let waits = agenda::next(host);
    if waits.as_ref().is_some_and(|(_, asks)| !asks) {
        return Ok(agenda::gone());
    }
    let about = waits.and_then(|(item, _)| item.with);
    let scene = scene(host)?;
    let id = &*scene.id;
    let place = || place_of(host, "scene", id, "prompt");
    let _spender = host.fuel.spender_of(scene.prompt.spender);
    let ask = &scene.prompt.function;
    let asked = asked(lua, host, "prompt", ask, about.as_ref(), |look| {
        let rankings = &*host.scope.rankings.borrow();
        read_prompt::prompt(
            id,
            look,
            Known { rankings, groups: host.groups(id), reworded: host.reworded() },
        )
    })?;
    let changed = |problem| with_changers(host, "scene", id, problem);
    let prompt = match asked {
        Ok(Some(prompt)) => prompt,
        Ok(None) => {
            Err(Problem::error("wrong-type", format!("the prompt of {id} returned nothing"))
                .expected("return { text = …, choices = { … } }"))
        }
        Err(error) => return Err(moved(error, place(), changed)),
    };
    let mut prompt = prompt.map_err(|problem| blame(changed(problem), place()))?;
    if scene.adds {
        let added = added_choices(lua, host, &scene.definition, about.as_ref());
        let added = added.map_err(|error| moved(error, place(), |problem| problem));
        for (choice, place) in added? {
            if prompt.choices.iter().any(|before| before.id == choice.id) {
                let found = format!("{id} already has a choice with the id {:?}", choice.id);
                let problem = Problem::error("duplicate-id", found)
                    .expected("an id that no other choice of the prompt has")
                    .hint("begin it with the name of the mod");
                let problem = problem
                    .by_way_of(self::place_of(host, "scene", id, "prompt").unwrap_or_default());
                return Err(blame(problem, place));
            }
            prompt.choices.push(choice);
        }
    }
    read_prompt::check(&prompt).map_err(|problem| blame(changed(problem), place()))?;
    Ok(prompt)
}

/// Whether the mod that wrote a choice is disabled; its functions tell which mod that is.
fn is_aside(host: &Host, choice: &Table) -> mlua::Result<bool> {
    let mut aside = false;
    choice.for_each(|_: LuaValue, value: LuaValue| {
        if let LuaValue::Function(function) = &value {
            let place = host.place_of_function(function);
            aside |= place.is_some_and(|place| host.disabled.has_mod(&place.owner));
        }
        Ok(())
    })?;
    Ok(aside)
}

/// The choices that other mods added to the scene's definition.
fn added_choices(
    lua: &Lua,
    host: &Rc<Host>,
    definition: &Table,
    about: Option<&Value>,
) -> mlua::Result<Vec<(Choice, Option<Place>)>> {
    let about = about.map(|about| plain::to_lua(lua, about, true)).transpose()?;
    let mut choices = Vec::new();
    let LuaValue::Table(added) = host.field(definition, "choices")? else {
        return Ok(choices);
    };
    for at in 1..=added.raw_len() {
        let table: Table = added.raw_get(at)?;
        if is_aside(host, &table)? {
            continue;
        }
        if let LuaValue::Function(when) = table.raw_get("when")?
            && !when.call::<bool>(about.clone())?
        {
            continue;
        }
        let added = added_choice(lua, host, &table, at, about.as_ref());
        let added = added.map_err(|error| {
            let said = error.downcast_ref::<Problem>().map(|problem| problem.message.clone());
            let place = maker(host, &table, &said.unwrap_or_default());
            moved(error, place, |problem| problem)
        })?;
        choices.push((added, maker(host, &table, "")));
    }
    Ok(choices)
}

/// The place of the function of an added choice that gave the wrong value, by the field in the
/// message; or else that of its handler.
fn maker(host: &Host, choice: &Table, said: &str) -> Option<Place> {
    let mut functions = Vec::new();
    let pairs = choice.pairs::<String, LuaValue>().filter_map(Result::ok);
    for (name, value) in pairs {
        if let LuaValue::Function(function) = value {
            let first = said.contains(&format!("].{name}"));
            functions.push((!first, name != "on", host.place_of_function(&function)));
        }
    }
    functions.sort_by_key(|(other, plain, _)| (*other, *plain));
    functions.into_iter().find_map(|(_, _, place)| place)
}

/// One added choice.
fn added_choice(
    lua: &Lua,
    host: &Host,
    table: &Table,
    at: usize,
    about: Option<&LuaValue>,
) -> mlua::Result<Choice> {
    let mut fields = Map::new();
    let mut handled_here = false;
    for pair in table.pairs::<String, LuaValue>() {
        let (name, mut value) = pair?;
        if name == "when" {
            continue;
        }
        if name == "on" && value.is_function() {
            handled_here = true;
            continue;
        }
        if let LuaValue::Function(work) = &value {
            value = work.call(about.cloned())?;
        }
        let spot = format!("choices[{at}].{name}");
        if let Some(value) = given(lua, host, &spot, &value)? {
            fields.insert(Arc::from(name), value);
        }
    }
    let root = Spot::root("choices", host.reworded());
    let fields = Value::Map(fields);
    let rankings = &host.scope.rankings.borrow();
    let known = Known { rankings, groups: host.groups(""), reworded: host.reworded() };
    let mut choice = read_prompt::choice(&ValueRef::of(&fields), &root.index(at), known)?;
    if handled_here {
        choice.on = Some(format!("{ADDED}{}", choice.id));
    }
    Ok(choice)
}
