//! Reads a TOML document: finds values by key and records mistakes with line and column. Continues
//! after a mistake, so that all of them are reported at once.

use std::ops::Range;

use toml::Spanned;
use toml::de::{DeTable, DeValue};

use base::problem::nearest_name;
use base::{Code, Problem, SourceLocation, limits, text};

/// A TOML document that is being read.
pub(super) struct TomlReader<'t> {
    owner: &'t str,
    file: &'t str,
    text: &'t str,
    /// The recorded mistakes, up to the maximum.
    problems: Vec<Problem>,
    /// The number of further mistakes.
    unreported_count: usize,
}

/// The maximum number of mistakes reported for one file; further ones are counted. Each one costs a
/// pass over the text.
const MAX_REPORTED_PROBLEMS: usize = 20;
/// The longest line that is shown with a mistake.
const MAX_EXCERPT_BYTES: usize = 400;

/// A table of the document, and its path in messages (empty for the document itself).
pub(super) struct TomlTable<'t> {
    path: String,
    entries: &'t DeTable<'t>,
    span: Range<usize>,
}

/// A value of the document and its key.
pub(super) struct TomlEntry<'t> {
    /// The full key path, `settings.heat.min`.
    pub(super) path: String,
    pub(super) value: &'t Spanned<DeValue<'t>>,
}

impl<'t> TomlReader<'t> {
    pub(super) fn new(owner: &'t str, file: &'t str, text: &'t str) -> Self {
        Self { owner, file, text, problems: Vec::new(), unreported_count: 0 }
    }

    /// Records a mistake. The message is only built if it is reported.
    fn record_problem(&mut self, problem: impl FnOnce(&Self) -> Problem) {
        if self.problems.len() < MAX_REPORTED_PROBLEMS {
            let problem = problem(self);
            self.problems.push(problem);
        } else {
            self.unreported_count += 1;
        }
    }

    /// Whether no mistake was recorded.
    pub(super) fn is_valid(&self) -> bool {
        self.problems.is_empty()
    }

    /// All recorded mistakes, and the number of further ones.
    pub(super) fn into_problems(self) -> Vec<Problem> {
        let place = SourceLocation::new(self.owner, self.file, 0);
        let more_problem =
            (self.unreported_count > 0).then(|| Problem::counting(self.unreported_count).at(place));
        self.problems.into_iter().chain(more_problem).collect()
    }

    /// Records that the document is not valid TOML.
    pub(super) fn record_syntax_error(&mut self, error: &toml::de::Error) {
        self.record_problem(|reader| {
            let place = reader.location_of_span(error.span().unwrap_or(0..0));
            let message = format!("{} is not valid TOML: {}", reader.file, error.message());
            // Only the message of the TOML parser is known.
            let hint = match error.message() {
                parser_message if parser_message.contains("must be quoted") => {
                    Some("write texts between \"quotes\"")
                }
                parser_message if parser_message.contains("duplicate key") => {
                    Some("remove one of the two lines")
                }
                _ => reader.explain_stray_bracket(error.span().unwrap_or(0..0)),
            };
            Problem::error(Code::BadToml, message).at(place).with_optional_hint(hint)
        });
    }

