//! The run of a day: its options and its profile are the same for everybody. The game declares
//! values, the seed of the day draws among them.

use std::collections::BTreeMap;

use base::Value;
use base::digest::Hasher;
use content::{Datum, Registry, option_daily_values};

/// The options of the run with this seed. An option without values for it keeps its default.
pub fn daily_option_values(registry: &Registry, seed: u64) -> BTreeMap<String, Value> {
    let draw = |name: &str, mut values: Vec<Value>| {
        let mut hasher = Hasher::new("daily option");
        hasher.feed_bytes(&seed.to_le_bytes()).feed_text(name);
        let index = hasher.finish().low_u64().checked_rem(values.len() as u64)?;
        Some(values.swap_remove(index as usize))
    };
    let options = registry.active_definitions("option");
    let drawn = options.filter_map(|option| {
        let name = option.id.name();
        Some((name.to_owned(), draw(name, option_daily_values(option))?))
    });
    drawn.collect()
}

/// What scripts read as the profile in such a run.
pub(super) fn daily_profile(registry: &Registry) -> Value {
    let mut titles = registry.active_definitions("title");
    let profile = titles.find_map(|title| title.get("daily_profile").and_then(Datum::to_value));
    profile.filter(|profile| profile.as_map().is_some()).unwrap_or_else(Value::map)
}
