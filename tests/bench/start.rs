//! Time from process start to the first prompt. Each measurement starts a new process, because a
//! process that loaded the game before has its files in the cache.

use std::io::Read;
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

use mlua::Lua;

use super::descent::{begin, content};
use super::report::{BenchReport, median, thread_time, timed};

/// The maximum time of a start, and the part of it for the embedded game.
const MOST: Duration = Duration::from_millis(80);
const MOST_OF_CONTENT: Duration = Duration::from_millis(40);

/// Start to first prompt, beside bare Luau compiling the same scripts.
pub fn rows(table: &mut BenchReport, rounds: usize) {
    let (mut whole, mut busy) = (Vec::new(), Vec::new());
    let (mut loading, mut bare) = (Vec::new(), Vec::new());
    for _ in 0..rounds {
        let (time, worked) = started();
        whole.push(time);
        busy.extend(worked);
        loading.push(loaded());
        bare.push(compiled());
    }
    let most = "the most it may take";
    table.row("(e) a new process to its first question", median(&mut whole), most, MOST);
    if !busy.is_empty() {
        let what = "  the time of its threads, however busy the machine";
        table.row(what, median(&mut busy), most, MOST);
    }
    let what = "  the embedded game loaded and begun, in a new process";
    table.row(what, median(&mut loading), most, MOST_OF_CONTENT);
    let beside = "bare mlua compiles the scripts";
    table.row("  the same", median(&mut loading), beside, median(&mut bare));
}

/// The time of the program to its first prompt, and the time of its threads until then.
fn started() -> (Duration, Option<Duration>) {
    let folder = tempfile::tempdir().unwrap();
    let begun = Instant::now();
    let mut child = Command::new(env!("CARGO_BIN_EXE_sub-rosa"))
        .args(["--plain", "--data"])
        .arg(folder.path().join("data"))
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::null())
        .spawn()
        .unwrap();
    let mut out = child.stdout.take().unwrap();
    let (mut told, mut more) = (Vec::new(), [0; 4096]);
    while !told.ends_with(b"\n> ") {
        let length = out.read(&mut more).unwrap();
        assert!(length > 0, "it asked nothing: {}", String::from_utf8_lossy(&told));
        told.extend_from_slice(&more[..length]);
    }
    let time = begun.elapsed();
    let worked = all_at_work(&child);
    // It waits for an answer; the end of input stops it.
    drop(child.stdin.take());
    child.wait().unwrap();
    (time, worked)
}

/// The thread time of a process so far, where the system reports it.
fn all_at_work(child: &Child) -> Option<Duration> {
    let threads = std::fs::read_dir(format!("/proc/{}/task", child.id())).ok()?;
    Some(threads.filter_map(|thread| thread_time(&thread.ok()?.path())).sum())
}

/// The time of a new process to load the embedded game and begin a run.
fn loaded() -> Duration {
    let done = Command::new(std::env::current_exe().unwrap())
        .args(["--work", COLD, "1"])
        .output()
        .unwrap();
    let told = String::from_utf8(done.stdout).unwrap();
    Duration::from_nanos(told.trim().parse().unwrap())
}

/// The argument for a process that measures its own start.
pub const COLD: &str = "cold";

/// Loads the embedded game and begins a run, for the parent process.
pub fn cold() {
    let (time, session) = timed(|| {
        let content = content();
        begin(&content, content.load().unwrap(), 1)
    });
    println!("{}", time.as_nanos());
    drop(session);
}

/// The time of bare Luau to compile the scripts.
fn compiled() -> Duration {
    let content = content();
    let sources: Vec<_> =
        content.mods.mods.iter().flat_map(|one| one.scripts_in_load_order()).collect();
    timed(|| {
        let lua = Lua::new();
        for (path, text) in &sources {
            lua.load(&***text).set_name(*path).into_function().unwrap();
        }
    })
    .0
}
