//! The memory that a hostile program makes the process take. Memory can be measured for a whole
//! process only, and other tests run in parallel. So a test that measures it restarts itself in its
//! own process. Systems without that figure (other than Linux) are skipped.

use std::fs;
use std::process::Command;

use save::{Disk, RealDisk};

use super::inn::{InnSession, inn_content};

/// Tells a process that it runs one test alone.
const OWN_PROCESS_VARIABLE: &str = "SUB_ROSA_ALONE";
/// A memory sanitizer does not reuse freed memory: growth is then not checked.
const SANITIZER_VARIABLE: &str = "SUB_ROSA_SANITIZED";
/// The maximum growth of the process for one program, in KiB.
const MAX_GROWTH_KIB: u64 = 64 * 1024;
/// The maximum that is left after all of them, in KiB.
pub const MAX_LEFT_KIB: u64 = 8 * 1024;

/// Runs a test by its full name in its own process; that process does `work`.
#[allow(clippy::disallowed_methods)] // a process says to the next what it is for
pub fn run_in_own_process(test: &str, work: impl FnOnce()) {
    if std::env::var_os(OWN_PROCESS_VARIABLE).is_some() {
        return work();
    }
    let test_binary = std::env::current_exe().unwrap();
    let output = Command::new(test_binary)
        .args([test, "--exact", "--nocapture", "--test-threads=1"])
        .env(OWN_PROCESS_VARIABLE, "1")
        // Freed memory returns to the system at once, and is not attributed to the next program.
        .env("MIMALLOC_PURGE_DELAY", "0")
        .output()
        .unwrap();
    let stdout = String::from_utf8_lossy(&output.stdout);
    let stderr = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success() && stdout.contains("1 passed"), "{stdout}\n{stderr}");
}

/// The memory of a process before and after the hostile work.
pub struct MemoryGrowth {
    baseline_kib: u64,
    /// What the program has allocated: pages of its code that are read later are no growth.
    allocated_baseline_kib: u64,
    /// The peak growth of each, in KiB.
    peaks: Vec<(u64, String)>,
}

/// A figure of this process, in KiB, on systems that report it.
fn process_memory_kib(name: &str) -> Option<u64> {
    let status = fs::read_to_string("/proc/self/status").ok()?;
    let line = status.lines().find_map(|line| line.strip_prefix(name))?;
    line.trim_start_matches(':').split_whitespace().next()?.parse().ok()
}

fn allocated_kib() -> u64 {
    process_memory_kib("RssAnon").or_else(|| process_memory_kib("VmRSS")).unwrap_or(0)
}

impl MemoryGrowth {
    /// Begins to measure: the current memory is the baseline.
    pub fn start() -> Self {
        Self {
            baseline_kib: process_memory_kib("VmRSS").unwrap_or(0),
            allocated_baseline_kib: allocated_kib(),
            peaks: Vec::new(),
        }
    }

    /// Runs one and records the peak growth.
    pub fn measure<R>(&mut self, name: &str, work: impl FnOnce() -> R) -> R {
        // Where the system cannot reset its peak, it is the peak so far: never too small.
        let _ = fs::write("/proc/self/clear_refs", "5");
        let result = work();
        let peak = process_memory_kib("VmHWM").unwrap_or(0);
        self.peaks.push((peak.saturating_sub(self.baseline_kib), name.to_owned()));
        result
    }

    /// The summary, if the growth and the rest are within the limits.
    fn check_limits(mut self, max_left_kib: u64) -> Result<String, String> {
        let left_kib = allocated_kib().saturating_sub(self.allocated_baseline_kib);
        self.peaks.sort();
        let (peak_kib, name) = self.peaks.last().cloned().unwrap_or_default();
        if peak_kib > MAX_GROWTH_KIB {
            let exceeding_peaks =
                self.peaks.iter().rev().take_while(|(growth_kib, _)| *growth_kib > MAX_GROWTH_KIB);
            return Err(format!(
                "grew by more than {MAX_GROWTH_KIB} KiB: {:?}",
                exceeding_peaks.collect::<Vec<_>>()
            ));
        }
        if left_kib > max_left_kib {
            return Err(format!("{left_kib} KiB are left after all of them"));
        }
        let mebibytes = |kib: u64| kib.div_ceil(1024);
        let (peak_kib, left_kib, count) =
            (mebibytes(peak_kib), mebibytes(left_kib), self.peaks.len());
        Ok(format!("at most {peak_kib} MiB ({name}), {left_kib} MiB left after all {count}"))
    }

