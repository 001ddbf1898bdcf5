//! Parses a typed line: a number, a choice's id, the unique start of its label, or a command.

use super::super::display_text;
use super::choice_numbers::ChoiceNumbers;
use crate::back_choice::back_choice;
use base::host_text;
use protocol::{AcceptedInput, AnswerType, Choice, Input, Prompt};

/// The word that leads back out of any question that has a way back.
const BACK_WORD: &str = "back";

/// The result of parsing a line.
#[derive(Clone, Debug, PartialEq)]
pub enum ParsedLine {
    /// An input that the prompt accepts.
    Input(AcceptedInput),
    /// A command of the program.
    Command(PlainTextCommand),
    /// Neither; with the reason.
    Rejected(String),
}

/// A command that works at every prompt.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum PlainTextCommand {
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
    /// Explain a term of the game.
    Explain(String),
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
/// a choice with the same id or label comes first.
pub fn parse_answer_line(prompt: &Prompt, numbers: &ChoiceNumbers, line: &str) -> ParsedLine {
    let line = line.trim();
    if let Some(word) = line.strip_prefix(':') {
        return match parse_command(word) {
            Some(command) => ParsedLine::Command(command),
            None => parse_default_answer(prompt, word).unwrap_or_else(|| {
                ParsedLine::Rejected(host_text!("\":{word}\" is not a command", word = word))
            }),
        };
    }
    match &prompt.answer_type {
        AnswerType::SingleChoice => parse_choice(prompt, numbers, line),
        AnswerType::MultipleChoice { .. } => parse_choices(prompt, numbers, line),
        AnswerType::Number { default, .. } => match line.parse() {
            Ok(number) => accept_input(prompt, Input::Number(number)),
            Err(_) if line.is_empty() => accept_input(prompt, Input::Number(*default)),
            Err(_) => parse_command(line).map_or_else(
                || {
                    ParsedLine::Rejected(host_text!(
                        "\"{line}\" is not a whole number",
                        line = line
                    ))
                },
                ParsedLine::Command,
            ),
        },
        AnswerType::Text { default, .. } => {
            let text = if line.is_empty() { default.as_str() } else { line };
            accept_input(prompt, Input::Text(text.to_owned()))
        }
    }
}

/// The same for a line that a player types: the id of a choice, which players do not see, is not
/// taken if it is also the command to leave.
pub(super) fn parse_typed_line(prompt: &Prompt, numbers: &ChoiceNumbers, line: &str) -> ParsedLine {
    let parsed_line = parse_answer_line(prompt, numbers, line);
    let ParsedLine::Input(input) = &parsed_line else { return parsed_line };
    let Input::Choice(id) = &**input else { return parsed_line };
    let is_leave =
        matches!(parse_command(line), Some(PlainTextCommand::Leave | PlainTextCommand::Quit));
    let is_unclear = |choice: &&Choice| {
        is_leave && !prompt.is_from_host() && lower_case_label(choice) != line.trim().to_lowercase()
    };
    let Some(choice) = prompt.choice(id).filter(is_unclear) else { return parsed_line };
    let label = display_text::markup_on_one_line(&choice.label);
    ParsedLine::Rejected(host_text!(
        "\"{line}\" could be the choice \"{label}\" or the command: type the choice's number, or \":{line}\"",
        line = line.trim(),
        label = label
    ))
}

fn parse_default_answer(prompt: &Prompt, word: &str) -> Option<ParsedLine> {
    match (&prompt.answer_type, word.trim()) {
        (AnswerType::Number { default, .. }, "default") => {
            Some(accept_input(prompt, Input::Number(*default)))
        }
        (AnswerType::Text { default, .. }, "default") => {
            Some(accept_input(prompt, Input::Text(default.clone())))
        }
        _ => None,
    }
}

