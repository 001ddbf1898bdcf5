//! `mutate`: mutation testing of the rules of a mod. A mutant that no case catches shows that a case
//! is missing.
//!
//! `mutators` makes the mutants of a file, `top_statements` assigns them to rows, `cases` knows the
//! lines that each case covers, `verdict` tries one mutant, `constant_functions` hides changed
//! constants from cases, `idle_cases` finds ineffective cases, `report` prints the results, and
//! `ledger_counts` writes them to the ledger.

mod arguments;
mod cases;
mod changes;
mod constants;
mod counts;
mod idle;
mod kept;
mod marks;
mod mutant;
mod numbers;
mod parts;
mod plan;
mod report;
mod since;
mod verdict;

use std::fs;
use std::path::PathBuf;

pub(super) use arguments::HELP;
pub use arguments::MutateArguments;
use cases::Held;
use kept::Kept;
use plan::{Plan, plan};
use report::Report;
use verdict::{Tried, Verdict, Whose};

use super::crowd::{Hands, crowd, threads_here};
use super::ledger::Ledger;
use super::mods::Refused;
use super::watch::Watch;
use super::{Bench, Done, Outcome, check, told, trial};
use crate::kit::{Problem, Severity, text};
use crate::mods::ModSource;
use crate::workshop::Out;

/// Runs mutation tests on a mod and reports the results.
pub fn mutate(bench: &Bench, asked: &MutateArguments, out: &mut dyn Out) -> Done {
    let json = asked.around.json;
    let report = match changed(bench, asked) {
        Ok(report) => report,
        Err((outcome, problems)) => return told::refuse(out, json, outcome, &problems),
    };
    if let Some(page) = asked.ledger.as_ref().filter(|_| asked.write)
        && let Err(problem) = report.write_into(page)
    {
        return told::refuse(out, json, Outcome::Usage, &[problem]);
    }
    match json {
        true => told::json(out, &report.json())?,
        false => report.tell(out)?,
    }
    Ok(if report.is_enough(asked.min_score) { Outcome::Ok } else { Outcome::Problems })
}

fn changed(bench: &Bench, asked: &MutateArguments) -> Result<Report, Refused> {
    let usage = |problem: Problem| (Outcome::Usage, vec![problem]);
    let wrong = |problems: Vec<Problem>| (Outcome::Problems, problems);
    let bench = &bench.with_folders(std::slice::from_ref(&asked.wanted));
    let (source, tests) = the_mod(bench, &asked.wanted)?;
    let ledger = asked.ledger.as_ref().map(|path| {
        let page = path.to_string_lossy();
        let text = fs::read_to_string(path)
            .map_err(|why| Problem::error("no-ledger", format!("{page} cannot be read: {why}")))?;
        Ledger::parse(&page, text::without_byte_order_mark(&text))
    });
    let ledger = ledger.transpose().map_err(usage)?;
    let since = asked.since.as_ref().map(|revision| {
        let folder = tests.parent().unwrap_or(&tests);
        since::lines(folder, revision)
    });
    let since = since.transpose().map_err(usage)?;
    let plan = plan(&source, asked, ledger.as_ref(), since.as_ref()).map_err(usage)?;
    if plan.changes.is_empty() && since.is_none() {
        let problem = Problem::error("no-changes", "there is nothing to change with that name");
        return Err(usage(
            problem.expected("a file of the mod, or a row that its scripts implement"),
        ));
    }
    if plan.changes.is_empty() && since.as_ref().is_none_or(|lines| !touches_cases(lines)) {
        return Ok(Report::new(plan, Vec::new(), &Held::none(source.id()), &[]));
    }
    let mut held = Held::gather(bench, source.id(), &tests).map_err(wrong)?;
    let tried = tried(&mut held, &plan, asked).map_err(wrong)?;
    let about = idle::Asked {
        plan: &plan,
        tried: &tried,
        since: since.as_ref(),
        ledger: ledger.as_ref(),
        arguments: asked,
    };
    let idle = match tried.iter().any(Option::is_none) {
        true => Vec::new(),
        false => about.idle(&mut held, &source).map_err(wrong)?,
    };
    Ok(Report::new(plan, tried, &held, &idle))
}

