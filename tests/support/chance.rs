//! Numbers for tests that try much: from a seed and nothing else, so that a failure can be had again.

/// Knuth's linear congruential generator, its upper bits.
pub struct Chance(u64);

impl Chance {
    /// The numbers of a seed.
    pub fn of(seed: u64) -> Self {
        Self(seed)
    }

    /// The next one, from 0 to below `most`, or 0 where nothing is below.
    pub fn below(&mut self, most: u64) -> u64 {
        self.0 =
            self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (self.0 >> 33) % most.max(1)
    }

    /// The place of one of so many.
    pub fn index(&mut self, count: usize) -> usize {
        usize::try_from(self.below(count as u64)).unwrap()
    }
}
