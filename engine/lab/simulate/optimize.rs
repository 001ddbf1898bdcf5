//! `simulate --optimize`: finds the options and bots with the highest share of an outcome by
//! successive halving. Each round plays all remaining candidates on the same fresh seeds and keeps
//! the better half. The finalists and the median candidate of the first round are then played on
//! seeds that selected nobody, so that their shares are not biased.

use std::io;

use serde::Serialize;
use serde_json::json;

use super::bot_selection::{drop_free_parameters, find_bot};
use super::option_grid::{self, RunGroup};
use super::statistics::OutcomeShare;
use super::{CommandFailure, SimulateArguments};
use crate::automatic_run::{ViewBuildPolicy, play_run};
use author::CommandOutput;
use author::parallel::{WorkerSetup, available_threads, run_pieces_in_parallel};
use author::progress::Progress;
use author::{CommandContext, CommandOutcome, CommandResult, output};
use base::{Problem, Value, text};
use content::Registry;
use session::{
    Bot, LoadedStart, OptionType, RANDOM_BOT_ID, RunParameters, declared_bot_parameters,
    format_bot_parameter, option_specs, split_bot_parameters,
};

/// The number of finalists.
const FINALIST_COUNT: usize = 4;
/// Runs of each candidate in the first round; each further round has twice as many.
const FIRST_ROUND_RUNS: usize = 4;
/// Up to this number of variants of a bot, all combinations of parameter values are tried.
const MAX_BOT_VARIANTS: usize = 64;
/// An option with more values than this is tried only if it is named.
const MAX_OPTION_VALUES: usize = 12;

/// A bot with options.
struct Candidate {
    bot: String,
    group: RunGroup,
    wanted_outcome_count: usize,
    runs: usize,
}

/// The result of a candidate in the last round.
#[derive(Serialize)]
struct CandidateResult {
    bot: String,
    options: String,
    runs: usize,
    outcome: OutcomeShare,
}

/// Runs the optimization.
pub(super) fn optimize(
    context: &CommandContext,
    arguments: &SimulateArguments,
    wanted_outcome: &str,
    out: &mut dyn CommandOutput,
) -> Result<CommandResult, CommandFailure> {
    let startup = context.load_game()?;
    let mut halving = SuccessiveHalving::new(&startup, arguments, wanted_outcome)?;
    let candidate_count = halving.candidates.len();
    let failed = |problems| (CommandOutcome::Problems, problems);
    let mut remaining: Vec<usize> = (0..candidate_count).collect();
    let (mut runs_per_candidate, mut median) = (FIRST_ROUND_RUNS.min(arguments.runs.max(1)), None);
    while remaining.len() > FINALIST_COUNT && !halving.progress.is_stopped() {
        halving.play_round(&remaining, runs_per_candidate).map_err(failed)?;
        halving.sort_by_share(&mut remaining);
        median = median.or(remaining.get(remaining.len() / 2).copied());
        if halving.progress.is_stopped() {
            break;
        }
        remaining.truncate((remaining.len() / 2).max(FINALIST_COUNT));
        runs_per_candidate = (runs_per_candidate * 2).min(arguments.runs.max(1));
    }
    let stopped = halving.progress.is_stopped();
    remaining.truncate(FINALIST_COUNT);
    let mut last = remaining.clone();
    last.extend(median.filter(|middle| !remaining.contains(middle)));
    if !stopped {
        last.iter().for_each(|at| {
            (halving.candidates[*at].wanted_outcome_count, halving.candidates[*at].runs) = (0, 0)
        });
        halving.play_round(&last, arguments.runs.max(1)).map_err(failed)?;
        halving.sort_by_share(&mut remaining);
    }
    let stopped = halving.progress.is_stopped();
    halving.progress.finish(halving.steps);
    let candidate_result = |at: &usize| halving.candidates[*at].to_result();
    let report = OptimizeReport {
        wanted_outcomes: wanted_outcome,
        candidate_count,
        is_stopped: stopped,
        best: remaining.iter().map(candidate_result).collect(),
        median: median.as_ref().map(candidate_result),
        common_options: halving.common_options(&remaining),
    };
    let written =
        if arguments.common.json { report.write_json(out) } else { report.write_text(out) };
    let outcome = if stopped { CommandOutcome::Problems } else { CommandOutcome::Ok };
    Ok(written.map(|()| outcome))
}

/// The bots whose names begin with the text before a star.
fn bots_matching(registry: &Registry, written: &str) -> Vec<String> {
    let Some(begins) = written.strip_suffix('*') else { return Vec::new() };
    let all = registry.active_definitions("bot").filter(|bot| bot.id.name().starts_with(begins));
    all.map(|bot| bot.id.to_string()).collect()
}

