//! Work that no clock ends: a step whose outcome is known is run again to its end, however long this
//! machine takes for it. A clock would make of it what it never was.

use std::cell::Cell;

use super::fault::planted;

thread_local! {
    static UNTIMED: Cell<u32> = const { Cell::new(0) };
}

/// Lets no clock stop anything on this thread until what is returned is dropped.
#[must_use]
pub fn untimed() -> Untimed {
    let more = u32::from(!planted("re_runs_are_timed"));
    UNTIMED.set(UNTIMED.get() + more);
    Untimed(more)
}

/// While it lasts no clock stops anything.
pub struct Untimed(u32);

impl Drop for Untimed {
    fn drop(&mut self) {
        UNTIMED.set(UNTIMED.get() - self.0);
    }
}

/// Whether a clock may stop what runs on this thread.
pub fn is_timed() -> bool {
    UNTIMED.get() == 0
}
