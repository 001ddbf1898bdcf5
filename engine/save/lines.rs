//! The lines of a journal as they come from the disk, one at a time: no more of it is held than a
//! block and the line that is read, however long it is.

use std::io::{self, Read};

use super::chain::{Stop, line_break, look};
use crate::kit::Digest;

/// How much is read at once, unless a line is longer.
const BLOCK: usize = 64 * 1024;

/// The lines, one after the other.
pub(super) struct Lines<'d> {
    source: Box<dyn Read + 'd>,
    held: Vec<u8>,
    /// Where the next line starts in what is held.
    from: usize,
    /// Whether nothing is left to read.
    all: bool,
    pub(super) bytes: u64,
    /// How many lines were given.
    pub(super) number: u64,
    chain: Digest,
    /// What the chain stopped at, once it did.
    pub(super) stop: Option<Stop>,
}

impl<'d> Lines<'d> {
    pub(super) fn of(source: Box<dyn Read + 'd>) -> Self {
        Self::behind(source, 0, Digest::default())
    }

    /// The lines behind one of this number and link.
    pub(super) fn behind(source: Box<dyn Read + 'd>, number: u64, chain: Digest) -> Self {
        let held = Vec::new();
        Self { source, held, from: 0, all: false, bytes: 0, number, chain, stop: None }
    }

    /// The entry of the next line, if the chain holds up to there.
    pub(super) fn next_entry(&mut self) -> io::Result<Option<&[u8]>> {
        let length = self.hold_line()?;
        let (start, number) = (self.from, self.number + 1);
        let rest = &self.held[start..];
        if self.stop.is_some() || rest.is_empty() {
            return Ok(None);
        }
        let end = start + length.map_or(rest.len(), |length| length + 1);
        let last = self.all && end == self.held.len();
        match look(rest, length, last, (number, self.chain)) {
            Ok((link, entry)) => {
                (self.from, self.number, self.chain) = (end, number, link);
                Ok(Some(&self.held[start + entry.start..start + entry.end]))
            }
            Err(stop) => {
                self.stop = Some(stop);
                Ok(None)
            }
        }
    }

    /// The text of the next line that ends, good or not. The chain is not followed.
    pub(super) fn next_text(&mut self) -> io::Result<Option<&[u8]>> {
        let Some(length) = self.hold_line()? else { return Ok(None) };
        let start = self.from;
        self.from = start + length + 1;
        Ok(Some(&self.held[start..start + length]))
    }

    /// Holds the next line and something behind it, or else all that is left; where its line break
    /// stands.
    fn hold_line(&mut self) -> io::Result<Option<usize>> {
        loop {
            let rest = &self.held[self.from..];
            let length = line_break(rest);
            if self.all || length.is_some_and(|length| length + 1 < rest.len()) {
                return Ok(length);
            }
            self.held.drain(..self.from);
            self.from = 0;
            // Of a line that is long as much again is read, so that it is not looked through too often.
            let more = BLOCK.max(self.held.len());
            self.held.reserve(more);
            let read = self.source.by_ref().take(more as u64).read_to_end(&mut self.held)?;
            self.all = read < more;
            self.bytes += read as u64;
        }
    }
}
