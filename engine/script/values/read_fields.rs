//! Strict reading of plain data from scripts: every field must be known and have its type, and
//! every message has the path (`prompt.choices[2].label`). Independent of Lua.
//!
//! Two exceptions suit the way authors write Lua. `false` in place of an optional value counts as
//! missing (`cost = dear and "1 coin"`). `false` in a list of choices, widgets or items is left
//! out.

use std::cell::RefCell;
use std::fmt;
use std::sync::Arc;

use super::data_path::DataPath;
use super::value_ref::{NamedValue, ValueRef, find_value_by_name};
use crate::diagnostics::host_explanation::HostExplanation as _;
use base::problem::{describe_alternatives, nearest_name, searched_part};
use base::{Code, Problem, Value, limits, meter, quote, text, truncate_quoted_text};

/// The key for the list part of a mixed table (see `plain_data::MixedTablePolicy`). No script can
/// use this name, because keys of plain data are shown with their quotes.
pub(crate) const LIST_PART_KEY: &str = "[1..n]";

/// Maximum number of marks that a message lists in full.
const MAX_LISTED_PLACEHOLDERS: usize = 30;
/// Approximate bytes of a name that an error keeps.
const NAME_BYTES: usize = 32;
/// Approximate bytes of a value of plain data.
const PLAIN_VALUE_BYTES: usize = 64;

/// Names for a message, without internal ones that no author writes.
fn list_names(names: &[&'static str]) -> String {
    let listed_names = names.iter().filter(|name| !matches!(**name, "" | "values" | LIST_PART_KEY));
    listed_names.copied().collect::<Vec<_>>().join(", ")
}

/// Describes a value: a short one itself, of a long one the type.
fn describe_value(value: &ValueRef<'_>) -> String {
    match value {
        ValueRef::Text(text) if text.chars().nth(40).is_some() => "a long text".to_owned(),
        ValueRef::Text(text) => format!("the text {text:?}"),
        ValueRef::List(_) => "a list".to_owned(),
        ValueRef::Map(map) if map.is_empty() => "an empty table".to_owned(),
        ValueRef::Map(_) => "a table".to_owned(),
        ValueRef::Int(int) => format!("the number {int}"),
        ValueRef::Num(num) => format!("the number {num}"),
        ValueRef::Bool(truth) => truth.to_string(),
    }
}

pub(crate) fn wrong_type_problem(
    path: &DataPath<'_>,
    value: &ValueRef<'_>,
    expected: &str,
) -> Problem {
    Problem::error(Code::WrongType, format!("{path} is {}", describe_value(value)))
        .expected(expected)
}

/// Reads the named fields of a table.
pub(crate) struct FieldReader<'a> {
    fields: &'a [NamedValue<'a>],
    /// Its path.
    pub(crate) path: DataPath<'a>,
}

