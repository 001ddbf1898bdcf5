//! `simulate --optimize`: finds the options and bots with the highest share of an outcome by
//! successive halving. Each round plays all remaining candidates on the same fresh seeds and keeps
//! the better half. The finalists and the median candidate of the first round are then played on
//! seeds that selected nobody, so that their shares are not biased.

use std::io;

use serde::Serialize;
use serde_json::json;

use super::option_grid::{self, RunGroup};
use super::statistics::OutcomeShare;
use super::{CommandFailure, SimulateArguments, find_bot};
use crate::author::CommandOutput;
use crate::author::automatic_run::{ViewChecks, play_run};
use crate::author::parallel::{Workers, available_threads, run_pieces};
use crate::author::progress::Progress;
use crate::author::{CommandContext, CommandOutcome, CommandResult, output};
use crate::base::{Problem, Value, text};
use crate::content::Registry;
use crate::session::{
    Bot, OptionType, RANDOM, RunParameters, Startup, option_specs, parameter_text, parameters,
    split_parameters,
};

/// The number of finalists.
const FINALISTS: usize = 4;
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
    wins: usize,
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
    asked: &SimulateArguments,
    wanted: &str,
    out: &mut dyn CommandOutput,
) -> Result<CommandResult, CommandFailure> {
    let startup = context.start_up()?;
    let mut race = Race::new(&startup, asked, wanted)?;
    let many = race.candidates.len();
    let failed = |problems| (CommandOutcome::Problems, problems);
    let mut alive: Vec<usize> = (0..many).collect();
    let (mut each, mut middle) = (FIRST_ROUND_RUNS.min(asked.runs.max(1)), None);
    while alive.len() > FINALISTS && !race.watch.is_stopped() {
        race.play_round(&alive, each).map_err(failed)?;
        race.sort_by_share(&mut alive);
        middle = middle.or(alive.get(alive.len() / 2).copied());
        if race.watch.is_stopped() {
            break;
        }
        alive.truncate((alive.len() / 2).max(FINALISTS));
        each = (each * 2).min(asked.runs.max(1));
    }
    let stopped = race.watch.is_stopped();
    alive.truncate(FINALISTS);
    let mut last = alive.clone();
    last.extend(middle.filter(|middle| !alive.contains(middle)));
    if !stopped {
        last.iter().for_each(|at| (race.candidates[*at].wins, race.candidates[*at].runs) = (0, 0));
        race.play_round(&last, asked.runs.max(1)).map_err(failed)?;
        race.sort_by_share(&mut alive);
    }
    let stopped = race.watch.is_stopped();
    race.watch.finish(race.steps);
    let came = |at: &usize| race.candidates[*at].result();
    let report = OptimizeReport {
        wanted,
        candidate_count: many,
        is_stopped: stopped,
        best: alive.iter().map(came).collect(),
        middle: middle.as_ref().map(came),
        common_options: race.common_options(&alive),
    };
    let written = if asked.around.json { report.write_json(out) } else { report.write_text(out) };
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
    let (id, said) = split_parameters(bot);
    let mut open = parameters(registry, id);
    open.retain(|(name, _)| said.iter().all(|(of, _)| **of != **name));
    let many = open.iter().fold(1_usize, |many, (_, values)| many.saturating_mul(values.len()));
    let with =
        |way: &str, name: &str, value: &Value| format!("{way}/{name}={}", parameter_text(value));
    let mut ways = vec![bot.to_owned()];
    for (name, values) in &open {
        let from = if many > MAX_BOT_VARIANTS { vec![bot.to_owned()] } else { ways.clone() };
        let others = values.iter().skip(1);
        ways.extend(others.flat_map(|value| from.iter().map(move |way| with(way, name, value))));
    }
    ways
}

/// The candidates, and the next fresh seed.
struct Race<'a> {
    startup: &'a Startup,
    asked: &'a SimulateArguments,
    wanted: Vec<&'a str>,
    candidates: Vec<Candidate>,
    profile: Value,
    seed: u64,
    steps: u64,
    watch: Progress,
}

