//! Long work under a person's eyes: how far it is, on standard error where that is a terminal, and
//! whether it was told to stop. Nothing of this reaches what is reported.

// The clock is for a person's eyes only: it says how far and how fast, never what came of it.
#![allow(clippy::disallowed_methods)]

use std::io::{self, IsTerminal, Write};
use std::sync::atomic::{AtomicBool, AtomicU64, AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

/// How often the line is drawn anew.
const EVERY: Duration = Duration::from_millis(100);

/// Long work that is watched.
pub(super) struct Watch {
    what: String,
    whole: usize,
    done: AtomicUsize,
    /// Nanoseconds that those who play spent on their answers.
    thought: AtomicU64,
    stop: Arc<AtomicBool>,
    begun: Instant,
    drawn: Option<Mutex<Instant>>,
}

impl Watch {
    /// Watches so many pieces of work.
    pub(super) fn new(what: &str, whole: usize) -> Self {
        let begun = Instant::now();
        let stop = Arc::new(AtomicBool::new(false));
        // Without a signal the keyboard's interrupt ends the program, as it would any other.
        #[cfg(unix)]
        {
            use signal_hook::{consts::SIGINT, flag};
            // The second one does, whatever a run is busy with: this is to be the first that hears.
            let _ = flag::register_conditional_default(SIGINT, stop.clone());
            let _ = flag::register(SIGINT, stop.clone());
        }
        let drawn = io::stderr().is_terminal().then(|| Mutex::new(begun));
        let (done, thought) = (AtomicUsize::new(0), AtomicU64::new(0));
        Self { what: what.to_owned(), whole, done, thought, stop, begun, drawn }
    }

    /// Whether to stop and tell what there is.
    pub(super) fn stopped(&self) -> bool {
        self.stop.load(Ordering::Relaxed)
    }

    /// A piece of work is done.
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

    /// An answer being found, whose time is told apart.
    pub(super) fn thinking<R>(&self, answer: impl FnOnce() -> R) -> R {
        let begun = self.drawn.is_some().then(Instant::now);
        let found = answer();
        let spent = begun.map_or(0, |begun| begun.elapsed().as_nanos());
        self.thought.fetch_add(u64::try_from(spent).unwrap_or(u64::MAX), Ordering::Relaxed);
        found
    }

    /// The end of it: how fast it went, for a person only.
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
