//! An event: something that happened in a step and is told.

use serde::{Deserialize, Serialize};

use crate::kit::Value;

/// Something that happened and is told. Texts are marked text (`kit::text`), values already put in.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(tag = "event", rename_all = "snake_case")]
pub enum Event {
    /// A line of the story.
    Say {
        /// Marked text.
        text: String,
    },
    /// The head of a new stretch of the story (a room, a fight).
    Heading {
        /// Marked text.
        text: String,
    },
    /// A remark beside the story (a rule at work, a hint).
    Note {
        /// Marked text.
        text: String,
    },
    /// Something the player now has, or a wound that closed.
    Gain {
        /// Marked text.
        text: String,
    },
    /// Something the player lost, or a wound.
    Loss {
        /// Marked text.
        text: String,
    },
    /// Dice that fell.
    Roll(Roll),
}

/// Dice that fell, with all their parts.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Roll {
    /// What the dice were thrown for (`strike`); marked text.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub label: String,
    /// The notation as it was asked for.
    pub notation: String,
    /// The stream the dice came from, `mod:name`.
    pub stream: String,
    /// Every die in the order thrown.
    pub dice: Vec<Die>,
    /// What the dice and the notation's own constants came to, before the modifiers.
    pub dice_total: i64,
    /// Named numbers added to the dice.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub modifiers: Vec<Modifier>,
    /// Dice and modifiers together.
    pub total: i64,
    /// The number to reach, if there was one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub against: Option<i64>,
    /// What it came to, in the game's word (`full`).
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub outcome: Option<String>,
    /// Who threw it: the mod's file and line.
    pub by: String,
}

/// One die that fell.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Die {
    /// How many sides it has.
    pub sides: u32,
    /// The side that came up.
    pub face: u32,
    /// Whether it counts (a dropped die does not).
    pub kept: bool,
}

/// A named number added to a roll.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Modifier {
    /// Its name (`ATK`); marked text.
    pub label: String,
    /// How much it adds.
    pub value: i64,
}

impl From<crate::dice::Die> for Die {
    fn from(die: crate::dice::Die) -> Self {
        Self { sides: die.sides, face: die.face, kept: die.kept }
    }
}

impl Event {
    /// The event as plain data, as bots and tests see it.
    pub fn to_value(&self) -> Value {
        let json = serde_json::to_string(self).expect("an event always has a JSON text");
        serde_json::from_str(&json).expect("what was just written can be read")
    }
}
