//! What a player prefers of a front end. Kept in the profile; flags of a start go before it.

use crate::kit::Value;

/// What a player prefers. What is not said is left to the front end.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Preferences {
    /// The name of a palette.
    pub palette: Option<String>,
    /// Whether only ASCII signs are drawn.
    pub ascii: Option<bool>,
    /// Whether the mouse is listened to.
    pub mouse: Option<bool>,
    /// Keys of the player's own: for the name of an action the names of its keys.
    pub keys: Vec<(String, Vec<String>)>,
    /// Whether the plain voice puts questions in few words.
    pub brief: Option<bool>,
}

impl Preferences {
    /// As a profile keeps them; what cannot be understood counts as not said.
    pub fn kept(value: &Value) -> Self {
        let truth = |key| match value.get(key) {
            Some(Value::Bool(truth)) => Some(*truth),
            _ => None,
        };
        Self {
            palette: value.get("palette").and_then(Value::as_text).map(str::to_owned),
            ascii: truth("ascii"),
            mouse: truth("mouse"),
            keys: keys(value.get("keys")),
            brief: truth("brief"),
        }
    }

    /// These, and where they say nothing, those.
    pub fn or(&self, other: &Self) -> Self {
        Self {
            palette: self.palette.clone().or_else(|| other.palette.clone()),
            ascii: self.ascii.or(other.ascii),
            mouse: self.mouse.or(other.mouse),
            keys: if self.keys.is_empty() { other.keys.clone() } else { self.keys.clone() },
            brief: self.brief.or(other.brief),
        }
    }
}

fn keys(kept: Option<&Value>) -> Vec<(String, Vec<String>)> {
    let each = kept.and_then(Value::as_map).into_iter().flatten();
    each.map(|(action, keys)| {
        let keys = keys.as_list().into_iter().flatten();
        (action.to_string(), keys.filter_map(Value::as_text).map(str::to_owned).collect())
    })
    .collect()
}
