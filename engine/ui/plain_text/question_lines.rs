//! A question as lines: its choices with all details, or in few words; each submenu on one line.

use super::super::choice_layout::{ChoiceLayout, Submenu};
use super::super::{display_text, odds_display};
use super::brief_events;
use super::choice_numbers::ChoiceNumbers;
use base::host_text;
use protocol::{Choice, Input, Prompt};

/// The words of a brief question, if groups can be shown by numbers.
const MAX_BRIEF_WORDS: usize = 24;
/// A group of at most so many words is shown in full: its name and numbers would not be shorter.
const MAX_FULL_GROUP_WORDS: usize = 6;

/// The lines of the choices, each with its prefix.
pub(super) fn choice_lines(
    prompt: &Prompt,
    numbers: &ChoiceNumbers,
    brief: bool,
) -> Vec<(String, String)> {
    let layout = &numbers.layout;
    if brief && prompt.choices.iter().any(|choice| choice.odds.is_some() || choice.group.is_some())
    {
        return brief_lines(prompt, numbers, layout);
    }
    let mut out = Vec::new();
    for at in &layout.top_level {
        let Some(choice) = prompt.choices.get(*at) else { continue };
        let number = format!("{}. ", numbers.number_at_index(*at));
        let indent = " ".repeat(number.len());
        out.push((number, display_text::choice_label(choice)));
        let detail_lines = display_text::choice_detail_lines(choice).into_iter();
        out.extend(detail_lines.map(|line| (indent.clone(), line)));
    }
    out.extend(
        layout.submenus.iter().map(|page| (String::new(), submenu_line(page, prompt, numbers))),
    );
    out
}

/// A submenu on one line: `Ways back: 5. The hall; 6. The stair.`
fn submenu_line(submenu: &Submenu, prompt: &Prompt, numbers: &ChoiceNumbers) -> String {
    let each = submenu.choices.iter().filter_map(|at| {
        let choice = prompt.choices.get(*at)?;
        let closed_mark = if choice.is_enabled() { String::new() } else { host_text!(" (closed)") };
        Some(format!("{}. {}{closed_mark}", numbers.number_at_index(*at), brief_choice(choice)))
    });
    format!(
        "{}: {}.",
        display_text::markup_on_one_line(&submenu.name),
        each.collect::<Vec<_>>().join("; ")
    )
}

/// All choices on one line: numbers, labels, percentages. Submenus show only their numbers; so do
/// groups if the line would be long.
fn brief_lines(
    prompt: &Prompt,
    numbers: &ChoiceNumbers,
    layout: &ChoiceLayout,
) -> Vec<(String, String)> {
    let enabled_choice = |at: &usize| prompt.choices.get(*at).filter(|one| one.is_enabled());
    let group_id = |at: &usize| enabled_choice(at)?.group.as_ref().map(|group| &*group.id);
    // In a repeating prompt there is little room, and "again" shows the names.
    let has_unnamed_choice = |id: &str| {
        if prompt.repeats {
            return false;
        }
        let all = layout
            .top_level
            .iter()
            .filter(|at| group_id(at) == Some(id))
            .filter_map(enabled_choice);
        all.into_iter().any(|one| !numbers.was_printed_by_name(one))
    };
    let mut shortened_groups: Vec<&str> = Vec::new();
    loop {
        let line = brief_line(prompt, numbers, layout, &shortened_groups);
        // A choice that was never shown by name is shown so, however long the line gets.
        let longest = layout.top_level.iter().filter_map(group_id);
        let longest =
            longest.filter(|id| !shortened_groups.contains(id) && !has_unnamed_choice(id));
        let count_group_words = |id: &str| {
            let all = layout.top_level.iter().filter(|at| group_id(at) == Some(id));
            all.filter_map(enabled_choice)
                .map(|one| brief_events::count_words(&brief_choice(one)))
                .sum::<usize>()
        };
        let longest = longest
            .max_by_key(|id| count_group_words(id))
            .filter(|id| count_group_words(id) > MAX_FULL_GROUP_WORDS);
        match longest.filter(|_| brief_events::count_words(&line) > MAX_BRIEF_WORDS) {
            Some(id) => shortened_groups.push(id),
            None => return vec![(String::new(), line)],
        }
    }
}

