//! A bot: a player made of rules, either a game's own or the host's random one. It observes what a
//! player sees and draws from a stream outside the run. The parameters of a bot select variants of
//! it: `steady/rests=5/temper=bold`.

use std::sync::Arc;

use super::step::Session;
use base::value::ValueMap;
use base::{Code, Problem, Value};
use content::Registry;
use protocol::{AcceptedInput, AnswerType, Input, Prompt, StoryEvent, WorldState};
use script::BotInput;

/// The id of the host's own bot, which takes any open choice with equal probability.
pub const RANDOM_BOT_ID: &str = "random";

/// A player made of rules.
pub struct Bot {
    id: String,
    /// The parameters as given: names and values as text.
    parameter_texts: Vec<(String, String)>,
    /// The resolved parameters, once they were needed.
    parameters: Option<ValueMap>,
    memory: WorldState,
}

impl Bot {
    /// A bot with that id and the seed of its own dice. The id may be followed by parameters.
    pub fn new(id: &str, seed: u64) -> Self {
        let (id, parameter_texts) = split_bot_parameters(id);
        let to_owned_pair = |(name, value): (&str, &str)| (name.to_owned(), value.to_owned());
        let said = parameter_texts.into_iter().map(to_owned_pair).collect();
        Self {
            id: id.to_owned(),
            parameter_texts: said,
            parameters: None,
            memory: WorldState::new(seed),
        }
    }

    /// The bot's answer at the current prompt. `events` has the events since its last answer.
    pub fn choose_input(
        &mut self,
        session: &mut Session,
        events: &[StoryEvent],
    ) -> Result<AcceptedInput, Problem> {
        if self.id == RANDOM_BOT_ID {
            let input = self.choose_randomly(session.prompt());
            return session
                .prompt()
                .accept(input)
                .map_err(|why| Problem::error(Code::BadAnswer, why));
        }
        let wants_view = session.vm().does_bot_observe(&self.id, "view");
        if wants_view {
            session.compute_view_if_needed()?;
        }
        let facts = &session.compute_bot_facts(&self.id)?;
        let registry = session.vm().registry();
        let parameters = self.parameters.get_or_insert_with(|| {
            resolve_parameters(&declared_bot_parameters(registry, &self.id), &self.parameter_texts)
        });
        let view = wants_view.then(|| session.view());
        let events = session.vm().does_bot_observe(&self.id, "events").then_some(events);
        let bot_input = BotInput { prompt: session.prompt(), view, events, facts, parameters };
        session.vm().choose_bot_answer(&self.id, &mut self.memory, &bot_input)
    }

    fn choose_randomly(&mut self, prompt: &Prompt) -> Input {
        let open: Vec<&str> = prompt
            .choices
            .iter()
            .filter(|choice| choice.is_enabled())
            .map(|choice| choice.id.as_str())
            .collect();
        match &prompt.answer_type {
            AnswerType::SingleChoice => {
                Input::Choice(open[self.random_below(open.len())].to_owned())
            }
            AnswerType::MultipleChoice { min, max } => {
                let count = min + self.random_below(max.min(&open.len()) - min + 1);
                let mut left: Vec<usize> = (0..open.len()).collect();
                let mut chosen: Vec<usize> =
                    (0..count).map(|_| left.remove(self.random_below(left.len()))).collect();
                chosen.sort_unstable();
                Input::Choices(chosen.into_iter().map(|at| open[at].to_owned()).collect())
            }
            AnswerType::Number { min, max, .. } => {
                let span = usize::try_from(max - min).unwrap_or(usize::MAX).saturating_add(1);
                let step = i64::try_from(self.random_below(span)).unwrap_or(0);
                Input::Number(min + step)
            }
            AnswerType::Text { default, .. } => Input::Text(default.clone()),
        }
    }

    /// A random number from 0 to below `count`.
    fn random_below(&mut self, count: usize) -> usize {
        let sides = u32::try_from(count.max(1)).unwrap_or(u32::MAX);
        self.memory.dice.draw("host:bot", sides) as usize - 1
    }
}

/// Splits a bot's id from its parameters: `/name=value`, each.
pub fn split_bot_parameters(bot_text: &str) -> (&str, Vec<(&str, &str)>) {
    let mut parts = bot_text.split('/');
    let id = parts.next().unwrap_or_default();
    (id, parts.map(|part| part.split_once('=').unwrap_or((part, ""))).collect())
}

/// The parameters that a bot declares, each with its allowed values; the first is the default.
pub fn declared_bot_parameters(registry: &Registry, id: &str) -> Vec<(Arc<str>, Vec<Value>)> {
    let declared = registry.get("bot", id).and_then(|bot| bot.get("parameters")?.to_value());
    let values = |value: &Value| value.as_list().unwrap_or_default().to_vec();
    let all = declared.as_ref().and_then(Value::as_map).into_iter().flatten();
    all.map(|(name, value)| (name.clone(), values(value)))
        .filter(|(_, values)| !values.is_empty())
        .collect()
}

/// A parameter value as text after a bot's id.
pub fn format_bot_parameter(value: &Value) -> String {
    value.as_text().map_or_else(|| value.to_json(), str::to_owned)
}

/// The value of each parameter: as given, or the default.
fn resolve_parameters(
    declared: &[(Arc<str>, Vec<Value>)],
    parameter_texts: &[(String, String)],
) -> ValueMap {
    let value = |(name, values): &(Arc<str>, Vec<Value>)| {
        let requested_text = parameter_texts.iter().find(|(of, _)| **of == **name);
        let found = requested_text
            .and_then(|(_, text)| values.iter().find(|value| format_bot_parameter(value) == *text));
        (name.clone(), found.unwrap_or(&values[0]).clone())
    };
    declared.iter().map(value).collect()
}
