//! Everything on the screen that can be examined, in order: choices, then the view's cards, then
//! list items.

use super::super::display_text;
use base::text::escape_markup;
use protocol::view::{Card, View, Widget};
use protocol::{Choice, Prompt};

/// The cards of a prompt and a view with their names; for a choice's card also the choice's index.
/// The focused choice always has a card.
pub(super) fn collect_cards(
    prompt: &Prompt,
    view: &View,
    focus: Option<usize>,
) -> Vec<(Option<usize>, String, Card)> {
    let choices = prompt.choices.iter().enumerate();
    let mut out: Vec<(Option<usize>, String, Card)> = choices
        .filter_map(|(at, choice)| {
            let focused = focus == Some(at);
            let card = choice
                .card
                .clone()
                .or_else(|| focused.then(|| build_choice_card(choice)).flatten())?;
            Some((Some(at), display_text::markup_on_one_line(&choice.label), card))
        })
        .collect();
    // The view's own cards describe the place, so they come before list items.
    for placed in &view.widgets {
        if let Widget::Card(card) = &placed.widget {
            out.push((None, display_text::markup_on_one_line(&card.title), card.clone()));
        }
    }
    for placed in &view.widgets {
        if let Widget::List { items, .. } = &placed.widget {
            let cards = items.iter().filter_map(|item| {
                Some((None, display_text::markup_on_one_line(&item.label), item.card.clone()?))
            });
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
fn build_choice_card(choice: &Choice) -> Option<Card> {
    let mut lines = display_text::choice_detail_lines(choice);
    // For a disabled choice these are only the reason, so its other details are added.
    if !choice.is_enabled() {
        let open = Choice { disabled_because: None, ..choice.clone() };
        lines.extend(display_text::choice_detail_lines(&open));
    }
    let lines: Vec<String> = lines.iter().map(|line| escape_markup(line)).collect();
    let title = escape_markup(&display_text::choice_label(choice));
    (!lines.is_empty()).then(|| Card { title, lines, ..Card::default() })
}
