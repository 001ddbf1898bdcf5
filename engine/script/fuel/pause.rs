//! Work that is not part of the current call: the remaining budget is saved and restored.

use std::collections::BTreeMap;

use super::deadline::{PausedDeadline, pause_deadline};
use super::{
    LEFT_AT_LAST_CHECK, MEMORY_KIB, SPENT_WHILE_RUNNING, set_memory_limit, update_check_threshold,
};
use crate::base::limits;
use crate::base::meter::{self, PARTS_PER_FUEL_UNIT};
use crate::script::blocks;

/// Saves the remaining budget for work outside the current call, which gets a budget of its own.
/// `used` is the memory in use, in bytes.
pub(crate) fn pause_accounting(used: usize) -> PausedFuel {
    let paused = PausedFuel {
        left: meter::remaining_parts(),
        left_at_last_check: LEFT_AT_LAST_CHECK.get(),
        memory: MEMORY_KIB.get(),
        spent_while_running: SPENT_WHILE_RUNNING.take(),
        deadline: pause_deadline(),
        kept: meter::host_bytes(),
        most_kept: meter::set_host_bytes_limit(usize::MAX),
        blocks: blocks::lay_aside(),
    };
    meter::set_host_bytes(0);
    let budget = limits::FUEL_PER_MOD_LOAD * PARTS_PER_FUEL_UNIT;
    meter::set_remaining_parts(budget);
    LEFT_AT_LAST_CHECK.set(budget);
    set_memory_limit(used);
    paused
}

/// The saved budget.
pub(crate) struct PausedFuel {
    left: i64,
    left_at_last_check: i64,
    memory: i32,
    spent_while_running: BTreeMap<String, i64>,
    deadline: PausedDeadline,
    kept: usize,
    most_kept: usize,
    blocks: blocks::Laid,
}

impl PausedFuel {
    /// Restores the budget. The memory and the time of the work are not charged.
    pub(crate) fn resume(self, grown: usize) {
        self.deadline.resume();
        meter::set_remaining_parts(self.left);
        LEFT_AT_LAST_CHECK.set(self.left_at_last_check);
        SPENT_WHILE_RUNNING.set(self.spent_while_running);
        meter::set_host_bytes(self.kept);
        meter::set_host_bytes_limit(self.most_kept);
        blocks::take_up(self.blocks);
        MEMORY_KIB.set(self.memory.saturating_add(i32::try_from(grown / 1024).unwrap_or(i32::MAX)));
        update_check_threshold();
    }
}
