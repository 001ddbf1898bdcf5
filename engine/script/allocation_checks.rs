//! What one instruction of Luau may be slow with: texts that are long, and tables whose keys were made to
//! lie in one chain. `luau::blocks` hears of every large block as Luau asks for it, and tells it here; at
//! the next interrupt it is judged. All of it is counted from the beginning of a call.

use std::cell::{Cell, RefCell};
use std::collections::BTreeMap;

mod hash_buckets;
mod numeric_text;

pub(super) use hash_buckets::has_hash_collisions;
use numeric_text::numeric_parse_cost;

use super::fuel;
use base::limits;
use luau::{AllocationObserver, MemoryBlock};

/// Texts from here on are looked at: one that reads as a number is read from one end to the other.
pub(super) const MIN_CHECKED_TEXT_BYTES: usize = 48;
/// Texts from here on are long: to compare two that begin alike takes time that has its price.
const MIN_LONG_TEXT_BYTES: usize = 2048;
/// Bytes of the longest text that begins like another for one unit at each interrupt: between two of them
/// some texts may be compared.
const SIMILAR_TEXT_BYTES_PER_FUEL_UNIT: usize = 512;
/// The same where it reads as a number.
const NUMERIC_TEXT_BYTES_PER_FUEL_UNIT: usize = 8;
/// The same for one unit where two are compared once.
const COMPARED_TEXT_BYTES_PER_FUEL_UNIT: f64 = 1024.0;
/// Most bytes of tables' parts that may be asked for in one call, also if they are given back: a table
/// that is filled and emptied around its size asks for all of it again and again.
const MAX_TABLE_BYTES_PER_CALL: usize = 128 * 1024 * 1024;
/// Texts in one chain for one unit at each interrupt.
const CHAINED_TEXTS_PER_FUEL_UNIT: usize = 24;
/// The longest chain that keys come to lie in by themselves is three fifths of this.
const MAX_KEY_CHAIN_LENGTH: usize = 16;
/// What a place of a table's keys takes, in words: value, its extra, its sort; key, extra, sort and next.
const HASH_NODE_WORDS: usize = 8;
const VALUE_TYPE_WORD_INDEX: usize = 3;
const KEY_TYPE_WORD_INDEX: usize = 7;
/// Sorts of values have smaller numbers.
const VALUE_TYPE_COUNT: u32 = 32;

/// The beginning of a long text, as a print, and how long it is.
pub(super) type TextHashAndSize = (u64, usize);

/// What was found so far in a call, in numbers.
#[derive(Clone, Copy, Default)]
struct AllocationFindings {
    longest_text: usize,
    /// The longest text that begins like another.
    longest_similar_text: usize,
    /// The longest text that reads as a number.
    longest_numeric_text: usize,
    has_too_long_text: bool,
    has_hash_collisions: bool,
    allocated_table_bytes: usize,
    /// Texts beyond what chance puts there in the fullest of `BUCKET_COUNTS`.
    excess_chain_length: usize,
}

thread_local! {
    static ALLOCATION_FINDINGS: Cell<AllocationFindings> = const {
        Cell::new(AllocationFindings { longest_text: 0, longest_similar_text: 0, longest_numeric_text: 0, has_too_long_text: false, has_hash_collisions: false, allocated_table_bytes: 0, excess_chain_length: 0 })
    };
    /// Texts that were made, and whose bytes have not been looked at.
    static UNCHECKED_TEXTS: RefCell<Vec<MemoryBlock>> = const { RefCell::new(Vec::new()) };
    /// The long texts that have been.
    static LENGTH_BY_PREFIX_HASH: RefCell<BTreeMap<u64, usize>> = const { RefCell::new(BTreeMap::new()) };
    static UNCHECKED_TABLE_PARTS: RefCell<Vec<MemoryBlock>> = const { RefCell::new(Vec::new()) };
}

