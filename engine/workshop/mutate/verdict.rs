//! Trying one change: the changed file in a VM of its own, and the cases that reach it.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use super::cases::{Held, Known, Way, play};
use super::plan::Planned;
use crate::run::Content;
use crate::script::Vm;

/// What became of a change.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub(super) enum Verdict {
    /// The mod does not load with it: nobody could play on it.
    Refused,
    /// A case of its own row noticed.
    Caught,
    /// Only a case of another row, or a run that is no row's, noticed.
    Elsewhere,
    /// No case noticed.
    Survived,
}

/// What became of a change, and through whom.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct Tried {
    pub(super) verdict: Verdict,
    /// Which cases were asked, by their number.
    pub(super) asked: Vec<usize>,
    /// Which of them noticed.
    pub(super) by: Vec<usize>,
}

/// Tries a change. What it comes to depends on nothing but the mods.
pub(super) fn tried(held: &Held, planned: &Planned, text: &str) -> Tried {
    let mut found = Tried { verdict: Verdict::Survived, asked: Vec::new(), by: Vec::new() };
    let changed = planned.mutant.applied(text);
    let content = with(&held.content, &held.owner, &planned.mutant.file, &changed);
    let Ok(mut vm) = content.load() else {
        found.verdict = Verdict::Refused;
        return found;
    };
    let (own, others): (Vec<_>, Vec<_>) = reaching(held, planned)
        .into_iter()
        .partition(|index| planned.is_own(&held.cases[*index].rows));
    let lists = [(Verdict::Caught, own), (Verdict::Elsewhere, others)];
    for (verdict, cases) in lists {
        for index in cases {
            // Of its own row all are asked: a case that never notices anything is to be found out.
            if !found.by.is_empty() && verdict == Verdict::Elsewhere {
                break;
            }
            if !vm.usable() {
                match content.load() {
                    Ok(again) => vm = again,
                    Err(_) => break,
                }
            }
            found.asked.push(index);
            if notices(held, &held.cases[index], planned, &changed, &vm) {
                found.by.push(index);
            }
        }
        if !found.by.is_empty() {
            found.verdict = verdict;
            break;
        }
    }
    found
}

/// The cases that reach a change, those that only ask first.
fn reaching(held: &Held, planned: &Planned) -> Vec<usize> {
    let mutant = &planned.mutant;
    let reaches = |case: &Known| {
        let lines = case.lines.get(&mutant.file);
        // What runs while a file is loaded may be looked at from anywhere.
        mutant.loading || lines.is_some_and(|lines| lines.contains(&mutant.anchor))
    };
    let mut cases: Vec<usize> =
        (0..held.cases.len()).filter(|index| reaches(&held.cases[*index])).collect();
    let near = |case: &Known| case.lines.contains_key(&mutant.file);
    cases.sort_by_key(|index| {
        let case = &held.cases[*index];
        (case.way.is_played(), !near(case), *index)
    });
    cases
}

fn notices(held: &Held, case: &Known, planned: &Planned, changed: &str, vm: &Vm) -> bool {
    match &case.way {
        Way::Asked { .. } => case.way.tried(vm, &held.owner, &case.about).is_some(),
        Way::Played { case: played, content, accepted } => {
            let content = with(content, &held.owner, &planned.mutant.file, changed);
            let Ok(vm) = content.load() else { return true };
            play(played, &content, accepted.as_deref(), vm).0.is_some()
        }
    }
}

/// Content in which one file has another text.
fn with(content: &Content, owner: &str, file: &str, text: &str) -> Content {
    let mut content = content.clone();
    let texts = || BTreeMap::from([(file.to_owned(), text.to_owned().into())]);
    for source in content.mods.mods.iter_mut().filter(|source| source.id() == owner) {
        *source = source.with_texts(texts());
    }
    content
}
