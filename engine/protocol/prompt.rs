//! A prompt: a question to the player, with everything needed to decide.

use base::host_text;
use std::sync::Arc;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::choice_group::ChoiceGroup;
use super::input::{AcceptedInput, Input};
use base::{Value, limits, text};

/// A prompt.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Prompt {
    /// The scene that asks, `mod:name`; `host:…` for a prompt of the host.
    pub scene: String,
    /// The question; marked text. It may be empty where the story has just asked.
    pub text: String,
    /// The type of the answer.
    #[serde(rename = "ask")]
    pub answer_type: AnswerType,
    /// The choices; empty for a number or a text.
    pub choices: Vec<Choice>,
    /// Whether it is asked every round: a frontend may shorten the events between.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub repeats: bool,
}

/// The type of the answer.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum AnswerType {
    /// One of the choices.
    #[serde(rename = "one")]
    SingleChoice,
    /// Several of the choices.
    #[serde(rename = "many")]
    MultipleChoice {
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
        /// The initial value.
        default: i64,
    },
    /// A line of text.
    Text {
        /// The most characters.
        max_length: usize,
        /// The initial text.
        default: String,
    },
}

/// One choice of a prompt.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Choice {
    /// Its id, unique in the prompt; an input refers to it.
    pub id: String,
    /// Its label; marked text.
    pub label: String,
    /// A line beside it: its effect, cost or gain; marked text.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub note: String,
    /// What it costs (`1 mp`); marked text.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub cost: String,
    /// Its possible gain (`a scroll, 4 experience`); marked text.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub gains: String,
    /// Its group, if any.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub group: Option<Arc<ChoiceGroup>>,
    /// Its preferred key.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[serde(rename = "key")]
    pub preferred_key: Option<char>,
    /// Whether it is in the submenu of its group even if the group has no submenu for all choices.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    #[serde(rename = "in_submenu")]
    pub is_in_submenu: bool,
    /// Whether it leaves the prompt without a change; the close key takes it.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    #[serde(rename = "back")]
    pub is_back_choice: bool,
    /// A confirmation text for a choice that is costly or cannot be undone; marked text. The player
    /// is then asked again.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub confirm: String,
    /// Why it is closed: it cannot be taken now. Marked text; an open choice has none.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub disabled_because: Option<String>,
    /// The exact odds of its outcomes.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub odds: Option<Odds>,
    /// A card to examine.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub card: Option<super::view::Card>,
    /// The ids of map nodes that it leads to: one for a single step, or several to select from.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub map_targets: Vec<String>,
    /// Plain data for bots; it is not shown.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[serde(rename = "hint")]
    #[schemars(skip)]
    pub bot_hint: Option<Value>,
    /// The name of the handler in the scene, if it differs from the id.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[serde(rename = "on")]
    #[schemars(skip)]
    pub handler_name: Option<String>,
    /// Plain data passed to the handler.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[serde(rename = "with")]
    #[schemars(skip)]
    pub handler_data: Option<Value>,
}

/// Exact odds: the number of equally likely cases of each outcome.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Odds {
    /// The roll and its modifiers (`d20 + ATK 7 against 16`); marked text.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub label: String,
    /// The total of equally likely cases.
    #[serde(rename = "of")]
    pub total_cases: u64,
    /// The outcomes, in the game's order. Their cases add up to `of`.
    pub bands: Vec<OddsBand>,
}

/// One outcome of a roll.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct OddsBand {
    /// The game's name of the outcome (`full`).
    pub label: String,
    /// Its number of cases.
    #[serde(rename = "cases")]
    pub case_count: u64,
    /// Good, fair, poor or bad: the style in which a frontend shows it.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub tone: String,
}

impl Choice {
    /// Whether it can be taken.
    pub fn is_enabled(&self) -> bool {
        self.disabled_because.is_none()
    }

    /// Its label with its cost; plain text on one line.
    pub fn label_with_cost(&self) -> String {
        let to_one_line =
            |marked: &str| text::strip_markup(marked).replace('\n', " ").trim().to_owned();
        match self.cost.is_empty() {
            true => to_one_line(&self.label),
            false => format!("{} (costs {})", to_one_line(&self.label), to_one_line(&self.cost)),
        }
    }
}

impl Prompt {
    /// Whether the host asks, not the game.
    pub fn is_from_host(&self) -> bool {
        self.scene.starts_with("host:")
    }

    /// The choice with that id.
    pub fn choice(&self, id: &str) -> Option<&Choice> {
        self.choices.iter().find(|choice| choice.id == id)
    }

