//! The history on a screen of 80 columns: each row identifies its run, also in two columns.

use super::Terminal;
use crate::cli::{GAMES, ferry, run};

#[test]
fn each_row_of_a_long_history_says_which_run_it_is() {
    let folder = tempfile::tempdir().unwrap();
    let one = "new\nskiff\n1\nAnn\n:leave\nabandon\nabandon\n";
    let data = folder.path().to_string_lossy();
    let played = run(ferry(&["--plain", "--data", &data]), &format!("{}quit\n", one.repeat(23)));
    assert!(played.status.success());
    let flags = ["--mods", GAMES, "--game", "ferry"];
    let mut terminal = Terminal::open(folder.path(), &flags);
    terminal.wait_for("History");
    let shown = terminal.screen_text();
    let row = shown.lines().find(|line| line.contains("History")).unwrap();
    let key = row.trim_start_matches(['>', ' ']).chars().next().unwrap();
    terminal.send_keys(&key.to_string());
    terminal.wait_for("Runs 1 to 20 of 23");
    terminal.wait_until("number on each row", |shown| {
        (4..=23).all(|number| shown.matches(&format!("#{number} ")).count() == 1)
    });
    terminal.send_keys("\u{3}");
    drop(terminal.child.wait());
}
