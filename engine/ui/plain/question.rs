//! A question as lines: its choices with all details, or in few words; each submenu on one line.

use super::super::laid::{Laid, Page};
use super::super::{facts, shares};
use super::between;
use super::numbers::Numbers;
use crate::play::{Choice, Input, Prompt};

/// The words of a brief question, if groups can be shown by numbers.
const MOST_WORDS: usize = 24;
/// A group of at most so many words is shown in full: its name and numbers would not be shorter.
const LEAST_SHORTENED: usize = 6;

/// The lines of the choices, each with its prefix.
pub(super) fn lines(prompt: &Prompt, numbers: &Numbers, brief: bool) -> Vec<(String, String)> {
    let laid = &numbers.laid;
    if brief && prompt.choices.iter().any(|choice| choice.odds.is_some() || choice.group.is_some())
    {
        return in_few_words(prompt, numbers, laid);
    }
    let mut out = Vec::new();
    for at in &laid.whole {
        let Some(choice) = prompt.choices.get(*at) else { continue };
        let number = format!("{}. ", numbers.number(*at));
        let under = " ".repeat(number.len());
        out.push((number, facts::choice_label(choice)));
        let further = facts::choice_lines(choice).into_iter();
        out.extend(further.map(|line| (under.clone(), line)));
    }
    out.extend(laid.pages.iter().map(|page| (String::new(), page_line(page, prompt, numbers))));
    out
}

/// A submenu on one line: `Ways back: 5. The hall; 6. The stair.`
fn page_line(page: &Page, prompt: &Prompt, numbers: &Numbers) -> String {
    let each = page.choices.iter().filter_map(|at| {
        let choice = prompt.choices.get(*at)?;
        let closed = if choice.closed.is_some() { " (closed)" } else { "" };
        Some(format!("{}. {}{closed}", numbers.number(*at), few_words(choice)))
    });
    format!("{}: {}.", facts::line(&page.name), each.collect::<Vec<_>>().join("; "))
}

/// All choices on one line: numbers, labels, percentages. Submenus show only their numbers; so do
/// groups if the line would be long.
fn in_few_words(prompt: &Prompt, numbers: &Numbers, laid: &Laid) -> Vec<(String, String)> {
    let of = |at: &usize| prompt.choices.get(*at).filter(|one| one.closed.is_none());
    let group = |at: &usize| of(at)?.group.as_ref().map(|group| &*group.id);
    // In a repeating prompt there is little room, and "again" shows the names.
    let new = |id: &str| {
        if prompt.rounds {
            return false;
        }
        let all = laid.whole.iter().filter(|at| group(at) == Some(id)).filter_map(of);
        all.into_iter().any(|one| !numbers.was_told(one))
    };
    let mut short: Vec<&str> = Vec::new();
    loop {
        let line = few_words_of_all(prompt, numbers, laid, &short);
        // A choice that was never shown by name is shown so, however long the line gets.
        let longest = laid.whole.iter().filter_map(group);
        let longest = longest.filter(|id| !short.contains(id) && !new(id));
        let words = |id: &str| {
            let all = laid.whole.iter().filter(|at| group(at) == Some(id));
            all.filter_map(of).map(|one| between::words(&few_words(one))).sum::<usize>()
        };
        let longest = longest.max_by_key(|id| words(id)).filter(|id| words(id) > LEAST_SHORTENED);
        match longest.filter(|_| between::words(&line) > MOST_WORDS) {
            Some(id) => short.push(id),
            None => return vec![(String::new(), line)],
        }
    }
}

fn few_words_of_all(prompt: &Prompt, numbers: &Numbers, laid: &Laid, short: &[&str]) -> String {
    let open = |at: &&usize| prompt.choices.get(**at).is_some_and(|one| one.closed.is_none());
    let mut parts = Vec::new();
    let mut told: Vec<&str> = Vec::new();
    for at in laid.whole.iter().filter(open) {
        let choice = &prompt.choices[*at];
        match choice.group.as_ref().filter(|group| short.contains(&&*group.id)) {
            Some(group) if told.contains(&&*group.id) => {}
            Some(group) => {
                told.push(&group.id);
                let of = |at: &&usize| prompt.choices[**at].group.as_ref() == Some(group);
                let all = laid.whole.iter().filter(open).filter(of);
                parts.extend(holds(&group.name, all, numbers));
            }
            None => parts.push(format!("{}. {}", numbers.number(*at), few_words(choice))),
        }
    }
    for page in &laid.pages {
        let all: Vec<&usize> = page.choices.iter().filter(open).collect();
        let told = |at: &&usize| numbers.was_told(&prompt.choices[**at]);
        match prompt.rounds || all.iter().all(told) {
            true => parts.extend(holds(&page.name, all.into_iter(), numbers)),
            false => parts.push(names_of(page, prompt, numbers, &all)),
        }
    }
    parts.join("; ")
}

/// A submenu with the names of its choices.
fn names_of(page: &Page, prompt: &Prompt, numbers: &Numbers, all: &[&usize]) -> String {
    let each = all
        .iter()
        .map(|at| format!("{}. {}", numbers.number(**at), few_words(&prompt.choices[**at])));
    format!("{}: {}", facts::line(&page.name), each.collect::<Vec<_>>().join(", "))
}

/// A name with the numbers of its choices; `None` if there are none.
fn holds<'a>(
    name: &str,
    all: impl Iterator<Item = &'a usize>,
    numbers: &Numbers,
) -> Option<String> {
    let all: Vec<usize> = all.map(|at| numbers.number(*at)).collect();
    let words = match all.as_slice() {
        [] => return None,
        [only] => only.to_string(),
        [first, .., last] if all.windows(2).all(|pair| pair[0] + 1 == pair[1]) => {
            format!("{first}-{last}")
        }
        several => several.iter().map(usize::to_string).collect::<Vec<_>>().join(","),
    };
    Some(format!("{} {words}", facts::line(name)))
}

/// A choice with its cost and its percentages.
fn few_words(choice: &Choice) -> String {
    let label = facts::choice_label(choice);
    match &choice.odds {
        Some(odds) => {
            let shares = shares::whole_percents(odds);
            let shares: Vec<String> = shares.iter().map(ToString::to_string).collect();
            format!("{label} {}%", shares.join("/"))
        }
        None => label,
    }
}

/// The confirmation question of an answer; `None` if a person typed the whole id.
pub(super) fn dear(prompt: &Prompt, input: &Input, line: &str) -> Option<String> {
    let Input::Choice(id) = input else { return None };
    let choice = prompt.choice(id).filter(|choice| !choice.dear.is_empty())?;
    (line.trim() != id).then(|| facts::line(&facts::dear(choice)))
}

/// Whether a line says yes.
pub(super) fn is_yes(line: &str) -> bool {
    ["yes", "y"].contains(&line.trim().to_lowercase().as_str())
}
