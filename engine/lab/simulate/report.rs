//! The report of a simulation: as a table, as JSON, as CSV. It does not depend on the machine or on
//! the number of threads.

use std::collections::{BTreeMap, BTreeSet};
use std::io::{self, Write};

use serde::{Deserialize, Serialize};
use serde_json::json;

use super::option_grid::RunGroup;
use super::statistics::{Distribution, OutcomeShare, share_bar};
use crate::automatic_run::RunEnd;
use author::output;
use base::{Problem, Value, text};

/// The number of Problems of a group that are shown in full.
const MAX_SHOWN_PROBLEMS: usize = 3;

/// The result of one run.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(super) struct RunRecord {
    #[serde(rename = "group")]
    pub(super) group_index: usize,
    pub(super) seed: u64,
    pub(super) steps: u64,
    #[serde(rename = "end")]
    pub(super) run_end: RunEnd,
}

/// The results of a simulation.
pub(super) struct SimulationReport<'a> {
    pub(super) bot: &'a str,
    pub(super) first_seed: u64,
    pub(super) runs_per_group: usize,
    pub(super) groups: &'a [RunGroup],
    pub(super) records: &'a [RunRecord],
}

/// The results of one group of runs.
#[derive(Serialize)]
pub(super) struct GroupResult {
    options: BTreeMap<String, String>,
    pub(super) runs: usize,
    pub(super) outcomes: BTreeMap<String, OutcomeShare>,
    pub(super) numbers: BTreeMap<String, Distribution>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub(super) problems: Vec<RunProblem>,
}

/// A Problem, and how many runs met it.
#[derive(Serialize)]
pub(super) struct RunProblem {
    pub(super) runs: usize,
    pub(super) seed: u64,
    pub(super) problem: Problem,
}

