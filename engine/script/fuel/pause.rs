//! Work that is not part of the current call: the remaining budget is saved and restored.

use std::collections::BTreeMap;
use std::time::Instant;

use super::{
    DEADLINE, LOOKED, MEMORY_KIB, SEEN, TIME_LIMIT, let_room, look_as_closely_as_needed, now,
};
use crate::kit::limits;
use crate::kit::meter::{self, PARTS};
use crate::script::blocks;

/// Saves the remaining budget for work outside the current call, which gets a budget of its own.
/// `used` is the memory in use, in bytes.
pub(crate) fn pause(used: usize) -> Paused {
    let paused = Paused {
        left: meter::left(),
        looked: LOOKED.get(),
        memory: MEMORY_KIB.get(),
        seen: SEEN.take(),
        deadline: DEADLINE.get(),
        begun: now(),
        kept: meter::kept(),
        most_kept: meter::set_most_kept(usize::MAX),
        blocks: blocks::lay_aside(),
    };
    DEADLINE.set(paused.begun.checked_add(TIME_LIMIT));
    meter::set_kept(0);
    let budget = limits::FUEL_LOADING * PARTS;
    meter::set_left(budget);
    LOOKED.set(budget);
    let_room(used);
    paused
}

/// The saved budget.
pub(crate) struct Paused {
    left: i64,
    looked: i64,
    memory: i32,
    seen: BTreeMap<String, i64>,
    deadline: Option<Instant>,
    begun: Instant,
    kept: usize,
    most_kept: usize,
    blocks: blocks::Laid,
}

impl Paused {
    /// Restores the budget. The memory and the time of the work are not charged.
    pub(crate) fn go_on(self, grown: usize) {
        let took = now().duration_since(self.begun);
        DEADLINE.set(self.deadline.and_then(|deadline| deadline.checked_add(took)));
        meter::set_left(self.left);
        LOOKED.set(self.looked);
        SEEN.set(self.seen);
        meter::set_kept(self.kept);
        meter::set_most_kept(self.most_kept);
        blocks::take_up(self.blocks);
        MEMORY_KIB.set(self.memory.saturating_add(i32::try_from(grown / 1024).unwrap_or(i32::MAX)));
        look_as_closely_as_needed();
    }
}