impl<'a> Race<'a> {
    fn new(
        startup: &'a Startup,
        asked: &'a SimulateArguments,
        wanted: &'a str,
    ) -> Result<Self, CommandFailure> {
        let usage = |problem: Problem| (CommandOutcome::Usage, vec![problem]);
        let registry = startup.vm.registry();
        let bots: Vec<String> = match asked.bot.as_deref() {
            Some(name) => match bots_matching(registry, name) {
                some if !some.is_empty() => some,
                _ => vec![find_bot(registry, Some(name)).map_err(usage)?],
            },
            None => {
                let all = registry.active_definitions("bot").map(|bot| bot.id.to_string());
                all.chain([RANDOM.to_owned()]).collect()
            }
        };
        let bots: Vec<String> = bots.iter().flat_map(|bot| bot_variants(registry, bot)).collect();
        let mut set = asked.set.clone();
        for spec in option_specs(registry) {
            let few = match &spec.holds {
                OptionType::OneOf(values) => values.len() <= MAX_OPTION_VALUES && spec.ask,
                OptionType::Bool => true,
                OptionType::Int { min, max } => max.saturating_sub(*min) < MAX_OPTION_VALUES as i64,
                OptionType::Text(ready) => !ready.is_empty() && ready.len() <= MAX_OPTION_VALUES,
            };
            if few && !set.iter().any(|(name, _)| *name == spec.name) {
                set.push((spec.name, "*".to_owned()));
            }
        }
        let groups = option_grid::option_groups(&startup.vm, &set).map_err(|problem| {
            usage(problem.hint("set options to one value with --set to leave them out"))
        })?;
        let of = |bot: &String| {
            let new = |group: &RunGroup| Candidate {
                bot: bot.clone(),
                group: group.clone(),
                wins: 0,
                runs: 0,
            };
            groups.iter().map(new).collect::<Vec<_>>()
        };
        let candidates: Vec<Candidate> = bots.iter().flat_map(of).collect();
        let watch = Progress::new("optimizing", candidates.len() * FIRST_ROUND_RUNS * 2);
        let profile = option_grid::profile_with(&Value::map(), &asked.profile_data);
        let wanted = wanted.split(',').map(str::trim).collect();
        Ok(Self { startup, asked, wanted, candidates, profile, seed: asked.seed, steps: 0, watch })
    }

    /// Plays these candidates on the same fresh seeds.
    fn play_round(&mut self, alive: &[usize], each: usize) -> Result<(), Vec<Problem>> {
        let content = &self.startup.content;
        let threads = self.asked.threads.unwrap_or_else(available_threads);
        let hands = Workers { threads, load_vm: &|| content.load(), on_finish: &|_| {} };
        let (candidates, first, profile) = (&self.candidates, self.seed, &self.profile);
        let (wanted, watch, most) = (&self.wanted, &self.watch, self.asked.steps);
        let played = run_pieces(&hands, 0..alive.len() * each, watch, &|vm, index| {
            let candidate = &candidates[alive[index / each]];
            let seed = first.wrapping_add((index % each) as u64);
            let options = candidate.group.options.clone();
            let terms = RunParameters { seed, options, profile: profile.clone() };
            let mut bot = Bot::new(&candidate.bot, seed);
            let mut player = |run: &mut _, told: &[_]| bot.choose(run, told).map(Some);
            let (played, vm) =
                play_run(content, vm, &terms, most, ViewChecks::Sampled, &mut player);
            ((wanted.contains(&played.end.outcome_word()), played.inputs.len() as u64), vm)
        })?;
        for (index, (won, steps)) in
            played.into_iter().enumerate().filter_map(|(index, one)| Some((index, one?)))
        {
            let candidate = &mut self.candidates[alive[index / each]];
            candidate.runs += 1;
            candidate.wins += usize::from(won);
            self.steps += steps;
        }
        self.seed = self.seed.wrapping_add(each as u64);
        Ok(())
    }

    /// Sorts by share, best first; equal ones keep their order.
    fn sort_by_share(&self, alive: &mut [usize]) {
        let of = |at: &usize| {
            (self.candidates[*at].wins as u128, self.candidates[*at].runs.max(1) as u128)
        };
        alive.sort_by(|one, other| {
            let ((won, runs), (others, of)) = (of(one), of(other));
            (others * runs).cmp(&(won * of)).then(one.cmp(other))
        });
    }

    /// The options that all of these have in common.
    fn common_options(&self, alive: &[usize]) -> Vec<String> {
        let parts = |at: &usize| {
            let candidate = &self.candidates[*at];
            let options =
                candidate.group.label.iter().map(|(name, value)| format!("{name}={value}"));
            options.chain([format!("bot={}", candidate.bot)]).collect::<Vec<_>>()
        };
        let Some((first, others)) = alive.split_first() else { return Vec::new() };
        let others: Vec<_> = others.iter().map(parts).collect();
        let mut alike = parts(first);
        alike.retain(|part| others.iter().all(|other| other.contains(part)));
        alike
    }
}

impl Candidate {
    fn result(&self) -> CandidateResult {
        let outcome = OutcomeShare::of(self.wins, self.runs);
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
    wanted: &'a str,
    candidate_count: usize,
    is_stopped: bool,
    best: Vec<CandidateResult>,
    middle: Option<CandidateResult>,
    common_options: Vec<String>,
}

impl OptimizeReport<'_> {
    /// The lead of the best over the median, in percentage points.
    fn lead_over_middle(&self) -> Option<f64> {
        let (best, middle) = (self.best.first()?, self.middle.as_ref()?);
        Some((best.outcome.share - middle.outcome.share) * 100.0)
    }

    fn write_json(&self, out: &mut dyn CommandOutput) -> io::Result<()> {
        let page = json!({
            "sought": self.wanted, "candidates": self.candidate_count, "stopped": self.is_stopped,
            "best": self.best, "middle": self.middle, "above_middle": self.lead_over_middle(),
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
            &format!("{}: the best of {} candidates", self.wanted, self.candidate_count),
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
        if let (Some(middle), Some(above)) = (&self.middle, self.lead_over_middle()) {
            output::write_line(
                out,
                &format!("the median candidate:\n{}", line(middle)).replace('\n', "; "),
            )?;
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
