//! Input that nobody typed is no answer: terminal replies and pasted text.

use std::time::Duration;

use super::{DESCENT_FLAGS, Terminal};
use crate::ui::decoder::REPLIES;

impl Terminal {
    fn send_bytes(&mut self, bytes: &[u8]) {
        self.key_writer.write_all(bytes).unwrap();
        self.key_writer.flush().unwrap();
    }

    /// Help opens and closes: all earlier input is processed, and keys are read.
    pub(super) fn assert_reads_keys(&mut self) {
        std::thread::sleep(Duration::from_millis(300));
        self.send_keys("?");
        self.wait_for("Keys that work now");
        self.send_keys("\u{1b}");
        self.wait_until("question", |screen_text| !screen_text.contains("Keys that work now"));
    }
}

/// The number of answers in a run.
fn count_answers(folder: &std::path::Path) -> usize {
    let journal = folder.join("runs/player-0001/journal.jsonl");
    std::fs::read_to_string(journal).unwrap().matches("{\"intent\":").count()
}

#[test]
fn terminal_replies_answer_no_prompt() {
    let folder = tempfile::tempdir().unwrap();
    let mut terminal = Terminal::begin_descent(folder.path(), &DESCENT_FLAGS);
    let answers_before = count_answers(folder.path());
    for reply in REPLIES {
        terminal.send_bytes(reply);
    }
    terminal.assert_reads_keys();
    // Late replies, split after the ESC, in the middle and before the end.
    for reply in [REPLIES[0], REPLIES[5], REPLIES[12], b"\x1b[<0;10;23M"] {
        for split_at in [1, reply.len() / 2, reply.len() - 1] {
            let (first_part, second_part) = reply.split_at(split_at);
            terminal.send_bytes(first_part);
            std::thread::sleep(Duration::from_millis(120));
            terminal.send_bytes(second_part);
            std::thread::sleep(Duration::from_millis(60));
        }
    }
    terminal.assert_reads_keys();
    assert_eq!(count_answers(folder.path()), answers_before);
    terminal.send_keys("\u{3}");
    drop(terminal.child.wait());
    terminal.assert_terminal_restored();
}

#[test]
fn pasted_text_answers_at_most_one_prompt() {
    let folder = tempfile::tempdir().unwrap();
    let mut terminal = Terminal::begin_descent(folder.path(), &DESCENT_FLAGS);
    let marks_pastes =
        terminal.output_bytes.lock().unwrap().windows(8).any(|window| window == b"\x1b[?2004h");
    assert!(marks_pastes, "pastes are not marked");
    let notes = "Meeting notes 2026-11-27\r1. call Jo 555-1234\r2. buy candles\r";
    for (paste, max_answers) in [
        (format!("\u{1b}[200~{notes}\u{1b}[201~"), 0),
        (notes.to_owned(), 0),
        (notes.replace('\r', "\n"), 0),
        ("1 2 3 4 5 6 7 8 9 1 2 3 4 5 6 7 8 9".to_owned(), 1),
    ] {
        let answers_before = count_answers(folder.path());
        terminal.send_bytes(paste.as_bytes());
        terminal.assert_reads_keys();
        let answer_count = count_answers(folder.path()) - answers_before;
        assert!(answer_count <= max_answers, "{answer_count} answers by {paste:?}");
    }
    terminal.send_keys("\u{3}");
    drop(terminal.child.wait());
    terminal.assert_terminal_restored();
    assert!(
        terminal.output_bytes.lock().unwrap().windows(8).any(|window| window == b"\x1b[?2004l")
    );
}

#[test]
fn a_paste_into_a_text_field_stays_in_the_field() {
    let folder = tempfile::tempdir().unwrap();
    let mut terminal = Terminal::open(folder.path(), &[]);
    terminal.wait_for("New game");
    for (key, expected_text) in
        [("8", "Player: Player"), ("6", "Who is playing?"), ("2", "The name of the new player?")]
    {
        terminal.send_keys(key);
        terminal.wait_for(expected_text);
    }
    let cursor_column = |terminal: &Terminal| {
        let screen = terminal.screen.lock().unwrap();
        (!screen.screen().hide_cursor()).then(|| screen.screen().cursor_position().1)
    };
    for paste in ["\u{1b}[200~Ann\rBob\r1\r2\r\u{1b}[201~", "Ann\rBob\r1\r2\r"] {
        terminal.send_keys(paste);
        terminal.wait_for("> Ann Bob 1 2");
        std::thread::sleep(Duration::from_millis(300));
        assert!(
            terminal.screen_text().contains("The name of the new player?"),
            "{}",
            terminal.screen_text()
        );
        assert_eq!(cursor_column(&terminal), Some(" > Ann Bob 1 2".len() as u16));
        terminal.send_keys("\u{1b}");
        terminal.wait_until("empty line", |screen_text| !screen_text.contains("Ann"));
    }
    terminal.send_keys("Ann\r");
    terminal.wait_for("Player: Ann");
    assert_eq!(cursor_column(&terminal), None);
    terminal.send_keys("\u{3}");
    drop(terminal.child.wait());
    terminal.assert_terminal_restored();
}

#[test]
fn pasted_lines_answer_at_most_one_prompt_in_plain_text() {
    let folder = tempfile::tempdir().unwrap();
    let mut terminal =
        Terminal::open(folder.path(), &[&["--plain"], DESCENT_FLAGS.as_slice()].concat());
    terminal.wait_for("New game");
    terminal.send_keys("1\n");
    terminal.wait_for_output("the entrance;");
    std::thread::sleep(Duration::from_millis(300));
    let answers_before = count_answers(folder.path());
    terminal.send_keys("1\n1\n1\n1\n");
    // The room below it may be taller than the screen.
    terminal.wait_for_output("pasted lines were ignored");
    terminal.send_keys("quit\n");
    assert!(terminal.child.wait().unwrap().success());
    // The message can come before the answer is on disk; the end of the program cannot.
    assert_eq!(count_answers(folder.path()) - answers_before, 1);
}
