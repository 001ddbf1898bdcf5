//! `simulate`: many runs by a bot, with statistics. It is used to balance a game.

mod arguments;
mod bot_selection;
mod html_report;
mod live_simulation;
mod optimize;
pub(super) mod option_grid;
mod report;
mod shard_files;
mod side_comparison;
mod statistics;

pub(crate) use statistics::OutcomeShare;

use std::collections::BTreeMap;
use std::fs;
use std::io;
use std::path::Path;

pub use arguments::HELP;
use arguments::Shard;
pub use arguments::SimulateArguments;
pub(super) use option_grid::RunGroup;
use option_grid::{build_profile, build_run_groups, find_different_option};
use report::{RunRecord, SimulationReport};
use shard_files::{MergedShards, ShardHeader};
use side_comparison::SideComparison;
pub use side_comparison::critical_value;

use crate::automatic_run::{RunEnd, ViewBuildPolicy, play_run};
use author::CommandOutput;
use author::case::{Case, mods_beyond_game};
use author::parallel::{WorkerSetup, available_threads, run_pieces_in_parallel};
use author::progress::Progress;
use author::switch_mods::CommandFailure;
use author::{CommandContext, CommandOutcome, CommandResult, output};
use base::{Code, Problem, Value};
use bot_selection::find_bots;
pub(crate) use live_simulation::simulate_live;
use mods::read_folder;
use session::{Bot, LoadedStart, OptionSpec, RunParameters, option_specs};

/// Runs the simulation.
pub fn simulate(
    context: &CommandContext,
    arguments: &SimulateArguments,
    out: &mut dyn CommandOutput,
) -> CommandResult {
    let json = arguments.common.json;
    let outcome = match () {
        () if !arguments.merge.is_empty() => report_merged_shards(arguments, out),
        () if arguments.optimize.is_some() => optimize::optimize(
            context,
            arguments,
            arguments.optimize.as_deref().unwrap_or_default(),
            out,
        ),
        () if !arguments.vs.is_empty() || !arguments.vs_mods.is_empty() => {
            compare_sides(context, arguments, out)
        }
        () => simulate_one_side(context, arguments, out),
    };
    match outcome {
        Ok(done) => done,
        Err((outcome, problems)) => output::report_failure(out, json, outcome, &problems),
    }
}

/// Plays the runs of one set of mods, and reports or prints them.
fn simulate_one_side(
    context: &CommandContext,
    arguments: &SimulateArguments,
    out: &mut dyn CommandOutput,
) -> Result<CommandResult, CommandFailure> {
    let startup = context.load_game()?;
    let profile = build_profile(&[&startup.content.mods], &arguments.profile_data)?;
    let side = SimulationSide::new(startup, arguments, profile, &[])?;
    let (answers, records): (Vec<_>, Vec<_>) = side.play_runs(arguments)?.into_iter().unzip();
    let (first_seed, wanted) = (arguments.seed, arguments.runs);
    let (groups, records) = (&side.groups[..], &records[..]);
    if let Some(shard) = arguments.shard {
        let head = ShardHeader::new(&side, arguments, shard);
        return Ok(shard_files::write_shard(out, &head, records).map(|()| outcome_of_runs(records)));
    }
    let report =
        SimulationReport { bot: &side.bot, first_seed, runs_per_group: wanted, groups, records };
    let done = write_report(&report, arguments, out)?;
    if let Some(folder) = &arguments.record {
        let runs = records.iter().zip(answers);
        let case = |(record, answers): (&RunRecord, Vec<String>)| {
            let group = &groups[record.group_index];
            let start = (group, &side.profile);
            let bot = group.bot.as_deref().unwrap_or(&side.bot);
            case_from_run(&side.startup, bot, (record, answers), start)
        };
        let cases = runs.map(case).filter(|case| {
            arguments.outcome.is_none() || case.expected_outcome == arguments.outcome
        });
        write_first_cases(folder, cases)
            .map_err(|problem| (CommandOutcome::Problems, vec![problem]))?;
    }
    Ok(done)
}

/// Merges shards and reports.
fn report_merged_shards(
    arguments: &SimulateArguments,
    out: &mut dyn CommandOutput,
) -> Result<CommandResult, CommandFailure> {
    let merged = shard_files::merge_shards(&arguments.merge)
        .map_err(|problem| (CommandOutcome::UsageError, vec![problem]))?;
    let MergedShards { header: head, records, .. } = &merged;
    let (bot, groups, records) = (&head.bot[..], &head.groups[..], &records[..]);
    let report =
        SimulationReport { bot, first_seed: head.seed, runs_per_group: head.runs, groups, records };
    write_report(&report, arguments, out)
}

