//! The real program on a pseudo-terminal: suspended and continued, ended by a signal, and a whole
//! descent while the window changes. The terminal is restored each time.
#![cfg(unix)]
// The terminal is another program: its output needs a timeout, and no result depends on the time.
#![allow(clippy::disallowed_methods)]

use std::io::{Read, Write};
use std::path::Path;
use std::process::Command;
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

use portable_pty::{Child, CommandBuilder, MasterPty, PtyPair, PtySize, native_pty_system};

/// The timeout on a busy machine.
const OUTPUT_TIMEOUT: Duration = Duration::from_secs(60);

#[path = "terminal/busy_shutdown.rs"]
mod busy_shutdown;
#[path = "terminal/descent.rs"]
mod descent;
#[path = "terminal/faulty_disk.rs"]
mod faulty_disk;
#[path = "terminal/history.rs"]
mod history;
#[path = "terminal/key_repeat.rs"]
mod key_repeat;
#[path = "terminal/locale.rs"]
mod locale;
#[path = "terminal/progress.rs"]
mod progress;
#[path = "terminal/recording.rs"]
mod recording;
#[path = "terminal/signals.rs"]
mod signals;
#[path = "terminal/unsolicited_input.rs"]
mod unsolicited_input;

/// The options of the descent that every test begins.
const DESCENT_FLAGS: [&str; 8] = [
    "--seed",
    "7",
    "--set",
    "build=blade",
    "--set",
    "dungeon=ice_house",
    "--set",
    "difficulty=gentle",
];

struct Terminal {
    pty_master: Box<dyn MasterPty + Send>,
    child: Box<dyn Child + Send + Sync>,
    key_writer: Box<dyn Write + Send>,
    screen: Arc<Mutex<vt100::Parser>>,
    output_bytes: Arc<Mutex<Vec<u8>>>,
}

/// A program that a failed test leaves, and that ignores the end of its terminal, would run for
/// ever.
impl Drop for Terminal {
    fn drop(&mut self) {
        if let Ok(None) = self.child.try_wait() {
            let _ = self.child.kill();
        }
    }
}

fn pty_size(columns: u16, rows: u16) -> PtySize {
    PtySize { rows, cols: columns, pixel_width: 0, pixel_height: 0 }
}

impl Terminal {
    fn open(data: &Path, flags: &[&str]) -> Self {
        Self::open_with_env(data, flags, &[("LC_ALL", "C.UTF-8")])
    }

    /// The same with these environment variables, and no other locale.
    fn open_with_env(data: &Path, flags: &[&str], environment: &[(&str, &str)]) -> Self {
        let pair = native_pty_system().openpty(pty_size(80, 24)).unwrap();
        let mut command = CommandBuilder::new(env!("CARGO_BIN_EXE_sub-rosa"));
        command.args(["--data", &data.to_string_lossy()]);
        command.args(flags);
        command.env("TERM", "xterm-256color");
        ["LC_ALL", "LC_CTYPE", "LANG"].iter().for_each(|name| command.env_remove(name));
        environment.iter().for_each(|(name, value)| command.env(name, value));
        command.cwd(env!("CARGO_MANIFEST_DIR"));
        Self::open_command(pair, command)
    }

    /// Runs any program on a terminal.
    fn open_command(pair: PtyPair, command: CommandBuilder) -> Self {
        let child = pair.slave.spawn_command(command).unwrap();
        drop(pair.slave);
        let mut reader = pair.master.try_clone_reader().unwrap();
        let screen = Arc::new(Mutex::new(vt100::Parser::new(24, 80, 0)));
        let bytes = Arc::new(Mutex::new(Vec::new()));
        let (screen_writer, byte_writer) = (Arc::clone(&screen), Arc::clone(&bytes));
        std::thread::spawn(move || {
            let mut buffer = [0; 4096];
            while let Ok(count @ 1..) = reader.read(&mut buffer) {
                screen_writer.lock().unwrap().process(&buffer[..count]);
                byte_writer.lock().unwrap().extend_from_slice(&buffer[..count]);
            }
        });
        let keys = pair.master.take_writer().unwrap();
        Self { pty_master: pair.master, child, key_writer: keys, screen, output_bytes: bytes }
    }

    /// The program at the first prompt of a new descent.
    fn begin_descent(data: &Path, flags: &[&str]) -> Self {
        Self::open(data, flags).pass_title("New game")
    }

    /// The program at the entrance of the resumed descent.
    fn resume_descent(data: &Path) -> Self {
        Self::open(data, &[]).pass_title("Continue")
    }

    fn pass_title(mut self, title: &str) -> Self {
        self.wait_for(title);
        self.send_keys("1");
        self.wait_for(": the entrance");
        self
    }

    /// The current screen, perhaps in the middle of a frame; callers wait for the expected content.
    fn screen_text(&self) -> String {
        self.screen.lock().unwrap().screen().contents()
    }