    /// Checks that the growth of each is within the promise, and at most this many KiB are left.
    #[allow(clippy::disallowed_methods)] // only a sanitizer's step says it
    pub fn assert_within_limits(self, figure_name: &str, max_left_kib: u64) {
        match self.check_limits(max_left_kib) {
            Ok(summary) => super::record_figure(figure_name, &summary),
            Err(_) if std::env::var_os(SANITIZER_VARIABLE).is_some() => {}
            Err(reason) => panic!("{figure_name}: {reason}"),
        }
    }
}

/// Scripts of the maximum file size: the compiler is not part of the VM, and its memory is not
/// counted.
#[test]
fn maximum_size_files_do_not_grow_the_process() {
    run_in_own_process("trust::memory_growth::maximum_size_files_do_not_grow_the_process", || {
        InnSession::begin(&inn_content("0.1.0", "local nothing = 0"))
            .unwrap()
            .assert_replays("a quiet evening");
        let max_file_bytes = usize::try_from(base::limits::MAX_SCRIPT_FILE_BYTES).unwrap();
        let shapes = [
            ("numbers", "local t = {", "1,", "}"),
            ("tables", "local t = {", "{},", "}"),
            ("names", "local t = 1 ", "t = t ", ""),
            ("sums", "local t = 1", "+1", ""),
            ("functions", "local f ", "f = function() end ", ""),
            ("calls", "local f = error if false then ", "f() ", "end"),
            ("brackets", "local t = ", "(", ""),
            ("blocks", "", "do ", ""),
            ("texts", "local t = {", "'a',", "}"),
        ];
        let mut growth = MemoryGrowth::start();
        for (name, prefix, repeated_text, suffix) in shapes {
            let repeat_count = (max_file_bytes - prefix.len() - suffix.len()) / repeated_text.len();
            let text = format!("{prefix}{}{suffix}", repeated_text.repeat(repeat_count));
            // The compiler may load or refuse it.
            growth.measure(name, || drop(inn_content("0.1.0", &text).load_vm()));
        }
        // The compiler's allocator holds up to 32 MiB, and compiled code is stored too.
        growth.assert_within_limits("growth_long_files", 44 * 1024);
    });
}

/// A file that is longer than it may be is refused by its length: a sparse one costs no disk.
#[cfg(target_os = "linux")]
#[test]
fn a_file_over_the_size_limit_is_not_read() {
    run_in_own_process("trust::memory_growth::a_file_over_the_size_limit_is_not_read", || {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("checkpoint.json");
        std::fs::File::create(&path).unwrap().set_len(6 << 30).unwrap();
        let mut growth = MemoryGrowth::start();
        let result = growth.measure("sparse", || RealDisk.read_file(&path, 256 << 20));
        assert_eq!(result.unwrap_err().kind(), std::io::ErrorKind::FileTooLarge);
        growth.assert_within_limits("growth_sparse_file", MAX_LEFT_KIB);
    });
}

/// The check itself is tested: too much growth and too much left memory fail.
#[cfg(target_os = "linux")]
#[test]
fn excess_growth_and_leaks_are_detected() {
    run_in_own_process("trust::memory_growth::excess_growth_and_leaks_are_detected", || {
        let mut growth = MemoryGrowth::start();
        growth.measure("a little", || drop(vec![1_u8; 4 << 20]));
        growth.check_limits(MAX_LEFT_KIB).unwrap();
        let mut growth = MemoryGrowth::start();
        growth.measure("too much", || drop(std::hint::black_box(vec![1_u8; 80 << 20])));
        assert!(growth.check_limits(MAX_LEFT_KIB).unwrap_err().contains("too much"));
        let mut growth = MemoryGrowth::start();
        let retained_memory = growth.measure("kept", || std::hint::black_box(vec![1_u8; 30 << 20]));
        assert!(growth.check_limits(MAX_LEFT_KIB).unwrap_err().contains("left"));
        drop(retained_memory);
    });
}
