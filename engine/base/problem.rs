//! A Problem: a diagnostic with a source location. It says what was found, where, what was expected
//! and what to do. A bug of the engine is an assertion instead.

use std::any::Any;
use std::fmt;
use std::sync::Arc;

use serde::{Deserialize, Serialize};

pub use super::name_search::{describe_alternatives, nearest_name, searched_part};
use super::problem_code::{self, Code};
pub use super::problem_names::{ProblemNames, UndeclaredName};
use super::{meter, text};

/// How bad a Problem is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Severity {
    /// The operation failed.
    Error,
    /// The operation succeeded, but the author should know.
    Warning,
}

/// A source location.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct SourceLocation {
    /// The mod's id; empty where no mod is responsible (a save, a command).
    pub owner: String,
    /// The file, relative to the mod's folder, or as it was named on the command line.
    pub file: String,
    /// The line, from 1; 0 where there is none.
    pub line: u32,
    /// The text of that line, if it is available.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub excerpt: Option<String>,
    /// The column that a caret should point at, from 1 in characters.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub column: Option<u32>,
}

impl SourceLocation {
    /// Creates a location in a file of a mod.
    pub fn new(owner: impl Into<String>, file: impl Into<String>, line: u32) -> Self {
        Self { owner: owner.into(), file: file.into(), line, excerpt: None, column: None }
    }

    /// The same location with the text of its line.
    pub fn with_excerpt(mut self, excerpt: impl Into<String>) -> Self {
        self.excerpt = Some(excerpt.into());
        self
    }
}

impl fmt::Display for SourceLocation {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if !self.owner.is_empty() {
            write!(f, "{}/", text::strip_unprintable(&self.owner))?;
        }
        f.write_str(&text::strip_unprintable(&self.file))?;
        if self.line > 0 {
            write!(f, ":{}", self.line)?;
        }
        Ok(())
    }
}

/// Adds to a Problem what has to be searched. `host` is the VM that the Problem leaves.
type ExplainFn = dyn Fn(Problem, &dyn Any) -> Problem + Send + Sync;

/// The explanation of a Problem that a script may still catch: it is worked out when the Problem
/// leaves the VM, so that catching errors in a loop never makes the host search.
#[derive(Clone)]
pub struct PendingExplanation(Arc<ExplainFn>);

impl fmt::Debug for PendingExplanation {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("…")
    }
}

impl PartialEq for PendingExplanation {
    fn eq(&self, other: &Self) -> bool {
        Arc::ptr_eq(&self.0, &other.0)
    }
}

impl Eq for PendingExplanation {}

/// A diagnostic with a source location.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Problem {
    /// Error or warning.
    pub severity: Severity,
    /// Its code, such as `unknown-field`.
    #[serde(deserialize_with = "problem_code::deserialize_stored_code")]
    pub code: Code,
    /// What was found.
    pub message: String,
    /// Where it was found.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub place: Option<SourceLocation>,
    /// What was expected instead.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub expected: Option<String>,
    /// What to do about it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub hint: Option<String>,
    /// Further locations: the call trail, or the other side of a conflict.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    #[serde(rename = "trail")]
    pub related_locations: Vec<SourceLocation>,
    /// The names that it is about, if any.
    #[serde(skip)]
    pub names: Option<Box<ProblemNames>>,
    /// What is still to be explained.
    #[serde(skip)]
    pub pending_explanation: Option<PendingExplanation>,
    /// The number of Problems that it only counts; 0 for every other Problem.
    #[serde(skip)]
    pub omitted_count: usize,
}

impl Problem {
    /// Creates an error. Quoted text of mods, files and names is filtered for display here.
    pub fn error(code: Code, message: impl Into<String>) -> Self {
        Self {
            severity: Severity::Error,
            code,
            message: sanitize_and_truncate(&message.into()),
            place: None,
            expected: None,
            hint: None,
            related_locations: Vec::new(),
            names: None,
            pending_explanation: None,
            omitted_count: 0,
        }
    }

    /// Creates a warning.
    pub fn warning(code: Code, message: impl Into<String>) -> Self {
        Self { severity: Severity::Warning, ..Self::error(code, message) }
    }

    /// Creates the error that only counts further Problems.
    pub fn counting(omitted_count: usize) -> Self {
        let message = format!("more problems were found: {omitted_count}");
        Self { omitted_count, ..Self::error(Code::MoreMistakes, message) }
            .hint("fix the problems above first; the next check shows the others")
    }

