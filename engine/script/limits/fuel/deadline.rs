//! The deadline of a call: the last resort against work that fuel underestimates. It counts the
//! time that the processor spends on this thread, so that a busy machine refuses nothing that an
//! idle one allows. It is not repeatable, so such a refusal is written to the journal and obeyed in
//! a replay.

use base::limits;
use std::cell::Cell;
use std::time::Duration;

thread_local! {
    static DEADLINE: Cell<Option<Duration>> = const { Cell::new(None) };
}

/// Starts the time of a call.
pub(super) fn start_deadline() {
    DEADLINE.set(thread_cpu_time().checked_add(limits::MAX_CALL_TIME));
}

/// Whether the call has had all its time.
pub(super) fn is_past_deadline() -> bool {
    DEADLINE.get().is_some_and(|deadline| thread_cpu_time() >= deadline)
}

/// The deadline of a call during work that does not count.
pub(super) struct PausedDeadline {
    deadline: Option<Duration>,
    paused_at: Duration,
}

/// Pauses the deadline for work outside the call, which gets a deadline of its own.
pub(super) fn pause_deadline() -> PausedDeadline {
    let paused_deadline = PausedDeadline { deadline: DEADLINE.get(), paused_at: thread_cpu_time() };
    start_deadline();
    paused_deadline
}

impl PausedDeadline {
    /// Restores the deadline; the time of the work is not counted.
    pub(super) fn resume(self) {
        let elapsed = thread_cpu_time().saturating_sub(self.paused_at);
        DEADLINE.set(self.deadline.and_then(|deadline| deadline.checked_add(elapsed)));
    }
}

/// The only clock outside `ui`. It decides nothing but that a runaway call is refused.
#[cfg(unix)]
fn thread_cpu_time() -> Duration {
    use rustix::time::{ClockId, clock_gettime};
    Duration::try_from(clock_gettime(ClockId::ThreadCPUTime)).unwrap_or_default()
}

/// The wall-clock time since the first call, where a thread's own time is not at hand.
#[cfg(not(unix))]
#[allow(clippy::disallowed_methods)]
fn thread_cpu_time() -> Duration {
    static START_TIME: std::sync::OnceLock<std::time::Instant> = std::sync::OnceLock::new();
    START_TIME.get_or_init(std::time::Instant::now).elapsed()
}
