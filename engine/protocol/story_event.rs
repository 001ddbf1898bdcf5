//! Story events: what a step reports to the player.

use std::fmt;

use serde::de::value::MapAccessDeserializer;
use serde::de::{Error, MapAccess, Visitor};
use serde::{Deserialize, Deserializer, Serialize};

use base::Value;

/// A story event. Texts are marked text (`base::text`) with the values already filled in.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[serde(tag = "event", rename_all = "snake_case")]
pub enum StoryEvent {
    /// A line of the story.
    Say {
        /// Marked text.
        text: String,
    },
    /// The heading of a new section of the story (a room, a fight).
    Heading {
        /// Marked text.
        text: String,
    },
    /// A remark beside the story (a rule that applies, a hint).
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
    /// A roll.
    Roll(Box<RollEvent>),
}

impl StoryEvent {
    /// Its approximate size in memory, without the enum itself.
    pub fn memory_bytes(&self) -> usize {
        match self {
            Self::Say { text }
            | Self::Heading { text }
            | Self::Note { text }
            | Self::Gain { text }
            | Self::Loss { text } => text.len(),
            Self::Roll(roll) => {
                let dice = roll.dice.len()
                    + roll.added_dice.iter().map(|added| added.dice.len()).sum::<usize>();
                let labels =
                    roll.modifiers.iter().map(|one| size_of::<Modifier>() + one.label.len());
                let texts = [&roll.label, &roll.notation, &roll.stream, &roll.source_position];
                let texts = texts.iter().map(|text| text.len()).sum::<usize>();
                size_of::<RollEvent>() + dice * size_of::<Die>() + labels.sum::<usize>() + texts
            }
        }
    }
}

/// An entry of the story history: an event, or an answer between events.
#[derive(Clone, Debug, PartialEq)]
pub enum StoryEntry {
    /// A story event.
    Event(StoryEvent),
    /// An answer, as the label of the choice; plain text.
    Answer(String),
}

impl StoryEntry {
    /// Whether a new section of the story begins with it.
    pub fn is_heading(&self) -> bool {
        matches!(self, Self::Event(StoryEvent::Heading { .. }))
    }

    /// Its approximate size in memory.
    pub fn memory_bytes(&self) -> usize {
        size_of::<Self>()
            + match self {
                Self::Event(event) => event.memory_bytes(),
                Self::Answer(words) => words.len(),
            }
    }
}

/// A roll with all its parts.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct RollEvent {
    /// The purpose of the roll (`strike`); marked text.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub label: String,
    /// The notation as requested.
    pub notation: String,
    /// The stream the dice came from, `mod:name`.
    pub stream: String,
    /// Every die in the order thrown.
    pub dice: Vec<Die>,
    /// The total of the dice and the constants of the notation, before modifiers.
    pub dice_total: i64,
    /// Named numbers added to the dice.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub modifiers: Vec<Modifier>,
    /// Dice that were added after the roll was shown.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    #[serde(rename = "added")]
    pub added_dice: Vec<AddedDice>,
    /// Dice and modifiers together.
    pub total: i64,
    /// The number to reach, if there is one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[serde(rename = "against")]
    pub target: Option<i64>,
    /// Whether the roll succeeds at or below that number.
    #[serde(default, skip_serializing_if = "is_false")]
    #[serde(rename = "under")]
    pub rolls_under: bool,
    /// Whether the roll is still open: it is shown as it is, and may still change.
    #[serde(default, skip_serializing_if = "is_false")]
    #[serde(rename = "open")]
    pub is_open: bool,
    /// The outcome, in the game's word (`full`).
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub outcome: Option<String>,
    /// The source position of the roll: the mod's file and line.
    #[serde(rename = "by")]
    pub source_position: String,
}

fn is_false(truth: &bool) -> bool {
    !truth
}

/// Dice that were added after the roll was shown.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct AddedDice {
    /// Their purpose (`inspiration`); marked text.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub label: String,
    /// The notation as requested.
    pub notation: String,
    /// The stream the dice came from.
    pub stream: String,
    /// Every die in the order thrown.
    pub dice: Vec<Die>,
    /// What they add; negative where they are subtracted.
    pub total: i64,
}

/// One rolled die.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Die {
    /// Its number of sides.
    pub sides: u32,
    /// The side that came up.
    pub face: u32,
    /// Whether it counts (a dropped die does not).
    #[serde(rename = "kept")]
    pub is_kept: bool,
}

/// A named number added to a roll.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Modifier {
    /// Its name (`ATK`); marked text.
    pub label: String,
    /// How much it adds.
    pub value: i64,
}

impl From<dice::RolledDie> for Die {
    fn from(die: dice::RolledDie) -> Self {
        Self { sides: die.sides, face: die.face, is_kept: die.is_kept }
    }
}

/// Deserializes an event with its kind first. The derived code would buffer every event as loose
/// values before it reads the kind, and a journal has events in every second line.
impl<'de> Deserialize<'de> for StoryEvent {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_map(StoryEventVisitor)
    }
}

struct StoryEventVisitor;

#[derive(Deserialize)]
#[serde(rename_all = "snake_case")]
enum StoryEventKind {
    Say,
    Heading,
    Note,
    Gain,
    Loss,
    Roll,
}

#[derive(Deserialize)]
struct StoryEventText {
    text: String,
}

impl<'de> Visitor<'de> for StoryEventVisitor {
    type Value = StoryEvent;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("an event, its kind first")
    }

    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<StoryEvent, A::Error> {
        #[derive(Deserialize)]
        #[serde(rename_all = "snake_case")]
        enum EventTag {
            Event,
        }
        let kind = match map.next_key()? {
            Some(EventTag::Event) => map.next_value()?,
            None => return Err(Error::missing_field("event")),
        };
        let rest = MapAccessDeserializer::new(map);
        let text = |rest| StoryEventText::deserialize(rest).map(|line| line.text);
        Ok(match kind {
            StoryEventKind::Say => StoryEvent::Say { text: text(rest)? },
            StoryEventKind::Heading => StoryEvent::Heading { text: text(rest)? },
            StoryEventKind::Note => StoryEvent::Note { text: text(rest)? },
            StoryEventKind::Gain => StoryEvent::Gain { text: text(rest)? },
            StoryEventKind::Loss => StoryEvent::Loss { text: text(rest)? },
            StoryEventKind::Roll => StoryEvent::Roll(Box::new(RollEvent::deserialize(rest)?)),
        })
    }
}

impl StoryEvent {
    /// The event as plain data, as bots and tests see it.
    pub fn to_value(&self) -> Value {
        let json = serde_json::to_string(self).expect("an event always has a JSON text");
        serde_json::from_str(&json).expect("what was just written can be read")
    }
}
