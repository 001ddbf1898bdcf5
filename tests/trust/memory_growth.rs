//! The memory that a hostile program makes the process take. Memory can be measured for a whole
//! process only, and other tests run in parallel. So a test that measures it restarts itself in its
//! own process. Systems without that figure (other than Linux) are skipped.

use std::fs;
use std::process::Command;

use engine::save::{Disk, RealDisk};

use super::inn::{InnSession, inn};

/// Tells a process that it runs one test alone.
const ALONE: &str = "SUB_ROSA_ALONE";
/// A memory sanitizer does not reuse freed memory: growth is then not checked.
const SANITIZED: &str = "SUB_ROSA_SANITIZED";
/// The maximum growth of the process for one program, in KiB.
const MOST: u64 = 64 * 1024;
/// The maximum that is left after all of them, in KiB.
pub const LEFT: u64 = 8 * 1024;

/// Runs a test by its full name in its own process; that process does `work`.
#[allow(clippy::disallowed_methods)] // a process says to the next what it is for
pub fn run_in_own_process(test: &str, work: impl FnOnce()) {
    if std::env::var_os(ALONE).is_some() {
        return work();
    }
    let this = std::env::current_exe().unwrap();
    let done = Command::new(this)
        .args([test, "--exact", "--nocapture", "--test-threads=1"])
        .env(ALONE, "1")
        // Freed memory returns to the system at once, and is not attributed to the next program.
        .env("MIMALLOC_PURGE_DELAY", "0")
        .output()
        .unwrap();
    let said = String::from_utf8_lossy(&done.stdout);
    let errors = String::from_utf8_lossy(&done.stderr);
    assert!(done.status.success() && said.contains("1 passed"), "{said}\n{errors}");
}

/// The memory of a process before and after the hostile work.
pub struct MemoryGrowth {
    before: u64,
    /// The peak growth of each, in KiB.
    grown: Vec<(u64, String)>,
}

/// A figure of this process, in KiB, on systems that report it.
fn kib(name: &str) -> Option<u64> {
    if engine::base::fault::planted("growth_not_measured") {
        return Some(40_000);
    }
    let status = fs::read_to_string("/proc/self/status").ok()?;
    let line = status.lines().find_map(|line| line.strip_prefix(name))?;
    line.trim_start_matches(':').split_whitespace().next()?.parse().ok()
}

impl MemoryGrowth {
    /// Begins to measure: the current memory is the baseline.
    pub fn watch() -> Self {
        Self { before: kib("VmRSS").unwrap_or(0), grown: Vec::new() }
    }

    /// Runs one and records the peak growth.
    pub fn of<R>(&mut self, name: &str, work: impl FnOnce() -> R) -> R {
        // Where the system cannot reset its peak, it is the peak so far: never too small.
        let _ = fs::write("/proc/self/clear_refs", "5");
        let result = work();
        let peak = kib("VmHWM").unwrap_or(0);
        self.grown.push((peak.saturating_sub(self.before), name.to_owned()));
        result
    }

    /// The summary, if the growth and the rest are within the limits.
    fn check_limits(mut self, may_be_left: u64) -> Result<String, String> {
        let left = kib("VmRSS").unwrap_or(0).saturating_sub(self.before);
        self.grown.sort();
        let (most, name) = self.grown.last().cloned().unwrap_or_default();
        if most > MOST {
            let over = self.grown.iter().rev().take_while(|(grown, _)| *grown > MOST);
            return Err(format!("grew by more than {MOST} KiB: {:?}", over.collect::<Vec<_>>()));
        }
        if left > may_be_left {
            return Err(format!("{left} KiB are left after all of them"));
        }
        let mebibytes = |kib: u64| kib.div_ceil(1024);
        let (most, left, count) = (mebibytes(most), mebibytes(left), self.grown.len());
        Ok(format!("at most {most} MiB ({name}), {left} MiB left after all {count}"))
    }

    /// Checks that the growth of each is within the promise, and at most this many KiB are left.
    #[allow(clippy::disallowed_methods)] // only a sanitizer's step says it
    pub fn check(self, what: &str, may_be_left: u64) {
        match self.check_limits(may_be_left) {
            Ok(words) => super::figure(what, &words),
            Err(_) if std::env::var_os(SANITIZED).is_some() => {}
            Err(why) => panic!("{what}: {why}"),
        }
    }
}

/// Scripts of the maximum file size: the compiler is not part of the VM, and its memory is not
/// counted.
#[test]
fn files_as_long_as_may_be_do_not_grow_the_program() {
    run_in_own_process(
        "trust::memory_growth::files_as_long_as_may_be_do_not_grow_the_program",
        || {
            InnSession::begin(&inn("0.1.0", "local nothing = 0")).unwrap().check("a quiet evening");
            let long = usize::try_from(engine::base::limits::MOD_FILE_BYTES).unwrap();
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
            let mut growth = MemoryGrowth::watch();
            for (name, head, piece, tail) in shapes {
                let times = (long - head.len() - tail.len()) / piece.len();
                let text = format!("{head}{}{tail}", piece.repeat(times));
                // The compiler may load or refuse it.
                growth.of(name, || drop(inn("0.1.0", &text).load()));
            }
            // The compiler's allocator holds up to 32 MiB, and compiled code is stored too.
            growth.check("growth_long_files", 44 * 1024);
        },
    );
}

/// A file that is longer than it may be is refused by its length: a sparse one costs no disk.
#[cfg(target_os = "linux")]
#[test]
fn a_file_that_is_too_long_is_not_read() {
    run_in_own_process("trust::memory_growth::a_file_that_is_too_long_is_not_read", || {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("checkpoint.json");
        std::fs::File::create(&path).unwrap().set_len(6 << 30).unwrap();
        let mut growth = MemoryGrowth::watch();
        let read = growth.of("sparse", || RealDisk.read(&path, 256 << 20));
        assert_eq!(read.unwrap_err().kind(), std::io::ErrorKind::FileTooLarge);
        growth.check("growth_sparse_file", LEFT);
    });
}

/// The check itself is tested: too much growth and too much left memory fail.
#[cfg(target_os = "linux")]
#[test]
fn what_takes_or_keeps_too_much_is_noticed() {
    run_in_own_process("trust::memory_growth::what_takes_or_keeps_too_much_is_noticed", || {
        let mut growth = MemoryGrowth::watch();
        growth.of("a little", || drop(vec![1_u8; 4 << 20]));
        growth.check_limits(LEFT).unwrap();
        let mut growth = MemoryGrowth::watch();
        growth.of("too much", || drop(std::hint::black_box(vec![1_u8; 80 << 20])));
        assert!(growth.check_limits(LEFT).unwrap_err().contains("too much"));
        let mut growth = MemoryGrowth::watch();
        let kept = growth.of("kept", || std::hint::black_box(vec![1_u8; 30 << 20]));
        assert!(growth.check_limits(LEFT).unwrap_err().contains("left"));
        drop(kept);
    });
}
