//! Digests: 128 bits of BLAKE3, written as 32 hex digits. They detect damage and divergence. They
//! do not protect against someone who rebuilds a whole file.

use std::fmt;
use std::str::FromStr;

use serde::de::Visitor;
use serde::{Deserialize, Deserializer, Serialize, Serializer};

/// A digest of 16 bytes.
#[derive(Clone, Copy, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Digest(pub [u8; 16]);

impl Digest {
    /// Digest of raw bytes.
    pub fn hash_bytes(bytes: &[u8]) -> Self {
        Self::from_hash(&blake3::hash(bytes))
    }

    fn from_hash(hash: &blake3::Hash) -> Self {
        let mut out = [0; 16];
        out.copy_from_slice(&hash.as_bytes()[..16]);
        Self(out)
    }

    /// The 32 hex digits of the digest.
    pub fn hex_digits(&self) -> [u8; 32] {
        const DIGITS: &[u8; 16] = b"0123456789abcdef";
        let mut out = [0; 32];
        for (pair, byte) in out.chunks_exact_mut(2).zip(self.0) {
            pair[0] = DIGITS[usize::from(byte >> 4)];
            pair[1] = DIGITS[usize::from(byte & 15)];
        }
        out
    }

    /// The first eight bytes as a number; names random streams.
    pub fn low_u64(&self) -> u64 {
        let mut low = [0; 8];
        low.copy_from_slice(&self.0[..8]);
        u64::from_le_bytes(low)
    }
}

/// Builds a digest of several parts. Every part carries its length, so two different sequences of
/// parts never feed the same bytes.
#[derive(Clone, Debug)]
pub struct Hasher {
    /// Buffer for short input. It is digested in one call at the end, so most digests never
    /// allocate the two kilobytes of an incremental hasher.
    short_input: [u8; MAX_SHORT_INPUT_BYTES],
    short_input_length: usize,
    /// The incremental hasher, used once the input is longer than [`MAX_SHORT_INPUT_BYTES`].
    long_input: Option<Box<LongInput>>,
}

/// Input that is too long for one call. It is digested in blocks of [`LONG_INPUT_BLOCK_BYTES`]
/// bytes, because BLAKE3 hashes several chunks of such a block in parallel.
#[derive(Clone, Debug)]
struct LongInput {
    hasher: blake3::Hasher,
    unhashed_bytes: Vec<u8>,
}

/// Most bytes that are digested in one call.
const MAX_SHORT_INPUT_BYTES: usize = 512;
/// Block size for long input, in bytes.
const LONG_INPUT_BLOCK_BYTES: usize = 16 * 1024;

impl Hasher {
    /// Creates a hasher for one purpose. The purpose is part of the digest, so digests of different
    /// purposes never collide.
    pub fn new(purpose: &str) -> Self {
        let mut hasher = Self {
            short_input: [0; MAX_SHORT_INPUT_BYTES],
            short_input_length: 0,
            long_input: None,
        };
        hasher.feed_text(purpose);
        hasher
    }

    /// Feeds one byte that tags what follows.
    #[inline]
    pub fn feed_tag(&mut self, tag: u8) -> &mut Self {
        self.feed_bytes(&[tag])
    }

    /// Feeds bytes whose length is fixed by the format.
    #[inline]
    pub fn feed_bytes(&mut self, bytes: &[u8]) -> &mut Self {
        match self
            .short_input
            .get_mut(self.short_input_length..self.short_input_length + bytes.len())
        {
            Some(room) => {
                room.copy_from_slice(bytes);
                self.short_input_length += bytes.len();
            }
            None => self.feed_long(bytes),
        }
        self
    }

    /// Feeds a count.
    #[inline]
    pub fn feed_count(&mut self, count: usize) -> &mut Self {
        self.feed_bytes(&(count as u64).to_le_bytes())
    }

    /// Feeds a text, preceded by its length.
    #[inline]
    pub fn feed_text(&mut self, text: &str) -> &mut Self {
        self.feed_count(text.len()).feed_bytes(text.as_bytes())
    }

    /// Returns the digest of everything fed so far.
    pub fn finish(&self) -> Digest {
        Digest::from_hash(&match &self.long_input {
            Some(long) => long.hasher.clone().update(&long.unhashed_bytes).finalize(),
            None => blake3::hash(&self.short_input[..self.short_input_length]),
        })
    }

    fn feed_long(&mut self, bytes: &[u8]) {
        let long = self.long_input.get_or_insert_with(|| {
            let buffered_bytes = self.short_input[..self.short_input_length].to_vec();
            Box::new(LongInput { hasher: blake3::Hasher::new(), unhashed_bytes: buffered_bytes })
        });
        let mut rest = bytes;
        while long.unhashed_bytes.len() + rest.len() >= LONG_INPUT_BLOCK_BYTES {
            let (now, later) = rest.split_at(LONG_INPUT_BLOCK_BYTES - long.unhashed_bytes.len());
            long.unhashed_bytes.extend_from_slice(now);
            long.hasher.update(&long.unhashed_bytes);
            long.unhashed_bytes.clear();
            rest = later;
        }
        long.unhashed_bytes.extend_from_slice(rest);
        // From here on the short buffer is full: all further input goes to the incremental hasher.
        self.short_input_length = MAX_SHORT_INPUT_BYTES;
    }
}

impl fmt::Display for Digest {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(std::str::from_utf8(&self.hex_digits()).map_err(|_| fmt::Error)?)
    }
}

impl fmt::Debug for Digest {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, f)
    }
}

impl FromStr for Digest {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let parse_error = || format!("\"{text}\" is not a digest; expected 32 hex digits");
        if text.len() != 32 || !text.is_ascii() {
            return Err(parse_error());
        }
        let mut out = [0; 16];
        for (byte, pair) in out.iter_mut().zip(text.as_bytes().chunks_exact(2)) {
            let digit = |at: usize| char::from(pair[at]).to_digit(16).ok_or_else(parse_error);
            *byte = (digit(0)? << 4 | digit(1)?) as u8;
        }
        Ok(Self(out))
    }
}

impl Serialize for Digest {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let digits = self.hex_digits();
        serializer.serialize_str(std::str::from_utf8(&digits).map_err(serde::ser::Error::custom)?)
    }
}

impl<'de> Deserialize<'de> for Digest {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_str(DigestVisitor)
    }
}

/// Parses a digest in place, without an owned string: a journal has one in every second line.
struct DigestVisitor;

impl Visitor<'_> for DigestVisitor {
    type Value = Digest;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a digest of 32 hex digits")
    }

    fn visit_str<E: serde::de::Error>(self, text: &str) -> Result<Digest, E> {
        text.parse().map_err(E::custom)
    }
}
