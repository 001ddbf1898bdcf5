//! Texts that both frontends share: rolls, odds, widgets, cards. One fact per line, without markup,
//! filtered for the terminal.

use super::notation_text::readable_notation;
use super::odds_display;
use base::host_text;
use base::host_texts::translate_host_text;
use base::text;
use protocol::prompt::OddsBand;
use protocol::story_event::{Die, RollEvent};
use protocol::view::{Card, FormRow, ListItem, MapEdge, MapNode, Widget};
use protocol::{Choice, Input, Odds, Prompt};

/// Marked text on one line.
pub fn markup_on_one_line(marked: &str) -> String {
    text::strip_markup(marked).replace('\n', " ").trim().to_owned()
}

/// A roll with all its parts: `strike: d20 14 + ATK 7 = 21 against 16: full`.
pub fn roll_text(roll: &RollEvent) -> String {
    let mut out = String::new();
    if !roll.label.is_empty() {
        out.push_str(&format!("{}: ", markup_on_one_line(&roll.label)));
    }
    out.push_str(&dice_text(&roll.notation, &roll.dice, roll.dice_total));
    for modifier in &roll.modifiers {
        let sign = if modifier.value < 0 { '-' } else { '+' };
        out.push_str(&format!(" {sign} {}", markup_on_one_line(&modifier.label)));
        out.push_str(&format!(" {}", modifier.value.unsigned_abs()));
    }
    for added in &roll.added_dice {
        let sign = if added.total < 0 { '-' } else { '+' };
        let label = markup_on_one_line(&added.label);
        let space = if label.is_empty() { "" } else { " " };
        let dice_text = dice_text(&added.notation, &added.dice, added.total.abs());
        out.push_str(&format!(" {sign} {label}{space}{dice_text}"));
    }
    if !roll.modifiers.is_empty() || !roll.added_dice.is_empty() {
        out.push_str(&format!(" = {}", roll.total));
    }
    match roll.target {
        Some(against) if roll.rolls_under => {
            out.push_str(&host_text!(" against {target} or under", target = against))
        }
        Some(against) => out.push_str(&host_text!(" against {target}", target = against)),
        None => {}
    }
    out + &outcome_suffix(roll)
}

/// A roll in short, without its label: `d20 14+7, 21 vs 16: full`.
pub fn short_roll_text(roll: &RollEvent) -> String {
    let mut out = dice_text(&roll.notation, &roll.dice, roll.dice_total);
    out.extend(roll.modifiers.iter().map(|modifier| format!("{:+}", modifier.value)));
    for added in &roll.added_dice {
        let sign = if added.total < 0 { '-' } else { '+' };
        let dice = dice_text(&added.notation, &added.dice, added.total.abs());
        out.push_str(&format!("{sign}{dice}"));
    }
    if !roll.modifiers.is_empty() || !roll.added_dice.is_empty() {
        out.push_str(&format!(", {}", roll.total));
    }
    out.push_str(&match roll.target {
        Some(target) if roll.rolls_under => host_text!(" vs {target} or under", target = target),
        Some(target) => host_text!(" vs {target}", target = target),
        None => String::new(),
    });
    out.push_str(&outcome_suffix(roll));
    out
}

/// The outcome of a roll, after the roll.
fn outcome_suffix(roll: &RollEvent) -> String {
    let outcome = roll.outcome.as_deref().map(markup_on_one_line);
    match (outcome, roll.is_open) {
        (Some(outcome), true) => host_text!(": {outcome} so far", outcome = outcome),
        (Some(outcome), false) => format!(": {outcome}"),
        (None, true) => host_text!(", so far"),
        (None, false) => String::new(),
    }
}

fn dice_text(notation: &str, dice: &[Die], total: i64) -> String {
    let notation = readable_notation(&markup_on_one_line(notation));
    match dice {
        [only] if i64::from(only.face) == total => format!("{notation} {}", only.face),
        [] => format!("{notation} {total}"),
        many => {
            let faces: Vec<String> = many
                .iter()
                .map(|die| match die.is_kept {
                    true => die.face.to_string(),
                    false => host_text!("{face} dropped", face = die.face),
                })
                .collect();
            format!("{notation} ({}) {total}", faces.join(", "))
        }
    }
}

