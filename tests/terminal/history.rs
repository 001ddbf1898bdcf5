//! The history on a screen of 80 columns: each row identifies its run, also in two columns.

use super::Terminal;
use crate::cli::{FERRY_FOLDER, ferry_command, run_with_input};

#[test]
fn each_history_row_shows_its_run_number() {
    let folder = tempfile::tempdir().unwrap();
    let answers_of_one_run = "new\nskiff\n1\nAnn\n:leave\nabandon\nabandon\n";
    let data = folder.path().to_string_lossy();
    let play_output = run_with_input(
        ferry_command(&["--plain", "--data", &data]),
        &format!("{}quit\n", answers_of_one_run.repeat(23)),
    );
    assert!(play_output.status.success());
    let flags = ["--mods", FERRY_FOLDER, "--game", "ferry"];
    let mut terminal = Terminal::open(folder.path(), &flags);
    terminal.wait_for("History");
    let screen_text = terminal.screen_text();
    let row = screen_text.lines().find(|line| line.contains("History")).unwrap();
    let key = row.trim_start_matches(['>', ' ']).chars().next().unwrap();
    terminal.send_keys(&key.to_string());
    terminal.wait_for("Runs 1 to 20 of 23");
    terminal.wait_until("number on each row", |screen_text| {
        (4..=23).all(|number| screen_text.matches(&format!("#{number} ")).count() == 1)
    });
    terminal.send_keys("\u{3}");
    drop(terminal.child.wait());
}