/// The variants of a bot by its free parameters: all combinations of values, or, if those are too
/// many, each value with the first of the others.
fn bot_variants(registry: &Registry, bot: &str) -> Vec<String> {
    let (id, fixed_parameters) = split_bot_parameters(bot);
    let mut open = declared_bot_parameters(registry, id);
    open.retain(|(name, _)| fixed_parameters.iter().all(|(of, _)| **of != **name));
    let variant_count =
        open.iter().fold(1_usize, |many, (_, values)| many.saturating_mul(values.len()));
    let add_parameter = |way: &str, name: &str, value: &Value| {
        format!("{way}/{name}={}", format_bot_parameter(value))
    };
    let mut variants = vec![bot.to_owned()];
    for (name, values) in &open {
        let base_variants =
            if variant_count > MAX_BOT_VARIANTS { vec![bot.to_owned()] } else { variants.clone() };
        let others = values.iter().skip(1);
        variants.extend(others.flat_map(|value| {
            base_variants.iter().map(move |way| add_parameter(way, name, value))
        }));
    }
    variants
}

/// The candidates, and the next fresh seed.
struct SuccessiveHalving<'a> {
    startup: &'a LoadedStart,
    arguments: &'a SimulateArguments,
    wanted_outcomes: Vec<&'a str>,
    candidates: Vec<Candidate>,
    profile: Value,
    next_seed: u64,
    steps: u64,
    progress: Progress,
}

impl<'a> SuccessiveHalving<'a> {
    fn new(
        startup: &'a LoadedStart,
        arguments: &'a SimulateArguments,
        wanted: &'a str,
    ) -> Result<Self, CommandFailure> {
        let usage = |problem: Problem| (CommandOutcome::UsageError, vec![problem]);
        let registry = startup.vm.registry();
        let bots: Vec<String> = match arguments.bot.as_deref() {
            Some(name) => match bots_matching(registry, name) {
                some if !some.is_empty() => some,
                _ => {
                    let name = drop_free_parameters(name);
                    vec![find_bot(registry, Some(&name)).map_err(usage)?]
                }
            },
            None => {
                let all = registry.active_definitions("bot").map(|bot| bot.id.to_string());
                all.chain([RANDOM_BOT_ID.to_owned()]).collect()
            }
        };
        let bots: Vec<String> = bots.iter().flat_map(|bot| bot_variants(registry, bot)).collect();
        let mut set = arguments.set.clone();
        for spec in option_specs(registry) {
            let has_few_values = match &spec.option_type {
                OptionType::OneOf(values) => {
                    values.len() <= MAX_OPTION_VALUES && spec.is_asked_before_run
                }
                OptionType::Bool => true,
                OptionType::Int { min, max } => max.saturating_sub(*min) < MAX_OPTION_VALUES as i64,
                OptionType::Text(ready) => !ready.is_empty() && ready.len() <= MAX_OPTION_VALUES,
            };
            if has_few_values && !set.iter().any(|(name, _)| *name == spec.name) {
                set.push((spec.name, "*".to_owned()));
            }
        }
        let groups = option_grid::build_run_groups(&startup.vm, &set, &[]).map_err(|problem| {
            usage(problem.hint("set options to one value with --set to leave them out"))
        })?;
        let bot_candidates = |bot: &String| {
            let new = |group: &RunGroup| Candidate {
                bot: bot.clone(),
                group: group.clone(),
                wanted_outcome_count: 0,
                runs: 0,
            };
            groups.iter().map(new).collect::<Vec<_>>()
        };
        let candidates: Vec<Candidate> = bots.iter().flat_map(bot_candidates).collect();
        let progress = Progress::new("optimizing", candidates.len() * FIRST_ROUND_RUNS * 2);
        let mods = &startup.content.mods;
        let profile = option_grid::build_profile(&[mods], &arguments.profile_data)?;
        let wanted = wanted.split(',').map(str::trim).collect();
        Ok(Self {
            startup,
            arguments,
            wanted_outcomes: wanted,
            candidates,
            profile,
            next_seed: arguments.seed,
            steps: 0,
            progress,
        })
    }

