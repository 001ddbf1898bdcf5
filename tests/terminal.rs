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
const PATIENCE: Duration = Duration::from_secs(60);

#[path = "terminal/busy_shutdown.rs"]
mod busy_shutdown;
#[path = "terminal/descent.rs"]
mod descent;
#[path = "terminal/history.rs"]
mod history;
#[path = "terminal/key_repeat.rs"]
mod key_repeat;
#[path = "terminal/locale.rs"]
mod locale;
#[path = "terminal/signals.rs"]
mod signals;
#[path = "terminal/unsolicited_input.rs"]
mod unsolicited_input;

/// The options of the descent that every test begins.
const FLAGS: [&str; 8] = [
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
    master: Box<dyn MasterPty + Send>,
    child: Box<dyn Child + Send + Sync>,
    keys: Box<dyn Write + Send>,
    screen: Arc<Mutex<vt100::Parser>>,
    bytes: Arc<Mutex<Vec<u8>>>,
}

fn size(columns: u16, rows: u16) -> PtySize {
    PtySize { rows, cols: columns, pixel_width: 0, pixel_height: 0 }
}

impl Terminal {
    fn open(data: &Path, flags: &[&str]) -> Self {
        Self::open_with_fault(data, flags, "")
    }

    /// The same with a planted fault in the program.
    fn open_with_fault(data: &Path, flags: &[&str], fault: &str) -> Self {
        Self::open_with_env(data, flags, &[("LC_ALL", "C.UTF-8"), ("SUB_ROSA_FAULT", fault)])
    }

    /// The same with these environment variables, and no other locale.
    fn open_with_env(data: &Path, flags: &[&str], environment: &[(&str, &str)]) -> Self {
        let pair = native_pty_system().openpty(size(80, 24)).unwrap();
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
        let (seen, kept) = (Arc::clone(&screen), Arc::clone(&bytes));
        std::thread::spawn(move || {
            let mut buffer = [0; 4096];
            while let Ok(count @ 1..) = reader.read(&mut buffer) {
                seen.lock().unwrap().process(&buffer[..count]);
                kept.lock().unwrap().extend_from_slice(&buffer[..count]);
            }
        });
        let keys = pair.master.take_writer().unwrap();
        Self { master: pair.master, child, keys, screen, bytes }
    }

    /// The program at the first prompt of a new descent.
    fn begin_descent(data: &Path, flags: &[&str]) -> Self {
        Self::open(data, flags).pass_title("A new descent")
    }

    /// The program at the entrance of the resumed descent.
    fn resume_descent(data: &Path) -> Self {
        Self::open(data, &[]).pass_title("Take up the candle again")
    }

    fn pass_title(mut self, title: &str) -> Self {
        self.wait_for(title);
        self.send_keys("1");
        self.wait_for(": the entrance");
        self
    }

    /// What is on the screen, perhaps in the middle of a frame: wait for what must be there.
    fn screen_text(&self) -> String {
        self.screen.lock().unwrap().screen().contents()
    }

    fn send_keys(&mut self, keys: &str) {
        self.keys.write_all(keys.as_bytes()).unwrap();
        self.keys.flush().unwrap();
    }

    fn resize(&mut self, columns: u16, rows: u16) {
        self.screen.lock().unwrap().screen_mut().set_size(rows, columns);
        self.master.resize(size(columns, rows)).unwrap();
    }

    fn wait_for(&self, what: &str) {
        self.wait_until(what, |shown| shown.contains(what));
    }

    fn wait_until(&self, what: &str, done: impl Fn(&str) -> bool) {
        let begun = Instant::now();
        while !done(&self.screen_text()) {
            assert!(begun.elapsed() < PATIENCE, "no {what}:\n{}", self.screen_text());
            std::thread::sleep(Duration::from_millis(10));
        }
    }

    /// Waits for a text in all output, also if it has left the screen.
    fn wait_for_output(&self, what: &str) {
        let begun = Instant::now();
        let is_output = || {
            let bytes = self.bytes.lock().unwrap();
            bytes.windows(what.len()).any(|part| part == what.as_bytes())
        };
        while !is_output() {
            assert!(begun.elapsed() < PATIENCE, "no {what}:\n{}", self.screen_text());
            std::thread::sleep(Duration::from_millis(10));
        }
    }

    /// Whether the program is stopped by job control.
    fn is_stopped(&self) -> bool {
        let id = self.child.process_id().unwrap();
        let state = Command::new("ps").args(["-o", "stat=", "-p", &id.to_string()]).output();
        String::from_utf8_lossy(&state.unwrap().stdout).trim().starts_with('T')
    }

    fn signal(&self, name: &str) {
        let id = self.child.process_id().unwrap().to_string();
        assert!(Command::new("kill").args([name, &id]).status().unwrap().success());
    }

    /// The screen, the cursor and the mouse are restored for the shell.
    fn assert_terminal_restored(&self) {
        let begun = Instant::now();
        let given_back = || {
            let screen = self.screen.lock().unwrap();
            let screen = screen.screen();
            !screen.alternate_screen()
                && !screen.hide_cursor()
                && screen.mouse_protocol_mode() == vt100::MouseProtocolMode::None
        };
        while !given_back() {
            assert!(
                begun.elapsed() < PATIENCE,
                "the terminal was not restored:\n{}",
                self.screen_text()
            );
            std::thread::sleep(Duration::from_millis(10));
        }
        let modes = self.master.get_termios().unwrap();
        let local = format!("{:?}", modes.local_flags);
        assert!(local.contains("ECHO") && local.contains("ICANON"), "still raw: {local}");
    }
}