impl<'a> FieldReader<'a> {
    /// Opens a table that may only have the fields in `known_fields`. If `values` is among them, it
    /// fills the texts of this table and of everything inside.
    pub(crate) fn open_table(
        value: &'a ValueRef<'a>,
        table_path: DataPath<'a>,
        known_fields: &'static [&'static str],
    ) -> Result<Self, Problem> {
        let ValueRef::Map(map) = value else {
            return Err(wrong_type_problem(
                &table_path,
                value,
                &format!("a table with {}", list_names(known_fields)),
            ));
        };
        let mut table_path = table_path;
        let unknown_names =
            map.iter().map(|(name, _)| &**name).filter(|name| !known_fields.contains(name));
        if let Some(unknown_name) = unknown_names.min() {
            return Err(unknown_field_problem(&table_path, unknown_name, known_fields));
        }
        match find_value_by_name(map, "values").filter(|_| known_fields.contains(&"values")) {
            None => {}
            Some(ValueRef::Map(values)) => table_path.values = Some(values),
            Some(other) => {
                return Err(wrong_type_problem(
                    &table_path.field("values"),
                    other,
                    "a table of named values",
                ));
            }
        }
        Ok(Self { fields: map, path: table_path })
    }

    /// The value of a field; `false` counts as missing.
    pub(crate) fn field_value(&self, name: &str) -> Option<&'a ValueRef<'a>> {
        find_value_by_name(self.fields, name).filter(|value| !value.is_false())
    }

    /// The value of a field, read by `read_value`.
    pub(crate) fn read_optional_field<T>(
        &self,
        name: &'static str,
        read_value: impl FnOnce(&'a ValueRef<'a>, &DataPath<'_>) -> Result<T, Problem>,
    ) -> Result<Option<T>, Problem> {
        self.field_value(name).map(|value| read_value(value, &self.path.field(name))).transpose()
    }

    /// The value of a field with any data, including `false`.
    pub(crate) fn read_any_value(&self, name: &str) -> Option<Value> {
        let value = find_value_by_name(self.fields, name).map(ValueRef::to_value)?;
        meter::count_host_bytes(value.copy_fuel_cost() * PLAIN_VALUE_BYTES);
        Some(value)
    }

    /// The value of a required field.
    pub(crate) fn require_field(
        &self,
        name: &'a str,
        expected: &str,
    ) -> Result<&'a ValueRef<'a>, Problem> {
        find_value_by_name(self.fields, name).ok_or_else(|| {
            Problem::error(Code::MissingField, format!("{} has no {name}", self.path))
                .expected(format!("{name}: {expected}"))
        })
    }

    /// A text with its marks filled, safe for a terminal; `None` if missing.
    pub(crate) fn read_text(&self, name: &'a str) -> Result<Option<String>, Problem> {
        self.field_value(name)
            .map(|value| read_text_with_placeholders(value, &self.path.field(name)))
            .transpose()
    }

    /// An optional text with marks.
    pub(crate) fn read_text_or_empty(&self, name: &'a str) -> Result<String, Problem> {
        Ok(self.read_text(name)?.unwrap_or_default())
    }

    /// A required text with marks.
    pub(crate) fn read_required_text(&self, name: &'a str) -> Result<String, Problem> {
        read_text_with_placeholders(self.require_field(name, "a text")?, &self.path.field(name))
    }

    /// A word without marks, such as an id or a tone.
    pub(crate) fn read_word(&self, name: &'a str) -> Result<Option<&'a str>, Problem> {
        let Some(value) = self.field_value(name) else { return Ok(None) };
        let type_problem = || wrong_type_problem(&self.path.field(name), value, "a text");
        value.as_text().ok_or_else(type_problem).map(Some)
    }

    /// One of a few words.
    pub(crate) fn read_one_of_words(
        &self,
        name: &'a str,
        words: &'static [&'static str],
    ) -> Result<Option<&'a str>, Problem> {
        let field_path = self.path.field(name);
        self.field_value(name).map(|value| read_one_of(value, &field_path, words)).transpose()
    }

    /// A whole number.
    pub(crate) fn read_int(&self, name: &'a str) -> Result<Option<i64>, Problem> {
        let Some(value) = self.field_value(name) else { return Ok(None) };
        let type_problem = || wrong_type_problem(&self.path.field(name), value, "a whole number");
        value.as_int().ok_or_else(type_problem).map(Some)
    }

    /// A required whole number.
    pub(crate) fn read_required_int(&self, name: &'a str) -> Result<i64, Problem> {
        let value = self.require_field(name, "a whole number")?;
        value
            .as_int()
            .ok_or_else(|| wrong_type_problem(&self.path.field(name), value, "a whole number"))
    }

    /// A boolean; false if missing.
    pub(crate) fn read_flag(&self, name: &'a str) -> Result<bool, Problem> {
        let Some(value) = self.field_value(name) else { return Ok(false) };
        value
            .as_bool()
            .ok_or_else(|| wrong_type_problem(&self.path.field(name), value, "true or false"))
    }

    /// Reads every entry of a list with `read_entry`; empty if missing. Entries that are `false`
    /// are left out.
    pub(crate) fn read_list<T>(
        &self,
        name: &'a str,
        max_entries: usize,
        mut read_entry: impl FnMut(&ValueRef<'_>, &DataPath<'_>) -> Result<T, Problem>,
    ) -> Result<Vec<T>, Problem> {
        let list_path = self.path.field(name);
        let Some(value) = self.field_value(name) else { return Ok(Vec::new()) };
        let list =
            value.as_list().ok_or_else(|| wrong_type_problem(&list_path, value, "a list"))?;
        if list.len() > max_entries {
            return Err(Problem::error(
                Code::TooMany,
                format!("{list_path} has {} entries", list.len()),
            )
            .expected(format!("at most {max_entries}")));
        }
        meter::count_host_bytes(list.len() * limits::ENTRY_COST_HOST_BYTES);
        check_fuel_budget(&list_path)?;
        let entries = list.iter().enumerate().filter(|(_, item)| !item.is_false());
        entries.map(|(index, item)| read_entry(item, &list_path.index(index + 1))).collect()
    }
}

fn unknown_field_problem(
    path: &DataPath<'_>,
    unknown_name: &str,
    known_fields: &'static [&'static str],
) -> Problem {
    if unknown_name == LIST_PART_KEY {
        return Problem::error(Code::WrongType, format!("{path} has unnamed entries"))
            .expected(format!("only named fields: {}", list_names(known_fields)));
    }
    let problem =
        Problem::error(Code::UnknownField, format!("{path} has a field {}", quote(unknown_name)))
            .expected(list_names(known_fields));
    problem.suggest_word(unknown_name, known_fields)
}

/// Reads one of a few words.
pub(crate) fn read_one_of<'a>(
    value: &'a ValueRef<'_>,
    path: &DataPath<'_>,
    words: &'static [&'static str],
) -> Result<&'a str, Problem> {
    let expected = || format!("one of {}", list_names(words));
    let Some(word) = value.as_text() else {
        return Err(wrong_type_problem(path, value, &expected()));
    };
    if words.contains(&word) {
        return Ok(word);
    }
    let problem = wrong_type_problem(path, value, &expected());
    Err(problem.suggest_word(word, words))
}

