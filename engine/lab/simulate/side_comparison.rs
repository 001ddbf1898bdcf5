//! Compares two sets of mods on the same seeds and tells differences from noise. Each seed is
//! played on both sides, so only the difference of a pair counts. It is judged by its variation
//! from seed to seed, and more strictly if there are more lines.

use std::collections::{BTreeMap, BTreeSet};
use std::io;

use serde::Serialize;
use serde_json::json;

use super::option_grid::RunGroup;
use super::report::RunRecord;
use crate::automatic_run::RunEnd;
use author::CommandOutput;
use author::output;
use base::{Value, text};

/// The runs of both sides.
pub(super) struct SideComparison<'a> {
    pub(super) bot: &'a str,
    pub(super) groups: &'a [RunGroup],
    pub(super) first_records: &'a [RunRecord],
    pub(super) second_records: &'a [RunRecord],
}

/// The significance of a difference.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
enum Significance {
    /// Significant over all lines of the comparison (p < 0.05).
    Differs,
    /// Significant for this line alone (p < 0.05); of many lines, some look so by chance.
    Perhaps,
    /// Not significant.
    Noise,
}

/// One line of a comparison.
#[derive(Debug, Serialize)]
struct ComparisonLine {
    name: String,
    /// Whether it is the share of an outcome, else the mean of a number.
    #[serde(rename = "share")]
    is_outcome_share: bool,
    #[serde(rename = "one")]
    first_mean: f64,
    #[serde(rename = "other")]
    second_mean: f64,
    /// B minus A, and its 95% confidence interval.
    difference: f64,
    interval: [f64; 2],
    verdict: Significance,
}

/// With fewer seeds, nothing is significant.
const MIN_SEEDS_FOR_SIGNIFICANCE: usize = 20;

/// The values of one run by name; 1 for its outcome.
type RunNumbers = BTreeMap<(bool, String), f64>;

impl SideComparison<'_> {
    /// Writes the comparison as a table.
    pub(super) fn write_table(
        &self,
        out: &mut dyn CommandOutput,
        names: &[String; 2],
    ) -> io::Result<()> {
        output::write_line(out, &format!("played by {} on the same seeds", self.bot))?;
        output::write_line(out, &format!("  A: {}", names[0]))?;
        output::write_line(out, &format!("  B: {}", names[1]))?;
        for (at, group) in self.groups.iter().enumerate() {
            let (pairs, lines) = self.comparison_lines(at);
            output::write_line(out, "")?;
            let name = group.label_text();
            let colon = if name.is_empty() { "" } else { ": " };
            output::write_line(out, &format!("{name}{colon}{pairs} seeds"))?;
            let width =
                lines.iter().map(|line| text::display_width(&line.name)).max().unwrap_or(0).max(8);
            let head = format!("{:>9}{:>9}{:>9}{:>20}", "A", "B", "B - A", "95% interval");
            output::write_line(out, &format!("  {:width$}{head}", ""))?;
            for line in lines {
                output::write_line(out, &line.row_text(width))?;
            }
        }
        output::write_line(out, "")?;
        output::write_line(
            out,
            "differs: significant (p < 0.05 over all lines); perhaps: p < 0.05 for this line",
        )?;
        output::write_line(
            out,
            "only, so some of many lines show it by chance; noise: not significant",
        )
    }

    /// Writes the comparison as JSON.
    pub(super) fn write_json(
        &self,
        out: &mut dyn CommandOutput,
        names: &[String; 2],
    ) -> io::Result<()> {
        let groups: Vec<_> = (0..self.groups.len())
            .map(|at| {
                let (pairs, lines) = self.comparison_lines(at);
                let options: BTreeMap<_, _> = self.groups[at].label.iter().cloned().collect();
                json!({ "options": options, "seeds": pairs, "lines": lines })
            })
            .collect();
        let page = json!({ "bot": self.bot, "one": names[0], "other": names[1], "groups": groups });
        output::write_json(out, &page)
    }

    /// The lines of one group, and its number of seeds.
    fn comparison_lines(&self, group: usize) -> (usize, Vec<ComparisonLine>) {
        let numbers_by_seed = |records: &[RunRecord]| -> BTreeMap<u64, RunNumbers> {
            let group_records = records.iter().filter(|record| record.group_index == group);
            group_records.map(|record| (record.seed, run_numbers(record))).collect()
        };
        let (one, other) =
            (numbers_by_seed(self.first_records), numbers_by_seed(self.second_records));
        let pairs: Vec<(&RunNumbers, &RunNumbers)> =
            one.iter().filter_map(|(seed, mine)| Some((mine, other.get(seed)?))).collect();
        let names: BTreeSet<&(bool, String)> =
            pairs.iter().flat_map(|(one, other)| one.keys().chain(other.keys())).collect();
        let lines = names.len() * self.groups.len();
        let lines = names.iter().rev().filter_map(|name| comparison_line(name, &pairs, lines));
        (pairs.len(), lines.collect())
    }
}

