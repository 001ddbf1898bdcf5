//! The hash chain of a journal: each line carries the digest of the one before. A removed, swapped,
//! repeated or changed line breaks the chain at that line. Works on bytes only.

use std::io::BufRead;
use std::ops::Range;

use super::line_format::{JOURNAL_LINE_FORMAT, chain_link};
use super::size_limits::MAX_LINE_BYTES;
use base::Digest;

/// A position between two lines of a journal.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct JournalPosition {
    /// The number of lines before it.
    pub(super) line_count: u64,
    /// Their size.
    pub(super) byte_count: u64,
    /// The link of the last of them.
    pub(super) chain_digest: Digest,
}

impl JournalPosition {
    /// Before the first line.
    pub(super) fn origin() -> Self {
        Self { line_count: 0, byte_count: 0, chain_digest: Digest::default() }
    }
}

/// Where the chain breaks.
#[derive(Clone, Debug)]
pub(super) struct ChainBreak {
    pub(super) line: u64,
    pub(super) reason: String,
    /// Whether this is the end of the file and looks like a write that a crash cut short.
    pub(super) is_torn: bool,
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
        return Err(ChainBreak { line: number, reason: what, is_torn: false });
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
    Err(ChainBreak { line: number, reason: what, is_torn: torn })
}

/// Whether the rest of a journal is empty or continues the chain after this link.
pub(super) fn continues_chain(rest: &[u8], before: Digest) -> bool {
    rest.is_empty()
        || find_line_break(rest).is_some_and(|length| verify_line(&rest[..length], before).is_ok())
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
