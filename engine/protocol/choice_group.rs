//! Choice groups: related choices of a game's prompts. A game declares its groups; frontends use
//! them to lay choices out and know none by name.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use base::problem::{describe_alternatives, nearest_name};
use base::{Code, Problem};

/// A group of choices.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct ChoiceGroup {
    /// Its id, `mod:name`.
    pub id: String,
    /// The title of its submenu; marked text.
    pub name: String,
    /// Its position among groups, lowest first. Choices without a group come before all groups.
    #[serde(rename = "order")]
    pub sort_order: i64,
    /// Whether its choices are in a submenu behind one key.
    #[serde(rename = "page")]
    pub is_submenu: bool,
    /// Whether they move into a submenu when a prompt would show too many choices.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    #[serde(rename = "folds")]
    pub collapses: bool,
    /// The preferred key of its submenu.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[serde(rename = "key")]
    pub preferred_key: Option<char>,
}

/// The index of a group in a list of ids, by its whole id or by its bare name: that of the naming
/// mod, or else the first.
pub fn find_group_index<'a>(
    ids: impl Iterator<Item = &'a str> + Clone,
    group_name: &str,
    owner: &str,
) -> Option<usize> {
    let split_id = |id: &'a str| id.split_once(':').unwrap_or(("", id));
    let mut all = ids.clone();
    let exact_match = ids.clone().position(|id| id == group_name);
    let match_in_own_mod = || ids.clone().position(|id| split_id(id) == (owner, group_name));
    exact_match
        .or_else(match_in_own_mod)
        .or_else(|| all.position(|id| split_id(id).1 == group_name))
}

/// The Problem for a group that is not declared.
pub fn unknown_group_problem<'a>(
    found: String,
    ids: impl Iterator<Item = &'a str> + Clone,
    group_name: &str,
) -> Problem {
    let names = ids.clone().map(|id| id.split_once(':').map_or(id, |(_, name)| name));
    let expected = match ids.clone().next() {
        Some(_) => describe_alternatives(group_name, ids),
        None => "a group that is declared: group \"…\" { name = … }".to_owned(),
    };
    let problem = Problem::error(Code::MissingReference, found).expected(expected);
    problem.suggest_name(nearest_name(group_name, names))
}

/// The character of a preferred key; `None` unless it is a single letter or digit.
pub fn parse_preferred_key(request: &str) -> Option<char> {
    let mut chars = request.chars();
    let first = chars.next().filter(char::is_ascii_alphanumeric)?;
    chars.next().is_none().then_some(first)
}
