//! Memory of a VM and of a run. The resident set comes from the system where it reports one
//! (Linux); Luau counts its own heap.

use std::fs;
use std::process::{Command, Stdio};

use base::text::display_value;
use protocol::Input;

use super::descent::{begin_session, bundled_content, record_answers, run_parameters};
use super::report::BenchReport;

/// The maximum resident memory of the game in play, in KiB.
const MAX_RESIDENT_KIB: u64 = 64 * 1024;

/// The notes of memory.
pub fn add_rows(report: &mut BenchReport) {
    let Some(kib_before) = resident_kib("self") else {
        report.add_note("(i) this system does not tell how much memory a process has");
        return;
    };
    let content = bundled_content();
    let vm = content.load_vm().unwrap();
    let kib_with_one_vm = resident_kib("self").unwrap();
    // A second VM shows the cost of one more VM: the first one includes what all share.
    let second_vm = content.load_vm().unwrap();
    let kib_with_two_vms = resident_kib("self").unwrap();
    drop(second_vm);
    let answers = record_answers(&content, 1);
    let mut session = begin_session(&content, vm, 1);
    let mut max_node_count = 0;
    for input in &answers {
        session.answer_prompt(input).unwrap();
        max_node_count = max_node_count.max(session.world().state.value_count());
    }
    let snapshot_bytes = serde_json::to_string(&session.world().snapshot()).unwrap().len();
    let to_mib = |kib: u64| kib as f64 / 1024.0;
    report.add_note(&format!(
        "(i) a VM of the bundled game: {:.1} MiB resident the first, {:.1} each further; a run: {max_node_count} tables and leaves at most, {:.1} KiB on paper",
        to_mib(kib_with_one_vm.saturating_sub(kib_before)),
        to_mib(kib_with_two_vms.saturating_sub(kib_with_one_vm)),
        snapshot_bytes as f64 / 1024.0,
    ));
    match peak_kib_of_game() {
        Some(kib) => report.add_note(&format!(
            "(i) the program playing the bundled game: {:.1} MiB resident at most; at most {:.0}",
            to_mib(kib),
            to_mib(MAX_RESIDENT_KIB),
        )),
        None => report.add_note("(i) the program could not be watched while it played"),
    }
}

/// The resident memory of a process, in KiB.
fn resident_kib(process: &str) -> Option<u64> {
    status_field_kib(process, "VmRSS:")
}

fn status_field_kib(process: &str, name: &str) -> Option<u64> {
    let status = fs::read_to_string(format!("/proc/{process}/status")).ok()?;
    let line = status.lines().find(|line| line.starts_with(name))?;
    line.split_whitespace().nth(1)?.parse().ok()
}

/// The peak resident memory of the program after one descent, played by a script with its journal
/// on disk.
fn peak_kib_of_game() -> Option<u64> {
    let folder = tempfile::tempdir().unwrap();
    let script = folder.path().join("script.txt");
    let content = bundled_content();
    let options = run_parameters(&content.load_vm().unwrap(), 1).options;
    let options = options.as_map().into_iter().flatten();
    let options = options.map(|(name, value)| (name, display_value(value)));
    let options = options.filter(|(_, value)| !value.is_empty());
    let mut script_lines = vec!["new".to_owned()];
    script_lines.extend(record_answers(&content, 1).iter().map(|input| match input {
        Input::Choice(id) => id.clone(),
        Input::Choices(ids) => ids.join(" "),
        Input::Number(number) => number.to_string(),
        Input::Text(text) => text.clone(),
    }));
    script_lines.extend(["title", "quit"].map(str::to_owned));
    fs::write(&script, script_lines.join("\n")).unwrap();
    let mut game_process = Command::new(env!("CARGO_BIN_EXE_sub-rosa"))
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
    let mut peak_kib = None;
    let status = loop {
        if let Some(status) = game_process.try_wait().ok()? {
            break status;
        }
        peak_kib = peak_kib.max(status_field_kib(&game_process.id().to_string(), "VmHWM:"));
        std::thread::sleep(std::time::Duration::from_millis(1));
    };
    // A process that did not finish the descent shows nothing.
    peak_kib.filter(|_| status.success())
}
