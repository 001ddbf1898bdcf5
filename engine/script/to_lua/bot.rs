//! Asks a bot for its answer. The bot sees what a player sees, as far as it asks for it, and the
//! facts that it names. Its memory is the state of a small world of its own, with its own dice, so
//! it never touches the run's.

use std::rc::Rc;
use std::sync::Arc;

use mlua::{Lua, Value as LuaValue};

use super::bot_table;
use super::call_support::{
    add_change_locations, create_error_at, list_texts_in_field, locate_definition_function,
    move_problem_to_function, read_plain_result,
};
use crate::host::Host;
use crate::host::phase::Permit;
use crate::values::proxy;
use crate::vm::Vm;
use base::value::ValueMap;
use base::{Code, Problem, Value};
use protocol::{AcceptedInput, AnswerType, Input, Prompt, StoryEvent, View, WorldState};

impl Vm {
    /// A bot's answer. `memory` is its own world.
    pub fn choose_bot_answer(
        &self,
        bot: &str,
        memory: &mut WorldState,
        bot_input: &BotInput<'_>,
    ) -> Result<AcceptedInput, Problem> {
        let empty_profile = Value::map();
        // No schema declares what a bot's memory may hold.
        let was_strict = self.is_strict();
        self.set_strict(false);
        let is_asking_bot = &self.host().is_bot_running;
        is_asking_bot.set(true);
        let answer =
            self.call_with_world(memory, &empty_profile, Permit::ReadWrite, |lua, host| {
                ask_bot(lua, host, bot, bot_input)
            });
        is_asking_bot.set(false);
        self.set_strict(was_strict);
        answer
    }

    /// Whether a bot asks for something besides the prompt: `view`, `events`.
    pub fn does_bot_observe(&self, bot: &str, observation: &str) -> bool {
        list_texts_in_field(self.registry(), "bot", bot, "observes").any(|text| text == observation)
    }

    /// The facts that a bot names, for the present world. They are computed together, with fuel and
    /// memory of their own.
    pub fn compute_facts(
        &self,
        bot: &str,
        world: &mut WorldState,
        profile: &Value,
    ) -> Result<ValueMap, Problem> {
        if list_texts_in_field(self.registry(), "bot", bot, "facts").next().is_none() {
            return Ok(ValueMap::new());
        }
        self.call_with_world(world, profile, Permit::ReadOnly("a fact"), |lua, host| {
            call_fact_functions(lua, host, bot)
        })
    }
}

/// The input of a bot.
#[derive(Clone, Copy, Debug)]
pub struct BotInput<'a> {
    /// The prompt.
    pub prompt: &'a Prompt,
    /// The view, if the bot asks for it.
    pub view: Option<&'a View>,
    /// The output since it was last asked, if it asks for it.
    pub events: Option<&'a [StoryEvent]>,
    /// The facts about the run.
    pub facts: &'a ValueMap,
    /// The parameters of its strategy.
    pub parameters: &'a ValueMap,
}

fn ask_bot(
    lua: &Lua,
    host: &Rc<Host>,
    bot: &str,
    bot_input: &BotInput<'_>,
) -> mlua::Result<AcceptedInput> {
    let prompt = bot_input.prompt;
    let place = || locate_definition_function(host, "bot", bot, "choose");
    let loaded_bot = host.load_bot(bot)?;
    let _account_guard = host.fuel.charge_to_account(loaded_bot.choose_function.fuel_account);
    let input_table = bot_table::build_bot_table(lua, bot_input)?;
    let answer: LuaValue =
        loaded_bot.choose_function.function.call((input_table, proxy::root_proxy(lua, host)?))?;
    let answer_value = read_plain_result(lua, host, "bot", &answer)
        .map_err(|error| move_problem_to_function(error, place(), |problem| problem))?;
    read_answer(prompt, answer_value).map_err(|reason| {
        let problem = Problem::error(
            Code::BadAnswer,
            format!("the answer of the bot {bot} is not valid: {reason}"),
        )
        .expected(format!("for this prompt: {}", prompt.answer_type.describe_expected()));
        create_error_at(problem, place())
    })
}

fn call_fact_functions(lua: &Lua, host: &Rc<Host>, bot: &str) -> mlua::Result<ValueMap> {
    let mut facts = ValueMap::new();
    for (id, fact_function) in &host.load_bot(bot)?.fact_functions {
        let _account_guard = host.fuel.charge_to_account(fact_function.fuel_account);
        let fact_value: LuaValue = fact_function.function.call(())?;
        let add_locations = |problem| add_change_locations(host, "fact", id, problem);
        let fact_data = read_plain_result(lua, host, "fact", &fact_value).map_err(|error| {
            move_problem_to_function(
                error,
                locate_definition_function(host, "fact", id, "tell"),
                add_locations,
            )
        })?;
        let name = id.split_once(':').map_or(&**id, |(_, name)| name);
        if let Some(fact_data) = fact_data
            && facts.insert(Arc::from(name), fact_data).is_some()
        {
            let problem =
                Problem::error(Code::AmbiguousFactName, format!("two facts have the name {name}"))
                    .expected("facts with different names for one bot");
            return Err(create_error_at(
                problem,
                locate_definition_function(host, "bot", bot, "facts"),
            ));
        }
    }
    Ok(facts)
}

fn read_answer(prompt: &Prompt, answer_value: Option<Value>) -> Result<AcceptedInput, String> {
    let answer_value = answer_value.ok_or("nothing")?;
    let input = match (&prompt.answer_type, &answer_value) {
        (AnswerType::SingleChoice, Value::Text(id)) => Input::Choice(id.to_string()),
        (AnswerType::Text { .. }, Value::Text(text)) => Input::Text(text.to_string()),
        (AnswerType::Number { .. }, Value::Int(number)) => Input::Number(*number),
        (AnswerType::MultipleChoice { .. }, _) => {
            let ids = answer_value.as_list().ok_or("a value that is not a list")?;
            let read_text = |id: &Value| {
                id.as_text().map(str::to_owned).ok_or("a list with items that are not texts")
            };
            Input::Choices(ids.iter().map(read_text).collect::<Result<_, _>>()?)
        }
        _ => return Err(answer_value.to_json()),
    };
    prompt.accept(input)
}