fn accept_input(prompt: &Prompt, input: Input) -> ParsedLine {
    match prompt.accept(input) {
        Ok(input) => ParsedLine::Input(input),
        Err(why) => ParsedLine::Rejected(why),
    }
}

fn parse_choice(prompt: &Prompt, numbers: &ChoiceNumbers, line: &str) -> ParsedLine {
    if line.is_empty() {
        return ParsedLine::Rejected(host_text!("Nothing is chosen"));
    }
    let choice_by_full_name = find_by_full_name(prompt, numbers, line)
        .or_else(|| back_choice(prompt).filter(|_| line.eq_ignore_ascii_case(BACK_WORD)));
    // "look under the elders" takes a choice with that label, or else runs the command `look`.
    let choice_by_label = line.contains(' ').then(|| find_by_label(prompt, line).ok()).flatten();
    let found = match (choice_by_full_name.or(choice_by_label), parse_command(line)) {
        (Some(choice), _) => Ok(choice),
        (None, Some(command)) => return ParsedLine::Command(command),
        (None, None) => find_by_label(prompt, line),
    };
    match found.and_then(Choice::accept) {
        Ok(input) => ParsedLine::Input(input),
        Err(why) => ParsedLine::Rejected(why),
    }
}

fn parse_choices(prompt: &Prompt, numbers: &ChoiceNumbers, line: &str) -> ParsedLine {
    if let (None, Some(command)) = (find_by_full_name(prompt, numbers, line), parse_command(line)) {
        return ParsedLine::Command(command);
    }
    let mut chosen_ids = Vec::new();
    let words = line.split([',', ' ']).filter(|word| !word.is_empty() && *word != "none");
    for word in words {
        match find_by_full_name(prompt, numbers, word)
            .map_or_else(|| find_by_label(prompt, word), Ok)
        {
            Ok(choice) => chosen_ids.push(choice.id.clone()),
            Err(why) => return ParsedLine::Rejected(why),
        }
    }
    // The answer has the prompt's order, not the order of typing.
    let prompt_index = |id: &String| prompt.choices.iter().position(|choice| choice.id == *id);
    chosen_ids.sort_by_key(prompt_index);
    accept_input(prompt, Input::Choices(chosen_ids))
}

/// The choice with this number or id, or whose label this is.
fn find_by_full_name<'a>(
    prompt: &'a Prompt,
    numbers: &ChoiceNumbers,
    word: &str,
) -> Option<&'a Choice> {
    let number: Option<usize> = word.trim_end_matches('.').parse().ok();
    let numbered = number.and_then(|number| prompt.choices.get(numbers.index_with_number(number)?));
    let found = prompt.choice(word).or(numbered).or_else(|| find_by_short_id(prompt, word));
    found.or_else(|| find_by_whole_label(prompt, &word.to_lowercase()))
}

/// The only choice with this label, in lower case.
fn find_by_whole_label<'a>(prompt: &'a Prompt, typed: &str) -> Option<&'a Choice> {
    let mut found = prompt.choices.iter().filter(|choice| lower_case_label(choice) == typed);
    found.next().filter(|_| found.next().is_none())
}

fn lower_case_label(choice: &Choice) -> String {
    display_text::markup_on_one_line(&choice.label).to_lowercase()
}

/// The only choice whose id is `mod:word`.
fn find_by_short_id<'a>(prompt: &'a Prompt, word: &str) -> Option<&'a Choice> {
    let has_short_id =
        |choice: &&Choice| choice.id.split_once(':').is_some_and(|(_, name)| name == word);
    let mut found = prompt.choices.iter().filter(has_short_id);
    found.next().filter(|_| found.next().is_none())
}

