//! Parses a typed line: a number, a choice's id, the unique start of its label, or a command.

use super::super::facts;
use super::numbers::Numbers;
use crate::play::{Ask, Choice, Input, Prompt};

/// The result of parsing a line.
#[derive(Clone, Debug, PartialEq)]
pub enum Reading {
    /// An input that the prompt accepts.
    Input(Input),
    /// A command of the program.
    Command(Command),
    /// Neither; with the reason.
    Wrong(String),
}

/// A command that works at every prompt.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Command {
    /// Show what can be done now.
    Help,
    /// Show everything in the view except the map.
    Sheet,
    /// Describe the map in words.
    Map,
    /// Travel to the nearest unvisited place.
    Explore,
    /// Travel to a place of the map, by the start of its name.
    Go(String),
    /// Show the odds of every choice.
    Odds,
    /// Show the log: all of it, or the last so many entries.
    Log(Option<usize>),
    /// Show a card: of a choice by number, or by the start of a name; without a name, list the
    /// cards.
    Look(String),
    /// Explain disabled choices: all, or one by number or the start of its name.
    Why(String),
    /// Undo the last answer.
    Undo,
    /// Repeat the question.
    Again,
    /// Ask in few words from now on, or in full.
    Brief(bool),
    /// Leave the run.
    Leave,
    /// Reload the mods from disk.
    Reload,
    /// Quit the program.
    Quit,
}

/// Parses a line as an answer to a prompt. A command may always have a leading colon; without one,
/// a choice with the same id comes first.
pub fn read(prompt: &Prompt, numbers: &Numbers, line: &str) -> Reading {
    let line = line.trim();
    if let Some(word) = line.strip_prefix(':') {
        return match command(word) {
            Some(command) => Reading::Command(command),
            None => default(prompt, word)
                .unwrap_or_else(|| Reading::Wrong(format!("\":{word}\" is not a command"))),
        };
    }
    match &prompt.ask {
        Ask::One => read_one(prompt, numbers, line),
        Ask::Many { .. } => read_many(prompt, numbers, line),
        Ask::Number { default, .. } => match line.parse() {
            Ok(number) => accepted(prompt, Input::Number(number)),
            Err(_) if line.is_empty() => accepted(prompt, Input::Number(*default)),
            Err(_) => command(line).map_or_else(
                || Reading::Wrong(format!("\"{line}\" is not a whole number")),
                Reading::Command,
            ),
        },
        Ask::Text { default, .. } => {
            let text = if line.is_empty() { default.as_str() } else { line };
            accepted(prompt, Input::Text(text.to_owned()))
        }
    }
}

fn default(prompt: &Prompt, word: &str) -> Option<Reading> {
    match (&prompt.ask, word.trim()) {
        (Ask::Number { default, .. }, "default") => Some(accepted(prompt, Input::Number(*default))),
        (Ask::Text { default, .. }, "default") => {
            Some(accepted(prompt, Input::Text(default.clone())))
        }
        _ => None,
    }
}

fn accepted(prompt: &Prompt, input: Input) -> Reading {
    match prompt.accepts(&input) {
        Ok(()) => Reading::Input(input),
        Err(why) => Reading::Wrong(why),
    }
}

fn read_one(prompt: &Prompt, numbers: &Numbers, line: &str) -> Reading {
    if line.is_empty() {
        return Reading::Wrong("Nothing is chosen".to_owned());
    }
    let exact = by_number_or_id(prompt, numbers, line);
    // "look under the elders" takes a choice with that label, or else runs the command `look`.
    let words = line.contains(' ').then(|| by_label(prompt, line).ok()).flatten();
    let found = match (exact.or(words), command(line)) {
        (Some(choice), _) => Ok(choice),
        (None, Some(command)) => return Reading::Command(command),
        (None, None) => by_label(prompt, line),
    };
    match found {
        Ok(choice) => accepted(prompt, Input::Choice(choice.id.clone())),
        Err(why) => Reading::Wrong(why),
    }
}

