//! Asks for a run's options: those not set by hand and with more than one value. An option that is
//! not asked for may come from the profile; with a named seed it does not, so that all who play
//! this seed play the same.

use base::host_text;
use std::collections::BTreeMap;

use super::{ExitReason, HostPrompts, host_choice, host_prompt};
use base::{Problem, Value};
use protocol::{AnswerType, Choice, Input, Prompt, View};
use script::Vm;
use session::{OptionSpec, OptionType, complete_and_check_options, complete_options, option_specs};

/// The prefix of the scenes of these prompts.
const SCENE_PREFIX: &str = "host:option";

/// The id for going back, outside every game's namespace.
const BACK_CHOICE_ID: &str = "host:back";

/// Checks the options set by hand.
pub(super) fn check_command_line_options(
    vm: &Vm,
    assignments: &[(String, String)],
) -> Result<(), Problem> {
    complete_and_check_options(vm, &values_from_command_line(assignments)).map(drop)
}

/// All options of a new run; `None` if the player went back.
pub(super) fn ask_options_of_new_run(
    vm: &Vm,
    assignments: &[(String, String)],
    sources: &RunOptionInputs<'_>,
    host_prompts: &mut HostPrompts<'_>,
    view: &View,
) -> Result<Option<Value>, ExitReason> {
    let specs = option_specs(vm.registry());
    // Each option may call the game twice: for its choices and for its check.
    let _budget = vm.share_budget(2 * specs.len());
    let mut values = sources.repeated_options.clone();
    values.extend(values_from_command_line(assignments));
    let is_unset = |spec: &&OptionSpec| !assignments.iter().any(|(name, _)| *name == spec.name);
    let is_repeated = |spec: &OptionSpec| sources.repeated_options.contains_key(&spec.name);
    let asked = specs.iter().filter(|spec| spec.is_asked_before_run && !is_repeated(spec));
    for spec in asked.filter(is_unset) {
        let prompt = match computed_choices(
            vm,
            spec,
            sources.profile_data,
            &complete_values(&specs, &values)?,
        ) {
            Ok(Some(choices)) => Some(host_prompt(SCENE_PREFIX, &option_question(spec), choices)),
            Ok(None) => option_prompt(spec),
            Err(problem) => {
                // Without choices the option keeps its default.
                host_prompts.frontend.show_problem(&problem)?;
                None
            }
        };
        let Some(mut prompt) = prompt.filter(has_alternatives) else { continue };
        // Each option is its own prompt, so keys and numbers start again.
        prompt.scene = format!("{SCENE_PREFIX}/{}", spec.name);
        if prompt.answer_type == AnswerType::SingleChoice {
            prompt.choices.push(host_choice(BACK_CHOICE_ID, &host_text!("Back to the title")));
        }
        let Some(input) = host_prompts.ask_input(&prompt, view)? else { return Ok(None) };
        let value = match input {
            Input::Choice(id) if id == BACK_CHOICE_ID => return Ok(None),
            Input::Choice(text) | Input::Text(text) => Value::text(text),
            Input::Number(number) => Value::Int(number),
            Input::Choices(_) => continue,
        };
        values.insert(spec.name.clone(), value);
    }
    for spec in specs
        .iter()
        .filter(|spec| !spec.is_asked_before_run && !sources.has_named_seed)
        .filter(is_unset)
    {
        match computed_choices(vm, spec, sources.profile_data, &complete_values(&specs, &values)?) {
            Ok(choices) => {
                // The first of several would be nobody's choice.
                let only = choices.filter(|choices| choices.len() == 1).into_iter().flatten();
                values.extend(only.map(|only| (spec.name.clone(), Value::text(only.id))));
            }
            Err(problem) => host_prompts.frontend.show_problem(&problem)?,
        }
    }
    complete_and_check_options(vm, &values)
        .map(Some)
        .map_err(|problem| ExitReason::UsageError(vec![problem]))
}

/// What influences a new run besides the options set by hand.
pub(super) struct RunOptionInputs<'a> {
    /// The game's data in the player's profile.
    pub profile_data: &'a Value,
    /// The options of an earlier run that are used again.
    pub repeated_options: &'a BTreeMap<String, Value>,
    /// Whether the seed is shared with others: a daily seed or a named one.
    pub has_named_seed: bool,
}