impl SimulationReport<'_> {
    pub(super) fn group_results(&self) -> Vec<GroupResult> {
        (0..self.groups.len()).map(|at| self.group_result(at)).collect()
    }

    fn group_result(&self, at: usize) -> GroupResult {
        let records: Vec<&RunRecord> =
            self.records.iter().filter(|one| one.group_index == at).collect();
        let mut counts = BTreeMap::<String, usize>::new();
        let mut numbers = BTreeMap::<String, Vec<i64>>::new();
        let mut problems = Vec::<RunProblem>::new();
        for record in &records {
            *counts.entry(record.run_end.outcome_word().to_owned()).or_default() += 1;
            numbers.entry("steps".to_owned()).or_default().push(record.steps as i64);
            match &record.run_end {
                RunEnd::Finished(table) => {
                    for (name, value) in table.as_map().into_iter().flatten() {
                        if let Value::Int(number) = value {
                            numbers.entry(name.to_string()).or_default().push(*number);
                        }
                    }
                }
                RunEnd::Problem(problem) => count_problem(&mut problems, problem, record.seed),
                RunEnd::Endless | RunEnd::Stopped => {}
            }
        }
        let runs = records.len();
        let share = |(name, count)| (name, OutcomeShare::new(count, runs));
        let spread =
            |(name, of): (String, Vec<i64>)| Some((name, Distribution::from_numbers(&of)?));
        GroupResult {
            options: self.groups[at].label.iter().cloned().collect(),
            runs,
            outcomes: counts.into_iter().map(share).collect(),
            numbers: numbers.into_iter().filter_map(spread).collect(),
            problems,
        }
    }

    /// Writes the report as a table.
    pub(super) fn write_table(&self, out: &mut dyn Write) -> io::Result<()> {
        let last = self.first_seed.wrapping_add((self.runs_per_group as u64).saturating_sub(1));
        let (count, seed) = (self.records.len(), self.first_seed);
        output::write_line(out, &format!("{count} runs by {}, seeds {seed} to {last}", self.bot))?;
        let planned_runs = self.runs_per_group * self.groups.len();
        if count < planned_runs {
            output::write_line(out, &format!("stopped; {} runs not played", planned_runs - count))?;
        }
        for (group, came) in self.groups.iter().zip(self.group_results()) {
            output::write_line(out, "")?;
            if !group.label.is_empty() {
                output::write_line(out, &format!("{}: {} runs", group.label_text(), came.runs))?;
            }
            came.write_text(out)?;
        }
        Ok(())
    }

    /// Writes the report as JSON.
    pub(super) fn write_json(&self, out: &mut dyn Write) -> io::Result<()> {
        let page = json!({ "bot": self.bot, "seed": self.first_seed, "runs": self.records.len(),
            "wanted": self.runs_per_group * self.groups.len(), "groups": self.group_results() });
        output::write_json(out, &page)
    }

    /// Writes one CSV line for each run.
    pub(super) fn write_csv(&self, out: &mut dyn Write) -> io::Result<()> {
        let options: BTreeSet<&String> =
            self.groups.iter().flat_map(|group| group.label.iter().map(|(name, _)| name)).collect();
        let mut numbers = BTreeSet::new();
        for record in self.records {
            if let RunEnd::Finished(table) = &record.run_end {
                let pairs = table.as_map().into_iter().flatten();
                let ints = pairs.filter(|(_, value)| matches!(value, Value::Int(_)));
                numbers.extend(ints.map(|(name, _)| name.to_string()));
            }
        }
        let mut head: Vec<String> = options.iter().map(|name| csv_cell(name)).collect();
        head.extend(["seed", "outcome", "steps"].map(str::to_owned));
        head.extend(numbers.iter().map(|name| csv_cell(name)));
        writeln!(out, "{}", head.join(","))?;
        for record in self.records {
            let label: BTreeMap<_, _> =
                self.groups[record.group_index].label.iter().cloned().collect();
            let option_cell =
                |name: &&String| csv_cell(label.get(*name).map_or("", String::as_str));
            let mut row: Vec<String> = options.iter().map(option_cell).collect();
            row.push(record.seed.to_string());
            row.push(csv_cell(record.run_end.outcome_word()));
            row.push(record.steps.to_string());
            row.extend(numbers.iter().map(|name| match &record.run_end {
                RunEnd::Finished(table) => {
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
fn count_problem(problems: &mut Vec<RunProblem>, problem: &Problem, seed: u64) {
    let same = |found: &&mut RunProblem| {
        found.problem.code == problem.code && found.problem.place == problem.place
    };
    match problems.iter_mut().find(same) {
        Some(found) => found.runs += 1,
        None => problems.push(RunProblem { runs: 1, seed, problem: problem.clone() }),
    }
}

impl GroupResult {
    fn write_text(&self, out: &mut dyn Write) -> io::Result<()> {
        let names = self.outcomes.keys().chain(self.numbers.keys());
        let width = names.map(|name| text::display_width(name)).max().unwrap_or(0).max(8);
        let of_hundred = |share: f64| share * 100.0;
        for (name, share) in &self.outcomes {
            let [low, high] = share.interval.map(of_hundred);
            output::write_line(
                out,
                &format!(
                    "  {name:width$} {:>7} {:>6.1}%  {low:>5.1} to {high:>5.1}%  {}",
                    share.count,
                    of_hundred(share.share),
                    share_bar(share.share, 24)
                ),
            )?;
        }
        let head = ["mean", "min", "10%", "median", "90%", "max"];
        let head: String = head.iter().map(|word| format!("{word:>8}")).collect();
        output::write_line(out, &format!("  {:width$}{head}", ""))?;
        for (name, spread) in &self.numbers {
            let marks: String = spread.quantiles.iter().map(|n| format!("{n:>8}")).collect();
            let line =
                format!("  {name:width$}{:>8.1}{marks}  {}", spread.mean, spread.histogram());
            output::write_line(out, line.trim_end())?;
        }
        for found in self.problems.iter().take(MAX_SHOWN_PROBLEMS) {
            let runs =
                if found.runs == 1 { "1 run".to_owned() } else { format!("{} runs", found.runs) };
            output::write_line(out, &format!("\n{runs}, first with seed {}:", found.seed))?;
            output::write_line(out, &found.problem.to_string())?;
        }
        match self.problems.len().saturating_sub(MAX_SHOWN_PROBLEMS) {
            0 => Ok(()),
            more => output::write_line(
                out,
                &format!("\nmore kinds of errors: {more}; --json lists all"),
            ),
        }
    }
}

/// Escapes a cell of CSV.
fn csv_cell(text: &str) -> String {
    if text.contains([',', '"', '\n']) {
        return format!("\"{}\"", text.replace('"', "\"\""));
    }
    text.to_owned()
}
