//! A player's preferences for the frontend. The profile stores them; command-line flags override
//! them.

use base::Value;

/// Preferences. What is unset is left to the frontend.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Preferences {
    /// The name of a palette.
    pub palette: Option<String>,
    /// Whether only ASCII characters are drawn.
    pub ascii: Option<bool>,
    /// Whether the mouse is used.
    pub mouse: Option<bool>,
    /// The player's own keys: action name and key names.
    pub key_overrides: Vec<(String, Vec<String>)>,
    /// Whether plain text asks in few words.
    pub brief: Option<bool>,
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
            ascii: read_bool("ascii"),
            mouse: read_bool("mouse"),
            key_overrides: parse_keys(value.get("keys")),
            brief: read_bool("brief"),
        }
    }

    /// These preferences, with unset values taken from `other`.
    pub fn or(&self, other: &Self) -> Self {
        Self {
            palette: self.palette.clone().or_else(|| other.palette.clone()),
            ascii: self.ascii.or(other.ascii),
            mouse: self.mouse.or(other.mouse),
            key_overrides: if self.key_overrides.is_empty() {
                other.key_overrides.clone()
            } else {
                self.key_overrides.clone()
            },
            brief: self.brief.or(other.brief),
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