fn brief_line(
    prompt: &Prompt,
    numbers: &ChoiceNumbers,
    layout: &ChoiceLayout,
    shortened_groups: &[&str],
) -> String {
    let is_enabled = |at: &&usize| prompt.choices.get(**at).is_some_and(|one| one.is_enabled());
    let mut parts = Vec::new();
    let mut listed_groups: Vec<&str> = Vec::new();
    for at in layout.top_level.iter().filter(is_enabled) {
        let choice = &prompt.choices[*at];
        match choice.group.as_ref().filter(|group| shortened_groups.contains(&&*group.id)) {
            Some(group) if listed_groups.contains(&&*group.id) => {}
            Some(group) => {
                listed_groups.push(&group.id);
                let of = |at: &&usize| prompt.choices[**at].group.as_ref() == Some(group);
                let all = layout.top_level.iter().filter(is_enabled).filter(of);
                parts.extend(number_list(&group.name, all, numbers));
            }
            None => {
                parts.push(format!("{}. {}", numbers.number_at_index(*at), brief_choice(choice)))
            }
        }
    }
    for page in &layout.submenus {
        let all: Vec<&usize> = page.choices.iter().filter(is_enabled).collect();
        let was_named = |at: &&usize| numbers.was_printed_by_name(&prompt.choices[**at]);
        match prompt.repeats || all.iter().all(was_named) {
            true => parts.extend(number_list(&page.name, all.into_iter(), numbers)),
            false => parts.push(submenu_names(page, prompt, numbers, &all)),
        }
    }
    parts.join("; ")
}

/// A submenu with the names of its choices.
fn submenu_names(
    submenu: &Submenu,
    prompt: &Prompt,
    numbers: &ChoiceNumbers,
    all: &[&usize],
) -> String {
    let each = all.iter().map(|at| {
        format!("{}. {}", numbers.number_at_index(**at), brief_choice(&prompt.choices[**at]))
    });
    format!(
        "{}: {}",
        display_text::markup_on_one_line(&submenu.name),
        each.collect::<Vec<_>>().join(", ")
    )
}

/// A name with the numbers of its choices; `None` if there are none.
fn number_list<'a>(
    name: &str,
    all: impl Iterator<Item = &'a usize>,
    numbers: &ChoiceNumbers,
) -> Option<String> {
    let all: Vec<usize> = all.map(|at| numbers.number_at_index(*at)).collect();
    let words = match all.as_slice() {
        [] => return None,
        [only] => only.to_string(),
        [first, .., last] if all.windows(2).all(|pair| pair[0] + 1 == pair[1]) => {
            format!("{first}-{last}")
        }
        several => several.iter().map(usize::to_string).collect::<Vec<_>>().join(","),
    };
    Some(format!("{} {words}", display_text::markup_on_one_line(name)))
}

/// A choice with its cost and its percentages.
fn brief_choice(choice: &Choice) -> String {
    let label = display_text::choice_label(choice);
    match &choice.odds {
        Some(odds) => {
            let shares = odds_display::rounded_band_percents(odds);
            let shares: Vec<String> = shares.iter().map(ToString::to_string).collect();
            format!("{label} {}%", shares.join("/"))
        }
        None => label,
    }
}

/// The confirmation question of an answer; `None` if a person typed the whole id.
pub(super) fn confirm_question(prompt: &Prompt, input: &Input, line: &str) -> Option<String> {
    let Input::Choice(id) = input else { return None };
    let choice = prompt.choice(id).filter(|choice| !choice.confirm.is_empty())?;
    (line.trim() != id)
        .then(|| display_text::markup_on_one_line(&display_text::confirm_text(choice)))
}

/// Whether a line says yes.
pub(super) fn is_yes(line: &str) -> bool {
    ["yes", "y"].contains(&line.trim().to_lowercase().as_str())
}