/// Exact odds in words: `full 30% (6 of 20), partial 25% (5), …`.
pub fn odds_text(odds: &Odds) -> String {
    let mut out = Vec::new();
    for (band, percent) in odds.bands.iter().zip(odds_display::band_percents(odds)) {
        let total_note = if out.is_empty() {
            host_text!(" of {cases}", cases = odds.total_cases)
        } else {
            String::new()
        };
        out.push(format!("{} {percent} ({}{total_note})", band_label(band), band.case_count));
    }
    out.join(", ")
}

/// The name of an outcome.
pub fn band_label(band: &OddsBand) -> String {
    markup_on_one_line(&translate_host_text(&band.label, &[]))
}

/// The details of a choice, one per line. A disabled choice gives only the reason.
pub fn choice_detail_lines(choice: &Choice) -> Vec<String> {
    if let Some(why) = &choice.disabled_because {
        return vec![host_text!("Closed: {why}", why = markup_on_one_line(why))];
    }
    let mut out = Vec::new();
    if let Some(these) = &choice.odds {
        out.push(host_text!("Odds: {odds}", odds = odds_text(these)));
        if !these.label.is_empty() {
            out.push(host_text!("Roll: {label}", label = markup_on_one_line(&these.label)));
        }
    }
    out.extend(Some(note_with_gains(choice)).filter(|note| !note.is_empty()));
    out
}

/// The text with its first letter in upper case.
pub fn capitalize(words: &str) -> String {
    let mut letters = words.chars();
    letters.next().map_or(String::new(), |first| first.to_uppercase().chain(letters).collect())
}

/// The confirmation text of a choice, as a sentence.
pub fn confirm_text(choice: &Choice) -> String {
    let mut words = capitalize(choice.confirm.trim());
    if words.ends_with(char::is_alphanumeric) {
        words.push('.');
    }
    words
}

/// The note of a choice and what it may give.
pub fn note_with_gains(choice: &Choice) -> String {
    let (note, gains) = (markup_on_one_line(&choice.note), markup_on_one_line(&choice.gains));
    match (note.is_empty(), gains.is_empty()) {
        (_, true) => note,
        (true, false) => host_text!("may give {gains}", gains = gains),
        (false, false) => format!("{note}; {}", host_text!("may give {gains}", gains = gains)),
    }
}

/// The label of a choice with its cost.
pub fn choice_label(choice: &Choice) -> String {
    match choice.cost.is_empty() {
        true => markup_on_one_line(&choice.label),
        false => host_text!(
            "{label} (costs {cost})",
            label = markup_on_one_line(&choice.label),
            cost = markup_on_one_line(&choice.cost)
        ),
    }
}

/// An answer as text, in the language of the player.
pub fn answer_text(prompt: &Prompt, input: &Input) -> String {
    let label = |id: &String| prompt.choice(id).map_or(id.clone(), choice_label);
    match input {
        Input::Choice(id) => label(id),
        Input::Choices(ids) if ids.is_empty() => host_text!("none"),
        Input::Choices(ids) => ids.iter().map(label).collect::<Vec<_>>().join(", "),
        input => prompt.describe_answer(input),
    }
}

/// A widget in a few words, to be joined with others; `None` if it cannot be short.
pub fn widget_summary(widget: &Widget) -> Option<String> {
    match widget {
        Widget::Gauge { label, value, max, .. } | Widget::PipCounter { label, value, max } => {
            Some(host_text!(
                "{label} {value} of {max}",
                label = markup_on_one_line(label),
                value = value,
                max = max
            ))
        }
        Widget::Stat { label, value, note } => {
            Some(format!("{} {value}{}", markup_on_one_line(label), in_parentheses(note)))
        }
        Widget::Text { text, .. } => Some(markup_on_one_line(text)).filter(|text| !text.is_empty()),
        _ => None,
    }
}

/// A widget in full, one fact per line; lines below a heading are indented by two spaces.
pub fn widget_lines(widget: &Widget) -> Vec<String> {
    match widget {
        Widget::Text { text, .. } => text::strip_markup(text).lines().map(str::to_owned).collect(),
        Widget::Gauge { label, value, max, previous_value: before, .. } => {
            let previous_value = before.filter(|before| before != value);
            let previous_value = previous_value
                .map_or(String::new(), |before| host_text!(" (was {value})", value = before));
            vec![
                host_text!(
                    "{label}: {value} of {max}",
                    label = markup_on_one_line(label),
                    value = value,
                    max = max
                ) + &previous_value,
            ]
        }
        Widget::PipCounter { label, value, max } => {
            vec![host_text!(
                "{label}: {value} of {max}",
                label = markup_on_one_line(label),
                value = value,
                max = max
            )]
        }
        Widget::Stat { label, value, note } => {
            vec![format!("{}: {value}{}", markup_on_one_line(label), in_parentheses(note))]
        }
        Widget::List { label, items, empty_text: empty } => list_lines(label, items, empty),
        Widget::Table { label, columns, rows } => table_lines(label, columns, rows),
        Widget::Map { label, nodes, edges } => map_lines(label, nodes, edges),
        Widget::Card(card) => card_lines(card),
        Widget::Form { label, rows } => form_value_lines(label, rows),
    }
}

