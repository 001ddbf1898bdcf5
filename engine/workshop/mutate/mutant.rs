//! A mutant: one small thing in one file changed. What it is, where, and how a person reads it.

use serde::{Deserialize, Serialize};

/// What sort of thing was changed; the names that `--json` and the report have for them.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub(super) enum Sort {
    /// A number by one or by half, or one in the notation of dice.
    Number,
    /// A comparison.
    Comparison,
    /// `and` for `or`, or the other way about.
    Junction,
    /// `+` for `-`, `*` for `//`, `min` for `max`, or the other way about.
    Arithmetic,
    /// A condition made true or false, or `not` taken away.
    Condition,
    /// `true` for `false`, or the other way about.
    Flag,
    /// A statement left out.
    Statement,
    /// An entry of a table swapped with its neighbour.
    Swap,
    /// An entry of a table inside another left out.
    Entry,
}

/// One small change of one file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Mutant {
    /// The file, within its mod.
    pub(super) file: String,
    pub(super) sort: Sort,
    /// Where it stands, from 1.
    pub(super) line: u32,
    /// The line of the statement that it is part of: what coverage counts.
    pub(super) anchor: u32,
    /// Whether it runs while the file is loaded, and in no function.
    pub(super) loading: bool,
    /// The piece of the file that is replaced, in bytes.
    pub(super) from: usize,
    pub(super) to: usize,
    /// What stands there instead.
    pub(super) with: String,
    /// The change in few words, `5 -> 6`.
    pub(super) change: String,
}

impl Mutant {
    /// The file with the change in it.
    pub(super) fn applied(&self, text: &str) -> String {
        format!("{}{}{}", &text[..self.from], self.with, &text[self.to..])
    }

    /// The lines that change, as they were and as they are.
    pub(super) fn diff(&self, text: &str) -> Vec<String> {
        let begin = text[..self.from].rfind('\n').map_or(0, |at| at + 1);
        let end = text[self.to..].find('\n').map_or(text.len(), |at| self.to + at);
        let after = format!("{}{}{}", &text[begin..self.from], self.with, &text[self.to..end]);
        let lines = |sign: char, part: &str| {
            part.lines().map(|line| format!("{sign} {line}")).collect::<Vec<_>>()
        };
        [lines('-', &text[begin..end]), lines('+', &after)].concat()
    }
}