/// The values of one run.
fn run_numbers(record: &RunRecord) -> RunNumbers {
    let mut numbers = RunNumbers::from([((false, "steps".to_owned()), record.steps as f64)]);
    numbers.insert((true, record.run_end.outcome_word().to_owned()), 1.0);
    if let RunEnd::Finished(table) = &record.run_end {
        for (name, value) in table.as_map().into_iter().flatten() {
            if let Value::Int(number) = value {
                numbers.insert((false, name.to_string()), *number as f64);
            }
        }
    }
    numbers
}

/// One line, of `lines` in the whole comparison. An outcome that did not happen counts 0; a pair in
/// which one run does not have the number is left out.
fn comparison_line(
    name: &(bool, String),
    pairs: &[(&RunNumbers, &RunNumbers)],
    lines: usize,
) -> Option<ComparisonLine> {
    let share = name.0;
    let value = |numbers: &RunNumbers| match numbers.get(name) {
        Some(value) => Some(*value),
        None => share.then_some(0.0),
    };
    let value_pairs: Vec<(f64, f64)> =
        pairs.iter().filter_map(|(one, other)| Some((value(one)?, value(other)?))).collect();
    let count = value_pairs.len() as f64;
    if value_pairs.is_empty() {
        return None;
    }
    let mean = |of: &dyn Fn(&(f64, f64)) -> f64| value_pairs.iter().map(of).sum::<f64>() / count;
    let (one, other) = (mean(&|pair| pair.0), mean(&|pair| pair.1));
    let difference = other - one;
    let spread = mean(&|pair| (pair.1 - pair.0 - difference).powi(2));
    let error = (spread / (count - 1.0).max(1.0)).sqrt();
    // Few seeds say little about others. A difference that is the same on many seeds is
    // significant.
    let error_count = match error {
        _ if value_pairs.len() < MIN_SEEDS_FOR_SIGNIFICANCE || difference == 0.0 => 0.0,
        error => difference.abs() / error,
    };
    let verdict = match error_count {
        far if far > critical_value(lines) => Significance::Differs,
        far if far > critical_value(1) => Significance::Perhaps,
        _ => Significance::Noise,
    };
    let interval = [difference - critical_value(1) * error, difference + critical_value(1) * error];
    Some(ComparisonLine {
        name: name.1.clone(),
        is_outcome_share: share,
        first_mean: one,
        second_mean: other,
        difference,
        interval,
        verdict,
    })
}

/// The critical number of standard errors for p < 0.05 over `lines` lines (Bonferroni).
pub fn critical_value(lines: usize) -> f64 {
    // The quantile of the normal distribution by Hastings' approximation, accurate to 0.001.
    let t = (-2.0 * (0.025 / lines.max(1) as f64).ln()).sqrt();
    let above = 2.515_517 + 0.802_853 * t + 0.010_328 * t * t;
    t - above / (1.0 + 1.432_788 * t + 0.189_269 * t * t + 0.001_308 * t * t * t)
}

impl ComparisonLine {
    fn row_text(&self, width: usize) -> String {
        let number = |value: f64| match self.is_outcome_share {
            true => format!("{:.1}%", value * 100.0),
            false => format!("{value:.2}"),
        };
        let signed = |value: f64| {
            let sign = if value > 0.0 { "+" } else { "" };
            format!("{sign}{}", number(value))
        };
        let [low, high] = self.interval.map(signed);
        let verdict = match self.verdict {
            Significance::Differs => "differs",
            Significance::Perhaps => "perhaps",
            Significance::Noise => "noise",
        };
        format!(
            "  {:width$}{:>9}{:>9}{:>9}{:>20}  {verdict}",
            self.name,
            number(self.first_mean),
            number(self.second_mean),
            signed(self.difference),
            format!("{low} to {high}"),
        )
    }
}
