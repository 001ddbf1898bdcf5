//! Reads and restores the header, the first line of a journal. Without it the rest cannot be read,
//! so one flipped bit would lose a whole run. A checkpoint has a copy of the header. Older
//! checkpoints do not; then a search finds the single bit that makes the line match its digest.

use std::path::Path;

use super::chain::{Stop, first_of, holds, line_break};
use super::checkpoint::Checkpoint;
use super::entry::{Entry, Header};
use super::journal::{LINE, encode, link};
use super::run_state::check_format;
use super::trouble::place;
use crate::kit::fault::planted;
use crate::kit::{Digest, Problem};

/// The longest line for the bit search: each bit costs a digest of the whole line.
const LONGEST: usize = 8 * 1024;
/// The number of lines in which the search looks for the line after the header, if the header was
/// cut or extended.
const LOOKED_AT: usize = 3;

/// The line that is not a valid header, and why.
pub(super) type HeadProblem = (u64, String);

/// The Problem of a journal without a valid header.
pub(super) fn headless(path: &Path, (line, what): HeadProblem) -> Problem {
    Problem::error("journal-damaged", format!("the journal's header cannot be read: {what}"))
        .at(place(path, line))
        .expected("a first line with the parameters of the run")
        .hint(
            "no checkpoint has a copy of it; restore a copy of the file, or \
             start another run: this one stays as it is and blocks no other",
        )
}

/// Parses the header from the entry of the first line.
pub(super) fn head(first: Option<&[u8]>, stop: &mut Option<Stop>) -> Result<Header, HeadProblem> {
    let empty = || (1, "it is empty".to_owned());
    let none = || stop.take().map_or_else(empty, |stop| (stop.line, stop.what));
    read_head(first.ok_or_else(none)?).map_err(|what| (1, what))
}

fn read_head(entry: &[u8]) -> Result<Header, String> {
    // Parses only the format first: a newer one may have other fields.
    #[derive(serde::Deserialize)]
    struct Outer {
        header: Format,
    }
    #[derive(serde::Deserialize)]
    struct Format {
        format: u32,
    }
    let outer: Outer =
        serde_json::from_slice(entry).map_err(|error| format!("it is not a header: {error}"))?;
    check_format(outer.header.format)?;
    match serde_json::from_slice(entry) {
        Ok(Entry::Header(header)) => Ok(*header),
        Ok(_) => Err("it is not a header".to_owned()),
        Err(error) => Err(format!("it is not a header: {error}")),
    }
}

/// Whether the first line is intact. The reader reports other damage.
pub(super) fn is_whole(bytes: &[u8]) -> bool {
    planted("head_not_made_anew") || first_of(bytes).is_some()
}

/// The bytes of a journal with its first line restored, and the source of the repair.
pub(super) fn anew(
    bytes: &[u8],
    checkpoint: Option<&Checkpoint>,
) -> Option<(Vec<u8>, &'static str)> {
    let kept = checkpoint.and_then(|checkpoint| checkpoint.header.as_deref());
    let from_checkpoint = kept.and_then(|header| with_header(bytes, header));
    let from_checkpoint = from_checkpoint.map(|whole| (whole, "the checkpoint, which has a copy"));
    from_checkpoint
        .or_else(|| Some((one_bit(bytes)?, "the line itself: one of its bits had changed")))
}

fn with_header(bytes: &[u8], header: &Header) -> Option<Vec<u8>> {
    let entry = Entry::Header(Box::new(header.clone()));
    let (mut line, chain) = encode(Digest::default(), &entry, Path::new("journal.jsonl")).ok()?;
    // A flipped bit does not move the rest of the file; removed or inserted bytes do.
    let breaks = bytes.iter().enumerate().filter(|(_, byte)| **byte == b'\n');
    let behind: Vec<usize> = breaks.map(|(at, _)| at + 1).take(LOOKED_AT).collect();
    let follows = |at: &usize| bytes.get(*at..).is_some_and(|rest| holds(rest, chain));
    let rest = std::iter::once(line.len()).chain(behind.iter().copied()).find(follows);
    // Damage of the next line is reported separately.
    let rest = rest.or_else(|| behind.first().copied()).unwrap_or(bytes.len());
    line.extend_from_slice(&bytes[rest..]);
    Some(line)
}

/// The bytes with one bit flipped so that the first line is valid, if a single bit is enough.
fn one_bit(bytes: &[u8]) -> Option<Vec<u8>> {
    let ends: Vec<usize> = break_candidates(bytes);
    let mut whole = bytes.to_vec();
    for end in ends {
        // The line break, or a byte that became one.
        for bit in 0..8 {
            whole[end] ^= 1 << bit;
            if first_of(&whole).is_some() {
                return Some(whole);
            }
            whole[end] ^= 1 << bit;
        }
    }
    let end = line_break(bytes).filter(|end| *end <= LONGEST)?;
    // A bit of the digest: the correct digest can be computed directly.
    let entry = LINE.body(&bytes[..end]).and_then(|entry| std::str::from_utf8(entry).ok());
    if let Some(entry) = entry {
        let sealed = LINE.seal(link(Digest::default(), entry.as_bytes()), entry);
        let apart = sealed.bytes().zip(&bytes[..end]);
        let apart: u32 = apart.map(|(one, other)| (one ^ other).count_ones()).sum();
        if sealed.len() == end && apart == 1 {
            whole[..end].copy_from_slice(sealed.as_bytes());
            return Some(whole);
        }
    }
    for at in 0..end {
        for bit in 0..8 {
            whole[at] ^= 1 << bit;
            if first_of(&whole[..=end]).is_some() {
                return Some(whole);
            }
            whole[at] ^= 1 << bit;
        }
    }
    None
}

/// The positions where a line break may be missing or wrong.
fn break_candidates(bytes: &[u8]) -> Vec<usize> {
    let near = &bytes[..bytes.len().min(LONGEST)];
    let begins = |at: &usize| near[at + 1..].starts_with(b"{\"chain\":\"");
    let lost = (0..near.len()).filter(|at| near[*at] != b'\n' && begins(at));
    let made = line_break(near);
    lost.take(LOOKED_AT).chain(made).collect()
}
