//! Size limits of written files, which keep them readable.

/// The maximum size of a line's body.
pub(super) const MAX_LINE_BODY_BYTES: usize = 16 * 1024 * 1024;
/// The maximum size of a line with its chain. Longer lines are invalid and are not read further.
pub(super) const MAX_LINE_BYTES: usize = MAX_LINE_BODY_BYTES + 1024;
/// The maximum size of a checkpoint: a salvage writes most of it as a line. A larger world has no
/// checkpoint: its run is read from the start.
pub(super) const MAX_CHECKPOINT_BYTES: usize = MAX_LINE_BODY_BYTES;
/// The most that reading a line or checkpoint takes: its bytes, and [`PART_COST_BYTES`] for each of
/// its parts (`body_parser`). A step that rewrites the whole state has about three parts for each
/// entry.
pub(super) const MAX_BODY_COST_BYTES: usize = MAX_LINE_BODY_BYTES / 2 * 3;
/// What a part takes in addition to its text.
pub(super) const PART_COST_BYTES: usize = 32;
/// The most plain values of a line or checkpoint, where a table counts as nine: those of a state,
/// and of a profile that is full (16,384).
pub(super) const MAX_BODY_VALUES: usize = 300_000;
/// The same of a header, an outcome or an award: more than a full profile has. A session has
/// several copies.
pub(super) const MAX_GAME_PROFILE_VALUES: usize = 160_000;
/// The most bytes of each list that a run has beside its world (mods, disabled hooks, the
/// pending input): far more than a player enters. A session has several copies.
pub(super) const MAX_RUN_LIST_BYTES: usize = 4 * 1024 * 1024;
/// The most reasons for no award of a run; the program knows three.
pub(super) const MAX_NO_AWARD_REASONS: usize = 64;
/// What an item of these lists counts as in addition to its texts.
pub(super) const RUN_LIST_ITEM_COST_BYTES: usize = 128;
/// The most bytes of all mod versions of a run: an author who reloads ten thousand times has two
/// million.
pub(super) const MAX_MOD_VERSION_BYTES: usize = 4 * MAX_RUN_LIST_BYTES;
/// The maximum size of a journal that is written.
pub(super) const MAX_WRITTEN_JOURNAL_BYTES: u64 = 1024 * 1024 * 1024;
/// The reserve at which no further step begins, so that a pending step and the run can complete:
/// two of the longest lines, and some short ones.
pub(super) const RESERVED_JOURNAL_BYTES: u64 = 4 * MAX_LINE_BODY_BYTES as u64;
/// The maximum size of a journal that is read: a salvage adds a line to one that is full. No
/// program wrote more in this format.
pub(super) const MAX_READ_JOURNAL_BYTES: u64 = MAX_WRITTEN_JOURNAL_BYTES + RESERVED_JOURNAL_BYTES;
