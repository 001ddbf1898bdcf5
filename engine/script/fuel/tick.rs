//! One interrupt of the VM: charges a unit and checks everything that may end the call.

use super::{
    CLOSELY_KIB, DEADLINE, LARGEST_BLOCK_KIB, LOOKED, MEMORY_KIB, RIGOUR, Rigour, SEEN, STOPPED_AT,
    STOPPED_BY, Stop, charge, is_past, look_as_closely_as_needed,
};
use crate::kit::meter::{self, PARTS};
use crate::kit::untimed::is_timed;
use crate::script::blocks::{self, Found};

/// Maximum number of recorded frames where Lua was stopped.
const FRAMES: usize = 8;
/// Parts of units between two checks of the clock and of the running mod.
const PARTS_PER_LOOK: i64 = 512 * PARTS;
/// Table slots that are examined for one unit.
const NODES_PER_UNIT: usize = 256;
/// What the VM does after an interrupt.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Tick {
    On,
    /// Check new texts, then continue with `after_text_check`.
    Closely,
    /// Check tables, then continue with `after_table_check`, and record the running mod.
    Look,
    Stop,
}

/// Charges the unit of an interrupt. Returns true if nothing else is due; otherwise ask
/// `next_action`. `memory_kib` is the memory in use.
#[inline]
pub(crate) fn count(memory_kib: i32) -> bool {
    let left = meter::left() - PARTS;
    meter::set_left(left);
    left >= 0 && memory_kib <= CLOSELY_KIB.get() && LOOKED.get() - left < PARTS_PER_LOOK
}

/// What is due at an interrupt whose unit is charged.
pub(crate) fn tick(memory_kib: i32) -> Tick {
    if meter::is_spent() {
        return Tick::Stop;
    }
    if memory_kib <= CLOSELY_KIB.get() {
        return due();
    }
    if memory_kib > MEMORY_KIB.get() { stop(Stop::Memory) } else { Tick::Closely }
}

/// Continues after new texts were checked.
pub(crate) fn closely() -> Tick {
    let known = RIGOUR.get() == Rigour::Known;
    match blocks::found() {
        Found::Nothing => {}
        _ if known => {}
        Found::Much => return stop(Stop::Memory),
        Found::TooLong => return stop(Stop::Text),
        Found::Crowded => return stop(Stop::Crowded),
    }
    if !known && !charge(blocks::price()) {
        return Tick::Stop;
    }
    look_as_closely_as_needed();
    due()
}

fn due() -> Tick {
    if LOOKED.get() - meter::left() < PARTS_PER_LOOK { Tick::On } else { Tick::Look }
}

/// Continues after table slots were examined.
pub(crate) fn looked(places: usize) -> Tick {
    if !charge(places / NODES_PER_UNIT) {
        return Tick::Stop;
    }
    if is_timed() && DEADLINE.get().is_some_and(is_past) {
        return stop(Stop::Clock);
    }
    Tick::On
}

/// Records the running mod, and charges it with what was spent since the last check.
pub(crate) fn seen(owner: &str) {
    let left = meter::left();
    let units = LOOKED.replace(left) - left;
    SEEN.with_borrow_mut(|seen| match seen.get_mut(owner) {
        Some(sum) => *sum += units,
        None => drop(seen.insert(owner.to_owned(), units)),
    });
}

/// Records a frame of the stack where Lua is being stopped; only the first stop counts.
pub(crate) fn note_stop(chunk: &str, line: u32) {
    STOPPED_AT.with_borrow_mut(|frames| {
        if frames.len() < FRAMES {
            frames.push((chunk.to_owned(), line));
        }
    });
}

/// The frames where Lua was stopped, innermost first.
pub(crate) fn stopped_at() -> Vec<(String, u32)> {
    STOPPED_AT.with_borrow(Clone::clone)
}

/// Stops Lua for a reason other than fuel. The fuel is set to spent, so that nothing continues.
fn stop(why: Stop) -> Tick {
    STOPPED_BY.set(why);
    meter::set_left(-1);
    Tick::Stop
}

/// Whether memory is so short that an error may come from it: blocks are too small to fail
/// otherwise.
pub(crate) fn memory_is_short(used: usize) -> bool {
    let used = i32::try_from(used / 1024).unwrap_or(i32::MAX);
    used.saturating_add(LARGEST_BLOCK_KIB) >= MEMORY_KIB.get()
}

/// Whether a new VM must decide about a call near a limit.
pub(crate) fn doubting() -> bool {
    RIGOUR.get() == Rigour::Doubting
}
