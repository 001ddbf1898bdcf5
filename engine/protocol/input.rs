//! An input: the player's answer to a prompt. Only an input advances a run.

use std::ops::Deref;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// An answer to a prompt. It is checked against the prompt before it reaches the journal.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
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

/// An input that a prompt accepts. Only [`Prompt::accept`](crate::Prompt::accept) and
/// [`Choice::accept`](crate::Choice::accept) make one, so nobody checks it again.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct AcceptedInput(pub(crate) Input);

impl AcceptedInput {
    /// The input, owned.
    pub fn into_input(self) -> Input {
        self.0
    }
}

impl Deref for AcceptedInput {
    type Target = Input;

    fn deref(&self) -> &Input {
        &self.0
    }
}

impl PartialEq<Input> for AcceptedInput {
    fn eq(&self, input: &Input) -> bool {
        self.0 == *input
    }
}
