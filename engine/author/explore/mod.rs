//! `explore`: plays runs to find errors and content that is never reached. Runs are played in
//! batches; each batch knows the choices of the batches before it, so the result does not depend on
//! timing.

mod arguments;
mod coverage_ignore;
mod explorer;
mod plan;
mod report;
mod shrink;

use std::sync::Mutex;

pub use arguments::ExploreArguments;
pub(super) use arguments::HELP;
use coverage_ignore::CoverageIgnore;
use explorer::{ChoiceCounts, Explorer, add_counts};
use plan::ExplorePlan;
use report::{ExploreFinding, ExploreReport};
use shrink::{is_same_problem, shrink_endless, shrink_run};

use super::automatic_run::{PlayedRun, RunEnd, ViewChecks, play_run};
use super::case::{Case, mods_beyond_game};
use super::parallel::{Workers, available_threads, run_pieces};
use super::progress::Progress;
use super::simulate::write_case;
use super::{CommandContext, CommandOutcome, CommandResult, output};
use crate::author::CommandOutput;
use crate::base::{Code, Problem, Value};
use crate::script::{Coverage, Vm};
use crate::session::{Content, Startup, complete_checked, option_specs};

/// The number of runs in a batch.
const BATCH: usize = 96;

/// The number of findings that are shrunk and shown in full.
const MAX_SHRUNK: usize = 12;

/// Runs the exploration.
pub fn explore(
    context: &CommandContext,
    asked: &ExploreArguments,
    out: &mut dyn CommandOutput,
) -> CommandResult {
    let json = asked.around.json;
    let startup = match context.start_up() {
        Ok(startup) => startup,
        Err((outcome, problems)) => return output::report_failure(out, json, outcome, &problems),
    };
    let registry = startup.vm.registry();
    let set = asked.set.iter().map(|(name, value)| (name.clone(), Value::text(value))).collect();
    let plan = complete_checked(&startup.vm, &set)
        .and_then(|_| ExplorePlan::new(option_specs(registry), registry, set, asked.seed));
    let plan = match plan {
        Ok(plan) => plan,
        Err(problem) => {
            return output::report_failure(out, json, CommandOutcome::Usage, &[problem]);
        }
    };
    let mut report = match play_runs(&startup, asked, &plan) {
        Ok(report) => report,
        Err(problems) => {
            return output::report_failure(out, json, CommandOutcome::Problems, &problems);
        }
    };
    if let Err(problems) = shrink_findings(&startup, asked, &plan, &mut report) {
        return output::report_failure(out, json, CommandOutcome::Problems, &problems);
    }
    let seldom = CoverageIgnore::from_mods(&startup.content.mods);
    report.named_mods = context.extra_mods.clone();
    match json {
        true => report.write_json(registry, &seldom, out)?,
        false => report.write_text(registry, &seldom, out)?,
    }
    Ok(if report.findings.is_empty() { CommandOutcome::Ok } else { CommandOutcome::Problems })
}

fn play_runs(
    startup: &Startup,
    asked: &ExploreArguments,
    plan: &ExplorePlan,
) -> Result<ExploreReport, Vec<Problem>> {
    let content = &startup.content;
    let bots: Vec<String> =
        startup.vm.registry().active_definitions("bot").map(|bot| bot.id.to_string()).collect();
    let watch = Progress::new("exploring", asked.runs);
    let reached = Mutex::new(Coverage::default());
    let hands = Workers {
        threads: asked.threads.unwrap_or_else(available_threads),
        load_vm: &|| Vm::load_traced(&content.mods, &content.settings),
        on_finish: &|vm| {
            reached.lock().expect("nobody ends while holding this").merge(vm.coverage())
        },
    };
    let mut report = ExploreReport { seed: asked.seed, ..ExploreReport::default() };
    let mut counts = ChoiceCounts::new();
    for first in (0..asked.runs).step_by(BATCH) {
        let pieces = first..(first + BATCH).min(asked.runs);
        let runs = run_pieces(&hands, pieces, &watch, &|vm, index| {
            let mut explorer = Explorer::of(index, asked.seed ^ index as u64, &bots, &counts);
            let terms = plan.start(index).terms;
            let mut choose = |run: &mut _, told: &[_]| explorer.choose_input(run, told).map(Some);
            let (played, vm) =
                play_run(content, vm, &terms, asked.steps, ViewChecks::Always, &mut choose);
            ((index, played, explorer.counts), vm)
        })?;
        for (index, played, tried) in runs.into_iter().flatten() {
            add_counts(&mut counts, tried);
            add_run(&mut report, index, played, asked.steps);
        }
        if watch.is_stopped() {
            break;
        }
    }
    watch.finish(report.steps);
    report.counts = counts;
    report.reached = reached.into_inner().expect("nobody ends while holding this");
    Ok(report)
}

/// Counts a run, and records it if it is the first with its error.
fn add_run(report: &mut ExploreReport, index: usize, played: PlayedRun, most: u64) {
    report.runs += 1;
    report.steps += played.inputs.len() as u64;
    *report.outcomes.entry(played.end.outcome_word().to_owned()).or_default() += 1;
    let problem = match &played.end {
        RunEnd::Problem(problem) => (**problem).clone(),
        RunEnd::Endless => {
            Problem::error(Code::NoEnd, format!("a run did not end within {most} steps"))
                .expected("a run that ends")
                .hint("play on by hand from the last answers of the case to find the loop")
        }
        RunEnd::Finished(_) | RunEnd::Stopped => return,
    };
    match report.findings.iter_mut().find(|found| is_same_problem(&found.problem, &problem)) {
        Some(found) => found.runs += 1,
        None => {
            report.findings.push(ExploreFinding { problem, runs: 1, index, played, case: None })
        }
    }
}

/// Shrinks the findings, and writes them as cases if asked to.
fn shrink_findings(
    startup: &Startup,
    asked: &ExploreArguments,
    plan: &ExplorePlan,
    report: &mut ExploreReport,
) -> Result<(), Vec<Problem>> {
    let content: &Content = &startup.content;
    let load = || content.load_strict();
    for (number, found) in report.findings.iter_mut().take(MAX_SHRUNK).enumerate() {
        let start = plan.start(found.index);
        let whole = std::mem::take(&mut found.played);
        let short = match &whole.end {
            RunEnd::Problem(_) => shrink_run(content, load()?, &start.terms, &found.problem, whole),
            RunEnd::Endless => shrink_endless(content, load()?, &start.terms, asked.steps, whole),
            _ => whole,
        };
        let case = Case {
            about: format!("explored: {}", found.problem.message),
            seed: start.terms.seed,
            game: content.mods.game().id().to_owned(),
            mods: mods_beyond_game(content),
            options: start.options_set,
            profile: start.terms.profile,
            answers: short.answers,
            ends: None,
            given: Vec::new(),
            settings: startup.content.settings.clone(),
            owner: String::new(),
            expect: Vec::new(),
            problem: matches!(short.end, RunEnd::Problem(_)).then(|| found.problem.code),
        };
        if let Some(folder) = &asked.record {
            let name = format!("found_{}_{}", number + 1, found.problem.code);
            write_case(folder, &name, &case).map_err(|problem| vec![problem])?;
        }
        found.case = Some(case);
    }
    Ok(())
}
