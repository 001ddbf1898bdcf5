//! The terms that a game explains: the lines `*term*: meaning` of its pages.

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

/// The terms that a text contains, and the others.
pub fn split_by_text(
    terms: &[ExplainedTerm],
    text: &str,
) -> (Vec<ExplainedTerm>, Vec<ExplainedTerm>) {
    let text = text.to_lowercase();
    terms.iter().cloned().partition(|term| term.is_in(&text))
}
