//! What runs are started with: options with lists and ranges spread out, and what a profile holds.

use std::collections::BTreeMap;
use std::sync::Arc;

use serde::{Deserialize, Serialize};

use crate::kit::value::Map;
use crate::kit::{Problem, Value, text};
use crate::run::{Holds, OptionSpec, complete_as_the_game_says, option_specs};
use crate::script::Vm;

/// Rows of a report are few enough to be read.
const MOST_GROUPS: usize = 400;

/// Values that one `--set` may stand for.
const MOST_VALUES: i64 = 200;

/// Runs that are started alike.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub(in crate::workshop) struct Group {
    /// What sets it apart: name and value of the options that were set.
    pub(in crate::workshop) label: Vec<(String, String)>,
    /// What was given, for a case.
    pub(in crate::workshop) given: BTreeMap<String, Value>,
    /// The options, complete.
    pub(in crate::workshop) options: Value,
}

/// The groups that options set by hand make: every value of one with every value of the others.
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
            let found = format!("these options make {wider} groups of runs");
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

/// The values that a written one stands for: `a,b`, `1..5`, `*`.
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
            let found = format!(
                "the option \"{}\" has no list of values that * could stand for",
                spec.name
            );
            let expected = match &spec.holds {
                Holds::Int { .. } => "a range, such as 1..5".to_owned(),
                _ if spec.doc.is_empty() => "values one by one, such as a,b".to_owned(),
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
                let problem = Problem::error("bad-range", format!("{part} is no range"));
                return Err(problem.expected("from less to more, such as 1..5"));
            }
            None => values.push(part.to_owned()),
        }
    }
    Ok(values)
}

/// What a profile holds, of `key=value` pairs; a value is JSON or else a text.
pub(in crate::workshop) fn profile(base: &Value, pairs: &[(String, String)]) -> Value {
    let mut data: Map = base.as_map().cloned().unwrap_or_default();
    for (key, written) in pairs {
        let value = serde_json::from_str(written).unwrap_or_else(|_| Value::text(written));
        data.insert(Arc::from(key.as_str()), value);
    }
    Value::Map(data)
}

impl Group {
    /// What sets it apart, for a person.
    pub(in crate::workshop) fn name(&self) -> String {
        let pairs = self.label.iter().map(|(name, value)| format!("{name}={}", text::clean(value)));
        pairs.collect::<Vec<_>>().join(" ")
    }
}
