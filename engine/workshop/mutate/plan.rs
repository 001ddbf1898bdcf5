//! The plan: all mutants, the rows that they belong to, and which of them were asked for.

use std::collections::{BTreeMap, BTreeSet};

use super::arguments::MutateArguments;
use super::changes;
use super::constants::Constants;
use super::marks::{self, Mark};
use super::mutant::{Mutant, Sort};
use super::parts::{self, Part};
use super::since::Lines;
use crate::kit::Problem;
use crate::mods::ModSource;
use crate::workshop::ledger::{Counted, Ledger};
use crate::workshop::lua::with_room;

/// A mutant with its rows and marks.
#[derive(Clone, Debug)]
pub(super) struct Planned {
    pub(super) mutant: Mutant,
    /// The name of the statement at the top of the file.
    pub(super) part: String,
    /// Its rows of the ledger.
    pub(super) rows: Vec<String>,
    /// The reason of a mark that says it makes no difference.
    pub(super) same: Option<String>,
    /// The reason of a mark that says it is tuned.
    pub(super) tuned: Option<String>,
}

impl Planned {
    /// Whether a case with these rows is one of its own. A mutant without a row belongs to every
    /// case.
    pub(super) fn is_own(&self, rows: &[String]) -> bool {
        self.rows.is_empty() || rows.iter().any(|row| self.rows.contains(row))
    }

    /// Its key in the result cache. The rows decide which cases are its own.
    pub(super) fn key(&self) -> String {
        let Mutant { file, from, to, with, .. } = &self.mutant;
        format!("{file}:{from}-{to}:{with} [{}]", self.rows.join(", "))
    }
}

/// A script that is mutated.
pub(super) struct Script {
    pub(super) text: String,
    pub(super) constants: Constants,
}

/// The mutants to try.
pub(super) struct Plan {
    pub(super) changes: Vec<Planned>,
    pub(super) scripts: BTreeMap<String, Script>,
    /// Marks that match no mutant.
    pub(super) idle: Vec<(String, Mark)>,
    /// The files that are counted.
    pub(super) counted: Counted,
}

impl Plan {
    /// Whether a mutant has no row, and the rows of the others.
    pub(super) fn rows(&self) -> (bool, BTreeSet<&str>) {
        let loose = self.changes.iter().any(|planned| planned.rows.is_empty());
        let rows = self.changes.iter().flat_map(|planned| &planned.rows);
        (loose, rows.map(String::as_str).collect())
    }
}

/// All mutants of some files.
#[derive(Default)]
pub(super) struct Everything {
    pub(super) changes: Vec<Planned>,
    pub(super) scripts: BTreeMap<String, Script>,
    /// Marks that match no mutant.
    idle: Vec<(String, Mark)>,
}

/// All mutants of the selected scripts of a mod. They are made before any is chosen or tried.
pub(super) fn every_change(
    source: &ModSource,
    ledger: Option<&Ledger>,
    wanted: &dyn Fn(&str) -> bool,
) -> Result<Everything, Problem> {
    let mut all = Everything::default();
    for (file, text) in &source.files {
        let text: &str = text;
        if file.starts_with("tests/") || !wanted(file) {
            continue;
        }
        let found = with_room(|| {
            let tree = full_moon::parse(text).ok()?;
            let constants = Constants::of(source.id(), file, text, &tree);
            Some((changes::of(file, text, &tree), parts::of(file, text, &tree, ledger), constants))
        });
        let Some((mutants, parts, constants)) = found else {
            let problem =
                Problem::error("unread-script", format!("the syntax of {file} is not known"));
            return Err(problem.hint("use older syntax, or select other files with --file"));
        };
        all.changes.extend(attributed(mutants, &parts, &marks::of(text), &mut all.idle, file));
        all.scripts.insert(file.clone(), Script { text: text.to_owned(), constants });
    }
    Ok(all)
}

/// The mutants that were asked for.
pub(super) fn plan(
    source: &ModSource,
    asked: &MutateArguments,
    ledger: Option<&Ledger>,
    since: Option<&Lines>,
) -> Result<Plan, Problem> {
    let begins = |file: &str| asked.file.iter().any(|path| file.starts_with(&**path));
    let all = every_change(source, ledger, &|file| {
        let changed = since.is_none_or(|lines| lines.contains_key(file));
        changed && (asked.file.is_empty() || begins(file))
    })?;
    let wanted = |planned: &Planned| {
        let row = asked.rule.is_empty() || asked.rule.iter().any(|row| planned.rows.contains(row));
        let line = since.is_none_or(|lines| {
            let mut ranges = lines.get(&planned.mutant.file).into_iter().flatten();
            ranges.any(|range| range.contains(&planned.mutant.line))
        });
        row && line
    };
    let changes = all.changes.into_iter().filter(wanted).collect();
    let counted = Counted::of(source, &asked.file);
    Ok(Plan { changes, scripts: all.scripts, idle: all.idle, counted })
}

/// Assigns rows and marks to the mutants of a file. Marks that match no mutant are recorded.
fn attributed(
    mutants: Vec<Mutant>,
    parts: &[Part],
    marks: &[Mark],
    idle: &mut Vec<(String, Mark)>,
    file: &str,
) -> Vec<Planned> {
    let mut used = vec![false; marks.len()];
    let all = mutants.into_iter().map(|mutant| {
        let part = parts.iter().find(|part| (part.first..=part.last).contains(&mutant.line));
        let (mut same, mut tuned) = (None, part.and_then(|part| part.tuned.clone()));
        for (mark, used) in marks.iter().zip(&mut used).filter(|(mark, _)| mark.of == mutant.line) {
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
        let tuned = tuned.filter(|_| mutant.sort == Sort::Number || mutant.sort == Sort::Swap);
        Planned {
            part: part.map(|part| part.name.clone()).unwrap_or_default(),
            rows: part.map(|part| part.rows.clone()).unwrap_or_default(),
            same,
            tuned,
            mutant,
        }
    });
    let all: Vec<Planned> = all.collect();
    let left = marks.iter().zip(used).filter(|(mark, used)| !used && mark.change.is_some());
    idle.extend(left.map(|(mark, _)| (file.to_owned(), mark.clone())));
    all
}
