//! Limits on what makes a single Luau instruction slow: long texts, and tables or texts with
//! colliding hashes. The allocator reports each large block when Luau allocates it
//! (`luau::AllocationObserver`). The next interrupt checks these blocks. All findings are
//! counted from the beginning of a call.

use std::cell::{Cell, RefCell};
use std::collections::BTreeMap;

mod hash_buckets;
mod numeric_text;

pub(crate) use hash_buckets::has_hash_collisions;
use numeric_text::numeric_parse_cost;

use super::fuel;
use base::limits;
use luau::AllocationObserver;

/// Words of one hash node: four for the value with its type, four for the key with its type and the
/// link.
const HASH_NODE_WORDS: usize = 8;
const VALUE_TYPE_WORD_INDEX: usize = 3;
const KEY_TYPE_WORD_INDEX: usize = 7;
/// The type of a value is below this number. A larger one means that the block is not part of a
/// table.
const VALUE_TYPE_BOUND: u32 = 32;

/// The hash of the prefix of a long text, and its length in bytes.
pub(crate) type TextHashAndSize = (u64, usize);

/// The findings of the current call, as numbers.
#[derive(Clone, Copy, Default)]
struct AllocationFindings {
    longest_text: usize,
    /// The length of the longest text with the prefix of another one.
    longest_similar_text: usize,
    /// The number of bytes that the slowest conversion of a text to a number reads.
    longest_numeric_text: usize,
    has_too_long_text: bool,
    has_hash_collisions: bool,
    allocated_table_bytes: usize,
    /// Texts in the fullest bucket of `BUCKET_COUNTS` beyond the number that chance explains.
    excess_chain_length: usize,
}

thread_local! {
    static ALLOCATION_FINDINGS: Cell<AllocationFindings> = const {
        Cell::new(AllocationFindings { longest_text: 0, longest_similar_text: 0, longest_numeric_text: 0, has_too_long_text: false, has_hash_collisions: false, allocated_table_bytes: 0, excess_chain_length: 0 })
    };
    /// The long texts that are checked.
    static LENGTH_BY_PREFIX_HASH: RefCell<BTreeMap<u64, usize>> = const { RefCell::new(BTreeMap::new()) };
}

fn update_findings(what: impl FnOnce(&mut AllocationFindings)) {
    let mut seen = ALLOCATION_FINDINGS.get();
    what(&mut seen);
    ALLOCATION_FINDINGS.set(seen);
}

/// The result of a check.
pub(crate) enum AllocationCheckResult {
    WithinLimits,
    /// The tables allocated more bytes than the limit.
    TooManyTableBytes,
    /// A text is longer than the limit.
    TextTooLong,
    /// A hash chain is longer than the limit.
    HashCollisions,
}

/// Records the blocks that Luau allocates and frees.
pub(crate) struct AllocationRecorder;

impl AllocationObserver for AllocationRecorder {
    const MIN_REPORTED_TEXT_BYTES: usize = limits::MIN_CHECKED_TEXT_BYTES;

    fn on_text_allocated(byte_count: usize) {
        // The block may be a buffer of the library, so the text in it may be shorter. Above four
        // times the limit it cannot become an allowed text.
        if byte_count > 4 * limits::MAX_TEXT_BYTES {
            update_findings(|seen| {
                seen.longest_text = seen.longest_text.max(byte_count);
                seen.has_too_long_text = true;
            });
        }
        fuel::require_check_every_interrupt();
    }

    fn on_string_created(hash: u32) {
        hash_buckets::add_texts_to_bucket(hash, 1);
    }

    fn on_table_part_allocated(byte_count: usize) -> bool {
        let total = ALLOCATION_FINDINGS.get().allocated_table_bytes.saturating_add(byte_count);
        update_findings(|seen| seen.allocated_table_bytes = total);
        if ALLOCATION_FINDINGS.get().allocated_table_bytes > max_table_bytes() {
            fuel::require_check_every_interrupt();
        }
        byte_count.is_power_of_two()
    }

    fn inspect_freed_table_part(words: &[Cell<u32>]) {
        record_table_part_shape(classify_table_part(words));
    }
}

/// Clears the findings when a call begins.
pub(crate) fn reset_findings() {
    ALLOCATION_FINDINGS.set(AllocationFindings::default());
    luau::clear_watched_blocks();
    LENGTH_BY_PREFIX_HASH.with_borrow_mut(BTreeMap::clear);
    hash_buckets::reset_and_list_crowded_buckets();
}

/// The findings of a suspended call.
pub(crate) struct SuspendedFindings {
    findings: AllocationFindings,
    length_by_prefix_hash: BTreeMap<u64, usize>,
    crowded_buckets: Vec<TextHashAndSize>,
}