    /// Sets the location.
    pub fn at(mut self, place: SourceLocation) -> Self {
        self.place = Some(place);
        self
    }

    /// The total bytes of its texts.
    pub fn text_bytes(&self) -> usize {
        let texts = [&self.expected, &self.hint].into_iter().flatten().map(String::len);
        let places = self.place.iter().chain(&self.related_locations).map(|place| {
            let excerpt = place.excerpt.as_ref().map_or(0, |text| text.len());
            place.owner.len() + place.file.len() + excerpt
        });
        self.message.len() + texts.sum::<usize>() + places.sum::<usize>()
    }

    /// Sets what was expected.
    pub fn expected(mut self, expected: impl Into<String>) -> Self {
        self.expected = Some(sanitize_and_truncate(&expected.into()));
        self
    }

    /// Sets what to do.
    pub fn hint(mut self, hint: impl Into<String>) -> Self {
        self.hint = Some(sanitize_and_truncate(&hint.into()));
        self
    }

    /// Sets what to do, if given; otherwise the present hint stays.
    pub fn with_optional_hint(self, hint: Option<impl Into<String>>) -> Self {
        hint.into_iter().fold(self, Problem::hint)
    }

    /// Expects one of these names as they are written in code, and suggests the nearest.
    pub fn expect_one_of_names<'n>(
        self,
        name: &str,
        known: impl Iterator<Item = &'n str> + Clone,
    ) -> Self {
        let near = nearest_name(name, known.clone());
        self.expected(describe_alternatives(name, known)).suggest(near, '`', "")
    }

    /// Suggests another word if one is near enough; otherwise the present hint stays.
    pub fn suggest_name(self, near: Option<impl AsRef<str>>) -> Self {
        self.suggest(near, '"', "")
    }

    /// Suggests another field of a table, as it is written in code.
    pub fn suggest_field(self, table: &str, near: Option<impl AsRef<str>>) -> Self {
        self.suggest(near, '`', &format!("{table}."))
    }

    /// The declared name that its hint suggests, if any.
    pub fn suggestion(&self) -> Option<&str> {
        self.names.as_ref()?.suggested.as_deref()
    }

    /// The undeclared name that it is about, if any; a caller that knows other mods adds the hint.
    pub fn undeclared_name(&self) -> Option<&UndeclaredName> {
        self.names.as_ref()?.undeclared.as_ref()
    }

    fn suggest(mut self, near: Option<impl AsRef<str>>, quote: char, table: &str) -> Self {
        let Some(near) = near else { return self };
        self.names.get_or_insert_default().suggested = Some(near.as_ref().to_owned());
        self.hint(format!("did you mean {quote}{table}{}{quote}?", near.as_ref()))
    }

    /// Marks it as being about an undeclared name.
    pub fn with_undeclared_name(mut self, what: UndeclaredName) -> Self {
        self.names.get_or_insert_default().undeclared = Some(what);
        self
    }

    /// Adds an explanation for the time when the Problem leaves the VM.
    pub fn explain_later(
        mut self,
        explain: impl Fn(Self, &dyn Any) -> Self + Send + Sync + 'static,
    ) -> Self {
        let earlier = self.pending_explanation.take();
        self.pending_explanation = Some(PendingExplanation(Arc::new(move |problem, host| {
            let Some(PendingExplanation(explain_earlier)) = &earlier else {
                return explain(problem, host);
            };
            explain(explain_earlier(problem, host), host)
        })));
        self
    }

    /// Works out what is still to be explained.
    pub fn explain(mut self, host: &dyn Any) -> Self {
        match self.pending_explanation.take() {
            Some(PendingExplanation(explain)) => explain(self, host),
            None => self,
        }
    }

    /// Adds a further location.
    pub fn add_related_location(mut self, place: SourceLocation) -> Self {
        self.related_locations.push(place);
        self
    }

    /// Adds further locations, if there are any.
    pub fn add_related_locations(
        mut self,
        places: impl IntoIterator<Item = SourceLocation>,
    ) -> Self {
        self.related_locations.extend(places);
        self
    }
}

