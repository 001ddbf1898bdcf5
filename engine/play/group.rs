//! A group: what belongs together among the choices of a game's prompts. A game declares its groups as
//! it declares everything; front ends lay choices out by them and know none by name.

use serde::{Deserialize, Serialize};

use crate::kit::Problem;
use crate::kit::problem::{nearest, one_of};

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
    /// Whether they do where a question would put more in sight than is seen at a glance.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub folds: bool,
    /// The key that its page wishes for.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub key: Option<char>,
}

/// Where a group stands among these ids that is named by its whole id, or by its name alone: that of the mod
/// which names it, or else the first.
pub fn find<'a>(
    ids: impl Iterator<Item = &'a str> + Clone,
    word: &str,
    owner: &str,
) -> Option<usize> {
    let parted = |id: &'a str| id.split_once(':').unwrap_or(("", id));
    let mut all = ids.clone();
    let whole = ids.clone().position(|id| id == word);
    let own = || ids.clone().position(|id| parted(id) == (owner, word));
    whole.or_else(own).or_else(|| all.position(|id| parted(id).1 == word))
}

/// What is said where a group is named that is none of these.
pub fn missing<'a>(
    found: String,
    ids: impl Iterator<Item = &'a str> + Clone,
    word: &str,
) -> Problem {
    let names = ids.clone().map(|id| id.split_once(':').map_or(id, |(_, name)| name));
    let expected = match ids.clone().next() {
        Some(_) => one_of(word, ids),
        None => "a group that is declared: group \"…\" { name = … }".to_owned(),
    };
    let problem = Problem::error("missing-reference", found).expected(expected);
    problem.did_you_mean(nearest(word, names))
}

/// The one character that a wish for a key is; `None` where it is no letter or digit, or several.
pub fn wished_key(wish: &str) -> Option<char> {
    let mut letters = wish.chars();
    let first = letters.next().filter(char::is_ascii_alphanumeric)?;
    letters.next().is_none().then_some(first)
}
