//! A sample of the mutants, drawn by a seed: which ones depends on the mutants and the seed alone.

use std::fmt;

use serde::Serialize;

use super::plan::PlannedMutant;
use crate::simulate::OutcomeShare;
use base::digest::Hasher;

/// How many mutants are tried, and of how many.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct MutantSample {
    /// The number of all mutants.
    pub(super) of_mutants: usize,
    /// The seed that it was drawn by.
    pub(super) seed: u64,
}

impl MutantSample {
    /// Keeps `count` of the mutants, in their order.
    pub(super) fn draw(mutants: &mut Vec<PlannedMutant>, count: usize, seed: u64) -> Self {
        let sample = Self { of_mutants: mutants.len(), seed };
        let mut ranks: Vec<(u64, usize)> = mutants
            .iter()
            .enumerate()
            .map(|(index, planned)| (rank(planned, seed), index))
            .collect();
        ranks.sort_unstable();
        ranks.truncate(count);
        let mut indexes: Vec<usize> = ranks.into_iter().map(|(_, index)| index).collect();
        indexes.sort_unstable();
        *mutants = indexes.into_iter().map(|index| mutants[index].clone()).collect();
        sample
    }
}

/// A number that is as good as random for each mutant and seed.
fn rank(planned: &PlannedMutant, seed: u64) -> u64 {
    let mutant = &planned.mutant;
    let mut hasher = Hasher::new("sample of mutants");
    hasher.feed_bytes(&seed.to_le_bytes());
    hasher.feed_text(&mutant.file).feed_count(mutant.start_byte).feed_count(mutant.end_byte);
    hasher.feed_text(&mutant.replacement);
    hasher.finish().low_u64()
}

/// The score of a sample.
#[derive(Serialize)]
pub(super) struct SampleReport {
    #[serde(rename = "of")]
    of_mutants: usize,
    seed: u64,
    /// The 95% confidence interval of the score, in percent.
    interval: [f64; 2],
}

impl SampleReport {
    pub(super) fn new(sample: MutantSample, good_mutants: usize, counted_mutants: usize) -> Self {
        let share = OutcomeShare::new(good_mutants, counted_mutants);
        let interval = share.interval.map(|share| (share * 1000.0).round() / 10.0);
        Self { of_mutants: sample.of_mutants, seed: sample.seed, interval }
    }
}

impl fmt::Display for SampleReport {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let [low, high] = self.interval;
        let Self { of_mutants, seed, .. } = self;
        write!(f, "a sample of {of_mutants} mutants (seed {seed}): ")?;
        write!(f, "the score of all is between {low:.1}% and {high:.1}% (95% interval)")
    }
}
