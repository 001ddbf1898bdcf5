//! `explore`: plays runs to find errors and content that is never reached. Runs are played in
//! batches; each batch knows the choices of the batches before it, so the result does not depend on
//! timing.

mod arguments;
mod plan;
mod player;
mod report;
mod seldom;
mod shrink;

use std::sync::Mutex;

pub use arguments::ExploreArguments;
pub(super) use arguments::HELP;
use plan::Plan;
use player::{Counts, Explorer, add};
use report::{Finding, Report};
use seldom::Seldom;
use shrink::{same, shrink, shrink_endless};

use super::case::{Case, beside_the_game};
use super::crowd::{Hands, crowd, threads_here};
use super::playing::{End, Looks, Played, play};
use super::simulate::write_case;
use super::watch::Watch;
use super::{Bench, Done, Outcome, told};
use crate::kit::{Problem, Value};
use crate::run::{Content, Startup, complete_as_the_game_says, option_specs};
use crate::script::{Reached, Vm};
use crate::workshop::Out;

/// The number of runs in a batch.
const BATCH: usize = 96;

/// The number of findings that are shrunk and shown in full.
const TOLD: usize = 12;

/// Runs the exploration.
pub fn explore(bench: &Bench, asked: &ExploreArguments, out: &mut dyn Out) -> Done {
    let json = asked.around.json;
    let startup = match bench.start_up() {
        Ok(startup) => startup,
        Err((outcome, problems)) => return told::refuse(out, json, outcome, &problems),
    };
    let registry = startup.vm.registry();
    let set = asked.set.iter().map(|(name, value)| (name.clone(), Value::text(value))).collect();
    let plan = complete_as_the_game_says(&startup.vm, &set)
        .and_then(|_| Plan::new(option_specs(registry), registry, set, asked.seed));
    let plan = match plan {
        Ok(plan) => plan,
        Err(problem) => return told::refuse(out, json, Outcome::Usage, &[problem]),
    };
    let mut report = match played(&startup, asked, &plan) {
        Ok(report) => report,
        Err(problems) => return told::refuse(out, json, Outcome::Problems, &problems),
    };
    if let Err(problems) = shorten(&startup, asked, &plan, &mut report) {
        return told::refuse(out, json, Outcome::Problems, &problems);
    }
    let seldom = Seldom::of(&startup.content.mods);
    report.first = bench.with.clone();
    match json {
        true => report.json(registry, &seldom, out)?,
        false => report.tell(registry, &seldom, out)?,
    }
    Ok(if report.found.is_empty() { Outcome::Ok } else { Outcome::Problems })
}

fn played(
    startup: &Startup,
    asked: &ExploreArguments,
    plan: &Plan,
) -> Result<Report, Vec<Problem>> {
    let content = &startup.content;
    let bots: Vec<String> =
        startup.vm.registry().all("bot").map(|bot| bot.id.to_string()).collect();
    let watch = Watch::new("exploring", asked.runs);
    let reached = Mutex::new(Reached::default());
    let hands = Hands {
        threads: asked.threads.unwrap_or_else(threads_here),
        load: &|| Vm::load_traced(&content.mods, &content.settings),
        leave: &|vm| reached.lock().expect("nobody ends while holding this").add(vm.reached()),
    };
    let mut report = Report { seed: asked.seed, ..Report::default() };
    let mut counts = Counts::new();
    for first in (0..asked.runs).step_by(BATCH) {
        let pieces = first..(first + BATCH).min(asked.runs);
        let runs = crowd(&hands, pieces, &watch, &|vm, index| {
            let mut explorer = Explorer::of(index, asked.seed ^ index as u64, &bots, &counts);
            let terms = plan.start(index).terms;
            let mut choose = |run: &mut _, told: &[_]| explorer.choose(run, told).map(Some);
            let (played, vm) = play(content, vm, &terms, asked.steps, Looks::Always, &mut choose);
            ((index, played, explorer.counts), vm)
        })?;
        for (index, played, tried) in runs.into_iter().flatten() {
            add(&mut counts, tried);
            keep(&mut report, index, played, asked.steps);
        }
        if watch.stopped() {
            break;
        }
    }
    watch.finish(report.steps);
    report.counts = counts;
    report.reached = reached.into_inner().expect("nobody ends while holding this");
    Ok(report)
}

/// Counts a run, and records it if it is the first with its error.
fn keep(report: &mut Report, index: usize, played: Played, most: u64) {
    report.runs += 1;
    report.steps += played.tried.len() as u64;
    *report.outcomes.entry(played.end.word().to_owned()).or_default() += 1;
    let problem = match &played.end {
        End::Problem(problem) => (**problem).clone(),
        End::Endless => Problem::error("no-end", format!("a run did not end within {most} steps"))
            .expected("a run that ends")
            .hint("play on by hand from the last answers of the case to find the loop"),
        End::Finished(_) | End::Stopped => return,
    };
    match report.found.iter_mut().find(|found| same(&found.problem, &problem)) {
        Some(found) => found.runs += 1,
        None => report.found.push(Finding { problem, runs: 1, index, played, case: None }),
    }
}

/// Shrinks the findings, and writes them as cases if asked to.
fn shorten(
    startup: &Startup,
    asked: &ExploreArguments,
    plan: &Plan,
    report: &mut Report,
) -> Result<(), Vec<Problem>> {
    let content: &Content = &startup.content;
    let load = || content.load_held();
    for (number, found) in report.found.iter_mut().take(TOLD).enumerate() {
        let start = plan.start(found.index);
        let whole = std::mem::take(&mut found.played);
        let short = match &whole.end {
            End::Problem(_) => shrink(content, load()?, &start.terms, &found.problem, whole),
            End::Endless => shrink_endless(content, load()?, &start.terms, asked.steps, whole),
            _ => whole,
        };
        let case = Case {
            about: format!("explored: {}", found.problem.message),
            seed: start.terms.seed,
            game: content.mods.game().id().to_owned(),
            mods: beside_the_game(content),
            options: start.given,
            profile: start.terms.profile,
            answers: short.answers,
            ends: None,
            given: Vec::new(),
            settings: startup.content.settings.clone(),
            owner: String::new(),
            expect: Vec::new(),
            problem: matches!(short.end, End::Problem(_)).then(|| found.problem.code.clone()),
        };
        if let Some(folder) = &asked.record {
            let name = format!("found_{}_{}", number + 1, found.problem.code);
            write_case(folder, &name, &case).map_err(|problem| vec![problem])?;
        }
        found.case = Some(case);
    }
    Ok(())
}
