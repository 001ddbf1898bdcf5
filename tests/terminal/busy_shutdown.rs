//! The program receives a stop signal while it is busy: it restores the terminal, ends at once, and
//! leaves the run unchanged. A disk that never answers keeps it busy for ever, without a point at
//! which Lua can be interrupted.

use std::time::{Duration, Instant};

use super::{DESCENT_FLAGS, OUTPUT_TIMEOUT, Terminal, faulty_disk};
use crate::trust::record_figure;

/// The ways to stop it.
const STOP_SIGNALS: [&str; 3] = ["ctrl-c", "-TERM", "-HUP"];
/// The call of the disk that never ends, the keys that start it, and whether a run exists before:
/// the program opens a profile, lists the runs, writes a step, reads a run, restores it.
const BUSY_POINTS: [(&str, &str, bool); 5] = [
    ("lock profiles 0 busy", "", false),
    ("list runs 0 busy", "", false),
    ("append journal.jsonl 1 busy", "1", false),
    ("read journal.jsonl 0 busy", "", true),
    ("read content 0 busy", "1", true),
];
const THIS_TEST: &str =
    "terminal::busy_shutdown::a_busy_program_ends_at_once_and_restores_the_terminal";

/// Begins and leaves a run.
fn begin_and_leave_run(folder: &std::path::Path) {
    let mut terminal = Terminal::begin_descent(folder, &DESCENT_FLAGS);
    terminal.send_keys("\u{3}");
    drop(terminal.child.wait());
    terminal.assert_terminal_restored();
    terminal.wait_for("The run player-0001 is saved");
}

fn read_journal(folder: &std::path::Path) -> Vec<u8> {
    std::fs::read(folder.join("runs/player-0001/journal.jsonl")).unwrap_or_default()
}

#[test]
fn a_busy_program_ends_at_once_and_restores_the_terminal() {
    if faulty_disk::is_program_process() {
        return;
    }
    let mut longest = Duration::ZERO;
    for (fault, keys, has_run) in BUSY_POINTS {
        for stop_signal in STOP_SIGNALS {
            let case_name = format!("{fault}, {stop_signal}");
            let folder = tempfile::tempdir().unwrap();
            if has_run {
                begin_and_leave_run(folder.path());
            }
            let journal_before = read_journal(folder.path());
            let mut terminal = Terminal::open_with_disk_fault(folder.path(), THIS_TEST, fault);
            if keys.is_empty() {
                terminal.wait_until("alternate screen", |_| true);
                let open_time = Instant::now();
                while !terminal.screen.lock().unwrap().screen().alternate_screen() {
                    assert!(open_time.elapsed() < OUTPUT_TIMEOUT, "{case_name}: it never began");
                    std::thread::sleep(Duration::from_millis(5));
                }
            } else {
                terminal.wait_for(if has_run { "Continue" } else { "New game" });
                terminal.send_keys(keys);
            }
            let key_time = Instant::now();
            while !folder.path().join(faulty_disk::BUSY_FILE).exists() {
                assert!(key_time.elapsed() < OUTPUT_TIMEOUT, "{case_name}: it was not busy");
                std::thread::sleep(Duration::from_millis(5));
            }
            std::thread::sleep(Duration::from_millis(100));
            assert!(terminal.child.try_wait().unwrap().is_none(), "{case_name}: it was not busy");
            let stop_time = Instant::now();
            match stop_signal {
                "ctrl-c" => terminal.send_keys("\u{3}"),
                signal => terminal.send_signal(signal),
            }
            while terminal.child.try_wait().unwrap().is_none() {
                assert!(stop_time.elapsed() < OUTPUT_TIMEOUT, "{case_name}: it does not end");
                std::thread::sleep(Duration::from_millis(5));
            }
            longest = longest.max(stop_time.elapsed());
            terminal.assert_terminal_restored();
            let journal_after = read_journal(folder.path());
            assert!(
                journal_after.starts_with(&journal_before),
                "{case_name}: the run lies as it was"
            );
            // The run is resumed or begun as if nothing had happened.
            let mut second_terminal = Terminal::open(folder.path(), &DESCENT_FLAGS);
            second_terminal.wait_until("title", |screen_text| {
                screen_text.contains("Continue") || screen_text.contains("New game")
            });
            second_terminal.send_keys("1");
            second_terminal.wait_for(": the entrance");
            second_terminal.send_keys("\u{3}");
            drop(second_terminal.child.wait());
        }
    }
    record_figure("stopped", &format!("{} moments, the longest {} ms", 15, longest.as_millis()));
    // The promise is one second; a busy machine may take longer to observe it.
    assert!(longest < Duration::from_secs(10), "{longest:?}");
}

/// A window may report any size.
#[cfg(target_os = "linux")]
#[test]
fn a_window_of_any_size_takes_bounded_memory() {
    let folder = tempfile::tempdir().unwrap();
    let mut terminal = Terminal::open(folder.path(), &DESCENT_FLAGS);
    terminal.wait_for("New game");
    let id = terminal.child.process_id().unwrap();
    for (columns, rows) in [(65_535, 65_535), (65_535, 1), (1, 65_535), (9_999, 9_999), (0, 0)] {
        terminal.pty_master.resize(super::pty_size(columns, rows)).unwrap();
        std::thread::sleep(Duration::from_millis(400));
        terminal.send_keys("j");
    }
    std::thread::sleep(Duration::from_millis(400));
    let status = std::fs::read_to_string(format!("/proc/{id}/status")).unwrap();
    let peak_memory = status.lines().find_map(|line| line.strip_prefix("VmHWM:")).unwrap();
    let kib: u64 = peak_memory.trim().trim_end_matches(" kB").trim().parse().unwrap();
    assert!(kib < 400 * 1024, "{} MiB", kib / 1024);
    terminal.resize(80, 24);
    terminal.send_keys("\u{3}");
    drop(terminal.child.wait());
    terminal.assert_terminal_restored();
}
