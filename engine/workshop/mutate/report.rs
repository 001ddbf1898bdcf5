//! The results of mutation tests: counts by file and by row, and each surviving mutant with its
//! lines.

use std::collections::BTreeMap;
use std::io::{self, Write};

use serde::Serialize;

use super::cases::Held;
use super::marks::Mark;
use super::mutant::Sort;
use super::plan::{Plan, Planned, Script};
use super::verdict::{Tried, Verdict};
use crate::workshop::ledger::Counted;
use crate::workshop::told;

/// Counts of results.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize)]
pub(super) struct Tally {
    /// All mutants that count: they load, and are not tuned.
    pub(super) changes: usize,
    /// Caught by a case of their own row.
    pub(super) caught: usize,
    /// Caught only by a case of another row.
    pub(super) elsewhere: usize,
    /// Marked as no difference, and not caught.
    pub(super) marked: usize,
    /// Not caught.
    pub(super) survived: usize,
    /// Mutants of tuned constants, caught or not.
    pub(super) tuned: usize,
    /// Mutants with which the mod does not load.
    refused: usize,
}

impl Tally {
    fn add(&mut self, planned: &Planned, verdict: &Verdict) {
        match verdict {
            Verdict::Refused => return self.refused += 1,
            _ if planned.tuned.is_some() => return self.tuned += 1,
            Verdict::Caught => self.caught += 1,
            _ if planned.same.is_some() => self.marked += 1,
            Verdict::Elsewhere => self.elsewhere += 1,
            Verdict::Survived => self.survived += 1,
        }
        self.changes += 1;
    }

    /// The percentage that is caught or marked, rounded down.
    fn percent(&self) -> u32 {
        let held = 100 * (self.caught + self.marked);
        u32::try_from(held.checked_div(self.changes).unwrap_or(100)).unwrap_or(0)
    }

    fn cells(&self) -> String {
        let Self { changes, caught, elsewhere, marked, survived, .. } = self;
        format!(
            "{changes:>8} {caught:>7} {elsewhere:>10} {marked:>7} {survived:>9} {:>5}%",
            self.percent()
        )
    }
}

/// A mutant in the report.
#[derive(Serialize)]
pub(super) struct Told {
    pub(super) file: String,
    line: u32,
    sort: Sort,
    pub(super) change: String,
    pub(super) part: String,
    rows: Vec<String>,
    /// The number of cases that reach it.
    reach: usize,
    /// The number of cases that would catch it if reading a constant counted.
    reads: usize,
    /// The first case that caught it.
    #[serde(skip_serializing_if = "Option::is_none")]
    by: Option<String>,
    /// The reason of its mark.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) reason: Option<String>,
    diff: Vec<String>,
}

/// A line with tuned numbers, which no rule defines.
#[derive(Serialize)]
pub(super) struct Tuned {
    pub(super) file: String,
    line: u32,
    pub(super) reason: String,
    pub(super) changes: usize,
    pub(super) noticed: usize,
}

/// The results.
#[derive(Serialize)]
pub(super) struct Report {
    #[serde(rename = "mod")]
    owner: String,
    pub(super) all: Tally,
    percent: u32,
    files: BTreeMap<String, Tally>,
    pub(super) rows: BTreeMap<String, Tally>,
    survived: Vec<Told>,
    elsewhere: Vec<Told>,
    pub(super) marked: Vec<Told>,
    pub(super) tuned: Vec<Tuned>,
    /// Marks of mutants that are caught, and marks that match no mutant.
    idle_marks: Vec<String>,
    /// Cases that catch no mutant of their rows.
    idle_cases: Vec<String>,
    /// The number of mutants that were not tried.
    pub(super) left: usize,
    /// The files that were counted.
    #[serde(skip)]
    pub(super) counted: Counted,
}

impl Report {
    /// Counts the results; `idle` are the ineffective cases.
    pub(super) fn new(plan: Plan, tried: Vec<Option<Tried>>, held: &Held, idle: &[usize]) -> Self {
        let about = |index: &usize| held.cases[*index].about.clone();
        let mut report = Self {
            owner: held.owner.clone(),
            all: Tally::default(),
            percent: 0,
            files: BTreeMap::new(),
            rows: BTreeMap::new(),
            survived: Vec::new(),
            elsewhere: Vec::new(),
            marked: Vec::new(),
            tuned: Vec::new(),
            idle_marks: plan.idle.iter().map(|(file, mark)| of_nothing(file, mark)).collect(),
            idle_cases: idle.iter().map(about).collect(),
            left: 0,
            counted: plan.counted,
        };
        let found = tried.into_iter().chain(std::iter::repeat(None));
        for (planned, found) in plan.changes.iter().zip(found) {
            let Some(found) = found else {
                report.left += 1;
                continue;
            };
            report.count(planned, &found, held, &plan.scripts);
        }
        report.percent = report.all.percent();
        report
    }

