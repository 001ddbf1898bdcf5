//! A Problem: a mistake with an address. Every message says what was found, where, what was
//! expected and what to do. A mistake of ours is an assertion instead.

use std::fmt;

use serde::{Deserialize, Serialize};
use strsim::osa_distance;

use super::{limits, meter, text};

/// How bad a Problem is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Severity {
    /// What was asked for could not be done.
    Error,
    /// It was done, but the author will want to know.
    Warning,
}

/// Where a Problem lies.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Place {
    /// The mod's id; empty where no mod is to blame (a save, a command).
    pub owner: String,
    /// The file, relative to the mod's folder, or as the person named it.
    pub file: String,
    /// The line, from 1; 0 where there is none.
    pub line: u32,
    /// The text of that line, if it is at hand.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub excerpt: Option<String>,
    /// The column, from 1 in characters, that a caret should stand under.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub column: Option<u32>,
}

impl Place {
    /// A place in a mod's file.
    pub fn new(owner: impl Into<String>, file: impl Into<String>, line: u32) -> Self {
        Self { owner: owner.into(), file: file.into(), line, excerpt: None, column: None }
    }

    /// The same place with the text of its line.
    pub fn with_excerpt(mut self, excerpt: impl Into<String>) -> Self {
        self.excerpt = Some(excerpt.into());
        self
    }
}

impl fmt::Display for Place {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if !self.owner.is_empty() {
            write!(f, "{}/", text::clean(&self.owner))?;
        }
        f.write_str(&text::clean(&self.file))?;
        if self.line > 0 {
            write!(f, ":{}", self.line)?;
        }
        Ok(())
    }
}

/// What nobody declares among the mods that were looked at, and one beside them may.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Undeclared {
    /// A name that scripts write: a kind, an export, a builder.
    Name(String),
    /// A moment.
    Moment(String),
    /// A kind or a moment that holds an open list.
    Holder(String),
}

/// A mistake with an address.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Problem {
    /// Error or warning.
    pub severity: Severity,
    /// A short fixed name of this kind of Problem, such as `unknown-field`.
    pub code: String,
    /// What was found.
    pub message: String,
    /// Where it was found.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub place: Option<Place>,
    /// What was expected instead.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub expected: Option<String>,
    /// What to do about it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub hint: Option<String>,
    /// Further places that belong to it: the calls on the way, or the other side of a clash.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub trail: Vec<Place>,
    /// What it is about, if that is something that nobody declares: whoever knows of other mods says what to do.
    #[serde(skip)]
    pub undeclared: Option<Box<Undeclared>>,
}

impl Problem {
    /// An error. What its texts repeat of mods, files and names is filtered for people here.
    pub fn error(code: &str, message: impl Into<String>) -> Self {
        Self {
            severity: Severity::Error,
            code: code.to_owned(),
            message: said(&message.into()),
            place: None,
            expected: None,
            hint: None,
            trail: Vec::new(),
            undeclared: None,
        }
    }

    /// A warning.
    pub fn warning(code: &str, message: impl Into<String>) -> Self {
        Self { severity: Severity::Warning, ..Self::error(code, message) }
    }

    /// Says where.
    pub fn at(mut self, place: Place) -> Self {
        self.place = Some(place);
        self
    }

    /// The bytes of its texts.
    pub fn bytes(&self) -> usize {
        let texts = [&self.expected, &self.hint].into_iter().flatten().map(String::len);
        let places = self.place.iter().chain(&self.trail).map(|place| {
            let excerpt = place.excerpt.as_ref().map_or(0, |text| text.len());
            place.owner.len() + place.file.len() + excerpt
        });
        self.message.len() + texts.sum::<usize>() + places.sum::<usize>()
    }

    /// Says what was expected.
    pub fn expected(mut self, expected: impl Into<String>) -> Self {
        self.expected = Some(said(&expected.into()));
        self
    }

    /// Says what to do.
    pub fn hint(mut self, hint: impl Into<String>) -> Self {
        self.hint = Some(said(&hint.into()));
        self
    }

    /// Says what to do, if there is something; else what was said stays.
    pub fn maybe_hint(self, hint: Option<impl Into<String>>) -> Self {
        hint.into_iter().fold(self, Problem::hint)
    }

    /// Expects one of these names as code writes them, and asks whether the one that is near was meant.
    pub fn one_of_names<'n>(
        self,
        name: &str,
        known: impl Iterator<Item = &'n str> + Clone,
    ) -> Self {
        let near = nearest(name, known.clone()).map(|near| format!("did you mean `{near}`?"));
        self.expected(one_of(name, known)).maybe_hint(near)
    }

    /// Asks whether another word was meant, if one is near enough; else what is to be done stays as it is.
    pub fn did_you_mean(self, near: Option<impl AsRef<str>>) -> Self {
        self.maybe_hint(near.map(|near| format!("did you mean \"{}\"?", near.as_ref())))
    }

    /// Says that it is about something that nobody declares.
    pub fn undeclared(mut self, what: Undeclared) -> Self {
        self.undeclared = Some(Box::new(what));
        self
    }

    /// Adds a further place.
    pub fn by_way_of(mut self, place: Place) -> Self {
        self.trail.push(place);
        self
    }

    /// Adds further places, if there are any.
    pub fn through(mut self, places: impl IntoIterator<Item = Place>) -> Self {
        self.trail.extend(places);
        self
    }
}