/// Reads a text: fills its marks and refuses what must not reach a terminal.
pub(crate) fn read_text_with_placeholders(
    value: &ValueRef<'_>,
    path: &DataPath<'_>,
) -> Result<String, Problem> {
    let Some(source_text) = value.as_text() else {
        return Err(wrong_type_problem(path, value, "a text"));
    };
    let overridden_text = path.apply_word_override(source_text);
    meter::charge_bytes(overridden_text.len());
    let table_problem = RefCell::new(None);
    let find_mark_value = |name: &str| {
        let value = path.find_value(name)?;
        if !text::can_display_value(&value) {
            table_problem
                .borrow_mut()
                .get_or_insert_with(|| table_in_text_problem(&path.to_string(), name, &value));
        }
        Some(value)
    };
    let filled_text =
        text::fill_placeholders(overridden_text, &find_mark_value).map_err(|name| {
            let mut names = Vec::new();
            path.collect_names(&mut names);
            let count = names.len();
            let problem = unfilled_placeholder_problem(&path.to_string(), &name, names, count);
            let override_place = path
                .text_overrides
                .and_then(|overrides| overrides.place_of_override(overridden_text))
                .cloned();
            Problem { place: override_place, ..problem }
        })?;
    if let Some(problem) = table_problem.take() {
        return Err(problem);
    }
    // One long text may be inserted into very many.
    meter::count_host_bytes(filled_text.len());
    check_text_size_and_characters(path, &filled_text)?;
    check_fuel_budget(path)?;
    Ok(filled_text)
}

/// Stops reading if the budget is spent or the host holds too much; the caller reports which.
fn check_fuel_budget(path: &DataPath<'_>) -> Result<(), Problem> {
    if !meter::is_fuel_exhausted() {
        return Ok(());
    }
    Err(Problem::error(
        Code::OutOfFuel,
        format!("the fuel or memory of the step is spent while {path} is read"),
    )
    .expected("less data in this prompt or view"))
}

/// The Problem of a mark without a value; there are `count` names with values.
pub fn unfilled_placeholder_problem(
    text_name: &str,
    name: &str,
    known_names: Vec<Arc<str>>,
    count: usize,
) -> Problem {
    let name = &*truncate_quoted_text(name);
    let problem = Problem::error(Code::UnfilledMark, format!("{text_name} has a mark {{{name}}}"));
    if known_names.is_empty() {
        return problem
            .expected("values for its marks")
            .hint("write \\\\{ in Lua for a literal brace");
    }
    meter::count_host_bytes(known_names.iter().map(|name| NAME_BYTES + name.len()).sum());
    let name = searched_part(name);
    problem.explain_later(move |problem, _| {
        let names = || known_names.iter().map(|name| &**name);
        let problem = problem.expected(match count {
            ..=MAX_LISTED_PLACEHOLDERS => format!("a mark of {}", known_names.join(", ")),
            _ if count > known_names.len() => format!("one of {count} marks"),
            _ => format!("a mark: {}", describe_alternatives(&name, names())),
        });
        let suggestion = nearest_name(&name, names());
        problem.with_optional_hint(suggestion.map(|suggestion| {
            match suggestion.eq_ignore_ascii_case(&name) {
                true => format!("write {{{suggestion}}}, or add `{name} = …` to the values"),
                false => format!("did you mean {{{suggestion}}}?"),
            }
        }))
    })
}

/// The Problem of a mark whose value is a table of names, or a list with one.
#[cold]
pub(crate) fn table_in_text_problem(text_name: &str, mark: &str, value: &Value) -> Problem {
    let mark = truncate_quoted_text(mark);
    let (table_text, first_name) = match value {
        Value::List(_) => ("a list of tables", None),
        value => ("a table with named fields", value.as_map().and_then(|map| map.keys().next())),
    };
    let message = format!("{text_name} has a mark {{{mark}}}, and its value is {table_text}");
    let first_name = first_name.map(|name| truncate_quoted_text(name));
    let hint = first_name.map(|name| format!("name one of its fields: `{{{mark}.{name}}}`"));
    Problem::error(Code::WrongType, message)
        .expected("a mark with a value that a text can show: a text, a number, true or false, or a list of these")
        .with_optional_hint(hint)
}

/// Refuses a text that is too long or that must not reach a terminal.
pub(crate) fn check_text_size_and_characters(
    text_name: &dyn fmt::Display,
    filled_text: &str,
) -> Result<(), Problem> {
    meter::charge_bytes(filled_text.len());
    if filled_text.len() > limits::MAX_TEXT_BYTES {
        return Err(Problem::error(
            Code::BadText,
            format!("{text_name} is longer than {} bytes", limits::MAX_TEXT_BYTES),
        )
        .expected("a shorter text"));
    }
    match text::first_unprintable(filled_text) {
        None => Ok(()),
        Some((_, character)) => Err(Problem::error(
            Code::BadText,
            format!("{text_name} contains the character {character:?}"),
        )
        .expected("letters, symbols, spaces and line breaks that every terminal can show")),
    }
}
