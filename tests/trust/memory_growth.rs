//! The memory that a hostile program makes the process take. Memory can be measured for a whole
//! process only, and other tests run in parallel. So a test that measures it restarts itself in its
//! own process. Systems without that figure (other than Linux) are skipped.

use std::fs;
use std::process::Command;

use super::inn::{InnSession, inn};

/// Says to a process that it was started for one test alone.
const ALONE: &str = "SUB_ROSA_ALONE";
/// Says that whoever looks at each access to memory keeps what was given back: then growth is not judged.
const SANITIZED: &str = "SUB_ROSA_SANITIZED";
/// Most that any of them may add to what the process had, in KiB.
const MOST: u64 = 64 * 1024;
/// Most that may be left when all of them have been stopped, in KiB.
pub const LEFT: u64 = 8 * 1024;

/// Runs a test by its whole name in a process of its own; in that process `work` is done.
#[allow(clippy::disallowed_methods)] // a process says to the next what it is for
pub fn run_in_own_process(test: &str, work: impl FnOnce()) {
    if std::env::var_os(ALONE).is_some() {
        return work();
    }
    let this = std::env::current_exe().unwrap();
    let done = Command::new(this)
        .args([test, "--exact", "--nocapture", "--test-threads=1"])
        .env(ALONE, "1")
        // What is given back goes back to the system at once, and is not laid to the next.
        .env("MIMALLOC_PURGE_DELAY", "0")
        .output()
        .unwrap();
    let said = String::from_utf8_lossy(&done.stdout);
    let errors = String::from_utf8_lossy(&done.stderr);
    assert!(done.status.success() && said.contains("1 passed"), "{said}\n{errors}");
}

/// What a process had before anyone did harm, and what came after.
pub struct MemoryGrowth {
    before: u64,
    /// The most that each took above that, in KiB.
    grown: Vec<(u64, String)>,
}

/// A figure of this process, in KiB, on systems that tell it.
fn kib(name: &str) -> Option<u64> {
    if engine::base::fault::planted("growth_not_measured") {
        return Some(40_000);
    }
    let status = fs::read_to_string("/proc/self/status").ok()?;
    let line = status.lines().find_map(|line| line.strip_prefix(name))?;
    line.trim_start_matches(':').split_whitespace().next()?.parse().ok()
}

impl MemoryGrowth {
    /// Begins to watch: what the process has now is what it needs without them.
    pub fn watch() -> Self {
        Self { before: kib("VmRSS").unwrap_or(0), grown: Vec::new() }
    }

    /// Does one thing and notes how far above the beginning the process went meanwhile.
    pub fn of<R>(&mut self, name: &str, work: impl FnOnce() -> R) -> R {
        // Where the system does not begin its peak anew, it is that of all so far: never too small.
        let _ = fs::write("/proc/self/clear_refs", "5");
        let result = work();
        let peak = kib("VmHWM").unwrap_or(0);
        self.grown.push((peak.saturating_sub(self.before), name.to_owned()));
        result
    }

    /// What they took, if it was no more than is promised, and little is left of it.
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

    /// None of them took more than is promised, and no more KiB than so many are left.
    #[allow(clippy::disallowed_methods)] // only a sanitizer's step says it
    pub fn check(self, what: &str, may_be_left: u64) {
        match self.check_limits(may_be_left) {
            Ok(words) => super::figure(what, &words),
            Err(_) if std::env::var_os(SANITIZED).is_some() => {}
            Err(why) => panic!("{what}: {why}"),
        }
    }
}

/// Scripts of a mod that are as long as a file may be: what compiles them is no part of the VM, and
/// its memory is counted by nobody.
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
                // Whether it is loaded or refused is the compiler's to say.
                growth.of(name, || drop(inn("0.1.0", &text).load()));
            }
            // The library that compiles keeps up to 32 MiB at hand, and what was compiled is kept too.
            growth.check("growth_long_files", 44 * 1024);
        },
    );
}

/// The judge of growth is judged: what takes too much, and what keeps too much, does not pass.
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
