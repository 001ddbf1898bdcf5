//! Streams: one named sequence of random words each, so an extra roll in one stream never shifts
//! another.
//!
//! The output is frozen, because runs are replayed from it; the tests hold golden values.
//!
//! * The words of a stream are those of ChaCha with 8 rounds. The key is the run's seed as 8 bytes,
//!   little-endian, followed by 24 zeros; the stream number is the low 8 bytes of the digest
//!   (`base::digest`, purpose `stream`) of the stream's name.
//! * A draw among `n` takes words until one lies below the greatest multiple of `n` that is at most
//!   2^32, and is that word modulo `n`, plus one. It always takes at least one word.
//! * The position of a stream is the number of words taken from it.
//!
//! A test may write the first draws of a stream itself (`script_draws`); each takes one word.

use std::collections::BTreeMap;

use rand_chacha::ChaCha8Rng;
use rand_chacha::rand_core::{Rng, SeedableRng};

use base::digest::Hasher;
use base::{Digest, limits};

/// The greatest position that is restored. Draws from there on do not overflow.
const MAX_POSITION: u64 = 1 << 53;

/// All streams of a run.
#[derive(Clone, Debug)]
pub struct RandomStreams {
    seed: u64,
    /// In the order of first use. A stream that was rolled back to its beginning stays.
    streams: Vec<RandomStream>,
    by_name: BTreeMap<String, usize>,
}

#[derive(Clone, Debug)]
struct RandomStream {
    generator: ChaCha8Rng,
    position: u64,
    /// The results of the first draws, where a test sets them.
    scripted_draws: Vec<u32>,
    /// The first of them that was no face of its die, with the sides of that die.
    unfit_draw: Option<(u32, u32)>,
}

/// The seed and the positions of all streams at one point in time.
#[derive(Clone, Debug)]
pub struct StreamsSavepoint {
    seed: u64,
    positions: Vec<u64>,
}

impl RandomStreams {
    /// Creates the streams of a run, all at their beginning.
    pub fn new(seed: u64) -> Self {
        Self { seed, streams: Vec::new(), by_name: BTreeMap::new() }
    }

    /// Creates streams at the given positions. An error says which position no run can reach.
    pub fn restore(seed: u64, positions: BTreeMap<String, u64>) -> Result<Self, String> {
        let mut streams = Self::new(seed);
        streams.set_positions(&positions)?;
        Ok(streams)
    }

    /// Moves streams to positions. An error says which position no run can reach.
    pub fn set_positions(&mut self, positions: &BTreeMap<String, u64>) -> Result<(), String> {
        for (name, position) in positions {
            if *position > MAX_POSITION {
                return Err(format!("the dice of \"{name}\" are at position {position}"));
            }
            let at = match self.by_name.get(name) {
                Some(at) => *at,
                None => {
                    self.check_stream_available(name)?;
                    self.add_stream(name)
                }
            };
            self.streams[at].seek_to_position(*position);
        }
        Ok(())
    }

    /// The run's seed.
    pub fn seed(&self) -> u64 {
        self.seed
    }

    /// Checks that a stream may be drawn from: it is in use, or there is room for one more. Call it
    /// before a draw from a name that a mod chose.
    pub fn check_stream_available(&self, stream: &str) -> Result<(), String> {
        if stream.len() > 2 * limits::MAX_ID_PART_BYTES + 1 {
            return Err(format!(
                "the stream's name is longer than {} bytes",
                limits::MAX_ID_PART_BYTES
            ));
        }
        if self.streams.len() < limits::MAX_STREAMS || self.by_name.contains_key(stream) {
            return Ok(());
        }
        Err(format!(
            "\"{stream}\" would be stream number {}; a run has at most {}",
            limits::MAX_STREAMS + 1,
            limits::MAX_STREAMS
        ))
    }

    /// Draws a number from 1 to `sides`.
    pub fn draw(&mut self, stream: &str, sides: u32) -> u32 {
        self.stream_mut(stream).draw(sides)
    }

    fn stream_mut(&mut self, stream: &str) -> &mut RandomStream {
        let at = match self.by_name.get(stream) {
            Some(at) => *at,
            None => self.add_stream(stream),
        };
        &mut self.streams[at]
    }

    /// Sets the results of the first draws from a stream. Call it before any draw.
    pub fn script_draws(&mut self, stream: &str, numbers: &[u32]) -> Result<(), String> {
        self.check_stream_available(stream)?;
        self.stream_mut(stream).scripted_draws = numbers.to_vec();
        Ok(())
    }