    fn count(
        &mut self,
        planned: &Planned,
        found: &Tried,
        held: &Held,
        scripts: &BTreeMap<String, Script>,
    ) {
        let file = &planned.mutant.file;
        self.all.add(planned, &found.verdict);
        self.files.entry(file.clone()).or_default().add(planned, &found.verdict);
        for row in &planned.rows {
            self.rows.entry(row.clone()).or_default().add(planned, &found.verdict);
        }
        if let Some(reason) = &planned.tuned {
            return self.tell_apart(planned, reason, &found.verdict);
        }
        let told = || Told {
            file: file.clone(),
            line: planned.mutant.line,
            sort: planned.mutant.sort,
            change: planned.mutant.change.clone(),
            part: planned.part.clone(),
            rows: planned.rows.clone(),
            reach: found.asked,
            reads: found.reads,
            by: found.by.map(|index| held.cases[index].about.clone()),
            reason: planned.same.clone(),
            diff: planned.mutant.diff(&scripts[file].text),
        };
        match (found.verdict, &planned.same) {
            (Verdict::Refused, _) | (Verdict::Caught, None) => {}
            (Verdict::Caught, Some(_)) => {
                let by = told().by.unwrap_or_default();
                let mark = &planned.mutant;
                self.idle_marks.push(format!(
                    "{file}:{}: same({}) is wrong: \"{by}\" catches the mutant",
                    mark.line, mark.change
                ));
            }
            (_, Some(_)) => self.marked.push(told()),
            (Verdict::Elsewhere, None) => self.elsewhere.push(told()),
            (Verdict::Survived, None) => self.survived.push(told()),
        }
    }

    /// Counts a mutant of a tuned constant, by line.
    fn tell_apart(&mut self, planned: &Planned, reason: &str, verdict: &Verdict) {
        if *verdict == Verdict::Refused {
            return;
        }
        let (file, line) = (&planned.mutant.file, planned.mutant.line);
        let same = |one: &&mut Tuned| one.file == *file && one.line == line;
        if self.tuned.iter_mut().find(same).is_none() {
            let (file, reason) = (file.clone(), reason.to_owned());
            self.tuned.push(Tuned { file, line, reason, changes: 0, noticed: 0 });
        }
        if let Some(one) = self.tuned.iter_mut().find(same) {
            one.changes += 1;
            one.noticed += usize::from(*verdict != Verdict::Survived);
        }
    }

    /// Whether the score is high enough and all marks and cases are effective.
    pub(super) fn is_enough(&self, least: u32) -> bool {
        self.percent >= least
            && self.left == 0
            && self.idle_marks.is_empty()
            && self.idle_cases.is_empty()
    }

    /// The report for JSON.
    pub(super) fn json(&self) -> &Self {
        self
    }

    /// Writes the report as text.
    pub(super) fn tell(&self, out: &mut dyn Write) -> io::Result<()> {
        let head = " mutants  caught  other row  marked  survived  score";
        if !self.rows.is_empty() {
            told::line(out, &format!("{:<28} {head}", "row"))?;
            let mut rows: Vec<_> = self.rows.iter().collect();
            rows.sort_by_key(|(id, _)| numbers_of(id));
            rows.iter().try_for_each(|(id, tally)| {
                told::line(out, &format!("{id:<28} {}", tally.cells()))
            })?;
            told::line(out, "")?;
        }
        told::line(out, &format!("{:<28} {head}", "file"))?;
        self.files.iter().try_for_each(|(file, tally)| {
            told::line(out, &format!("{file:<28} {}", tally.cells()))
        })?;
        told::line(out, &format!("{:<28} {}\n", "all", self.all.cells()))?;
        tell_changes(out, "marked as no difference", &self.marked)?;
        tell_changes(out, "caught only by a case of another row", &self.elsewhere)?;
        tell_changes(out, "SURVIVED", &self.survived)?;
        for Tuned { file, line, reason, changes, noticed } in &self.tuned {
            let told = format!(
                "tuned: {file}:{line}: {changes} mutants, {noticed} caught; reason: {reason}"
            );
            told::line(out, &told)?;
        }
        for line in &self.idle_marks {
            told::line(out, &format!("unused mark: {line}"))?;
        }
        for about in &self.idle_cases {
            told::line(out, &format!("ineffective case, catches no mutant of its rows: {about}"))?;
        }
        let Tally { changes, caught, marked, tuned, refused, .. } = self.all;
        told::line(
            out,
            &format!(
                "{}: {changes} mutants, {caught} caught, {marked} marked: score {}%; not counted: \
                 {tuned} tuned, {refused} that do not load{}",
                self.owner,
                self.percent,
                if self.left > 0 { format!("; {} not tried", self.left) } else { String::new() },
            ),
        )
    }
}

fn tell_changes(out: &mut dyn Write, head: &str, changes: &[Told]) -> io::Result<()> {
    for change in changes {
        let Told { file, line, change: what, rows, reach, reads, .. } = change;
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
        told::line(out, &format!("{head}: {file}:{line}: {what}{rows}; {reached}{read}"))?;
        let reason = change.reason.iter().map(|reason| format!("reason: {reason}"));
        let by = change.by.iter().map(|about| format!("caught by: {about}"));
        change
            .diff
            .iter()
            .cloned()
            .chain(reason)
            .chain(by)
            .try_for_each(|line| told::line(out, &format!("    {line}")))?;
        told::line(out, "")?;
    }
    Ok(())
}

fn of_nothing(file: &str, mark: &Mark) -> String {
    let change = mark.change.as_deref().unwrap_or_default();
    format!("{file}:{}: same({change}) matches no mutant of its line", mark.line)
}

/// A sort key that orders ids by their numbers.
pub(super) fn numbers_of(id: &str) -> (String, Vec<u32>) {
    let (letters, numbers) = id.split_once('-').unwrap_or((id, ""));
    (letters.to_owned(), numbers.split('.').filter_map(|number| number.parse().ok()).collect())
}
