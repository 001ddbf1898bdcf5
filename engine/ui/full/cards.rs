//! Everything on the screen that can be looked at closely, in order: the choices, then what the
//! view holds.

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
    for placed in &view.widgets {
        match &placed.widget {
            Widget::List { items, .. } => out.extend(
                items
                    .iter()
                    .filter_map(|item| Some((None, facts::line(&item.label), item.card.clone()?))),
            ),
            Widget::Card(card) => out.push((None, facts::line(&card.title), card.clone())),
            _ => {}
        }
    }
    out
}
