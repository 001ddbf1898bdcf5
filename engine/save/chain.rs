//! The chain of a journal: each line carries the digest of the one before, so that what is left
//! out, swapped, doubled or changed shows at its first line. Looks at bytes only.

use std::io::BufRead;
use std::ops::Range;

use super::journal::{LINE, LINE_BYTES, link};
use crate::kit::Digest;

/// A good line: its number, where its entry lies, where it ends, and its link.
#[derive(Debug)]
pub(super) struct Line {
    pub(super) number: u64,
    pub(super) entry: Range<usize>,
    pub(super) end: usize,
    pub(super) chain: Digest,
}

impl Line {
    /// Where the first line goes on.
    pub(super) fn before_all(chain: Digest) -> Self {
        Self { number: 0, entry: 0..0, end: 0, chain }
    }
}

/// What stopped the walk along the chain.
pub(super) struct Stop {
    pub(super) line: u64,
    pub(super) what: String,
    /// Whether nothing follows, and it looks as a write does that a crash cut short.
    pub(super) torn: bool,
}

/// Follows the chain line by line, as far as it holds.
pub(super) struct Chain<'b> {
    bytes: &'b [u8],
    number: u64,
    end: usize,
    chain: Digest,
    /// What it stopped at, once it did; none at the end of all.
    pub(super) stop: Option<Stop>,
}

impl<'b> Chain<'b> {
    /// Follows it behind a line that is known to be good.
    pub(super) fn behind(bytes: &'b [u8], before: &Line) -> Self {
        let Line { number, end, chain, .. } = *before;
        Self { bytes, number, end, chain, stop: None }
    }
}

impl Iterator for Chain<'_> {
    type Item = Line;

    fn next(&mut self) -> Option<Line> {
        let (start, number) = (self.end, self.number + 1);
        let rest = self.bytes.get(start..).filter(|rest| !rest.is_empty())?;
        if self.stop.is_some() {
            return None;
        }
        let length = line_break(rest);
        let text = &rest[..length.unwrap_or(rest.len())];
        let opened = check(text, self.chain);
        let (what, torn) = match (opened, length) {
            (Ok((link, entry)), Some(length)) => {
                let entry = start + entry.start..start + entry.end;
                (self.number, self.end, self.chain) = (number, start + length + 1, link);
                return Some(Line { number, entry, end: self.end, chain: link });
            }
            (Ok(_), None) => ("its line break is missing".to_owned(), true),
            (Err(_), None) if check(&text[..text.len() - 1], self.chain).is_ok() => {
                ("something else stands where its line break was".to_owned(), false)
            }
            (Err(_), None) => (format!("it ends after {} bytes", text.len()), true),
            (Err(what), Some(length)) => {
                // A file can grow before its bytes are there: then a crash leaves zeros in them.
                let last = start + length + 1 == self.bytes.len();
                (what, last && text.windows(16).any(|window| window == [0; 16]))
            }
        };
        self.stop = Some(Stop { line: number, what, torn });
        None
    }
}

/// The whole chain as far as it holds, behind a line of this link; the first line of all stands
/// behind none.
pub(super) fn walk(bytes: &[u8], behind: Digest) -> (Vec<Line>, Option<Stop>) {
    walk_behind(bytes, &Line::before_all(behind))
}

/// The whole chain as far as it holds, behind a line that is known to be good.
pub(super) fn walk_behind(bytes: &[u8], before: &Line) -> (Vec<Line>, Option<Stop>) {
    let mut chain = Chain::behind(bytes, before);
    let lines = chain.by_ref().collect();
    (lines, chain.stop)
}

/// The first line of all, in bytes that are known to be good.
pub(super) fn first(good: &[u8]) -> Option<Line> {
    let length = line_break(good)?;
    walk(&good[..=length], Digest::default()).0.pop()
}

/// Where the entries of the last lines lie that stand in so many bytes known to be good, as far back
/// as one place of them.
pub(super) fn entries_since(good: &[u8], from: usize) -> Vec<Range<usize>> {
    // The line that this place may stand in the middle of is passed over.
    let mut start = match from.checked_sub(1) {
        Some(before) => match line_break(&good[before..]) {
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

/// The texts of all lines that end, good or not.
pub(super) fn texts(bytes: &[u8]) -> impl Iterator<Item = &[u8]> {
    let mut rest = bytes;
    std::iter::from_fn(move || {
        let length = line_break(rest)?;
        let text = &rest[..length];
        rest = &rest[length + 1..];
        Some(text)
    })
}

/// Where the first line break stands.
fn line_break(text: &[u8]) -> Option<usize> {
    // The library looks for many bytes at once here, and not where a slice is walked.
    let length = (&mut &*text).skip_until(b'\n').ok()?;
    (text.get(length.wrapping_sub(1)) == Some(&b'\n')).then(|| length - 1)
}

/// One line's link and where its entry lies in it.
fn check(text: &[u8], before: Digest) -> Result<(Digest, Range<usize>), String> {
    if text.len() > LINE_BYTES + 1024 {
        return Err(format!("it is {} bytes long; no line is", text.len()));
    }
    let (found, body) = LINE.open(text, |entry| link(before, entry))?;
    // The body is followed by one bracket and nothing else.
    let end = text.len() - 1;
    Ok((found, end - body.len()..end))
}
