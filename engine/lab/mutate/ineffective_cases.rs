//! Ineffective cases: they pass whatever is changed in the code of their rows. A case that only
//! repeats a constant is one.

use std::collections::{BTreeMap, BTreeSet};

use super::changed_lines::ChangedLines;
use super::mutation_cases::{MutationCase, MutationTarget};
use super::plan::{AllMutants, MutationPlan, PlannedMutant, generate_all_mutants};
use super::verdict::{LoadedMutant, MutantResult, reaches_mutant};
use super::{MutateArguments, thread_count};
use author::ledger::Ledger;
use author::parallel::{WorkerSetup, run_pieces_in_parallel};
use author::progress::Progress;
use base::Problem;
use mods::ModSource;

/// The plan, and the results so far.
pub(super) struct IneffectiveCaseFinder<'a> {
    pub(super) plan: &'a MutationPlan,
    pub(super) results: &'a [Option<MutantResult>],
    pub(super) changed_lines: Option<&'a ChangedLines>,
    pub(super) ledger: Option<&'a Ledger>,
    pub(super) arguments: &'a MutateArguments,
}

impl IneffectiveCaseFinder<'_> {
    /// The cases to judge that have caught no mutant yet: those of the rows whose mutants were
    /// tried, or, with a revision, those that are new or changed.
    fn cases_to_check(&self, target: &MutationTarget) -> Vec<usize> {
        let catching_cases: BTreeSet<usize> =
            self.results.iter().flatten().filter_map(|found| found.catching_case).collect();
        let arguments = self.arguments;
        let has_no_filter = arguments.file.is_empty() && arguments.rule.is_empty();
        let is_to_judge = |case: &MutationCase| match self.changed_lines {
            Some(lines) => is_case_changed(case, target, lines),
            None if case.ledger_rows.is_empty() => has_no_filter,
            None => self.plan.mutants.iter().any(|planned| shares_ledger_row(case, planned)),
        };
        let suspect =
            |index: &usize| !catching_cases.contains(index) && is_to_judge(&target.cases[*index]);
        (0..target.cases.len()).filter(suspect).collect()
    }

    /// The indexes of the cases that catch no mutant of their rows that they reach.
    pub(super) fn find_ineffective_cases(
        &self,
        target: &mut MutationTarget,
        source: &ModSource,
    ) -> Result<Vec<usize>, Vec<Problem>> {
        let suspects = self.cases_to_check(target);
        if suspects.is_empty() {
            return Ok(suspects);
        }
        let names: BTreeSet<String> =
            suspects.iter().map(|index| target.cases[*index].sentence.clone()).collect();
        target.run_cases_for_coverage(&|case| names.contains(&case.sentence))?;
        let files = suspects.iter().filter_map(|index| target.cases[*index].covered_lines.as_ref());
        let mut files: BTreeSet<String> = files.flat_map(BTreeMap::keys).cloned().collect();
        files.extend(self.plan.scripts.keys().cloned());
        let target = &*target;
        let find_mutants = |wanted: &dyn Fn(&str) -> bool| {
            generate_all_mutants(source, self.ledger, wanted).map_err(|problem| vec![problem])
        };
        let mut all = find_mutants(&|file| files.contains(file))?;
        let unknown = |index: &usize| {
            !all.mutants.iter().any(|planned| shares_ledger_row(&target.cases[*index], planned))
        };
        if suspects.iter().any(unknown) {
            // A case that reaches no line may be about any file.
            all = find_mutants(&|_| true)?;
        }
        let progress = Progress::new("asking again", suspects.len());
        let threads = thread_count(self.arguments);
        let workers = WorkerSetup {
            thread_count: threads,
            load_vm: &|| target.content.load_strict_vm(),
            on_finish: &|_| {},
        };
        let found = run_pieces_in_parallel(&workers, 0..suspects.len(), &progress, &|vm, index| {
            (catches_any_mutant(target, &target.cases[suspects[index]], &all, &progress), vm)
        });
        progress.finish(0);
        let ineffective_cases =
            suspects.iter().zip(found?).filter(|(_, noticed)| *noticed == Some(false));
        Ok(ineffective_cases.map(|(index, _)| *index).collect())
    }
}

/// Whether a mutant belongs to a row of the case; true if neither has a row.
fn shares_ledger_row(case: &MutationCase, planned: &PlannedMutant) -> bool {
    case.ledger_rows.is_empty()
        || planned.ledger_rows.iter().any(|row| case.ledger_rows.contains(row))
}

/// Whether a case, or the code around it, has changed.
fn is_case_changed(case: &MutationCase, target: &MutationTarget, lines: &ChangedLines) -> bool {
    let Some(place) = &case.place else { return false };
    let Some(ranges) = lines.get(&place.file) else { return false };
    let others = || target.cases.iter().filter_map(|other| other.place.as_ref());
    let other_lines_in_file =
        || others().filter(|other| other.file == place.file).map(|other| other.line);
    let before = other_lines_in_file().filter(|line| *line < place.line).max().unwrap_or(0);
    let after = other_lines_in_file().filter(|line| *line > place.line).min().unwrap_or(u32::MAX);
    ranges.iter().any(|range| *range.start() < after && *range.end() > before)
}

/// Whether a case catches a mutant of its rows that it reaches. True if there is no such mutant.
fn catches_any_mutant(
    target: &MutationTarget,
    case: &MutationCase,
    all: &AllMutants,
    progress: &Progress,
) -> bool {
    let own = || all.mutants.iter().filter(|planned| shares_ledger_row(case, planned));
    let mut reached = own()
        .filter(|planned| reaches_mutant(case, planned) && planned.equivalent_reason.is_none());
    own().next().is_none()
        || reached.any(|planned| {
            let changed =
                LoadedMutant::load_mutant(target, planned, &all.scripts[&planned.mutant.file]);
            progress.is_stopped() || changed.is_some_and(|mut changed| changed.is_caught_by(case))
        })
}
