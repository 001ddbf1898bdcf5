//! Options: the player's choices at the start of a run. Reads the declarations of the game, and
//! builds a complete table from a command line, a file or a prompt.

use std::collections::BTreeMap;
use std::sync::Arc;

use base::problem::nearest_name;
use base::value::ValueMap;
use base::{Code, Problem, Value};
use content::{Datum, Definition, Registry};
use script::Vm;

/// An option that the game declares.
#[derive(Clone, Debug, PartialEq)]
pub struct OptionSpec {
    /// Its name, without the mod.
    pub name: String,
    /// The label.
    pub label: String,
    /// The description.
    pub doc: String,
    /// Whether the player is asked for it.
    pub is_asked_before_run: bool,
    /// Its type.
    pub option_type: OptionType,
    /// The default value.
    pub default: Option<Value>,
}

/// The type of an option.
#[derive(Clone, Debug, PartialEq)]
pub enum OptionType {
    /// One of several values, each with its label.
    OneOf(Vec<(String, String)>),
    /// True or false.
    Bool,
    /// A whole number.
    Int {
        /// The minimum.
        min: i64,
        /// The maximum.
        max: i64,
    },
    /// A text, with suggested values.
    Text(Vec<String>),
}

impl OptionType {
    /// Whether a value is exactly one that a run can have, except for the game's own check of
    /// texts.
    pub fn allows(&self, value: &Value) -> bool {
        match (self, value) {
            (Self::OneOf(values), Value::Text(id)) => {
                values.iter().any(|(known, _)| **known == **id)
            }
            (Self::Int { min, max }, Value::Int(int)) => (min..=max).contains(&int),
            (Self::Bool, Value::Bool(_)) | (Self::Text(_), Value::Text(_)) => true,
            _ => false,
        }
    }

    /// The name of a value for players, if it has one.
    pub fn value_name(&self, value: &Value) -> Option<String> {
        let Self::OneOf(values) = self else { return None };
        values.iter().find(|(id, _)| Some(&**id) == value.as_text()).map(|(_, name)| name.clone())
    }
}

/// The options of a registry, in order of declaration.
pub fn option_specs(registry: &Registry) -> Vec<OptionSpec> {
    registry
        .active_definitions("option")
        .map(|definition| option_spec(registry, definition))
        .collect()
}

fn option_spec(registry: &Registry, definition: &Definition) -> OptionSpec {
    let text = |field: &str| definition.get(field).and_then(Datum::as_text).unwrap_or("");
    let int = |field: &str, default| match definition.get(field) {
        Some(Datum::Int(int)) => *int,
        _ => default,
    };
    let name = definition.id.name().to_owned();
    let option_type = match text("type") {
        "ref" => OptionType::OneOf(
            registry
                .active_definitions(text("kind"))
                .map(|one| id_and_display_name(registry, one))
                .collect(),
        ),
        "one_of" => OptionType::OneOf(texts_with_display_names(registry, definition.get("values"))),
        "bool" => OptionType::Bool,
        "int" => OptionType::Int { min: int("min", i64::MIN), max: int("max", i64::MAX) },
        _ => OptionType::Text(
            texts_with_display_names(registry, definition.get("values"))
                .into_iter()
                .map(|(value, _)| value)
                .collect(),
        ),
    };
    let default = content::option_default(definition);
    let shown = |field| registry.display_text(text(field)).to_owned();
    let label = if text("label").is_empty() { name.clone() } else { shown("label") };
    let ask = definition.get("ask") != Some(&Datum::Bool(false));
    OptionSpec { name, label, doc: shown("doc"), is_asked_before_run: ask, option_type, default }
}

fn id_and_display_name(registry: &Registry, definition: &Definition) -> (String, String) {
    let id = definition.id.to_string();
    let name = definition.get("name").and_then(Datum::as_text).unwrap_or(&id);
    let name = registry.display_text(name).to_owned();
    (id, name)
}

fn texts_with_display_names(registry: &Registry, values: Option<&Datum>) -> Vec<(String, String)> {
    let Some(Datum::List(list)) = values else { return Vec::new() };
    let texts = list.iter().filter_map(Datum::as_text);
    texts.map(|text| (text.to_owned(), registry.display_text(text).to_owned())).collect()
}