    fn send_keys(&mut self, keys: &str) {
        self.key_writer.write_all(keys.as_bytes()).unwrap();
        self.key_writer.flush().unwrap();
    }

    fn resize(&mut self, columns: u16, rows: u16) {
        self.screen.lock().unwrap().screen_mut().set_size(rows, columns);
        self.pty_master.resize(pty_size(columns, rows)).unwrap();
    }

    fn wait_for(&self, expected: &str) {
        self.wait_until(expected, |screen_text| screen_text.contains(expected));
    }

    fn wait_until(&self, description: &str, is_done: impl Fn(&str) -> bool) {
        let start_time = Instant::now();
        while !is_done(&self.screen_text()) {
            assert!(
                start_time.elapsed() < OUTPUT_TIMEOUT,
                "no {description}:\n{}",
                self.screen_text()
            );
            std::thread::sleep(Duration::from_millis(10));
        }
    }

    /// Waits for a text in all output, also if it has left the screen.
    fn wait_for_output(&self, expected: &str) {
        let start_time = Instant::now();
        let has_output = || {
            let bytes = self.output_bytes.lock().unwrap();
            bytes.windows(expected.len()).any(|window| window == expected.as_bytes())
        };
        while !has_output() {
            assert!(
                start_time.elapsed() < OUTPUT_TIMEOUT,
                "no {expected}:\n{}",
                self.screen_text()
            );
            std::thread::sleep(Duration::from_millis(10));
        }
    }

    /// Whether the program is stopped by job control.
    fn is_stopped(&self) -> bool {
        let id = self.child.process_id().unwrap();
        let state = Command::new("ps").args(["-o", "stat=", "-p", &id.to_string()]).output();
        String::from_utf8_lossy(&state.unwrap().stdout).trim().starts_with('T')
    }

    fn send_signal(&self, name: &str) {
        let id = self.child.process_id().unwrap().to_string();
        assert!(Command::new("kill").args([name, &id]).status().unwrap().success());
    }

    /// The screen, the cursor and the mouse are restored for the shell.
    fn assert_terminal_restored(&self) {
        let start_time = Instant::now();
        let is_restored = || {
            let screen = self.screen.lock().unwrap();
            let screen = screen.screen();
            !screen.alternate_screen()
                && !screen.hide_cursor()
                && screen.mouse_protocol_mode() == vt100::MouseProtocolMode::None
        };
        while !is_restored() {
            assert!(
                start_time.elapsed() < OUTPUT_TIMEOUT,
                "the terminal was not restored:\n{}",
                self.screen_text()
            );
            std::thread::sleep(Duration::from_millis(10));
        }
        let modes = self.pty_master.get_termios().unwrap();
        let local_flags = format!("{:?}", modes.local_flags);
        assert!(
            local_flags.contains("ECHO") && local_flags.contains("ICANON"),
            "still raw: {local_flags}"
        );
    }
}

#[test]
fn a_suspended_program_restores_the_terminal_and_continues() {
    let folder = tempfile::tempdir().unwrap();
    let mut terminal = Terminal::begin_descent(folder.path(), &DESCENT_FLAGS);
    terminal.send_keys("\u{1a}");
    let start_time = Instant::now();
    while !terminal.is_stopped() {
        assert!(start_time.elapsed() < OUTPUT_TIMEOUT, "it was not suspended");
        std::thread::sleep(Duration::from_millis(10));
    }
    terminal.assert_terminal_restored();
    terminal.send_signal("-CONT");
    terminal.wait_for(": the entrance");
    assert!(terminal.screen.lock().unwrap().screen().alternate_screen());
    terminal.send_keys("?");
    terminal.wait_for("Keys that work now");
    // Ended by a signal while a page is open.
    terminal.send_signal("-TERM");
    drop(terminal.child.wait());
    terminal.assert_terminal_restored();
    terminal.wait_for("The run player-0001 is saved");
    // Nothing is lost.
    let mut second_terminal = Terminal::resume_descent(folder.path());
    second_terminal.send_keys("\u{3}");
    drop(second_terminal.child.wait());
    second_terminal.assert_terminal_restored();
}