fn read_many(prompt: &Prompt, numbers: &Numbers, line: &str) -> Reading {
    if let (None, Some(command)) = (by_number_or_id(prompt, numbers, line), command(line)) {
        return Reading::Command(command);
    }
    let mut picked = Vec::new();
    let words = line.split([',', ' ']).filter(|word| !word.is_empty() && *word != "none");
    for word in words {
        match by_number_or_id(prompt, numbers, word).map_or_else(|| by_label(prompt, word), Ok) {
            Ok(choice) => picked.push(choice.id.clone()),
            Err(why) => return Reading::Wrong(why),
        }
    }
    // The answer has the prompt's order, not the order of typing.
    let place = |id: &String| prompt.choices.iter().position(|choice| choice.id == *id);
    picked.sort_by_key(place);
    accepted(prompt, Input::Many(picked))
}

fn by_number_or_id<'a>(prompt: &'a Prompt, numbers: &Numbers, word: &str) -> Option<&'a Choice> {
    let number: Option<usize> = word.trim_end_matches('.').parse().ok();
    let numbered = number.and_then(|number| prompt.choices.get(numbers.place(number)?));
    prompt.choice(word).or(numbered).or_else(|| by_short_id(prompt, word))
}

/// The only choice whose id is `mod:word`.
fn by_short_id<'a>(prompt: &'a Prompt, word: &str) -> Option<&'a Choice> {
    let named = |choice: &&Choice| choice.id.split_once(':').is_some_and(|(_, name)| name == word);
    let mut found = prompt.choices.iter().filter(named);
    found.next().filter(|_| found.next().is_none())
}

/// The only choice whose label starts with the word; else whose id does; else one of whose words
/// does.
fn by_label<'a>(prompt: &'a Prompt, word: &str) -> Result<&'a Choice, String> {
    let typed = word.to_lowercase();
    let start = facts::bare(&typed);
    let among = |like: &dyn Fn(&Choice) -> bool| -> Vec<&'a Choice> {
        prompt.choices.iter().filter(|choice| like(choice)).collect()
    };
    let label = |choice: &Choice| facts::line(&choice.label).to_lowercase();
    // A label typed in full wins over longer labels.
    if let [whole] =
        among(&|choice| label(choice) == typed || facts::bare(&label(choice)) == start)[..]
    {
        return Ok(whole);
    }
    let mut found = among(&|choice| label(choice).starts_with(&typed));
    for like in [
        &(|choice: &Choice| facts::bare(&label(choice)).starts_with(start))
            as &dyn Fn(&Choice) -> bool,
        &|choice: &Choice| choice.id.to_lowercase().starts_with(&typed),
        &|choice: &Choice| begins_a_word(&label(choice), start),
    ] {
        if found.is_empty() {
            found = among(like);
        }
    }
    let mut open = found.iter().filter(|choice| choice.closed.is_none());
    if let (Some(only), None) = (open.next(), open.next()) {
        return Ok(only);
    }
    match found.as_slice() {
        [only] => Ok(only),
        [] => Err(format!("\"{word}\" is not one of the choices")),
        several => {
            let names: Vec<String> =
                several.iter().map(|choice| facts::line(&choice.label)).collect();
            Err(format!("\"{word}\" could be {}", names.join(" or ")))
        }
    }
}

/// Whether one of the words of a text starts with this.
fn begins_a_word(text: &str, start: &str) -> bool {
    let mut places = text.match_indices(start).map(|(at, _)| at);
    let before = |at: usize| text[..at].chars().next_back();
    !start.is_empty() && places.any(|at| before(at).is_none_or(|c| !c.is_alphanumeric()))
}

fn command(line: &str) -> Option<Command> {
    let (word, rest) = line.trim().split_once(' ').unwrap_or((line.trim(), ""));
    let rest = rest.trim();
    let command = match word.to_lowercase().as_str() {
        "log" if rest.is_empty() => Command::Log(None),
        "log" => Command::Log(Some(rest.parse().ok()?)),
        "look" | "x" => Command::Look(rest.to_owned()),
        "go" => Command::Go(rest.to_owned()),
        "why" => Command::Why(rest.to_owned()),
        _ if !rest.is_empty() => return None,
        "help" | "?" => Command::Help,
        "sheet" => Command::Sheet,
        "map" => Command::Map,
        "explore" => Command::Explore,
        "odds" => Command::Odds,
        "again" => Command::Again,
        "brief" => Command::Brief(true),
        "full" => Command::Brief(false),
        "undo" => Command::Undo,
        "leave" => Command::Leave,
        "reload" => Command::Reload,
        "quit" => Command::Quit,
        _ => return None,
    };
    Some(command)
}
