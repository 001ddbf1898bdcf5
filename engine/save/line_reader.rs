//! Reads the lines of a journal from disk, one at a time. Memory holds one block and the current
//! line, however long the journal is.

use std::io::{self, Read};

use super::hash_chain::{ChainBreak, JournalPosition, check_first_line, find_line_break};
use super::size_limits::{MAX_LINE_BYTES, MAX_READ_JOURNAL_BYTES};

/// The size of a read, unless a line is longer.
const READ_BLOCK_BYTES: usize = 64 * 1024;
/// The part of a line after which its buffer gets the size of the longest line.
const LONG_LINE_BYTES: usize = 1024 * 1024;

/// An iterator over the lines.
pub(super) struct JournalLines<'d> {
    reader: Box<dyn Read + 'd>,
    buffer: Vec<u8>,
    /// The start of the next line in the buffer.
    next_line_start: usize,
    /// Whether the source is at its end.
    is_at_end: bool,
    bytes: u64,
    /// After the last line that was returned as an entry.
    pub(super) position: JournalPosition,
    /// The chain break, once it is reached.
    pub(super) chain_break: Option<ChainBreak>,
}

impl<'d> JournalLines<'d> {
    /// The lines from a position, where the source begins.
    pub(super) fn after_line(source: Box<dyn Read + 'd>, position: JournalPosition) -> Self {
        Self {
            reader: source,
            buffer: Vec::new(),
            next_line_start: 0,
            is_at_end: false,
            bytes: position.byte_count,
            position,
            chain_break: None,
        }
    }

    /// The number of bytes that were read, from the start of the file.
    pub(super) fn bytes(&self) -> u64 {
        self.bytes
    }

    /// Returns an error if more was read than a journal may have.
    pub(super) fn check_size(&self) -> io::Result<()> {
        match self.bytes > MAX_READ_JOURNAL_BYTES {
            true => Err(io::ErrorKind::FileTooLarge.into()),
            false => Ok(()),
        }
    }

    /// The entry of the next line, if the chain is valid up to it.
    pub(super) fn next_entry(&mut self) -> io::Result<Option<&[u8]>> {
        let length = self.buffer_line()?;
        let (start, line) = (self.next_line_start, self.position.line_count + 1);
        let rest = &self.buffer[start..];
        if self.chain_break.is_some() || rest.is_empty() {
            return Ok(None);
        }
        let end = start + length.map_or(rest.len(), |length| length + 1);
        let last = self.is_at_end && end == self.buffer.len();
        match check_first_line(rest, length, last, (line, self.position.chain_digest)) {
            Ok((link, entry)) => {
                let bytes = self.position.byte_count + (end - start) as u64;
                self.position =
                    JournalPosition { line_count: line, byte_count: bytes, chain_digest: link };
                self.next_line_start = end;
                Ok(Some(&self.buffer[start + entry.start..start + entry.end]))
            }
            Err(stop) => {
                self.chain_break = Some(stop);
                Ok(None)
            }
        }
    }

    /// Frees the buffer of a long line, once its entry is parsed: applying that takes memory too.
    pub(super) fn free_long_line(&mut self) {
        if self.next_line_start >= LONG_LINE_BYTES {
            self.buffer = self.buffer.split_off(self.next_line_start);
            self.next_line_start = 0;
        }
    }

    /// The text of the next complete line, valid or not. The chain is not checked.
    pub(super) fn next_line_text(&mut self) -> io::Result<Option<&[u8]>> {
        let Some(length) = self.buffer_line()? else { return Ok(None) };
        let start = self.next_line_start;
        self.next_line_start = start + length + 1;
        Ok(Some(&self.buffer[start..start + length]))
    }

    /// Buffers the next line and at least one more byte, or else the rest of the file. Returns the
    /// position of its line break.
    fn buffer_line(&mut self) -> io::Result<Option<usize>> {
        loop {
            let rest = &self.buffer[self.next_line_start..];
            let length = find_line_break(rest);
            let is_line_complete = length.is_some_and(|length| length + 1 < rest.len());
            if self.is_at_end || is_line_complete || length.is_none() && rest.len() > MAX_LINE_BYTES
            {
                return Ok(length);
            }
            self.buffer.drain(..self.next_line_start);
            self.next_line_start = 0;
            // The buffer doubles for a long line, so that the search for its end stays linear. A
            // very long one gets room for the longest at once: a buffer that grows exists twice.
            let length = self.buffer.len();
            let rest_of_longest_line = (MAX_LINE_BYTES + 1).saturating_sub(length);
            let read_size = READ_BLOCK_BYTES.max(length.min(rest_of_longest_line));
            match length >= LONG_LINE_BYTES {
                true => self.buffer.reserve_exact(rest_of_longest_line + 2 * READ_BLOCK_BYTES),
                false => self.buffer.reserve(read_size),
            }
            let read = self.reader.by_ref().take(read_size as u64).read_to_end(&mut self.buffer)?;
            self.is_at_end = read < read_size;
            self.bytes += read as u64;
        }
    }
}
