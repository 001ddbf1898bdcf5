//! The hash chain of a journal: each line carries the digest of the one before. A removed, swapped,
//! repeated or changed line breaks the chain at that line. Works on bytes only.

use std::io::BufRead;
use std::ops::Range;

use super::journal::{JOURNAL_LINE_FORMAT, chain_link};
use super::size_limits::MAX_LINE_BYTES;
use base::Digest;

/// A valid line: its number, the range of its entry, its end, and its link.
#[derive(Clone)]
pub(super) struct ChainLine {
    pub(super) number: u64,
    pub(super) entry: Range<usize>,
    pub(super) end: usize,
    pub(super) link: Digest,
}

impl ChainLine {
    /// The origin of the chain, before the first line.
    pub(super) fn origin() -> Self {
        Self { number: 0, entry: 0..0, end: 0, link: Digest::default() }
    }
}

/// Where the chain breaks.
#[derive(Debug)]
pub(super) struct ChainBreak {
    pub(super) line: u64,
    pub(super) reason: String,
    /// Whether this is the end of the file and looks like a write that a crash cut short.
    pub(super) torn: bool,
}

/// Checks the first line of the rest of a journal against the link of the line before. Returns its
/// own link and the range of its entry. `length` is the position of its line break, which may be
/// missing at the end of the file. `last` says whether nothing follows.
pub(super) fn check_first_line(
    rest: &[u8],
    length: Option<usize>,
    last: bool,
    (number, before): (u64, Digest),
) -> Result<(Digest, Range<usize>), ChainBreak> {
    let text = &rest[..length.unwrap_or(rest.len())];
    if text.len() > MAX_LINE_BYTES {
        let what = format!("it is longer than {MAX_LINE_BYTES} bytes, the maximum of a line");
        return Err(ChainBreak { line: number, reason: what, torn: false });
    }
    let (what, torn) = match (verify_line(text, before), length) {
        (Ok(good), Some(_)) => return Ok(good),
        (Ok(_), None) => ("its line break is missing".to_owned(), true),
        (Err(_), None) if verify_line(&text[..text.len() - 1], before).is_ok() => {
            ("its line break was replaced by another byte".to_owned(), false)
        }
        (Err(_), None) => (format!("it ends after {} bytes", text.len()), true),
        // A file can grow before its bytes are written: a crash then leaves zeros.
        (Err(what), Some(_)) => (what, last && text.windows(16).any(|window| window == [0; 16])),
    };
    Err(ChainBreak { line: number, reason: what, torn })
}

/// Follows the chain after a line with this link, as far as it is valid. The first line follows the
/// zero digest.
pub(super) fn verify_chain(
    bytes: &[u8],
    previous_link: Digest,
) -> (Vec<ChainLine>, Option<ChainBreak>) {
    verify_chain_after(bytes, &ChainLine { link: previous_link, ..ChainLine::origin() })
}

/// Follows the chain after a valid line.
fn verify_chain_after(bytes: &[u8], before: &ChainLine) -> (Vec<ChainLine>, Option<ChainBreak>) {
    let mut lines = Vec::new();
    let stop = for_each_line_after(bytes, before, |line| lines.push(line));
    (lines, stop)
}

/// The same, but passes each line to a callback and stores none.
pub(super) fn for_each_line_after(
    bytes: &[u8],
    before: &ChainLine,
    mut callback: impl FnMut(ChainLine),
) -> Option<ChainBreak> {
    let (mut number, mut chain, mut start) = (before.number, before.link, before.end);
    while start < bytes.len() {
        number += 1;
        let rest = &bytes[start..];
        let length = find_line_break(rest);
        let end = start + length.map_or(rest.len(), |length| length + 1);
        match check_first_line(rest, length, end == bytes.len(), (number, chain)) {
            Ok((link, entry)) => {
                let entry = start + entry.start..start + entry.end;
                callback(ChainLine { number, entry, end, link });
                (start, chain) = (end, link);
            }
            Err(stop) => return Some(stop),
        }
    }
    None
}

/// The first line, if it is valid.
pub(super) fn first_line(bytes: &[u8]) -> Option<ChainLine> {
    let length = find_line_break(bytes)?;
    let (chain, entry) = verify_line(&bytes[..length], Digest::default()).ok()?;
    Some(ChainLine { number: 1, entry, end: length + 1, link: chain })
}

/// Whether the rest of a journal is empty or continues the chain after this link.
pub(super) fn continues_chain(rest: &[u8], before: Digest) -> bool {
    rest.is_empty()
        || find_line_break(rest).is_some_and(|length| verify_line(&rest[..length], before).is_ok())
}

/// The ranges of the entries in valid bytes, from a position to the end. Empty if the position is
/// past the end.
pub(super) fn entry_ranges_from(good: &[u8], start_position: usize) -> Vec<Range<usize>> {
    // Skips the line that contains the position.
    let mut start = match start_position.checked_sub(1) {
        Some(before) => match good.get(before..).and_then(find_line_break) {
            Some(length) => before + length + 1,
            None => good.len(),
        },
        None => 0,
    };
    let mut entries = Vec::new();
    while let Some(length) = find_line_break(&good[start..]) {
        let text = &good[start..start + length];
        if let Some(body) = JOURNAL_LINE_FORMAT.sealed_body(text) {
            let end = start + length - 1;
            entries.push(end - body.len()..end);
        }
        start += length + 1;
    }
    entries
}

/// The position of the first line break.
pub(super) fn find_line_break(text: &[u8]) -> Option<usize> {
    // `skip_until` is vectorized; a loop over the slice is not.
    let length = (&mut &*text).skip_until(b'\n').ok()?;
    (text.get(length.wrapping_sub(1)) == Some(&b'\n')).then(|| length - 1)
}

/// Checks one line: returns its link and the range of its entry.
fn verify_line(text: &[u8], before: Digest) -> Result<(Digest, Range<usize>), String> {
    let (found, body) = JOURNAL_LINE_FORMAT.unseal(text, |entry| chain_link(before, entry))?;
    // The body is followed by one bracket and nothing else.
    let end = text.len() - 1;
    Ok((found, end - body.len()..end))
}
