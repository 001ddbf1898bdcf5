//! Work whose results are read while it goes on, for the page of `serve --dev`: an exploration or a
//! simulation in a thread of its own.

use std::io;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::thread;

use serde::Serialize;

use author::parallel::{THREAD_STACK_BYTES, available_threads};
use author::progress::Progress;
use base::Problem;
use base::panic_guard::catch_panics;

/// Work that goes on in a thread. It is stopped when this is dropped.
pub struct LiveWork {
    shared: Arc<SharedResults>,
}

/// What the work and its readers share.
#[derive(Default)]
struct SharedResults {
    is_stopped: Arc<AtomicBool>,
    results: Mutex<LiveResults>,
}

/// The results so far.
#[derive(Default, Serialize)]
struct LiveResults {
    is_over: bool,
    /// Why it ended early; empty if it did not.
    problem: String,
    results: serde_json::Value,
}

/// Where the work tells its results.
pub(super) struct LiveOutput(Arc<SharedResults>);

impl SharedResults {
    fn lock(&self) -> MutexGuard<'_, LiveResults> {
        self.results.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl LiveWork {
    /// Starts work in a thread.
    pub(super) fn start(
        work: impl FnOnce(&LiveOutput) -> Result<(), Vec<Problem>> + Send + 'static,
    ) -> io::Result<Self> {
        let shared = Arc::new(SharedResults::default());
        let output = LiveOutput(shared.clone());
        let run = move || {
            let done = catch_panics("played runs", || Ok(work(&output)));
            let problems = match done {
                Ok(Ok(())) => Vec::new(),
                Ok(Err(problems)) => problems,
                Err(problem) => vec![problem],
            };
            let words: Vec<String> = problems.iter().map(ToString::to_string).collect();
            let mut results = output.0.lock();
            (results.is_over, results.problem) = (true, words.join("\n"));
        };
        thread::Builder::new().stack_size(THREAD_STACK_BYTES).spawn(run)?;
        Ok(Self { shared })
    }

    /// Stops it; the results so far stay.
    pub fn stop(&self) {
        self.shared.is_stopped.store(true, Ordering::Relaxed);
    }

    /// Whether it has ended.
    pub fn is_over(&self) -> bool {
        self.shared.lock().is_over
    }

    /// The results so far, as JSON.
    pub fn results_text(&self) -> String {
        serde_json::to_string(&*self.shared.lock()).unwrap_or_default()
    }
}

impl Drop for LiveWork {
    fn drop(&mut self) {
        self.stop();
    }
}

impl LiveOutput {
    /// Replaces the results.
    pub(super) fn publish(&self, results: serde_json::Value) {
        self.0.lock().results = results;
    }

    /// The progress of so many runs; it ends when the work is stopped.
    pub(super) fn progress(&self, runs: usize) -> Progress {
        Progress::without_bar(runs, self.0.is_stopped.clone())
    }

    /// Whether results are worth telling after so many runs: each of the first ones, then after each
    /// fiftieth part.
    pub(super) fn is_due(runs: usize, planned: usize) -> bool {
        runs == planned || runs.is_multiple_of(1 + runs / 50)
    }
}

/// The number of threads: the person who plays meanwhile keeps one.
pub(super) fn live_thread_count() -> usize {
    available_threads().saturating_sub(1).max(1)
}