/// A panic of ours must not cross Luau's frames: the program ends there, and the run can be
/// resumed.
#[test]
fn a_panic_in_a_host_function_ends_the_program_and_is_resumable() {
    const THIS_TEST: &str =
        "terminal::a_panic_in_a_host_function_ends_the_program_and_is_resumable";
    if faulty_disk::is_program_process() {
        return;
    }
    const NEW_RUN: &str = "New game";
    let folder = tempfile::tempdir().unwrap();
    let is_past_entrance = |screen_text: &str| {
        screen_text.contains("choose") && !screen_text.contains(": the entrance")
    };
    let assert_panics = |title: &str| {
        let fault = match title {
            // The first line is written, the start of the game is not.
            NEW_RUN => "append journal.jsonl 1 panic",
            _ => "append journal.jsonl 0 panic",
        };
        let mut terminal = Terminal::open_with_disk_fault(folder.path(), THIS_TEST, fault);
        terminal.wait_for(title);
        terminal.send_keys("1");
        if title != NEW_RUN {
            // Past steps run no script: the panic comes with the next answer.
            // A key that follows the prompt at once does not answer it.
            terminal.wait_until("the first room", is_past_entrance);
            for _ in 0..120 {
                if terminal.child.try_wait().unwrap().is_some() {
                    break;
                }
                terminal.send_keys("2");
                std::thread::sleep(std::time::Duration::from_millis(250));
            }
        }
        terminal.wait_for("A host function panicked inside a script");
        assert!(!terminal.child.wait().unwrap().success());
        terminal.assert_terminal_restored();
    };
    assert_panics(NEW_RUN);
    let mut second_terminal = Terminal::resume_descent(folder.path());
    // The first key opens the question.
    second_terminal.wait_for("reads on");
    second_terminal.send_keys("1");
    second_terminal.wait_until("question", |screen_text| screen_text.contains("key choose"));
    second_terminal.send_keys("1");
    second_terminal.wait_until("the first room", is_past_entrance);
    second_terminal.send_signal("-KILL");
    drop(second_terminal.child.wait());
    // Also in a run that was resumed.
    assert_panics("Continue");
    let mut second_terminal = Terminal::open(folder.path(), &[]);
    second_terminal.wait_for("Continue");
    second_terminal.send_keys("1");
    second_terminal.wait_until("the first room", |screen_text| {
        is_past_entrance(screen_text) && !screen_text.contains("Continue")
    });
    second_terminal.send_keys("\u{3}");
    drop(second_terminal.child.wait());
}

#[test]
fn a_key_press_writes_few_bytes() {
    let folder = tempfile::tempdir().unwrap();
    let mut terminal = Terminal::begin_descent(folder.path(), &DESCENT_FLAGS);
    terminal.resize(120, 40);
    terminal.wait_for(": the entrance");
    let mut byte_counts = Vec::new();
    let (move_keys, answer_keys) =
        (["j", "j", "k", "j", "k", "k", "j"], ["2", "1", "1", "1", "2", "1", "1"]);
    for key in move_keys.into_iter().chain(answer_keys) {
        std::thread::sleep(Duration::from_millis(200));
        let length_before = terminal.output_bytes.lock().unwrap().len();
        terminal.send_keys(key);
        std::thread::sleep(Duration::from_millis(400));
        byte_counts.push(terminal.output_bytes.lock().unwrap().len() - length_before);
    }
    let median = |byte_counts: &[usize]| {
        let mut sorted = byte_counts.to_vec();
        sorted.sort_unstable();
        sorted[sorted.len() / 2]
    };
    let (move_costs, answer_costs) = byte_counts.split_at(move_keys.len());
    assert!(median(move_costs) < 512, "the bytes that moving costs: {move_costs:?}");
    // An answer changes most of the story, the sheet and the prompt.
    assert!(median(answer_costs) < 8_192, "the bytes that answers cost: {answer_costs:?}");
    terminal.send_keys("\u{3}");
    drop(terminal.child.wait());
}

/// While it waits for saved files it still reads keys.
#[test]
fn with_dev_keys_are_read_and_the_console_answers() {
    let folder = tempfile::tempdir().unwrap();
    let mut terminal =
        Terminal::begin_descent(folder.path(), &[&["--dev"], DESCENT_FLAGS.as_slice()].concat());
    terminal.send_keys(":");
    terminal.send_keys("state.hero.standing + 41\r");
    terminal.wait_for("42");
    terminal.send_keys("c");
    terminal.wait_for("Esc back");
    terminal.send_keys("\u{1b}");
    terminal.wait_for("read on");
    terminal.send_keys("\u{3}");
    drop(terminal.child.wait());
    terminal.assert_terminal_restored();
}

/// Two conflicting mods: the full screen offers to disable one of them.
#[test]
fn a_start_with_two_conflicting_mods_offers_to_disable_one() {
    let folder = tempfile::tempdir().unwrap();
    let mods = folder.path().join("mods");
    crate::conflicts::write_conflicting_mods(
        &mods,
        &crate::support::manifest_needing("tide", &["game"]),
    );
    let mods = mods.to_string_lossy();
    let flags = ["--mods", &mods, "--game", "game", "--with", "gulls", "--with", "tide"];
    let mut terminal = Terminal::open(&folder.path().join("data"), &flags);
    terminal.wait_for("Play without tide");
    terminal.wait_for("Play without gulls");
    // Try again first: nothing was repaired, and it asks again.
    terminal.send_keys("1");
    terminal.assert_reads_keys();
    terminal.wait_for("Play without tide");
    terminal.send_keys("2");
    terminal.wait_for("New game");
    terminal.send_keys("\u{3}");
    drop(terminal.child.wait());
    terminal.assert_terminal_restored();
}
