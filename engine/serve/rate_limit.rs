//! Limits how many requests are answered in a time. A thread adds permits at an even rate, so that
//! no clock is read.

use std::sync::atomic::{AtomicU32, Ordering};
use std::time::Duration;

/// The most permits that are saved up, enough to load the page several times.
const MAX_PERMITS: u32 = 120;
/// How often permits are added, and how many.
const REFILL_INTERVAL: Duration = Duration::from_millis(100);
const PERMITS_PER_REFILL: u32 = 5;

/// The permits of one group of clients.
pub(crate) struct RateLimit {
    permits: AtomicU32,
}

impl RateLimit {
    pub(crate) fn new() -> Self {
        Self { permits: AtomicU32::new(MAX_PERMITS) }
    }

    /// Takes a permit; returns whether there was one.
    pub(crate) fn take(&self) -> bool {
        self.permits
            .fetch_update(Ordering::Relaxed, Ordering::Relaxed, |count| count.checked_sub(1))
            .is_ok()
    }

    fn refill(&self) {
        let add = |count: u32| Some((count + PERMITS_PER_REFILL).min(MAX_PERMITS));
        // It always changes something.
        let _ = self.permits.fetch_update(Ordering::Relaxed, Ordering::Relaxed, add);
    }

    /// Adds permits for ever.
    pub(crate) fn refill_forever(limits: &[&Self]) {
        loop {
            std::thread::sleep(REFILL_INTERVAL);
            limits.iter().for_each(|limit| limit.refill());
        }
    }
}
