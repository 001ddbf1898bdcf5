//! The output of commands: the sheet, the map, odds, cards, help.

use super::super::display_text;
use super::choice_numbers::ChoiceNumbers;
use base::host_text;
use protocol::view::{Card, PlacedWidget, View, Widget, WidgetSlot};
use protocol::{AnswerType, Prompt};

/// The word that chooses nothing.
const NONE_WORD: &str = "none";

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
        AnswerType::MultipleChoice { min: 0, max: 1 } => {
            host_text!("Choose one, or \"{none}\".", none = NONE_WORD)
        }
        AnswerType::MultipleChoice { min, max } if min == max => {
            host_text!("Choose {count}, with commas between them.", count = min)
        }
        AnswerType::MultipleChoice { min, max } => match *min {
            0 => host_text!(
                "Choose {min} to {max}, with commas between them, or \"{none}\".",
                min = min,
                max = max,
                none = NONE_WORD
            ),
            _ => {
                host_text!("Choose {min} to {max}, with commas between them.", min = min, max = max)
            }
        },
        AnswerType::Number { min, max, default } => {
            host_text!(
                "A whole number from {min} to {max}; an empty line means {default}.",
                min = min,
                max = max,
                default = default
            )
        }
        AnswerType::Text { max_length, default } if default.is_empty() => {
            host_text!("A line of at most {max} characters.", max = max_length)
        }
        AnswerType::Text { max_length, default } => {
            let default = display_text::markup_on_one_line(&base::text::escape_markup(default));
            host_text!(
                "A line of at most {max} characters; an empty line means \"{default}\".",
                max = max_length,
                default = default
            )
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
        AnswerType::SingleChoice => {
            host_text!("Answer with a choice's number, or with a word of its label.")
        }
        AnswerType::MultipleChoice { .. } => {
            host_text!("Answer with the numbers of several choices, as in: 1, 3")
        }
        AnswerType::Number { .. } => host_text!("Answer with a whole number."),
        AnswerType::Text { .. } => {
            host_text!(
                "Answer with a line of text. The words below then need a colon: {line}",
                line = ":help"
            )
        }
    };
    let name = host_text!("NAME");
    let line = |command: &str, does: String| format!("{command}: {does}");
    let two = |one: String, other: String| format!("{one} {other}");
    let named = |command: &str| format!("{command} {name}");
    let mut lines = vec![
        line("again", host_text!("repeat the question.")),
        two(
            line("brief", host_text!("ask in few words from now on.")),
            line("full", host_text!("ask with all details.")),
        ),
        line("sheet", host_text!("show everything about the current state.")),
        line("map", host_text!("list the places and how they are connected.")),
        two(
            line(&named("go"), host_text!("travel to a known place.")),
            line("explore", host_text!("travel to the nearest unvisited place.")),
        ),
        line("odds", host_text!("show the odds of every choice.")),
        two(
            line("why", host_text!("explain closed choices.")),
            line(
                &format!("why 3, {}", named("why")),
                host_text!("show all details of that choice."),
            ),
        ),
        two(
            line("look", host_text!("list what can be examined.")),
            line(&format!("look 2, {}", named("look")), host_text!("examine it.")),
        ),
        line(&named("help"), host_text!("explain a term of the game.")),
        two(
            line("log", host_text!("show the whole story.")),
            line("log 20", host_text!("show the last 20 entries.")),
        ),
        line("reload", host_text!("reload the mods from disk (for authors).")),
        line("leave", host_text!("go back to the title. Everything is saved.")),
        line("quit", host_text!("quit the program. Everything is saved.")),
    ];
    if practice {
        lines.push(line("undo", host_text!("undo the last answer.")));
    }
    let mut out = vec![answer];
    out.extend(lines.iter().map(|line| format!("  {line}")));
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
        out.push(host_text!("There is nothing to show."));
    }
    out
}

pub(super) fn map_lines(view: &View) -> Vec<String> {
    let is_map = |placed: &&PlacedWidget| matches!(placed.widget, Widget::Map { .. });
    let maps = view.widgets.iter().filter(is_map);
    let out: Vec<String> =
        maps.flat_map(|placed| display_text::widget_lines(&placed.widget)).collect();
    if out.is_empty() { vec![host_text!("There is no map here.")] } else { out }
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
            let label = display_text::band_label(band);
            out.push(host_text!(
                "   {label}: {count} of {cases}, {percent}",
                label = label,
                count = band.case_count,
                cases = odds.total_cases,
                percent = percent
            ));
        }
    }
    if out.is_empty() { vec![host_text!("No choice here depends on dice.")] } else { out }
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
            let question = display_text::markup_on_one_line(&choice.confirm);
            out.push(match practice {
                true => format!("   {question}"),
                false => {
                    host_text!("   Asks for confirmation: {question}", question = question)
                }
            });
        }
        if let (Some(odds), true) = (&choice.odds, !choice.is_enabled()) {
            out.push(format!(
                "   {}",
                host_text!("Odds: {odds}", odds = display_text::odds_text(odds))
            ));
        }
    }
    match (out.is_empty(), name_or_number.is_empty()) {
        (true, true) => vec![host_text!("Nothing is closed here.")],
        (true, false) => {
            vec![host_text!("There is no choice \"{name}\" here.", name = name_or_number)]
        }
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
                vec![host_text!(
                    "There are no details of \"{label}\".",
                    label = display_text::markup_on_one_line(&choice.label)
                )]
            }
        };
    }
    let cards = named_cards(prompt, view);
    if cards.is_empty() {
        return vec![host_text!("There is nothing to examine here.")];
    }
    if name_or_number.is_empty() {
        let mut out = vec![host_text!("You can examine:")];
        out.extend(cards.iter().map(|(name, _)| format!("  {name}")));
        return out;
    }
    let start = name_or_number.to_lowercase();
    let found = cards.iter().filter(|(name, _)| name.to_lowercase().starts_with(&start));
    let out: Vec<String> = found.flat_map(|(_, card)| display_text::card_lines(card)).collect();
    match out.is_empty() {
        true => vec![host_text!(
            "There is no \"{name}\" to examine; \"{look}\" lists what there is.",
            name = name_or_number,
            look = "look"
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
