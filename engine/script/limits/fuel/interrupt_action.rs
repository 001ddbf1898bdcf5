//! One interrupt of the VM: charges a unit and checks everything that may end the call.

use super::deadline::is_past_deadline;
use crate::limits::allocation_checks;
use crate::limits::allocation_checks::AllocationCheckResult;
use crate::limits::fuel::{
    FUEL_AT_LAST_CHECK, FUEL_BY_RUNNING_MOD, FULL_CHECK_ABOVE_KIB, LARGEST_BLOCK_KIB, LIMIT_POLICY,
    LimitPolicy, MAX_MEMORY_KIB, STOP_FRAMES, STOP_REASON, StopReason, charge_fuel,
    update_check_threshold,
};
use base::limits;
use base::meter::{self, PARTS_PER_FUEL_UNIT};

/// Maximum number of recorded frames where Lua was stopped.
const MAX_STOP_FRAMES: usize = 8;
/// Parts of units between two checks of the clock and of the running mod.
const FUEL_PARTS_PER_CHECK: i64 = 512 * PARTS_PER_FUEL_UNIT;
/// The action that follows an interrupt.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum InterruptAction {
    Continue,
    /// Check new texts, then continue with `continue_after_text_check`.
    CheckTexts,
    /// Check tables, then continue with `continue_after_table_check`, and record the running mod.
    CheckTables,
    Stop,
}

/// Charges the unit of an interrupt. Returns true if nothing else is due; otherwise ask
/// `next_action`. `memory_kib` is the memory in use.
#[inline]
pub(crate) fn charge_interrupt(memory_kib: i32) -> bool {
    let parts_left = meter::remaining_fuel_parts() - PARTS_PER_FUEL_UNIT;
    meter::set_remaining_fuel_parts(parts_left);
    parts_left >= 0
        && memory_kib <= FULL_CHECK_ABOVE_KIB.get()
        && FUEL_AT_LAST_CHECK.get() - parts_left < FUEL_PARTS_PER_CHECK
}

/// The action that follows an interrupt after its unit is charged.
pub(crate) fn next_action(memory_kib: i32) -> InterruptAction {
    if meter::is_fuel_exhausted() {
        return InterruptAction::Stop;
    }
    if memory_kib <= FULL_CHECK_ABOVE_KIB.get() {
        return periodic_action();
    }
    if memory_kib > MAX_MEMORY_KIB.get() {
        stop_script(StopReason::Memory)
    } else {
        InterruptAction::CheckTexts
    }
}

/// Continues after new texts were checked.
pub(crate) fn continue_after_text_check() -> InterruptAction {
    match allocation_checks::check_allocations() {
        AllocationCheckResult::WithinLimits => {}
        AllocationCheckResult::TooManyTableBytes => return stop_script(StopReason::Memory),
        AllocationCheckResult::TextTooLong => return stop_script(StopReason::TextTooLong),
        AllocationCheckResult::HashCollisions => return stop_script(StopReason::HashCollisions),
    }
    if !charge_fuel(allocation_checks::extra_fuel_per_interrupt()) {
        return InterruptAction::Stop;
    }
    update_check_threshold();
    periodic_action()
}

fn periodic_action() -> InterruptAction {
    if FUEL_AT_LAST_CHECK.get() - meter::remaining_fuel_parts() < FUEL_PARTS_PER_CHECK {
        InterruptAction::Continue
    } else {
        InterruptAction::CheckTables
    }
}

/// Continues after table slots were examined.
pub(crate) fn continue_after_table_check(slot_count: usize) -> InterruptAction {
    if !charge_fuel(slot_count / limits::TABLE_SLOTS_PER_FUEL_UNIT) {
        return InterruptAction::Stop;
    }
    if is_past_deadline() {
        return stop_script(StopReason::TimeLimit);
    }
    InterruptAction::Continue
}

/// Records the running mod, and charges it with what was spent since the last check.
pub(crate) fn charge_running_mod(owner: &str) {
    let parts_left = meter::remaining_fuel_parts();
    let units = FUEL_AT_LAST_CHECK.replace(parts_left) - parts_left;
    FUEL_BY_RUNNING_MOD.with_borrow_mut(|spent_parts| match spent_parts.get_mut(owner) {
        Some(sum) => *sum += units,
        None => drop(spent_parts.insert(owner.to_owned(), units)),
    });
}

/// Records a frame of the stack where Lua is being stopped; only the first stop counts.
pub(crate) fn record_stop_frame(chunk: &str, line: u32) {
    STOP_FRAMES.with_borrow_mut(|frames| {
        if frames.len() < MAX_STOP_FRAMES {
            frames.push((chunk.to_owned(), line));
        }
    });
}

/// The frames where Lua was stopped, innermost first.
pub(crate) fn stop_frames() -> Vec<(String, u32)> {
    STOP_FRAMES.with_borrow(Clone::clone)
}

/// Stops Lua for a reason other than fuel. The fuel is set to spent, so that nothing continues.
fn stop_script(reason: StopReason) -> InterruptAction {
    STOP_REASON.set(reason);
    meter::set_remaining_fuel_parts(-1);
    InterruptAction::Stop
}

/// Whether memory is so short that an error may come from it: blocks are too small to fail
/// otherwise.
pub(crate) fn is_memory_short(used_bytes: usize) -> bool {
    let used_kib = i32::try_from(used_bytes / 1024).unwrap_or(i32::MAX);
    used_kib.saturating_add(LARGEST_BLOCK_KIB) >= MAX_MEMORY_KIB.get()
}

/// Whether a new VM must decide about a call near a limit.
pub(crate) fn is_call_in_used_vm() -> bool {
    LIMIT_POLICY.get() == LimitPolicy::UsedVm
}
