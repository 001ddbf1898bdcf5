//! The groups of runs: all combinations of the given option values, and the profile.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use serde::{Deserialize, Serialize};

use author::CommandOutcome;
use author::profile_names::check_profile_names;
use author::switch_mods::CommandFailure;
use base::value::ValueMap;
use base::{Code, Problem, Value, text};
use mods::ModSet;
use script::Vm;
use session::{OptionSpec, OptionType, complete_and_check_options, option_specs};

/// The maximum number of groups, so that the report can be read.
pub(super) const MAX_RUN_GROUPS: usize = 400;

/// The maximum number of values of one `--set`.
const MAX_VALUES_PER_OPTION: i64 = 200;

/// Runs with the same options.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub(crate) struct RunGroup {
    /// The name and value of each option that was set.
    pub(crate) label: Vec<(String, String)>,
    /// The options that were set, for a case.
    #[serde(rename = "given")]
    pub(crate) set_options: BTreeMap<String, Value>,
    /// All options.
    pub(crate) options: Value,
    /// The bot of these runs, if it is not the same for all.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) bot: Option<String>,
}

/// The groups of the given options: every combination of values. An option that only the other
/// side of a comparison has (`foreign_specs`) is part of the label and sets nothing.
pub(crate) fn build_run_groups(
    vm: &Vm,
    set: &[(String, String)],
    foreign_specs: &[OptionSpec],
) -> Result<Vec<RunGroup>, Problem> {
    let specs = option_specs(vm.registry());
    let mut option_sets = vec![BTreeMap::new()];
    let mut label_sets: Vec<Vec<(String, String)>> = vec![Vec::new()];
    for (name, written) in set {
        let has_name = |spec: &&OptionSpec| spec.name == *name;
        let own_spec = specs.iter().find(has_name);
        let foreign_spec = foreign_specs.iter().find(has_name).filter(|_| own_spec.is_none());
        let values = expand_values(own_spec.or(foreign_spec), written)?;
        let wider = option_sets.len() * values.len();
        if wider > MAX_RUN_GROUPS {
            return Err(too_many_groups_problem(wider));
        }
        let pairs = option_sets.into_iter().zip(label_sets);
        let (next, labels) = pairs
            .flat_map(|(given, label)| {
                values.iter().map(move |value| {
                    let (mut option_values, mut label) = (given.clone(), label.clone());
                    if foreign_spec.is_none() {
                        option_values.insert(name.clone(), Value::text(value));
                    }
                    label.push((name.clone(), value.clone()));
                    (option_values, label)
                })
            })
            .unzip();
        (option_sets, label_sets) = (next, labels);
    }
    let groups = option_sets.into_iter().zip(label_sets).map(|(given, label)| {
        let options = complete_and_check_options(vm, &given)?;
        let set_options =
            given.keys().filter_map(|name| Some((name.clone(), options.get(name)?.clone())));
        Ok(RunGroup { label, set_options: set_options.collect(), options, bot: None })
    });
    groups.collect()
}

/// The Problem of more groups than a report can show.
pub(super) fn too_many_groups_problem(count: usize) -> Problem {
    let found = format!("these options give {count} groups of runs");
    Problem::error(Code::TooManyGroups, found).expected(format!("at most {MAX_RUN_GROUPS}"))
}

/// The values that a written value stands for: `a,b`, `1..5`, `*`.
fn expand_values(spec: Option<&OptionSpec>, written: &str) -> Result<Vec<String>, Problem> {
    let all = match spec.map(|spec| &spec.option_type) {
        Some(OptionType::OneOf(values)) => values.iter().map(|(value, _)| value.clone()).collect(),
        Some(OptionType::Bool) => vec!["false".to_owned(), "true".to_owned()],
        Some(OptionType::Text(ready)) => ready.clone(),
        Some(OptionType::Int { min, max }) if max.saturating_sub(*min) < MAX_VALUES_PER_OPTION => {
            (*min..=*max).map(|value| value.to_string()).collect()
        }
        Some(OptionType::Int { .. }) | None => Vec::new(),
    };
    if let (Some(spec), "*") = (spec, written) {
        let none = || {
            let found = format!("the option \"{}\" has no list of values for *", spec.name);
            let expected = match &spec.option_type {
                OptionType::Int { .. } => "a range, such as 1..5".to_owned(),
                _ if spec.doc.is_empty() => "separate values, such as a,b".to_owned(),
                _ => spec.doc.clone(),
            };
            Problem::error(Code::BadOption, found).expected(expected)
        };
        return if all.is_empty() { Err(none()) } else { Ok(all) };
    }
    let mut values = Vec::new();
    for part in written.split(',').map(str::trim) {
        let ends = part.split_once("..").and_then(|(least, most)| {
            Some((least.parse::<i64>().ok()?, most.parse::<i64>().ok()?))
        });
        match ends {
            Some((least, most)) if most >= least && most - least < MAX_VALUES_PER_OPTION => {
                values.extend((least..=most).map(|value| value.to_string()));
            }
            Some(_) => {
                let problem =
                    Problem::error(Code::BadRange, format!("{part} is not a valid range"));
                return Err(problem.expected("a range from low to high, such as 1..5"));
            }
            None => values.push(part.to_owned()),
        }
    }
    Ok(values)
}

/// The profile of `key=value` pairs; a value is JSON or else a text. A script of these sets of mods
/// must know each key.
pub(super) fn build_profile(
    mod_sets: &[&ModSet],
    pairs: &[(String, String)],
) -> Result<Value, CommandFailure> {
    if !pairs.is_empty() {
        check_profile_names(mod_sets, pairs.iter().map(|(name, _)| name.as_str()))
            .map_err(|problem| (CommandOutcome::UsageError, vec![problem]))?;
    }
    let mut data = ValueMap::new();
    for (key, written) in pairs {
        let value = serde_json::from_str(written).unwrap_or_else(|_| Value::text(written));
        data.insert(Arc::from(key.as_str()), value);
    }
    Ok(Value::Map(data))
}

/// An option that both sides of a comparison have, but with other values.
pub(super) fn find_different_option<'g>(
    groups: &'g [RunGroup],
    other_groups: &[RunGroup],
) -> Option<&'g str> {
    let names = groups.first()?.options.as_map()?.keys();
    let shared = names
        .filter(|name| other_groups.first().is_some_and(|group| group.options.get(name).is_some()));
    let values = |groups: &[RunGroup], name: &str| -> Vec<String> {
        groups.iter().filter_map(|group| Some(group.options.get(name)?.to_json())).collect()
    };
    let distinct = |values: Vec<String>| values.into_iter().collect::<BTreeSet<_>>();
    let differs = |name: &&Arc<str>, is_order_ignored: bool| {
        let (one, other) = (values(groups, name), values(other_groups, name));
        if is_order_ignored { distinct(one) != distinct(other) } else { one != other }
    };
    // Another number of values of one option repeats the values of all others more often.
    let found = shared.clone().find(|name| differs(name, true));
    found.or_else(|| shared.clone().find(|name| differs(name, false))).map(|name| &**name)
}

impl RunGroup {
    /// The options that were set, as text.
    pub(crate) fn label_text(&self) -> String {
        let pairs = self
            .label
            .iter()
            .map(|(name, value)| format!("{name}={}", text::strip_unprintable(value)));
        pairs.collect::<Vec<_>>().join(" ")
    }
}
