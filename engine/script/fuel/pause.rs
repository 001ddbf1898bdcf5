//! Work that is no part of the call that goes on: what was left of the budget is laid aside meanwhile.

use std::collections::BTreeMap;
use std::time::Instant;

use super::{
    DEADLINE, LOOKED, MEMORY_KIB, SEEN, TIME_LIMIT, let_room, look_as_closely_as_needed, now,
};
use crate::kit::limits;
use crate::kit::meter::{self, PARTS};
use crate::script::blocks;

/// Lays what is left of the budget aside, for work that is no part of the call that goes on: it has
/// a budget of its own. `used` is the memory in use now, in bytes.
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

/// What was left of the budget when it was laid aside.
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
    /// Goes on with what was left. The memory and the time that the work took are nobody's.
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
