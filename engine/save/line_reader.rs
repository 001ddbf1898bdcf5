//! Reads the lines of a journal from disk, one at a time. Memory holds one block and the current
//! line, however long the journal is.

use std::io::{self, Read};

use super::chain::{ChainBreak, check_first_line, find_line_break};
use super::size_limits::MAX_LINE_BYTES;
use base::Digest;

/// The size of a read, unless a line is longer.
const READ_BLOCK_BYTES: usize = 64 * 1024;

/// Reads all lines of a file. After the last line it reads only enough to see that no line follows,
/// so that an endless file of zeros is not read to its end.
pub(super) fn read_lines(source: &mut dyn Read) -> io::Result<Vec<u8>> {
    let (mut bytes, mut last_line_end) = (Vec::new(), 0);
    loop {
        let from = bytes.len();
        let read = (&mut *source).take(LOAD_CHUNK_BYTES).read_to_end(&mut bytes)?;
        if let Some(last) = bytes[from..].iter().rposition(|byte| *byte == b'\n') {
            last_line_end = from + last + 1;
        }
        if (read as u64) < LOAD_CHUNK_BYTES || bytes.len() - last_line_end > MAX_LINE_BYTES {
            return Ok(bytes);
        }
    }
}

/// The size of a read when all lines are loaded.
const LOAD_CHUNK_BYTES: u64 = 1024 * 1024;

/// An iterator over the lines.
pub(super) struct JournalLines<'d> {
    source: Box<dyn Read + 'd>,
    buffer: Vec<u8>,
    /// The start of the next line in the buffer.
    next_line_start: usize,
    /// Whether the source is at its end.
    is_at_end: bool,
    pub(super) bytes: u64,
    /// The total size of the lines that were returned as entries.
    valid_bytes: u64,
    /// The number of lines that were returned.
    pub(super) number: u64,
    last_link: Digest,
    /// The chain break, once it is reached.
    pub(super) chain_break: Option<ChainBreak>,
}

impl<'d> JournalLines<'d> {
    pub(super) fn from_reader(source: Box<dyn Read + 'd>) -> Self {
        Self::after_line(source, 0, Digest::default())
    }

    /// The lines after the one with this number and link.
    pub(super) fn after_line(source: Box<dyn Read + 'd>, number: u64, chain: Digest) -> Self {
        let buffer = Vec::new();
        let (bytes, good_bytes) = (0, 0);
        Self {
            source,
            buffer,
            next_line_start: 0,
            is_at_end: false,
            bytes,
            valid_bytes: good_bytes,
            number,
            last_link: chain,
            chain_break: None,
        }
    }

    /// The total size of the lines that were returned as entries.
    pub(super) fn valid_bytes(&self) -> u64 {
        self.valid_bytes
    }

    /// The entry of the next line, if the chain is valid up to it.
    pub(super) fn next_entry(&mut self) -> io::Result<Option<&[u8]>> {
        let length = self.buffer_line()?;
        let (start, number) = (self.next_line_start, self.number + 1);
        let rest = &self.buffer[start..];
        if self.chain_break.is_some() || rest.is_empty() {
            return Ok(None);
        }
        let end = start + length.map_or(rest.len(), |length| length + 1);
        let last = self.is_at_end && end == self.buffer.len();
        match check_first_line(rest, length, last, (number, self.last_link)) {
            Ok((link, entry)) => {
                (self.next_line_start, self.number, self.last_link) = (end, number, link);
                self.valid_bytes += (end - start) as u64;
                Ok(Some(&self.buffer[start + entry.start..start + entry.end]))
            }
            Err(stop) => {
                self.chain_break = Some(stop);
                Ok(None)
            }
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
            // The buffer doubles for a long line, so that the search for its end stays linear.
            let read_size = READ_BLOCK_BYTES.max(self.buffer.len());
            self.buffer.reserve(read_size);
            let read = self.source.by_ref().take(read_size as u64).read_to_end(&mut self.buffer)?;
            self.is_at_end = read < read_size;
            self.bytes += read as u64;
        }
    }
}
