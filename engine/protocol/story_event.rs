//! Story events: what a step reports to the player.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use base::Value;
use base::value::ValueMap;

/// A story event. Texts are marked text (`base::text`) with the values already filled in.
#[derive(Clone, Debug, PartialEq, Serialize, JsonSchema)]
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
            Self::Roll(roll) => {
                let dice = roll.dice.len()
                    + roll.added_dice.iter().map(|added| added.dice.len()).sum::<usize>();
                let labels =
                    roll.modifiers.iter().map(|one| size_of::<Modifier>() + one.label.len());
                let texts = [&roll.label, &roll.notation, &roll.stream, &roll.source_position];
                let texts = texts.iter().map(|text| text.len()).sum::<usize>();
                size_of::<RollEvent>() + dice * size_of::<Die>() + labels.sum::<usize>() + texts
            }
            _ => self.text().map_or(0, str::len),
        }
    }

    /// Its text; a roll has none.
    pub fn text(&self) -> Option<&str> {
        match self {
            Self::Say { text }
            | Self::Heading { text }
            | Self::Note { text }
            | Self::Gain { text }
            | Self::Loss { text } => Some(text),
            Self::Roll(_) => None,
        }
    }

    /// The same event with another text; a roll stays as it is.
    pub(crate) fn with_text(self, text: String) -> Self {
        match self {
            Self::Say { .. } => Self::Say { text },
            Self::Heading { .. } => Self::Heading { text },
            Self::Note { .. } => Self::Note { text },
            Self::Gain { .. } => Self::Gain { text },
            Self::Loss { .. } => Self::Loss { text },
            Self::Roll(_) => self,
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
    /// The story of a step. An answer to which nothing happened, as one that opens a menu, is not
    /// told.
    pub fn of_step(answer: Option<String>, events: Vec<StoryEvent>) -> Vec<Self> {
        let answer = answer.filter(|words| !words.is_empty() && !events.is_empty());
        answer.map(Self::Answer).into_iter().chain(events.into_iter().map(Self::Event)).collect()
    }

    /// The event, if it is one.
    pub fn event(&self) -> Option<&StoryEvent> {
        match self {
            Self::Event(event) => Some(event),
            Self::Answer(_) => None,
        }
    }

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
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
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
    /// What its texts were made from, by text, as a journal keeps nested texts.
    #[serde(default, skip_serializing_if = "ValueMap::is_empty")]
    #[serde(rename = "sources")]
    #[schemars(skip)]
    pub text_sources: ValueMap,
}

fn is_false(truth: &bool) -> bool {
    !truth
}

/// Dice that were added after the roll was shown.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
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
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
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
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
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

impl StoryEvent {
    /// The event as plain data, as bots and tests see it.
    pub fn to_value(&self) -> Value {
        let json = serde_json::to_string(self).expect("an event always has a JSON text");
        serde_json::from_str(&json).expect("what was just written can be read")
    }
}
