//! What a report calls the things of a run: a game's own names in place of ids.

use std::sync::Arc;

use base::Value;
use base::host_text;
use base::host_texts::translate_host_text;
use base::text::display_value;
use session::RunSummary;

/// A longer list of short entries is joined into one line.
const MAX_LIST_LINES: usize = 12;
const MAX_JOINED_CHARS: usize = 40;

/// The names that a game gives to what a summary holds as ids.
pub struct ReportNames<'a> {
    /// The name of the game.
    pub game: String,
    /// What describes the run, such as its place and difficulty.
    pub history_cells: Vec<String>,
    /// The label of each option with the name of its value.
    pub options: Vec<(String, String)>,
    /// The name of a definition, by its id.
    pub definition_name: &'a dyn Fn(&str) -> Option<String>,
}

impl ReportNames<'_> {
    /// Without the game's content: ids stand for names.
    pub fn without_content(summary: &RunSummary) -> Self {
        let options = summary.header.options.as_map().into_iter().flatten();
        let text_of =
            |(key, value): (&Arc<str>, &Value)| (readable_key(key), scalar_text(value, &|_| None));
        Self {
            game: summary.header.game.clone(),
            history_cells: Vec::new(),
            options: options.map(text_of).collect(),
            definition_name: &|_| None,
        }
    }

    /// The lines of a list; many short entries are joined into one line.
    pub(crate) fn list_lines(&self, list: &[Value]) -> Vec<String> {
        let lines: Vec<String> = list.iter().map(|entry| self.entry_text(entry)).collect();
        match lines.len() > MAX_LIST_LINES
            && lines.iter().all(|line| line.chars().count() <= MAX_JOINED_CHARS)
        {
            true => vec![lines.join(", ")],
            false => lines,
        }
    }

    /// A list entry on one line.
    pub(crate) fn entry_text(&self, value: &Value) -> String {
        let entries: Vec<String> = match value {
            Value::List(list) => list.iter().map(|entry| self.entry_text(entry)).collect(),
            Value::Map(map) => map
                .iter()
                .map(|(key, value)| format!("{} {}", readable_key(key), self.entry_text(value)))
                .collect(),
            plain => return scalar_text(plain, self.definition_name),
        };
        entries.join(", ")
    }
}

/// A value that is no table: in words, and the id of a definition by its name.
pub(crate) fn scalar_text(
    value: &Value,
    definition_name: &dyn Fn(&str) -> Option<String>,
) -> String {
    value.as_text().and_then(definition_name).unwrap_or_else(|| match value {
        Value::Bool(true) => host_text!("yes"),
        Value::Bool(false) => host_text!("no"),
        other => translate_host_text(&display_value(other), &[]),
    })
}

/// The key of a table as words.
pub(crate) fn readable_key(key: &str) -> String {
    translate_host_text(&key.replace('_', " "), &[])
}