    /// What is wrong with the scripted draws of a stream after a run, by stream. A run that stopped
    /// early may have draws left.
    pub fn scripted_draw_faults(&self, is_stopped_early: bool) -> BTreeMap<String, String> {
        let faults = self.by_name.iter().filter_map(|(name, at)| {
            let stream = &self.streams[*at];
            let (drawn, scripted) = (stream.position, stream.scripted_draws.len());
            let fault = match stream.unfit_draw {
                Some((number, sides)) => format!("{number} is no face of a die with {sides} sides"),
                None if drawn < scripted as u64 && (drawn == 0 || !is_stopped_early) => {
                    format!("of {scripted} numbers the run draws {drawn}")
                }
                None => return None,
            };
            Some((name.clone(), fault))
        });
        faults.collect()
    }

    /// The number of words taken from each stream in use.
    pub fn stream_positions(&self) -> BTreeMap<String, u64> {
        let positions = self.by_name.iter().map(|(name, at)| (name, self.streams[*at].position));
        positions.filter(|(_, position)| *position > 0).map(|(n, p)| (n.clone(), p)).collect()
    }

    /// Records the current positions for a rollback.
    pub fn savepoint(&self) -> StreamsSavepoint {
        let positions = self.streams.iter().map(|stream| stream.position).collect();
        StreamsSavepoint { seed: self.seed, positions }
    }

    /// The seed, if it was replaced since a savepoint.
    pub fn replaced_seed_since(&self, mark: &StreamsSavepoint) -> Option<u64> {
        (self.seed != mark.seed).then_some(self.seed)
    }

    /// The streams that were drawn from since a savepoint, with their positions: all streams in use
    /// if the seed was replaced.
    pub fn streams_drawn_since(&self, mark: &StreamsSavepoint) -> Vec<(String, u64)> {
        let before = |at: usize| match self.seed == mark.seed {
            true => mark.positions.get(at).copied().unwrap_or(0),
            false => 0,
        };
        let named_positions =
            self.by_name.iter().map(|(name, at)| (name, *at, self.streams[*at].position));
        named_positions
            .filter(|(_, at, position)| *position != before(*at))
            .map(|(name, _, position)| (name.to_string(), position))
            .collect()
    }

    /// Restores the positions of a savepoint.
    pub fn rollback_to(&mut self, mark: &StreamsSavepoint) {
        let before = mark.positions.iter().copied().chain(std::iter::repeat(0));
        for (stream, before) in self.streams.iter_mut().zip(before) {
            stream.seek_to_position(before);
        }
    }

    /// Digest of the seed and all positions.
    pub fn digest(&self) -> Digest {
        let mut hasher = Hasher::new("dice");
        hasher.feed_bytes(&self.seed.to_le_bytes());
        for (name, at) in &self.by_name {
            let position = self.streams[*at].position;
            if position > 0 {
                hasher.feed_text(name).feed_bytes(&position.to_le_bytes());
            }
        }
        hasher.finish()
    }

    fn add_stream(&mut self, name: &str) -> usize {
        let mut key = [0; 32];
        key[..8].copy_from_slice(&self.seed.to_le_bytes());
        let mut words = ChaCha8Rng::from_seed(key);
        words.set_stream(Hasher::new("stream").feed_text(name).finish().low_u64());
        self.streams.push(RandomStream {
            generator: words,
            position: 0,
            scripted_draws: Vec::new(),
            unfit_draw: None,
        });
        self.by_name.insert(name.to_owned(), self.streams.len() - 1);
        self.streams.len() - 1
    }
}

impl Default for RandomStreams {
    fn default() -> Self {
        Self::new(0)
    }
}

impl RandomStream {
    fn draw(&mut self, sides: u32) -> u32 {
        assert!(sides > 0, "callers refuse a die without sides");
        if let Some(number) = self.next_scripted_draw() {
            return self.take_scripted_draw(number, sides);
        }
        let bound = (1 << 32) - (1_u64 << 32) % u64::from(sides);
        loop {
            let word = self.generator.next_u32();
            self.position += 1;
            if u64::from(word) < bound {
                return word % sides + 1;
            }
        }
    }

    fn next_scripted_draw(&self) -> Option<u32> {
        self.scripted_draws.get(usize::try_from(self.position).ok()?).copied()
    }

    /// Takes one word, so that rollback and restore work as for any draw.
    fn take_scripted_draw(&mut self, number: u32, sides: u32) -> u32 {
        self.generator.next_u32();
        self.position += 1;
        if !(1..=sides).contains(&number) {
            self.unfit_draw.get_or_insert((number, sides));
        }
        number.clamp(1, sides)
    }

    fn seek_to_position(&mut self, position: u64) {
        if self.position != position {
            self.generator.set_word_pos(u128::from(position));
            self.position = position;
        }
    }
}
