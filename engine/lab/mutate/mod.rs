//! `mutate`: mutation testing of the rules of a mod. A mutant that no case catches shows that a
//! case is missing.
//!
//! `mutators` makes the mutants of a file, `top_level_statements` assigns them to rows,
//! `mutation_cases` knows the lines that each case covers, `verdict` tries one mutant,
//! `constant_functions` hides changed constants from cases, `closed_words` knows words that can take
//! each other's place, `sample` draws some of the mutants, `ineffective_cases` finds ineffective cases,
//! `report` prints the results, and `ledger_counts` writes them to the ledger.

mod arguments;
mod changed_lines;
mod closed_words;
mod constant_functions;
mod ineffective_cases;
mod ledger_counts;
mod mutant;
mod mutant_annotations;
mod mutation_cases;
mod mutators;
mod number_mutants;
mod plan;
mod report;
mod result_cache;
mod sample;
mod top_level_statements;
mod verdict;

use std::fs;
use std::path::PathBuf;

pub(crate) use arguments::HELP;
pub(crate) use arguments::MutateArguments;
use mutation_cases::MutationTarget;
use plan::{MutationPlan, plan_mutation};
use report::MutationReport;
use result_cache::ResultCache;
use verdict::{CaseScope, MutantResult, MutantVerdict};

use author::CommandOutput;
use author::ledger::Ledger;
use author::parallel::{WorkerSetup, available_threads, run_pieces_in_parallel};
use author::progress::Progress;
use author::switch_mods::CommandFailure;
use author::{CommandContext, CommandOutcome, CommandResult, check, output, test_runner};
use base::{Code, Problem, Severity, text};
use mods::{ModSource, TESTS_FOLDER};

/// Runs mutation tests on a mod and reports the results.
pub(crate) fn mutate(
    context: &CommandContext,
    arguments: &MutateArguments,
    out: &mut dyn CommandOutput,
) -> CommandResult {
    let json = arguments.common.json;
    let report = match run_mutation(context, arguments) {
        Ok(report) => report,
        Err((outcome, problems)) => return output::report_failure(out, json, outcome, &problems),
    };
    if let Some(page) = arguments.ledger.as_ref().filter(|_| arguments.write)
        && let Err(problem) = report.write_to_ledger(page)
    {
        return output::report_failure(out, json, CommandOutcome::UsageError, &[problem]);
    }
    match json {
        true => output::write_json(out, &report.as_json_value())?,
        false => report.write_text(out)?,
    }
    Ok(if report.reaches_score(arguments.min_score) {
        CommandOutcome::Ok
    } else {
        CommandOutcome::Problems
    })
}

fn run_mutation(
    context: &CommandContext,
    arguments: &MutateArguments,
) -> Result<MutationReport, CommandFailure> {
    let usage = |problem: Problem| (CommandOutcome::UsageError, vec![problem]);
    let wrong = |problems: Vec<Problem>| (CommandOutcome::Problems, problems);
    let context = &context.with_search_folders(std::slice::from_ref(&arguments.target_mod));
    let (source, tests) = find_mod_and_tests(context, &arguments.target_mod)?;
    let ledger = arguments.ledger.as_ref().map(|path| {
        let page = path.to_string_lossy();
        let text = fs::read_to_string(path).map_err(|why| {
            Problem::error(Code::NoLedger, format!("{page} cannot be read: {why}"))
        })?;
        Ledger::parse(&page, text::strip_byte_order_mark(&text))
    });
    let ledger = ledger.transpose().map_err(usage)?;
    let since = arguments.since.as_ref().map(|revision| {
        let folder = tests.parent().unwrap_or(&tests);
        changed_lines::changed_lines(folder, revision)
    });
    let since = since.transpose().map_err(usage)?;
    let plan = plan_mutation(&source, arguments, ledger.as_ref(), since.as_ref()).map_err(usage)?;
    if plan.mutants.is_empty() && since.is_none() {
        let problem = Problem::error(Code::NoChanges, "there is nothing to change with that name");
        return Err(usage(
            problem
                .expected("a file of the mod, or a row of the ledger that its scripts implement"),
        ));
    }
    if plan.mutants.is_empty() && since.as_ref().is_none_or(|lines| !includes_test_files(lines)) {
        return Ok(MutationReport::new(
            plan,
            Vec::new(),
            &MutationTarget::without_cases(source.id()),
            &[],
        ));
    }
    let mut target = MutationTarget::collect_cases(context, source.id(), &tests).map_err(wrong)?;
    let tried = try_mutants(&mut target, &plan, arguments).map_err(wrong)?;
    let about = ineffective_cases::IneffectiveCaseFinder {
        plan: &plan,
        results: &tried,
        changed_lines: since.as_ref(),
        ledger: ledger.as_ref(),
        arguments,
    };
    // A sample says nothing of a case: the mutant that it catches may not be in it.
    let ineffective_cases = match plan.sample.is_some() || tried.iter().any(Option::is_none) {
        true => Vec::new(),
        false => about.find_ineffective_cases(&mut target, &source).map_err(wrong)?,
    };
    Ok(MutationReport::new(plan, tried, &target, &ineffective_cases))
}

