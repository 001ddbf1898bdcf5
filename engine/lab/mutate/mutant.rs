//! A mutant: one small change in one file, with its place and its description.

use serde::{Deserialize, Serialize};

/// The kind of a mutant; also its name in JSON and in the report.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub(super) enum MutantKind {
    /// A number plus one, minus one or halved, or a number of dice notation.
    Number,
    /// Another comparison.
    Comparison,
    /// `and` for `or`, or the reverse.
    #[serde(rename = "junction")]
    LogicalOperator,
    /// `+` for `-`, `*` for `//`, `min` for `max`, or the reverse.
    Arithmetic,
    /// A condition set to true or false, or a `not` removed.
    Condition,
    /// `true` for `false`, or the reverse.
    #[serde(rename = "flag")]
    BooleanLiteral,
    /// A statement removed.
    #[serde(rename = "statement")]
    RemovedStatement,
    /// A word of a closed list replaced by the next of its list.
    Word,
    /// An entry of a table swapped with the next one.
    #[serde(rename = "swap")]
    SwappedEntries,
    /// An entry of an inner table removed.
    #[serde(rename = "entry")]
    RemovedEntry,
}

/// A mutant.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Mutant {
    /// The file, within its mod.
    pub(super) file: String,
    pub(super) kind: MutantKind,
    /// The line, from 1.
    pub(super) line: u32,
    /// The line of the statement around it, which coverage counts.
    pub(super) statement_line: u32,
    /// Whether it runs while the file loads, outside any function.
    pub(super) runs_while_loading: bool,
    /// The byte range that is replaced.
    pub(super) start_byte: usize,
    pub(super) end_byte: usize,
    /// The new text.
    pub(super) replacement: String,
    /// A short description, such as `5 -> 6`.
    pub(super) change: String,
}

impl Mutant {
    /// The text of the file with the change.
    pub(super) fn apply_to_text(&self, text: &str) -> String {
        format!("{}{}{}", &text[..self.start_byte], self.replacement, &text[self.end_byte..])
    }

    /// The changed lines, before and after.
    pub(super) fn diff_lines(&self, text: &str) -> Vec<String> {
        let begin = text[..self.start_byte].rfind('\n').map_or(0, |at| at + 1);
        let end = text[self.end_byte..].find('\n').map_or(text.len(), |at| self.end_byte + at);
        let after = format!(
            "{}{}{}",
            &text[begin..self.start_byte],
            self.replacement,
            &text[self.end_byte..end]
        );
        let lines = |sign: char, part: &str| {
            part.lines().map(|line| format!("{sign} {line}")).collect::<Vec<_>>()
        };
        [lines('-', &text[begin..end]), lines('+', &after)].concat()
    }
}
