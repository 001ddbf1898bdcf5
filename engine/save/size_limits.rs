//! Size limits of written files, which keep them readable.

/// The maximum size of a line's body.
pub(super) const MAX_LINE_BODY_BYTES: usize = 16 * 1024 * 1024;
/// The maximum size of a line with its chain. Longer lines are invalid and are not read further.
pub(super) const MAX_LINE_BYTES: usize = MAX_LINE_BODY_BYTES + 1024;
/// The maximum size of a checkpoint: more than the largest state and header take. A larger world
/// has no checkpoint: its run is read from the start.
pub(super) const MAX_CHECKPOINT_BYTES: usize = 4 * MAX_LINE_BODY_BYTES;
/// The maximum size of a journal that is written.
pub(super) const MAX_WRITTEN_JOURNAL_BYTES: u64 = 1024 * 1024 * 1024;
/// The reserve at which no further step begins, so that a pending step and the run can complete:
/// two of the longest lines, and some short ones.
pub(super) const RESERVED_JOURNAL_BYTES: u64 = 4 * MAX_LINE_BODY_BYTES as u64;
/// The maximum size of a journal that is read: older versions wrote without a limit.
pub(super) const MAX_READ_JOURNAL_BYTES: u64 = 8 * MAX_WRITTEN_JOURNAL_BYTES;
