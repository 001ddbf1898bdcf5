//! A case: a run that can be played again from a file. A seed, options, a starting profile where it
//! matters, answers as they would be typed in plain, and how it must end.

use std::collections::BTreeMap;
use std::fmt::Write;

use serde::Deserialize;

use super::bad_case;
use crate::kit::{Problem, Value};
use crate::play::{Input, Prompt};
use crate::run::Content;

/// Answers stand on lines of at most this many characters.
const COLUMNS: usize = 100;

/// A scripted run.
#[derive(Clone, Debug, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Case {
    /// What the case shows, for the person who reads its transcript.
    pub about: String,
    /// The seed of all dice.
    pub seed: u64,
    /// The game's id; empty for the only one there is.
    #[serde(default)]
    pub game: String,
    /// Further mods: folders, or ids where the case lies in a mod's own folder.
    #[serde(default)]
    pub mods: Vec<String>,
    /// Options that are not as the game would have them.
    #[serde(default)]
    pub options: BTreeMap<String, Value>,
    /// What the profile holds of the game.
    #[serde(default = "Value::map")]
    pub profile: Value,
    /// What is set for mods.
    #[serde(default = "Value::map")]
    pub settings: Value,
    /// Lines of Lua that bring state and scene to where the case begins, run before the first
    /// answer as if the mod had written them.
    #[serde(default)]
    pub given: Vec<String>,
    /// The answers, as they would be typed in plain. One that begins with `:` is a line of Lua.
    pub answers: Vec<String>,
    /// The outcome the run must end with; none if it stops in the middle.
    #[serde(default)]
    pub ends: Option<String>,
    /// Texts that must be told, in this order.
    #[serde(default)]
    pub expect: Vec<String>,
    /// The Problem that the last answer must be refused with, by its code.
    #[serde(default)]
    pub problem: Option<String>,
    /// The mod whose case it is; the game if nothing is said.
    #[serde(skip)]
    pub owner: String,
}

impl Case {
    /// Reads the text of a case.
    pub fn parse(name: &str, text: &str) -> Result<Self, Problem> {
        toml::from_str(text).map_err(|why| bad_case::problem(name, text, &why))
    }

    /// Whether nothing is done in it, and nothing said of what must come of it.
    pub(super) fn expects_nothing(&self) -> bool {
        let does_nothing = self.given.is_empty() && self.answers.is_empty();
        does_nothing && self.ends.is_none() && self.expect.is_empty() && self.problem.is_none()
    }

    /// The text of the case.
    pub fn to_text(&self) -> String {
        let mut text = String::new();
        let mut put = |name: &str, value: String| {
            // Writing into a text cannot fail.
            let _ = writeln!(text, "{name} = {value}");
        };
        put("about", quoted(&self.about));
        put("seed", self.seed.to_string());
        if !self.game.is_empty() {
            put("game", quoted(&self.game));
        }
        if !self.mods.is_empty() {
            put("mods", wrapped(&self.mods));
        }
        if !self.options.is_empty() {
            let options = self.options.iter().map(|(name, value)| (name.as_str(), value.clone()));
            put("options", inline(&Value::of(options)));
        }
        if self.profile.as_map().is_some_and(|map| !map.is_empty()) {
            put("profile", inline(&self.profile));
        }
        if self.settings.as_map().is_some_and(|map| !map.is_empty()) {
            put("settings", inline(&self.settings));
        }
        if !self.given.is_empty() {
            put("given", wrapped(&self.given));
        }
        if let Some(outcome) = &self.ends {
            put("ends", quoted(outcome));
        }
        if let Some(code) = &self.problem {
            put("problem", quoted(code));
        }
        if !self.expect.is_empty() {
            put("expect", wrapped(&self.expect));
        }
        put("answers", wrapped(&self.answers));
        text
    }
}

/// The mods that took part beside the game and what it stands on, by their ids: so a case can be played
/// wherever they are found.
pub(super) fn beside_the_game(content: &Content) -> Vec<String> {
    let mods = &content.mods;
    mods.ids().into_iter().filter(|id| !mods.is_of_game(id)).collect()
}

/// An input as it would be typed at a prompt.
pub(super) fn typed(prompt: &Prompt, input: &Input) -> String {
    match input {
        // Behind a number of the list an id of the same look would be lost.
        Input::Choice(id) | Input::Text(id) => id.clone(),
        Input::Many(ids) if ids.is_empty() => "none".to_owned(),
        // Words are parted at spaces, so that an id with one is named by its place.
        Input::Many(ids) => {
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

fn quoted(text: &str) -> String {
    toml::Value::String(text.to_owned()).to_string()
}

fn inline(value: &Value) -> String {
    toml::Value::try_from(value).map_or_else(|_| "{}".to_owned(), |value| value.to_string())
}

/// A list of texts, several to a line.
fn wrapped(texts: &[String]) -> String {
    let mut list = String::from("[");
    let mut column = COLUMNS;
    for text in texts {
        let word = quoted(text);
        let width = word.chars().count() + 2;
        if column + width > COLUMNS {
            list.push_str("\n ");
            column = 1;
        }
        let _ = write!(list, " {word},");
        column += width;
    }
    list.push_str(if texts.is_empty() { "]" } else { "\n]" });
    list
}
