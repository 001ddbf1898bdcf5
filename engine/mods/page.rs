//! A page of TOML under reading: finds values by key, and says with line and column what is wrong
//! with them. Goes on after a mistake, so that an author hears of all of them at once.

use std::ops::Range;

use toml::Spanned;
use toml::de::{DeTable, DeValue};

use crate::kit::problem::nearest;
use crate::kit::{Place, Problem, text};

/// A page under reading.
pub(super) struct Page<'t> {
    owner: &'t str,
    file: &'t str,
    text: &'t str,
    /// What was wrong so far.
    pub(super) problems: Vec<Problem>,
}

/// A table of the page, and how it is called in messages (empty for the page itself).
pub(super) struct Table<'t> {
    name: String,
    entries: &'t DeTable<'t>,
    span: Range<usize>,
}

/// A value of the page and the key it stands under.
pub(super) struct Entry<'t> {
    /// The key with the tables around it, `settings.heat.min`.
    pub(super) path: String,
    pub(super) value: &'t Spanned<DeValue<'t>>,
}

impl<'t> Page<'t> {
    pub(super) fn new(owner: &'t str, file: &'t str, text: &'t str) -> Self {
        Self { owner, file, text, problems: Vec::new() }
    }

    /// Records that the page is no TOML at all.
    pub(super) fn unreadable(&mut self, error: &toml::de::Error) {
        let place = self.place(error.span().unwrap_or(0..0));
        let message = format!("{} is not valid TOML: {}", self.file, error.message());
        self.problems.push(
            Problem::error("bad-toml", message).at(place).hint("texts stand between \"quotes\""),
        );
    }

    /// The place of a stretch of the page.
    pub(super) fn place(&self, span: Range<usize>) -> Place {
        let start = span.start.min(self.text.len());
        let before = self.text.get(..start).unwrap_or(self.text);
        let line = before.matches('\n').count();
        let column = before.rsplit('\n').next().unwrap_or_default().chars().count();
        let excerpt = self.text.split('\n').nth(line).unwrap_or_default();
        let number = u32::try_from(line + 1).unwrap_or(u32::MAX);
        let mut place =
            Place::new(self.owner, self.file, number).with_excerpt(text::clean(excerpt));
        place.column = u32::try_from(column + 1).ok();
        place
    }

    /// Records a mistake in a value.
    pub(super) fn wrong(&mut self, code: &str, entry: &Entry<'_>, message: &str, expected: &str) {
        let place = self.place(entry.value.span());
        let message = format!("{}: {message}", entry.path);
        self.problems.push(Problem::error(code, message).at(place).expected(expected));
    }

    /// Records a value of the wrong type.
    pub(super) fn wrong_type(&mut self, entry: &Entry<'_>, expected: &str) {
        self.wrong("wrong-type", entry, &format!("found {}", found(entry.value)), expected);
    }

    /// Records keys that nobody knows.
    pub(super) fn refuse_unknown(&mut self, table: &Table<'t>, known: &[&str]) {
        for key in table.entries.keys() {
            let name: &str = key.as_ref();
            if known.contains(&name) {
                continue;
            }
            let problem =
                Problem::error("unknown-key", format!("unknown key {}", table.path(name)))
                    .at(self.place(key.span()))
                    .expected(format!("one of {}", known.join(", ")));
            self.problems.push(problem.did_you_mean(nearest(name, known.iter().copied())));
        }
    }

    /// The value under a key; its absence is recorded.
    pub(super) fn required(
        &mut self,
        table: &Table<'t>,
        key: &str,
        like: &str,
    ) -> Option<Entry<'t>> {
        let entry = table.get(key);
        if entry.is_none() {
            let place = match table.name.is_empty() {
                true => Place::new(self.owner, self.file, 0),
                false => self.place(table.span.clone()),
            };
            let problem = Problem::error("missing-key", format!("{} is missing", table.path(key)));
            self.problems.push(problem.at(place).expected(format!("{key} = {like}")));
        }
        entry
    }

    /// The text of an entry, without characters that may not be shown; at most so long.
    pub(super) fn line(&mut self, entry: &Entry<'t>, most: usize) -> Option<String> {
        let Some(line) = entry.value.get_ref().as_str() else {
            self.wrong_type(entry, "a text");
            return None;
        };
        if let Some(odd) = line.chars().find(|c| *c == '\n' || !text::is_plain(*c)) {
            self.wrong(
                "bad-text",
                entry,
                &format!("it holds {odd:?}"),
                "text without control characters",
            );
            return None;
        }
        if line.chars().count() > most {
            let expected = format!("at most {most} characters");
            self.wrong("bad-text", entry, "it is too long", &expected);
            return None;
        }
        Some(line.to_owned())
    }

    /// The truth of an entry.
    pub(super) fn truth(&mut self, entry: &Entry<'t>) -> Option<bool> {
        let truth = entry.value.get_ref().as_bool();
        if truth.is_none() {
            self.wrong_type(entry, "true or false");
        }
        truth
    }

    /// The whole number of an entry.
    pub(super) fn whole(&mut self, entry: &Entry<'t>) -> Option<i64> {
        let number = entry.value.get_ref().as_integer();
        let number = number.and_then(|int| i64::from_str_radix(int.as_str(), int.radix()).ok());
        if number.is_none() {
            self.wrong_type(entry, "a whole number");
        }
        number
    }

    /// The texts of a list.
    pub(super) fn lines(&mut self, entry: &Entry<'t>, most: usize) -> Vec<String> {
        let Some(items) = entry.value.get_ref().as_array() else {
            self.wrong_type(entry, "a list of texts");
            return Vec::new();
        };
        let mut lines = Vec::new();
        for item in items.iter() {
            lines.extend(self.line(&Entry { path: entry.path.clone(), value: item }, most));
        }
        lines
    }

    /// The table of an entry.
    pub(super) fn table(&mut self, entry: &Entry<'t>) -> Option<Table<'t>> {
        let Some(entries) = entry.value.get_ref().as_table() else {
            self.wrong_type(entry, "a table");
            return None;
        };
        Some(Table { name: entry.path.clone(), entries, span: entry.value.span() })
    }
}

impl<'t> Table<'t> {
    /// The table that is the page itself.
    pub(super) fn whole(entries: &'t Spanned<DeTable<'t>>) -> Self {
        Self { name: String::new(), entries: entries.get_ref(), span: 0..0 }
    }

    /// The value under a key.
    pub(super) fn get(&self, key: &str) -> Option<Entry<'t>> {
        let (_, value) = self.entries.iter().find(|(name, _)| name.as_ref() == key)?;
        Some(Entry { path: self.path(key), value })
    }

    /// All keys and values, in the order of the keys.
    pub(super) fn entries(&self) -> impl Iterator<Item = (String, Entry<'t>)> {
        self.entries.iter().map(|(key, value)| {
            let name: &str = key.as_ref();
            (name.to_owned(), Entry { path: self.path(name), value })
        })
    }

    fn path(&self, key: &str) -> String {
        if self.name.is_empty() { key.to_owned() } else { format!("{}.{key}", self.name) }
    }
}

/// A value as a Problem shows it.
fn found(value: &Spanned<DeValue<'_>>) -> String {
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
