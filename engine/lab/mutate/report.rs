//! The results of mutation tests: counts by file and by row, and each surviving mutant with its
//! lines.

use std::collections::BTreeMap;
use std::io::{self, Write};

use serde::Serialize;

use super::mutant::MutantKind;
use super::mutant_annotations::MutantAnnotation;
use super::mutation_cases::MutationTarget;
use super::plan::{MutatedScript, MutationPlan, PlannedMutant};
use super::sample::SampleReport;
use super::verdict::{MutantResult, MutantVerdict};
use author::ledger::CountedFiles;
use author::output;

/// Counts of results.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize)]
pub(super) struct MutationTally {
    /// All mutants that count: they load, and are not tuned.
    #[serde(rename = "changes")]
    pub(super) counted_mutants: usize,
    /// Caught by a case of their own row.
    pub(super) caught: usize,
    /// Caught only by a case of another row.
    #[serde(rename = "elsewhere")]
    pub(super) caught_by_other_rows: usize,
    /// Marked as no difference, and not caught.
    #[serde(rename = "marked")]
    pub(super) marked_equivalent: usize,
    /// Not caught.
    pub(super) survived: usize,
    /// Mutants of tuned constants, caught or not.
    pub(super) tuned: usize,
    /// Mutants with which the mod does not load.
    #[serde(rename = "refused")]
    load_failed: usize,
}

impl MutationTally {
    fn count_verdict(&mut self, planned: &PlannedMutant, verdict: &MutantVerdict) {
        match verdict {
            MutantVerdict::LoadFailed => return self.load_failed += 1,
            _ if planned.tuned_reason.is_some() => return self.tuned += 1,
            MutantVerdict::Caught => self.caught += 1,
            _ if planned.equivalent_reason.is_some() => self.marked_equivalent += 1,
            MutantVerdict::CaughtByOtherRow => self.caught_by_other_rows += 1,
            MutantVerdict::Survived => self.survived += 1,
        }
        self.counted_mutants += 1;
    }

    /// The percentage that is caught or marked, rounded down.
    fn caught_percent(&self) -> u32 {
        let good_mutants = 100 * (self.caught + self.marked_equivalent);
        u32::try_from(good_mutants.checked_div(self.counted_mutants).unwrap_or(100)).unwrap_or(0)
    }

    fn table_cells(&self) -> String {
        let Self {
            counted_mutants: changes,
            caught,
            caught_by_other_rows: elsewhere,
            marked_equivalent: marked,
            survived,
            ..
        } = self;
        format!(
            "{changes:>8} {caught:>7} {elsewhere:>10} {marked:>7} {survived:>9} {:>5}%",
            self.caught_percent()
        )
    }
}

/// A mutant in the report.
#[derive(Serialize)]
pub(super) struct MutantReport {
    pub(super) file: String,
    line: u32,
    #[serde(rename = "sort")]
    kind: MutantKind,
    pub(super) change: String,
    #[serde(rename = "part")]
    pub(super) statement_name: String,
    #[serde(rename = "rows")]
    ledger_rows: Vec<String>,
    /// The number of cases that reach it.
    #[serde(rename = "reach")]
    reaching_cases: usize,
    /// The number of cases that would catch it if reading a constant counted.
    #[serde(rename = "reads")]
    constant_reading_cases: usize,
    /// The first case that caught it.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[serde(rename = "by")]
    catching_case: Option<String>,
    /// The reason of its mark.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) reason: Option<String>,
    diff: Vec<String>,
}

/// A line with tuned numbers, which no rule defines.
#[derive(Serialize)]
pub(super) struct TunedLine {
    pub(super) file: String,
    line: u32,
    pub(super) reason: String,
    #[serde(rename = "changes")]
    pub(super) mutant_count: usize,
    #[serde(rename = "noticed")]
    pub(super) caught_count: usize,
}

/// The results.
#[derive(Serialize)]
pub(super) struct MutationReport {
    #[serde(rename = "mod")]
    owner: String,
    #[serde(rename = "all")]
    pub(super) total: MutationTally,
    percent: u32,
    /// What the mutants are a sample of.
    #[serde(skip_serializing_if = "Option::is_none")]
    sample: Option<SampleReport>,
    files: BTreeMap<String, MutationTally>,
    pub(super) rows: BTreeMap<String, MutationTally>,
    survived: Vec<MutantReport>,
    #[serde(rename = "elsewhere")]
    caught_by_other_rows: Vec<MutantReport>,
    #[serde(rename = "marked")]
    pub(super) marked_equivalent: Vec<MutantReport>,
    pub(super) tuned: Vec<TunedLine>,
    /// Marks of mutants that are caught, and marks that match no mutant.
    #[serde(rename = "idle_marks")]
    unneeded_annotations: Vec<String>,
    /// Cases that catch no mutant of their rows.
    #[serde(rename = "idle_cases")]
    ineffective_cases: Vec<String>,
    /// The number of mutants that were not tried.
    #[serde(rename = "left")]
    pub(super) untried_mutants: usize,
    /// The files that were counted.
    #[serde(skip)]
    pub(super) counted_files: CountedFiles,
}

