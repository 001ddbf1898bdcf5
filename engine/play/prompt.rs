//! A prompt: what the player is asked, with everything needed to decide.

use std::sync::Arc;

use serde::{Deserialize, Serialize};

use super::group::Group;
use super::input::Input;
use crate::kit::{Value, limits, text};

/// What the player is asked.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Prompt {
    /// The scene that asks, `mod:name`; `host:…` where the host itself asks.
    pub scene: String,
    /// The question; marked text. May be empty where the story has just said it.
    pub text: String,
    /// What kind of answer is wanted.
    pub ask: Ask,
    /// The choices; empty for a number or a text.
    pub choices: Vec<Choice>,
    /// Whether it is asked round after round: what comes between may be told in few words.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub rounds: bool,
}

/// What kind of answer is wanted.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Ask {
    /// One of the choices.
    One,
    /// Several of the choices, at least and at most so many.
    Many {
        /// The fewest.
        min: usize,
        /// The most.
        max: usize,
    },
    /// A whole number.
    Number {
        /// The least.
        min: i64,
        /// The most.
        max: i64,
        /// What stands there at first.
        default: i64,
    },
    /// A line of text.
    Text {
        /// The most characters.
        max_length: usize,
        /// What stands there at first.
        default: String,
    },
}

/// One choice of a prompt.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Choice {
    /// Its id, unique in the prompt: what an input names.
    pub id: String,
    /// What it says; marked text.
    pub label: String,
    /// A line beside it: what it does, what it may cost or give; marked text.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub note: String,
    /// What it costs (`1 mp`); marked text.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub cost: String,
    /// What it may gain (`a scroll, 4 experience`); marked text.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub gains: String,
    /// What it belongs to, if the game says so.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub group: Option<Arc<Group>>,
    /// The key that it wishes for.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub key: Option<char>,
    /// Whether it stands on a page of its group even where that has none for all of it.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub page: bool,
    /// Whether it leads back out of the question and changes nothing: the key that closes things takes it.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub back: bool,
    /// What is said before it is taken, where it is dear or cannot be taken back; marked text. It is
    /// asked once more then.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub dear: String,
    /// Why it cannot be taken now; marked text. An open choice has none.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub closed: Option<String>,
    /// The exact odds of what it may come to.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub odds: Option<Odds>,
    /// A card to examine.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub card: Option<super::view::Card>,
    /// The ids of the places on a map that it leads to: one that it is a step to, or several among which it asks.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub to: Vec<String>,
    /// Plain data for bots; people are not shown it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub hint: Option<Value>,
    /// The handler of the scene that takes it, if it is not the one named like the id.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub on: Option<String>,
    /// Plain data handed to the handler.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub with: Option<Value>,
}

/// Exact odds: how many of how many equally likely cases come to what.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Odds {
    /// What is thrown and what is added (`d20 + ATK 7 against 16`); marked text.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub label: String,
    /// Equally likely cases in all.
    pub of: u64,
    /// What they come to, in the game's order. The cases add up to `of`.
    pub bands: Vec<Band>,
}

/// One thing that a roll may come to.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Band {
    /// The game's word for it (`full`).
    pub label: String,
    /// How many cases come to it.
    pub cases: u64,
    /// Good, fair, poor or bad: how a front end may shade it.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub tone: String,
}

impl Choice {
    /// Its label with its cost; plain text on one line.
    pub fn in_words(&self) -> String {
        let line = |marked: &str| text::unmarked(marked).replace('\n', " ").trim().to_owned();
        match self.cost.is_empty() {
            true => line(&self.label),
            false => format!("{} (costs {})", line(&self.label), line(&self.cost)),
        }
    }
}

impl Prompt {
    /// The choice of that id.
    pub fn choice(&self, id: &str) -> Option<&Choice> {
        self.choices.iter().find(|choice| choice.id == id)
    }

    /// An answer in the words of what is asked; plain text on one line.
    pub fn in_words(&self, input: &Input) -> String {
        let label = |id: &String| self.choice(id).map_or(id.clone(), Choice::in_words);
        text::clean(&match input {
            Input::Choice(id) => label(id),
            Input::Many(ids) if ids.is_empty() => "none".to_owned(),
            Input::Many(ids) => ids.iter().map(label).collect::<Vec<_>>().join(", "),
            Input::Number(number) => number.to_string(),
            Input::Text(line) => line.clone(),
        })
    }

    /// Why an input does not answer this prompt; `Ok` if it does. Nothing that fails here reaches
    /// the journal or a script.
    pub fn accepts(&self, input: &Input) -> Result<(), String> {
        match (&self.ask, input) {
            (Ask::One, Input::Choice(id)) => self.accepts_choice(id),
            (Ask::Many { min, max }, Input::Many(ids)) => self.accepts_many(*min, *max, ids),
            (Ask::Number { min, max, .. }, Input::Number(number)) => {
                if (min..=max).contains(&number) {
                    return Ok(());
                }
                Err(format!("{number} is outside {min} to {max}"))
            }
            (Ask::Text { max_length, .. }, Input::Text(line)) => accepts_text(*max_length, line),
            (ask, _) => Err(format!("this asks for {}", ask.wanted())),
        }
    }

    fn accepts_choice(&self, id: &str) -> Result<(), String> {
        let Some(choice) = self.choice(id) else {
            let ids: Vec<&str> = self.choices.iter().map(|choice| choice.id.as_str()).collect();
            return Err(format!("\"{id}\" is not one of the choices: {}", ids.join(", ")));
        };
        match &choice.closed {
            Some(why) => {
                let label = text::unmarked(&choice.label);
                Err(format!("\"{label}\" is closed: {}", text::unmarked(why)))
            }
            None => Ok(()),
        }
    }

    fn accepts_many(&self, min: usize, max: usize, ids: &[String]) -> Result<(), String> {
        for (index, id) in ids.iter().enumerate() {
            self.accepts_choice(id)?;
            if ids[..index].contains(id) {
                return Err(format!("\"{id}\" is named twice"));
            }
        }
        if ids.len() < min || ids.len() > max {
            return Err(format!("{} chosen; from {min} to {max} are asked for", ids.len()));
        }
        Ok(())
    }
}

fn accepts_text(max_length: usize, line: &str) -> Result<(), String> {
    let length = line.chars().count();
    if length > max_length || line.len() > limits::TEXT_BYTES {
        return Err(format!("{length} characters; at most {max_length} fit"));
    }
    let odd = text::first_odd(line).map(|(_, odd)| odd);
    match odd.or_else(|| line.contains('\n').then_some('\n')) {
        Some(odd) => Err(format!("the character {odd:?} cannot stand here")),
        None => Ok(()),
    }
}

impl Ask {
    /// Which of them it is, in one word.
    pub fn word(&self) -> &'static str {
        match self {
            Self::One => "one",
            Self::Many { .. } => "many",
            Self::Number { .. } => "number",
            Self::Text { .. } => "text",
        }
    }

    /// What is wanted, in words.
    pub fn wanted(&self) -> String {
        match self {
            Self::One => "one of the choices".to_owned(),
            Self::Many { min, max } => format!("{min} to {max} of the choices"),
            Self::Number { min, max, .. } => format!("a whole number from {min} to {max}"),
            Self::Text { max_length, .. } => format!("a line of at most {max_length} characters"),
        }
    }
}
