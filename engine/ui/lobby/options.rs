//! Asks for a run's options: those not set by hand and with more than one value. An option that is
//! not asked for may come from the profile; with a named seed it does not, so that all who play
//! this seed play the same.

use std::collections::BTreeMap;

use super::{Door, Stop, ask, choice};
use crate::kit::{Problem, Value};
use crate::play::{Ask, Choice, Input, Prompt, View};
use crate::run::{Holds, OptionSpec, complete_as_the_game_says, complete_options, option_specs};
use crate::script::Vm;

/// The prefix of the scenes of these prompts.
const SCENE: &str = "host:option";

/// The id for going back, outside every game's namespace.
const BACK: &str = "host:back";

/// Checks the options set by hand.
pub(super) fn check(vm: &Vm, set: &[(String, String)]) -> Result<(), Problem> {
    complete_as_the_game_says(vm, &given(set)).map(drop)
}

/// All options of a new run; `None` if the player went back.
pub(super) fn ask_all(
    vm: &Vm,
    set: &[(String, String)],
    from: &From<'_>,
    door: &mut Door<'_>,
    view: &View,
) -> Result<Option<Value>, Stop> {
    let specs = option_specs(vm.registry());
    // Each option may call the game twice: for its choices and for its check.
    let _budget = vm.one_budget(2 * specs.len());
    let mut given = given(set);
    let open = |spec: &&OptionSpec| !set.iter().any(|(name, _)| *name == spec.name);
    for spec in specs.iter().filter(|spec| spec.ask).filter(open) {
        let prompt = match offered(vm, spec, from.kept, &complete(&specs, &given)?) {
            Ok(Some(choices)) => Some(ask(SCENE, label(spec), choices)),
            Ok(None) => question(spec),
            Err(problem) => {
                // Without choices the option keeps its default.
                door.front.trouble(&problem)?;
                None
            }
        };
        let Some(mut prompt) = prompt.filter(has_something_to_choose) else { continue };
        // Each option is its own prompt, so keys and numbers start again.
        prompt.scene = format!("{SCENE}/{}", spec.name);
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

/// What influences a new run besides the options set by hand.
pub(super) struct From<'a> {
    /// The game's data in the player's profile.
    pub kept: &'a Value,
    /// Whether the seed is shared with others: a daily seed or a named one.
    pub seed_named: bool,
}

fn complete(specs: &[OptionSpec], given: &BTreeMap<String, Value>) -> Result<Value, Stop> {
    complete_options(specs, given).map_err(|problem| Stop::Usage(vec![problem]))
}

/// If an option is set several times, the last value counts.
fn given(set: &[(String, String)]) -> BTreeMap<String, Value> {
    set.iter().map(|(name, written)| (name.clone(), Value::text(written))).collect()
}

fn label(spec: &OptionSpec) -> &str {
    if spec.label.is_empty() { &spec.doc } else { &spec.label }
}

fn has_something_to_choose(prompt: &Prompt) -> bool {
    prompt.ask != Ask::One || prompt.choices.len() > 1
}

/// The choices that the game computes for an option, if it does.
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

/// The prompt for an option; `None` if there is only one value. The default is the first choice.
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
