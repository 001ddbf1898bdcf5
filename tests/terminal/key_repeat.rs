//! A held key: the terminal repeats it faster than anybody types.

use super::Terminal;

#[test]
fn a_key_held_down_answers_one_question_at_most() {
    let folder = tempfile::tempdir().unwrap();
    let mut terminal = Terminal::open(folder.path(), &["--seed", "7"]);
    terminal.wait_for("A new descent");
    // It answers the title; the next questions have a choice of that key too. What is pressed after it
    // is no part of it.
    terminal.send_keys(&format!("{}?", "1".repeat(60)));
    terminal.wait_for("Keys that work now");
    terminal.send_keys("\u{1b}");
    terminal.wait_for("Where the descent leads");
    terminal.wait_until("list of places", |shown| shown.contains("> 1 The Ice House"));
    // Let go and pressed once more, it answers again.
    terminal.send_keys("1");
    terminal.wait_for("ATK");
    assert!(terminal.screen_text().contains("Step in"), "{}", terminal.screen_text());
    terminal.send_keys("\u{3}");
    drop(terminal.child.wait());
}
