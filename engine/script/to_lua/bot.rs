//! Asks a bot for its answer. The bot sees what a player sees, as far as it asks for it, and the
//! facts that it names. Its memory is the state of a small world of its own, with its own dice, so
//! it never touches the run's.

use std::rc::Rc;
use std::sync::Arc;

use mlua::{Lua, Value as LuaValue};

use super::super::host::Host;
use super::super::phase::Permit;
use super::super::proxy;
use super::super::vm::Vm;
use super::call::{blame, given, listed, moved, place_of, with_changers};
use super::shown;
use crate::kit::value::Map;
use crate::kit::{Problem, Value};
use crate::play::{Ask, Event, Input, Prompt, View, World};

impl Vm {
    /// A bot's answer. `memory` is its own world.
    pub fn choose(&self, bot: &str, memory: &mut World, seen: &Seen<'_>) -> Result<Input, Problem> {
        let nothing = Value::map();
        // No schema declares what a bot's memory may hold.
        let holds = self.holds();
        self.hold(false);
        let asks_bot = &self.host().asks_bot;
        asks_bot.set(true);
        let answer =
            self.enter(memory, &nothing, Permit::Act, |lua, host| choose(lua, host, bot, seen));
        asks_bot.set(false);
        self.hold(holds);
        answer
    }

    /// Whether a bot asks for something besides the prompt: `view`, `events`.
    pub fn shows(&self, bot: &str, what: &str) -> bool {
        listed(self.registry(), "bot", bot, "observes").any(|one| one == what)
    }

    /// The facts that a bot names, for the present world. They are computed together, with fuel and
    /// memory of their own.
    pub fn facts(&self, bot: &str, world: &mut World, profile: &Value) -> Result<Map, Problem> {
        if listed(self.registry(), "bot", bot, "facts").next().is_none() {
            return Ok(Map::new());
        }
        self.enter(world, profile, Permit::Look("a fact"), |lua, host| facts(lua, host, bot))
    }
}

/// What a bot sees.
#[derive(Clone, Copy, Debug)]
pub struct Seen<'a> {
    /// The prompt.
    pub prompt: &'a Prompt,
    /// The view, if the bot asks for it.
    pub view: Option<&'a View>,
    /// The output since it was last asked, if it asks for it.
    pub events: Option<&'a [Event]>,
    /// The facts about the run.
    pub facts: &'a Map,
    /// The parameters of its strategy.
    pub parameters: &'a Map,
}

fn choose(lua: &Lua, host: &Rc<Host>, bot: &str, seen: &Seen<'_>) -> mlua::Result<Input> {
    let prompt = seen.prompt;
    let place = || place_of(host, "bot", bot, "choose");
    let known = host.bot_to_ask(bot)?;
    let _spender = host.fuel.spender_of(known.choose.spender);
    let shown = shown::shown(lua, seen)?;
    let answer: LuaValue = known.choose.function.call((shown, proxy::root(lua, host)?))?;
    let found = given(lua, host, "bot", &answer)
        .map_err(|error| moved(error, place(), |problem| problem))?;
    read(prompt, found).map_err(|why| {
        let problem = Problem::error(
            "bad-answer",
            format!("the answer of the bot {bot} is not valid: {why}"),
        )
        .expected(format!("for this prompt: {}", prompt.ask.wanted()));
        blame(problem, place())
    })
}

fn facts(lua: &Lua, host: &Rc<Host>, bot: &str) -> mlua::Result<Map> {
    let mut facts = Map::new();
    for (id, work) in &host.bot_to_ask(bot)?.facts {
        let _spender = host.fuel.spender_of(work.spender);
        let told: LuaValue = work.function.call(())?;
        let changed = |problem| with_changers(host, "fact", id, problem);
        let told = given(lua, host, "fact", &told)
            .map_err(|error| moved(error, place_of(host, "fact", id, "tell"), changed))?;
        let name = id.split_once(':').map_or(&**id, |(_, name)| name);
        if let Some(told) = told
            && facts.insert(Arc::from(name), told).is_some()
        {
            let problem = Problem::error("facts-alike", format!("two facts have the name {name}"))
                .expected("facts with different names for one bot");
            return Err(blame(problem, place_of(host, "bot", bot, "facts")));
        }
    }
    Ok(facts)
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
