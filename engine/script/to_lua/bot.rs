//! A bot asked for its answer. It sees what a player sees and no more. What it remembers is the
//! state of a small world of its own, and its dice are that world's, so that it never touches the
//! run's.

use std::rc::Rc;

use mlua::{Function, Lua, Value as LuaValue};
use serde::Serialize;

use super::super::host::Host;
use super::super::phase::Permit;
use super::super::proxy;
use super::super::vm::Vm;
use super::call::{blame, given, moved, place_of};
use crate::kit::{Problem, Value};
use crate::luau;
use crate::play::{Ask, Event, Input, Prompt, View, World};

impl Vm {
    /// What a bot answers. `memory` is the bot's own world.
    pub fn choose(&self, bot: &str, memory: &mut World, seen: &Seen<'_>) -> Result<Input, Problem> {
        let nothing = Value::map();
        self.enter(memory, &nothing, Permit::Act, |lua, host| choose(lua, host, bot, seen))
    }
}

/// What a bot is shown: what a player sees.
#[derive(Clone, Copy, Debug, Serialize)]
pub struct Seen<'a> {
    /// What is asked.
    pub prompt: &'a Prompt,
    /// What stands beside the story.
    pub view: &'a View,
    /// What was told since it was last asked.
    pub events: &'a [Event],
}

fn choose(lua: &Lua, host: &Rc<Host>, bot: &str, seen: &Seen<'_>) -> mlua::Result<Input> {
    let prompt = seen.prompt;
    let place = || place_of(host, "bot", bot, "choose");
    let Some(definition) = host.definition("bot", bot)? else {
        let problem = Problem::error("unknown-bot", format!("there is no bot {bot:?}"));
        return Err(problem.into());
    };
    let function: Function = definition.get("choose")?;
    let _spender = host.fuel.spender_of(host.who_wrote("bot", bot, "choose"));
    let answer: LuaValue = function.call((shown(lua, seen)?, proxy::root(lua)?))?;
    let found = given(lua, host, "bot", &answer)
        .map_err(|error| moved(error, place(), |problem| problem))?;
    read(prompt, found).map_err(|why| {
        let problem = Problem::error("bad-answer", format!("the bot {bot} answers {why}"))
            .expected(format!("for this prompt: {}", prompt.ask.wanted()));
        blame(problem, place())
    })
}

/// What it is shown, as frozen tables in the shape that its JSON has.
fn shown(lua: &Lua, seen: &Seen<'_>) -> mlua::Result<LuaValue> {
    let seen = serde_json::to_value(seen).map_err(mlua::Error::external)?;
    luau::once(lua, (), |stack| stack.push_json(&seen))
}

fn read(prompt: &Prompt, found: Option<Value>) -> Result<Input, String> {
    let found = found.ok_or("nothing")?;
    let input = match (&prompt.ask, &found) {
        (Ask::One, Value::Text(id)) => Input::Choice(id.to_string()),
        (Ask::Text { .. }, Value::Text(text)) => Input::Text(text.to_string()),
        (Ask::Number { .. }, Value::Int(number)) => Input::Number(*number),
        (Ask::Many { .. }, _) => {
            let ids = found.as_list().ok_or("no list")?;
            let text = |id: &Value| id.as_text().map(str::to_owned).ok_or("a list of other things");
            Input::Many(ids.iter().map(text).collect::<Result<_, _>>()?)
        }
        _ => return Err(found.to_json()),
    };
    prompt.accepts(&input).map(|()| input)
}
