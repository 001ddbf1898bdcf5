//! The casebook of a descent: finds stand in the order of the story, missing leaves are gaps, and a
//! gap reveals nothing.

use engine::base::Value;
use engine::protocol::View;
use engine::protocol::view::{ListItem, Widget};
use engine::session::Bot;

use crate::bundled;

/// The list that is a descent's casebook.
fn casebook(view: &View) -> Option<&[ListItem]> {
    view.widgets.iter().find_map(|placed| match &placed.widget {
        Widget::List { label, items, .. } if label == "The Light and the Thief" => Some(&items[..]),
        _ => None,
    })
}

/// The number of leaves that a gap stands for.
fn missing(item: &ListItem) -> Option<usize> {
    let words = item.label.strip_prefix('(')?.strip_suffix(" missing)")?;
    match words.split_once(' ')?.0 {
        "one" => Some(1),
        number => number.parse().ok(),
    }
}

#[test]
fn a_casebook_has_holes_where_leaves_are_missing() {
    let content = bundled::content("sub_rosa", &[]);
    let (mut between, mut full) = (0, 0);
    for seed in 1..=6 {
        let options = [("dungeon", Value::text("sub_rosa:ice_house"))];
        let (mut session, mut told) = bundled::begin(&content, seed, &options, Value::map());
        let mut bot = Bot::new("sub_rosa:steady", seed);
        let mut most = 0;
        while session.run_outcome().is_none() {
            if let Some(items) = casebook(session.view()) {
                let holes: usize = items.iter().filter_map(missing).sum();
                let found: Vec<&ListItem> =
                    items.iter().filter(|item| missing(item).is_none()).collect();
                assert_eq!(holes + found.len(), 5, "a small place hides five: {items:?}");
                assert!(found.iter().all(|item| item.card.is_some()));
                // Two gaps never stand together, and a gap has no details.
                let holes = |pair: &[ListItem]| pair.iter().all(|item| missing(item).is_some());
                assert!(!items.windows(2).any(holes), "{items:?}");
                assert!(items.iter().all(|item| missing(item).is_none() || item.card.is_none()));
                most = most.max(found.len());
                let first = items.iter().position(|item| missing(item).is_none());
                let last = items.iter().rposition(|item| missing(item).is_none());
                if let (Some(first), Some(last)) = (first, last) {
                    between += items[first..last].iter().filter_map(missing).count();
                }
            }
            let input = bot.choose(&mut session, &told.events).unwrap();
            told = session.answer(&input).unwrap();
        }
        full += most;
    }
    assert!(
        between > 0 && full > 6,
        "{full} fragments were found, {between} holes lay between them"
    );
}