    /// The hint for a bracket that closes nothing on its line.
    fn explain_stray_bracket(&self, span: Range<usize>) -> Option<&'static str> {
        let rest = self.text.get(span.start..)?;
        let line = self.text[..span.start].rsplit('\n').next().unwrap_or_default();
        let is_open = |open, close| line.matches(open).count() > line.matches(close).count();
        match rest.chars().next()? {
            '}' if line.starts_with('[') => Some("close the name of a table with `]`"),
            '}' if !is_open('{', '}') => Some("remove this `}`: no `{` before it is open"),
            ']' if !is_open('[', ']') => Some("remove this `]`: no `[` before it is open"),
            _ => None,
        }
    }

    /// The source location of a span.
    pub(super) fn location_of_span(&self, span: Range<usize>) -> SourceLocation {
        let start = span.start.min(self.text.len());
        let before = self.text.get(..start).unwrap_or(self.text);
        let line = before.matches('\n').count();
        let column = before.rsplit('\n').next().unwrap_or_default().chars().count();
        let excerpt = self.text.split('\n').nth(line).unwrap_or_default();
        let number = u32::try_from(line + 1).unwrap_or(u32::MAX);
        let mut place = SourceLocation::new(self.owner, self.file, number);
        if excerpt.len() <= MAX_EXCERPT_BYTES {
            place = place.with_excerpt(text::strip_unprintable(excerpt));
        }
        place.column = u32::try_from(column + 1).ok();
        place
    }

    /// Records a mistake in a value.
    pub(super) fn record_wrong_value(
        &mut self,
        code: Code,
        entry: &TomlEntry<'_>,
        message: &str,
        expected: &str,
    ) {
        self.record_problem(|reader| {
            let message = format!("{}: {message}", entry.path);
            let place = reader.location_of_span(entry.value.span());
            Problem::error(code, message).at(place).expected(expected)
        });
    }

    /// Records a value of the wrong type.
    pub(super) fn record_wrong_type(&mut self, entry: &TomlEntry<'_>, expected: &str) {
        self.record_wrong_value(
            Code::WrongType,
            entry,
            &format!("found {}", describe_toml(entry.value)),
            expected,
        );
    }

    /// Records unknown keys.
    pub(super) fn record_unknown_keys(&mut self, table: &TomlTable<'t>, known: &[&str]) {
        for key in table.entries.keys() {
            let name: &str = key.as_ref();
            if known.contains(&name) {
                continue;
            }
            self.record_problem(|reader| {
                Problem::error(Code::UnknownKey, format!("unknown key {}", table.path(name)))
                    .at(reader.location_of_span(key.span()))
                    .expected(format!("one of {}", known.join(", ")))
                    .suggest_name(nearest_name(name, known.iter().copied()))
            });
        }
    }

    /// The value under a key; a missing key is recorded.
    pub(super) fn required_entry(
        &mut self,
        table: &TomlTable<'t>,
        key: &str,
        written_example: &str,
    ) -> Option<TomlEntry<'t>> {
        let entry = table.get(key);
        if entry.is_none() {
            self.record_problem(|reader| {
                let place = match table.path.is_empty() {
                    true => SourceLocation::new(reader.owner, reader.file, 0),
                    false => reader.location_of_span(table.span.clone()),
                };
                Problem::error(Code::MissingKey, format!("{} is missing", table.path(key)))
                    .at(place)
                    .expected(format!("{key} = {written_example}"))
            });
        }
        entry
    }

    /// The text of an entry, with at most `most` characters and no control characters.
    pub(super) fn read_text_entry(
        &mut self,
        entry: &TomlEntry<'t>,
        max_chars: usize,
    ) -> Option<String> {
        let Some(line) = entry.value.get_ref().as_str() else {
            self.record_wrong_type(entry, "a text");
            return None;
        };
        if let Some(invalid_char) = line.chars().find(|c| *c == '\n' || !text::is_printable(*c)) {
            self.record_wrong_value(
                Code::BadText,
                entry,
                &format!("it contains {invalid_char:?}"),
                "text without control characters",
            );
            return None;
        }
        if line.chars().count() > max_chars {
            let expected = format!("at most {max_chars} characters");
            self.record_wrong_value(Code::BadText, entry, "it is too long", &expected);
            return None;
        }
        Some(line.to_owned())
    }

    /// The boolean of an entry.
    pub(super) fn read_boolean(&mut self, entry: &TomlEntry<'t>) -> Option<bool> {
        let truth = entry.value.get_ref().as_bool();
        if truth.is_none() {
            self.record_wrong_type(entry, "true or false");
        }
        truth
    }

    /// The whole number of an entry.
    pub(super) fn read_integer(&mut self, entry: &TomlEntry<'t>) -> Option<i64> {
        let number = entry.value.get_ref().as_integer();
        let number = number.and_then(|int| i64::from_str_radix(int.as_str(), int.radix()).ok());
        if number.is_none() {
            self.record_wrong_type(entry, "a whole number");
        }
        number
    }

    /// The texts of a list.
    pub(super) fn read_text_list(
        &mut self,
        entry: &TomlEntry<'t>,
        max_chars: usize,
    ) -> Vec<String> {
        let Some(items) = entry.value.get_ref().as_array() else {
            self.record_wrong_type(entry, "a list of texts");
            return Vec::new();
        };
        if items.len() > limits::MAX_MANIFEST_LIST_NAMES {
            self.record_too_many_entries(entry, items.len());
            return Vec::new();
        }
        let mut lines = Vec::new();
        for item in items.iter() {
            lines.extend(
                self.read_text_entry(
                    &TomlEntry { path: entry.path.clone(), value: item },
                    max_chars,
                ),
            );
        }
        lines
    }

    /// The table of an entry.
    pub(super) fn entry_table(&mut self, entry: &TomlEntry<'t>) -> Option<TomlTable<'t>> {
        let Some(entries) = entry.value.get_ref().as_table() else {
            self.record_wrong_type(entry, "a table");
            return None;
        };
        Some(TomlTable { path: entry.path.clone(), entries, span: entry.value.span() })
    }

    /// The same for a table with a limited number of entries.
    pub(super) fn entry_table_within_limit(
        &mut self,
        entry: &TomlEntry<'t>,
    ) -> Option<TomlTable<'t>> {
        let table = self.entry_table(entry)?;
        if table.entries.len() > limits::MAX_MANIFEST_LIST_NAMES {
            self.record_too_many_entries(entry, table.entries.len());
            return None;
        }
        Some(table)
    }

    fn record_too_many_entries(&mut self, entry: &TomlEntry<'_>, count: usize) {
        let expected = format!("at most {}", limits::MAX_MANIFEST_LIST_NAMES);
        self.record_wrong_value(
            Code::TooLarge,
            entry,
            &format!("it has {count} entries"),
            &expected,
        );
    }
}

