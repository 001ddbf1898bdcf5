//! The terms that a game explains: the lines `*term*: meaning` of its pages.

use base::problem::nearest_name;
use base::text;
use protocol::View;
use protocol::view::Widget;

/// A term with its meaning, as plain text.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ExplainedTerm {
    /// One name, or several with commas between them.
    pub names: String,
    /// What it means.
    pub meaning: String,
}

/// The terms of a page, in its order.
pub fn terms_of_page(page: &View) -> Vec<ExplainedTerm> {
    let cards = page.widgets.iter().filter_map(|placed| match &placed.widget {
        Widget::Card(card) => Some(card),
        _ => None,
    });
    let lines = cards.flat_map(|card| &card.lines).filter(|line| line.starts_with('*'));
    let terms = lines.filter_map(|line| {
        let plain = text::strip_markup(line);
        let (names, meaning) = plain.split_once(": ")?;
        Some(ExplainedTerm { names: names.to_owned(), meaning: meaning.to_owned() })
    });
    terms.collect()
}

impl ExplainedTerm {
    fn has_name(&self, is_wanted: impl Fn(&str) -> bool) -> bool {
        self.names.to_lowercase().split(", ").any(is_wanted)
    }

    /// Whether one of its names is in a text in lower case, as whole words.
    fn is_in(&self, text: &str) -> bool {
        self.has_name(|name| {
            text.match_indices(name).any(|(start, found)| {
                let is_letter = |next: Option<char>| next.is_some_and(char::is_alphanumeric);
                !is_letter(text[..start].chars().next_back())
                    && !is_letter(text[start + found.len()..].chars().next())
            })
        })
    }
}

/// The terms of that name; if there are none, those that begin with it.
pub fn find_terms<'a>(terms: &'a [ExplainedTerm], name: &str) -> Vec<&'a ExplainedTerm> {
    let name = name.trim().trim_end_matches('?').trim_end().to_lowercase();
    let exact: Vec<_> = terms.iter().filter(|term| term.has_name(|one| one == name)).collect();
    match exact.is_empty() {
        true => terms.iter().filter(|term| term.has_name(|one| one.starts_with(&name))).collect(),
        false => exact,
    }
}

/// The names of the terms near a name that none has: those that share a word or are spelt alike; if
/// there are none, all of them.
pub fn names_near(terms: &[ExplainedTerm], name: &str) -> Vec<String> {
    let name = name.to_lowercase();
    let words: Vec<&str> =
        name.split_whitespace().filter(|word| word.chars().count() > 2).collect();
    let all: Vec<&str> = terms.iter().map(|term| term.names.as_str()).collect();
    let each_name = || all.iter().flat_map(|names| names.split(", "));
    let spelt_alike = nearest_name(&name, each_name());
    let is_near = |names: &&&str| {
        let names = names.to_lowercase();
        words.iter().any(|word| names.contains(word))
            || spelt_alike.as_ref().is_some_and(|near| names.contains(&near.to_lowercase()))
    };
    let near: Vec<&&str> = all.iter().filter(is_near).collect();
    let near = if near.is_empty() { all.iter().collect() } else { near };
    near.into_iter().map(|names| (*names).to_owned()).collect()
}

/// The terms that a text contains, and the others.
pub fn split_by_text(
    terms: &[ExplainedTerm],
    text: &str,
) -> (Vec<ExplainedTerm>, Vec<ExplainedTerm>) {
    let text = text.to_lowercase();
    terms.iter().cloned().partition(|term| term.is_in(&text))
}
