//! The keys that a frontend assigned to the choices of a prompt. They are kept beside the answer,
//! so that a resumed run shows the same keys.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

/// The keys of a prompt.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct PromptKeys {
    /// The kind of the keys.
    pub kind: KeyKind,
    /// The scene of the prompt.
    pub scene: String,
    /// The title of its view.
    pub title: String,
    /// The key of each choice, by the list that shows it (empty, or the id of a submenu) and by
    /// choice id. Choices that were removed while the prompt repeated have their keys still.
    pub keys: BTreeMap<String, BTreeMap<String, String>>,
}

/// The kind of keys; each frontend restores its own.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum KeyKind {
    /// One character, which takes the choice at once.
    Character,
    /// A number, which is typed.
    Number,
}
