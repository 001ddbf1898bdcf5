//! The start of each run of an exploration: random options, and one of the start states that the
//! game declares. It depends only on the seed and the index of the run.

use std::collections::BTreeMap;

use base::{Problem, Value};
use content::{Datum, Registry};
use dice::RandomStreams;
use session::{OptionSpec, OptionType, RunParameters, complete_options};

/// Integers without bounds are drawn from this distance around zero.
const UNBOUNDED_INT_LIMIT: i64 = 20;

/// A start state that the game declares.
struct Sample {
    options: BTreeMap<String, Value>,
    profile: Value,
}

/// The possible starts of runs.
pub(super) struct ExplorePlan {
    specs: Vec<OptionSpec>,
    samples: Vec<Sample>,
    fixed_options: BTreeMap<String, Value>,
    seed: u64,
}

/// The start of one run.
pub(super) struct RunStart {
    pub(super) chosen_options: BTreeMap<String, Value>,
    pub(super) run_parameters: RunParameters,
}

impl ExplorePlan {
    /// A plan for the options and samples of a registry. Fixed options are the same in all runs.
    pub(super) fn new(
        specs: Vec<OptionSpec>,
        registry: &Registry,
        set: BTreeMap<String, Value>,
        seed: u64,
    ) -> Result<Self, Problem> {
        complete_options(&specs, &set)?;
        let value = |sample: &content::Definition, field: &str| {
            sample.get(field).and_then(Datum::to_value).filter(|value| value.as_map().is_some())
        };
        let read = |sample| {
            let options = value(sample, "options").unwrap_or_else(Value::map);
            let pairs = options.as_map().into_iter().flatten();
            Sample {
                options: pairs.map(|(name, value)| (name.to_string(), value.clone())).collect(),
                profile: value(sample, "profile").unwrap_or_else(Value::map),
            }
        };
        let samples: Vec<Sample> = registry.active_definitions("sample").map(read).collect();
        for sample in &samples {
            complete_options(&specs, &sample.options)?;
        }
        Ok(Self { specs, samples, fixed_options: set, seed })
    }

    /// The start of the run with this index.
    pub(super) fn run_start(&self, index: usize) -> RunStart {
        let seed = self.seed.wrapping_mul(0x9E37_79B9_7F4A_7C15).wrapping_add(index as u64);
        let mut dice = RandomStreams::new(seed);
        let mut below = |count: usize| {
            let sides = u32::try_from(count.max(1)).unwrap_or(u32::MAX);
            dice.draw("host:explore", sides) as usize - 1
        };
        let mut option_values = BTreeMap::new();
        for spec in &self.specs {
            let value = match &spec.option_type {
                OptionType::OneOf(values) if !values.is_empty() => {
                    Value::text(&values[below(values.len())].0)
                }
                OptionType::Bool => Value::Bool(below(2) == 1),
                OptionType::Int { min, max } => {
                    let (min, max) = (
                        (*min).max(-UNBOUNDED_INT_LIMIT),
                        (*max).min((*min).max(-UNBOUNDED_INT_LIMIT) + 2 * UNBOUNDED_INT_LIMIT),
                    );
                    Value::Int(min + below(usize::try_from(max - min + 1).unwrap_or(1)) as i64)
                }
                OptionType::OneOf(_) | OptionType::Text(_) => continue,
            };
            option_values.insert(spec.name.clone(), value);
        }
        // The runs of one more sample start without a profile, like a new player.
        let profile = match self.samples.get(below(self.samples.len() + 1)) {
            Some(sample) => {
                option_values.extend(sample.options.clone());
                sample.profile.clone()
            }
            None => Value::map(),
        };
        option_values.extend(self.fixed_options.clone());
        let options =
            complete_options(&self.specs, &option_values).expect("each value is of its range");
        RunStart {
            chosen_options: option_values,
            run_parameters: RunParameters { seed: index as u64 + 1, options, profile },
        }
    }
}