impl fmt::Display for Problem {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        debug_assert!(self.pending_explanation.is_none(), "{}: left unexplained", self.message);
        let word = match self.severity {
            Severity::Error => "error",
            Severity::Warning => "warning",
        };
        // Filtered again: a Problem that was read from a file did not pass the constructors above.
        write!(f, "{word}[{}]: {}", self.code, text::strip_unprintable(&self.message))?;
        if let Some(place) = &self.place {
            write!(f, "\n  at {place}")?;
            if let Some(excerpt) = &place.excerpt {
                write_excerpt(f, place.line, excerpt, place.column)?;
            }
        }
        if let Some(expected) = &self.expected {
            write!(f, "\n  expected: {}", text::strip_unprintable(expected))?;
        }
        if let Some(hint) = &self.hint {
            write!(f, "\n  help: {}", text::strip_unprintable(hint))?;
        }
        for place in &self.related_locations {
            write!(f, "\n  note: see {place}")?;
            if let Some(excerpt) = &place.excerpt {
                write_excerpt(f, place.line, excerpt, place.column)?;
            }
        }
        Ok(())
    }
}

fn write_excerpt(
    f: &mut fmt::Formatter<'_>,
    line: u32,
    excerpt: &str,
    column: Option<u32>,
) -> fmt::Result {
    write!(f, "\n  {line:>5} | {}", sanitize_excerpt(excerpt))?;
    if let Some(column) = column {
        write!(f, "\n        | {:>width$}", "^", width = column as usize)?;
    }
    Ok(())
}

/// A script line as it is displayed. Tabs stay, so that a column can be pointed at.
fn sanitize_excerpt(line: &str) -> String {
    line.trim_end().chars().filter(|c| *c == '\t' || text::is_printable(*c)).collect()
}

impl std::error::Error for Problem {}

/// Longest text of a Problem, in bytes; it may quote what a script built.
const MAX_MESSAGE_BYTES: usize = 2000;

/// Longest word without a space in such a text, in bytes. The longest file path is shorter.
const MAX_WORD_BYTES: usize = 240;
/// How many bytes of a longer word are shown.
const TRUNCATED_WORD_BYTES: usize = 60;

/// A text as a Problem quotes it: filtered for the terminal, and cut where it is too long.
fn sanitize_and_truncate(text: &str) -> String {
    let fits = text.len() <= MAX_MESSAGE_BYTES;
    if !fits {
        meter::charge_bytes(text.len());
    }
    let has_long_name =
        text.len() > MAX_WORD_BYTES && split_words(text).any(|n| n.len() > MAX_WORD_BYTES);
    let shortened = match (has_long_name, fits) {
        (true, _) => split_words(text)
            .map(|name| truncate_text(name, MAX_WORD_BYTES, TRUNCATED_WORD_BYTES))
            .collect(),
        (false, true) => return text::strip_unprintable(text),
        (false, false) => text.to_owned(),
    };
    text::strip_unprintable(&truncate_text(&shortened, MAX_MESSAGE_BYTES, MAX_MESSAGE_BYTES))
}

/// Splits a text at spaces; each part keeps the space after it.
fn split_words(text: &str) -> impl Iterator<Item = &str> {
    text.split_inclusive(char::is_whitespace)
}

/// Returns a text, or its first `shown` bytes where it is longer than `max_bytes`.
fn truncate_text(text: &str, max_bytes: usize, shown: usize) -> String {
    if text.len() <= max_bytes {
        return text.to_owned();
    }
    let end = (0..=shown).rev().find(|at| text.is_char_boundary(*at)).unwrap_or(0);
    let trailing_space = text.chars().last().filter(|last| last.is_whitespace());
    format!("{}…{}", &text[..end], trailing_space.map(String::from).unwrap_or_default())
}

/// Returns the first `max_count` Problems, and one that counts the rest. What earlier limits left out
/// is part of that count.
pub fn limit_problems(problems: Vec<Problem>, max_count: usize) -> Vec<Problem> {
    let (counts, mut reported): (Vec<_>, Vec<_>) =
        problems.into_iter().partition(|problem| problem.omitted_count > 0);
    if reported.len() <= max_count {
        return reported.into_iter().chain(counts).collect();
    }
    // Errors come before warnings.
    reported.sort_by_key(|problem| problem.severity == Severity::Warning);
    let omitted = reported.split_off(max_count);
    let omitted_count =
        omitted.len() + counts.iter().map(|problem| problem.omitted_count).sum::<usize>();
    let is_error = |problem: &Problem| problem.severity == Severity::Error;
    let severity = match omitted.iter().chain(&counts).any(is_error) {
        true => Severity::Error,
        false => Severity::Warning,
    };
    let place = omitted[0].place.clone();
    reported.push(Problem { severity, place, ..Problem::counting(omitted_count) });
    reported
}
