//! The fuel meter at the border between scripts and the host. Every layer that reads, walks, writes
//! or holds data for a script charges it here, so host functions need not: the stack charges bytes
//! and entries, the reader values, the world its copies, a Problem its quoted text. All amounts are
//! counts; no clock and no address is read.

use std::cell::Cell;

use super::limits;

/// Parts of one unit of fuel. A byte that is read, copied or compared costs one part.
pub const PARTS_PER_FUEL_UNIT: i64 = limits::BYTES_PER_FUEL_UNIT as i64;
/// Parts that walking one table entry costs.
const ENTRY_COST_PARTS: i64 = PARTS_PER_FUEL_UNIT / 16;
/// Parts that iterating over one slot of a table costs, used or not.
const SLOT_COST_PARTS: i64 = PARTS_PER_FUEL_UNIT / 32;
/// Iterations over fewer slots cost nothing extra.
const MIN_CHARGED_SLOTS: usize = 1024;
/// Parts that reading one value as plain data costs.
const VALUE_COST_PARTS: i64 = PARTS_PER_FUEL_UNIT / 4;
/// Parts that reading a table as plain data costs, in addition to its contents.
const PARTS_PER_TABLE: i64 = VALUE_COST_PARTS * limits::TABLE_COST_ENTRIES as i64;

thread_local! {
    /// Remaining budget of the call on this thread, in parts. Negative: it is exhausted.
    static REMAINING_FUEL_PARTS: Cell<i64> = const { Cell::new(0) };
    /// Bytes that the host holds for the call.
    static COUNTED_HOST_BYTES: Cell<usize> = const { Cell::new(0) };
    /// Most bytes that the host may hold for the call.
    static HOST_BYTES_LIMIT: Cell<usize> = const { Cell::new(usize::MAX) };
}

/// Returns the remaining budget, in parts.
#[inline]
pub fn remaining_fuel_parts() -> i64 {
    REMAINING_FUEL_PARTS.get()
}

/// Sets the remaining budget, in parts.
#[inline]
pub fn set_remaining_fuel_parts(parts: i64) {
    REMAINING_FUEL_PARTS.set(parts);
}

/// Whether the budget is exhausted.
#[inline]
pub fn is_fuel_exhausted() -> bool {
    REMAINING_FUEL_PARTS.get() < 0
}

#[inline]
fn charge_parts(parts: i64) {
    REMAINING_FUEL_PARTS.set(REMAINING_FUEL_PARTS.get().saturating_sub(parts));
}

/// Charges whole units of fuel.
pub fn charge_units(units: usize) {
    charge_parts(i64::try_from(units).unwrap_or(i64::MAX).saturating_mul(PARTS_PER_FUEL_UNIT));
}

/// Charges bytes that are read, copied or compared.
#[inline]
pub fn charge_bytes(bytes: usize) {
    charge_parts(bytes as i64);
}

/// Charges table entries that are walked.
#[inline]
pub fn charge_table_entries(count: usize) {
    charge_parts((count as i64).saturating_mul(ENTRY_COST_PARTS));
}

/// Charges an insertion into an ordered map with `count` entries. Small maps are free, because the
/// charge for the value is enough.
#[inline]
pub fn charge_ordered_map_insert(count: usize) {
    if count >= MIN_CHARGED_SLOTS {
        charge_parts(ENTRY_COST_PARTS * i64::from(count.ilog2()));
    }
}

/// Charges the slots of a table for an iteration. Small tables are free.
#[inline]
pub fn charge_table_slots(count: usize) {
    if count >= MIN_CHARGED_SLOTS {
        charge_parts((count as i64).saturating_mul(SLOT_COST_PARTS));
    }
}

/// Charges a value that is read as plain data.
#[inline]
pub fn charge_read_value() {
    charge_parts(VALUE_COST_PARTS);
}

/// Charges a table that is read as plain data, in addition to its contents.
#[inline]
pub fn charge_read_table() {
    charge_parts(PARTS_PER_TABLE);
}

/// Counts bytes that the host holds until the call ends. Beyond the limit the budget is exhausted.
pub fn count_host_bytes(bytes: usize) {
    COUNTED_HOST_BYTES.set(COUNTED_HOST_BYTES.get().saturating_add(bytes));
    if exceeds_host_bytes_limit() {
        REMAINING_FUEL_PARTS.set(REMAINING_FUEL_PARTS.get().min(-1));
    }
}

/// Returns the bytes that the host holds for the call so far.
pub fn counted_host_bytes() -> usize {
    COUNTED_HOST_BYTES.get()
}

/// Sets the bytes that the host holds so far.
pub fn set_counted_host_bytes(bytes: usize) {
    COUNTED_HOST_BYTES.set(bytes);
}

/// Sets the limit of bytes that the host may hold, and returns the previous limit.
pub fn set_host_bytes_limit(bytes: usize) -> usize {
    HOST_BYTES_LIMIT.replace(bytes)
}

/// Whether the host holds more bytes for the call than the limit.
pub fn exceeds_host_bytes_limit() -> bool {
    COUNTED_HOST_BYTES.get() > HOST_BYTES_LIMIT.get()
}

/// Runs work without charging for it: work of the host that another VM may already have done.
#[inline]
pub fn run_without_charge<R>(work: impl FnOnce() -> R) -> R {
    let left = REMAINING_FUEL_PARTS.get();
    let done = work();
    REMAINING_FUEL_PARTS.set(left);
    done
}
