//! A question as lines: its choices with all details, or in few words; each submenu on one line.

use super::super::choice_layout::{ChoiceLayout, Submenu};
use super::super::{display_text, odds_display};
use super::brief_events;
use super::choice_numbers::ChoiceNumbers;
use base::host_text;
use protocol::{Choice, Input, Prompt};

/// The words of a brief question, if groups can be shown by numbers.
const MAX_BRIEF_WORDS: usize = 24;
/// The words of a round's question in which several new choices are named.
const ROUND_WORDS: usize = 42;
/// The words of a round's question in which one is named, and those left are counted.
const MAX_ROUND_WORDS: usize = 48;
/// A group of at most so many words is shown in full: its name and numbers would not be shorter.
const MAX_FULL_GROUP_WORDS: usize = 6;

/// How a question is asked.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum QuestionStyle {
    /// Every choice with its details.
    Full,
    /// On one line: choices that were told before are numbers, if that is shorter.
    Brief,
    /// The same for a prompt that repeats: new choices are told over several rounds.
    BriefRound,
}

/// The choices of a question: lines, each with its prefix, and the choices that they name.
pub(super) struct QuestionLines {
    pub lines: Vec<(String, String)>,
    pub named_choices: Vec<usize>,
}

/// The lines of the choices.
pub(super) fn choice_lines(
    prompt: &Prompt,
    numbers: &ChoiceNumbers,
    style: QuestionStyle,
) -> QuestionLines {
    let layout = &numbers.layout;
    let is_enabled = |at: &usize| prompt.choices.get(*at).is_some_and(Choice::is_enabled);
    let named_choices = layout.listing_order().filter(is_enabled).collect();
    if style != QuestionStyle::Full
        && prompt.choices.iter().any(|choice| choice.odds.is_some() || choice.group.is_some())
    {
        return match style == QuestionStyle::BriefRound {
            true => round_line(prompt, numbers, layout),
            false => QuestionLines {
                lines: vec![(String::new(), brief_line_with_new_names(prompt, numbers, layout))],
                named_choices,
            },
        };
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
    QuestionLines { lines: out, named_choices }
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
/// groups if the line would be long. A choice that was never told is named, however long the line
/// gets.
fn brief_line_with_new_names(
    prompt: &Prompt,
    numbers: &ChoiceNumbers,
    layout: &ChoiceLayout,
) -> String {
    let is_new = |at: &usize| !numbers.was_printed_by_name(&prompt.choices[*at]);
    let new_choices: Vec<usize> = layout.listing_order().filter(is_new).collect();
    let is_told = |id: &str| !new_choices.iter().any(|at| group_id(prompt, *at) == Some(id));
    let shortened_groups = shortened_groups(prompt, numbers, layout, &is_told, &new_choices);
    // A submenu with a new choice names all of it.
    let new_pages = layout.submenus.iter().filter(|page| {
        page.choices.iter().any(|at| prompt.choices[*at].is_enabled() && new_choices.contains(at))
    });
    let named: Vec<usize> = new_pages.flat_map(|page| page.choices.iter().copied()).collect();
    brief_line(prompt, numbers, layout, &shortened_groups, &named)
}

/// The choices of a round: new ones are told over several rounds, as many as there is room for.
fn round_line(prompt: &Prompt, numbers: &ChoiceNumbers, layout: &ChoiceLayout) -> QuestionLines {
    let shortened_groups = shortened_groups(prompt, numbers, layout, &|_| true, &[]);
    let is_numbered = |at: &usize| {
        let in_list = layout.top_level.contains(at);
        !in_list || group_id(prompt, *at).is_some_and(|id| shortened_groups.contains(&id))
    };
    let open = layout.listing_order().filter(|at| prompt.choices[*at].is_enabled());
    let (numbered, mut named_choices): (Vec<usize>, Vec<usize>) = open.partition(is_numbered);
    let is_new = |at: &usize| !numbers.was_printed_by_name(&prompt.choices[*at]);
    let new_choices: Vec<usize> = numbered.into_iter().filter(is_new).collect();
    let count_words =
        |line: &str| brief_events::count_words(&prompt.text) + brief_events::count_words(line);
    let line_with = |told: &[usize]| {
        let line = brief_line(prompt, numbers, layout, &shortened_groups, told);
        let count = new_choices.len() - told.len();
        let counted = format!(
            "{line}{}",
            host_text!("; {count} new: {again}", count = count, again = "again")
        );
        if count > 0 && count_words(&counted) <= MAX_ROUND_WORDS { counted } else { line }
    };
    let fits = |count: &usize| {
        let max_words = if *count > 1 { ROUND_WORDS } else { MAX_ROUND_WORDS };
        count_words(&line_with(&new_choices[..*count])) <= max_words
    };
    let told_count = (0..=new_choices.len()).rev().find(fits).unwrap_or(0);
    let told = &new_choices[..told_count];
    named_choices.extend(told);
    QuestionLines { lines: vec![(String::new(), line_with(told))], named_choices }
}

/// The id of the group of an open choice.
fn group_id(prompt: &Prompt, at: usize) -> Option<&str> {
    let choice = prompt.choices.get(at).filter(|one| one.is_enabled())?;
    choice.group.as_ref().map(|group| &*group.id)
}

/// The groups of the list that are shown by numbers, the longest first, until the line is short.
fn shortened_groups<'a>(
    prompt: &'a Prompt,
    numbers: &ChoiceNumbers,
    layout: &ChoiceLayout,
    may_be_shortened: &dyn Fn(&str) -> bool,
    named: &[usize],
) -> Vec<&'a str> {
    let mut shortened_groups: Vec<&str> = Vec::new();
    loop {
        let line = brief_line(prompt, numbers, layout, &shortened_groups, named);
        let ids = layout.top_level.iter().filter_map(|at| group_id(prompt, *at));
        let ids = ids.filter(|id| !shortened_groups.contains(id) && may_be_shortened(id));
        let count_group_words = |id: &str| {
            let all = layout.top_level.iter().filter(|at| group_id(prompt, **at) == Some(id));
            all.map(|at| brief_events::count_words(&brief_choice(&prompt.choices[*at])))
                .sum::<usize>()
        };
        let longest = ids
            .max_by_key(|id| count_group_words(id))
            .filter(|id| count_group_words(id) > MAX_FULL_GROUP_WORDS);
        match longest.filter(|_| brief_events::count_words(&line) > MAX_BRIEF_WORDS) {
            Some(id) => shortened_groups.push(id),
            None => return shortened_groups,
        }
    }
}

