//! Checks text overrides: whether the original text exists, and has the same marks. An override of
//! a text that has changed has no effect, so it is reported here.

use std::collections::BTreeSet;
use std::sync::Arc;

use crate::analysis::FileSummary;
use base::problem::nearest_name;
use base::text::{MarkupPart, split_markup};
use base::text_overrides::capitalize_first_letter;
use base::{Code, Problem, TextOverride};
use script::Vm;

/// The host function that overrides a text.
const OVERRIDE_TEXT_FUNCTION: &str = "override_text";
/// The minimum length of a common start or end for a similar text.
const MIN_SHARED_LETTERS: usize = 6;

/// Warnings about text overrides of the checked mods.
pub(super) fn check_text_overrides(
    vm: &Vm,
    summaries: &[Arc<FileSummary>],
    ids: &BTreeSet<String>,
) -> Vec<Problem> {
    let all = vm.text_overrides();
    let own = all.iter().filter(|one| ids.contains(&one.place.owner));
    own.filter_map(|one| {
        unused_override_problem(one, summaries).or_else(|| unknown_placeholder_problem(one))
    })
    .collect()
}

fn unused_override_problem(
    text_override: &TextOverride,
    summaries: &[Arc<FileSummary>],
) -> Option<Problem> {
    let other_literals = || {
        let all = summaries
            .iter()
            .flat_map(|facts| facts.string_literals.iter().map(move |word| (facts, word)));
        all.filter(|(_, word)| word.callee != OVERRIDE_TEXT_FUNCTION)
    };
    // A script may write the first letter as a capital.
    let is_it = |text: &str| {
        *text == *text_override.from
            || capitalize_first_letter(text).is_some_and(|text| text == *text_override.from)
    };
    if other_literals().any(|(_, word)| is_it(&word.text)) {
        return None;
    }
    let similar_literals =
        other_literals().filter(|(_, word)| are_roughly_similar(&word.text, &text_override.from));
    let near = nearest_name(&text_override.from, similar_literals.map(|(_, word)| &*word.text));
    let found = format!(
        "no script contains the text {:?}, so this override has no effect",
        text_override.from
    );
    let problem = Problem::warning(Code::UnusedTextOverride, found)
        .at(text_override.place.clone())
        .expected("the exact original text, with its marks")
        .suggest_name(near);
    let at = near.and_then(|near| other_literals().find(|(_, word)| word.text == near));
    Some(match at {
        Some((facts, word)) => problem.add_related_location(facts.place(word.line)),
        None => problem,
    })
}

/// Whether two texts are similar enough for the slower comparison.
fn are_roughly_similar(one: &str, other: &str) -> bool {
    let most = other.len() / 3 + 1;
    let ends = |a: &str, b: &str| {
        let begin = a.chars().zip(b.chars()).take_while(|(a, b)| a == b).count();
        let end = a.chars().rev().zip(b.chars().rev()).take_while(|(a, b)| a == b).count();
        begin >= MIN_SHARED_LETTERS || end >= MIN_SHARED_LETTERS || begin + end >= other.len() / 2
    };
    one.len().abs_diff(other.len()) <= most && ends(one, other)
}

/// A mark that the original text does not have, so that it may have no value.
fn unknown_placeholder_problem(text_override: &TextOverride) -> Option<Problem> {
    let marks = |text: &str| -> BTreeSet<String> {
        let marks = split_markup(text).filter_map(|part| match part {
            MarkupPart::Placeholder(mark) => Some(mark.to_owned()),
            MarkupPart::Plain(_) => None,
        });
        marks.collect()
    };
    let (original_marks, override_marks) = (marks(&text_override.from), marks(&text_override.to));
    let unknown_mark = override_marks.difference(&original_marks).next()?;
    let names = || original_marks.iter().map(String::as_str);
    let found = format!("the original text has no mark {{{unknown_mark}}}");
    let expected = match original_marks.is_empty() {
        true => "no mark: the original text has none".to_owned(),
        false => format!("one of {}", names().collect::<Vec<_>>().join(", ")),
    };
    Some(
        Problem::warning(Code::UnusedTextOverride, found)
            .at(text_override.place.clone())
            .expected(expected)
            .suggest_name(nearest_name(unknown_mark, names())),
    )
}