impl MutationReport {
    /// Counts the results.
    pub(super) fn new(
        plan: MutationPlan,
        tried: Vec<Option<MutantResult>>,
        target: &MutationTarget,
        idle_cases: &[usize],
    ) -> Self {
        let about = |index: &usize| target.cases[*index].sentence.clone();
        let mut report = Self {
            owner: target.owner.clone(),
            total: MutationTally::default(),
            percent: 0,
            sample: None,
            files: BTreeMap::new(),
            rows: BTreeMap::new(),
            survived: Vec::new(),
            caught_by_other_rows: Vec::new(),
            marked_equivalent: Vec::new(),
            tuned: Vec::new(),
            unneeded_annotations: plan
                .unmatched_annotations
                .iter()
                .map(|(file, mark)| format_unmatched_annotation(file, mark))
                .collect(),
            ineffective_cases: idle_cases.iter().map(about).collect(),
            untried_mutants: 0,
            counted_files: plan.counted_files,
        };
        let found = tried.into_iter().chain(std::iter::repeat(None));
        for (planned, found) in plan.mutants.iter().zip(found) {
            let Some(found) = found else {
                report.untried_mutants += 1;
                continue;
            };
            report.add_result(planned, &found, target, &plan.scripts);
        }
        report.percent = report.total.caught_percent();
        report.sample = plan.sample.map(|sample| {
            let good_mutants = report.total.caught + report.total.marked_equivalent;
            SampleReport::new(sample, good_mutants, report.total.counted_mutants)
        });
        report
    }

    fn add_result(
        &mut self,
        planned: &PlannedMutant,
        found: &MutantResult,
        target: &MutationTarget,
        scripts: &BTreeMap<String, MutatedScript>,
    ) {
        let file = &planned.mutant.file;
        self.total.count_verdict(planned, &found.verdict);
        self.files.entry(file.clone()).or_default().count_verdict(planned, &found.verdict);
        for row in &planned.ledger_rows {
            self.rows.entry(row.clone()).or_default().count_verdict(planned, &found.verdict);
        }
        if let Some(reason) = &planned.tuned_reason {
            return self.add_tuned(planned, reason, &found.verdict);
        }
        let mutant_report = || MutantReport {
            file: file.clone(),
            line: planned.mutant.line,
            kind: planned.mutant.kind,
            change: planned.mutant.change.clone(),
            statement_name: planned.statement_name.clone(),
            ledger_rows: planned.ledger_rows.clone(),
            reaching_cases: found.case_runs,
            constant_reading_cases: found.constant_reading_cases,
            catching_case: found.catching_case.map(|index| target.cases[index].sentence.clone()),
            reason: planned.equivalent_reason.clone(),
            diff: planned.mutant.diff_lines(&scripts[file].original_text),
        };
        match (found.verdict, &planned.equivalent_reason) {
            (MutantVerdict::LoadFailed, _) | (MutantVerdict::Caught, None) => {}
            (MutantVerdict::Caught, Some(_)) => {
                let by = mutant_report().catching_case.unwrap_or_default();
                let mark = &planned.mutant;
                self.unneeded_annotations.push(format!(
                    "{file}:{}: same({}) is wrong: \"{by}\" catches the mutant",
                    mark.line, mark.change
                ));
            }
            (_, Some(_)) => self.marked_equivalent.push(mutant_report()),
            (MutantVerdict::CaughtByOtherRow, None) => {
                self.caught_by_other_rows.push(mutant_report())
            }
            (MutantVerdict::Survived, None) => self.survived.push(mutant_report()),
        }
    }

    /// Counts a mutant of a tuned constant, by line.
    fn add_tuned(&mut self, planned: &PlannedMutant, reason: &str, verdict: &MutantVerdict) {
        if *verdict == MutantVerdict::LoadFailed {
            return;
        }
        let (file, line) = (&planned.mutant.file, planned.mutant.line);
        let same = |one: &&mut TunedLine| one.file == *file && one.line == line;
        if self.tuned.iter_mut().find(same).is_none() {
            let (file, reason) = (file.clone(), reason.to_owned());
            self.tuned.push(TunedLine { file, line, reason, mutant_count: 0, caught_count: 0 });
        }
        if let Some(one) = self.tuned.iter_mut().find(same) {
            one.mutant_count += 1;
            one.caught_count += usize::from(*verdict != MutantVerdict::Survived);
        }
    }

