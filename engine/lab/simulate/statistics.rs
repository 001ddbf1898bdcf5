//! Statistics of many runs: shares with intervals, distributions of numbers, and text graphics of
//! both.

use serde::Serialize;

/// Block characters from empty to full, horizontal and vertical.
const HORIZONTAL_BLOCKS: [char; 9] = [' ', '▏', '▎', '▍', '▌', '▋', '▊', '▉', '█'];
const VERTICAL_BLOCKS: [char; 9] = [' ', '▁', '▂', '▃', '▄', '▅', '▆', '▇', '█'];

/// How often something happened in how many runs.
#[derive(Clone, Debug, Serialize)]
pub(crate) struct OutcomeShare {
    /// The count.
    pub(crate) count: usize,
    /// The share, from 0 to 1.
    pub(crate) share: f64,
    /// The 95% confidence interval of the share (Wilson).
    pub(crate) interval: [f64; 2],
}

impl OutcomeShare {
    /// The share of `count` in `total`.
    pub(crate) fn new(count: usize, total: usize) -> Self {
        let (hits, runs) = (count as f64, total.max(1) as f64);
        let z = 1.959_963_984_540_054_f64;
        let share = hits / runs;
        let center = (share + z * z / (2.0 * runs)) / (1.0 + z * z / runs);
        let half_width = z / (1.0 + z * z / runs)
            * (share * (1.0 - share) / runs + z * z / (4.0 * runs * runs)).sqrt();
        Self {
            count,
            share,
            interval: [(center - half_width).max(0.0), (center + half_width).min(1.0)],
        }
    }
}

/// The distribution of a number over runs.
#[derive(Clone, Debug, Serialize)]
pub(crate) struct Distribution {
    /// The mean.
    pub(crate) mean: f64,
    /// The minimum, the 10%, 50% and 90% quantiles, and the maximum.
    pub(crate) quantiles: [i64; 5],
    /// The number of runs in each bin between the minimum and the maximum.
    #[serde(rename = "parts")]
    pub(crate) bin_counts: Vec<usize>,
}

/// The number of bins of a histogram.
const HISTOGRAM_BINS: i64 = 24;

impl Distribution {
    /// The distribution of some numbers; `None` if there are none.
    pub(crate) fn from_numbers(numbers: &[i64]) -> Option<Self> {
        let mut sorted = numbers.to_vec();
        sorted.sort_unstable();
        let (least, most) = (*sorted.first()?, *sorted.last()?);
        let at = |tenths: usize| sorted[(sorted.len() - 1) * tenths / 10];
        let sum: i128 = sorted.iter().map(|number| i128::from(*number)).sum();
        let width = (most - least + 1 + HISTOGRAM_BINS - 1) / HISTOGRAM_BINS;
        let mut parts = vec![0; usize::try_from((most - least) / width + 1).unwrap_or(1)];
        for number in &sorted {
            parts[usize::try_from((number - least) / width).unwrap_or(0)] += 1;
        }
        let mean = sum as f64 / sorted.len() as f64;
        Some(Self { mean, quantiles: [least, at(1), at(5), at(9), most], bin_counts: parts })
    }

    /// The histogram on one line.
    pub(crate) fn histogram(&self) -> String {
        let tallest = self.bin_counts.iter().copied().max().unwrap_or(1).max(1);
        let cell = |count: &usize| VERTICAL_BLOCKS[(count * 8).div_ceil(tallest).min(8)];
        self.bin_counts.iter().map(cell).collect()
    }
}

/// A bar for a share, of at most `cells` cells.
pub(crate) fn share_bar(share: f64, cells: usize) -> String {
    let eighths = (share * cells as f64 * 8.0).round().max(0.0) as usize;
    let mut bar = "█".repeat(eighths / 8);
    if !eighths.is_multiple_of(8) {
        bar.push(HORIZONTAL_BLOCKS[eighths % 8]);
    }
    bar
}