/// Takes note of something.
fn update_findings(what: impl FnOnce(&mut AllocationFindings)) {
    let mut seen = ALLOCATION_FINDINGS.get();
    what(&mut seen);
    ALLOCATION_FINDINGS.set(seen);
}

/// What was found since the last look.
pub(super) enum AllocationCheckResult {
    WithinLimits,
    /// More was moved about than may be.
    TooManyTableBytes,
    /// A text longer than may be.
    TextTooLong,
    /// A table with a chain of keys longer than may be.
    HashCollisions,
}

/// What is told of blocks.
pub(super) struct AllocationRecorder;

impl AllocationObserver for AllocationRecorder {
    const MIN_REPORTED_TEXT_BYTES: usize = MIN_CHECKED_TEXT_BYTES;

    fn on_text_allocated(text: MemoryBlock) {
        // Buffers of the library that have become so large become no text that may be.
        if text.byte_count > 4 * limits::MAX_TEXT_BYTES {
            update_findings(|seen| {
                seen.longest_text = seen.longest_text.max(text.byte_count);
                seen.has_too_long_text = true;
            });
        }
        UNCHECKED_TEXTS.with_borrow_mut(|texts| texts.push(text));
        fuel::require_check_every_interrupt();
    }

    fn on_string_created(hash: u32) {
        hash_buckets::add_texts_to_bucket(hash, 1);
    }

    fn on_table_part_allocated(part: MemoryBlock) {
        let total = ALLOCATION_FINDINGS.get().allocated_table_bytes.saturating_add(part.byte_count);
        update_findings(|seen| seen.allocated_table_bytes = total);
        if ALLOCATION_FINDINGS.get().allocated_table_bytes > max_table_bytes() {
            fuel::require_check_every_interrupt();
        }
        if part.byte_count.is_power_of_two() {
            UNCHECKED_TABLE_PARTS.with_borrow_mut(|tables| tables.push(part));
        }
    }

    fn on_block_freed(is_it: impl Fn(&MemoryBlock) -> bool) -> Option<MemoryBlock> {
        UNCHECKED_TEXTS.with_borrow_mut(|texts| texts.retain(|text| !is_it(text)));
        UNCHECKED_TABLE_PARTS.with_borrow_mut(|tables| {
            let found = tables.iter().rposition(&is_it)?;
            Some(tables.swap_remove(found))
        })
    }

    fn inspect_freed_table_part(words: &[u32]) {
        record_table_part_shape(classify_table_part(words));
    }
}

/// A call begins: nothing has been found yet.
pub(super) fn reset_findings() {
    ALLOCATION_FINDINGS.set(AllocationFindings::default());
    UNCHECKED_TEXTS.with_borrow_mut(Vec::clear);
    LENGTH_BY_PREFIX_HASH.with_borrow_mut(BTreeMap::clear);
    UNCHECKED_TABLE_PARTS.with_borrow_mut(Vec::clear);
    hash_buckets::reset_and_list_crowded_buckets();
}

/// A call has ended: what it made lies there, and is not looked at any more.
pub(super) fn discard_unchecked_blocks() {
    UNCHECKED_TEXTS.with_borrow_mut(Vec::clear);
    UNCHECKED_TABLE_PARTS.with_borrow_mut(Vec::clear);
}

/// What was found in a call that is laid aside.
pub(super) struct SuspendedFindings {
    findings: AllocationFindings,
    unchecked_texts: Vec<MemoryBlock>,
    length_by_prefix_hash: BTreeMap<u64, usize>,
    unchecked_table_parts: Vec<MemoryBlock>,
    crowded_buckets: Vec<TextHashAndSize>,
}

