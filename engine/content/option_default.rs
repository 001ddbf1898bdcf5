//! The value of an option of a run where none was chosen.

use super::datum::Datum;
use super::registry::Definition;
use base::Value;

/// The default of an option, if it has one. A reference is a full id.
pub fn option_default(option: &Definition) -> Option<Value> {
    Some(with_full_id(option, option.get("default").and_then(Datum::to_value)?))
}

/// The values of an option from which a daily run draws. A reference is a full id.
pub fn option_daily_values(option: &Definition) -> Vec<Value> {
    let values = option.get("daily").and_then(Datum::as_list).unwrap_or_default().iter();
    values.filter_map(|value| Some(with_full_id(option, value.to_value()?))).collect()
}

fn with_full_id(option: &Definition, value: Value) -> Value {
    let is_reference = option.get("type").and_then(Datum::as_text) == Some("ref");
    match value {
        Value::Text(id) if is_reference && !id.contains(':') => {
            Value::text(format!("{}:{id}", option.id.mod_id()))
        }
        value => value,
    }
}
