//! The report of a simulation: as a table, as JSON, as CSV. It does not depend on the machine or on
//! the number of threads.

use std::collections::{BTreeMap, BTreeSet};
use std::io::{self, Write};

use serde::{Deserialize, Serialize};
use serde_json::json;

use super::figures::{Share, Spread, bar};
use super::grid::Group;
use crate::kit::{Problem, Value, text};
use crate::workshop::playing::End;
use crate::workshop::told;

/// The number of Problems of a group that are shown in full.
const TOLD: usize = 3;

/// The result of one run.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(super) struct Record {
    pub(super) group: usize,
    pub(super) seed: u64,
    pub(super) steps: u64,
    pub(super) end: End,
}

/// The results of a simulation.
pub(super) struct Report<'a> {
    pub(super) bot: &'a str,
    pub(super) first_seed: u64,
    pub(super) wanted: usize,
    pub(super) groups: &'a [Group],
    pub(super) records: &'a [Record],
}

/// The results of one group of runs.
#[derive(Serialize)]
struct Came {
    options: BTreeMap<String, String>,
    runs: usize,
    outcomes: BTreeMap<String, Share>,
    numbers: BTreeMap<String, Spread>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    problems: Vec<Found>,
}

/// A Problem, and how many runs met it.
#[derive(Serialize)]
struct Found {
    runs: usize,
    seed: u64,
    problem: Problem,
}

impl Report<'_> {
    fn came(&self) -> Vec<Came> {
        (0..self.groups.len()).map(|at| self.group(at)).collect()
    }

    fn group(&self, at: usize) -> Came {
        let records: Vec<&Record> = self.records.iter().filter(|one| one.group == at).collect();
        let mut counts = BTreeMap::<String, usize>::new();
        let mut numbers = BTreeMap::<String, Vec<i64>>::new();
        let mut problems = Vec::<Found>::new();
        for record in &records {
            *counts.entry(record.end.word().to_owned()).or_default() += 1;
            numbers.entry("steps".to_owned()).or_default().push(record.steps as i64);
            match &record.end {
                End::Finished(table) => {
                    for (name, value) in table.as_map().into_iter().flatten() {
                        if let Value::Int(number) = value {
                            numbers.entry(name.to_string()).or_default().push(*number);
                        }
                    }
                }
                End::Problem(problem) => note(&mut problems, problem, record.seed),
                End::Endless | End::Stopped => {}
            }
        }
        let runs = records.len();
        let share = |(name, count)| (name, Share::of(count, runs));
        let spread = |(name, of): (String, Vec<i64>)| Some((name, Spread::of(&of)?));
        Came {
            options: self.groups[at].label.iter().cloned().collect(),
            runs,
            outcomes: counts.into_iter().map(share).collect(),
            numbers: numbers.into_iter().filter_map(spread).collect(),
            problems,
        }
    }

    /// Writes the report as a table.
    pub(super) fn table(&self, out: &mut dyn Write) -> io::Result<()> {
        let last = self.first_seed.wrapping_add((self.wanted as u64).saturating_sub(1));
        let (count, seed) = (self.records.len(), self.first_seed);
        told::line(out, &format!("{count} runs by {}, seeds {seed} to {last}", self.bot))?;
        let whole = self.wanted * self.groups.len();
        if count < whole {
            told::line(out, &format!("stopped; {} runs not played", whole - count))?;
        }
        for (group, came) in self.groups.iter().zip(self.came()) {
            told::line(out, "")?;
            if !group.label.is_empty() {
                told::line(out, &format!("{}: {} runs", group.name(), came.runs))?;
            }
            came.tell(out)?;
        }
        Ok(())
    }

    /// Writes the report as JSON.
    pub(super) fn json(&self, out: &mut dyn Write) -> io::Result<()> {
        let page = json!({ "bot": self.bot, "seed": self.first_seed, "runs": self.records.len(),
            "wanted": self.wanted * self.groups.len(), "groups": self.came() });
        told::json(out, &page)
    }

    /// Writes one CSV line for each run.
    pub(super) fn csv(&self, out: &mut dyn Write) -> io::Result<()> {
        let options: BTreeSet<&String> =
            self.groups.iter().flat_map(|group| group.label.iter().map(|(name, _)| name)).collect();
        let mut numbers = BTreeSet::new();
        for record in self.records {
            if let End::Finished(table) = &record.end {
                let pairs = table.as_map().into_iter().flatten();
                let ints = pairs.filter(|(_, value)| matches!(value, Value::Int(_)));
                numbers.extend(ints.map(|(name, _)| name.to_string()));
            }
        }
        let mut head: Vec<String> = options.iter().map(|name| cell(name)).collect();
        head.extend(["seed", "outcome", "steps"].map(str::to_owned));
        head.extend(numbers.iter().map(|name| cell(name)));
        writeln!(out, "{}", head.join(","))?;
        for record in self.records {
            let label: BTreeMap<_, _> = self.groups[record.group].label.iter().cloned().collect();
            let of = |name: &&String| cell(label.get(*name).map_or("", String::as_str));
            let mut row: Vec<String> = options.iter().map(of).collect();
            row.push(record.seed.to_string());
            row.push(cell(record.end.word()));
            row.push(record.steps.to_string());
            row.extend(numbers.iter().map(|name| match &record.end {
                End::Finished(table) => {
                    table.get(name).and_then(Value::as_int).map_or(String::new(), |n| n.to_string())
                }
                _ => String::new(),
            }));
            writeln!(out, "{}", row.join(","))?;
        }
        Ok(())
    }
}

