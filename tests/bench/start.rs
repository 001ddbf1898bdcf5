//! Time from process start to the first prompt. Each measurement starts a new process, because a
//! process that loaded the game before has its files in the cache.

use std::io::Read;
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

use mlua::Lua;

use super::descent::{begin_session, bundled_content};
use super::report::{BenchReport, median_time, thread_time, time_work};

/// The maximum time of a start, and the part of it for the embedded game.
const MAX_START_TIME: Duration = Duration::from_millis(80);
const MAX_CONTENT_TIME: Duration = Duration::from_millis(40);

/// Start to first prompt, beside bare Luau compiling the same scripts.
pub fn add_rows(report: &mut BenchReport, rounds: usize) {
    let (mut start_times, mut thread_times) = (Vec::new(), Vec::new());
    let (mut load_times, mut compile_times) = (Vec::new(), Vec::new());
    for _ in 0..rounds {
        let (time, thread_time) = time_start();
        start_times.push(time);
        thread_times.extend(thread_time);
        load_times.push(time_load_in_new_process());
        compile_times.push(time_bare_compile());
    }
    let limit_label = "the most it may take";
    report.add_row(
        "(e) a new process to its first question",
        median_time(&mut start_times),
        limit_label,
        MAX_START_TIME,
    );
    if !thread_times.is_empty() {
        let label = "  the time of its threads, however busy the machine";
        report.add_row(label, median_time(&mut thread_times), limit_label, MAX_START_TIME);
    }
    let label = "  the embedded game loaded and begun, in a new process";
    report.add_row(label, median_time(&mut load_times), limit_label, MAX_CONTENT_TIME);
    let baseline_name = "bare mlua compiles the scripts";
    report.add_row(
        "  the same",
        median_time(&mut load_times),
        baseline_name,
        median_time(&mut compile_times),
    );
}

/// The time of the program to its first prompt, and the time of its threads until then.
fn time_start() -> (Duration, Option<Duration>) {
    let folder = tempfile::tempdir().unwrap();
    let start_time = Instant::now();
    let mut child = Command::new(env!("CARGO_BIN_EXE_sub-rosa"))
        .args(["--plain", "--data"])
        .arg(folder.path().join("data"))
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::null())
        .spawn()
        .unwrap();
    let mut stdout = child.stdout.take().unwrap();
    let (mut output, mut buffer) = (Vec::new(), [0; 4096]);
    while !output.ends_with(b"\n> ") {
        let length = stdout.read(&mut buffer).unwrap();
        assert!(length > 0, "it asked nothing: {}", String::from_utf8_lossy(&output));
        output.extend_from_slice(&buffer[..length]);
    }
    let time = start_time.elapsed();
    let thread_time = process_thread_time(&child);
    // It waits for an answer; the end of input stops it.
    drop(child.stdin.take());
    child.wait().unwrap();
    (time, thread_time)
}

/// The thread time of a process so far, where the system reports it.
fn process_thread_time(child: &Child) -> Option<Duration> {
    let threads = std::fs::read_dir(format!("/proc/{}/task", child.id())).ok()?;
    Some(threads.filter_map(|thread| thread_time(&thread.ok()?.path())).sum())
}

/// The time of a new process to load the embedded game and begin a run.
fn time_load_in_new_process() -> Duration {
    let output = Command::new(std::env::current_exe().unwrap())
        .args(["--work", COLD_LOAD_ARGUMENT, "1"])
        .output()
        .unwrap();
    let stdout = String::from_utf8(output.stdout).unwrap();
    Duration::from_nanos(stdout.trim().parse().unwrap())
}

/// The argument for a process that measures its own start.
pub const COLD_LOAD_ARGUMENT: &str = "cold";

/// Loads the embedded game and begins a run, for the parent process.
pub fn print_cold_load_time() {
    let (time, session) = time_work(|| {
        let content = bundled_content();
        begin_session(&content, content.load_vm().unwrap(), 1)
    });
    println!("{}", time.as_nanos());
    drop(session);
}

/// The time of bare Luau to compile the scripts.
fn time_bare_compile() -> Duration {
    let content = bundled_content();
    let sources: Vec<_> =
        content.mods.mods.iter().flat_map(|source| source.scripts_in_load_order()).collect();
    time_work(|| {
        let lua = Lua::new();
        for (path, text) in &sources {
            lua.load(&***text).set_name(*path).into_function().unwrap();
        }
    })
    .0
}
