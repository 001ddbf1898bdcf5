//! An input: the player's answer to a prompt. Only an input advances a run.

use serde::{Deserialize, Serialize};

/// An answer to a prompt. It is checked against the prompt before it reaches the journal.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Input {
    /// One choice, by its id.
    Choice(String),
    /// Several choices of a list, by their ids, in the order of the prompt.
    #[serde(rename = "many")]
    Choices(Vec<String>),
    /// A number in the prompt's range.
    Number(i64),
    /// A line of text.
    Text(String),
}
