//! All texts that a step shows: its events, the prompt, the view.

use super::text_checks::TextForm;
use protocol::view::{Card, Widget};
use protocol::{Prompt, StoryEvent, View};

/// Calls `see` for each text of an event.
pub(super) fn each_text_of_event(event: &StoryEvent, see: &mut dyn FnMut(&str, TextForm)) {
    match event {
        StoryEvent::Say { text } => see(text, TextForm::Prose),
        StoryEvent::Heading { text }
        | StoryEvent::Note { text }
        | StoryEvent::Gain { text }
        | StoryEvent::Loss { text } => see(text, TextForm::Label),
        StoryEvent::Roll(roll) => {
            let modifiers = roll.modifiers.iter().map(|one| &one.label);
            let added = roll.added_dice.iter().map(|one| &one.label);
            [&roll.label].into_iter().chain(modifiers).chain(added).for_each(|text| {
                see(text, TextForm::Label);
            });
        }
    }
}

/// Calls `see` for each text of a prompt.
pub(super) fn each_text_of_prompt(prompt: &Prompt, see: &mut dyn FnMut(&str, TextForm)) {
    see(&prompt.text, TextForm::Prose);
    for choice in &prompt.choices {
        let mut texts =
            vec![&choice.label, &choice.note, &choice.cost, &choice.gains, &choice.confirm];
        texts.extend(&choice.disabled_because);
        texts.extend(choice.group.iter().map(|group| &group.name));
        if let Some(odds) = &choice.odds {
            texts.push(&odds.label);
            texts.extend(odds.bands.iter().map(|band| &band.label));
        }
        texts.into_iter().for_each(|text| see(text, TextForm::Label));
        choice.card.iter().for_each(|card| each_text_of_card(card, see));
    }
}

/// Calls `see` for each text of a view.
pub(super) fn each_text_of_view(view: &View, see: &mut dyn FnMut(&str, TextForm)) {
    see(&view.title, TextForm::Label);
    for placed in &view.widgets {
        let mut label = |text: &str| see(text, TextForm::Label);
        match &placed.widget {
            Widget::Text { text, .. } => label(text),
            Widget::Gauge { label: name, .. } | Widget::PipCounter { label: name, .. } => {
                label(name)
            }
            Widget::Stat { label: name, note, .. } => {
                [name, note].into_iter().for_each(|text| label(text))
            }
            Widget::List { label: name, items, empty_text } => {
                [name, empty_text].into_iter().for_each(|text| label(text));
                for item in items {
                    [&item.label, &item.note]
                        .into_iter()
                        .for_each(|text| see(text, TextForm::Label));
                    item.card.iter().for_each(|card| each_text_of_card(card, see));
                }
            }
            Widget::Table { label: name, columns, rows } => {
                let cells = columns.iter().chain(rows.iter().flatten());
                [name].into_iter().chain(cells).for_each(|text| label(text));
            }
            Widget::Map { label: name, nodes, .. } => {
                let texts = nodes.iter().flat_map(|node| [&node.label, &node.note]);
                [name].into_iter().chain(texts).for_each(|text| label(text));
            }
            Widget::Card(card) => each_text_of_card(card, see),
            Widget::Form { label: name, rows } => {
                let texts = rows.iter().flat_map(|row| [&row.label, &row.note]);
                [name].into_iter().chain(texts).for_each(|text| label(text));
            }
        }
    }
}

fn each_text_of_card(card: &Card, see: &mut dyn FnMut(&str, TextForm)) {
    let texts = [&card.title, &card.subtitle, &card.text];
    texts.into_iter().chain(&card.lines).for_each(|text| see(text, TextForm::Label));
}
