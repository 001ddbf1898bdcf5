//! An event: something that happened in a step and is told.

use std::fmt;

use serde::de::value::MapAccessDeserializer;
use serde::de::{Error, MapAccess, Visitor};
use serde::{Deserialize, Deserializer, Serialize};

use crate::kit::Value;

/// Something that happened and is told. Texts are marked text (`kit::text`), values already put in.
#[derive(Clone, Debug, PartialEq, Serialize)]
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
    Roll(Box<Roll>),
}

impl Event {
    /// About how many bytes it takes to hold, beside itself.
    pub fn bytes(&self) -> usize {
        match self {
            Self::Say { text }
            | Self::Heading { text }
            | Self::Note { text }
            | Self::Gain { text }
            | Self::Loss { text } => text.len(),
            Self::Roll(roll) => {
                let dice = roll.dice.len()
                    + roll.added.iter().map(|added| added.dice.len()).sum::<usize>();
                let labels =
                    roll.modifiers.iter().map(|one| size_of::<Modifier>() + one.label.len());
                let texts = [&roll.label, &roll.notation, &roll.stream, &roll.by];
                let texts = texts.iter().map(|text| text.len()).sum::<usize>();
                size_of::<Roll>() + dice * size_of::<Die>() + labels.sum::<usize>() + texts
            }
        }
    }
}

/// A piece of a story as it is remembered: what was told, and what was answered between.
#[derive(Clone, Debug, PartialEq)]
pub enum Past {
    /// Something that was told.
    Told(Event),
    /// An answer in the words of what was asked; plain text.
    Answered(String),
}

impl Past {
    /// Whether a new stretch of the story begins with it.
    pub fn is_heading(&self) -> bool {
        matches!(self, Self::Told(Event::Heading { .. }))
    }

    /// About how many bytes it takes to hold.
    pub fn bytes(&self) -> usize {
        size_of::<Self>()
            + match self {
                Self::Told(event) => event.bytes(),
                Self::Answered(words) => words.len(),
            }
    }
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
    /// Dice that were added to it once it had been seen.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub added: Vec<Added>,
    /// Dice and modifiers together.
    pub total: i64,
    /// The number to reach, if there was one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub against: Option<i64>,
    /// Whether that number or less was to be thrown.
    #[serde(default, skip_serializing_if = "is_false")]
    pub under: bool,
    /// Whether something may still be done to it: it is told as it stands.
    #[serde(default, skip_serializing_if = "is_false")]
    pub open: bool,
    /// What it came to, in the game's word (`full`).
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub outcome: Option<String>,
    /// Who threw it: the mod's file and line.
    pub by: String,
}

fn is_false(truth: &bool) -> bool {
    !truth
}

/// Dice that were added to a roll once it had been seen.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Added {
    /// What they are (`inspiration`); marked text.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub label: String,
    /// The notation as it was asked for.
    pub notation: String,
    /// The stream they came from.
    pub stream: String,
    /// Every die in the order thrown.
    pub dice: Vec<Die>,
    /// What they add; below zero where they are taken off.
    pub total: i64,
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

/// Reads an event as it is written, its kind first: what is derived would take every event apart into
/// loose values before it looks at its kind, and a journal has events in every second line.
impl<'de> Deserialize<'de> for Event {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_map(Reader)
    }
}

struct Reader;

#[derive(Deserialize)]
#[serde(rename_all = "snake_case")]
enum Kind {
    Say,
    Heading,
    Note,
    Gain,
    Loss,
    Roll,
}

#[derive(Deserialize)]
struct Line {
    text: String,
}

impl<'de> Visitor<'de> for Reader {
    type Value = Event;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("an event, its kind first")
    }

    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Event, A::Error> {
        #[derive(Deserialize)]
        #[serde(rename_all = "snake_case")]
        enum First {
            Event,
        }
        let kind = match map.next_key()? {
            Some(First::Event) => map.next_value()?,
            None => return Err(Error::missing_field("event")),
        };
        let rest = MapAccessDeserializer::new(map);
        let text = |rest| Line::deserialize(rest).map(|line| line.text);
        Ok(match kind {
            Kind::Say => Event::Say { text: text(rest)? },
            Kind::Heading => Event::Heading { text: text(rest)? },
            Kind::Note => Event::Note { text: text(rest)? },
            Kind::Gain => Event::Gain { text: text(rest)? },
            Kind::Loss => Event::Loss { text: text(rest)? },
            Kind::Roll => Event::Roll(Box::new(Roll::deserialize(rest)?)),
        })
    }
}

impl Event {
    /// The event as plain data, as bots and tests see it.
    pub fn to_value(&self) -> Value {
        let json = serde_json::to_string(self).expect("an event always has a JSON text");
        serde_json::from_str(&json).expect("what was just written can be read")
    }
}
