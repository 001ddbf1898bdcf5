//! Work that no clock ends: a step whose outcome is known is run again to its end, however long this
//! machine takes for it. A clock would make of it what it never was.

use std::cell::Cell;

use super::fault::planted;

thread_local! {
    static SUSPENSION_DEPTH: Cell<u32> = const { Cell::new(0) };
}

/// Lets no clock stop anything on this thread until what is returned is dropped.
#[must_use]
pub fn suspend_time_limit() -> TimeLimitSuspension {
    let added_depth = u32::from(!planted("re_runs_are_timed"));
    SUSPENSION_DEPTH.set(SUSPENSION_DEPTH.get() + added_depth);
    TimeLimitSuspension(added_depth)
}

/// While it lasts no clock stops anything.
pub struct TimeLimitSuspension(u32);

impl Drop for TimeLimitSuspension {
    fn drop(&mut self) {
        SUSPENSION_DEPTH.set(SUSPENSION_DEPTH.get() - self.0);
    }
}

/// Whether a clock may stop what runs on this thread.
pub fn is_time_limit_active() -> bool {
    SUSPENSION_DEPTH.get() == 0
}
