//! The output of commands: the sheet, the map, odds, cards, help.

use super::super::display_text;
use super::choice_numbers::ChoiceNumbers;
use protocol::view::{Card, PlacedWidget, View, Widget, WidgetSlot};
use protocol::{AnswerType, Prompt};

/// The status on one line: the title and the short widgets.
pub(super) fn status_line(view: &View) -> String {
    let mut parts = vec![display_text::markup_on_one_line(&view.title)];
    let is_status_widget = |placed: &&PlacedWidget| match placed.widget {
        Widget::Gauge { .. } | Widget::PipCounter { .. } => placed.slot != WidgetSlot::Optional,
        _ => placed.slot == WidgetSlot::Top,
    };
    let widgets = view.widgets.iter().filter(is_status_widget);
    parts.extend(widgets.filter_map(|placed| display_text::widget_summary(&placed.widget)));
    parts.retain(|part| !part.is_empty());
    parts.join("; ")
}

/// How to answer a prompt that is not a single choice.
pub(super) fn input_hint(ask: &AnswerType) -> Option<String> {
    let line = match ask {
        AnswerType::SingleChoice => return None,
        AnswerType::MultipleChoice { min: 0, max: 1 } => "Choose one, or \"none\".".to_owned(),
        AnswerType::MultipleChoice { min, max } if min == max => {
            format!("Choose {min}, with commas between them.")
        }
        AnswerType::MultipleChoice { min, max } => {
            let none = if *min == 0 { ", or \"none\"" } else { "" };
            format!("Choose {min} to {max}, with commas between them{none}.")
        }
        AnswerType::Number { min, max, default } => {
            format!("A whole number from {min} to {max}; an empty line means {default}.")
        }
        AnswerType::Text { max_length, default } if default.is_empty() => {
            format!("A line of at most {max_length} characters.")
        }
        AnswerType::Text { max_length, default } => {
            let default = display_text::markup_on_one_line(&base::text::escape_markup(default));
            format!("A line of at most {max_length} characters; an empty line means \"{default}\".")
        }
    };
    Some(line)
}

/// The expected form of a line of a script.
pub(super) fn expected_answer(prompt: &Prompt) -> String {
    if prompt.choices.is_empty() {
        return prompt.answer_type.describe_expected();
    }
    let open = prompt.choices.iter().filter(|choice| choice.is_enabled());
    let ids: Vec<&str> = open.map(|choice| choice.id.as_str()).collect();
    format!("{}: {}", prompt.answer_type.describe_expected(), ids.join(", "))
}

pub(super) fn help_lines(prompt: &Prompt, practice: bool) -> Vec<String> {
    let answer = match &prompt.answer_type {
        AnswerType::SingleChoice => "Answer with a choice's number, or with a word of its label.",
        AnswerType::MultipleChoice { .. } => {
            "Answer with the numbers of several choices, as in: 1, 3"
        }
        AnswerType::Number { .. } => "Answer with a whole number.",
        AnswerType::Text { .. } => {
            "Answer with a line of text. The words below then need a colon: :help"
        }
    };
    let words = [
        "again: repeat the question.",
        "brief: ask in few words from now on. full: ask with all details.",
        "sheet: show everything about the current state.",
        "map: list the places and how they are connected.",
        "go NAME: travel to a known place. explore: travel to the nearest unvisited place.",
        "odds: show the odds of every choice.",
        "why: explain closed choices. why 3, why NAME: show all details of that choice.",
        "look: list what can be examined. look 2, look NAME: examine it.",
        "log: show the whole story. log 20: show the last 20 entries.",
        "reload: reload the mods from disk.",
        "leave: go back to the title. Everything is saved.",
        "quit: quit the program. Everything is saved.",
    ];
    let mut out = vec![answer.to_owned()];
    out.extend(words.iter().map(|word| format!("  {word}")));
    if practice {
        out.push("  undo: undo the last answer.".to_owned());
    }
    out
}

/// Everything in the view except maps.
pub(super) fn sheet_lines(view: &View) -> Vec<String> {
    let is_map = |placed: &&PlacedWidget| matches!(placed.widget, Widget::Map { .. });
    let widgets = view.widgets.iter().filter(|placed| !is_map(placed));
    titled_lines(view, widgets)
}

/// Everything in the view.
pub(super) fn view_lines(view: &View) -> Vec<String> {
    titled_lines(view, view.widgets.iter())
}

fn titled_lines<'a>(view: &View, widgets: impl Iterator<Item = &'a PlacedWidget>) -> Vec<String> {
    let mut out = Vec::new();
    if !view.title.is_empty() {
        out.push(format!("-- {} --", display_text::markup_on_one_line(&view.title)));
    }
    out.extend(widgets.flat_map(|placed| display_text::widget_lines(&placed.widget)));
    if out.is_empty() {
        out.push("There is nothing to show.".to_owned());
    }
    out
}

pub(super) fn map_lines(view: &View) -> Vec<String> {
    let is_map = |placed: &&PlacedWidget| matches!(placed.widget, Widget::Map { .. });
    let maps = view.widgets.iter().filter(is_map);
    let out: Vec<String> =
        maps.flat_map(|placed| display_text::widget_lines(&placed.widget)).collect();
    if out.is_empty() { vec!["There is no map here.".to_owned()] } else { out }
}

