//! A group: what belongs together among the choices of a game's prompts. A game declares its groups as
//! it declares everything; front ends lay choices out by them and know none by name.

use serde::{Deserialize, Serialize};

/// What belongs together among choices.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Group {
    /// Its id, `mod:name`.
    pub id: String,
    /// What stands above its page; marked text.
    pub name: String,
    /// Where it stands among groups: the least first. What belongs to no group comes before them all.
    pub order: i64,
    /// Whether its choices stand on a page of their own behind one key.
    pub page: bool,
    /// The key that its page wishes for.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub key: Option<char>,
}

/// The one character that a wish for a key is; `None` where it is no letter or digit, or several.
pub fn wished_key(wish: &str) -> Option<char> {
    let mut letters = wish.chars();
    let first = letters.next().filter(char::is_ascii_alphanumeric)?;
    letters.next().is_none().then_some(first)
}