    /// Whether the score is high enough and all marks and cases are effective.
    pub(super) fn reaches_score(&self, min_score: u32) -> bool {
        self.percent >= min_score
            && self.untried_mutants == 0
            && self.unneeded_annotations.is_empty()
            && self.ineffective_cases.is_empty()
    }

    /// The report for JSON.
    pub(super) fn as_json_value(&self) -> &Self {
        self
    }

    /// Writes the report as text.
    pub(super) fn write_text(&self, out: &mut dyn Write) -> io::Result<()> {
        let head = " mutants  caught  other row  marked  survived  score";
        if !self.rows.is_empty() {
            output::write_line(out, &format!("{:<28} {head}", "row"))?;
            let mut rows: Vec<_> = self.rows.iter().collect();
            rows.sort_by_key(|(id, _)| id_sort_key(id));
            rows.iter().try_for_each(|(id, tally)| {
                output::write_line(out, &format!("{id:<28} {}", tally.table_cells()))
            })?;
            output::write_line(out, "")?;
        }
        output::write_line(out, &format!("{:<28} {head}", "file"))?;
        self.files.iter().try_for_each(|(file, tally)| {
            output::write_line(out, &format!("{file:<28} {}", tally.table_cells()))
        })?;
        output::write_line(out, &format!("{:<28} {}\n", "all", self.total.table_cells()))?;
        write_mutants(out, "marked as no difference", &self.marked_equivalent)?;
        write_mutants(out, "caught only by a case of another row", &self.caught_by_other_rows)?;
        write_mutants(out, "SURVIVED", &self.survived)?;
        for TunedLine { file, line, reason, mutant_count: changes, caught_count: noticed } in
            &self.tuned
        {
            let tuned_text = format!(
                "tuned: {file}:{line}: {changes} mutants, {noticed} caught; reason: {reason}"
            );
            output::write_line(out, &tuned_text)?;
        }
        for line in &self.unneeded_annotations {
            output::write_line(out, &format!("unused mark: {line}"))?;
        }
        for about in &self.ineffective_cases {
            output::write_line(
                out,
                &format!("ineffective case, catches no mutant of its rows: {about}"),
            )?;
        }
        let MutationTally {
            counted_mutants: changes,
            caught,
            marked_equivalent: marked,
            tuned,
            load_failed: refused,
            ..
        } = self.total;
        if let Some(sample) = &self.sample {
            output::write_line(out, &sample.to_string())?;
        }
        output::write_line(
            out,
            &format!(
                "{}: {changes} mutants, {caught} caught, {marked} marked: score {}%; not counted: \
                 {tuned} tuned, {refused} that do not load{}",
                self.owner,
                self.percent,
                if self.untried_mutants > 0 {
                    format!("; {} not tried", self.untried_mutants)
                } else {
                    String::new()
                },
            ),
        )
    }
}

fn write_mutants(out: &mut dyn Write, head: &str, changes: &[MutantReport]) -> io::Result<()> {
    for change in changes {
        let MutantReport {
            file,
            line,
            change: what,
            ledger_rows: rows,
            reaching_cases: reach,
            constant_reading_cases: reads,
            ..
        } = change;
        let rows = if rows.is_empty() { String::new() } else { format!(" [{}]", rows.join(", ")) };
        let reached = match reach {
            0 => "not covered by any case".to_owned(),
            1 => "1 case ran".to_owned(),
            _ => format!("{reach} cases ran"),
        };
        let read = match reads {
            0 => "",
            1 => "; 1 case only reads the constant",
            _ => &format!("; {reads} cases only read the constant"),
        };
        output::write_line(out, &format!("{head}: {file}:{line}: {what}{rows}; {reached}{read}"))?;
        let reason = change.reason.iter().map(|reason| format!("reason: {reason}"));
        let by = change.catching_case.iter().map(|about| format!("caught by: {about}"));
        change
            .diff
            .iter()
            .cloned()
            .chain(reason)
            .chain(by)
            .try_for_each(|line| output::write_line(out, &format!("    {line}")))?;
        output::write_line(out, "")?;
    }
    Ok(())
}

fn format_unmatched_annotation(file: &str, mark: &MutantAnnotation) -> String {
    let change = mark.change.as_deref().unwrap_or_default();
    format!("{file}:{}: same({change}) matches no mutant of its line", mark.line)
}

/// A sort key that orders ids by their numbers.
pub(super) fn id_sort_key(id: &str) -> (String, Vec<u32>) {
    let (letters, numbers) = id.split_once('-').unwrap_or((id, ""));
    (letters.to_owned(), numbers.split('.').filter_map(|number| number.parse().ok()).collect())
}