/// Suspends the findings for work that is not part of the call.
pub(crate) fn suspend_findings() -> SuspendedFindings {
    luau::suspend_watched_blocks();
    SuspendedFindings {
        findings: ALLOCATION_FINDINGS.take(),
        length_by_prefix_hash: LENGTH_BY_PREFIX_HASH.take(),
        crowded_buckets: hash_buckets::reset_and_list_crowded_buckets(),
    }
}

/// Restores the findings of a suspended call.
pub(crate) fn resume_findings(suspended: SuspendedFindings) {
    ALLOCATION_FINDINGS.set(suspended.findings);
    luau::resume_watched_blocks();
    LENGTH_BY_PREFIX_HASH.set(suspended.length_by_prefix_hash);
    hash_buckets::reset_and_list_crowded_buckets();
    suspended
        .crowded_buckets
        .iter()
        .for_each(|(print, count)| merge_long_text_finding(*print, *count));
}

/// Adds the long texts that the VM already has when a call begins.
pub(crate) fn add_existing_long_texts(texts: &[TextHashAndSize]) {
    texts.iter().for_each(|(print, bytes)| merge_long_text_finding(*print, *bytes));
    if needs_check_every_interrupt() {
        fuel::require_check_every_interrupt();
    }
}

/// The long texts of this call, for a later call in the same VM.
pub(crate) fn long_texts() -> Vec<TextHashAndSize> {
    let mut all: Vec<TextHashAndSize> = LENGTH_BY_PREFIX_HASH
        .with_borrow(|all| all.iter().map(|(print, bytes)| (*print, *bytes)).collect());
    let findings = ALLOCATION_FINDINGS.get();
    let (twin, digits) = (findings.longest_similar_text, findings.longest_numeric_text);
    // Two equal entries make the reader find a duplicate prefix again.
    if twin > 0 {
        all.extend([(0, twin); 2]);
    }
    if digits > 0 {
        all.push((NUMERIC_TEXT_MARKER, digits));
    }
    all.extend(hash_buckets::crowded_buckets());
    all
}

/// Whether texts of this call make an interrupt or a comparison cost more fuel.
pub(crate) fn has_fuel_surcharge_for_texts() -> bool {
    let seen = ALLOCATION_FINDINGS.get();
    seen.longest_similar_text > 0 || seen.longest_numeric_text > 0 || seen.excess_chain_length > 0
}

/// Whether each interrupt must run all checks.
pub(crate) fn needs_check_every_interrupt() -> bool {
    has_fuel_surcharge_for_texts()
        || !matches!(check_allocations(), AllocationCheckResult::WithinLimits)
        || luau::has_watched_texts()
}

fn max_table_bytes() -> usize {
    let reserve = if fuel::is_call_in_used_vm() { limits::MAX_TABLE_BYTES_PER_CALL / 8 } else { 0 };
    limits::MAX_TABLE_BYTES_PER_CALL - reserve
}

/// Checks the new texts.
pub(crate) fn check_new_texts() {
    luau::inspect_watched_texts(check_new_text);
}

fn check_new_text(text: &[u8]) {
    let span = numeric_parse_cost(text);
    update_findings(|seen| {
        seen.longest_text = seen.longest_text.max(text.len());
        seen.has_too_long_text |= text.len() > limits::MAX_TEXT_BYTES;
        if span >= limits::MIN_CHECKED_TEXT_BYTES {
            seen.longest_numeric_text = seen.longest_numeric_text.max(span);
        }
    });
    if text.len() >= limits::MIN_LONG_TEXT_BYTES {
        let print =
            text[..limits::MIN_LONG_TEXT_BYTES].chunks_exact(8).fold(1_u64, |print, bytes| {
                let word = bytes.iter().fold(0, |word, byte| word << 8 | u64::from(*byte));
                (print ^ word).wrapping_mul(0x0000_0100_0000_01b3).rotate_left(23)
            });
        merge_long_text_finding(print, text.len());
    }
}

/// Marks a numeric text in a list of long texts, where others have the hash of their prefix.
const NUMERIC_TEXT_MARKER: u64 = 1;

fn merge_long_text_finding(print: u64, bytes: usize) {
    if print == NUMERIC_TEXT_MARKER {
        update_findings(|seen| seen.longest_numeric_text = seen.longest_numeric_text.max(bytes));
        return;
    }
    if let Some(hash) = hash_buckets::bucket_index_of_marker(print) {
        return hash_buckets::add_texts_to_bucket(hash, bytes);
    }
    let before = LENGTH_BY_PREFIX_HASH.with_borrow_mut(|all| all.insert(print, bytes));
    if let Some(before) = before {
        let longest = ALLOCATION_FINDINGS.get().longest_similar_text.max(before.min(bytes));
        update_findings(|seen| seen.longest_similar_text = longest);
        LENGTH_BY_PREFIX_HASH.with_borrow_mut(|all| all.insert(print, bytes.max(before)));
    }
}