    /// Plays these candidates on the same fresh seeds.
    fn play_round(&mut self, remaining: &[usize], each: usize) -> Result<(), Vec<Problem>> {
        let content = &self.startup.content;
        let threads = self.arguments.threads.unwrap_or_else(available_threads);
        let workers = WorkerSetup {
            thread_count: threads,
            load_vm: &|| content.load_vm(),
            on_finish: &|_| {},
        };
        let (candidates, first, profile) = (&self.candidates, self.next_seed, &self.profile);
        let (wanted, progress, max_steps) =
            (&self.wanted_outcomes, &self.progress, self.arguments.steps);
        let played =
            run_pieces_in_parallel(&workers, 0..remaining.len() * each, progress, &|vm, index| {
                let candidate = &candidates[remaining[index / each]];
                let seed = first.wrapping_add((index % each) as u64);
                let options = candidate.group.options.clone();
                let run_parameters = RunParameters { seed, options, profile: profile.clone() };
                let mut bot = Bot::new(&candidate.bot, seed);
                let mut player = |run: &mut _, told: &[_]| bot.choose_input(run, told).map(Some);
                let (played, vm) = play_run(
                    content,
                    vm,
                    &run_parameters,
                    max_steps,
                    ViewBuildPolicy::Sampled,
                    &mut player,
                );
                ((wanted.contains(&played.run_end.outcome_word()), played.inputs.len() as u64), vm)
            })?;
        for (index, (won, steps)) in
            played.into_iter().enumerate().filter_map(|(index, one)| Some((index, one?)))
        {
            let candidate = &mut self.candidates[remaining[index / each]];
            candidate.runs += 1;
            candidate.wanted_outcome_count += usize::from(won);
            self.steps += steps;
        }
        self.next_seed = self.next_seed.wrapping_add(each as u64);
        Ok(())
    }

    /// Sorts by share, best first; equal ones keep their order.
    fn sort_by_share(&self, remaining: &mut [usize]) {
        let wins_and_runs = |at: &usize| {
            (
                self.candidates[*at].wanted_outcome_count as u128,
                self.candidates[*at].runs.max(1) as u128,
            )
        };
        remaining.sort_by(|one, other| {
            let ((won, runs), (others, of)) = (wins_and_runs(one), wins_and_runs(other));
            (others * runs).cmp(&(won * of)).then(one.cmp(other))
        });
    }

    /// The options that all of these have in common.
    fn common_options(&self, remaining: &[usize]) -> Vec<String> {
        let parts = |at: &usize| {
            let candidate = &self.candidates[*at];
            let options =
                candidate.group.label.iter().map(|(name, value)| format!("{name}={value}"));
            options.chain([format!("bot={}", candidate.bot)]).collect::<Vec<_>>()
        };
        let Some((first, others)) = remaining.split_first() else { return Vec::new() };
        let others: Vec<_> = others.iter().map(parts).collect();
        let mut common = parts(first);
        common.retain(|part| others.iter().all(|other| other.contains(part)));
        common
    }
}

impl Candidate {
    fn to_result(&self) -> CandidateResult {
        let outcome = OutcomeShare::new(self.wanted_outcome_count, self.runs);
        CandidateResult {
            bot: self.bot.clone(),
            options: self.group.label_text(),
            runs: self.runs,
            outcome,
        }
    }
}

/// The report.
struct OptimizeReport<'a> {
    wanted_outcomes: &'a str,
    candidate_count: usize,
    is_stopped: bool,
    best: Vec<CandidateResult>,
    median: Option<CandidateResult>,
    common_options: Vec<String>,
}

impl OptimizeReport<'_> {
    /// The lead of the best over the median, in percentage points.
    fn lead_over_median(&self) -> Option<f64> {
        let (best, middle) = (self.best.first()?, self.median.as_ref()?);
        Some((best.outcome.share - middle.outcome.share) * 100.0)
    }

    fn write_json(&self, out: &mut dyn CommandOutput) -> io::Result<()> {
        let page = json!({
            "sought": self.wanted_outcomes, "candidates": self.candidate_count, "stopped": self.is_stopped,
            "best": self.best, "middle": self.median, "above_middle": self.lead_over_median(),
            "alike": self.common_options,
        });
        output::write_json(out, &page)
    }

    fn write_text(&self, out: &mut dyn CommandOutput) -> io::Result<()> {
        if self.is_stopped {
            output::write_line(
                out,
                "stopped early: shares on the seeds of the selection, not on fresh seeds",
            )?;
        }
        output::write_line(
            out,
            &format!("{}: the best of {} candidates", self.wanted_outcomes, self.candidate_count),
        )?;
        let line = |came: &CandidateResult| {
            let [low, high] = came.outcome.interval.map(|edge| edge * 100.0);
            let share = came.outcome.share * 100.0;
            format!(
                "  {share:5.1}%  {low:.1} to {high:.1} of {} runs  {} {}",
                came.runs,
                came.bot,
                text::strip_unprintable(&came.options)
            )
        };
        self.best.iter().try_for_each(|came| output::write_line(out, &line(came)))?;
        if let (Some(middle), Some(above)) = (&self.median, self.lead_over_median()) {
            let middle = line(middle);
            output::write_line(out, &format!("the median candidate: {}", middle.trim_start()))?;
            output::write_line(
                out,
                &format!("the best is {above:.1} percentage points above the median"),
            )?;
        }
        if !self.common_options.is_empty() {
            output::write_line(out, &format!("in common: {}", self.common_options.join(", ")))?;
        }
        Ok(())
    }
}
