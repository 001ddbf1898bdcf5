//! Passes the player's answer to the handler of the scene.

use std::rc::Rc;

use mlua::{Function, Lua, Table, Value as LuaValue};

use super::super::handler_cache::Work;
use super::super::host::Host;
use super::super::phase::Permit;
use super::super::vm::Vm;
use super::agenda;
use super::call::{place_of, scene};
use super::prompt::ADDED;
use crate::kit::problem::nearest;
use crate::kit::{Problem, Value};
use crate::luau::Stack;
use crate::play::{Input, Prompt, World};

impl Vm {
    /// Passes an answer to its handler. The caller has checked it with `Prompt::accepts`.
    pub fn act(
        &self,
        world: &mut World,
        profile: &Value,
        prompt: &Prompt,
        input: &Input,
    ) -> Result<(), Problem> {
        self.host().mirrors.plays();
        self.enter(world, profile, Permit::Act, |lua, host| act(lua, host, prompt, input))
    }
}

fn act(lua: &Lua, host: &Rc<Host>, prompt: &Prompt, input: &Input) -> mlua::Result<()> {
    let waits = agenda::next(host);
    if waits.as_ref().is_some_and(|(_, asks)| !asks) {
        fits(prompt, input, &agenda::gone().scene)?;
        return agenda::go_on(lua, host);
    }
    let scene = scene(host)?;
    fits(prompt, input, &scene.id)?;
    let name = match input {
        Input::Choice(choice) => {
            let choice = prompt.choice(choice).expect("the prompt accepts it");
            choice.on.as_deref().unwrap_or(&choice.id)
        }
        _ => "answer",
    };
    let handler = scene.handler(name, || {
        let function = handler(host, &scene.id, &scene.definition, name)?;
        let spender = host.spender_of_function(&function);
        Ok(Work { function, spender })
    })?;
    let asked = waits.is_some().then(|| host.lent.world.borrow_mut().take_item()).flatten();
    {
        let _spender = host.fuel.spender_of(handler.spender);
        host.protected.run::<()>(lua, &handler.function, |stack| {
            push_handed(stack, prompt, input, asked.as_ref().and_then(|item| item.with.as_ref()));
            stack.call(1, 0);
        })?;
    }
    agenda::go_on(lua, host)
}

/// Refuses an answer to a different prompt.
fn fits(prompt: &Prompt, input: &Input, scene: &str) -> Result<(), Problem> {
    if *scene != *prompt.scene {
        let found = format!("the answer is for {:?}, but the run is in {scene:?}", prompt.scene);
        return Err(Problem::error("stale-prompt", found));
    }
    prompt.accepts(input).map_err(|why| Problem::error("bad-input", why))
}

/// Pushes the handler's arguments as a frozen table, with the subject of a question.
fn push_handed(stack: Stack<'_>, prompt: &Prompt, input: &Input, about: Option<&Value>) {
    let put = |name, push: &dyn Fn()| {
        push();
        stack.put(2, name);
    };
    stack.push_table(0, 2);
    match input {
        Input::Choice(id) => {
            put("id", &|| stack.push_text(id));
            if let Some(with) = prompt.choice(id).and_then(|choice| choice.with.as_ref()) {
                put("with", &|| stack.push_plain(with, true));
            }
        }
        Input::Many(ids) => put("ids", &|| stack.push_list(ids, true, |id| stack.push_text(id))),
        Input::Number(number) => put("number", &|| stack.push_number(*number as f64)),
        Input::Text(text) => put("text", &|| stack.push_text(text)),
    }
    if let Some(about) = about {
        put("asked", &|| stack.push_plain(about, true));
    }
    stack.set_frozen(2, true);
}

fn handler(host: &Host, scene: &str, definition: &Table, name: &str) -> mlua::Result<Function> {
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
    let found = format!("the scene {scene} has no handler {name:?}");
    let problem = Problem::error("missing-handler", found)
        .expected(format!("on = {{ {name} = function(input) … end }}"));
    let problem = Problem { place: place_of(host, "scene", scene, "prompt"), ..problem };
    Err(problem.did_you_mean(nearest(name, names.iter().map(String::as_str))).into())
}
