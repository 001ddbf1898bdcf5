//! Progress of long work: a line on standard error if that is a terminal, and whether to stop.
//! Results do not depend on it.

// The clock only feeds the progress line, never a result.
#![allow(clippy::disallowed_methods)]

use std::io::{self, IsTerminal, Write};
use std::sync::atomic::{AtomicBool, AtomicU64, AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

/// The minimum time between two drawings of the line.
const EVERY: Duration = Duration::from_millis(100);

/// The progress of long work.
pub(super) struct Watch {
    what: String,
    whole: usize,
    done: AtomicUsize,
    /// Nanoseconds that bots spent choosing answers.
    thought: AtomicU64,
    stop: Arc<AtomicBool>,
    begun: Instant,
    drawn: Option<Mutex<Instant>>,
}

impl Watch {
    /// Starts the progress of `whole` pieces of work.
    pub(super) fn new(what: &str, whole: usize) -> Self {
        let begun = Instant::now();
        let stop = Arc::new(AtomicBool::new(false));
        // Without a signal handler, Ctrl-C ends the program as usual.
        #[cfg(unix)]
        {
            use signal_hook::{consts::SIGINT, flag};
            // A second Ctrl-C ends the program at once, so this must be registered first.
            let _ = flag::register_conditional_default(SIGINT, stop.clone());
            let _ = flag::register(SIGINT, stop.clone());
        }
        let drawn = io::stderr().is_terminal().then(|| Mutex::new(begun));
        let (done, thought) = (AtomicUsize::new(0), AtomicU64::new(0));
        Self { what: what.to_owned(), whole, done, thought, stop, begun, drawn }
    }

    /// Whether to stop and report what there is.
    pub(super) fn stopped(&self) -> bool {
        self.stop.load(Ordering::Relaxed)
    }

    /// Counts a finished piece of work.
    pub(super) fn one_more(&self) {
        let done = self.done.fetch_add(1, Ordering::Relaxed) + 1;
        let Some(Ok(mut drawn)) = self.drawn.as_ref().map(Mutex::try_lock) else { return };
        if drawn.elapsed() >= EVERY {
            *drawn = Instant::now();
            let cells = done * 30 / self.whole.max(1);
            let bar = "#".repeat(cells) + &".".repeat(30 - cells.min(30));
            let _ = write!(io::stderr(), "\r{} [{bar}] {done}/{}", self.what, self.whole);
        }
    }

    /// Times the choice of an answer, which is reported separately.
    pub(super) fn thinking<R>(&self, answer: impl FnOnce() -> R) -> R {
        let begun = self.drawn.is_some().then(Instant::now);
        let found = answer();
        let spent = begun.map_or(0, |begun| begun.elapsed().as_nanos());
        self.thought.fetch_add(u64::try_from(spent).unwrap_or(u64::MAX), Ordering::Relaxed);
        found
    }

    /// Ends the progress line with the speed.
    pub(super) fn finish(&self, steps: u64) {
        if self.drawn.is_some() {
            let seconds = self.begun.elapsed().as_secs_f64().max(1e-9);
            let done = self.done.load(Ordering::Relaxed);
            let (runs, steps) = (done as f64 / seconds, steps as f64 / seconds);
            let mut line =
                format!("{done} runs in {seconds:.1} s: {runs:.1} runs/s, {steps:.0} steps/s");
            let thought = self.thought.load(Ordering::Relaxed) as f64 / 1e9;
            if thought > 0.0 {
                line.push_str(&format!("; bots took {thought:.1} s over all threads"));
            }
            let _ = writeln!(io::stderr(), "\r\x1b[K{line}");
        }
    }
}
