//! How large what is written may be, so that it is read again.

/// Most bytes of a line.
pub(super) const LINE_BYTES: usize = 16 * 1024 * 1024;
/// Most bytes of a line with its chain. What is longer is no line, and no more of it is read.
pub(super) const LONGEST_LINE: usize = LINE_BYTES + 1024;
/// Most bytes of a journal that is written.
pub(super) const JOURNAL_BYTES: u64 = 1024 * 1024 * 1024;
/// What is left of them when no further step is begun, so that one that was comes to something and the
/// run to its end: both of the longest lines there are, and some short ones.
pub(super) const ROOM_TO_END: u64 = 4 * LINE_BYTES as u64;
/// Most bytes of a journal that is read: an older program wrote on without an end.
pub(super) const READ_BYTES: u64 = 8 * JOURNAL_BYTES;
