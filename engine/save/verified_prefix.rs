//! The lines before a checkpoint, known to be whole by one digest of them all: a long journal has
//! hundreds of thousands, and following their chain takes most of the time that opening one takes.

use std::ops::Range;

use super::chain::{Line, entries_since, first_of};
use super::checkpoint::Checkpoint;
use super::journal::digest_of;
use super::reading::STORY_BYTES;
use crate::kit::digest::Hasher;

/// No line has so much before its entry.
const LINE_HEAD: usize = 64;

/// What is known of the lines before a checkpoint whose digest they have, without a look at each.
pub(super) struct VerifiedPrefix {
    /// The first of them.
    pub(super) head: Line,
    /// The last of them, as far as it matters; its entry is not looked for.
    pub(super) last: Line,
    /// Where the entries lie of those that tell the story.
    pub(super) spans: Vec<Range<usize>>,
    /// The digest of all of them, to go on with.
    pub(super) digest: Hasher,
}

impl VerifiedPrefix {
    /// What is known, if they are all there.
    pub(super) fn before(checkpoint: &Checkpoint, bytes: &[u8]) -> Option<Self> {
        let end = usize::try_from(checkpoint.journal_bytes).ok()?;
        let good = bytes.get(..end)?;
        let digest = digest_of(good);
        if Some(digest.finish()) != checkpoint.journal_digest {
            // Something is wrong, or it is an old one: the chain says where, if anything is.
            return None;
        }
        let head = first_of(good)?;
        let (number, chain) = (checkpoint.journal_lines, checkpoint.journal_chain);
        let last = Line { number, entry: 0..0, end, chain };
        let from = bytes.len().saturating_sub(STORY_BYTES + LINE_HEAD);
        let mut spans = entries_since(good, from);
        spans.retain(|span| *span != head.entry);
        Some(Self { head, last, spans, digest })
    }
}
