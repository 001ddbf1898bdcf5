//! One interrupt of the VM: a unit is taken, and whatever would end the call is looked for.

use super::{
    CLOSELY_KIB, DEADLINE, LARGEST_BLOCK_KIB, LOOKED, MEMORY_KIB, RIGOUR, Rigour, SEEN, STOPPED_AT,
    STOPPED_BY, Stop, charge, is_past, look_as_closely_as_needed,
};
use crate::kit::meter::{self, PARTS};
use crate::kit::untimed::is_timed;
use crate::script::blocks::{self, Found};

/// Most frames that are kept of the stack where Lua was stopped.
const FRAMES: usize = 8;
/// Parts of units between two looks at the clock and at who is running.
const PARTS_PER_LOOK: i64 = 512 * PARTS;
/// Places of tables that are looked at for one unit.
const NODES_PER_UNIT: usize = 256;
/// What the VM is to do after an interrupt.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Tick {
    On,
    /// Look at the texts that were made, and ask again.
    Closely,
    /// Look at the tables that were made, ask again, and say who is running.
    Look,
    Stop,
}

/// Takes the unit of an interrupt of the VM, which has so much memory in use. Whether that is all there is
/// to it; otherwise `tick` says what is.
#[inline]
pub(crate) fn count(memory_kib: i32) -> bool {
    let left = meter::left() - PARTS;
    meter::set_left(left);
    left >= 0 && memory_kib <= CLOSELY_KIB.get() && LOOKED.get() - left < PARTS_PER_LOOK
}

/// What is to be done at an interrupt whose unit is taken.
pub(crate) fn tick(memory_kib: i32) -> Tick {
    if meter::is_spent() {
        return Tick::Stop;
    }
    if memory_kib <= CLOSELY_KIB.get() {
        return due();
    }
    if memory_kib > MEMORY_KIB.get() { stop(Stop::Memory) } else { Tick::Closely }
}

/// Goes on after the texts that were made have been looked at.
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

/// Goes on after so many places of tables have been looked at.
pub(crate) fn looked(places: usize) -> Tick {
    if !charge(places / NODES_PER_UNIT) {
        return Tick::Stop;
    }
    if is_timed() && DEADLINE.get().is_some_and(is_past) {
        return stop(Stop::Clock);
    }
    Tick::On
}

/// Notes which mod is running now; what was spent since the last look is laid to it.
pub(crate) fn seen(owner: &str) {
    let left = meter::left();
    let units = LOOKED.replace(left) - left;
    SEEN.with_borrow_mut(|seen| match seen.get_mut(owner) {
        Some(sum) => *sum += units,
        None => drop(seen.insert(owner.to_owned(), units)),
    });
}

/// Notes a frame of the stack where Lua is being stopped; only the first stop counts.
pub(crate) fn note_stop(chunk: &str, line: u32) {
    STOPPED_AT.with_borrow_mut(|frames| {
        if frames.len() < FRAMES {
            frames.push((chunk.to_owned(), line));
        }
    });
}

/// The frames of the stack where Lua was stopped, innermost first.
pub(crate) fn stopped_at() -> Vec<(String, u32)> {
    STOPPED_AT.with_borrow(Clone::clone)
}

/// Stops Lua for another reason than fuel: what is left of it is gone too, so that nothing goes
/// on.
fn stop(why: Stop) -> Tick {
    STOPPED_BY.set(why);
    meter::set_left(-1);
    Tick::Stop
}

/// Whether so much memory is in use that an error may have come of it: no block is so large that it would
/// not fit otherwise.
pub(crate) fn memory_is_short(used: usize) -> bool {
    let used = i32::try_from(used / 1024).unwrap_or(i32::MAX);
    used.saturating_add(LARGEST_BLOCK_KIB) >= MEMORY_KIB.get()
}

/// Whether a VM made anew would be the judge of what comes near a limit.
pub(crate) fn doubting() -> bool {
    RIGOUR.get() == Rigour::Doubting
}
