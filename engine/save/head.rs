//! A journal's first line: read, and made anew where it is damaged. Without it nothing behind it can be read, so that one bit of it
//! would be the end of a run whose every step is whole. A checkpoint carries what it said; where an older
//! one does not, the one bit is looked for that makes the line what its digest says.

use std::path::Path;

use super::chain::{Stop, first_of, holds, line_break};
use super::checkpoint::Checkpoint;
use super::entry::{Entry, Header};
use super::journal::{LINE, encode, link};
use super::run_state::check_format;
use super::trouble::place;
use crate::kit::fault::planted;
use crate::kit::{Digest, Problem};

/// The longest line in which a bit is looked for: each of its bits asks for a digest of all of it.
const LONGEST: usize = 8 * 1024;
/// In how many lines what stands behind the first is looked for, where it is cut or stretched.
const LOOKED_AT: usize = 3;

/// Which line cannot be the head of a journal, and why.
pub(super) type HeadProblem = (u64, String);

/// The Problem of a journal without a head.
pub(super) fn headless(path: &Path, (line, what): HeadProblem) -> Problem {
    Problem::error("journal-damaged", format!("the journal's head cannot be read: {what}"))
        .at(place(path, line))
        .expected("a first line that says what the run was started with")
        .hint(
            "no checkpoint beside it holds what it said; put back a copy of the file, or \
             begin another run: this one is left as it is, and holds up none",
        )
}

/// What the entry of the first line says, where the chain has one.
pub(super) fn head(first: Option<&[u8]>, stop: &mut Option<Stop>) -> Result<Header, HeadProblem> {
    let empty = || (1, "it is empty".to_owned());
    let none = || stop.take().map_or_else(empty, |stop| (stop.line, stop.what));
    read_head(first.ok_or_else(none)?).map_err(|what| (1, what))
}

fn read_head(entry: &[u8]) -> Result<Header, String> {
    // Only the format first: a newer one may say everything else in other words.
    #[derive(serde::Deserialize)]
    struct Outer {
        header: Format,
    }
    #[derive(serde::Deserialize)]
    struct Format {
        format: u32,
    }
    let outer: Outer =
        serde_json::from_slice(entry).map_err(|error| format!("it is no header: {error}"))?;
    check_format(outer.header.format)?;
    match serde_json::from_slice(entry) {
        Ok(Entry::Header(header)) => Ok(*header),
        Ok(_) => Err("it is no header".to_owned()),
        Err(error) => Err(format!("it is no header: {error}")),
    }
}

/// Whether the first line is as it was written. What else is wrong with it, its reader says.
pub(super) fn is_whole(bytes: &[u8]) -> bool {
    planted("head_not_made_anew") || first_of(bytes).is_some()
}

/// The bytes of a journal with its first line as it was, and what that was taken from.
pub(super) fn anew(
    bytes: &[u8],
    checkpoint: Option<&Checkpoint>,
) -> Option<(Vec<u8>, &'static str)> {
    let kept = checkpoint.and_then(|checkpoint| checkpoint.header.as_deref());
    let from_checkpoint = kept.and_then(|header| with_header(bytes, header));
    let from_checkpoint = from_checkpoint.map(|whole| (whole, "the checkpoint, which holds it"));
    from_checkpoint.or_else(|| Some((one_bit(bytes)?, "itself: one bit of it had changed")))
}

fn with_header(bytes: &[u8], header: &Header) -> Option<Vec<u8>> {
    let entry = Entry::Header(Box::new(header.clone()));
    let (mut line, chain) = encode(Digest::default(), &entry, Path::new("journal.jsonl")).ok()?;
    // A bit that changed leaves the rest where it was; what was cut off or put in does not.
    let breaks = bytes.iter().enumerate().filter(|(_, byte)| **byte == b'\n');
    let behind: Vec<usize> = breaks.map(|(at, _)| at + 1).take(LOOKED_AT).collect();
    let follows = |at: &usize| bytes.get(*at..).is_some_and(|rest| holds(rest, chain));
    let rest = std::iter::once(line.len()).chain(behind.iter().copied()).find(follows);
    // If it is damaged too, that is told of it.
    let rest = rest.or_else(|| behind.first().copied()).unwrap_or(bytes.len());
    line.extend_from_slice(&bytes[rest..]);
    Some(line)
}

/// The same bytes with the one bit turned back that makes the first line whole, if it is one bit.
fn one_bit(bytes: &[u8]) -> Option<Vec<u8>> {
    let ends: Vec<usize> = break_candidates(bytes);
    let mut whole = bytes.to_vec();
    for end in ends {
        // The line break itself, or a byte that became one.
        for bit in 0..8 {
            whole[end] ^= 1 << bit;
            if first_of(&whole).is_some() {
                return Some(whole);
            }
            whole[end] ^= 1 << bit;
        }
    }
    let end = line_break(bytes).filter(|end| *end <= LONGEST)?;
    // A bit of the digest: what it should be can be worked out at once.
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

/// Where a line break may be that is none, or none that should be one.
fn break_candidates(bytes: &[u8]) -> Vec<usize> {
    let near = &bytes[..bytes.len().min(LONGEST)];
    let begins = |at: &usize| near[at + 1..].starts_with(b"{\"chain\":\"");
    let lost = (0..near.len()).filter(|at| near[*at] != b'\n' && begins(at));
    let made = line_break(near);
    lost.take(LOOKED_AT).chain(made).collect()
}