/// Plays the same seeds with two sets of mods.
fn compare_sides(
    context: &CommandContext,
    arguments: &SimulateArguments,
    out: &mut dyn CommandOutput,
) -> Result<CommandResult, CommandFailure> {
    let one = context.load_game()?;
    let (mut places, mut with) = (context.search_paths.clone(), context.extra_mods.clone());
    // A mod from `--vs-mods` replaces the mod with the same id that was named for both sides.
    let others: Vec<String> =
        arguments.vs_mods.iter().filter_map(|folder| mod_id_of_folder(folder)).collect();
    places
        .named_folders
        .retain(|folder| mod_id_of_folder(folder).is_none_or(|id| !others.contains(&id)));
    places.named_folders.splice(0..0, arguments.vs_mods.iter().cloned());
    with.extend(arguments.vs.iter().cloned());
    let (game, data_dir, profile) =
        (context.game.clone(), context.data_dir.clone(), context.profile_name.clone());
    let other_context = CommandContext {
        search_paths: places,
        game,
        extra_mods: with,
        data_dir,
        profile_name: profile,
        folder_flags: context.folder_flags.clone(),
    };
    let other = other_context.load_game()?;
    let [own_specs, other_specs] = [&one, &other].map(|side| option_specs(side.vm.registry()));
    let mod_sets = [&one.content.mods, &other.content.mods];
    let profile = build_profile(&mod_sets, &arguments.profile_data)?;
    let one = SimulationSide::new(one, arguments, profile.clone(), &other_specs)?;
    let other = SimulationSide::new(other, arguments, profile, &own_specs)?;
    if let Some(name) = find_different_option(&one.groups, &other.groups) {
        let found = format!("the option \"{name}\" has other values in the two sets of mods");
        let problem = Problem::error(Code::NotComparable, found)
            .expected("values that both have")
            .hint(format!("set it to one of them: --set {name}=VALUE"));
        return Err((CommandOutcome::UsageError, vec![problem]));
    }
    let records = |side: &SimulationSide| -> Result<Vec<RunRecord>, CommandFailure> {
        Ok(side.play_runs(arguments)?.into_iter().map(|(_, record)| record).collect())
    };
    let (first, second) = (records(&one)?, records(&other)?);
    let versus = SideComparison {
        bot: &one.bot,
        groups: &one.groups,
        first_records: &first,
        second_records: &second,
    };
    let names = [one.mods_text(false), other.mods_text(false)];
    let names =
        if names[0] == names[1] { [one.mods_text(true), other.mods_text(true)] } else { names };
    let done = match arguments.common.json {
        true => versus.write_json(out, &names),
        false => versus.write_table(out, &names),
    };
    Ok(done.map(|()| match (outcome_of_runs(&first), outcome_of_runs(&second)) {
        (CommandOutcome::Ok, CommandOutcome::Ok) => CommandOutcome::Ok,
        _ => CommandOutcome::Problems,
    }))
}

/// The id of the mod in a folder; none if it is a folder of mods.
fn mod_id_of_folder(folder: &Path) -> Option<String> {
    Some(read_folder(folder).ok()?.id().to_owned())
}

fn write_report(
    report: &SimulationReport<'_>,
    arguments: &SimulateArguments,
    out: &mut dyn CommandOutput,
) -> Result<CommandResult, CommandFailure> {
    if let Some(file) = &arguments.html {
        fs::write(file, report.to_html())
            .map_err(|error| (CommandOutcome::Problems, vec![not_written_problem(file, &error)]))?;
    }
    let written = match (arguments.common.json, arguments.csv) {
        (true, _) => report.write_json(out),
        (_, true) => report.write_csv(out),
        _ => report.write_table(out),
    };
    Ok(written.map(|()| outcome_of_runs(report.records)))
}

fn not_written_problem(path: &Path, error: &io::Error) -> Problem {
    Problem::error(Code::NotWritten, format!("{} cannot be written: {error}", path.display()))
        .hint("choose a folder that can be written to")
}

/// Problems if a run did not end by itself.
fn outcome_of_runs(records: &[RunRecord]) -> CommandOutcome {
    let ended = records.iter().all(|record| matches!(record.run_end, RunEnd::Finished(_)));
    if ended { CommandOutcome::Ok } else { CommandOutcome::Problems }
}

/// A set of mods, and how it is played.
struct SimulationSide {
    startup: LoadedStart,
    bot: String,
    groups: Vec<RunGroup>,
    profile: Value,
}

impl SimulationSide {
    /// Prepares the runs of these mods. Options in `foreign_specs` may be set without having an
    /// effect here.
    fn new(
        startup: LoadedStart,
        arguments: &SimulateArguments,
        profile: Value,
        foreign_specs: &[OptionSpec],
    ) -> Result<Self, CommandFailure> {
        let registry = startup.vm.registry();
        let prepared = find_bots(registry, arguments.bot.as_deref()).and_then(|bots| {
            let groups = build_run_groups(&startup.vm, &arguments.set, foreign_specs)?;
            Ok((bots.name.clone(), bots.with_groups(&groups)?))
        });
        let (bot, groups) =
            prepared.map_err(|problem| (CommandOutcome::UsageError, vec![problem]))?;
        Ok(Self { startup, bot, groups, profile })
    }

