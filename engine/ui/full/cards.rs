//! Everything on the screen that can be looked at closely, in order: the choices, then the cards of
//! the view, then the things in its lists.

use super::super::facts;
use crate::play::Prompt;
use crate::play::view::{Card, View, Widget};

/// The cards of a prompt and a view with the names they go by; for each of the prompt's, its
/// choice's number.
pub(super) fn all(prompt: &Prompt, view: &View) -> Vec<(Option<usize>, String, Card)> {
    let choices = prompt.choices.iter().enumerate();
    let mut out: Vec<(Option<usize>, String, Card)> = choices
        .filter_map(|(at, choice)| {
            Some((Some(at), facts::line(&choice.label), choice.card.clone()?))
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
            out.extend(cards);
        }
    }
    out
}
