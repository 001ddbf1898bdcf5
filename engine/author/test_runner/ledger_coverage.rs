//! `test --ledger`: checks that each row of a ledger has cases in the files that it names, and that
//! each row that a case names exists.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::io::{self, Write};
use std::path::Path;

use serde::Serialize;

use super::found_case::{CaseBody, FoundCase};
use crate::ledger::{Ledger, RequirementRow, leading_ids};
use crate::output;
use base::{Code, Problem, SourceLocation, text};
use mods::{ModSource, TESTS_FOLDER};

/// A case and the rows in its name.
struct CaseWithRows {
    sentence: String,
    rows: Vec<String>,
    /// Its file within the mod, if it is declared.
    place: Option<SourceLocation>,
    /// Whether it is a function case, which must name a row.
    is_function: bool,
}

/// The rows of a ledger and their cases.
#[derive(Default)]
pub(super) struct LedgerCoverage {
    ledger: Ledger,
    cases: Vec<CaseWithRows>,
    outdated_count_warnings: Vec<Problem>,
    missing_functions: Vec<Problem>,
}

/// The result of the check.
#[derive(Default, Serialize)]
pub(super) struct LedgerReport {
    /// The number of cases of each row.
    #[serde(rename = "rows")]
    case_count_by_row: BTreeMap<String, usize>,
    /// Rows that only other tests show, and why.
    #[serde(rename = "elsewhere")]
    pub(super) rows_of_other_tests: BTreeMap<String, String>,
    /// Warnings about mutation counts of rules that have changed since.
    #[serde(rename = "stale")]
    outdated_count_warnings: Vec<Problem>,
    pub(super) problems: Vec<Problem>,
}

impl LedgerReport {
    /// Writes it as text.
    pub(super) fn write_text(&self, out: &mut dyn Write) -> io::Result<()> {
        let rows_with_cases = self.case_count_by_row.values().filter(|cases| **cases > 0).count();
        output::write_line(
            out,
            &format!("{} ledger rows, {rows_with_cases} with cases", self.case_count_by_row.len()),
        )?;
        self.rows_of_other_tests.iter().try_for_each(|(id, why)| {
            output::write_line(out, &format!("covered only by other tests: {id}: {why}"))
        })?;
        output::write_problems(out, &self.outdated_count_warnings)?;
        output::write_problems(out, &self.problems)
    }
}

impl LedgerCoverage {
    /// Reads a ledger.
    pub(super) fn read_ledger(path: &Path) -> Result<Self, Problem> {
        let page = path.to_string_lossy();
        let text = fs::read_to_string(path).map_err(|why| {
            Problem::error(Code::NoLedger, format!("{page} cannot be read: {why}"))
        })?;
        Ok(Self {
            ledger: Ledger::parse(&page, text::strip_byte_order_mark(&text))?,
            ..Self::default()
        })
    }

    /// Adds a mod whose cases are run.
    pub(super) fn add_mod(&mut self, source: &ModSource) {
        self.outdated_count_warnings.extend(self.ledger.outdated_mutation_counts_warning(source));
        self.missing_functions.extend(self.ledger.missing_function_problems(source));
    }

    /// Adds a case.
    pub(super) fn add_case(&mut self, script: &FoundCase) {
        let Ok(case_body) = &script.case else { return };
        let about = case_body.sentence().to_owned();
        let is_function = matches!(case_body, CaseBody::Function(_));
        self.cases.push(CaseWithRows {
            rows: leading_ids(&about).0,
            sentence: about,
            place: script.place.clone(),
            is_function,
        });
    }

    /// The problems, and the rows without cases.
    pub(super) fn build_report(&self) -> LedgerReport {
        let mut report = LedgerReport {
            outdated_count_warnings: self.outdated_count_warnings.clone(),
            problems: self.missing_functions.clone(),
            ..LedgerReport::default()
        };
        for case in &self.cases {
            report.problems.extend(self.unknown_row_problems(case));
        }
        for row in &self.ledger.rows {
            let own = self.cases.iter().filter(|case| case.rows.contains(&row.id));
            let own: Vec<&CaseWithRows> = own.collect();
            report.case_count_by_row.insert(row.id.clone(), own.len());
            let host = row.host_only_reason.as_ref().filter(|_| !row.other_evidence.is_empty());
            if let (true, true, Some(why)) = (own.is_empty(), row.case_files.is_empty(), host) {
                report.rows_of_other_tests.insert(row.id.clone(), why.clone());
                continue;
            }
            report.problems.extend(self.case_file_problems(row, &own));
        }
        report
    }

    /// Rows that a case names and that do not exist; or that it names none.
    fn unknown_row_problems(&self, case: &CaseWithRows) -> Vec<Problem> {
        let at_case = |problem: Problem| Problem { place: case.place.clone(), ..problem };
        if case.rows.is_empty() && case.is_function {
            let found = format!("the case \"{}\" names no row of the ledger", case.sentence);
            let problem = Problem::error(Code::NoRow, found);
            return vec![at_case(
                problem.expected("a name that begins with the id of a row of the ledger"),
            )];
        }
        let missing =
            case.rows.iter().filter(|id| self.ledger.rows.iter().all(|row| row.id != **id));
        let missing = missing.map(|id| {
            let found =
                format!("the case \"{}\" names the row {id}, which does not exist", case.sentence);
            at_case(
                Problem::error(Code::NoRow, found)
                    .expected(format!("a row of {}", self.ledger.page_path)),
            )
        });
        missing.collect()
    }

    /// Files that a row should name, and files that it names without cases.
    fn case_file_problems(&self, row: &RequirementRow, cases: &[&CaseWithRows]) -> Vec<Problem> {
        let file = |case: &&CaseWithRows| {
            let place = case.place.as_ref()?;
            place.file.strip_prefix(TESTS_FOLDER).map(str::to_owned)
        };
        let there: BTreeSet<String> = cases.iter().filter_map(file).collect();
        let at = || SourceLocation::new("", &*self.ledger.page_path, row.line);
        let mut problems = Vec::new();
        if there.is_empty() {
            let found = format!("{} has no case", row.id);
            let problem = Problem::error(Code::RowWithoutCases, found).at(at());
            let problem = problem.expected("a case whose name begins with the row's id");
            problems.push(problem.hint("or name another test and write `the host alone: …`"));
        }
        for file in there.difference(&row.case_files) {
            let found = format!("{} does not list `{file}`, which has cases of it", row.id);
            problems.push(
                Problem::error(Code::WrongCaseFiles, found)
                    .at(at())
                    .expected("the file under `shown by`"),
            );
        }
        for file in row.case_files.difference(&there) {
            let found = format!("{} lists `{file}`, which has no cases of it", row.id);
            problems.push(Problem::error(Code::WrongCaseFiles, found).at(at()));
        }
        problems
    }
}
