//! The plan: which changes there are, what each belongs to, and which of them were asked for.

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

/// A change and what it belongs to.
#[derive(Clone, Debug)]
pub(super) struct Planned {
    pub(super) mutant: Mutant,
    /// The statement at the top of the file, by name.
    pub(super) part: String,
    /// The rows of the ledger.
    pub(super) rows: Vec<String>,
    /// Why it makes no difference, if that is said.
    pub(super) same: Option<String>,
    /// Why it is held by playing and by no case, if that is said.
    pub(super) tuned: Option<String>,
}

impl Planned {
    /// Whether a case of these rows is one of its own. What belongs to no row is everybody's.
    pub(super) fn is_own(&self, rows: &[String]) -> bool {
        self.rows.is_empty() || rows.iter().any(|row| self.rows.contains(row))
    }

    /// What it is known by where results are kept: the rows say which cases are its own.
    pub(super) fn key(&self) -> String {
        let Mutant { file, from, to, with, .. } = &self.mutant;
        format!("{file}:{from}-{to}:{with} [{}]", self.rows.join(", "))
    }
}

/// A file that is changed.
pub(super) struct Script {
    pub(super) text: String,
    pub(super) constants: Constants,
}

/// What is tried.
pub(super) struct Plan {
    pub(super) changes: Vec<Planned>,
    pub(super) scripts: BTreeMap<String, Script>,
    /// Marks that name a change that there is not.
    pub(super) idle: Vec<(String, Mark)>,
    /// The files that it is about, as they are.
    pub(super) counted: Counted,
}

impl Plan {
    /// Whether a change belongs to no row, and the rows that the others belong to.
    pub(super) fn rows(&self) -> (bool, BTreeSet<&str>) {
        let loose = self.changes.iter().any(|planned| planned.rows.is_empty());
        let rows = self.changes.iter().flat_map(|planned| &planned.rows);
        (loose, rows.map(String::as_str).collect())
    }
}

/// All changes of some files, each with its rows and marks.
#[derive(Default)]
pub(super) struct Everything {
    pub(super) changes: Vec<Planned>,
    pub(super) scripts: BTreeMap<String, Script>,
    /// Marks that name a change that there is not.
    idle: Vec<(String, Mark)>,
}

/// Every change of those scripts of a mod that are wanted. All are made before any is chosen or tried.
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
                Problem::error("unread-script", format!("the syntax of {file} is not known here"));
            return Err(problem.hint("write it in an older way, or leave it out with --file"));
        };
        all.changes.extend(attributed(mutants, &parts, &marks::of(text), &mut all.idle, file));
        all.scripts.insert(file.clone(), Script { text: text.to_owned(), constants });
    }
    Ok(all)
}

/// The changes of a mod's scripts that were asked for.
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

/// The changes of a file with their rows and marks. Marks that name no change are told.
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
