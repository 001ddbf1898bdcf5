//! Asking for a run's options: what is not set by hand and has more than one thing to choose.

use std::collections::BTreeMap;

use super::{Door, Stop, ask, choice};
use crate::kit::{Problem, Value};
use crate::play::{Ask, Input, Prompt, View};
use crate::run::{Holds, OptionSpec, complete_options, option_specs};
use crate::script::Vm;

/// What is wrong with the options set by hand, if anything is.
pub(super) fn check(vm: &Vm, set: &[(String, String)]) -> Result<(), Problem> {
    complete_options(&option_specs(vm.registry()), &given(set)).map(drop)
}

/// All options of a new run; `None` where the player went back.
pub(super) fn ask_all(
    vm: &Vm,
    set: &[(String, String)],
    door: &mut Door<'_>,
    view: &View,
) -> Result<Option<Value>, Stop> {
    let specs = option_specs(vm.registry());
    let mut given = given(set);
    for spec in specs.iter().filter(|spec| spec.ask && !set.iter().any(|(n, _)| *n == spec.name)) {
        let Some(prompt) = question(spec) else { continue };
        let Some(input) = door.input(&prompt, view)? else { return Ok(None) };
        let value = match input {
            Input::Choice(text) | Input::Text(text) => Value::text(text),
            Input::Number(number) => Value::Int(number),
            Input::Many(_) => continue,
        };
        given.insert(spec.name.clone(), value);
    }
    complete_options(&specs, &given).map(Some).map_err(|problem| Stop::Usage(vec![problem]))
}

/// Of several that set the same, the last one counts.
fn given(set: &[(String, String)]) -> BTreeMap<String, Value> {
    set.iter().map(|(name, written)| (name.clone(), Value::text(written))).collect()
}

/// The question for an option; `None` where there is nothing to choose. What stands there at
/// first is the first choice.
fn question(spec: &OptionSpec) -> Option<Prompt> {
    let scene = "host:option";
    let text = if spec.label.is_empty() { &spec.doc } else { &spec.label };
    let asking =
        |ask| Prompt { scene: scene.to_owned(), text: text.clone(), ask, choices: Vec::new() };
    match &spec.holds {
        Holds::OneOf(values) if values.len() < 2 => None,
        Holds::OneOf(values) => {
            let mut choices: Vec<_> = values.iter().map(|(id, name)| choice(id, name)).collect();
            let default = spec.default.as_ref().and_then(Value::as_text);
            let first = choices.iter().position(|choice| Some(choice.id.as_str()) == default);
            choices[..=first.unwrap_or(0)].rotate_right(1);
            Some(ask(scene, text, choices))
        }
        Holds::Bool => {
            let mut choices = vec![choice("false", "No"), choice("true", "Yes")];
            if spec.default == Some(Value::Bool(true)) {
                choices.reverse();
            }
            Some(ask(scene, text, choices))
        }
        Holds::Int { min, max } => {
            let default = spec.default.as_ref().and_then(Value::as_int).unwrap_or(0);
            let (min, max) = (*min, *max);
            Some(asking(Ask::Number { min, max, default: default.clamp(min, max.max(min)) }))
        }
        Holds::Text => {
            let default = spec.default.as_ref().and_then(Value::as_text).unwrap_or("").to_owned();
            Some(asking(Ask::Text { max_length: 200, default }))
        }
    }
}
