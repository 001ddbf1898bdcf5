//! Signals and job control: the terminal is restored and taken again, and the exit status names the
//! signal, the same in both front ends.

use std::time::{Duration, Instant};

use portable_pty::{CommandBuilder, native_pty_system};

use super::{PATIENCE, Terminal};

fn alternate(terminal: &Terminal) -> bool {
    terminal.screen.lock().unwrap().screen().alternate_screen()
}

fn wait_stopped(terminal: &Terminal) {
    let begun = Instant::now();
    while !terminal.is_stopped() {
        assert!(begun.elapsed() < PATIENCE, "it was not suspended");
        std::thread::sleep(Duration::from_millis(10));
    }
}

#[test]
fn the_exit_status_says_which_signal_ended_the_program_in_both_front_ends() {
    for ended in ["-INT", "-TERM", "-HUP", "-QUIT", "-ABRT", "-ALRM", "-USR1", "-XCPU", "ctrl-c"] {
        let status = [&[][..], &["--plain"]].map(|flags| {
            let folder = tempfile::tempdir().unwrap();
            let mut terminal = Terminal::open(folder.path(), flags);
            terminal.wait_for("A new descent");
            match ended {
                "ctrl-c" => terminal.send_keys("\u{3}"),
                signal => terminal.signal(signal),
            }
            let status = terminal.child.wait().unwrap();
            terminal.assert_terminal_restored();
            status.signal().map(str::to_owned)
        });
        assert!(status[0].is_some(), "{ended} left no trace");
        assert_eq!(status[0], status[1], "{ended}");
    }
}

#[test]
fn a_program_stopped_from_outside_gives_the_terminal_back_and_takes_it_again() {
    let folder = tempfile::tempdir().unwrap();
    let mut terminal = Terminal::open(folder.path(), &[]);
    terminal.wait_for("A new descent");
    for signal in ["-TSTP", "-TSTP", "-STOP"] {
        terminal.signal(signal);
        wait_stopped(&terminal);
        if signal == "-TSTP" {
            terminal.assert_terminal_restored();
        }
        let before = terminal.bytes.lock().unwrap().len();
        terminal.signal("-CONT");
        terminal.wait_until("screen of its own", |_| {
            let bytes = terminal.bytes.lock().unwrap();
            bytes[before..].windows(8).any(|some| some == b"\x1b[?1049h")
        });
        terminal.wait_for("A new descent");
        assert!(alternate(&terminal));
        terminal.send_keys("?");
        terminal.wait_for("Keys that work now");
        let modes = format!("{:?}", terminal.master.get_termios().unwrap().local_flags);
        assert!(!modes.contains("ICANON"), "{modes}");
        terminal.send_keys("\u{1b}");
        terminal.wait_until("title", |shown| !shown.contains("Keys that work now"));
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
    let pair = native_pty_system().openpty(super::size(80, 24)).unwrap();
    let mut command = CommandBuilder::new("bash");
    command.args(["--norc", "--noprofile", "-i"]);
    command.env("TERM", "xterm-256color");
    command.env("PS1", "PROMPT$ ");
    let mut terminal = Terminal::open_command(pair, command);
    terminal.wait_for("PROMPT$");
    for again in [false, true] {
        terminal.send_keys(&if again {
            "fg\n".to_owned()
        } else {
            format!("sh {}\n", script.display())
        });
        terminal.wait_for("A new descent");
        std::thread::sleep(Duration::from_millis(200));
        terminal.send_keys("\u{1a}");
        terminal.wait_for("Stopped");
        terminal.wait_until("prompt", |shown| shown.trim_end().ends_with("PROMPT$"));
        assert!(!alternate(&terminal));
        terminal.send_keys("clear\n");
        terminal.wait_until("clear screen", |shown| !shown.contains("Stopped"));
    }
    terminal.send_keys("fg\n");
    terminal.wait_for("A new descent");
    terminal.send_keys("\u{3}");
    terminal.wait_until("prompt", |shown| shown.trim_end().ends_with("PROMPT$"));
    terminal.send_keys("exit\n");
    drop(terminal.child.wait());
}
