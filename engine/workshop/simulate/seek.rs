//! `simulate --optimize`: finds the options and bots with the highest share of an outcome by
//! successive halving. Each round plays all remaining candidates on the same fresh seeds and keeps
//! the better half. The finalists and the median candidate of the first round are then played on
//! seeds that selected nobody, so that their shares are not biased.

use std::io;

use serde::Serialize;
use serde_json::json;

use super::figures::Share;
use super::grid::{self, Group};
use super::{Refused, SimulateArguments, bot_named};
use crate::content::Registry;
use crate::kit::{Problem, Value, text};
use crate::run::{Bot, Holds, RANDOM, Startup, Terms, option_specs, parameters, parted, written};
use crate::workshop::Out;
use crate::workshop::crowd::{Hands, crowd, threads_here};
use crate::workshop::playing::{Looks, play};
use crate::workshop::watch::Watch;
use crate::workshop::{Bench, Done, Outcome, told};

/// The number of finalists.
const LEFT: usize = 4;
/// Runs of each candidate in the first round; each further round has twice as many.
const FIRST: usize = 4;
/// Up to this number of variants of a bot, all combinations of parameter values are tried.
const MOST_WAYS: usize = 64;
/// An option with more values than this is tried only if it is named.
const MOST_VALUES: usize = 12;

/// A bot with options.
struct Candidate {
    bot: String,
    group: Group,
    wins: usize,
    runs: usize,
}

/// The result of a candidate in the last round.
#[derive(Serialize)]
struct Came {
    bot: String,
    options: String,
    runs: usize,
    outcome: Share,
}

/// Runs the optimization.
pub(super) fn seek(
    bench: &Bench,
    asked: &SimulateArguments,
    wanted: &str,
    out: &mut dyn Out,
) -> Result<Done, Refused> {
    let startup = bench.start_up()?;
    let mut race = Race::new(&startup, asked, wanted)?;
    let many = race.candidates.len();
    let failed = |problems| (Outcome::Problems, problems);
    let mut alive: Vec<usize> = (0..many).collect();
    let (mut each, mut middle) = (FIRST.min(asked.runs.max(1)), None);
    while alive.len() > LEFT && !race.watch.stopped() {
        race.round(&alive, each).map_err(failed)?;
        race.sort(&mut alive);
        middle = middle.or(alive.get(alive.len() / 2).copied());
        if race.watch.stopped() {
            break;
        }
        alive.truncate((alive.len() / 2).max(LEFT));
        each = (each * 2).min(asked.runs.max(1));
    }
    let stopped = race.watch.stopped();
    alive.truncate(LEFT);
    let mut last = alive.clone();
    last.extend(middle.filter(|middle| !alive.contains(middle)));
    if !stopped {
        last.iter().for_each(|at| (race.candidates[*at].wins, race.candidates[*at].runs) = (0, 0));
        race.round(&last, asked.runs.max(1)).map_err(failed)?;
        race.sort(&mut alive);
    }
    let stopped = race.watch.stopped();
    race.watch.finish(race.steps);
    let came = |at: &usize| race.candidates[*at].came();
    let report = Found {
        wanted,
        many,
        stopped,
        best: alive.iter().map(came).collect(),
        middle: middle.as_ref().map(came),
        alike: race.alike(&alive),
    };
    let written = if asked.around.json { report.json(out) } else { report.tell(out) };
    let outcome = if stopped { Outcome::Problems } else { Outcome::Ok };
    Ok(written.map(|()| outcome))
}

/// The bots whose names begin with the text before a star.
fn beginning(registry: &Registry, written: &str) -> Vec<String> {
    let Some(begins) = written.strip_suffix('*') else { return Vec::new() };
    let all = registry.all("bot").filter(|bot| bot.id.name().starts_with(begins));
    all.map(|bot| bot.id.to_string()).collect()
}

