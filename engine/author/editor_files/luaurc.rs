//! `.luaurc`: strict types, and an alias for each library. Everything else in it is the author's.

use std::collections::BTreeMap;

use serde_json::{Map, Value, json};

/// The text of a `.luaurc` with these aliases; `None` if the present text has them, or cannot be
/// read as JSON.
pub(super) fn add_aliases(
    written: Option<&str>,
    aliases: &BTreeMap<String, String>,
) -> Option<String> {
    let mut settings = match written {
        None => json!({ "languageMode": "strict" }),
        Some(text) => serde_json::from_str(text).ok().filter(Value::is_object)?,
    };
    let entries = settings.as_object_mut()?;
    let known = entries.entry("aliases").or_insert_with(|| Value::Object(Map::new()));
    let known = known.as_object_mut()?;
    let is_present = |(name, path): (&String, &String)| known.get(name) == Some(&json!(path));
    if written.is_some() && aliases.iter().all(is_present) {
        return None;
    }
    known.extend(aliases.iter().map(|(name, path)| (name.clone(), json!(path))));
    let text = serde_json::to_string_pretty(&settings).expect("texts always have a JSON text");
    Some(format!("{text}\n"))
}