/// The current values of a form; the prompt says how to change them.
fn form_value_lines(label: &str, rows: &[FormRow]) -> Vec<String> {
    let head = Some(format!("{}:", markup_on_one_line(label))).filter(|_| !label.is_empty());
    let rows = rows.iter().filter_map(|row| {
        let stepper = row.stepper.as_ref()?;
        Some(format!(
            "  {} {}{}",
            markup_on_one_line(&row.label),
            stepper.value,
            in_parentheses(&row.note)
        ))
    });
    head.into_iter().chain(rows).collect()
}

/// A card, one fact per line.
pub fn card_lines(card: &Card) -> Vec<String> {
    let mut out = vec![markup_on_one_line(&card.title)];
    let mut detail_lines = vec![markup_on_one_line(&card.subtitle)];
    detail_lines.extend(text::strip_markup(&card.text).lines().map(str::to_owned));
    detail_lines.extend(card.lines.iter().map(|fact| markup_on_one_line(fact)));
    out.extend(
        detail_lines.into_iter().filter(|fact| !fact.is_empty()).map(|fact| format!("  {fact}")),
    );
    out
}

/// A list item with its note.
pub fn list_item_text(item: &ListItem) -> String {
    format!("{}{}", markup_on_one_line(&item.label), in_parentheses(&item.note))
}

fn in_parentheses(note: &str) -> String {
    if note.is_empty() { String::new() } else { format!(" ({})", markup_on_one_line(note)) }
}

fn list_lines(label: &str, items: &[ListItem], empty: &str) -> Vec<String> {
    let mut out = vec![format!("{}:", markup_on_one_line(label))];
    if items.is_empty() {
        let empty = if empty.is_empty() { host_text!("none") } else { markup_on_one_line(empty) };
        out.push(format!("  {empty}"));
    }
    out.extend(items.iter().map(|each| format!("  {}", list_item_text(each))));
    out
}

fn table_lines(label: &str, columns: &[String], rows: &[Vec<String>]) -> Vec<String> {
    let mut out = vec![format!("{}:", markup_on_one_line(label))];
    for row in rows {
        let cells: Vec<String> = row
            .iter()
            .enumerate()
            .map(|(index, cell)| match columns.get(index) {
                Some(head) if !head.is_empty() => {
                    format!("{}: {}", markup_on_one_line(head), markup_on_one_line(cell))
                }
                _ => markup_on_one_line(cell),
            })
            .collect();
        out.push(format!("  {}", cells.join("; ")));
    }
    out
}

/// A map in words: each place with its connections, in the game's order.
fn map_lines(label: &str, nodes: &[MapNode], edges: &[MapEdge]) -> Vec<String> {
    let mut out = vec![format!("{}:", markup_on_one_line(label))];
    let name = |id: &str| {
        nodes.iter().find(|node| node.id == id).map(|node| markup_on_one_line(&node.label))
    };
    for node in nodes {
        let mut words = Vec::new();
        if node.is_current {
            words.push(host_text!("you are here"));
        } else if !node.is_visited {
            words.push(host_text!("not entered"));
        }
        if !node.note.is_empty() {
            words.push(markup_on_one_line(&node.note));
        }
        let connections: Vec<String> = edges
            .iter()
            .filter_map(|edge| match edge {
                MapEdge { from, to } if *from == node.id => name(to),
                MapEdge { from, to } if *to == node.id => name(from),
                _ => None,
            })
            .collect();
        let words =
            if words.is_empty() { String::new() } else { format!(" ({})", words.join(", ")) };
        let connections = if connections.is_empty() {
            String::new()
        } else {
            host_text!(": to {places}", places = connections.join("; "))
        };
        out.push(format!("  {}{words}{connections}", markup_on_one_line(&node.label)));
    }
    out
}

/// A lower-case text without its leading article.
pub fn strip_article(text: &str) -> &str {
    let articles = ["the ", "a ", "an "];
    articles.iter().find_map(|article| text.strip_prefix(article)).unwrap_or(text)
}
