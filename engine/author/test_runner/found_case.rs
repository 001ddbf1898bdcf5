//! A case as it is found, in a file or a script: its name, and whether it is selected.

use std::path::PathBuf;

use super::function_case::FunctionCase;
use crate::case::Case;
use crate::ledger::leading_ids;
use base::{Problem, SourceLocation};

/// A case that was found, or why it cannot run.
pub struct FoundCase {
    /// Its file, or the file that it would have with the extension `.toml`.
    pub path: PathBuf,
    /// The case, or why it cannot be read.
    pub case: Result<CaseBody, Vec<Problem>>,
    /// What the case shows, if only the rest of it cannot be read.
    pub(super) unread_sentence: String,
    /// Where it is declared in a script.
    pub place: Option<SourceLocation>,
    /// Whether it is declared in a script.
    pub(super) is_declared_in_script: bool,
}

/// The two kinds of cases.
pub enum CaseBody {
    /// A scripted run.
    ScriptedRun(Box<Case>),
    /// A function that checks rules.
    Function(FunctionCase),
}

impl CaseBody {
    /// What the case shows, in the words of its author.
    pub fn sentence(&self) -> &str {
        match self {
            Self::ScriptedRun(case) => &case.sentence,
            Self::Function(proof) => &proof.sentence,
        }
    }
}

impl FoundCase {
    pub(super) fn name(&self) -> String {
        self.path.file_stem().unwrap_or_default().to_string_lossy().into_owned()
    }

    /// Whether its name, or a row in it, contains one of the given texts. A case that cannot run is
    /// always selected.
    pub(super) fn is_selected(&self, texts: &[String]) -> bool {
        let Ok(case) = &self.case else { return true };
        let (name, about) = (self.name(), case.sentence());
        let rows = leading_ids(about).0;
        let matches_case = |text: &String| {
            [&*name, about]
                .into_iter()
                .chain(rows.iter().map(|row| &**row))
                .any(|said| contains_words(said, text))
        };
        texts.is_empty() || texts.iter().any(matches_case)
    }
}

/// Whether a text occurs in whole words: F-1.1 does not occur in F-1.10, but F-1 occurs in F-1.1.
fn contains_words(name: &str, text: &str) -> bool {
    let ends = |beside: Option<char>, edge: Option<char>| {
        !(beside.is_some_and(char::is_alphanumeric) && edge.is_some_and(char::is_alphanumeric))
    };
    name.match_indices(text).any(|(at, found)| {
        let (before, after) =
            (name[..at].chars().next_back(), name[at + found.len()..].chars().next());
        ends(before, text.chars().next()) && ends(after, text.chars().next_back())
    })
}
