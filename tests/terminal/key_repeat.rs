//! A held key: the terminal repeats it faster than anybody types.

use super::Terminal;

#[test]
fn a_repeating_key_answers_at_most_one_prompt() {
    let folder = tempfile::tempdir().unwrap();
    let mut terminal = Terminal::open(folder.path(), &["--seed", "7"]);
    terminal.wait_for("New game");
    // It answers the title; the next prompts have a choice with that key too. Later keys are not
    // part of the repeat.
    terminal.send_keys(&format!("{}?", "1".repeat(60)));
    terminal.wait_for("Keys that work now");
    terminal.send_keys("\u{1b}");
    terminal.wait_for("Place");
    terminal.wait_until("list of places", |screen_text| screen_text.contains("> 1 The Ice House"));
    // Released and pressed again, it answers again.
    terminal.send_keys("1");
    terminal.wait_for("ATK");
    terminal.wait_for("Step in");
    terminal.send_keys("\u{3}");
    drop(terminal.child.wait());
}