/// The variants of a bot by its free parameters: all combinations of values, or, if those are too
/// many, each value with the first of the others.
fn ways(registry: &Registry, bot: &str) -> Vec<String> {
    let (id, said) = parted(bot);
    let mut open = parameters(registry, id);
    open.retain(|(name, _)| said.iter().all(|(of, _)| **of != **name));
    let many = open.iter().fold(1_usize, |many, (_, values)| many.saturating_mul(values.len()));
    let with = |way: &str, name: &str, value: &Value| format!("{way}/{name}={}", written(value));
    let mut ways = vec![bot.to_owned()];
    for (name, values) in &open {
        let from = if many > MOST_WAYS { vec![bot.to_owned()] } else { ways.clone() };
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
    watch: Watch,
}

impl<'a> Race<'a> {
    fn new(
        startup: &'a Startup,
        asked: &'a SimulateArguments,
        wanted: &'a str,
    ) -> Result<Self, Refused> {
        let usage = |problem: Problem| (Outcome::Usage, vec![problem]);
        let registry = startup.vm.registry();
        let bots: Vec<String> = match asked.bot.as_deref() {
            Some(name) => match beginning(registry, name) {
                some if !some.is_empty() => some,
                _ => vec![bot_named(registry, Some(name)).map_err(usage)?],
            },
            None => {
                let all = registry.all("bot").map(|bot| bot.id.to_string());
                all.chain([RANDOM.to_owned()]).collect()
            }
        };
        let bots: Vec<String> = bots.iter().flat_map(|bot| ways(registry, bot)).collect();
        let mut set = asked.set.clone();
        for spec in option_specs(registry) {
            let few = match &spec.holds {
                Holds::OneOf(values) => values.len() <= MOST_VALUES && spec.ask,
                Holds::Bool => true,
                Holds::Int { min, max } => max.saturating_sub(*min) < MOST_VALUES as i64,
                Holds::Text(ready) => !ready.is_empty() && ready.len() <= MOST_VALUES,
            };
            if few && !set.iter().any(|(name, _)| *name == spec.name) {
                set.push((spec.name, "*".to_owned()));
            }
        }
        let groups = grid::groups(&startup.vm, &set).map_err(|problem| {
            usage(problem.hint("set options to one value with --set to leave them out"))
        })?;
        let of = |bot: &String| {
            let new = |group: &Group| Candidate {
                bot: bot.clone(),
                group: group.clone(),
                wins: 0,
                runs: 0,
            };
            groups.iter().map(new).collect::<Vec<_>>()
        };
        let candidates: Vec<Candidate> = bots.iter().flat_map(of).collect();
        let watch = Watch::new("optimizing", candidates.len() * FIRST * 2);
        let profile = grid::profile(&Value::map(), &asked.profile_data);
        let wanted = wanted.split(',').map(str::trim).collect();
        Ok(Self { startup, asked, wanted, candidates, profile, seed: asked.seed, steps: 0, watch })
    }

    /// Plays these candidates on the same fresh seeds.
    fn round(&mut self, alive: &[usize], each: usize) -> Result<(), Vec<Problem>> {
        let content = &self.startup.content;
        let threads = self.asked.threads.unwrap_or_else(threads_here);
        let hands = Hands { threads, load: &|| content.load(), leave: &|_| {} };
        let (candidates, first, profile) = (&self.candidates, self.seed, &self.profile);
        let (wanted, watch, most) = (&self.wanted, &self.watch, self.asked.steps);
        let played = crowd(&hands, 0..alive.len() * each, watch, &|vm, index| {
            let candidate = &candidates[alive[index / each]];
            let seed = first.wrapping_add((index % each) as u64);
            let options = candidate.group.options.clone();
            let terms = Terms { seed, options, profile: profile.clone() };
            let mut bot = Bot::new(&candidate.bot, seed);
            let mut player = |run: &mut _, told: &[_]| bot.choose(run, told).map(Some);
            let (played, vm) = play(content, vm, &terms, most, Looks::Seldom, &mut player);
            ((wanted.contains(&played.end.word()), played.tried.len() as u64), vm)
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
    fn sort(&self, alive: &mut [usize]) {
        let of = |at: &usize| {
            (self.candidates[*at].wins as u128, self.candidates[*at].runs.max(1) as u128)
        };
        alive.sort_by(|one, other| {
            let ((won, runs), (others, of)) = (of(one), of(other));
            (others * runs).cmp(&(won * of)).then(one.cmp(other))
        });
    }

    /// The options that all of these have in common.
    fn alike(&self, alive: &[usize]) -> Vec<String> {
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
    fn came(&self) -> Came {
        let outcome = Share::of(self.wins, self.runs);
        Came { bot: self.bot.clone(), options: self.group.name(), runs: self.runs, outcome }
    }
}

/// The report.
struct Found<'a> {
    wanted: &'a str,
    many: usize,
    stopped: bool,
    best: Vec<Came>,
    middle: Option<Came>,
    alike: Vec<String>,
}

impl Found<'_> {
    /// The lead of the best over the median, in percentage points.
    fn above(&self) -> Option<f64> {
        let (best, middle) = (self.best.first()?, self.middle.as_ref()?);
        Some((best.outcome.share - middle.outcome.share) * 100.0)
    }

    fn json(&self, out: &mut dyn Out) -> io::Result<()> {
        let page = json!({
            "sought": self.wanted, "candidates": self.many, "stopped": self.stopped,
            "best": self.best, "middle": self.middle, "above_middle": self.above(),
            "alike": self.alike,
        });
        told::json(out, &page)
    }

    fn tell(&self, out: &mut dyn Out) -> io::Result<()> {
        if self.stopped {
            told::line(
                out,
                "stopped early: shares on the seeds of the selection, not on fresh seeds",
            )?;
        }
        told::line(out, &format!("{}: the best of {} candidates", self.wanted, self.many))?;
        let line = |came: &Came| {
            let [low, high] = came.outcome.interval.map(|edge| edge * 100.0);
            let share = came.outcome.share * 100.0;
            format!(
                "  {share:5.1}%  {low:.1} to {high:.1} of {} runs  {} {}",
                came.runs,
                came.bot,
                text::clean(&came.options)
            )
        };
        self.best.iter().try_for_each(|came| told::line(out, &line(came)))?;
        if let (Some(middle), Some(above)) = (&self.middle, self.above()) {
            told::line(
                out,
                &format!("the median candidate:\n{}", line(middle)).replace('\n', "; "),
            )?;
            told::line(out, &format!("the best is {above:.1} percentage points above the median"))?;
        }
        if !self.alike.is_empty() {
            told::line(out, &format!("in common: {}", self.alike.join(", ")))?;
        }
        Ok(())
    }
}
