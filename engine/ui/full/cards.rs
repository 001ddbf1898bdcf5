//! Everything on the screen that can be examined, in order: choices, then the view's cards, then
//! list items.

use super::super::facts;
use crate::kit::text::escape;
use crate::play::view::{Card, View, Widget};
use crate::play::{Choice, Prompt};

/// The cards of a prompt and a view with their names; for a choice's card also the choice's index.
/// The focused choice always has a card.
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
    // The view's own cards describe the place, so they come before list items.
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
            // Each card is listed once.
            for one in cards {
                if out.iter().all(|(.., card)| *card != one.2) {
                    out.push(one);
                }
            }
        }
    }
    out
}

/// A card made from the details of a choice without a card.
fn said(choice: &Choice) -> Option<Card> {
    let mut lines = facts::choice_lines(choice);
    // For a disabled choice these are only the reason, so its other details are added.
    if choice.closed.is_some() {
        let open = Choice { closed: None, ..choice.clone() };
        lines.extend(facts::choice_lines(&open));
    }
    let lines: Vec<String> = lines.iter().map(|line| escape(line)).collect();
    let title = escape(&facts::choice_label(choice));
    (!lines.is_empty()).then(|| Card { title, lines, ..Card::default() })
}