/// The complete table of options: the given values, checked, and defaults for the rest. Texts are
/// converted to the option's type, so that `--set` and a file work alike.
pub fn complete_options(
    specs: &[OptionSpec],
    requested_values: &BTreeMap<String, Value>,
) -> Result<Value, Problem> {
    if let Some(unknown_name) =
        requested_values.keys().find(|name| !specs.iter().any(|spec| spec.name == **name))
    {
        let names = specs.iter().map(|spec| spec.name.as_str());
        let expected = match specs {
            [] => "no option: the game has none".to_owned(),
            _ => format!("one of {}", names.clone().collect::<Vec<_>>().join(", ")),
        };
        let problem =
            Problem::error(Code::UnknownOption, format!("there is no option \"{unknown_name}\""))
                .expected(expected);
        return Err(problem.suggest_name(nearest_name(unknown_name, names)));
    }
    let mut table = ValueMap::new();
    for spec in specs {
        let value = match requested_values.get(&spec.name) {
            Some(value) => Some(convert_option_value(spec, value)?),
            None => spec.default.clone(),
        };
        if let Some(value) = value {
            table.insert(Arc::from(spec.name.as_str()), value);
        }
    }
    Ok(Value::Map(table))
}

/// The same, and asks the game to check the given texts.
pub fn complete_and_check_options(
    vm: &Vm,
    requested_values: &BTreeMap<String, Value>,
) -> Result<Value, Problem> {
    let specs = option_specs(vm.registry());
    let _budget = vm.share_budget(specs.len());
    let options = complete_options(&specs, requested_values)?;
    for spec in specs.iter().filter(|spec| requested_values.contains_key(&spec.name)) {
        let (OptionType::Text(suggestions), Some(value)) =
            (&spec.option_type, options.get(&spec.name))
        else {
            continue;
        };
        let mut declared = vm.registry().active_definitions("option");
        let id = declared.find(|definition| definition.id.name() == spec.name);
        let why = id.map_or(Ok(None), |id| vm.option_refusal_reason(id.id.as_str(), value))?;
        if let Some(why) = why {
            let found = base::text::display_value(value);
            let problem = format!("the option \"{}\" cannot be \"{found}\": {why}", spec.name);
            let of = if spec.doc.is_empty() { suggestions.join(", ") } else { spec.doc.clone() };
            let suggestions = suggestions.iter().map(String::as_str);
            return Err(Problem::error(Code::BadOption, problem)
                .expected(of)
                .suggest_name(nearest_name(&found, suggestions)));
        }
    }
    Ok(options)
}

/// Converts a given value to the option's type.
fn convert_option_value(spec: &OptionSpec, requested_value: &Value) -> Result<Value, Problem> {
    let found = base::text::display_value(requested_value);
    let option_problem = |expected: String| {
        Problem::error(
            Code::BadOption,
            format!("the option \"{}\" cannot be \"{found}\"", spec.name),
        )
        .expected(expected)
    };
    match &spec.option_type {
        OptionType::Bool => match (requested_value, found.as_str()) {
            (Value::Bool(_), _) => Ok(requested_value.clone()),
            (_, "true" | "yes" | "on") => Ok(Value::Bool(true)),
            (_, "false" | "no" | "off") => Ok(Value::Bool(false)),
            _ => Err(option_problem("true or false".to_owned())),
        },
        OptionType::Int { min, max } => match found.parse::<i64>() {
            Ok(int) if (min..=max).contains(&&int) => Ok(Value::Int(int)),
            _ => Err(option_problem(describe_range(*min, *max))),
        },
        OptionType::Text(_) => Ok(Value::text(found)),
        OptionType::OneOf(values) => {
            let has_name = |value: &str| value.rsplit(':').next() == Some(found.as_str());
            let exact_match = values.iter().find(|(value, _)| *value == found);
            match exact_match.or_else(|| values.iter().find(|(value, _)| has_name(value))) {
                Some((value, _)) => Ok(Value::text(value)),
                None => {
                    let all: Vec<&str> = values.iter().map(|(value, _)| value.as_str()).collect();
                    let near = nearest_name(&found, all.iter().copied());
                    Err(option_problem(format!("one of {}", all.join(", "))).suggest_name(near))
                }
            }
        }
    }
}

fn describe_range(min: i64, max: i64) -> String {
    match (min, max) {
        (i64::MIN, i64::MAX) => "a whole number".to_owned(),
        (min, i64::MAX) => format!("a whole number, at least {min}"),
        (i64::MIN, max) => format!("a whole number, at most {max}"),
        (min, max) => format!("a whole number from {min} to {max}"),
    }
}
