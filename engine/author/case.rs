//! A case: a run that can be replayed from a file. It has a seed, options, a starting profile where
//! that matters, answers as typed in the plain front end, and the expected outcome.

use std::collections::BTreeMap;
use std::fmt::Write;

use serde::Deserialize;

use super::case_errors;
use base::{Code, Problem, Value};
use protocol::{Input, Prompt};
use session::RunContent;

/// The maximum length of a line of answers.
const ANSWER_LINE_COLUMNS: usize = 100;

/// A scripted run.
#[derive(Clone, Debug, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Case {
    /// What the case shows, for the reader of its transcript.
    #[serde(rename = "about")]
    pub sentence: String,
    /// The seed of all dice.
    pub seed: u64,
    /// The id of the game; empty if there is only one.
    #[serde(default)]
    pub game: String,
    /// Further mods: folders, or ids if the case is in the folder of a mod.
    #[serde(default)]
    pub mods: Vec<String>,
    /// Options that differ from the game's defaults.
    #[serde(default)]
    pub options: BTreeMap<String, Value>,
    /// The data of the game in the profile.
    #[serde(default = "Value::map")]
    pub profile: Value,
    /// The settings of mods.
    #[serde(default = "Value::map")]
    pub settings: Value,
    /// The first draws of streams, in place of those of the seed.
    #[serde(default)]
    pub dice: BTreeMap<String, Vec<u32>>,
    /// Lines of Lua that set up state and scene. They run before the first answer, as code of the
    /// mod.
    #[serde(default, rename = "setup")]
    pub setup_lines: Vec<String>,
    /// The answers, as typed in the plain front end. An answer that begins with `:` is a line of
    /// Lua.
    pub answers: Vec<String>,
    /// The expected outcome of the run; none if the run stops before its end.
    #[serde(default, rename = "outcome")]
    pub expected_outcome: Option<String>,
    /// Texts that must be shown, in this order.
    #[serde(default)]
    #[serde(rename = "expect")]
    pub expected_texts: Vec<String>,
    /// The code of the Problem that must refuse the last answer.
    #[serde(default)]
    #[serde(rename = "problem")]
    pub expected_problem: Option<Code>,
    /// The mod that the case belongs to; empty for the game.
    #[serde(skip)]
    pub owner: String,
}

impl Case {
    /// Parses the text of a case.
    pub fn parse(name: &str, text: &str) -> Result<Self, Problem> {
        toml::from_str(text).map_err(|why| case_errors::case_parse_problem(name, text, &why))
    }

    /// Whether the case has no answers and expects nothing.
    pub(super) fn expects_nothing(&self) -> bool {
        let does_nothing = self.setup_lines.is_empty() && self.answers.is_empty();
        does_nothing
            && self.expected_outcome.is_none()
            && self.expected_texts.is_empty()
            && self.expected_problem.is_none()
    }

    /// Returns the text of the case.
    pub fn to_text(&self) -> String {
        let mut text = String::new();
        let mut write_entry = |name: &str, value: String| {
            // Writing into a string cannot fail.
            let _ = writeln!(text, "{name} = {value}");
        };
        write_entry("about", quote_toml_text(&self.sentence));
        write_entry("seed", self.seed.to_string());
        if !self.game.is_empty() {
            write_entry("game", quote_toml_text(&self.game));
        }
        if !self.mods.is_empty() {
            write_entry("mods", wrap_toml_list(&self.mods));
        }
        if !self.options.is_empty() {
            let options = self.options.iter().map(|(name, value)| (name.as_str(), value.clone()));
            write_entry("options", to_inline_toml(&Value::map_of(options)));
        }
        if self.profile.as_map().is_some_and(|map| !map.is_empty()) {
            write_entry("profile", to_inline_toml(&self.profile));
        }
        if self.settings.as_map().is_some_and(|map| !map.is_empty()) {
            write_entry("settings", to_inline_toml(&self.settings));
        }
        if !self.dice.is_empty() {
            let dice = toml::Value::try_from(&self.dice);
            write_entry("dice", dice.map_or_else(|_| "{}".to_owned(), |dice| dice.to_string()));
        }
        if !self.setup_lines.is_empty() {
            write_entry("setup", wrap_toml_list(&self.setup_lines));
        }
        if let Some(outcome) = &self.expected_outcome {
            write_entry("outcome", quote_toml_text(outcome));
        }
        if let Some(code) = self.expected_problem {
            write_entry("problem", quote_toml_text(code.as_str()));
        }
        if !self.expected_texts.is_empty() {
            write_entry("expect", wrap_toml_list(&self.expected_texts));
        }
        write_entry("answers", wrap_toml_list(&self.answers));
        text
    }
}

/// Ids of the mods of a run, without the game and what it needs. A case with ids can be played
/// wherever these mods are found.
pub fn mods_beyond_game(content: &RunContent) -> Vec<String> {
    let mods = &content.mods;
    mods.ids().into_iter().filter(|id| !mods.is_game_or_dependency(id)).collect()
}

/// An input as it would be typed at a prompt.
pub fn typed_text(prompt: &Prompt, input: &Input) -> String {
    match input {
        // An id that looks like a number of the list would be taken for that number.
        Input::Choice(id) | Input::Text(id) => id.clone(),
        Input::Choices(ids) if ids.is_empty() => "none".to_owned(),
        // Words are split at spaces, so a choice whose id has a space is named by its number.
        Input::Choices(ids) => {
            let place = |id: &String| prompt.choices.iter().position(|choice| choice.id == *id);
            let word = |id: &String| match place(id) {
                Some(place) if id.contains([' ', ',']) => (place + 1).to_string(),
                _ => id.clone(),
            };
            ids.iter().map(word).collect::<Vec<_>>().join(", ")
        }
        Input::Number(number) => number.to_string(),
    }
}

fn quote_toml_text(text: &str) -> String {
    toml::Value::String(text.to_owned()).to_string()
}

fn to_inline_toml(value: &Value) -> String {
    toml::Value::try_from(value).map_or_else(|_| "{}".to_owned(), |value| value.to_string())
}

/// Formats a list of texts, several per line.
fn wrap_toml_list(texts: &[String]) -> String {
    let mut list = String::from("[");
    let mut column = ANSWER_LINE_COLUMNS;
    for text in texts {
        let word = quote_toml_text(text);
        let width = word.chars().count() + 2;
        if column + width > ANSWER_LINE_COLUMNS {
            list.push_str("\n ");
            column = 1;
        }
        let _ = write!(list, " {word},");
        column += width;
    }
    list.push_str(if texts.is_empty() { "]" } else { "\n]" });
    list
}
