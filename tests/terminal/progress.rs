//! Long work shows its progress on standard error if that is a terminal.

use portable_pty::{CommandBuilder, native_pty_system};

use super::{DESCENT_FLAGS, Terminal, pty_size};

#[test]
fn the_verification_of_a_run_shows_its_progress() {
    let folder = tempfile::tempdir().unwrap();
    let mut terminal = Terminal::begin_descent(folder.path(), &DESCENT_FLAGS);
    terminal.send_keys("\u{3}");
    drop(terminal.child.wait());
    let pair = native_pty_system().openpty(pty_size(80, 24)).unwrap();
    let mut command = CommandBuilder::new(env!("CARGO_BIN_EXE_sub-rosa"));
    command.args(["replay", "player-0001", "--verify", "--data", &folder.path().to_string_lossy()]);
    command.cwd(env!("CARGO_MANIFEST_DIR"));
    let mut terminal = Terminal::open_command(pair, command);
    terminal.wait_for("verified, no difference");
    assert!(terminal.child.wait().unwrap().success());
    let output = String::from_utf8_lossy(&terminal.output_bytes.lock().unwrap()).into_owned();
    assert!(output.contains("verifying [") && output.contains("/100"), "{output:?}");
    // The line is removed at the end.
    assert!(!terminal.screen_text().contains("verifying"), "{output:?}");
}