/// The line, with some groups and all submenus by numbers, except the choices that are named.
fn brief_line(
    prompt: &Prompt,
    numbers: &ChoiceNumbers,
    layout: &ChoiceLayout,
    shortened_groups: &[&str],
    named: &[usize],
) -> String {
    let is_enabled = |at: &&usize| prompt.choices.get(**at).is_some_and(|one| one.is_enabled());
    let numbered_choice = |at: &usize| {
        format!("{}. {}", numbers.number_at_index(*at), brief_choice(&prompt.choices[*at]))
    };
    let mut parts = Vec::new();
    let mut listed_groups: Vec<&str> = Vec::new();
    for at in layout.top_level.iter().filter(is_enabled) {
        let choice = &prompt.choices[*at];
        match choice.group.as_ref().filter(|group| shortened_groups.contains(&&*group.id)) {
            Some(group) if listed_groups.contains(&&*group.id) => {}
            Some(group) => {
                listed_groups.push(&group.id);
                let of = |at: &&usize| prompt.choices[**at].group.as_ref() == Some(group);
                let all: Vec<&usize> =
                    layout.top_level.iter().filter(is_enabled).filter(of).collect();
                parts.extend(names_and_numbers(
                    &group.name,
                    &all,
                    numbers,
                    named,
                    &numbered_choice,
                ));
            }
            None => parts.push(numbered_choice(at)),
        }
    }
    for page in &layout.submenus {
        let all: Vec<&usize> = page.choices.iter().filter(is_enabled).collect();
        parts.extend(names_and_numbers(&page.name, &all, numbers, named, &numbered_choice));
    }
    parts.join("; ")
}

/// A group: the choices of it that are named, and the numbers of the others.
fn names_and_numbers(
    name: &str,
    all: &[&usize],
    numbers: &ChoiceNumbers,
    named: &[usize],
    numbered_choice: &dyn Fn(&usize) -> String,
) -> Option<String> {
    let (told, others): (Vec<&usize>, Vec<&usize>) =
        all.iter().partition(|at| named.contains(**at));
    let separator = if told.is_empty() { " " } else { ": " };
    let told = told.into_iter().map(numbered_choice);
    let parts: Vec<String> = told.chain(number_list(others.into_iter(), numbers)).collect();
    let name = display_text::markup_on_one_line(name);
    (!parts.is_empty()).then(|| format!("{name}{separator}{}", parts.join(", ")))
}

/// The numbers of choices, as in `3,5-9`; `None` if there are none.
fn number_list<'a>(
    all: impl Iterator<Item = &'a usize>,
    numbers: &ChoiceNumbers,
) -> Option<String> {
    let all: Vec<usize> = all.map(|at| numbers.number_at_index(*at)).collect();
    let runs = all.chunk_by(|one, next| one + 1 == *next).map(|run| match run {
        [first, .., last] => format!("{first}-{last}"),
        few => few.iter().map(usize::to_string).collect::<Vec<_>>().join(","),
    });
    let words = runs.collect::<Vec<_>>().join(",");
    Some(words).filter(|words| !words.is_empty())
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

/// The word that confirms.
pub(super) fn yes_word() -> String {
    host_text!("yes")
}

/// Whether a line says yes.
pub(super) fn is_yes(line: &str) -> bool {
    let word = line.trim().to_lowercase();
    ["yes", "y"].contains(&word.as_str()) || word == yes_word()
}