/// The only choice whose label starts with the word; else whose id does; else one of whose words
/// does.
fn find_by_label<'a>(prompt: &'a Prompt, word: &str) -> Result<&'a Choice, String> {
    let typed = word.to_lowercase();
    let start = display_text::strip_article(&typed);
    let filter_choices = |like: &dyn Fn(&Choice) -> bool| -> Vec<&'a Choice> {
        prompt.choices.iter().filter(|choice| like(choice)).collect()
    };
    let label = lower_case_label;
    // A label typed in full wins over longer labels.
    if let [whole] = filter_choices(&|choice| {
        label(choice) == typed || display_text::strip_article(&label(choice)) == start
    })[..]
    {
        return Ok(whole);
    }
    let mut found = filter_choices(&|choice| label(choice).starts_with(&typed));
    for like in [
        &(|choice: &Choice| display_text::strip_article(&label(choice)).starts_with(start))
            as &dyn Fn(&Choice) -> bool,
        &|choice: &Choice| choice.id.to_lowercase().starts_with(&typed),
        &|choice: &Choice| has_word_starting_with(&label(choice), start),
    ] {
        if found.is_empty() {
            found = filter_choices(like);
        }
    }
    let mut enabled_choices = found.iter().filter(|choice| choice.is_enabled());
    if let (Some(only), None) = (enabled_choices.next(), enabled_choices.next()) {
        return Ok(only);
    }
    match found.as_slice() {
        [only] => Ok(only),
        [] => Err(host_text!("\"{word}\" is not one of the choices", word = word)),
        several => {
            let names: Vec<String> = several
                .iter()
                .map(|choice| display_text::markup_on_one_line(&choice.label))
                .collect();
            Err(host_text!(
                "\"{word}\" could be {names}",
                word = word,
                names = names.join(&host_text!(" or "))
            ))
        }
    }
}

/// Whether one of the words of a text starts with this.
fn has_word_starting_with(text: &str, start: &str) -> bool {
    let mut places = text.match_indices(start).map(|(at, _)| at);
    let before = |at: usize| text[..at].chars().next_back();
    !start.is_empty() && places.any(|at| before(at).is_none_or(|c| !c.is_alphanumeric()))
}

fn parse_command(line: &str) -> Option<PlainTextCommand> {
    let (word, rest) = line.trim().split_once(' ').unwrap_or((line.trim(), ""));
    let rest = rest.trim();
    let command = match word.to_lowercase().as_str() {
        "log" if rest.is_empty() => PlainTextCommand::Log(None),
        "log" => PlainTextCommand::Log(Some(rest.parse().ok()?)),
        "look" | "x" => PlainTextCommand::Look(rest.to_owned()),
        "go" => PlainTextCommand::Go(rest.to_owned()),
        "why" => PlainTextCommand::Why(rest.to_owned()),
        "help" | "?" if !rest.is_empty() => PlainTextCommand::Explain(rest.to_owned()),
        "what" if rest.to_lowercase().starts_with("is ") => {
            PlainTextCommand::Explain(rest["is ".len()..].to_owned())
        }
        _ if !rest.is_empty() => return None,
        "help" | "?" => PlainTextCommand::Help,
        "sheet" => PlainTextCommand::Sheet,
        "map" => PlainTextCommand::Map,
        "explore" => PlainTextCommand::Explore,
        "odds" => PlainTextCommand::Odds,
        "again" => PlainTextCommand::Again,
        "brief" => PlainTextCommand::Brief(true),
        "full" => PlainTextCommand::Brief(false),
        "undo" => PlainTextCommand::Undo,
        "leave" => PlainTextCommand::Leave,
        "reload" => PlainTextCommand::Reload,
        "quit" => PlainTextCommand::Quit,
        _ => return None,
    };
    Some(command)
}

/// What may be wrong with the encoding of a line that is no answer: its characters are invisible.
pub(super) fn encoding_note(line: &str) -> &'static str {
    if line.contains(char::REPLACEMENT_CHARACTER) {
        "; the line is not UTF-8: save the answers as UTF-8"
    } else if line.contains('\u{feff}') {
        "; the line contains a byte order mark (U+FEFF): remove it"
    } else {
        ""
    }
}