/// Lays aside what was found, for work that is no part of the call.
pub(super) fn suspend_findings() -> SuspendedFindings {
    SuspendedFindings {
        findings: ALLOCATION_FINDINGS.take(),
        unchecked_texts: UNCHECKED_TEXTS.take(),
        length_by_prefix_hash: LENGTH_BY_PREFIX_HASH.take(),
        unchecked_table_parts: UNCHECKED_TABLE_PARTS.take(),
        crowded_buckets: hash_buckets::reset_and_list_crowded_buckets(),
    }
}

/// Goes on with it.
pub(super) fn resume_findings(suspended: SuspendedFindings) {
    ALLOCATION_FINDINGS.set(suspended.findings);
    UNCHECKED_TEXTS.set(suspended.unchecked_texts);
    LENGTH_BY_PREFIX_HASH.set(suspended.length_by_prefix_hash);
    UNCHECKED_TABLE_PARTS.set(suspended.unchecked_table_parts);
    hash_buckets::reset_and_list_crowded_buckets();
    suspended
        .crowded_buckets
        .iter()
        .for_each(|(print, count)| merge_long_text_finding(*print, *count));
}

/// A call begins in a VM where these long texts are.
pub(super) fn add_existing_long_texts(texts: &[TextHashAndSize]) {
    texts.iter().for_each(|(print, bytes)| merge_long_text_finding(*print, *bytes));
    if needs_check_every_interrupt() {
        fuel::require_check_every_interrupt();
    }
}

/// The long texts of this call.
pub(super) fn long_texts() -> Vec<TextHashAndSize> {
    let mut all: Vec<TextHashAndSize> = LENGTH_BY_PREFIX_HASH
        .with_borrow(|all| all.iter().map(|(print, bytes)| (*print, *bytes)).collect());
    let findings = ALLOCATION_FINDINGS.get();
    let (twin, digits) = (findings.longest_similar_text, findings.longest_numeric_text);
    // Two that begin alike are told as two.
    if twin > 0 {
        all.extend([(0, twin); 2]);
    }
    if digits > 0 {
        all.push((NUMERIC_TEXT_MARKER, digits));
    }
    all.extend(hash_buckets::crowded_buckets());
    all
}

/// Whether long texts have made anything dearer.
pub(super) fn has_fuel_surcharge_for_texts() -> bool {
    let seen = ALLOCATION_FINDINGS.get();
    seen.longest_similar_text > 0 || seen.longest_numeric_text > 0 || seen.excess_chain_length > 0
}

/// Whether each interrupt is to be looked at.
pub(super) fn needs_check_every_interrupt() -> bool {
    has_fuel_surcharge_for_texts()
        || !matches!(check_allocations(), AllocationCheckResult::WithinLimits)
        || UNCHECKED_TEXTS.with_borrow(|texts| !texts.is_empty())
}

fn max_table_bytes() -> usize {
    let reserve = if fuel::is_call_in_used_vm() { MAX_TABLE_BYTES_PER_CALL / 8 } else { 0 };
    MAX_TABLE_BYTES_PER_CALL - reserve
}

/// Looks at the texts that were made.
pub(super) fn check_new_texts() {
    for text in UNCHECKED_TEXTS.take() {
        luau::read_text_bytes(&text).into_iter().for_each(check_new_text);
    }
}

fn check_new_text(text: &[u8]) {
    let span = numeric_parse_cost(text);
    update_findings(|seen| {
        seen.longest_text = seen.longest_text.max(text.len());
        seen.has_too_long_text |= text.len() > limits::MAX_TEXT_BYTES;
        if span >= MIN_CHECKED_TEXT_BYTES {
            seen.longest_numeric_text = seen.longest_numeric_text.max(span);
        }
    });
    if text.len() >= MIN_LONG_TEXT_BYTES {
        let print = text[..MIN_LONG_TEXT_BYTES].chunks_exact(8).fold(1_u64, |print, bytes| {
            let word = bytes.iter().fold(0, |word, byte| word << 8 | u64::from(*byte));
            (print ^ word).wrapping_mul(0x0000_0100_0000_01b3).rotate_left(23)
        });
        merge_long_text_finding(print, text.len());
    }
}