#[test]
fn a_suspended_program_restores_the_terminal_and_continues() {
    let folder = tempfile::tempdir().unwrap();
    let mut terminal = Terminal::begin_descent(folder.path(), &FLAGS);
    terminal.send_keys("\u{1a}");
    let begun = Instant::now();
    while !terminal.is_stopped() {
        assert!(begun.elapsed() < PATIENCE, "it was not suspended");
        std::thread::sleep(Duration::from_millis(10));
    }
    terminal.assert_terminal_restored();
    terminal.signal("-CONT");
    terminal.wait_for(": the entrance");
    assert!(terminal.screen.lock().unwrap().screen().alternate_screen());
    terminal.send_keys("?");
    terminal.wait_for("Keys that work now");
    // Ended by a signal while a page is open.
    terminal.signal("-TERM");
    drop(terminal.child.wait());
    terminal.assert_terminal_restored();
    terminal.wait_for("The run player-0001 is saved");
    // Nothing is lost.
    let mut again = Terminal::resume_descent(folder.path());
    again.send_keys("\u{3}");
    drop(again.child.wait());
    again.assert_terminal_restored();
}

/// A panic of ours must not cross Luau's frames: the program ends there, and the run can be
/// resumed.
#[test]
fn a_panic_in_a_host_function_ends_the_program_at_once_and_the_run_goes_on() {
    let folder = tempfile::tempdir().unwrap();
    let panicked = |title: &str| {
        let mut terminal =
            Terminal::open_with_fault(folder.path(), &FLAGS, "panic_in_a_host_function");
        terminal.wait_for(title);
        terminal.send_keys("1");
        terminal.wait_for("A host function panicked inside a script");
        assert!(!terminal.child.wait().unwrap().success());
        terminal.assert_terminal_restored();
    };
    panicked("A new descent");
    let mut again = Terminal::resume_descent(folder.path());
    again.send_keys("1");
    let past_the_entrance =
        |shown: &str| shown.contains("choose") && !shown.contains(": the entrance");
    again.wait_until("the first room", past_the_entrance);
    again.signal("-KILL");
    drop(again.child.wait());
    // Also where the steps of a run are replayed, inside the guard around mod code.
    panicked("Take up the candle again");
    let mut again = Terminal::open(folder.path(), &[]);
    again.wait_for("Take up the candle again");
    again.send_keys("1");
    again.wait_until("the first room", |shown| {
        past_the_entrance(shown) && !shown.contains("Take up the candle again")
    });
    again.send_keys("\u{3}");
    drop(again.child.wait());
}

#[test]
fn a_key_costs_little_output() {
    let folder = tempfile::tempdir().unwrap();
    let mut terminal = Terminal::begin_descent(folder.path(), &FLAGS);
    terminal.resize(120, 40);
    terminal.wait_for(": the entrance");
    let mut costs = Vec::new();
    let (moves, answers) =
        (["j", "j", "k", "j", "k", "k", "j"], ["2", "1", "1", "1", "2", "1", "1"]);
    for key in moves.into_iter().chain(answers) {
        std::thread::sleep(Duration::from_millis(200));
        let before = terminal.bytes.lock().unwrap().len();
        terminal.send_keys(key);
        std::thread::sleep(Duration::from_millis(400));
        costs.push(terminal.bytes.lock().unwrap().len() - before);
    }
    let median = |costs: &[usize]| {
        let mut sorted = costs.to_vec();
        sorted.sort_unstable();
        sorted[sorted.len() / 2]
    };
    let (moved, answered) = costs.split_at(moves.len());
    assert!(median(moved) < 512, "the bytes that moving costs: {moved:?}");
    // An answer changes most of the story, the sheet and the prompt.
    assert!(median(answered) < 8_192, "the bytes that answers cost: {answered:?}");
    terminal.send_keys("\u{3}");
    drop(terminal.child.wait());
}

/// While it waits for saved files it still reads keys.
#[test]
fn with_dev_keys_are_read_and_the_console_answers() {
    let folder = tempfile::tempdir().unwrap();
    let mut terminal =
        Terminal::begin_descent(folder.path(), &[&["--dev"], FLAGS.as_slice()].concat());
    terminal.send_keys(":");
    terminal.send_keys("state.hero.standing + 41\r");
    terminal.wait_for("42");
    terminal.send_keys("c");
    terminal.wait_for("Esc back");
    terminal.send_keys("\u{1b}");
    terminal.wait_for("choose");
    terminal.send_keys("\u{3}");
    drop(terminal.child.wait());
    terminal.assert_terminal_restored();
}

/// Two conflicting mods: the full screen offers to disable one of them.
#[test]
fn a_start_with_two_conflicting_mods_offers_to_disable_one() {
    let folder = tempfile::tempdir().unwrap();
    let mods = folder.path().join("mods");
    crate::conflicts::folders(&mods, &crate::support::manifest_needing("tide", &["game"]));
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
    terminal.wait_for("Start a new run");
    terminal.send_keys("\u{3}");
    drop(terminal.child.wait());
    terminal.assert_terminal_restored();
}