impl fmt::Display for Problem {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let word = match self.severity {
            Severity::Error => "error",
            Severity::Warning => "warning",
        };
        // Cleaned once more: one that was read from a file was not made by the functions above.
        write!(f, "{word}[{}]: {}", text::clean(&self.code), text::clean(&self.message))?;
        if let Some(place) = &self.place {
            write!(f, "\n  at {place}")?;
            if let Some(excerpt) = &place.excerpt {
                write_excerpt(f, place.line, excerpt, place.column)?;
            }
        }
        if let Some(expected) = &self.expected {
            write!(f, "\n  expected: {}", text::clean(expected))?;
        }
        if let Some(hint) = &self.hint {
            write!(f, "\n  help: {}", text::clean(hint))?;
        }
        for place in &self.trail {
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
    write!(f, "\n  {line:>5} | {}", excerpt_of(excerpt))?;
    if let Some(column) = column {
        write!(f, "\n        | {:>width$}", "^", width = column as usize)?;
    }
    Ok(())
}

/// A line of a script as it is shown: its tabs stand, so that a column can be pointed at.
fn excerpt_of(line: &str) -> String {
    line.trim_end().chars().filter(|c| *c == '\t' || text::is_plain(*c)).collect()
}

impl std::error::Error for Problem {}

/// Longest text of a Problem, in bytes: it may repeat what a script has made.
const LONGEST: usize = 2000;

/// Longest name in such a text, in bytes: what has no blank in it. The longest paths of files are not longer.
const LONGEST_NAME: usize = 240;
/// What is shown of a longer one.
const SHOWN_OF_NAME: usize = 60;

/// A text as a Problem repeats it: fit for a terminal, and cut where it is longer than anybody reads.
fn said(text: &str) -> String {
    let whole = text.len() <= LONGEST;
    if !whole {
        meter::bytes(text.len());
    }
    let has_long_name = text.len() > LONGEST_NAME && names(text).any(|n| n.len() > LONGEST_NAME);
    let cut = match (has_long_name, whole) {
        (true, _) => names(text).map(|name| shortened(name, LONGEST_NAME, SHOWN_OF_NAME)).collect(),
        (false, true) => return text::clean(text),
        (false, false) => text.to_owned(),
    };
    text::clean(&shortened(&cut, LONGEST, LONGEST))
}

/// The names of a text, each with the blank behind it.
fn names(text: &str) -> impl Iterator<Item = &str> {
    text.split_inclusive(char::is_whitespace)
}

/// A text, or where it is longer than `most` its first bytes.
fn shortened(text: &str, most: usize, shown: usize) -> String {
    if text.len() <= most {
        return text.to_owned();
    }
    let end = (0..=shown).rev().find(|at| text.is_char_boundary(*at)).unwrap_or(0);
    let blank = text.chars().last().filter(|last| last.is_whitespace());
    format!("{}…{}", &text[..end], blank.map(String::from).unwrap_or_default())
}

/// The candidate that `word` was probably meant to be, if one is near enough. What is longer than any name is
/// compared with nothing: the work grows with both lengths, and scripts can make either.
pub fn nearest<'a>(word: &str, candidates: impl IntoIterator<Item = &'a str>) -> Option<&'a str> {
    let length = word.chars().count();
    if length > limits::ID_BYTES {
        return None;
    }
    let most = (length / 3).max(1);
    candidates
        .into_iter()
        .inspect(|candidate| meter::bytes(64 + candidate.len()))
        .filter(|candidate| candidate.chars().count().abs_diff(length) <= most)
        .map(|candidate| (distance(word, candidate), candidate))
        // A word of which every letter is another was not meant.
        .filter(|(distance, candidate)| {
            *distance <= most && *distance < length.max(candidate.chars().count())
        })
        .min()
        .map(|(_, candidate)| candidate)
}

/// Edits between two words, where swapping neighbours counts as one.
fn distance(word: &str, candidate: &str) -> usize {
    meter::units(1 + word.len() * candidate.len() / 8);
    osa_distance(word, candidate)
}

/// The first Problems of many, and one that counts the others.
pub fn few(mut problems: Vec<Problem>, most: usize) -> Vec<Problem> {
    let untold = problems.len().saturating_sub(most);
    if untold > 0 {
        // What stops somebody is told before what only warns.
        problems.sort_by_key(|problem| problem.severity == Severity::Warning);
        let worst = problems[most].severity;
        let place = problems[most].place.clone();
        problems.truncate(most);
        let found = format!("there are {untold} more mistakes");
        let more = Problem { severity: worst, place, ..Problem::error("more-mistakes", found) };
        problems.push(more.hint("mend those that are told, and look again"));
    }
    problems
}

/// What is expected where one of some names is: all of them, or where they are many the nearest and how many
/// more there are.
pub fn one_of<'a>(word: &str, names: impl IntoIterator<Item = &'a str>) -> String {
    const FEW: usize = 6;
    let mut names: Vec<&str> = names.into_iter().collect();
    if names.len() <= 2 * FEW {
        return format!("one of {}", names.join(", "));
    }
    meter::units(names.len());
    let near = |name: &str| match word.len().max(name.len()) <= limits::ID_BYTES {
        true => distance(word, name),
        false => usize::MAX,
    };
    names.sort_by_cached_key(|name| (near(name), *name));
    format!("one of {} and {} others", names[..FEW].join(", "), names.len() - FEW)
}
