//! The groups of runs: all combinations of the given option values, and the profile.

use std::collections::BTreeMap;
use std::sync::Arc;

use serde::{Deserialize, Serialize};

use crate::kit::value::Map;
use crate::kit::{Problem, Value, text};
use crate::run::{Holds, OptionSpec, complete_as_the_game_says, option_specs};
use crate::script::Vm;

/// The maximum number of groups, so that the report can be read.
const MOST_GROUPS: usize = 400;

/// The maximum number of values of one `--set`.
const MOST_VALUES: i64 = 200;

/// Runs with the same options.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub(in crate::workshop) struct Group {
    /// The name and value of each option that was set.
    pub(in crate::workshop) label: Vec<(String, String)>,
    /// The options that were set, for a case.
    pub(in crate::workshop) given: BTreeMap<String, Value>,
    /// All options.
    pub(in crate::workshop) options: Value,
}

/// The groups of the given options: every combination of values.
pub(in crate::workshop) fn groups(
    vm: &Vm,
    set: &[(String, String)],
) -> Result<Vec<Group>, Problem> {
    let specs = option_specs(vm.registry());
    let mut given = vec![BTreeMap::new()];
    let mut shown: Vec<Vec<(String, String)>> = vec![Vec::new()];
    for (name, written) in set {
        let values = spread(specs.iter().find(|spec| spec.name == *name), written)?;
        let wider = given.len() * values.len();
        if wider > MOST_GROUPS {
            let found = format!("these options give {wider} groups of runs");
            return Err(
                Problem::error("too-many-groups", found).expected(format!("at most {MOST_GROUPS}"))
            );
        }
        let pairs = given.into_iter().zip(shown);
        let (next, labels) = pairs
            .flat_map(|(given, label)| {
                values.iter().map(move |value| {
                    let (mut given, mut label) = (given.clone(), label.clone());
                    given.insert(name.clone(), Value::text(value));
                    label.push((name.clone(), value.clone()));
                    (given, label)
                })
            })
            .unzip();
        (given, shown) = (next, labels);
    }
    let whole = given.into_iter().zip(shown).map(|(given, label)| {
        let options = complete_as_the_game_says(vm, &given)?;
        let named =
            given.keys().filter_map(|name| Some((name.clone(), options.get(name)?.clone())));
        Ok(Group { label, given: named.collect(), options })
    });
    whole.collect()
}

/// The values that a written value stands for: `a,b`, `1..5`, `*`.
fn spread(spec: Option<&OptionSpec>, written: &str) -> Result<Vec<String>, Problem> {
    let all = match spec.map(|spec| &spec.holds) {
        Some(Holds::OneOf(values)) => values.iter().map(|(value, _)| value.clone()).collect(),
        Some(Holds::Bool) => vec!["false".to_owned(), "true".to_owned()],
        Some(Holds::Text(ready)) => ready.clone(),
        Some(Holds::Int { min, max }) if max.saturating_sub(*min) < MOST_VALUES => {
            (*min..=*max).map(|value| value.to_string()).collect()
        }
        Some(Holds::Int { .. }) | None => Vec::new(),
    };
    if let (Some(spec), "*") = (spec, written) {
        let none = || {
            let found = format!("the option \"{}\" has no list of values for *", spec.name);
            let expected = match &spec.holds {
                Holds::Int { .. } => "a range, such as 1..5".to_owned(),
                _ if spec.doc.is_empty() => "separate values, such as a,b".to_owned(),
                _ => spec.doc.clone(),
            };
            Problem::error("bad-option", found).expected(expected)
        };
        return if all.is_empty() { Err(none()) } else { Ok(all) };
    }
    let mut values = Vec::new();
    for part in written.split(',').map(str::trim) {
        let ends = part.split_once("..").and_then(|(least, most)| {
            Some((least.parse::<i64>().ok()?, most.parse::<i64>().ok()?))
        });
        match ends {
            Some((least, most)) if most >= least && most - least < MOST_VALUES => {
                values.extend((least..=most).map(|value| value.to_string()));
            }
            Some(_) => {
                let problem = Problem::error("bad-range", format!("{part} is not a valid range"));
                return Err(problem.expected("a range from low to high, such as 1..5"));
            }
            None => values.push(part.to_owned()),
        }
    }
    Ok(values)
}

/// The profile with `key=value` pairs added; a value is JSON or else a text.
pub(in crate::workshop) fn profile(base: &Value, pairs: &[(String, String)]) -> Value {
    let mut data: Map = base.as_map().cloned().unwrap_or_default();
    for (key, written) in pairs {
        let value = serde_json::from_str(written).unwrap_or_else(|_| Value::text(written));
        data.insert(Arc::from(key.as_str()), value);
    }
    Value::Map(data)
}

impl Group {
    /// The options that were set, as text.
    pub(in crate::workshop) fn name(&self) -> String {
        let pairs = self.label.iter().map(|(name, value)| format!("{name}={}", text::clean(value)));
        pairs.collect::<Vec<_>>().join(" ")
    }
}
