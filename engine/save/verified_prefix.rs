//! The lines before a checkpoint, verified by one digest of them all. A long journal has hundreds
//! of thousands of lines, and following their chain takes most of the time of opening it.

use super::chain::{ChainLine, first_line};
use super::checkpoint::Checkpoint;
use super::journal::journal_hasher;
use base::digest::Hasher;

/// The facts about the lines before a checkpoint that its digest verifies.
pub(super) struct VerifiedPrefix {
    /// The first line.
    pub(super) first_line: ChainLine,
    /// The last line; the range of its entry is not computed.
    pub(super) last: ChainLine,
    /// The running digest of all lines.
    pub(super) hasher: Hasher,
}

impl VerifiedPrefix {
    /// Verifies the lines before a checkpoint, if they are all there.
    pub(super) fn verify_before(checkpoint: &Checkpoint, bytes: &[u8]) -> Option<Self> {
        let end = usize::try_from(checkpoint.journal_bytes).ok()?;
        let good = bytes.get(..end)?;
        let digest = journal_hasher(good);
        if Some(digest.finish()) != checkpoint.journal_digest {
            // The journal is damaged or the checkpoint is old: the chain shows which.
            return None;
        }
        let first_line = first_line(good)?;
        let (number, chain) = (checkpoint.journal_lines, checkpoint.journal_chain);
        let last = ChainLine { number, entry: 0..0, end, link: chain };
        Some(Self { first_line, last, hasher: digest })
    }
}