fn includes_test_files(lines: &changed_lines::ChangedLines) -> bool {
    lines.keys().any(|file| file.starts_with(TESTS_FOLDER))
}

/// The mod, and the folder of its tests.
fn find_mod_and_tests(
    context: &CommandContext,
    wanted: &str,
) -> Result<(ModSource, PathBuf), CommandFailure> {
    let found = check::selection::select_mods(context, &[wanted.to_owned()])?;
    if found.problems.iter().any(|problem| problem.severity == Severity::Error) {
        return Err((CommandOutcome::Problems, found.problems));
    }
    let folder = test_runner::test_folders(&found).into_iter().next();
    let sources = found.groups.into_iter().flat_map(|group| group.mods);
    let pair = folder.and_then(|(owner, tests)| {
        let mut sources = sources;
        sources.find(|source| source.id() == owner).map(|source| (source, tests))
    });
    pair.ok_or_else(|| {
        let problem = Problem::error(Code::NoSuchMod, format!("{wanted} is not in a folder"));
        (CommandOutcome::UsageError, vec![problem.expected("a mod with files and tests on disk")])
    })
}

/// Tries every mutant with the cases of its row. Those that survive are tried with all other cases,
/// which shows where a case is missing.
fn try_mutants(
    target: &mut MutationTarget,
    plan: &MutationPlan,
    arguments: &MutateArguments,
) -> Result<Vec<Option<MutantResult>>, Vec<Problem>> {
    let cache =
        ResultCache::open(arguments.cache.as_deref(), &target.digest()).map_err(|why| vec![why])?;
    let (has_mutant_without_row, rows) = plan.collect_ledger_rows();
    target.run_cases_for_coverage(&|case| {
        has_mutant_without_row || case.ledger_rows.iter().any(|row| rows.contains(&**row))
    })?;
    let all: Vec<usize> = (0..plan.mutants.len()).collect();
    let mut found =
        try_uncached_mutants(target, plan, arguments, &cache, CaseScope::OwnRows, &all)?;
    if found.iter().any(Option::is_none) {
        return Ok(found);
    }
    let open = |found: &Option<MutantResult>| {
        found.as_ref().is_some_and(|found| found.verdict == MutantVerdict::Survived)
    };
    let left: Vec<usize> = all.into_iter().filter(|index| open(&found[*index])).collect();
    if left.is_empty() {
        return Ok(found);
    }
    target.run_cases_for_coverage(&|_| true)?;
    let again = try_uncached_mutants(target, plan, arguments, &cache, CaseScope::OtherRows, &left)?;
    for (index, again) in left.into_iter().zip(again) {
        let before = found[index].as_ref().map_or(0, |found| found.case_runs);
        let reads = found[index].as_ref().map_or(0, |found| found.constant_reading_cases);
        found[index] = again.map(|again| MutantResult {
            case_runs: before + again.case_runs,
            constant_reading_cases: reads + again.constant_reading_cases,
            ..again
        });
    }
    Ok(found)
}

/// Tries the mutants that are not cached, in parallel.
fn try_uncached_mutants(
    target: &MutationTarget,
    plan: &MutationPlan,
    arguments: &MutateArguments,
    cache: &ResultCache,
    scope: CaseScope,
    mutant_indexes: &[usize],
) -> Result<Vec<Option<MutantResult>>, Vec<Problem>> {
    let progress = Progress::new("changing", mutant_indexes.len());
    let workers = WorkerSetup {
        thread_count: thread_count(arguments),
        load_vm: &|| target.content.load_strict_vm(),
        on_finish: &|_| {},
    };
    let found =
        run_pieces_in_parallel(&workers, 0..mutant_indexes.len(), &progress, &|vm, index| {
            let planned = &plan.mutants[mutant_indexes[index]];
            let key = format!(
                "{}{}",
                planned.cache_key(),
                if scope == CaseScope::OwnRows { "" } else { ", others" }
            );
            let found = cache.find_result(&key).unwrap_or_else(|| {
                let found = verdict::try_mutant(
                    target,
                    planned,
                    &plan.scripts[&planned.mutant.file],
                    scope,
                );
                cache.store_result(key, &found);
                found
            });
            (found, vm)
        });
    progress.finish(0);
    found
}

fn thread_count(arguments: &MutateArguments) -> usize {
    arguments.threads.unwrap_or_else(available_threads)
}
