//! `mutate`: the rules of a mod changed one small thing at a time, and which of the changes its cases
//! notice. A rule that can be changed without a case noticing is held by nothing.
//!
//! `changes` makes all mutants of a file, `parts` says which rows they belong to, `cases` knows which
//! lines each case reaches, `verdict` tries one, `report` tells.

mod arguments;
mod cases;
mod changes;
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
use std::io::Write;
use std::path::PathBuf;

pub(super) use arguments::HELP;
pub use arguments::MutateArguments;
use cases::Held;
use kept::Kept;
use plan::{Plan, plan};
use report::Report;
use verdict::Tried;

use super::crowd::{Hands, crowd, threads_here};
use super::ledger::Ledger;
use super::watch::Watch;
use super::{Bench, Done, Outcome, check, told, trial};
use crate::kit::digest::Hasher;
use crate::kit::{Problem, Severity};
use crate::mods::ModSource;

/// Why nothing was changed.
type Refused = (Outcome, Vec<Problem>);

/// Changes the rules of a mod, and tells what its cases noticed.
pub fn mutate(bench: &Bench, asked: &MutateArguments, out: &mut dyn Write) -> Done {
    let json = asked.around.json;
    let report = match changed(bench, asked) {
        Ok(report) => report,
        Err((outcome, problems)) => return told::refuse(out, json, outcome, &problems),
    };
    match json {
        true => told::json(out, &report.json())?,
        false => report.tell(out)?,
    }
    Ok(if report.is_enough(asked.least) { Outcome::Sound } else { Outcome::Problems })
}

fn changed(bench: &Bench, asked: &MutateArguments) -> Result<Report, Refused> {
    let usage = |problem: Problem| (Outcome::Usage, vec![problem]);
    let wrong = |problems: Vec<Problem>| (Outcome::Problems, problems);
    let (source, tests) = the_mod(bench, &asked.wanted)?;
    let ledger = asked.ledger.as_ref().map(|path| {
        let page = path.to_string_lossy();
        let text = fs::read_to_string(path)
            .map_err(|why| Problem::error("no-ledger", format!("{page} cannot be read: {why}")))?;
        Ledger::parse(&page, &text)
    });
    let ledger = ledger.transpose().map_err(usage)?;
    let since = asked.since.as_ref().map(|revision| {
        let folder = tests.parent().unwrap_or(&tests);
        since::lines(folder, revision)
    });
    let since = since.transpose().map_err(usage)?;
    let plan = plan(&source, asked, ledger.as_ref(), since.as_ref()).map_err(usage)?;
    if plan.changes.is_empty() && since.is_none() {
        let problem = Problem::error("no-changes", "there is nothing of that name to change");
        return Err(usage(problem.expected("a file of the mod, or a row that its scripts name")));
    }
    if plan.changes.is_empty() {
        return Ok(Report::new(plan, Vec::new(), &Held::none(source.id()), false));
    }
    let held = Held::gather(bench, source.id(), &tests).map_err(wrong)?;
    let tried = tried(&held, &plan, asked).map_err(wrong)?;
    let whole = asked.file.is_empty() && asked.rule.is_empty() && since.is_none();
    Ok(Report::new(plan, tried, &held, whole))
}

/// The mod that was asked for, and the folder of its tests.
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
        let problem = Problem::error("no-such-mod", format!("{wanted} lies in no folder"));
        (Outcome::Usage, vec![problem.expected("a mod whose files and tests lie on disk")])
    })
}

/// Tries every change that is not known, on as many threads as there are.
fn tried(
    held: &Held,
    plan: &Plan,
    asked: &MutateArguments,
) -> Result<Vec<Option<Tried>>, Vec<Problem>> {
    let mut hasher = Hasher::new("mutants");
    hasher.text(env!("CARGO_PKG_VERSION")).bytes(&held.content.mods.digest().0);
    for case in &held.cases {
        hasher.text(&case.about);
    }
    let kept =
        Kept::open(asked.keep.as_deref(), &hasher.finish().to_string()).map_err(|why| vec![why])?;
    let watch = Watch::new("changing", plan.changes.len());
    let hands = Hands {
        threads: asked.threads.unwrap_or_else(threads_here),
        load: &|| held.content.load(),
        leave: &|_| {},
    };
    let found = crowd(&hands, 0..plan.changes.len(), &watch, &|vm, index| {
        let planned = &plan.changes[index];
        let key = planned.key();
        let found = kept.find(&key).unwrap_or_else(|| {
            let found = verdict::tried(held, planned, &plan.texts[&planned.mutant.file]);
            kept.keep(key, &found);
            found
        });
        (found, vm)
    });
    watch.finish(0);
    found
}