    /// An answer as text: labels of choices, or the value; plain text on one line.
    pub fn describe_answer(&self, input: &Input) -> String {
        let label = |id: &String| self.choice(id).map_or(id.clone(), Choice::label_with_cost);
        text::strip_unprintable(&match input {
            Input::Choice(id) => label(id),
            Input::Choices(ids) if ids.is_empty() => "none".to_owned(),
            Input::Choices(ids) => ids.iter().map(label).collect::<Vec<_>>().join(", "),
            Input::Number(number) => number.to_string(),
            Input::Text(line) => line.clone(),
        })
    }

    /// Accepts an input to this prompt, or returns why it is refused. A refused input reaches
    /// neither the journal nor a script.
    pub fn accept(&self, input: Input) -> Result<AcceptedInput, String> {
        self.check_answer(&input).map(|()| AcceptedInput(input))
    }

    fn check_answer(&self, input: &Input) -> Result<(), String> {
        match (&self.answer_type, input) {
            (AnswerType::SingleChoice, Input::Choice(id)) => self.check_choice(id),
            (AnswerType::MultipleChoice { min, max }, Input::Choices(ids)) => {
                self.check_choices(*min, *max, ids)
            }
            (AnswerType::Number { min, max, .. }, Input::Number(number)) => {
                if (min..=max).contains(&number) {
                    return Ok(());
                }
                Err(host_text!(
                    "{number} is outside {min} to {max}",
                    number = number,
                    min = min,
                    max = max
                ))
            }
            (AnswerType::Text { max_length, .. }, Input::Text(line)) => {
                check_text_answer(*max_length, line)
            }
            (ask, _) => Err(host_text!(
                "the question asks for {expected}",
                expected = ask.describe_expected()
            )),
        }
    }

    fn check_choice(&self, id: &str) -> Result<(), String> {
        let Some(choice) = self.choice(id) else {
            let ids: Vec<&str> = self.choices.iter().map(|choice| choice.id.as_str()).collect();
            return Err(host_text!(
                "\"{id}\" is not one of the choices: {choices}",
                id = id,
                choices = ids.join(", ")
            ));
        };
        choice.check_enabled()
    }

    fn check_choices(&self, min: usize, max: usize, ids: &[String]) -> Result<(), String> {
        for (index, id) in ids.iter().enumerate() {
            self.check_choice(id)?;
            if ids[..index].contains(id) {
                return Err(host_text!("\"{id}\" is named twice", id = id));
            }
        }
        if ids.len() < min || ids.len() > max {
            return Err(host_text!(
                "{count} chosen; {min} to {max} are expected",
                count = ids.len(),
                min = min,
                max = max
            ));
        }
        Ok(())
    }
}

impl Choice {
    /// Takes this choice as the answer to its prompt, or returns why it is disabled.
    pub fn accept(&self) -> Result<AcceptedInput, String> {
        self.check_enabled().map(|()| AcceptedInput(Input::Choice(self.id.clone())))
    }

    fn check_enabled(&self) -> Result<(), String> {
        let Some(why) = &self.disabled_because else { return Ok(()) };
        let label = text::strip_markup(&self.label);
        Err(host_text!(
            "\"{label}\" is closed: {why}",
            label = label,
            why = text::strip_markup(why)
        ))
    }
}

fn check_text_answer(max_length: usize, line: &str) -> Result<(), String> {
    let length = line.chars().count();
    if length > max_length || line.len() > limits::MAX_TEXT_BYTES {
        return Err(host_text!(
            "{count} characters; at most {max} are allowed",
            count = length,
            max = max_length
        ));
    }
    let invalid_char = text::first_unprintable(line).map(|(_, odd)| odd);
    match invalid_char.or_else(|| line.contains('\n').then_some('\n')) {
        Some(odd) => Err(host_text!(
            "the character {character} is not allowed here",
            character = format!("{odd:?}")
        )),
        None => Ok(()),
    }
}

impl AnswerType {
    /// The name of the answer type, in one word.
    pub fn type_name(&self) -> &'static str {
        match self {
            Self::SingleChoice => "one",
            Self::MultipleChoice { .. } => "many",
            Self::Number { .. } => "number",
            Self::Text { .. } => "text",
        }
    }

    /// A description of the expected answer.
    pub fn describe_expected(&self) -> String {
        match self {
            Self::SingleChoice => host_text!("one of the choices"),
            Self::MultipleChoice { min, max } => {
                host_text!("{min} to {max} of the choices", min = min, max = max)
            }
            Self::Number { min, max, .. } => {
                host_text!("a whole number from {min} to {max}", min = min, max = max)
            }
            Self::Text { max_length, .. } => {
                host_text!("a line of at most {max} characters", max = max_length)
            }
        }
    }
}
