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
    let mut out: Vec<(Option<usize>, String, Card)> = Vec::new();
    for (at, choice) in prompt.choices.iter().enumerate() {
        let details = if focus == Some(at) { detail_lines(choice) } else { Vec::new() };
        let mut card = match &choice.card {
            Some(card) => card.clone(),
            None if details.is_empty() => continue,
            None => Card {
                title: escape_markup(&display_text::choice_label(choice)),
                ..Card::default()
            },
        };
        // Several choices may be about one thing.
        if details.is_empty() && out.iter().any(|(.., other)| *other == card) {
            continue;
        }
        let name = display_text::markup_on_one_line(match card.title.is_empty() {
            true => &choice.label,
            false => &card.title,
        });
        card.lines.extend(details);
        out.push((Some(at), name, card));
    }
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

/// What is said of a choice beside its label, such as its odds and its price.
fn detail_lines(choice: &Choice) -> Vec<String> {
    let mut lines = display_text::choice_detail_lines(choice);
    // For a disabled choice these are only the reason, so its other details are added.
    if !choice.is_enabled() {
        let open = Choice { disabled_because: None, ..choice.clone() };
        lines.extend(display_text::choice_detail_lines(&open));
    }
    lines.iter().map(|line| escape_markup(line)).collect()
}
