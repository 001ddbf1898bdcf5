//! The plan: all mutants, the rows that they belong to, and which of them were asked for.

use std::collections::{BTreeMap, BTreeSet};

use super::arguments::MutateArguments;
use super::changed_lines::ChangedLines;
use super::closed_words::ClosedWords;
use super::constant_functions::ConstantFunctions;
use super::mutant::{Mutant, MutantKind};
use super::mutant_annotations::{self, MutantAnnotation};
use super::mutators;
use super::sample::MutantSample;
use super::top_level_statements::{self, TopLevelStatement};
use author::analysis::with_large_stack;
use author::ledger::{CountedFiles, Ledger};
use base::{Code, Problem};
use mods::{ModSource, TESTS_FOLDER};

/// A mutant with its rows and marks.
#[derive(Clone, Debug)]
pub(super) struct PlannedMutant {
    pub(super) mutant: Mutant,
    /// The name of the statement at the top of the file.
    pub(super) statement_name: String,
    /// Its rows of the ledger.
    pub(super) ledger_rows: Vec<String>,
    /// The reason of a mark that says it makes no difference.
    pub(super) equivalent_reason: Option<String>,
    /// The reason of a mark that says it is tuned.
    pub(super) tuned_reason: Option<String>,
}

impl PlannedMutant {
    /// Whether a case with these rows is one of its own. A mutant without a row belongs to every
    /// case.
    pub(super) fn is_own_case(&self, rows: &[String]) -> bool {
        self.ledger_rows.is_empty() || rows.iter().any(|row| self.ledger_rows.contains(row))
    }

    /// Its key in the result cache. The rows decide which cases are its own.
    pub(super) fn cache_key(&self) -> String {
        let Mutant { file, start_byte: from, end_byte: to, replacement: with, .. } = &self.mutant;
        format!("{file}:{from}-{to}:{with} [{}]", self.ledger_rows.join(", "))
    }
}

/// A script that is mutated.
pub(super) struct MutatedScript {
    pub(super) original_text: String,
    pub(super) constant_functions: ConstantFunctions,
}

/// The mutants to try.
pub(super) struct MutationPlan {
    pub(super) mutants: Vec<PlannedMutant>,
    pub(super) scripts: BTreeMap<String, MutatedScript>,
    /// What they are a sample of, if they are one.
    pub(super) sample: Option<MutantSample>,
    /// Marks that match no mutant.
    pub(super) unmatched_annotations: Vec<(String, MutantAnnotation)>,
    /// The files that are counted.
    pub(super) counted_files: CountedFiles,
}

impl MutationPlan {
    /// Whether a mutant has no row, and the rows of the others.
    pub(super) fn collect_ledger_rows(&self) -> (bool, BTreeSet<&str>) {
        let has_mutant_without_row =
            self.mutants.iter().any(|planned| planned.ledger_rows.is_empty());
        let rows = self.mutants.iter().flat_map(|planned| &planned.ledger_rows);
        (has_mutant_without_row, rows.map(String::as_str).collect())
    }
}

/// All mutants of some files.
#[derive(Default)]
pub(super) struct AllMutants {
    pub(super) mutants: Vec<PlannedMutant>,
    pub(super) scripts: BTreeMap<String, MutatedScript>,
    /// Marks that match no mutant.
    unmatched_annotations: Vec<(String, MutantAnnotation)>,
}