pub(super) fn odds_lines(prompt: &Prompt, numbers: &ChoiceNumbers) -> Vec<String> {
    let mut out = Vec::new();
    for (index, choice) in prompt.choices.iter().enumerate() {
        let Some(odds) = &choice.odds else { continue };
        out.push(format!(
            "{}. {}",
            numbers.number_at_index(index),
            display_text::choice_label(choice)
        ));
        if !odds.label.is_empty() {
            out.push(format!("   {}", display_text::markup_on_one_line(&odds.label)));
        }
        for (band, percent) in
            odds.bands.iter().zip(super::super::odds_display::band_percents(odds))
        {
            let label = display_text::markup_on_one_line(&band.label);
            out.push(format!("   {label}: {} of {}, {percent}", band.case_count, odds.total_cases));
        }
    }
    if out.is_empty() { vec!["No choice here depends on dice.".to_owned()] } else { out }
}

/// Why choices are disabled, or the details of one.
pub(super) fn disabled_reason_lines(
    name_or_number: &str,
    prompt: &Prompt,
    numbers: &ChoiceNumbers,
    practice: bool,
) -> Vec<String> {
    let start = name_or_number.to_lowercase();
    let number: Option<usize> = name_or_number.parse().ok();
    let mut out = Vec::new();
    for (index, choice) in prompt.choices.iter().enumerate() {
        let matches_name =
            display_text::markup_on_one_line(&choice.label).to_lowercase().starts_with(&start);
        let is_wanted = match number {
            Some(number) => number == numbers.number_at_index(index),
            None if name_or_number.is_empty() => !choice.is_enabled(),
            None => matches_name,
        };
        if !is_wanted {
            continue;
        }
        out.push(format!(
            "{}. {}",
            numbers.number_at_index(index),
            display_text::choice_label(choice)
        ));
        out.extend(
            display_text::choice_detail_lines(choice).into_iter().map(|line| format!("   {line}")),
        );
        // A disabled choice shows its note only on request.
        let note = display_text::note_with_gains(choice);
        if !choice.is_enabled() && !note.is_empty() {
            out.push(format!("   {note}"));
        }
        if !choice.confirm.is_empty() {
            let confirmation_prefix = if practice { "" } else { "Asks for confirmation: " };
            out.push(format!(
                "   {confirmation_prefix}{}",
                display_text::markup_on_one_line(&choice.confirm)
            ));
        }
        if let (Some(odds), true) = (&choice.odds, !choice.is_enabled()) {
            out.push(format!("   Odds: {}", display_text::odds_text(odds)));
        }
    }
    match (out.is_empty(), name_or_number.is_empty()) {
        (true, true) => vec!["Nothing is closed here.".to_owned()],
        (true, false) => vec![format!("There is no choice \"{name_or_number}\" here.")],
        _ => out,
    }
}

/// The cards whose names start like this; without a name, the list of names.
pub(super) fn card_lines(
    name_or_number: &str,
    prompt: &Prompt,
    view: &View,
    numbers: &ChoiceNumbers,
) -> Vec<String> {
    let number: Option<usize> = name_or_number.parse().ok();
    if let Some(choice) =
        number.and_then(|number| prompt.choices.get(numbers.index_with_number(number)?))
    {
        return match &choice.card {
            Some(card) => display_text::card_lines(card),
            None => {
                vec![format!(
                    "There are no details of \"{}\".",
                    display_text::markup_on_one_line(&choice.label)
                )]
            }
        };
    }
    let cards = named_cards(prompt, view);
    if cards.is_empty() {
        return vec!["There is nothing to examine here.".to_owned()];
    }
    if name_or_number.is_empty() {
        let mut out = vec!["You can examine:".to_owned()];
        out.extend(cards.iter().map(|(name, _)| format!("  {name}")));
        return out;
    }
    let start = name_or_number.to_lowercase();
    let found = cards.iter().filter(|(name, _)| name.to_lowercase().starts_with(&start));
    let out: Vec<String> = found.flat_map(|(_, card)| display_text::card_lines(card)).collect();
    match out.is_empty() {
        true => vec![format!(
            "There is no \"{name_or_number}\" to examine; \"look\" lists what there is."
        )],
        false => out,
    }
}

fn named_cards<'a>(prompt: &'a Prompt, view: &'a View) -> Vec<(String, &'a Card)> {
    let choices_with_card =
        prompt.choices.iter().filter_map(|choice| Some((choice, choice.card.as_ref()?)));
    let mut out: Vec<(String, &Card)> = choices_with_card
        .map(|(choice, card)| (display_text::markup_on_one_line(&choice.label), card))
        .collect();
    for placed in &view.widgets {
        match &placed.widget {
            Widget::List { items, .. } => {
                let items_with_card =
                    items.iter().filter_map(|item| Some((item, item.card.as_ref()?)));
                out.extend(
                    items_with_card
                        .map(|(item, card)| (display_text::markup_on_one_line(&item.label), card)),
                );
            }
            Widget::Card(card) => out.push((display_text::markup_on_one_line(&card.title), card)),
            _ => {}
        }
    }
    out
}
