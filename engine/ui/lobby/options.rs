//! Asking for a run's options: what is not set by hand and has more than one thing to choose. What nobody is
//! asked for may come from the profile; on a seed that was named it does not, so that all who play it
//! play the same.

use std::collections::BTreeMap;

use super::{Door, Stop, ask, choice};
use crate::kit::{Problem, Value};
use crate::play::{Ask, Choice, Input, Prompt, View};
use crate::run::{Holds, OptionSpec, complete_as_the_game_says, complete_options, option_specs};
use crate::script::Vm;

/// The scene that these questions name.
const SCENE: &str = "host:option";

/// The way back, in no game's namespace.
const BACK: &str = "host:back";

/// What is wrong with the options set by hand, if anything is.
pub(super) fn check(vm: &Vm, set: &[(String, String)]) -> Result<(), Problem> {
    complete_as_the_game_says(vm, &given(set)).map(drop)
}

/// All options of a new run; `None` where the player went back.
pub(super) fn ask_all(
    vm: &Vm,
    set: &[(String, String)],
    from: &From<'_>,
    door: &mut Door<'_>,
    view: &View,
) -> Result<Option<Value>, Stop> {
    let specs = option_specs(vm.registry());
    // Each may ask the game twice: what there is to choose, and whether it may be that.
    let _budget = vm.one_budget(2 * specs.len());
    let mut given = given(set);
    let open = |spec: &&OptionSpec| !set.iter().any(|(name, _)| *name == spec.name);
    for spec in specs.iter().filter(|spec| spec.ask).filter(open) {
        let prompt = match offered(vm, spec, from.kept, &complete(&specs, &given)?) {
            Ok(Some(choices)) => Some(ask(SCENE, label(spec), choices)),
            Ok(None) => question(spec),
            Err(problem) => {
                // What may be chosen cannot be worked out, so that it stays as it would be unasked.
                door.front.trouble(&problem)?;
                None
            }
        };
        let Some(mut prompt) = prompt.filter(has_something_to_choose) else { continue };
        if prompt.ask == Ask::One {
            prompt.choices.push(choice(BACK, "Back to the title"));
        }
        let Some(input) = door.input(&prompt, view)? else { return Ok(None) };
        let value = match input {
            Input::Choice(id) if id == BACK => return Ok(None),
            Input::Choice(text) | Input::Text(text) => Value::text(text),
            Input::Number(number) => Value::Int(number),
            Input::Many(_) => continue,
        };
        given.insert(spec.name.clone(), value);
    }
    for spec in specs.iter().filter(|spec| !spec.ask && !from.seed_named).filter(open) {
        match offered(vm, spec, from.kept, &complete(&specs, &given)?) {
            Ok(choices) => {
                let first = choices.into_iter().flatten().next();
                given.extend(first.map(|first| (spec.name.clone(), Value::text(first.id))));
            }
            Err(problem) => door.front.trouble(&problem)?,
        }
    }
    complete_as_the_game_says(vm, &given).map(Some).map_err(|problem| Stop::Usage(vec![problem]))
}

/// What a run is begun from, beside what is set by hand.
pub(super) struct From<'a> {
    /// What the player keeps of the game.
    pub kept: &'a Value,
    /// Whether the seed is one that others play too: a day's, or one that was named.
    pub seed_named: bool,
}

fn complete(specs: &[OptionSpec], given: &BTreeMap<String, Value>) -> Result<Value, Stop> {
    complete_options(specs, given).map_err(|problem| Stop::Usage(vec![problem]))
}

/// Of several that set the same, the last one counts.
fn given(set: &[(String, String)]) -> BTreeMap<String, Value> {
    set.iter().map(|(name, written)| (name.clone(), Value::text(written))).collect()
}

fn label(spec: &OptionSpec) -> &str {
    if spec.label.is_empty() { &spec.doc } else { &spec.label }
}

fn has_something_to_choose(prompt: &Prompt) -> bool {
    prompt.ask != Ask::One || prompt.choices.len() > 1
}

/// What the game offers for an option, if it works that out itself.
fn offered(
    vm: &Vm,
    spec: &OptionSpec,
    kept: &Value,
    chosen: &Value,
) -> Result<Option<Vec<Choice>>, Problem> {
    let mut declared = vm.registry().all("option");
    match declared.find(|definition| definition.id.name() == spec.name) {
        Some(definition) => vm.option_choices(definition.id.as_str(), kept, chosen),
        None => Ok(None),
    }
}

/// The question for an option; `None` where there is nothing to choose. What stands there at
/// first is the first choice.
fn question(spec: &OptionSpec) -> Option<Prompt> {
    let text = label(spec);
    let scene = SCENE.to_owned();
    let asking =
        |ask| Prompt { scene, text: text.to_owned(), ask, choices: Vec::new(), rounds: false };
    match &spec.holds {
        Holds::OneOf(values) if values.len() < 2 => None,
        Holds::OneOf(values) => {
            let mut choices: Vec<_> = values.iter().map(|(id, name)| choice(id, name)).collect();
            let default = spec.default.as_ref().and_then(Value::as_text);
            let first = choices.iter().position(|choice| Some(choice.id.as_str()) == default);
            choices[..=first.unwrap_or(0)].rotate_right(1);
            Some(ask(SCENE, text, choices))
        }
        Holds::Bool => {
            let mut choices = vec![choice("false", "No"), choice("true", "Yes")];
            if spec.default == Some(Value::Bool(true)) {
                choices.reverse();
            }
            Some(ask(SCENE, text, choices))
        }
        Holds::Int { min, max } => {
            let default = spec.default.as_ref().and_then(Value::as_int).unwrap_or(0);
            let (min, max) = (*min, *max);
            Some(asking(Ask::Number { min, max, default: default.clamp(min, max.max(min)) }))
        }
        Holds::Text(_) => {
            let default = spec.default.as_ref().and_then(Value::as_text).unwrap_or("").to_owned();
            Some(asking(Ask::Text { max_length: 200, default }))
        }
    }
}
