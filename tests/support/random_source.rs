//! Random numbers for tests, from a seed alone or from given bytes, so that a failure can be
//! repeated.

use std::collections::VecDeque;

/// The source of the numbers.
pub enum RandomSource {
    /// Knuth's linear congruential generator, its upper bits.
    Seed(u64),
    /// Bytes, each used once; zero after the last.
    #[allow(dead_code)] // a guided fuzzer thinks of them, and the benchmarks have none
    Bytes(VecDeque<u8>),
}

impl RandomSource {
    /// The numbers of a seed.
    pub fn from_seed(seed: u64) -> Self {
        Self::Seed(seed)
    }

    /// The numbers of these bytes.
    #[allow(dead_code)] // as above
    pub fn from_bytes(bytes: &[u8]) -> Self {
        Self::Bytes(bytes.iter().copied().collect())
    }

    /// The next number below `limit`, or 0 if `limit` is 0.
    pub fn next_below(&mut self, limit: u64) -> u64 {
        let number = match self {
            Self::Seed(seed) => {
                *seed = seed
                    .wrapping_mul(6_364_136_223_846_793_005)
                    .wrapping_add(1_442_695_040_888_963_407);
                *seed >> 33
            }
            Self::Bytes(bytes) => bytes.pop_front().map_or(0, u64::from),
        };
        number % limit.max(1)
    }

    /// An index below `count`.
    pub fn next_index(&mut self, count: usize) -> usize {
        usize::try_from(self.next_below(count as u64)).unwrap()
    }
}
