//! `explore`: plays runs to find errors and content that is never reached. Runs are played in
//! batches; each batch knows the choices of the batches before it, so the result does not depend on
//! timing.

mod arguments;
mod coverage_ignore;
mod explorer;
mod live_exploration;
mod plan;
mod report;
mod shrink;
mod texts;

use std::collections::BTreeMap;
use std::sync::Mutex;

pub(crate) use arguments::ExploreArguments;
pub(crate) use arguments::HELP;
use coverage_ignore::ReasonComments;
use explorer::{ChoiceCounts, Explorer, add_choice_counts};
use live_exploration::{LiveExploration, SeenPlaces};
use plan::ExplorePlan;
use report::{ExploreFinding, ExploreReport};
use shrink::{is_same_problem, shrink_endless_run, shrink_run};
use texts::{TextReader, TextReaderSetup};

use super::simulate::write_case;
use crate::automatic_run::{PlayedRun, RunEnd, ViewBuildPolicy, play_run};
use crate::live_work::{LiveOutput, live_thread_count};
use author::CommandOutput;
use author::case::{Case, mods_beyond_game};
use author::parallel::{WorkerSetup, available_threads, run_pieces_in_parallel};
use author::progress::Progress;
use author::{CommandContext, CommandOutcome, CommandResult, output};
use base::{Code, Problem, Value};
use protocol::StoryEvent;
use script::{Coverage, Vm};
use session::{LoadedStart, RunContent, Session, complete_and_check_options, option_specs};

/// The number of runs in a batch that is watched: it learns sooner which choices are rare.
const WATCHED_RUNS_PER_BATCH: usize = 24;

/// The number of runs in a batch.
const RUNS_PER_BATCH: usize = 96;

/// The number of findings that are shrunk and shown in full.
const MAX_SHRUNK_FINDINGS: usize = 12;

/// Runs the exploration.
pub(crate) fn explore(
    context: &CommandContext,
    arguments: &ExploreArguments,
    out: &mut dyn CommandOutput,
) -> CommandResult {
    let json = arguments.common.json;
    let startup = match context.load_game() {
        Ok(startup) => startup,
        Err((outcome, problems)) => return output::report_failure(out, json, outcome, &problems),
    };
    let registry = startup.vm.registry();
    let set =
        arguments.set.iter().map(|(name, value)| (name.clone(), Value::text(value))).collect();
    let plan = complete_and_check_options(&startup.vm, &set)
        .and_then(|_| ExplorePlan::new(option_specs(registry), registry, set, arguments.seed));
    let plan = match plan {
        Ok(plan) => plan,
        Err(problem) => {
            return output::report_failure(out, json, CommandOutcome::UsageError, &[problem]);
        }
    };
    let mut report = match play_runs(&startup, arguments, &plan, None) {
        Ok(report) => report,
        Err(problems) => {
            return output::report_failure(out, json, CommandOutcome::Problems, &problems);
        }
    };
    if arguments.texts {
        // The texts of a long run are read as far as it was played.
        report.findings.retain(|found| found.problem.code != Code::NoEnd);
    }
    if let Err(problems) = shrink_findings(&startup, arguments, &plan, &mut report) {
        return output::report_failure(out, json, CommandOutcome::Problems, &problems);
    }
    let coverage_ignore = ReasonComments::from_mods(&startup.content.mods);
    report.named_mods = context.extra_mods.clone();
    if arguments.texts {
        let texts = texts::report_faults(
            std::mem::take(&mut report.texts),
            &startup.content.mods,
            registry,
        );
        match json {
            true => output::write_json(out, &report.to_texts_json(&texts))?,
            false => {
                report.write_errors(out)?;
                texts.write_text(out)?;
            }
        }
        let is_clean = report.findings.is_empty() && texts.is_clean();
        return Ok(if is_clean { CommandOutcome::Ok } else { CommandOutcome::Problems });
    }
    match json {
        true => report.write_json(registry, &coverage_ignore, out)?,
        false => report.write_text(registry, &coverage_ignore, out)?,
    }
    Ok(if report.findings.is_empty() { CommandOutcome::Ok } else { CommandOutcome::Problems })
}

/// Explores, and publishes what is reached.
pub(crate) fn explore_live(
    context: &CommandContext,
    arguments: &ExploreArguments,
    output: &LiveOutput,
) -> Result<(), Vec<Problem>> {
    let arguments = &ExploreArguments { threads: Some(live_thread_count()), ..arguments.clone() };
    let startup = context.load_game().map_err(|(_, problems)| problems)?;
    let registry = startup.vm.registry();
    let specs = option_specs(registry);
    let plan = ExplorePlan::new(specs, registry, BTreeMap::new(), arguments.seed)
        .map_err(|problem| vec![problem])?;
    let scenes = registry.active_definitions("scene").map(|scene| scene.id.to_string()).collect();
    let live = LiveExploration::new(output, scenes, arguments.runs);
    play_runs(&startup, arguments, &plan, Some(&live))?;
    live.publish_results();
    Ok(())
}

