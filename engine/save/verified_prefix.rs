//! The lines before a checkpoint, known to be whole by one digest of them all: a long journal has
//! hundreds of thousands, and following their chain takes most of the time that opening one takes.

use super::chain::{Line, first_of};
use super::checkpoint::Checkpoint;
use super::journal::digest_of;
use crate::kit::digest::Hasher;

/// What is known of the lines before a checkpoint whose digest they have, without a look at each.
pub(super) struct VerifiedPrefix {
    /// The first of them.
    pub(super) head: Line,
    /// The last of them, as far as it matters; its entry is not looked for.
    pub(super) last: Line,
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
        Some(Self { head, last, digest })
    }
}
