//! Tries one mutant: loads the changed file in a VM of its own and runs the cases that reach it.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use super::cases::{MutationCase, MutationTarget};
use super::plan::{MutatedScript, PlannedMutant};
use crate::script::Vm;
use crate::session::Content;

/// The result of a mutant.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub(super) enum MutantVerdict {
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
pub(super) struct MutantResult {
    pub(super) verdict: MutantVerdict,
    /// The number of cases that ran.
    pub(super) asked: usize,
    /// The index of the first case that failed.
    pub(super) by: Option<usize>,
    /// For a surviving mutant: the number of cases that would fail if reading a constant counted.
    pub(super) reads: usize,
}

/// Which cases are run for a mutant.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum CaseScope {
    /// The cases of its own row.
    Own,
    /// All others, if its own cases pass.
    Others,
}

/// A mod loaded with a mutant.
pub(super) struct LoadedMutant<'h> {
    target: &'h MutationTarget,
    planned: &'h PlannedMutant,
    text: String,
    content: Content,
    /// A VM with it, while it can be used.
    vm: Option<Vm>,
}

impl<'h> LoadedMutant<'h> {
    /// Loads the mutant; none if the mod does not load. Cases read the original value of constants.
    pub(super) fn load(
        held: &'h MutationTarget,
        planned: &'h PlannedMutant,
        script: &MutatedScript,
    ) -> Option<Self> {
        let MutatedScript { text, constants } = script;
        let answered = constants.with_original_answers(text, &planned.mutant);
        Self::with_text(held, planned, answered.unwrap_or_else(|| planned.mutant.apply(text)))
    }

    /// Loads it so that cases read changed constants; none if it changes no constant.
    fn load_without_constants(
        held: &'h MutationTarget,
        planned: &'h PlannedMutant,
        script: &MutatedScript,
    ) -> Option<Self> {
        let MutatedScript { text, constants } = script;
        constants.with_original_answers(text, &planned.mutant)?;
        Self::with_text(held, planned, planned.mutant.apply(text))
    }

    fn with_text(
        held: &'h MutationTarget,
        planned: &'h PlannedMutant,
        text: String,
    ) -> Option<Self> {
        let content = with_changed_file(&held.content, &held.owner, &planned.mutant.file, &text);
        let vm = content.load_strict().ok()?;
        Some(Self { target: held, planned, text, content, vm: Some(vm) })
    }

    /// Whether a case fails with it.
    pub(super) fn is_caught_by(&mut self, case: &MutationCase) -> bool {
        let held = self.target;
        if let Some(own) = case.content() {
            let content =
                with_changed_file(own, &held.owner, &self.planned.mutant.file, &self.text);
            let Ok(vm) = content.load_strict() else { return true };
            return case.run(vm, &held.owner, &content).0.is_some();
        }
        let ready = self.vm.take().filter(Vm::is_usable);
        let Some(vm) = ready.or_else(|| self.content.load_strict().ok()) else { return true };
        let (wrong, vm) = case.run(vm, &held.owner, &self.content);
        self.vm = vm;
        wrong.is_some()
    }
}

/// Tries a mutant with the cases of its row, or with all others, until one fails. The result
/// depends only on the mods.
pub(super) fn try_mutant(
    held: &MutationTarget,
    planned: &PlannedMutant,
    script: &MutatedScript,
    whose: CaseScope,
) -> MutantResult {
    let mut found = MutantResult { verdict: MutantVerdict::Survived, asked: 0, by: None, reads: 0 };
    let Some(mut changed) = LoadedMutant::load(held, planned, script) else {
        found.verdict = MutantVerdict::Refused;
        return found;
    };
    for index in cases_reaching_mutant(held, planned, whose) {
        found.asked += 1;
        if changed.is_caught_by(&held.cases[index]) {
            found.by = Some(index);
            found.verdict = if whose == CaseScope::Own {
                MutantVerdict::Caught
            } else {
                MutantVerdict::Elsewhere
            };
            return found;
        }
    }
    if let Some(mut plain) = LoadedMutant::load_without_constants(held, planned, script) {
        let cases = cases_reaching_mutant(held, planned, whose).into_iter();
        found.reads = cases.filter(|index| plain.is_caught_by(&held.cases[*index])).count();
    }
    found
}

/// Whether a case reaches a mutant.
pub(super) fn reaches_mutant(case: &MutationCase, planned: &PlannedMutant) -> bool {
    let mutant = &planned.mutant;
    // Code that runs while a file loads may affect any case.
    mutant.runs_while_loading
        || case.lines_in(&mutant.file).is_some_and(|lines| lines.contains(&mutant.statement_line))
}

/// The cases that reach a mutant, functions first.
fn cases_reaching_mutant(
    held: &MutationTarget,
    planned: &PlannedMutant,
    whose: CaseScope,
) -> Vec<usize> {
    let wanted = |case: &MutationCase| {
        planned.is_own_case(&case.rows) == (whose == CaseScope::Own)
            && reaches_mutant(case, planned)
    };
    let mut cases: Vec<usize> =
        (0..held.cases.len()).filter(|index| wanted(&held.cases[*index])).collect();
    cases.sort_by_key(|index| {
        let case = &held.cases[*index];
        (case.is_scripted(), case.lines_in(&planned.mutant.file).is_none(), *index)
    });
    cases
}

/// The content with another text for one file.
fn with_changed_file(content: &Content, owner: &str, file: &str, text: &str) -> Content {
    let mut content = content.clone();
    let texts = || BTreeMap::from([(file.to_owned(), text.to_owned().into())]);
    for source in content.mods.mods.iter_mut().filter(|source| source.id() == owner) {
        *source = source.with_texts(texts());
    }
    content
}
