//! The value of an option of a run where none was chosen.

use super::datum::Datum;
use super::registry::Definition;
use base::Value;

/// The default of an option, if it has one. A reference is a full id.
pub fn option_default(option: &Definition) -> Option<Value> {
    let is_reference = option.get("type").and_then(Datum::as_text) == Some("ref");
    match option.get("default").and_then(Datum::to_value)? {
        Value::Text(id) if is_reference && !id.contains(':') => {
            Some(Value::text(format!("{}:{id}", option.id.mod_id())))
        }
        value => Some(value),
    }
}