impl<'t> TomlTable<'t> {
    /// The root table of the document.
    pub(super) fn from_document(entries: &'t Spanned<DeTable<'t>>) -> Self {
        Self { path: String::new(), entries: entries.get_ref(), span: 0..0 }
    }

    /// The value under a key.
    pub(super) fn get(&self, key: &str) -> Option<TomlEntry<'t>> {
        Some(TomlEntry { path: self.path(key), value: self.entries.get(key)? })
    }

    /// All keys and values, in the order of the keys.
    pub(super) fn entries(&self) -> impl Iterator<Item = (String, TomlEntry<'t>)> {
        self.entries.iter().map(|(key, value)| {
            let name: &str = key.as_ref();
            (name.to_owned(), TomlEntry { path: self.path(name), value })
        })
    }

    fn path(&self, key: &str) -> String {
        if self.path.is_empty() { key.to_owned() } else { format!("{}.{key}", self.path) }
    }
}

/// Describes a value in a Problem.
fn describe_toml(value: &Spanned<DeValue<'_>>) -> String {
    match value.get_ref() {
        DeValue::String(line) if line.chars().count() <= 40 => format!("the text {line:?}"),
        DeValue::String(_) => "a long text".to_owned(),
        DeValue::Integer(int) => format!("the integer {int}"),
        DeValue::Float(number) => format!("the number {number}"),
        DeValue::Boolean(truth) => truth.to_string(),
        DeValue::Datetime(_) => "a date".to_owned(),
        DeValue::Array(_) => "a list".to_owned(),
        DeValue::Table(_) => "a table".to_owned(),
    }
}
