//! Memory of a VM and of a run. The resident set comes from the system where it reports one
//! (Linux); Luau counts its own heap.

use std::fs;
use std::process::{Command, Stdio};

use engine::base::text::display_value;
use engine::protocol::Input;

use super::descent::{answers, begin, content, terms};
use super::report::BenchReport;

/// The maximum resident memory of the game in play, in KiB.
const MOST: u64 = 64 * 1024;

/// The notes of memory.
pub fn rows(table: &mut BenchReport) {
    let Some(before) = resident("self") else {
        table.note("(i) this system does not tell how much memory a process has");
        return;
    };
    let content = content();
    let vm = content.load().unwrap();
    let loaded = resident("self").unwrap();
    // A second VM shows the cost of one more VM: the first one includes what all share.
    let other = content.load().unwrap();
    let two = resident("self").unwrap();
    drop(other);
    let answers = answers(&content, 1);
    let mut session = begin(&content, vm, 1);
    let mut most = 0;
    for input in &answers {
        session.answer(input).unwrap();
        most = most.max(session.world().state.nodes());
    }
    let snapshot = serde_json::to_string(&session.world().snapshot()).unwrap().len();
    let mib = |kib: u64| kib as f64 / 1024.0;
    table.note(&format!(
        "(i) a VM of the bundled game: {:.1} MiB resident the first, {:.1} each further; a run: {most} tables and leaves at most, {:.1} KiB on paper",
        mib(loaded.saturating_sub(before)),
        mib(two.saturating_sub(loaded)),
        snapshot as f64 / 1024.0,
    ));
    match of_the_game() {
        Some(kib) => table.note(&format!(
            "(i) the program playing the bundled game: {:.1} MiB resident at most; at most {:.0}",
            mib(kib),
            mib(MOST),
        )),
        None => table.note("(i) the program could not be watched while it played"),
    }
}

/// The resident memory of a process, in KiB.
fn resident(process: &str) -> Option<u64> {
    field(process, "VmRSS:")
}

fn field(process: &str, name: &str) -> Option<u64> {
    let status = fs::read_to_string(format!("/proc/{process}/status")).ok()?;
    let line = status.lines().find(|line| line.starts_with(name))?;
    line.split_whitespace().nth(1)?.parse().ok()
}

/// The peak resident memory of the program after one descent, played by a script with its journal
/// on disk.
fn of_the_game() -> Option<u64> {
    let folder = tempfile::tempdir().unwrap();
    let script = folder.path().join("script.txt");
    let content = content();
    let options = terms(&content.load().unwrap(), 1).options;
    let options = options.as_map().into_iter().flatten();
    let options = options.map(|(name, value)| (name, display_value(value)));
    let options = options.filter(|(_, value)| !value.is_empty());
    let mut lines = vec!["new".to_owned()];
    lines.extend(answers(&content, 1).iter().map(|input| match input {
        Input::Choice(id) => id.clone(),
        Input::Many(ids) => ids.join(" "),
        Input::Number(number) => number.to_string(),
        Input::Text(text) => text.clone(),
    }));
    lines.extend(["title", "quit"].map(str::to_owned));
    fs::write(&script, lines.join("\n")).unwrap();
    let mut play = Command::new(env!("CARGO_BIN_EXE_sub-rosa"))
        .args(["--plain", "--seed", "1"])
        .args(options.flat_map(|(name, value)| ["--set".to_owned(), format!("{name}={value}")]))
        .arg("--script")
        .arg(&script)
        .arg("--data")
        .arg(folder.path().join("data"))
        .stdin(Stdio::null())
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .spawn()
        .ok()?;
    let mut most = None;
    let status = loop {
        if let Some(status) = play.try_wait().ok()? {
            break status;
        }
        most = most.max(field(&play.id().to_string(), "VmHWM:"));
        std::thread::sleep(std::time::Duration::from_millis(1));
    };
    // A process that did not finish the descent shows nothing.
    most.filter(|_| status.success())
}
