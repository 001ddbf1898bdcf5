//! Signals and job control: the terminal is restored and taken again, and the exit status names the
//! signal, the same in both front ends.

use std::time::{Duration, Instant};

use portable_pty::{CommandBuilder, native_pty_system};

use super::{OUTPUT_TIMEOUT, Terminal};

fn is_on_alternate_screen(terminal: &Terminal) -> bool {
    terminal.screen.lock().unwrap().screen().alternate_screen()
}

fn wait_until_suspended(terminal: &Terminal) {
    let start_time = Instant::now();
    while !terminal.is_stopped() {
        assert!(start_time.elapsed() < OUTPUT_TIMEOUT, "it was not suspended");
        std::thread::sleep(Duration::from_millis(10));
    }
}

#[test]
fn the_exit_status_names_the_signal_in_both_frontends() {
    for stop_signal in
        ["-INT", "-TERM", "-HUP", "-QUIT", "-ABRT", "-ALRM", "-USR1", "-XCPU", "ctrl-c"]
    {
        let status = [&[][..], &["--plain"]].map(|flags| {
            let folder = tempfile::tempdir().unwrap();
            let mut terminal = Terminal::open(folder.path(), flags);
            terminal.wait_for("New game");
            match stop_signal {
                "ctrl-c" => terminal.send_keys("\u{3}"),
                signal => terminal.send_signal(signal),
            }
            let status = terminal.child.wait().unwrap();
            terminal.assert_terminal_restored();
            status.signal().map(str::to_owned)
        });
        assert!(status[0].is_some(), "{stop_signal} left no trace");
        assert_eq!(status[0], status[1], "{stop_signal}");
    }
}

#[test]
fn a_program_stopped_by_a_signal_restores_the_terminal() {
    let folder = tempfile::tempdir().unwrap();
    let mut terminal = Terminal::open(folder.path(), &[]);
    terminal.wait_for("New game");
    for signal in ["-TSTP", "-TSTP", "-STOP"] {
        terminal.send_signal(signal);
        wait_until_suspended(&terminal);
        if signal == "-TSTP" {
            terminal.assert_terminal_restored();
        }
        let length_before = terminal.output_bytes.lock().unwrap().len();
        terminal.send_signal("-CONT");
        terminal.wait_until("screen of its own", |_| {
            let bytes = terminal.output_bytes.lock().unwrap();
            bytes[length_before..].windows(8).any(|window| window == b"\x1b[?1049h")
        });
        terminal.wait_for("New game");
        assert!(is_on_alternate_screen(&terminal));
        terminal.send_keys("?");
        terminal.wait_for("Keys that work now");
        let modes = format!("{:?}", terminal.pty_master.get_termios().unwrap().local_flags);
        assert!(!modes.contains("ICANON"), "{modes}");
        terminal.send_keys("\u{1b}");
        terminal.wait_until("title", |screen_text| !screen_text.contains("Keys that work now"));
    }
    terminal.send_keys("\u{3}");
    drop(terminal.child.wait());
    terminal.assert_terminal_restored();
}

#[test]
fn ctrl_z_suspends_the_parent_of_the_program_too() {
    let folder = tempfile::tempdir().unwrap();
    let script = folder.path().join("play.sh");
    let program = env!("CARGO_BIN_EXE_sub-rosa");
    let data = folder.path().join("data");
    std::fs::write(&script, format!("{program} --data {}\necho over\n", data.display())).unwrap();
    let pair = native_pty_system().openpty(super::pty_size(80, 24)).unwrap();
    let mut command = CommandBuilder::new("bash");
    command.args(["--norc", "--noprofile", "-i"]);
    command.env("TERM", "xterm-256color");
    command.env("PS1", "PROMPT$ ");
    let mut terminal = Terminal::open_command(pair, command);
    terminal.wait_for("PROMPT$");
    for is_second_time in [false, true] {
        terminal.send_keys(&if is_second_time {
            "fg\n".to_owned()
        } else {
            format!("sh {}\n", script.display())
        });
        terminal.wait_for("New game");
        std::thread::sleep(Duration::from_millis(200));
        terminal.send_keys("\u{1a}");
        terminal.wait_for("Stopped");
        terminal.wait_until("prompt", |screen_text| screen_text.trim_end().ends_with("PROMPT$"));
        assert!(!is_on_alternate_screen(&terminal));
        terminal.send_keys("clear\n");
        terminal.wait_until("clear screen", |screen_text| !screen_text.contains("Stopped"));
    }
    terminal.send_keys("fg\n");
    terminal.wait_for("New game");
    terminal.send_keys("\u{3}");
    terminal.wait_until("prompt", |screen_text| screen_text.trim_end().ends_with("PROMPT$"));
    terminal.send_keys("exit\n");
    drop(terminal.child.wait());
}