/// All mutants of the selected scripts of a mod. They are made before any is chosen or tried.
pub(super) fn generate_all_mutants(
    source: &ModSource,
    ledger: Option<&Ledger>,
    wanted: &dyn Fn(&str) -> bool,
) -> Result<AllMutants, Problem> {
    let mut all = AllMutants::default();
    let closed_words = ClosedWords::find_in_mod(source);
    for (file, text) in &source.files {
        let text: &str = text;
        if file.starts_with(TESTS_FOLDER) || !wanted(file) {
            continue;
        }
        let found = with_large_stack(|| {
            let tree = full_moon::parse(text).ok()?;
            let constants = ConstantFunctions::find_in_file(source.id(), file, text, &tree);
            Some((
                mutators::mutants_of(file, text, &tree, &closed_words),
                top_level_statements::find_top_level_statements(file, text, &tree, ledger),
                constants,
            ))
        });
        let Some((mutants, parts, constants)) = found else {
            let problem = Problem::error(
                Code::UnreadScript,
                format!("`mutate` does not know the syntax of {file}"),
            );
            return Err(problem.hint("use older syntax, or select other files with --file"));
        };
        all.mutants.extend(assign_ledger_rows(
            mutants,
            &parts,
            &mutant_annotations::read_annotations(text),
            &mut all.unmatched_annotations,
            file,
        ));
        all.scripts.insert(
            file.clone(),
            MutatedScript { original_text: text.to_owned(), constant_functions: constants },
        );
    }
    Ok(all)
}

/// The mutants that were asked for.
pub(super) fn plan_mutation(
    source: &ModSource,
    arguments: &MutateArguments,
    ledger: Option<&Ledger>,
    since: Option<&ChangedLines>,
) -> Result<MutationPlan, Problem> {
    let begins = |file: &str| arguments.file.iter().any(|path| file.starts_with(&**path));
    let all = generate_all_mutants(source, ledger, &|file| {
        let changed = since.is_none_or(|lines| lines.contains_key(file));
        changed && (arguments.file.is_empty() || begins(file))
    })?;
    let wanted = |planned: &PlannedMutant| {
        let row = arguments.rule.is_empty()
            || arguments.rule.iter().any(|row| planned.ledger_rows.contains(row));
        let line = since.is_none_or(|lines| {
            let mut ranges = lines.get(&planned.mutant.file).into_iter().flatten();
            ranges.any(|range| range.contains(&planned.mutant.line))
        });
        row && line
    };
    let mut mutants: Vec<_> = all.mutants.into_iter().filter(wanted).collect();
    let sample = arguments
        .sample
        .map(|count| MutantSample::draw(&mut mutants, count as usize, arguments.seed));
    let counted = CountedFiles::new(source, &arguments.file);
    Ok(MutationPlan {
        mutants,
        scripts: all.scripts,
        sample,
        unmatched_annotations: all.unmatched_annotations,
        counted_files: counted,
    })
}

/// Assigns rows and marks to the mutants of a file. Marks that match no mutant are recorded.
fn assign_ledger_rows(
    mutants: Vec<Mutant>,
    parts: &[TopLevelStatement],
    marks: &[MutantAnnotation],
    unmatched_marks: &mut Vec<(String, MutantAnnotation)>,
    file: &str,
) -> Vec<PlannedMutant> {
    let mut used = vec![false; marks.len()];
    let all = mutants.into_iter().map(|mutant| {
        let part =
            parts.iter().find(|part| (part.first_line..=part.last_line).contains(&mutant.line));
        let (mut same, mut tuned) = (None, part.and_then(|part| part.tuned_reason.clone()));
        for (mark, used) in
            marks.iter().zip(&mut used).filter(|(mark, _)| mark.target_line == mutant.line)
        {
            match &mark.change {
                Some(change) if *change == mutant.change => {
                    same = Some(mark.reason.clone());
                    *used = true;
                }
                None => {
                    tuned = Some(mark.reason.clone());
                    *used = true;
                }
                Some(_) => {}
            }
        }
        let tuned = tuned.filter(|_| {
            mutant.kind == MutantKind::Number || mutant.kind == MutantKind::SwappedEntries
        });
        PlannedMutant {
            statement_name: part.map(|part| part.name.clone()).unwrap_or_default(),
            ledger_rows: part.map(|part| part.ledger_rows.clone()).unwrap_or_default(),
            equivalent_reason: same,
            tuned_reason: tuned,
            mutant,
        }
    });
    let all: Vec<PlannedMutant> = all.collect();
    let left = marks.iter().zip(used).filter(|(mark, used)| !used && mark.change.is_some());
    unmatched_marks.extend(left.map(|(mark, _)| (file.to_owned(), mark.clone())));
    all
}
