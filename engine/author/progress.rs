//! Progress of long work: a line on standard error if that is a terminal, and whether to stop.
//! Results do not depend on it.

// The clock only feeds the progress line, never a result.
#![allow(clippy::disallowed_methods)]

use std::io::{self, IsTerminal, Write};
use std::sync::atomic::{AtomicBool, AtomicU64, AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

/// The minimum time between two drawings of the line.
const REDRAW_INTERVAL: Duration = Duration::from_millis(100);

/// The progress of long work.
pub struct Progress {
    piece_count: usize,
    finished_pieces: AtomicUsize,
    /// Nanoseconds that bots spent choosing answers.
    answer_choice_nanos: AtomicU64,
    stop_flag: Arc<AtomicBool>,
    /// Whether a stop also ends the runs that are being played.
    interrupts_runs: bool,
    started_at: Instant,
    bar: ProgressBar,
}

/// A bar on standard error, if that is a terminal.
pub struct ProgressBar {
    activity: String,
    last_drawn: Option<Mutex<Instant>>,
}

impl ProgressBar {
    /// The bar of an activity. Nothing is drawn yet.
    pub fn new(activity: &str) -> Self {
        let last_drawn = io::stderr().is_terminal().then(|| Mutex::new(Instant::now()));
        Self { activity: activity.to_owned(), last_drawn }
    }

    /// Draws how much is done, unless it was drawn just before.
    pub fn draw(&self, done: usize, total: usize) {
        let Some(Ok(mut last_drawn)) = self.last_drawn.as_ref().map(Mutex::try_lock) else {
            return;
        };
        if last_drawn.elapsed() >= REDRAW_INTERVAL {
            *last_drawn = Instant::now();
            let cells = (done * 30 / total.max(1)).min(30);
            let bar = "#".repeat(cells) + &".".repeat(30 - cells);
            let _ = write!(io::stderr(), "\r{} [{bar}] {done}/{total}", self.activity);
        }
    }

    /// Removes it.
    pub fn clear(&self) {
        if self.last_drawn.is_some() {
            let _ = write!(io::stderr(), "\r\x1b[K");
        }
    }
}

impl Progress {
    /// Starts the progress of `total` pieces of work.
    pub fn new(what: &str, total: usize) -> Self {
        let stop = Arc::new(AtomicBool::new(false));
        // Without a signal handler, Ctrl-C ends the program as usual.
        #[cfg(unix)]
        {
            use signal_hook::{consts::SIGINT, flag};
            // A second Ctrl-C ends the program at once, so this must be registered first.
            let _ = flag::register_conditional_default(SIGINT, stop.clone());
            let _ = flag::register(SIGINT, stop.clone());
        }
        Self::with_bar(ProgressBar::new(what), total, stop)
    }

    /// The progress of work that nobody sees on a terminal. The flag stops it, and the runs in it.
    pub fn without_bar(total: usize, stop_flag: Arc<AtomicBool>) -> Self {
        let bar = ProgressBar { activity: String::new(), last_drawn: None };
        Self { interrupts_runs: true, ..Self::with_bar(bar, total, stop_flag) }
    }

    fn with_bar(bar: ProgressBar, piece_count: usize, stop_flag: Arc<AtomicBool>) -> Self {
        Self {
            piece_count,
            finished_pieces: AtomicUsize::new(0),
            answer_choice_nanos: AtomicU64::new(0),
            stop_flag,
            interrupts_runs: false,
            started_at: Instant::now(),
            bar,
        }
    }

    /// Whether to stop and report what there is.
    pub fn is_stopped(&self) -> bool {
        self.stop_flag.load(Ordering::Relaxed)
    }

    /// Whether a run that is being played ends now, unfinished.
    pub fn interrupts_run(&self) -> bool {
        self.interrupts_runs && self.is_stopped()
    }

    /// Counts a finished piece of work.
    pub(super) fn count_finished_piece(&self) {
        let done = self.finished_pieces.fetch_add(1, Ordering::Relaxed) + 1;
        self.bar.draw(done, self.piece_count);
    }

    /// Times the choice of an answer, which is reported separately.
    pub fn time_answer_choice<R>(&self, answer: impl FnOnce() -> R) -> R {
        let started_at = self.bar.last_drawn.is_some().then(Instant::now);
        let found = answer();
        let elapsed_nanos = started_at.map_or(0, |begun| begun.elapsed().as_nanos());
        self.answer_choice_nanos
            .fetch_add(u64::try_from(elapsed_nanos).unwrap_or(u64::MAX), Ordering::Relaxed);
        found
    }

    /// Ends the progress line with the speed.
    pub fn finish(&self, steps: u64) {
        if self.bar.last_drawn.is_some() {
            let seconds = self.started_at.elapsed().as_secs_f64().max(1e-9);
            let done = self.finished_pieces.load(Ordering::Relaxed);
            let (runs, steps) = (done as f64 / seconds, steps as f64 / seconds);
            let mut line =
                format!("{done} runs in {seconds:.1} s: {runs:.1} runs/s, {steps:.0} steps/s");
            let thinking_seconds = self.answer_choice_nanos.load(Ordering::Relaxed) as f64 / 1e9;
            if thinking_seconds > 0.0 {
                line.push_str(&format!("; bots took {thinking_seconds:.1} s over all threads"));
            }
            self.bar.clear();
            let _ = writeln!(io::stderr(), "{line}");
        }
    }
}
