//! The meter at the border between scripts and the host. Whatever reads, walks, writes or keeps something for a
//! script counts it here by itself, so that no function of the host has to ask for it: the stack counts bytes and
//! entries, the reader values, the world what it copies, a Problem the text that it repeats. All of it is a count;
//! nothing looks at a clock or at an address.

use std::cell::Cell;

use super::limits;

/// Parts of one unit of fuel. A byte that is read, copied or compared costs one part.
pub const PARTS: i64 = limits::BYTES_PER_UNIT as i64;
/// Parts that an entry of a table costs when it is walked.
const PARTS_PER_ENTRY: i64 = PARTS / 16;
/// Parts that a value costs when it is read as plain data.
const PARTS_PER_VALUE: i64 = PARTS / 4;
/// Parts that a table costs beside what it holds when it is read as plain data.
const PARTS_PER_TABLE: i64 = PARTS_PER_VALUE * limits::TABLE_NODES as i64;

thread_local! {
    /// What is left of the budget of the call that runs on this thread, in parts. Less than 0: it is spent.
    static LEFT: Cell<i64> = const { Cell::new(0) };
    /// Bytes that the host keeps for the call.
    static KEPT: Cell<usize> = const { Cell::new(0) };
    /// The most that it may keep.
    static MOST_KEPT: Cell<usize> = const { Cell::new(usize::MAX) };
}

/// What is left of the budget, in parts.
#[inline]
pub fn left() -> i64 {
    LEFT.get()
}

/// Sets what is left of the budget, in parts.
#[inline]
pub fn set_left(parts: i64) {
    LEFT.set(parts);
}

/// Whether the budget is spent.
#[inline]
pub fn is_spent() -> bool {
    LEFT.get() < 0
}

#[inline]
fn take(parts: i64) {
    LEFT.set(LEFT.get().saturating_sub(parts));
}

/// Charges whole units of fuel.
pub fn units(units: usize) {
    take(i64::try_from(units).unwrap_or(i64::MAX).saturating_mul(PARTS));
}

/// Charges bytes that are read, copied or compared.
#[inline]
pub fn bytes(bytes: usize) {
    take(bytes as i64);
}

/// Charges entries of a table that are walked.
#[inline]
pub fn entries(count: usize) {
    take((count as i64).saturating_mul(PARTS_PER_ENTRY));
}

/// Charges a value that is read as plain data.
#[inline]
pub fn value() {
    take(PARTS_PER_VALUE);
}

/// Charges a table that is read as plain data, beside what it holds.
#[inline]
pub fn table() {
    take(PARTS_PER_TABLE);
}

/// Counts bytes that the host keeps until the call is over. Beyond the limit the budget is spent.
pub fn keep(bytes: usize) {
    KEPT.set(KEPT.get().saturating_add(bytes));
    if keeps_too_much() {
        LEFT.set(LEFT.get().min(-1));
    }
}

/// Bytes that the host keeps for the call so far.
pub fn kept() -> usize {
    KEPT.get()
}

/// Sets how many bytes the host keeps so far.
pub fn set_kept(bytes: usize) {
    KEPT.set(bytes);
}

/// Sets how many bytes the host may keep; says how many it might before.
pub fn set_most_kept(bytes: usize) -> usize {
    MOST_KEPT.replace(bytes)
}

/// Whether the host keeps more for the call than it may.
pub fn keeps_too_much() -> bool {
    KEPT.get() > MOST_KEPT.get()
}

/// Does something that costs nothing: work of the host's own, which another VM may have done before.
#[inline]
pub fn free<R>(work: impl FnOnce() -> R) -> R {
    let left = LEFT.get();
    let done = work();
    LEFT.set(left);
    done
}
