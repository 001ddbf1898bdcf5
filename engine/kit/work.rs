//! Work that is done for a script where no interrupt counts it: to say what was meant by a name, to copy what
//! the host keeps. Whoever calls scripts takes it as fuel.

use std::cell::Cell;

thread_local! {
    static DONE: Cell<usize> = const { Cell::new(0) };
}

/// Something is done, worth so many units of fuel.
pub fn add(units: usize) {
    DONE.set(DONE.get().saturating_add(units));
}

/// What was done since this was last asked.
pub fn take() -> usize {
    DONE.take()
}