fn complete_values(
    specs: &[OptionSpec],
    values: &BTreeMap<String, Value>,
) -> Result<Value, ExitReason> {
    complete_options(specs, values).map_err(|problem| ExitReason::UsageError(vec![problem]))
}

/// The options of a run that the next one can repeat. What was chosen in the run itself is in its
/// outcome under the name of the option.
pub(super) fn options_to_repeat(
    vm: &Vm,
    options: &Value,
    outcome: &Value,
) -> BTreeMap<String, Value> {
    let specs = option_specs(vm.registry());
    let _budget = vm.share_budget(2 * specs.len());
    let repeated = specs.iter().filter_map(|spec| {
        let chosen = outcome.get(&spec.name).filter(|value| spec.option_type.allows(value));
        let mut values = chosen
            .into_iter()
            .chain(options.get(&spec.name))
            .map(|value| BTreeMap::from([(spec.name.clone(), value.clone())]));
        values.find(|value| complete_and_check_options(vm, value).is_ok())
    });
    repeated.flatten().collect()
}

/// If an option is set several times, the last value counts.
pub(super) fn values_from_command_line(
    assignments: &[(String, String)],
) -> BTreeMap<String, Value> {
    assignments.iter().map(|(name, written)| (name.clone(), Value::text(written))).collect()
}

/// The question for an option: its label, and what its author says of it.
fn option_question(spec: &OptionSpec) -> String {
    match (spec.label.as_str(), spec.doc.as_str()) {
        (text, "") | ("", text) => text.to_owned(),
        (label, doc) => format!("{label} ({doc})"),
    }
}

fn has_alternatives(prompt: &Prompt) -> bool {
    prompt.answer_type != AnswerType::SingleChoice || prompt.choices.len() > 1
}

/// The choices that the game computes for an option, if it does.
pub(super) fn computed_choices(
    vm: &Vm,
    spec: &OptionSpec,
    profile_data: &Value,
    chosen_values: &Value,
) -> Result<Option<Vec<Choice>>, Problem> {
    let mut option_definitions = vm.registry().active_definitions("option");
    match option_definitions.find(|definition| definition.id.name() == spec.name) {
        Some(definition) => {
            vm.compute_option_choices(definition.id.as_str(), profile_data, chosen_values)
        }
        None => Ok(None),
    }
}

/// The prompt for an option; `None` if there is only one value. The default is the first choice.
fn option_prompt(spec: &OptionSpec) -> Option<Prompt> {
    let text = option_question(spec);
    let scene = SCENE_PREFIX.to_owned();
    let build_prompt = |ask| Prompt {
        scene,
        text: text.clone(),
        answer_type: ask,
        choices: Vec::new(),
        repeats: false,
    };
    match &spec.option_type {
        OptionType::OneOf(values) if values.len() < 2 => None,
        OptionType::OneOf(values) => {
            let mut choices: Vec<_> =
                values.iter().map(|(id, name)| host_choice(id, name)).collect();
            let default = spec.default.as_ref().and_then(Value::as_text);
            let default_index =
                choices.iter().position(|choice| Some(choice.id.as_str()) == default);
            choices[..=default_index.unwrap_or(0)].rotate_right(1);
            Some(host_prompt(SCENE_PREFIX, &text, choices))
        }
        OptionType::Bool => {
            let mut choices = vec![
                host_choice("false", &host_text!("No")),
                host_choice("true", &host_text!("Yes")),
            ];
            if spec.default == Some(Value::Bool(true)) {
                choices.reverse();
            }
            Some(host_prompt(SCENE_PREFIX, &text, choices))
        }
        OptionType::Int { min, max } => {
            let default = spec.default.as_ref().and_then(Value::as_int).unwrap_or(0);
            let (min, max) = (*min, *max);
            Some(build_prompt(AnswerType::Number {
                min,
                max,
                default: default.clamp(min, max.max(min)),
            }))
        }
        OptionType::Text(_) => {
            let default = spec.default.as_ref().and_then(Value::as_text).unwrap_or("").to_owned();
            Some(build_prompt(AnswerType::Text { max_length: 200, default }))
        }
    }
}
