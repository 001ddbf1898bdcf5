//! Tries one mutant: loads the changed file in a VM of its own and runs the cases that reach it.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use super::cases::{Held, Known};
use super::plan::{Planned, Script};
use crate::run::Content;
use crate::script::Vm;

/// The result of a mutant.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub(super) enum Verdict {
    /// The mod does not load with it.
    Refused,
    /// A case of its own row fails.
    Caught,
    /// Only a case of another row, or a case without a row, fails.
    Elsewhere,
    /// No case fails.
    Survived,
}

/// The result of a mutant, with details.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct Tried {
    pub(super) verdict: Verdict,
    /// The number of cases that ran.
    pub(super) asked: usize,
    /// The index of the first case that failed.
    pub(super) by: Option<usize>,
    /// For a surviving mutant: the number of cases that would fail if reading a constant counted.
    pub(super) reads: usize,
}

/// Which cases are run for a mutant.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Whose {
    /// The cases of its own row.
    Own,
    /// All others, if its own cases pass.
    Others,
}

/// A mod loaded with a mutant.
pub(super) struct Changed<'h> {
    held: &'h Held,
    planned: &'h Planned,
    text: String,
    content: Content,
    /// A VM with it, while it can be used.
    vm: Option<Vm>,
}

impl<'h> Changed<'h> {
    /// Loads the mutant; none if the mod does not load. Cases read the original value of constants.
    pub(super) fn load(held: &'h Held, planned: &'h Planned, script: &Script) -> Option<Self> {
        let Script { text, constants } = script;
        let answered = constants.answered(text, &planned.mutant);
        Self::with_text(held, planned, answered.unwrap_or_else(|| planned.mutant.applied(text)))
    }

    /// Loads it so that cases read changed constants; none if it changes no constant.
    fn load_plain(held: &'h Held, planned: &'h Planned, script: &Script) -> Option<Self> {
        let Script { text, constants } = script;
        constants.answered(text, &planned.mutant)?;
        Self::with_text(held, planned, planned.mutant.applied(text))
    }

    fn with_text(held: &'h Held, planned: &'h Planned, text: String) -> Option<Self> {
        let content = with(&held.content, &held.owner, &planned.mutant.file, &text);
        let vm = content.load_held().ok()?;
        Some(Self { held, planned, text, content, vm: Some(vm) })
    }

    /// Whether a case fails with it.
    pub(super) fn is_noticed(&mut self, case: &Known) -> bool {
        let held = self.held;
        if let Some(own) = case.content() {
            let content = with(own, &held.owner, &self.planned.mutant.file, &self.text);
            let Ok(vm) = content.load_held() else { return true };
            return case.tried(vm, &held.owner, &content).0.is_some();
        }
        let ready = self.vm.take().filter(Vm::usable);
        let Some(vm) = ready.or_else(|| self.content.load_held().ok()) else { return true };
        let (wrong, vm) = case.tried(vm, &held.owner, &self.content);
        self.vm = vm;
        wrong.is_some()
    }
}

/// Tries a mutant with the cases of its row, or with all others, until one fails. The result
/// depends only on the mods.
pub(super) fn tried(held: &Held, planned: &Planned, script: &Script, whose: Whose) -> Tried {
    let mut found = Tried { verdict: Verdict::Survived, asked: 0, by: None, reads: 0 };
    let Some(mut changed) = Changed::load(held, planned, script) else {
        found.verdict = Verdict::Refused;
        return found;
    };
    for index in reaching(held, planned, whose) {
        found.asked += 1;
        if changed.is_noticed(&held.cases[index]) {
            found.by = Some(index);
            found.verdict = if whose == Whose::Own { Verdict::Caught } else { Verdict::Elsewhere };
            return found;
        }
    }
    if let Some(mut plain) = Changed::load_plain(held, planned, script) {
        let cases = reaching(held, planned, whose).into_iter();
        found.reads = cases.filter(|index| plain.is_noticed(&held.cases[*index])).count();
    }
    found
}

/// Whether a case reaches a mutant.
pub(super) fn reaches(case: &Known, planned: &Planned) -> bool {
    let mutant = &planned.mutant;
    // Code that runs while a file loads may affect any case.
    mutant.loading
        || case.lines_of(&mutant.file).is_some_and(|lines| lines.contains(&mutant.anchor))
}

/// The cases that reach a mutant, functions first.
fn reaching(held: &Held, planned: &Planned, whose: Whose) -> Vec<usize> {
    let wanted = |case: &Known| {
        planned.is_own(&case.rows) == (whose == Whose::Own) && reaches(case, planned)
    };
    let mut cases: Vec<usize> =
        (0..held.cases.len()).filter(|index| wanted(&held.cases[*index])).collect();
    cases.sort_by_key(|index| {
        let case = &held.cases[*index];
        (case.is_played(), case.lines_of(&planned.mutant.file).is_none(), *index)
    });
    cases
}

/// The content with another text for one file.
fn with(content: &Content, owner: &str, file: &str, text: &str) -> Content {
    let mut content = content.clone();
    let texts = || BTreeMap::from([(file.to_owned(), text.to_owned().into())]);
    for source in content.mods.mods.iter_mut().filter(|source| source.id() == owner) {
        *source = source.with_texts(texts());
    }
    content
}
