//! Everything on the screen that can be looked at closely, in order: the choices, then the cards of
//! the view, then the things in its lists.

use super::super::facts;
use crate::kit::text::escape;
use crate::play::view::{Card, View, Widget};
use crate::play::{Choice, Prompt};

/// The cards of a prompt and a view with the names they go by; for each of the prompt's, its
/// choice's number. The choice in focus has one in any case: what there is to say about it.
pub(super) fn all(
    prompt: &Prompt,
    view: &View,
    focus: Option<usize>,
) -> Vec<(Option<usize>, String, Card)> {
    let choices = prompt.choices.iter().enumerate();
    let mut out: Vec<(Option<usize>, String, Card)> = choices
        .filter_map(|(at, choice)| {
            let focused = focus == Some(at);
            let card = choice.card.clone().or_else(|| focused.then(|| said(choice)).flatten())?;
            Some((Some(at), facts::line(&choice.label), card))
        })
        .collect();
    // A card of its own is what the place is about, and comes before what is carried.
    for placed in &view.widgets {
        if let Widget::Card(card) = &placed.widget {
            out.push((None, facts::line(&card.title), card.clone()));
        }
    }
    for placed in &view.widgets {
        if let Widget::List { items, .. } = &placed.widget {
            let cards = items
                .iter()
                .filter_map(|item| Some((None, facts::line(&item.label), item.card.clone()?)));
            // Of two alike one is enough, and so it is of what a choice shows.
            for one in cards {
                if out.iter().all(|(.., card)| *card != one.2) {
                    out.push(one);
                }
            }
        }
    }
    out
}

/// What there is to say about a choice that has no card of its own.
fn said(choice: &Choice) -> Option<Card> {
    let mut lines = facts::choice_lines(choice);
    // Of a closed one that is why; here all of it is asked for.
    if choice.closed.is_some() {
        let open = Choice { closed: None, ..choice.clone() };
        lines.extend(facts::choice_lines(&open));
    }
    let lines: Vec<String> = lines.iter().map(|line| escape(line)).collect();
    let title = escape(&facts::choice_label(choice));
    (!lines.is_empty()).then(|| Card { title, lines, ..Card::default() })
}
