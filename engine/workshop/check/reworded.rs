//! Texts that are told in other words: whether anybody says them, and with those marks. A text that its mod
//! has changed since is told as it is there, so that nothing breaks; here it is said.

use std::collections::BTreeSet;
use std::sync::Arc;

use crate::kit::Problem;
use crate::kit::problem::nearest;
use crate::kit::text::{Part, parts};
use crate::script::{Rewording, Vm, capital};
use crate::workshop::lua::Facts;

/// The function that rewords.
const REWORD: &str = "reword";
/// How many letters two texts begin or end with alike, where one may be meant by the other.
const ALIKE: usize = 6;

/// What there is to warn of in the mods that were asked for.
pub(super) fn look(vm: &Vm, facts: &[Arc<Facts>], ids: &BTreeSet<String>) -> Vec<Problem> {
    let all = vm.rewordings();
    let own = all.iter().filter(|one| ids.contains(&one.place.owner));
    own.filter_map(|one| unsaid(one, facts).or_else(|| strange_mark(one))).collect()
}

fn unsaid(one: &Rewording, facts: &[Arc<Facts>]) -> Option<Problem> {
    let said = || {
        let all = facts.iter().flat_map(|facts| facts.words.iter().map(move |word| (facts, word)));
        all.filter(|(_, word)| word.callee != REWORD)
    };
    // A script may begin a sentence with a text, and gives it a capital then.
    let is_it =
        |text: &str| *text == *one.from || capital(text).is_some_and(|text| text == *one.from);
    if said().any(|(_, word)| is_it(&word.text)) {
        return None;
    }
    let alike = said().filter(|(_, word)| alike(&word.text, &one.from));
    let near = nearest(&one.from, alike.map(|(_, word)| &*word.text));
    let found = format!("nobody says {:?}, so that nothing is told in its place", one.from);
    let problem = Problem::warning("reworded-nothing", found)
        .at(one.place.clone())
        .expected("a text as it is written where it is told, marks and all")
        .did_you_mean(near);
    let at = near.and_then(|near| said().find(|(_, word)| word.text == near));
    Some(match at {
        Some((facts, word)) => problem.by_way_of(facts.place(word.line)),
        None => problem,
    })
}

/// Whether two texts are near enough for a closer look, which takes long.
fn alike(one: &str, other: &str) -> bool {
    let most = other.len() / 3 + 1;
    let ends = |a: &str, b: &str| {
        let begin = a.chars().zip(b.chars()).take_while(|(a, b)| a == b).count();
        let end = a.chars().rev().zip(b.chars().rev()).take_while(|(a, b)| a == b).count();
        begin >= ALIKE || end >= ALIKE || begin + end >= other.len() / 2
    };
    one.len().abs_diff(other.len()) <= most && ends(one, other)
}

/// A mark that the text does not have, and that may therefore have no value.
fn strange_mark(one: &Rewording) -> Option<Problem> {
    let marks = |text: &str| -> BTreeSet<String> {
        let marks = parts(text).filter_map(|part| match part {
            Part::Mark(mark) => Some(mark.to_owned()),
            Part::Plain(_) => None,
        });
        marks.collect()
    };
    let (there, told) = (marks(&one.from), marks(&one.to));
    let strange = told.difference(&there).next()?;
    let names = || there.iter().map(String::as_str);
    let found = format!("{{{strange}}} is no mark of the text that is told otherwise");
    let expected = match there.is_empty() {
        true => "no mark: that text has none".to_owned(),
        false => format!("one of {}", names().collect::<Vec<_>>().join(", ")),
    };
    Some(
        Problem::warning("reworded-nothing", found)
            .at(one.place.clone())
            .expected(expected)
            .did_you_mean(nearest(strange, names())),
    )
}
