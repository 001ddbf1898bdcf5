//! What the player answered, handed to the scene's handler.

use std::rc::Rc;

use mlua::{Function, Lua, Table, Value as LuaValue};
use serde::Serialize;

use super::super::asked::Work;
use super::super::host::{Host, Permit};
use super::super::raw;
use super::super::vm::Vm;
use super::prompt::ADDED;
use super::{place_of, scene};
use crate::kit::problem::nearest;
use crate::kit::{Problem, Value};
use crate::play::{Input, Prompt, World};

impl Vm {
    /// Takes an answer to its handler. The input answers the prompt; whoever calls has asked
    /// `Prompt::accepts`.
    pub fn act(
        &self,
        world: &mut World,
        profile: &Value,
        prompt: &Prompt,
        input: &Input,
    ) -> Result<(), Problem> {
        self.enter(world, profile, Permit::Act, |lua, host| act(lua, host, prompt, input))
    }
}

fn act(lua: &Lua, host: &Rc<Host>, prompt: &Prompt, input: &Input) -> mlua::Result<()> {
    let scene = scene(lua, host)?;
    if *scene.id != *prompt.scene {
        let found =
            format!("the answer is to {:?}, and the run is in {:?}", prompt.scene, scene.id);
        return Err(host.fail(lua, Problem::error("stale-prompt", found)));
    }
    if let Err(why) = prompt.accepts(input) {
        return Err(host.fail(lua, Problem::error("bad-input", why)));
    }
    let name = match input {
        Input::Choice(choice) => {
            let choice = prompt.choice(choice).expect("the prompt accepts it");
            choice.on.as_deref().unwrap_or(&choice.id)
        }
        _ => "answer",
    };
    let handler = scene.handler(name, || {
        let function = handler(lua, host, &scene.id, &scene.definition, name)?;
        let spender = host.fuel.number_of(&host.owner_of_function(&function));
        Ok(Work { function, spender })
    })?;
    let _spender = host.fuel.spender_of(handler.spender);
    raw::call_with(lua, host, &handler.function, &Handed::of(prompt, input))
}

/// What the handler is given, by name.
#[derive(Default, Serialize)]
struct Handed<'a> {
    #[serde(skip_serializing_if = "Option::is_none")]
    id: Option<&'a str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    ids: Option<&'a [String]>,
    #[serde(skip_serializing_if = "Option::is_none")]
    number: Option<i64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    text: Option<&'a str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    with: Option<&'a Value>,
}

impl<'a> Handed<'a> {
    fn of(prompt: &'a Prompt, input: &'a Input) -> Self {
        match input {
            Input::Choice(id) => {
                let choice = prompt.choice(id).expect("the prompt accepts it");
                Self { id: Some(id), with: choice.with.as_ref(), ..Self::default() }
            }
            Input::Many(ids) => Self { ids: Some(ids), ..Self::default() },
            Input::Number(number) => Self { number: Some(*number), ..Self::default() },
            Input::Text(text) => Self { text: Some(text), ..Self::default() },
        }
    }
}

fn handler(
    lua: &Lua,
    host: &Host,
    scene: &str,
    definition: &Table,
    name: &str,
) -> mlua::Result<Function> {
    if let Some(added) = name.strip_prefix(ADDED)
        && let LuaValue::Table(choices) = host.field(definition, "choices")?
    {
        for at in 1..=choices.raw_len() {
            let choice: Table = choices.raw_get(at)?;
            if choice.raw_get::<LuaValue>("id")?.as_string().is_some_and(|id| id == added)
                && let LuaValue::Function(on) = choice.raw_get("on")?
            {
                return Ok(on);
            }
        }
    }
    let handlers: LuaValue = host.field(definition, "on")?;
    let mut names = Vec::new();
    if let LuaValue::Table(handlers) = &handlers {
        if let LuaValue::Function(on) = handlers.raw_get(name)? {
            return Ok(on);
        }
        for pair in handlers.pairs::<String, LuaValue>() {
            names.push(pair?.0);
        }
        names.sort();
    }
    let mut problem =
        Problem::error("missing-handler", format!("the scene {scene} has no handler {name:?}"))
            .expected(format!("on = {{ {name} = function(input) … end }}"));
    if let Some(place) = place_of(host, "scene", scene, "prompt") {
        problem = problem.at(place);
    }
    if let Some(near) = nearest(name, names.iter().map(String::as_str)) {
        problem = problem.hint(format!("did you mean {near:?}?"));
    }
    Err(host.fail(lua, problem))
}
