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
    label: String,
    time: Duration,
    baseline_label: String,
    baseline_time: Duration,
    /// The maximum of the figure, as a multiple of its baseline.
    max_ratio: Option<f64>,
}

impl BenchReport {
    /// Adds a row: a measurement and its baseline.
    pub fn add_row(
        &mut self,
        label: &str,
        time: Duration,
        baseline_label: &str,
        baseline_time: Duration,
    ) {
        let baseline_label = baseline_label.to_owned();
        self.rows.push(ReportRow {
            label: label.to_owned(),
            time,
            baseline_label,
            baseline_time,
            max_ratio: None,
        });
    }

    /// Adds a row with a maximum, as a multiple of its baseline.
    pub fn add_row_with_limit(
        &mut self,
        label: &str,
        time: Duration,
        baseline_label: &str,
        baseline_time: Duration,
        max_ratio: f64,
    ) {
        self.add_row(label, time, baseline_label, baseline_time);
        self.rows.last_mut().unwrap().max_ratio = Some(max_ratio);
    }

    /// Adds a line below the rows.
    pub fn add_note(&mut self, text: &str) {
        self.notes.push(text.to_owned());
    }

    /// Prints all rows.
    pub fn print(&self) {
        let column_width = |column: fn(&ReportRow) -> &str| {
            self.rows.iter().map(|row| column(row).chars().count()).max().unwrap_or(0)
        };
        let (label_width, baseline_width) =
            (column_width(|row| &row.label), column_width(|row| &row.baseline_label));
        println!(
            "{:label_width$}  {:>9}  {:baseline_width$}  {:>9}  {:>8}  {:>7}",
            "", "figure", "beside", "", "ratio", "at most"
        );
        for row in &self.rows {
            let max_ratio_text = row.max_ratio.map_or(String::new(), |aim| format!("{aim}x"));
            let ratio = row.time.as_secs_f64() / row.baseline_time.as_secs_f64().max(1e-9);
            println!(
                "{:label_width$}  {:>9}  {:baseline_width$}  {:>9}  {ratio:>7.2}x  {max_ratio_text:>7}",
                row.label,
                format_duration(row.time),
                row.baseline_label,
                format_duration(row.baseline_time),
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
pub fn time_work<T>(work: impl FnOnce() -> T) -> (Duration, T) {
    let start = Instant::now();
    let result = work();
    (start.elapsed(), result)
}

/// The time of a thread so far, by its folder, where the system reports it.
pub fn thread_time(thread: &Path) -> Option<Duration> {
    let statistics = std::fs::read_to_string(thread.join("schedstat")).ok()?;
    statistics.split(' ').next()?.parse().map(Duration::from_nanos).ok()
}

/// The thread time of some work, independent of other processes; wall-clock time where the system
/// does not report it. Accurate to some milliseconds.
pub fn measure_thread_time<T>(work: impl FnOnce() -> T) -> (Duration, T) {
    let current_thread_time = || thread_time(Path::new("/proc/thread-self"));
    let before = current_thread_time();
    let (time, result) = time_work(work);
    let thread_delta = before.and_then(|before| Some(current_thread_time()? - before));
    (thread_delta.unwrap_or(time), result)
}

/// The duration that this percentage of all durations does not exceed.
pub fn percentile(times: &mut [Duration], percent: usize) -> Duration {
    times.sort_unstable();
    times[(times.len() - 1) * percent / 100]
}

/// The minimum: the cost of the work without disturbance.
pub fn min_time(times: &[Duration]) -> Duration {
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
pub fn median_time(times: &mut [Duration]) -> Duration {
    percentile(times, 50)
}
