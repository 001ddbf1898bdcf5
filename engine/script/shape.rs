//! Strict reading of plain data from scripts: every field must be known and have its type, and
//! every message has the path (`prompt.choices[2].label`). Independent of Lua.
//!
//! Two exceptions suit the way authors write Lua. `false` in place of an optional value counts as
//! missing (`cost = dear and "1 coin"`). `false` in a list of choices, widgets or items is left
//! out.

use std::borrow::Borrow;
use std::cell::RefCell;
use std::fmt;
use std::sync::Arc;

use super::reworded::Reworded;
use super::value_ref::{Named, ValueRef, under};
use crate::kit::problem::nearest;
use crate::kit::{Problem, Value, limits, meter, text};

/// The key for the list part of a mixed table (see `plain::Mixed`). No script can use this name,
/// because keys of plain data are shown with their quotes.
pub(crate) const LIST_PART: &str = "[1..n]";

/// Approximate bytes of a value of plain data.
const VALUE_BYTES: usize = 64;

/// The path to the current value, and the values that fill texts from here on.
#[derive(Clone, Copy)]
pub(crate) struct Spot<'a> {
    parent: Option<&'a Spot<'a>>,
    step: Step<'a>,
    values: Option<&'a [Named<'a>]>,
    reworded: Option<&'a Reworded>,
}

#[derive(Clone, Copy)]
enum Step<'a> {
    Name(&'a str),
    Index(usize),
}

impl<'a> Spot<'a> {
    /// The root of a path, with the text overrides.
    pub(crate) fn root(name: &'a str, reworded: Option<&'a Reworded>) -> Self {
        Self { parent: None, step: Step::Name(name), values: None, reworded }
    }

    /// A field of the current value.
    pub(crate) fn field(&'a self, name: &'a str) -> Self {
        self.below(Step::Name(name))
    }

    /// An entry of a list, from 1.
    pub(crate) fn index(&'a self, index: usize) -> Self {
        self.below(Step::Index(index))
    }

    fn below(&'a self, step: Step<'a>) -> Self {
        Self { parent: Some(self), step, values: None, reworded: self.reworded }
    }

    fn look_up(&self, name: &str) -> Option<Value> {
        // `{boat.name}` reads a field of a table.
        let mut steps = name.split('.');
        // Comparing names takes longer than a walk.
        meter::entries(2 * self.values.map_or(0, <[_]>::len));
        let first = steps.next().and_then(|step| under(self.values?, step));
        let here = steps.fold(first, |table, step| table?.get(step));
        let here = here.map(|value| match value.as_text() {
            Some(word) => Value::text(self.put_in(word)), // overrides apply to values too
            None => {
                let value = value.to_value();
                meter::units(value.weight());
                value
            }
        });
        here.or_else(|| self.parent.and_then(|parent| parent.look_up(name)))
    }

    /// The word to show for a value in a text.
    fn put_in<'t>(&'t self, word: &'t str) -> &'t str {
        self.reworded.map_or(word, |reworded| reworded.put_in(word))
    }

    /// The text to show.
    fn told<'t>(&'t self, text: &'t str) -> &'t str {
        self.reworded.map_or(text, |reworded| reworded.told(text))
    }

    fn names(&self, names: &mut Vec<Arc<str>>) {
        if let Some(values) = self.values {
            let mut here: Vec<Arc<str>> =
                values.iter().map(|(name, _)| Arc::from(&**name)).collect();
            here.sort();
            names.extend(here);
        }
        if let Some(parent) = self.parent {
            parent.names(names);
        }
    }
}

impl fmt::Display for Spot<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if let Some(parent) = self.parent {
            parent.fmt(f)?;
        }
        match self.step {
            Step::Name(name) if self.parent.is_some() => write!(f, ".{name}"),
            Step::Name(name) => f.write_str(name),
            Step::Index(index) => write!(f, "[{index}]"),
        }
    }
}

