//! Ineffective cases: they pass whatever is changed in the code of their rows. A case that only
//! repeats a constant is one.

use std::collections::{BTreeMap, BTreeSet};

use super::cases::{MutationCase, MutationTarget};
use super::changed_lines::ChangedLines;
use super::plan::{AllMutants, MutationPlan, PlannedMutant, all_mutants};
use super::verdict::{LoadedMutant, MutantResult, reaches_mutant};
use super::{MutateArguments, thread_count};
use crate::author::ledger::Ledger;
use crate::author::parallel::{Workers, run_pieces};
use crate::author::progress::Progress;
use crate::base::Problem;
use crate::mods::ModSource;

/// The plan, and the results so far.
pub(super) struct IdleCheck<'a> {
    pub(super) plan: &'a MutationPlan,
    pub(super) tried: &'a [Option<MutantResult>],
    pub(super) since: Option<&'a ChangedLines>,
    pub(super) ledger: Option<&'a Ledger>,
    pub(super) arguments: &'a MutateArguments,
}

impl IdleCheck<'_> {
    /// The cases to judge that have caught no mutant yet: those of the rows whose mutants were
    /// tried, or, with a revision, those that are new or changed.
    fn suspects(&self, held: &MutationTarget) -> Vec<usize> {
        let noticed: BTreeSet<usize> =
            self.tried.iter().flatten().filter_map(|found| found.by).collect();
        let arguments = self.arguments;
        let whole = arguments.file.is_empty() && arguments.rule.is_empty();
        let judged = |case: &MutationCase| match self.since {
            Some(lines) => is_case_changed(case, held, lines),
            None if case.rows.is_empty() => whole,
            None => self.plan.mutants.iter().any(|planned| is_about(case, planned)),
        };
        let suspect = |index: &usize| !noticed.contains(index) && judged(&held.cases[*index]);
        (0..held.cases.len()).filter(suspect).collect()
    }

    /// The indexes of the cases that catch no mutant of their rows that they reach.
    pub(super) fn find_idle_cases(
        &self,
        held: &mut MutationTarget,
        source: &ModSource,
    ) -> Result<Vec<usize>, Vec<Problem>> {
        let suspects = self.suspects(held);
        if suspects.is_empty() {
            return Ok(suspects);
        }
        let names: BTreeSet<String> =
            suspects.iter().map(|index| held.cases[*index].about.clone()).collect();
        held.trace_cases(&|case| names.contains(&case.about))?;
        let files = suspects.iter().filter_map(|index| held.cases[*index].covered_lines.as_ref());
        let mut files: BTreeSet<String> = files.flat_map(BTreeMap::keys).cloned().collect();
        files.extend(self.plan.scripts.keys().cloned());
        let held = &*held;
        let look = |wanted: &dyn Fn(&str) -> bool| {
            all_mutants(source, self.ledger, wanted).map_err(|problem| vec![problem])
        };
        let mut all = look(&|file| files.contains(file))?;
        let unknown = |index: &usize| {
            !all.mutants.iter().any(|planned| is_about(&held.cases[*index], planned))
        };
        if suspects.iter().any(unknown) {
            // A case that reaches no line may be about any file.
            all = look(&|_| true)?;
        }
        let watch = Progress::new("asking again", suspects.len());
        let threads = thread_count(self.arguments);
        let hands =
            Workers { threads, load_vm: &|| held.content.load_strict(), on_finish: &|_| {} };
        let found = run_pieces(&hands, 0..suspects.len(), &watch, &|vm, index| {
            (notices_any(held, &held.cases[suspects[index]], &all, &watch), vm)
        });
        watch.finish(0);
        let idle = suspects.iter().zip(found?).filter(|(_, noticed)| *noticed == Some(false));
        Ok(idle.map(|(index, _)| *index).collect())
    }
}

/// Whether a mutant belongs to a row of the case; true if neither has a row.
fn is_about(case: &MutationCase, planned: &PlannedMutant) -> bool {
    case.rows.is_empty() || planned.rows.iter().any(|row| case.rows.contains(row))
}

/// Whether a case, or the code around it, has changed.
fn is_case_changed(case: &MutationCase, held: &MutationTarget, lines: &ChangedLines) -> bool {
    let Some(place) = &case.place else { return false };
    let Some(ranges) = lines.get(&place.file) else { return false };
    let others = || held.cases.iter().filter_map(|other| other.place.as_ref());
    let beside = || others().filter(|other| other.file == place.file).map(|other| other.line);
    let before = beside().filter(|line| *line < place.line).max().unwrap_or(0);
    let after = beside().filter(|line| *line > place.line).min().unwrap_or(u32::MAX);
    ranges.iter().any(|range| *range.start() < after && *range.end() > before)
}

/// Whether a case catches a mutant of its rows that it reaches. True if there is no such mutant.
fn notices_any(
    held: &MutationTarget,
    case: &MutationCase,
    all: &AllMutants,
    watch: &Progress,
) -> bool {
    let own = || all.mutants.iter().filter(|planned| is_about(case, planned));
    let mut reached = own()
        .filter(|planned| reaches_mutant(case, planned) && planned.equivalent_reason.is_none());
    own().next().is_none()
        || reached.any(|planned| {
            let changed = LoadedMutant::load(held, planned, &all.scripts[&planned.mutant.file]);
            watch.is_stopped() || changed.is_some_and(|mut changed| changed.is_caught_by(case))
        })
}
