//! The chain of a journal: each line carries the digest of the one before, so that what is left
//! out, swapped, doubled or changed shows at its first line. Looks at bytes only.

use std::io::BufRead;
use std::ops::Range;

use super::journal::{LINE, link};
use super::sizes::LONGEST_LINE;
use crate::kit::Digest;

/// A good line: its number, where its entry lies, where it ends, and its link.
#[derive(Clone)]
pub(super) struct Line {
    pub(super) number: u64,
    pub(super) entry: Range<usize>,
    pub(super) end: usize,
    pub(super) chain: Digest,
}

impl Line {
    /// What stands before the first line.
    pub(super) fn before_all() -> Self {
        Self { number: 0, entry: 0..0, end: 0, chain: Digest::default() }
    }
}

/// What stopped the walk along the chain.
#[derive(Debug)]
pub(super) struct Stop {
    pub(super) line: u64,
    pub(super) what: String,
    /// Whether nothing follows, and it looks as a write does that a crash cut short.
    pub(super) torn: bool,
}

/// Looks at the line at the front of what is left of a journal, behind a line of this link: its own
/// link, and where its entry lies in it. `length` is where its line break stands, which it lacks only
/// at the end of all; `last` is whether nothing stands behind it.
pub(super) fn look(
    rest: &[u8],
    length: Option<usize>,
    last: bool,
    (number, before): (u64, Digest),
) -> Result<(Digest, Range<usize>), Stop> {
    let text = &rest[..length.unwrap_or(rest.len())];
    if text.len() > LONGEST_LINE {
        let what = format!("it is longer than {LONGEST_LINE} bytes, and no line is");
        return Err(Stop { line: number, what, torn: false });
    }
    let (what, torn) = match (check(text, before), length) {
        (Ok(good), Some(_)) => return Ok(good),
        (Ok(_), None) => ("its line break is missing".to_owned(), true),
        (Err(_), None) if check(&text[..text.len() - 1], before).is_ok() => {
            ("something else stands where its line break was".to_owned(), false)
        }
        (Err(_), None) => (format!("it ends after {} bytes", text.len()), true),
        // A file can grow before its bytes are there: then a crash leaves zeros in them.
        (Err(what), Some(_)) => (what, last && text.windows(16).any(|window| window == [0; 16])),
    };
    Err(Stop { line: number, what, torn })
}

/// Follows the chain as far as it holds, behind a line of this link; the first line of all stands
/// behind none.
pub(super) fn walk(bytes: &[u8], behind: Digest) -> (Vec<Line>, Option<Stop>) {
    walk_behind(bytes, &Line { chain: behind, ..Line::before_all() })
}

/// Follows the chain behind a line that is known to be good.
fn walk_behind(bytes: &[u8], before: &Line) -> (Vec<Line>, Option<Stop>) {
    let mut lines = Vec::new();
    let stop = each_behind(bytes, before, |line| lines.push(line));
    (lines, stop)
}

/// The same, where each line is handed on and none is held.
pub(super) fn each_behind(bytes: &[u8], before: &Line, mut each: impl FnMut(Line)) -> Option<Stop> {
    let (mut number, mut chain, mut start) = (before.number, before.chain, before.end);
    while start < bytes.len() {
        number += 1;
        let rest = &bytes[start..];
        let length = line_break(rest);
        let end = start + length.map_or(rest.len(), |length| length + 1);
        match look(rest, length, end == bytes.len(), (number, chain)) {
            Ok((link, entry)) => {
                let entry = start + entry.start..start + entry.end;
                each(Line { number, entry, end, chain: link });
                (start, chain) = (end, link);
            }
            Err(stop) => return Some(stop),
        }
    }
    None
}

/// The first line of all, if it is whole.
pub(super) fn first_of(bytes: &[u8]) -> Option<Line> {
    let length = line_break(bytes)?;
    let (chain, entry) = check(&bytes[..length], Digest::default()).ok()?;
    Some(Line { number: 1, entry, end: length + 1, chain })
}

/// Whether what is left of a journal goes on behind a line of this link, or is at its end.
pub(super) fn holds(rest: &[u8], before: Digest) -> bool {
    rest.is_empty() || line_break(rest).is_some_and(|length| check(&rest[..length], before).is_ok())
}

/// Where the entries of the last lines lie that stand in so many bytes known to be good, as far back
/// as one place; none where that place lies behind them all.
pub(super) fn entries_since(good: &[u8], from: usize) -> Vec<Range<usize>> {
    // The line that this place may stand in the middle of is passed over.
    let mut start = match from.checked_sub(1) {
        Some(before) => match good.get(before..).and_then(line_break) {
            Some(length) => before + length + 1,
            None => good.len(),
        },
        None => 0,
    };
    let mut entries = Vec::new();
    while let Some(length) = line_break(&good[start..]) {
        let text = &good[start..start + length];
        if let Some(body) = LINE.body(text) {
            let end = start + length - 1;
            entries.push(end - body.len()..end);
        }
        start += length + 1;
    }
    entries
}

/// Where the first line break stands.
pub(super) fn line_break(text: &[u8]) -> Option<usize> {
    // The library looks for many bytes at once here, and not where a slice is walked.
    let length = (&mut &*text).skip_until(b'\n').ok()?;
    (text.get(length.wrapping_sub(1)) == Some(&b'\n')).then(|| length - 1)
}

/// One line's link and where its entry lies in it.
fn check(text: &[u8], before: Digest) -> Result<(Digest, Range<usize>), String> {
    let (found, body) = LINE.open(text, |entry| link(before, entry))?;
    // The body is followed by one bracket and nothing else.
    let end = text.len() - 1;
    Ok((found, end - body.len()..end))
}