/// Names for a message, without those that nobody would write.
fn listed(names: &[&'static str]) -> String {
    let named = names.iter().filter(|name| !matches!(**name, "" | "values" | LIST_PART));
    named.copied().collect::<Vec<_>>().join(", ")
}

/// Describes a value: a short one itself, of a long one the type.
fn found(value: &ValueRef<'_>) -> String {
    match value {
        ValueRef::Text(text) if text.chars().count() > 40 => "a long text".to_owned(),
        ValueRef::Text(text) => format!("the text {text:?}"),
        ValueRef::List(_) => "a list".to_owned(),
        ValueRef::Map(map) if map.is_empty() => "an empty table".to_owned(),
        ValueRef::Map(_) => "a table".to_owned(),
        ValueRef::Int(int) => format!("the number {int}"),
        ValueRef::Num(num) => format!("the number {num}"),
        ValueRef::Bool(truth) => truth.to_string(),
    }
}

pub(crate) fn wrong_type(spot: &Spot<'_>, value: &ValueRef<'_>, expected: &str) -> Problem {
    Problem::error("wrong-type", format!("{spot} is {}", found(value))).expected(expected)
}

/// Reads the named fields of a table.
pub(crate) struct Fields<'a> {
    map: &'a [Named<'a>],
    /// Its path.
    pub(crate) spot: Spot<'a>,
}

