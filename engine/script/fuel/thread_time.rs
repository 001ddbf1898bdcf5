//! The clock of the last limit. The only clock outside `ui`; it only decides that a runaway step is
//! refused, which is written to the journal.

use std::time::Duration;

/// The time that the processor has spent on this thread, so that a busy machine refuses nothing
/// that an idle one allows.
#[cfg(unix)]
pub(super) fn thread_time() -> Duration {
    use rustix::time::{ClockId, clock_gettime};
    Duration::try_from(clock_gettime(ClockId::ThreadCPUTime)).unwrap_or_default()
}

/// The time since the first call, where a thread's own time is not at hand.
#[cfg(not(unix))]
#[allow(clippy::disallowed_methods)]
pub(super) fn thread_time() -> Duration {
    static BEGUN: std::sync::OnceLock<std::time::Instant> = std::sync::OnceLock::new();
    BEGUN.get_or_init(std::time::Instant::now).elapsed()
}
