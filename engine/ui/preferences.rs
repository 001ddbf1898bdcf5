//! A player's preferences for the frontend. The profile stores them; command-line flags override
//! them.

use base::Value;

/// The name of the language that the game is written in.
pub const OWN_LANGUAGE: &str = "none";

/// Preferences. What is unset is left to the frontend.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Preferences {
    /// The name of a palette.
    pub palette: Option<String>,
    /// Whether only ASCII characters are drawn.
    pub uses_ascii: Option<bool>,
    /// Whether the mouse is used.
    pub uses_mouse: Option<bool>,
    /// The player's own keys: action name and key names.
    pub key_overrides: Vec<(String, Vec<String>)>,
    /// Whether plain text asks in few words.
    pub uses_brief_text: Option<bool>,
    /// The language of the texts; [`OWN_LANGUAGE`] for the game's own.
    pub language: Option<String>,
}

impl Preferences {
    /// Reads the preferences of a profile; invalid values count as unset.
    pub fn from_profile(value: &Value) -> Self {
        let read_bool = |key| match value.get(key) {
            Some(Value::Bool(truth)) => Some(*truth),
            _ => None,
        };
        Self {
            palette: value.get("palette").and_then(Value::as_text).map(str::to_owned),
            uses_ascii: read_bool("ascii"),
            uses_mouse: read_bool("mouse"),
            key_overrides: parse_keys(value.get("keys")),
            uses_brief_text: read_bool("brief"),
            language: value.get("language").and_then(Value::as_text).map(str::to_owned),
        }
    }

    /// These preferences, with unset values taken from `other`.
    pub fn with_fallback(&self, other: &Self) -> Self {
        Self {
            palette: self.palette.clone().or_else(|| other.palette.clone()),
            uses_ascii: self.uses_ascii.or(other.uses_ascii),
            uses_mouse: self.uses_mouse.or(other.uses_mouse),
            key_overrides: if self.key_overrides.is_empty() {
                other.key_overrides.clone()
            } else {
                self.key_overrides.clone()
            },
            uses_brief_text: self.uses_brief_text.or(other.uses_brief_text),
            language: self.language.clone().or_else(|| other.language.clone()),
        }
    }
}

fn parse_keys(value: Option<&Value>) -> Vec<(String, Vec<String>)> {
    let each = value.and_then(Value::as_map).into_iter().flatten();
    each.map(|(action, keys)| {
        let keys = keys.as_list().into_iter().flatten();
        (action.to_string(), keys.filter_map(Value::as_text).map(str::to_owned).collect())
    })
    .collect()
}