fn play_runs(
    startup: &LoadedStart,
    arguments: &ExploreArguments,
    plan: &ExplorePlan,
    watcher: Option<&LiveExploration<'_>>,
) -> Result<ExploreReport, Vec<Problem>> {
    let content = &startup.content;
    let bots: Vec<String> =
        startup.vm.registry().active_definitions("bot").map(|bot| bot.id.to_string()).collect();
    let (progress, batch) = match watcher {
        Some(watcher) => (watcher.progress(arguments.runs), WATCHED_RUNS_PER_BATCH),
        None => (Progress::new("exploring", arguments.runs), RUNS_PER_BATCH),
    };
    let reached = Mutex::new(Coverage::default());
    let workers = WorkerSetup {
        thread_count: arguments.threads.unwrap_or_else(available_threads),
        load_vm: &|| match (arguments.texts, watcher) {
            (true, _) => content.load_strict_vm(),
            // It shows no lines.
            (false, Some(_)) => content.load_vm(),
            (false, None) => Vm::load_traced(&content.mods, &content.settings),
        },
        on_finish: &|vm| {
            reached.lock().expect("nobody ends while holding this").merge(vm.coverage())
        },
    };
    let mut report = ExploreReport { seed: arguments.seed, ..ExploreReport::default() };
    let mut counts = ChoiceCounts::new();
    let setup = arguments.texts.then(|| TextReaderSetup::new(startup.vm.registry()));
    for first in (0..arguments.runs).step_by(batch) {
        let pieces = first..(first + batch).min(arguments.runs);
        let runs = run_pieces_in_parallel(&workers, pieces, &progress, &|vm, index| {
            let mut explorer = Explorer::new(index, arguments.seed ^ index as u64, &bots, &counts);
            let run_parameters = plan.run_start(index).run_parameters;
            let mut reader = setup.as_ref().map(|setup| TextReader::new(setup, index));
            let mut places = watcher.map(|_| SeenPlaces::default());
            let mut choose = |run: &mut Session, told: &[StoryEvent]| {
                if progress.interrupts_run() {
                    return Ok(None);
                }
                if let Some(places) = &mut places {
                    places.add_view(run.view());
                }
                if let Some(reader) = &mut reader {
                    reader.read_step(run, told)?;
                }
                explorer.choose_input(run, told).map(Some)
            };
            let (played, vm) = play_run(
                content,
                vm,
                &run_parameters,
                arguments.steps,
                ViewBuildPolicy::Always,
                &mut choose,
            );
            if let Some(reader) = &mut reader {
                reader.read_events(&played.last_events, played.inputs.len() as u64);
            }
            if let (Some(watcher), Some(places)) = (watcher, places) {
                watcher.add_run(&places, &explorer.choice_counts, &played);
            }
            let faults = reader.map(TextReader::into_faults).unwrap_or_default();
            ((index, played, explorer.choice_counts, faults), vm)
        })?;
        for (index, played, tried, texts) in runs.into_iter().flatten() {
            add_choice_counts(&mut counts, tried);
            report.texts.merge(texts);
            add_run(&mut report, index, played, arguments.steps);
        }
        if progress.is_stopped() {
            break;
        }
    }
    progress.finish(report.steps);
    report.choice_counts = counts;
    report.coverage = reached.into_inner().expect("nobody ends while holding this");
    Ok(report)
}

/// Counts a run, and records it if it is the first with its error.
fn add_run(report: &mut ExploreReport, index: usize, played: PlayedRun, max_steps: u64) {
    report.runs += 1;
    report.steps += played.inputs.len() as u64;
    *report.outcomes.entry(played.run_end.outcome_word().to_owned()).or_default() += 1;
    let problem = match &played.run_end {
        RunEnd::Problem(problem) => (**problem).clone(),
        RunEnd::Endless => {
            Problem::error(Code::NoEnd, format!("a run did not end within {max_steps} steps"))
                .expected("a run that ends")
                .hint("play on by hand from the last answers of the case to find the loop")
        }
        RunEnd::Finished(_) | RunEnd::Stopped => return,
    };
    match report.findings.iter_mut().find(|found| is_same_problem(&found.problem, &problem)) {
        Some(found) => found.runs += 1,
        None => report.findings.push(ExploreFinding {
            problem,
            runs: 1,
            first_run_index: index,
            first_run: played,
            case: None,
        }),
    }
}

/// Shrinks the findings, and writes them as cases if asked to.
fn shrink_findings(
    startup: &LoadedStart,
    arguments: &ExploreArguments,
    plan: &ExplorePlan,
    report: &mut ExploreReport,
) -> Result<(), Vec<Problem>> {
    let content: &RunContent = &startup.content;
    let load = || content.load_strict_vm();
    for (number, found) in report.findings.iter_mut().take(MAX_SHRUNK_FINDINGS).enumerate() {
        let start = plan.run_start(found.first_run_index);
        let found_run = std::mem::take(&mut found.first_run);
        let short = match &found_run.run_end {
            RunEnd::Problem(_) => {
                shrink_run(content, load()?, &start.run_parameters, &found.problem, found_run)
            }
            RunEnd::Endless => shrink_endless_run(
                content,
                load()?,
                &start.run_parameters,
                arguments.steps,
                found_run,
            ),
            _ => found_run,
        };
        let case = Case {
            sentence: format!("explored: {}", found.problem.message),
            seed: start.run_parameters.seed,
            game: content.mods.game().id().to_owned(),
            mods: mods_beyond_game(content),
            options: start.chosen_options,
            profile: start.run_parameters.profile,
            answers: short.answers,
            expected_outcome: None,
            dice: BTreeMap::new(),
            setup_lines: Vec::new(),
            settings: startup.content.settings.clone(),
            owner: String::new(),
            expected_texts: Vec::new(),
            expected_problem: matches!(short.run_end, RunEnd::Problem(_))
                .then(|| found.problem.code),
        };
        if let Some(folder) = &arguments.record {
            let name = format!("found_{}_{}", number + 1, found.problem.code);
            write_case(folder, &name, &case).map_err(|problem| vec![problem])?;
        }
        found.case = Some(case);
    }
    Ok(())
}
