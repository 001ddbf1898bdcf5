//! A question as lines: its choices with all that is known of them, or in few words; what stands on
//! pages in one line each.

use super::super::laid::{Laid, Page};
use super::super::{facts, shares};
use super::numbers::Numbers;
use crate::play::{Choice, Input, Prompt};

/// The lines of the choices, each with what stands before it.
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

/// What a page holds, on one line: `Ways back: 5. The hall; 6. The stair.`
fn page_line(page: &Page, prompt: &Prompt, numbers: &Numbers) -> String {
    let each = page.choices.iter().filter_map(|at| {
        let choice = prompt.choices.get(*at)?;
        let closed = if choice.closed.is_some() { " (closed)" } else { "" };
        Some(format!("{}. {}{closed}", numbers.number(*at), few_words(choice)))
    });
    format!("{}: {}.", facts::line(&page.name), each.collect::<Vec<_>>().join("; "))
}

/// All choices on one line: numbers, labels, percentages; of pages, which numbers they hold.
fn in_few_words(prompt: &Prompt, numbers: &Numbers, laid: &Laid) -> Vec<(String, String)> {
    let open = |at: &&usize| prompt.choices.get(**at).is_some_and(|one| one.closed.is_none());
    let whole = laid.whole.iter().filter(open).map(|at| {
        let number = numbers.number(*at);
        format!("{number}. {}", prompt.choices.get(*at).map(few_words).unwrap_or_default())
    });
    let pages = laid.pages.iter().filter_map(|page| {
        let open: Vec<usize> =
            page.choices.iter().filter(open).map(|at| numbers.number(*at)).collect();
        let words = match open.as_slice() {
            [] => return None,
            [only] => only.to_string(),
            [first, .., last] if open.windows(2).all(|pair| pair[0] + 1 == pair[1]) => {
                format!("{first}-{last}")
            }
            several => several.iter().map(usize::to_string).collect::<Vec<_>>().join(", "),
        };
        Some(format!("{} {words}", facts::line(&page.name)))
    });
    let line = whole.chain(pages).collect::<Vec<_>>().join("; ");
    vec![(String::new(), line)]
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

/// What is said before an answer that cannot be taken back; nothing where a person wrote its whole id.
pub(super) fn dear(prompt: &Prompt, input: &Input, line: &str) -> Option<String> {
    let Input::Choice(id) = input else { return None };
    let choice = prompt.choice(id).filter(|choice| !choice.dear.is_empty())?;
    (line.trim() != id).then(|| facts::line(&facts::dear(choice)))
}

/// Whether a line says yes.
pub(super) fn is_yes(line: &str) -> bool {
    ["yes", "y"].contains(&line.trim().to_lowercase().as_str())
}