/// The length of the longest text so far, in bytes.
pub(crate) fn longest_text_bytes() -> usize {
    ALLOCATION_FINDINGS.get().longest_text
}

/// Checks the new hash parts of tables. Returns the number of their slots.
pub(crate) fn check_new_tables() -> usize {
    let mut places = 0;
    luau::retain_watched_table_parts(0, |words| {
        let shape = classify_table_part(words);
        record_table_part_shape(shape);
        if shape != TablePartShape::NoTablePart {
            places += words.len() / HASH_NODE_WORDS;
        }
        shape != TablePartShape::NoTablePart
    });
    places
}

/// The shape of a block that may be the hash part of a table.
#[derive(Clone, Copy, PartialEq, Eq)]
enum TablePartShape {
    /// It is not part of a table.
    NoTablePart,
    /// All its hash chains are short.
    ShortChains,
    /// A hash chain is too long.
    LongChain,
}

fn record_table_part_shape(shape: TablePartShape) {
    if shape == TablePartShape::LongChain {
        update_findings(|seen| seen.has_hash_collisions = true);
        fuel::require_check_every_interrupt();
    }
}

/// Follows the hash chains of a block and returns its shape.
fn classify_table_part(words: &[Cell<u32>]) -> TablePartShape {
    let places = words.len() / HASH_NODE_WORDS;
    let word = |place: usize, index: usize| words[place * HASH_NODE_WORDS + index].get();
    let next = |place: usize| (word(place, KEY_TYPE_WORD_INDEX) as i32) >> 4;
    for place in 0..places {
        if word(place, VALUE_TYPE_WORD_INDEX) >= VALUE_TYPE_BOUND {
            return TablePartShape::NoTablePart;
        }
        let (mut at, mut turns) = (place, 0);
        while next(at) != 0 {
            let to = i64::try_from(at).unwrap_or(0) + i64::from(next(at));
            match usize::try_from(to) {
                Ok(to) if to < places => at = to,
                _ => return TablePartShape::NoTablePart,
            }
            turns += 1;
            if turns > limits::MAX_KEY_CHAIN_LENGTH {
                return TablePartShape::LongChain;
            }
        }
    }
    TablePartShape::ShortChains
}

/// The limit that the call exceeds, if any.
pub(crate) fn check_allocations() -> AllocationCheckResult {
    let seen = ALLOCATION_FINDINGS.get();
    if seen.has_too_long_text {
        AllocationCheckResult::TextTooLong
    } else if seen.has_hash_collisions {
        AllocationCheckResult::HashCollisions
    } else if seen.allocated_table_bytes > max_table_bytes() {
        AllocationCheckResult::TooManyTableBytes
    } else {
        AllocationCheckResult::WithinLimits
    }
}

/// Builds tables that do not count for the call, because a VM builds them or not depending on its
/// history. Returns whether all their hash chains are short.
pub(crate) fn run_without_recording_tables(work: impl FnOnce()) -> bool {
    let (before, moved) =
        (luau::watched_table_part_count(), ALLOCATION_FINDINGS.get().allocated_table_bytes);
    work();
    update_findings(|seen| seen.allocated_table_bytes = moved);
    let mut is_quick = true;
    luau::retain_watched_table_parts(before, |words| {
        is_quick &= classify_table_part(words) != TablePartShape::LongChain;
        false
    });
    is_quick
}

/// Whether a hash chain of texts is so long that the VM must be discarded.
pub(crate) fn is_hash_chain_too_long() -> bool {
    ALLOCATION_FINDINGS.get().excess_chain_length > limits::MAX_EXCESS_TEXTS_PER_BUCKET
}

/// Units of fuel that an interrupt costs in addition to its own.
pub(crate) fn extra_fuel_per_interrupt() -> usize {
    let seen = ALLOCATION_FINDINGS.get();
    seen.longest_similar_text / limits::SIMILAR_TEXT_BYTES_PER_FUEL_UNIT
        + seen.longest_numeric_text / limits::NUMERIC_TEXT_BYTES_PER_FUEL_UNIT
        + seen.excess_chain_length / limits::CHAINED_TEXTS_PER_FUEL_UNIT
}

/// Units of fuel for one comparison of two texts.
pub(crate) fn fuel_per_text_comparison() -> f64 {
    ALLOCATION_FINDINGS.get().longest_similar_text as f64
        / limits::COMPARED_TEXT_BYTES_PER_FUEL_UNIT
}
