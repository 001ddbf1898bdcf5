//! The texts that `fill` has made in a call, and what they were made from. A script that puts one
//! into another text passes plain words; the journal keeps the source texts, so that the story is
//! shown in any language.

use std::cell::{Cell, RefCell};
use std::collections::BTreeMap;

use base::value::ValueMap;
use base::{Value, meter};
use protocol::recorded_event::nested_text;

/// The most bytes of texts that are known in one call.
const MAX_KNOWN_BYTES: usize = 256 * 1024;

/// The source text, its values, and which of its lines the text is, if it is not all of them.
type TextSource = (Box<str>, ValueMap, Option<usize>);

/// The longest word in which texts that a script joined are searched.
const MAX_JOINED_BYTES: usize = 1024;
/// The most texts that are searched in a word.
const MAX_JOINED_SOURCES: usize = 256;
/// The shortest text that is searched in a word: a shorter one may be there by chance.
const MIN_JOINED_BYTES: usize = 4;
/// The most lines of a text that are known by themselves.
const MAX_KNOWN_LINES: usize = 32;

/// The texts that were made in a call.
#[derive(Default)]
pub(crate) struct FilledTexts {
    sources: RefCell<BTreeMap<Box<str>, TextSource>>,
    known_bytes: Cell<usize>,
}

impl FilledTexts {
    /// Forgets the texts of the last call.
    pub(crate) fn clear(&self) {
        if self.known_bytes.take() > 0 {
            self.sources.borrow_mut().clear();
        }
    }

    /// Notes what a text was made from.
    pub(crate) fn add(&self, filled_text: &str, source_text: &str, values: ValueMap) {
        let value_bytes: usize = values
            .iter()
            .map(|(mark, value)| {
                let (values, text_bytes) = value.count_values_and_text_bytes();
                mark.len() + values * 32 + text_bytes
            })
            .sum();
        let bytes = filled_text.len() + source_text.len() + value_bytes;
        let is_known = || self.sources.borrow().contains_key(filled_text);
        let is_repeated = filled_text == source_text && is_known();
        if filled_text.is_empty() || is_repeated || self.known_bytes.get() + bytes > MAX_KNOWN_BYTES
        {
            return;
        }
        self.known_bytes.set(self.known_bytes.get() + bytes);
        let mut sources = self.sources.borrow_mut();
        if filled_text.contains('\n') {
            let lines = filled_text.split('\n').enumerate().take(MAX_KNOWN_LINES);
            for (line, text) in lines.filter(|(_, text)| !text.is_empty()) {
                let source = (source_text.into(), values.clone(), Some(line));
                sources.insert(text.into(), source);
            }
        }
        sources.insert(filled_text.into(), (source_text.into(), values, None));
    }

    /// The value that a journal keeps for a word: what it was made from, if `fill` made it.
    pub(crate) fn recorded_word(&self, word: &str) -> Value {
        let sources = self.sources.borrow();
        if sources.is_empty() {
            return Value::text(word);
        }
        if let Some((source, values, line)) = sources.get(word) {
            return nested_text(source, values.clone(), *line, false);
        }
        match lowercase_first_letter(word).and_then(|word| sources.get(&*word)) {
            Some((source, values, line)) => nested_text(source, values.clone(), *line, true),
            None => recorded_joined_words(&sources, word).unwrap_or_else(|| Value::text(word)),
        }
    }

    /// The same for a whole text, which keeps its emphasis.
    pub(crate) fn recorded_whole_text(&self, text: &str) -> Option<Value> {
        let is_known = self.sources.borrow().contains_key(text);
        is_known.then(|| self.recorded_word(text))
    }
}

/// What a script has joined from texts: those that `fill` made become marks of a text.
fn recorded_joined_words(sources: &BTreeMap<Box<str>, TextSource>, word: &str) -> Option<Value> {
    let has_markup = word.contains(['{', '}', '*', '\\']);
    if has_markup || word.len() > MAX_JOINED_BYTES || sources.len() > MAX_JOINED_SOURCES {
        return None;
    }
    // What the search costs.
    meter::charge_units(word.len() * sources.len() / 256);
    let ends_word = |c: Option<char>| c.is_none_or(|c| !c.is_alphanumeric());
    let (mut template, mut values, mut rest) = (String::new(), ValueMap::new(), word);
    while !rest.is_empty() {
        let starts_word = ends_word(word[..word.len() - rest.len()].chars().next_back());
        let known = sources.iter().filter(|(text, _)| {
            starts_word
                && text.len() >= MIN_JOINED_BYTES
                && rest.starts_with(&***text)
                && ends_word(rest[text.len()..].chars().next())
        });
        match known.max_by_key(|(text, _)| text.len()) {
            Some((text, (source, source_values, line))) => {
                let mark = values.len().to_string();
                template.extend(["{", &mark, "}"]);
                values
                    .insert(mark.into(), nested_text(source, source_values.clone(), *line, false));
                rest = &rest[text.len()..];
            }
            None => {
                let next = rest.chars().next().map_or(rest.len(), char::len_utf8);
                template.push_str(&rest[..next]);
                rest = &rest[next..];
            }
        }
    }
    (!values.is_empty()).then(|| nested_text(&template, values, None, false))
}

/// A text with its first letter in lower case, if it is a capital.
fn lowercase_first_letter(text: &str) -> Option<String> {
    let first_letter = text.chars().next().filter(|first| first.is_uppercase())?;
    Some(first_letter.to_lowercase().chain(text.chars().skip(1)).collect())
}
