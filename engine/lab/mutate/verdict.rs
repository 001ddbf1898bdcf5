//! Tries one mutant: loads the changed file in a VM of its own and runs the cases that reach it.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use super::mutation_cases::{MutationCase, MutationTarget};
use super::plan::{MutatedScript, PlannedMutant};
use script::Vm;
use session::RunContent;

/// The result of a mutant.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub(super) enum MutantVerdict {
    /// The mod does not load with it.
    #[serde(rename = "refused")]
    LoadFailed,
    /// A case of its own row fails.
    Caught,
    /// Only a case of another row, or a case without a row, fails.
    #[serde(rename = "elsewhere")]
    CaughtByOtherRow,
    /// No case fails.
    Survived,
}

/// The result of a mutant, with details.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct MutantResult {
    pub(super) verdict: MutantVerdict,
    /// The number of cases that ran.
    #[serde(rename = "asked")]
    pub(super) case_runs: usize,
    /// The index of the first case that failed.
    #[serde(rename = "by")]
    pub(super) catching_case: Option<usize>,
    /// For a surviving mutant: the number of cases that would fail if reading a constant counted.
    #[serde(rename = "reads")]
    pub(super) constant_reading_cases: usize,
}

/// Which cases are run for a mutant.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum CaseScope {
    /// The cases of its own row.
    OwnRows,
    /// All others, if its own cases pass.
    OtherRows,
}

/// A mod loaded with a mutant.
pub(super) struct LoadedMutant<'h> {
    target: &'h MutationTarget,
    planned_mutant: &'h PlannedMutant,
    mutated_text: String,
    content: RunContent,
    /// A VM with it, while it can be used.
    vm: Option<Vm>,
}

impl<'h> LoadedMutant<'h> {
    /// Loads the mutant; none if the mod does not load. Cases read the original value of constants.
    pub(super) fn load_mutant(
        target: &'h MutationTarget,
        planned: &'h PlannedMutant,
        script: &MutatedScript,
    ) -> Option<Self> {
        let MutatedScript { original_text: text, constant_functions: constants } = script;
        let answered = constants.mutate_with_original_values(text, &planned.mutant);
        Self::load_mutated_text(
            target,
            planned,
            answered.unwrap_or_else(|| planned.mutant.apply_to_text(text)),
        )
    }

    /// Loads it so that cases read changed constants; none if it changes no constant.
    fn load_with_changed_constants(
        target: &'h MutationTarget,
        planned: &'h PlannedMutant,
        script: &MutatedScript,
    ) -> Option<Self> {
        let MutatedScript { original_text: text, constant_functions: constants } = script;
        constants.mutate_with_original_values(text, &planned.mutant)?;
        Self::load_mutated_text(target, planned, planned.mutant.apply_to_text(text))
    }

    fn load_mutated_text(
        target: &'h MutationTarget,
        planned: &'h PlannedMutant,
        text: String,
    ) -> Option<Self> {
        let content =
            with_changed_file(&target.content, &target.owner, &planned.mutant.file, &text);
        let vm = content.load_strict_vm().ok()?;
        Some(Self { target, planned_mutant: planned, mutated_text: text, content, vm: Some(vm) })
    }

    /// Whether a case fails with it.
    pub(super) fn is_caught_by(&mut self, case: &MutationCase) -> bool {
        let target = self.target;
        if let Some(own) = case.content() {
            let content = with_changed_file(
                own,
                &target.owner,
                &self.planned_mutant.mutant.file,
                &self.mutated_text,
            );
            let Ok(vm) = content.load_strict_vm() else { return true };
            return case.run_case(vm, &target.owner, &content).0.is_some();
        }
        let reusable_vm = self.vm.take().filter(Vm::is_usable);
        let Some(vm) = reusable_vm.or_else(|| self.content.load_strict_vm().ok()) else {
            return true;
        };
        let (wrong, vm) = case.run_case(vm, &target.owner, &self.content);
        self.vm = vm;
        wrong.is_some()
    }
}

/// Tries a mutant with the cases of its row, or with all others, until one fails. The result
/// depends only on the mods.
pub(super) fn try_mutant(
    target: &MutationTarget,
    planned: &PlannedMutant,
    script: &MutatedScript,
    scope: CaseScope,
) -> MutantResult {
    let mut found = MutantResult {
        verdict: MutantVerdict::Survived,
        case_runs: 0,
        catching_case: None,
        constant_reading_cases: 0,
    };
    let Some(mut changed) = LoadedMutant::load_mutant(target, planned, script) else {
        found.verdict = MutantVerdict::LoadFailed;
        return found;
    };
    for index in cases_reaching_mutant(target, planned, scope) {
        found.case_runs += 1;
        if changed.is_caught_by(&target.cases[index]) {
            found.catching_case = Some(index);
            found.verdict = if scope == CaseScope::OwnRows {
                MutantVerdict::Caught
            } else {
                MutantVerdict::CaughtByOtherRow
            };
            return found;
        }
    }
    if let Some(mut with_changed_constants) =
        LoadedMutant::load_with_changed_constants(target, planned, script)
    {
        let cases = cases_reaching_mutant(target, planned, scope).into_iter();
        found.constant_reading_cases = cases
            .filter(|index| with_changed_constants.is_caught_by(&target.cases[*index]))
            .count();
    }
    found
}

/// Whether a case reaches a mutant.
pub(super) fn reaches_mutant(case: &MutationCase, planned: &PlannedMutant) -> bool {
    let mutant = &planned.mutant;
    // Code that runs while a file loads may affect any case.
    mutant.runs_while_loading
        || case
            .covered_lines_in_file(&mutant.file)
            .is_some_and(|lines| lines.contains(&mutant.statement_line))
}

/// The cases that reach a mutant, functions first.
fn cases_reaching_mutant(
    target: &MutationTarget,
    planned: &PlannedMutant,
    scope: CaseScope,
) -> Vec<usize> {
    let wanted = |case: &MutationCase| {
        planned.is_own_case(&case.ledger_rows) == (scope == CaseScope::OwnRows)
            && reaches_mutant(case, planned)
    };
    let mut cases: Vec<usize> =
        (0..target.cases.len()).filter(|index| wanted(&target.cases[*index])).collect();
    cases.sort_by_key(|index| {
        let case = &target.cases[*index];
        (case.is_scripted(), case.covered_lines_in_file(&planned.mutant.file).is_none(), *index)
    });
    cases
}

/// The content with another text for one file.
fn with_changed_file(content: &RunContent, owner: &str, file: &str, text: &str) -> RunContent {
    let mut content = content.clone();
    let texts = || BTreeMap::from([(file.to_owned(), text.to_owned().into())]);
    for source in content.mods.mods.iter_mut().filter(|source| source.id() == owner) {
        *source = source.with_changed_scripts(texts());
    }
    content
}