    /// The mods as text: with versions, and with digests if versions are equal.
    fn mods_text(&self, with_digest: bool) -> String {
        let mods = self.startup.content.mods.mods.iter();
        let mod_texts = mods.map(|one| match with_digest {
            true => format!("{} {} ({})", one.id(), one.manifest.version, one.digest),
            false => format!("{} {}", one.id(), one.manifest.version),
        });
        mod_texts.collect::<Vec<_>>().join(", ")
    }

    /// Plays the runs. Keeps the end of each run, and its answers if cases are recorded.
    fn play_runs(
        &self,
        arguments: &SimulateArguments,
    ) -> Result<Vec<(Vec<String>, RunRecord)>, CommandFailure> {
        let progress = Progress::new("simulating", self.run_count(arguments));
        self.play_watched_runs(arguments, &progress, &|_, _| {})
    }

    fn run_count(&self, arguments: &SimulateArguments) -> usize {
        arguments.shard.unwrap_or(Shard::ALL_SEEDS).run_index_range(arguments.runs).len()
            * self.groups.len()
    }

    /// The same; each run is told when it has ended, with its number.
    fn play_watched_runs(
        &self,
        arguments: &SimulateArguments,
        progress: &Progress,
        on_end: &(dyn Fn(usize, &RunRecord) + Sync),
    ) -> Result<Vec<(Vec<String>, RunRecord)>, CommandFailure> {
        let range = arguments.shard.unwrap_or(Shard::ALL_SEEDS).run_index_range(arguments.runs);
        let (first, each) = (arguments.seed.wrapping_add(range.start as u64), range.len());
        let count = each * self.groups.len();
        let threads = arguments.threads.unwrap_or_else(available_threads);
        let Self { startup: LoadedStart { content, .. }, bot, groups, profile } = self;
        let workers = WorkerSetup {
            thread_count: threads,
            load_vm: &|| content.load_vm(),
            on_finish: &|_| {},
        };
        let records = run_pieces_in_parallel(&workers, 0..count, progress, &|vm, index| {
            let (group, seed) = (index / each, first.wrapping_add((index % each) as u64));
            let options = groups[group].options.clone();
            let run_parameters = RunParameters { seed, options, profile: profile.clone() };
            let mut bot = Bot::new(groups[group].bot.as_deref().unwrap_or(bot), seed);
            let mut player = |run: &mut _, told: &[_]| {
                if progress.interrupts_run() {
                    return Ok(None);
                }
                progress.time_answer_choice(|| bot.choose_input(run, told)).map(Some)
            };
            let (played, vm) = play_run(
                content,
                vm,
                &run_parameters,
                arguments.steps,
                ViewBuildPolicy::Sampled,
                &mut player,
            );
            let steps = played.inputs.len() as u64;
            let answers = if arguments.record.is_some() { played.answers } else { Vec::new() };
            let record = RunRecord { group_index: group, seed, steps, run_end: played.run_end };
            on_end(index, &record);
            ((answers, record), vm)
        });
        let records = records.map_err(|problems| (CommandOutcome::Problems, problems))?;
        let records: Vec<_> = records.into_iter().flatten().collect();
        progress.finish(records.iter().map(|(_, record)| record.steps).sum());
        Ok(records)
    }
}

fn case_from_run(
    startup: &LoadedStart,
    bot: &str,
    (record, answers): (&RunRecord, Vec<String>),
    (group, profile): (&RunGroup, &Value),
) -> Case {
    let ends = match &record.run_end {
        RunEnd::Finished(_) => Some(record.run_end.outcome_word().to_owned()),
        _ => None,
    };
    let problem = match &record.run_end {
        RunEnd::Problem(problem) => Some(problem.code),
        _ => None,
    };
    Case {
        sentence: format!("{bot}, seed {}: {}", record.seed, record.run_end.outcome_word()),
        seed: record.seed,
        game: startup.content.mods.game().id().to_owned(),
        mods: mods_beyond_game(&startup.content),
        options: group.set_options.clone(),
        profile: profile.clone(),
        answers,
        dice: BTreeMap::new(),
        expected_outcome: ends,
        setup_lines: Vec::new(),
        settings: startup.content.settings.clone(),
        owner: String::new(),
        expected_texts: Vec::new(),
        expected_problem: problem,
    }
}

/// Writes the first case of each outcome.
fn write_first_cases(folder: &Path, cases: impl Iterator<Item = Case>) -> Result<(), Problem> {
    let mut firsts = BTreeMap::new();
    for case in cases {
        let word = case.expected_outcome.clone().unwrap_or_else(|| "problem".to_owned());
        firsts.entry(word).or_insert(case);
    }
    for (word, case) in firsts {
        write_case(folder, &format!("{word}_{}", case.seed), &case)?;
    }
    Ok(())
}

/// Writes a case to a folder.
pub(super) fn write_case(folder: &Path, name: &str, case: &Case) -> Result<(), Problem> {
    let safe_character = |c: char| if c.is_ascii_alphanumeric() || c == '-' { c } else { '_' };
    let name: String = name.chars().map(safe_character).collect();
    let path = folder.join(format!("{name}.toml"));
    let written = fs::create_dir_all(folder).and_then(|()| fs::write(&path, case.to_text()));
    written.map_err(|error| not_written_problem(&path, &error))
}