/// Counts a Problem with others of the same code and place.
fn note(problems: &mut Vec<Found>, problem: &Problem, seed: u64) {
    let same = |found: &&mut Found| {
        found.problem.code == problem.code && found.problem.place == problem.place
    };
    match problems.iter_mut().find(same) {
        Some(found) => found.runs += 1,
        None => problems.push(Found { runs: 1, seed, problem: problem.clone() }),
    }
}

impl Came {
    fn tell(&self, out: &mut dyn Write) -> io::Result<()> {
        let names = self.outcomes.keys().chain(self.numbers.keys());
        let width = names.map(|name| text::width(name)).max().unwrap_or(0).max(8);
        let of_hundred = |share: f64| share * 100.0;
        for (name, share) in &self.outcomes {
            let [low, high] = share.interval.map(of_hundred);
            told::line(
                out,
                &format!(
                    "  {name:width$} {:>7} {:>6.1}%  {low:>5.1} to {high:>5.1}%  {}",
                    share.count,
                    of_hundred(share.share),
                    bar(share.share, 24)
                ),
            )?;
        }
        let head = ["mean", "min", "10%", "median", "90%", "max"];
        let head: String = head.iter().map(|word| format!("{word:>8}")).collect();
        told::line(out, &format!("  {:width$}{head}", ""))?;
        for (name, spread) in &self.numbers {
            let marks: String = spread.quantiles.iter().map(|n| format!("{n:>8}")).collect();
            let line = format!("  {name:width$}{:>8.1}{marks}  {}", spread.mean, spread.picture());
            told::line(out, line.trim_end())?;
        }
        for found in self.problems.iter().take(TOLD) {
            let runs =
                if found.runs == 1 { "1 run".to_owned() } else { format!("{} runs", found.runs) };
            told::line(out, &format!("\n{runs}, first with seed {}:", found.seed))?;
            told::line(out, &found.problem.to_string())?;
        }
        match self.problems.len().saturating_sub(TOLD) {
            0 => Ok(()),
            more => told::line(out, &format!("\n{more} more kinds of errors; --json lists all")),
        }
    }
}

/// Escapes a cell of CSV.
fn cell(text: &str) -> String {
    if text.contains([',', '"', '\n']) {
        return format!("\"{}\"", text.replace('"', "\"\""));
    }
    text.to_owned()
}
