//! The casebook of a descent: finds stand in the order of the story, missing leaves are gaps, and a
//! gap reveals nothing.

use base::Value;
use protocol::View;
use protocol::view::{ListItem, Widget};
use session::Bot;

use crate::bundled;

/// The list that is a descent's casebook.
fn casebook_items(view: &View) -> Option<&[ListItem]> {
    view.widgets.iter().find_map(|placed_widget| match &placed_widget.widget {
        Widget::List { label, items, .. } if label == "The Light and the Thief" => Some(&items[..]),
        _ => None,
    })
}

/// The number of leaves that a gap stands for.
fn missing_count(item: &ListItem) -> Option<usize> {
    let gap_text = item.label.strip_prefix('(')?.strip_suffix(" missing)")?;
    match gap_text.split_once(' ')?.0 {
        "one" => Some(1),
        digits => digits.parse().ok(),
    }
}

#[test]
fn a_casebook_has_gaps_where_leaves_are_missing() {
    let content = bundled::game_content("sub_rosa", &[]);
    let (mut inner_gap_count, mut found_total) = (0, 0);
    for seed in 1..=6 {
        let options = [("dungeon", Value::text("sub_rosa:ice_house"))];
        let (mut session, mut step_outcome) =
            bundled::start_session(&content, seed, &options, Value::map());
        let mut bot = Bot::new("sub_rosa:steady", seed);
        let mut max_found = 0;
        while session.run_outcome().is_none() {
            if let Some(items) = casebook_items(session.view()) {
                let missing_leaves: usize = items.iter().filter_map(missing_count).sum();
                let found_items: Vec<&ListItem> =
                    items.iter().filter(|item| missing_count(item).is_none()).collect();
                assert_eq!(
                    missing_leaves + found_items.len(),
                    5,
                    "a small place hides five: {items:?}"
                );
                assert!(found_items.iter().all(|item| item.card.is_some()));
                // Two gaps never stand together, and a gap has no details.
                let are_all_gaps =
                    |pair: &[ListItem]| pair.iter().all(|item| missing_count(item).is_some());
                assert!(!items.windows(2).any(are_all_gaps), "{items:?}");
                assert!(
                    items.iter().all(|item| missing_count(item).is_none() || item.card.is_none())
                );
                max_found = max_found.max(found_items.len());
                let first = items.iter().position(|item| missing_count(item).is_none());
                let last = items.iter().rposition(|item| missing_count(item).is_none());
                if let (Some(first), Some(last)) = (first, last) {
                    inner_gap_count += items[first..last].iter().filter_map(missing_count).count();
                }
            }
            let input = bot.choose_input(&mut session, &step_outcome.events).unwrap();
            step_outcome = session.answer_prompt(&input).unwrap();
        }
        found_total += max_found;
    }
    assert!(
        inner_gap_count > 0 && found_total > 6,
        "{found_total} fragments were found, {inner_gap_count} holes lay between them"
    );
}
