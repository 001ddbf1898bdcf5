//! The printed table and its measurements: medians, with no measurement discarded.

use std::path::Path;
use std::time::{Duration, Instant};

/// Rows of figures.
#[derive(Default)]
pub struct BenchReport {
    rows: Vec<ReportRow>,
    notes: Vec<String>,
}

struct ReportRow {
    what: String,
    figure: Duration,
    beside: String,
    other: Duration,
    /// The maximum of the figure, as a multiple of its baseline.
    aim: Option<f64>,
}

impl BenchReport {
    /// Adds a row: a measurement and its baseline.
    pub fn row(&mut self, what: &str, figure: Duration, beside: &str, other: Duration) {
        let beside = beside.to_owned();
        self.rows.push(ReportRow { what: what.to_owned(), figure, beside, other, aim: None });
    }

    /// Adds a row with a maximum, as a multiple of its baseline.
    pub fn aim(&mut self, what: &str, figure: Duration, beside: &str, other: Duration, aim: f64) {
        self.row(what, figure, beside, other);
        self.rows.last_mut().unwrap().aim = Some(aim);
    }

    /// Adds a line below the rows.
    pub fn note(&mut self, words: &str) {
        self.notes.push(words.to_owned());
    }

    /// Prints all rows.
    pub fn print(&self) {
        let width = |of: fn(&ReportRow) -> &str| {
            self.rows.iter().map(|row| of(row).chars().count()).max().unwrap_or(0)
        };
        let (what, beside) = (width(|row| &row.what), width(|row| &row.beside));
        println!(
            "{:what$}  {:>9}  {:beside$}  {:>9}  {:>8}  {:>7}",
            "", "figure", "beside", "", "ratio", "at most"
        );
        for row in &self.rows {
            let aim = row.aim.map_or(String::new(), |aim| format!("{aim}x"));
            let ratio = row.figure.as_secs_f64() / row.other.as_secs_f64().max(1e-9);
            println!(
                "{:what$}  {:>9}  {:beside$}  {:>9}  {ratio:>7.2}x  {aim:>7}",
                row.what,
                format_duration(row.figure),
                row.beside,
                format_duration(row.other),
            );
        }
        for note in &self.notes {
            println!("{note}");
        }
        let build = if cfg!(debug_assertions) { "debug: not for quoting" } else { "release" };
        println!("\nmedians, in (a) to (d) the least of several rounds; {build}");
    }
}

fn format_duration(duration: Duration) -> String {
    let nanoseconds = duration.as_nanos();
    match nanoseconds {
        0..10_000 => format!("{nanoseconds} ns"),
        10_000..10_000_000 => format!("{:.1} µs", nanoseconds as f64 / 1e3),
        _ => format!("{:.1} ms", nanoseconds as f64 / 1e6),
    }
}

/// The duration and the result of some work.
pub fn timed<T>(work: impl FnOnce() -> T) -> (Duration, T) {
    let begun = Instant::now();
    let made = work();
    (begun.elapsed(), made)
}

/// The time of a thread so far, by its folder, where the system reports it.
pub fn thread_time(thread: &Path) -> Option<Duration> {
    let told = std::fs::read_to_string(thread.join("schedstat")).ok()?;
    told.split(' ').next()?.parse().map(Duration::from_nanos).ok()
}

/// The thread time of some work, independent of other processes; wall-clock time where the system
/// does not report it. Accurate to some milliseconds.
pub fn measure_thread_time<T>(work: impl FnOnce() -> T) -> (Duration, T) {
    let at_work = || thread_time(Path::new("/proc/thread-self"));
    let before = at_work();
    let (time, made) = timed(work);
    let worked = before.and_then(|before| Some(at_work()? - before));
    (worked.unwrap_or(time), made)
}

/// The duration below which this percentage of all lies.
pub fn percentile(times: &mut [Duration], share: usize) -> Duration {
    times.sort_unstable();
    times[(times.len() - 1) * share / 100]
}

/// The minimum: the cost of the work without disturbance.
pub fn least(times: &[Duration]) -> Duration {
    times.iter().min().copied().unwrap_or_default()
}

/// The undisturbed cost of several pieces of work, from several rounds of the same work. Load on a
/// shared machine only adds time.
#[derive(Default)]
pub struct BestTimes(pub Vec<Duration>);

impl BestTimes {
    /// Adds one round.
    pub fn add_round(&mut self, round: Vec<Duration>) {
        if self.0.is_empty() {
            self.0 = round;
            return;
        }
        assert_eq!(self.0.len(), round.len(), "every round is the same work");
        self.0.iter_mut().zip(round).for_each(|(best, time)| *best = time.min(*best));
    }

    /// The total cost.
    pub fn sum(&self) -> Duration {
        self.0.iter().sum()
    }
}

/// The median.
pub fn median(times: &mut [Duration]) -> Duration {
    percentile(times, 50)
}
