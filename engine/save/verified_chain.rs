//! The verified chain of a whole journal, of which only the needed lines are stored.

use super::chain::{ChainBreak, ChainLine, for_each_line_after};
use super::checkpoint::Checkpoint;

/// The result of verifying the whole chain. It stores only these lines.
pub(super) struct VerifiedChain {
    pub(super) first: Option<ChainLine>,
    /// The last line at the time of the checkpoint.
    pub(super) checkpoint_line: Option<ChainLine>,
    pub(super) last: ChainLine,
    pub(super) chain_break: Option<ChainBreak>,
}

impl VerifiedChain {
    pub(super) fn verify_from_start(bytes: &[u8], checkpoint: Option<&Checkpoint>) -> Self {
        let (mut first, mut at_checkpoint, mut last) = (None, None, ChainLine::origin());
        let stop = for_each_line_after(bytes, &ChainLine::origin(), |line| {
            let fits = |found: &Checkpoint| {
                (line.end as u64, line.number, line.link)
                    == (found.journal_bytes, found.journal_lines, found.journal_chain)
            };
            if checkpoint.is_some_and(fits) {
                at_checkpoint = Some(line.clone());
            }
            if line.number == 1 {
                first = Some(line.clone());
            }
            last = line;
        });
        Self { first, checkpoint_line: at_checkpoint, last, chain_break: stop }
    }

    /// The same if everything up to the checkpoint is verified already.
    pub(super) fn after_checkpoint(
        bytes: &[u8],
        first: ChainLine,
        at_checkpoint: ChainLine,
    ) -> Self {
        let mut last = at_checkpoint.clone();
        let stop = for_each_line_after(bytes, &at_checkpoint, |line| last = line);
        Self { first: Some(first), checkpoint_line: Some(at_checkpoint), last, chain_break: stop }
    }
}