fn touches_cases(lines: &since::Lines) -> bool {
    lines.keys().any(|file| file.starts_with("tests/"))
}

/// The mod, and the folder of its tests.
fn the_mod(bench: &Bench, wanted: &str) -> Result<(ModSource, PathBuf), Refused> {
    let found = check::which::which(bench, &[wanted.to_owned()])?;
    if found.problems.iter().any(|problem| problem.severity == Severity::Error) {
        return Err((Outcome::Problems, found.problems));
    }
    let folder = trial::folders(&found).into_iter().next();
    let sources = found.groups.into_iter().flat_map(|group| group.mods);
    let pair = folder.and_then(|(owner, tests)| {
        let mut sources = sources;
        sources.find(|source| source.id() == owner).map(|source| (source, tests))
    });
    pair.ok_or_else(|| {
        let problem = Problem::error("no-such-mod", format!("{wanted} is not in a folder"));
        (Outcome::Usage, vec![problem.expected("a mod with files and tests on disk")])
    })
}

/// Tries every mutant with the cases of its row. Those that survive are tried with all other cases,
/// which shows where a case is missing.
fn tried(
    held: &mut Held,
    plan: &Plan,
    asked: &MutateArguments,
) -> Result<Vec<Option<Tried>>, Vec<Problem>> {
    let kept = Kept::open(asked.cache.as_deref(), &held.state()).map_err(|why| vec![why])?;
    let (loose, rows) = plan.rows();
    held.walk(&|case| loose || case.rows.iter().any(|row| rows.contains(&**row)))?;
    let all: Vec<usize> = (0..plan.changes.len()).collect();
    let mut found = asked_of(held, plan, asked, &kept, Whose::Own, &all)?;
    if found.iter().any(Option::is_none) {
        return Ok(found);
    }
    let open = |found: &Option<Tried>| {
        found.as_ref().is_some_and(|found| found.verdict == Verdict::Survived)
    };
    let left: Vec<usize> = all.into_iter().filter(|index| open(&found[*index])).collect();
    if left.is_empty() {
        return Ok(found);
    }
    held.walk(&|_| true)?;
    let again = asked_of(held, plan, asked, &kept, Whose::Others, &left)?;
    for (index, again) in left.into_iter().zip(again) {
        let before = found[index].as_ref().map_or(0, |found| found.asked);
        let reads = found[index].as_ref().map_or(0, |found| found.reads);
        found[index] = again.map(|again| Tried {
            asked: before + again.asked,
            reads: reads + again.reads,
            ..again
        });
    }
    Ok(found)
}

/// Tries the mutants that are not cached, in parallel.
fn asked_of(
    held: &Held,
    plan: &Plan,
    asked: &MutateArguments,
    kept: &Kept,
    whose: Whose,
    which: &[usize],
) -> Result<Vec<Option<Tried>>, Vec<Problem>> {
    let watch = Watch::new("changing", which.len());
    let hands =
        Hands { threads: threads(asked), load: &|| held.content.load_held(), leave: &|_| {} };
    let found = crowd(&hands, 0..which.len(), &watch, &|vm, index| {
        let planned = &plan.changes[which[index]];
        let key = format!("{}{}", planned.key(), if whose == Whose::Own { "" } else { ", others" });
        let found = kept.find(&key).unwrap_or_else(|| {
            let found = verdict::tried(held, planned, &plan.scripts[&planned.mutant.file], whose);
            kept.keep(key, &found);
            found
        });
        (found, vm)
    });
    watch.finish(0);
    found
}

fn threads(asked: &MutateArguments) -> usize {
    asked.threads.unwrap_or_else(threads_here)
}