impl<'a> Fields<'a> {
    /// Opens a table that may only have the fields in `known`. If `values` is among them, it fills
    /// the texts of this table and of everything inside.
    pub(crate) fn open(
        value: &'a ValueRef<'a>,
        spot: Spot<'a>,
        known: &[&'static str],
    ) -> Result<Self, Problem> {
        let ValueRef::Map(map) = value else {
            return Err(wrong_type(&spot, value, &format!("a table with {}", listed(known))));
        };
        let mut spot = spot;
        let unknown = map.iter().map(|(name, _)| &**name).filter(|name| !known.contains(name));
        if let Some(unknown) = unknown.min() {
            return Err(unknown_field(&spot, unknown, known));
        }
        match under(map, "values").filter(|_| known.contains(&"values")) {
            None => {}
            Some(ValueRef::Map(values)) => spot.values = Some(values),
            Some(other) => {
                return Err(wrong_type(&spot.field("values"), other, "a table of named values"));
            }
        }
        Ok(Self { map, spot })
    }

    /// The value of a field; `false` counts as missing.
    pub(crate) fn get(&self, name: &str) -> Option<&'a ValueRef<'a>> {
        under(self.map, name).filter(|value| !value.is_false())
    }

    /// The value of a field, read by `read`.
    pub(crate) fn inner<T>(
        &self,
        name: &'static str,
        read: impl FnOnce(&'a ValueRef<'a>, &Spot<'_>) -> Result<T, Problem>,
    ) -> Result<Option<T>, Problem> {
        self.get(name).map(|value| read(value, &self.spot.field(name))).transpose()
    }

    /// The value of a field with any data, including `false`.
    pub(crate) fn any(&self, name: &str) -> Option<Value> {
        let value = under(self.map, name).map(ValueRef::to_value)?;
        meter::keep(value.weight() * VALUE_BYTES);
        Some(value)
    }

    /// The value of a required field.
    pub(crate) fn need(&self, name: &'a str, expected: &str) -> Result<&'a ValueRef<'a>, Problem> {
        under(self.map, name).ok_or_else(|| {
            Problem::error("missing-field", format!("{} has no {name}", self.spot))
                .expected(format!("{name}: {expected}"))
        })
    }

    /// A text with its marks filled, safe for a terminal; `None` if missing.
    pub(crate) fn text(&self, name: &'a str) -> Result<Option<String>, Problem> {
        self.get(name).map(|value| marked(value, &self.spot.field(name))).transpose()
    }

    /// An optional text with marks.
    pub(crate) fn text_or_empty(&self, name: &'a str) -> Result<String, Problem> {
        Ok(self.text(name)?.unwrap_or_default())
    }

    /// A required text with marks.
    pub(crate) fn need_text(&self, name: &'a str) -> Result<String, Problem> {
        marked(self.need(name, "a text")?, &self.spot.field(name))
    }

    /// A word without marks, such as an id or a tone.
    pub(crate) fn word(&self, name: &'a str) -> Result<Option<&'a str>, Problem> {
        let Some(value) = self.get(name) else { return Ok(None) };
        let wrong = || wrong_type(&self.spot.field(name), value, "a text");
        value.as_text().ok_or_else(wrong).map(Some)
    }

    /// One of a few words.
    pub(crate) fn one_of(
        &self,
        name: &'a str,
        words: &[&'static str],
    ) -> Result<Option<&'a str>, Problem> {
        let spot = self.spot.field(name);
        self.get(name).map(|value| one_word(value, &spot, words)).transpose()
    }

    /// A whole number.
    pub(crate) fn int(&self, name: &'a str) -> Result<Option<i64>, Problem> {
        let Some(value) = self.get(name) else { return Ok(None) };
        let wrong = || wrong_type(&self.spot.field(name), value, "a whole number");
        value.as_int().ok_or_else(wrong).map(Some)
    }

    /// A required whole number.
    pub(crate) fn need_int(&self, name: &'a str) -> Result<i64, Problem> {
        let value = self.need(name, "a whole number")?;
        value.as_int().ok_or_else(|| wrong_type(&self.spot.field(name), value, "a whole number"))
    }

    /// A boolean; false if missing.
    pub(crate) fn truth(&self, name: &'a str) -> Result<bool, Problem> {
        let Some(value) = self.get(name) else { return Ok(false) };
        value.as_bool().ok_or_else(|| wrong_type(&self.spot.field(name), value, "true or false"))
    }

    /// Reads every entry of a list with `read`; empty if missing. Entries that are `false` are left
    /// out.
    pub(crate) fn list<T>(
        &self,
        name: &'a str,
        most: usize,
        mut read: impl FnMut(&ValueRef<'_>, &Spot<'_>) -> Result<T, Problem>,
    ) -> Result<Vec<T>, Problem> {
        let spot = self.spot.field(name);
        let Some(value) = self.get(name) else { return Ok(Vec::new()) };
        let list = value.as_list().ok_or_else(|| wrong_type(&spot, value, "a list"))?;
        if list.len() > most {
            return Err(Problem::error("too-many", format!("{spot} has {} entries", list.len()))
                .expected(format!("at most {most}")));
        }
        meter::keep(list.len() * limits::KEPT_PER_ENTRY);
        affordable(&spot)?;
        let entries = list.iter().enumerate().filter(|(_, item)| !item.is_false());
        entries.map(|(at, item)| read(item, &spot.index(at + 1))).collect()
    }
}

fn unknown_field(spot: &Spot<'_>, unknown: &str, known: &[&'static str]) -> Problem {
    if unknown == LIST_PART {
        return Problem::error("wrong-type", format!("{spot} has unnamed entries"))
            .expected(format!("only named fields: {}", listed(known)));
    }
    let problem = Problem::error("unknown-field", format!("{spot} has a field {unknown:?}"))
        .expected(listed(known));
    problem.did_you_mean(nearest(unknown, known.iter().copied()))
}

/// Reads one of a few words.
pub(crate) fn one_word<'a>(
    value: &'a ValueRef<'_>,
    spot: &Spot<'_>,
    words: &[&'static str],
) -> Result<&'a str, Problem> {
    let expected = || format!("one of {}", listed(words));
    let Some(word) = value.as_text() else { return Err(wrong_type(spot, value, &expected())) };
    if words.contains(&word) {
        return Ok(word);
    }
    let problem = wrong_type(spot, value, &expected());
    Err(problem.did_you_mean(nearest(word, words.iter().copied())))
}

/// Reads a text: fills its marks and refuses what must not reach a terminal.
pub(crate) fn marked(value: &ValueRef<'_>, spot: &Spot<'_>) -> Result<String, Problem> {
    let Some(written) = value.as_text() else {
        return Err(wrong_type(spot, value, "a text"));
    };
    let told = spot.told(written);
    meter::bytes(told.len());
    let unreadable = RefCell::new(None);
    let look_up = |name: &str| {
        let value = spot.look_up(name)?;
        if !text::is_readable(&value) {
            unreadable
                .borrow_mut()
                .get_or_insert_with(|| table_told(&spot.to_string(), name, &value));
        }
        Some(value)
    };
    let filled = text::fill(told, &look_up).map_err(|name| {
        let mut names = Vec::new();
        spot.names(&mut names);
        let problem = unfilled(&spot.to_string(), &name, &names);
        let maker = spot.reworded.and_then(|reworded| reworded.maker(told)).cloned();
        Problem { place: maker, ..problem }
    })?;
    if let Some(problem) = unreadable.take() {
        return Err(problem);
    }
    // One long text may be inserted into very many.
    meter::keep(filled.len());
    fit(spot, &filled)?;
    affordable(spot)?;
    Ok(filled)
}

/// Stops reading if the budget is spent or the host holds too much; the caller reports which.
fn affordable(spot: &Spot<'_>) -> Result<(), Problem> {
    if !meter::is_spent() {
        return Ok(());
    }
    Err(Problem::error("out-of-fuel", format!("{spot} exceeded the limit"))
        .expected("less data in this prompt or view"))
}

/// The Problem of a mark without a value.
pub(crate) fn unfilled(what: &str, name: &str, given: &[impl Borrow<str>]) -> Problem {
    let problem = Problem::error("unfilled-mark", format!("{what} has a mark {{{name}}}"));
    if given.is_empty() {
        return problem
            .expected("values for its marks")
            .hint("write \\\\{ in Lua for a literal brace");
    }
    let problem = problem.expected(format!("a mark of {}", given.join(", ")));
    let near = nearest(name, given.iter().map(Borrow::borrow));
    problem.maybe_hint(near.map(|near| match near.eq_ignore_ascii_case(name) {
        true => format!("write {{{near}}}, or add `{name} = …` to the values"),
        false => format!("did you mean {{{near}}}?"),
    }))
}

/// The Problem of a mark whose value is a table of names, or a list with one.
#[cold]
pub(crate) fn table_told(what: &str, mark: &str, value: &Value) -> Problem {
    let (table, below) = match value {
        Value::List(_) => ("a list of tables", None),
        value => ("a table of names", value.as_map().and_then(|map| map.keys().next())),
    };
    let found = format!("{what} has a mark {{{mark}}}, and its value is {table}");
    let hint = below.map(|name| format!("name one of its fields: `{{{mark}.{name}}}`"));
    Problem::error("wrong-type", found)
        .expected("a text, a number, true or false, or a list of these")
        .maybe_hint(hint)
}

/// Refuses a text that is too long or that must not reach a terminal.
pub(crate) fn fit(what: &dyn fmt::Display, filled: &str) -> Result<(), Problem> {
    meter::bytes(filled.len());
    if filled.len() > limits::TEXT_BYTES {
        return Err(Problem::error("bad-text", format!("{what} is {} bytes long", filled.len()))
            .expected(format!("at most {} bytes", limits::TEXT_BYTES)));
    }
    match text::first_odd(filled) {
        None => Ok(()),
        Some((_, odd)) => {
            Err(Problem::error("bad-text", format!("{what} contains the character {odd:?}"))
                .expected("letters, symbols, spaces and line breaks that every terminal can show"))
        }
    }
}