/// What stands for the beginning of a text that reads as a number.
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

/// The longest text so far, in bytes.
pub(super) fn longest_text_bytes() -> usize {
    ALLOCATION_FINDINGS.get().longest_text
}

/// Looks at the parts of tables that were made; says how many places they have.
pub(super) fn check_new_tables() -> usize {
    let mut places = 0;
    UNCHECKED_TABLE_PARTS.with_borrow_mut(|tables| {
        tables.retain(|part| {
            let shape = classify_table_part(luau::read_table_part_words(part));
            record_table_part_shape(shape);
            if shape != TablePartShape::NoTablePart {
                places += part.byte_count / (4 * HASH_NODE_WORDS);
            }
            shape != TablePartShape::NoTablePart
        });
    });
    places
}

/// What was seen in a part.
#[derive(Clone, Copy, PartialEq, Eq)]
enum TablePartShape {
    /// It belongs to no table.
    NoTablePart,
    /// Its chains are short.
    ShortChains,
    /// One is too long.
    LongChain,
}

/// Takes note of a shape.
fn record_table_part_shape(shape: TablePartShape) {
    if shape == TablePartShape::LongChain {
        update_findings(|seen| seen.has_hash_collisions = true);
        fuel::require_check_every_interrupt();
    }
}

/// The shape of a part, given as words.
fn classify_table_part(words: &[u32]) -> TablePartShape {
    let places = words.len() / HASH_NODE_WORDS;
    let next = |place: usize| (words[place * HASH_NODE_WORDS + KEY_TYPE_WORD_INDEX] as i32) >> 4;
    for place in 0..places {
        if words[place * HASH_NODE_WORDS + VALUE_TYPE_WORD_INDEX] >= VALUE_TYPE_COUNT {
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
            if turns > MAX_KEY_CHAIN_LENGTH {
                return TablePartShape::LongChain;
            }
        }
    }
    TablePartShape::ShortChains
}

/// What was found that ends the call.
pub(super) fn check_allocations() -> AllocationCheckResult {
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

/// Makes tables that are no part of the call: whether a VM makes them hangs on what it was used for. Says
/// whether their keys are found quickly.
pub(super) fn run_without_recording_tables(work: impl FnOnce()) -> bool {
    let (before, moved) = (
        UNCHECKED_TABLE_PARTS.with_borrow(Vec::len),
        ALLOCATION_FINDINGS.get().allocated_table_bytes,
    );
    work();
    update_findings(|seen| seen.allocated_table_bytes = moved);
    UNCHECKED_TABLE_PARTS.with_borrow_mut(|tables| {
        let made = tables.split_off(before.min(tables.len()));
        let words = |part| luau::read_table_part_words(part);
        made.iter().all(|part| classify_table_part(words(part)) != TablePartShape::LongChain)
    })
}

/// Whether so many texts lie in one chain that the VM is of no more use.
pub(super) fn is_hash_chain_too_long() -> bool {
    ALLOCATION_FINDINGS.get().excess_chain_length > hash_buckets::MAX_EXCESS_TEXTS_PER_BUCKET
}

/// Units that an interrupt costs beside its own.
pub(super) fn extra_fuel_per_interrupt() -> usize {
    let seen = ALLOCATION_FINDINGS.get();
    seen.longest_similar_text / SIMILAR_TEXT_BYTES_PER_FUEL_UNIT
        + seen.longest_numeric_text / NUMERIC_TEXT_BYTES_PER_FUEL_UNIT
        + seen.excess_chain_length / CHAINED_TEXTS_PER_FUEL_UNIT
}

/// Units that it costs to compare two texts.
pub(super) fn fuel_per_text_comparison() -> f64 {
    ALLOCATION_FINDINGS.get().longest_similar_text as f64 / COMPARED_TEXT_BYTES_PER_FUEL_UNIT
}
