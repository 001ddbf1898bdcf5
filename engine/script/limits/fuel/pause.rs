//! Work that is not part of the current call: the remaining budget is saved and restored.

use std::collections::BTreeMap;

use super::deadline::{PausedDeadline, pause_deadline};
use crate::limits::allocation_checks;
use crate::limits::fuel::{
    FUEL_AT_LAST_CHECK, FUEL_BY_RUNNING_MOD, MAX_MEMORY_KIB, set_memory_limit,
    update_check_threshold,
};
use base::limits;
use base::meter::{self, PARTS_PER_FUEL_UNIT};

/// Saves the remaining budget for work outside the current call, which gets a budget of its own.
/// `used_bytes` is the memory in use, in bytes.
pub(crate) fn pause_accounting(used_bytes: usize) -> PausedFuel {
    let paused_fuel = PausedFuel {
        remaining_parts: meter::remaining_fuel_parts(),
        parts_at_last_check: FUEL_AT_LAST_CHECK.get(),
        memory_limit_kib: MAX_MEMORY_KIB.get(),
        spent_while_running: FUEL_BY_RUNNING_MOD.take(),
        deadline: pause_deadline(),
        host_bytes: meter::counted_host_bytes(),
        host_bytes_limit: meter::set_host_bytes_limit(usize::MAX),
        suspended_findings: allocation_checks::suspend_findings(),
    };
    meter::set_counted_host_bytes(0);
    let budget = limits::MAX_FUEL_PER_MOD_LOAD * PARTS_PER_FUEL_UNIT;
    meter::set_remaining_fuel_parts(budget);
    FUEL_AT_LAST_CHECK.set(budget);
    set_memory_limit(used_bytes);
    paused_fuel
}

/// The saved budget.
pub(crate) struct PausedFuel {
    remaining_parts: i64,
    parts_at_last_check: i64,
    memory_limit_kib: i32,
    spent_while_running: BTreeMap<String, i64>,
    deadline: PausedDeadline,
    host_bytes: usize,
    host_bytes_limit: usize,
    suspended_findings: allocation_checks::SuspendedFindings,
}

impl PausedFuel {
    /// Restores the budget. The memory and the time of the work are not charged.
    pub(crate) fn resume(self, grown_bytes: usize) {
        self.deadline.resume();
        meter::set_remaining_fuel_parts(self.remaining_parts);
        FUEL_AT_LAST_CHECK.set(self.parts_at_last_check);
        FUEL_BY_RUNNING_MOD.set(self.spent_while_running);
        meter::set_counted_host_bytes(self.host_bytes);
        meter::set_host_bytes_limit(self.host_bytes_limit);
        allocation_checks::resume_findings(self.suspended_findings);
        MAX_MEMORY_KIB.set(
            self.memory_limit_kib
                .saturating_add(i32::try_from(grown_bytes / 1024).unwrap_or(i32::MAX)),
        );
        update_check_threshold();
    }
}
