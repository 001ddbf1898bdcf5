//! Test harness: the real program on a real folder, with typed lines and saved files.

// Real files and programs need a timeout.
#![allow(clippy::disallowed_methods)]

use std::fs;
use std::io::{Read, Write};
use std::path::{Path, PathBuf};
use std::process::{Child, ChildStdin, Command, Stdio};
use std::sync::Arc;
use std::sync::mpsc::{Receiver, channel};
use std::time::{Duration, Instant};

/// Longer than any reload on a busy machine.
const OUTPUT_TIMEOUT: Duration = Duration::from_secs(60);

pub const WELL_MANIFEST: &str =
    "id = \"well\"\nname = \"Well\"\nversion = \"0.1.0\"\nengine = \"*\"\ngame = true\n";

pub const WELL_GAME: &str = r#"
kind "rope" { length = field.int { min = 1, max = 90 } }
rope "old" { length = 3 }
start(function()
  state.drawn = 0
  go "rim"
end)
scene "rim" {
  prompt = function()
    return { text = "How far down? {n} is there.", values = { n = rope.old.length }, choices = {
      { id = "draw", label = "Draw" },
      { id = "stop", label = "Stop" },
    } }
  end,
  on = {
    draw = function()
      state.drawn += rope.old.length
      say("You have drawn {n}.", { n = state.drawn })
    end,
    stop = function() finish { outcome = "dry" } end,
  },
}
schema "drawn"(field.int)
"#;

/// The program, a folder with one game, and its output so far.
pub struct LiveSession {
    child: Child,
    stdin: ChildStdin,
    output: Receiver<u8>,
    pub output_text: String,
    /// How much of the output was examined.
    examined_length: usize,
    pub folder: PathBuf,
    pub base_folder: Arc<tempfile::TempDir>,
}

impl LiveSession {
    /// Begins a run of the well game.
    pub fn open_well_game(arguments: &[&str]) -> Self {
        let temp_folder = Arc::new(tempfile::tempdir().unwrap());
        let folder = temp_folder.path().join("mods/well");
        fs::create_dir_all(folder.join("play")).unwrap();
        fs::write(folder.join("mod.toml"), WELL_MANIFEST).unwrap();
        fs::write(folder.join("play/well.luau"), WELL_GAME).unwrap();
        let mut table = Self::open(temp_folder, arguments);
        table.wait_for("> ");
        table.type_line("new");
        table.wait_for("How far down? 3 is there.");
        table
    }

    /// Starts the program on an existing folder.
    pub fn open(temp_folder: Arc<tempfile::TempDir>, arguments: &[&str]) -> Self {
        let mut command = Command::new(env!("CARGO_BIN_EXE_sub-rosa"));
        command
            .args(["--plain", "--seed", "7", "--game", "well", "--mods"])
            .arg(temp_folder.path().join("mods"))
            .arg("--data")
            .arg(temp_folder.path().join("data"))
            .args(arguments);
        Self::spawn(temp_folder, command)
    }

    /// Starts the program in a project's folder with only these arguments.
    pub fn start_in_project_folder(
        temp_folder: Arc<tempfile::TempDir>,
        arguments: &[String],
    ) -> Self {
        let mut command = Command::new(env!("CARGO_BIN_EXE_sub-rosa"));
        command.args(arguments).env("XDG_DATA_HOME", temp_folder.path().join("home"));
        Self::spawn(temp_folder, command)
    }

    fn spawn(temp_folder: Arc<tempfile::TempDir>, mut command: Command) -> Self {
        let folder = temp_folder.path().join("mods/well");
        let mut child = command
            .current_dir(temp_folder.path())
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .spawn()
            .unwrap();
        let mut stdout = child.stdout.take().unwrap();
        let (sender, output) = channel();
        std::thread::spawn(move || {
            let mut buffer = [0; 4096];
            while let Ok(count @ 1..) = stdout.read(&mut buffer) {
                for byte in &buffer[..count] {
                    let _ = sender.send(*byte);
                }
            }
        });
        let stdin = child.stdin.take().unwrap();
        let text_output = String::new();
        Self {
            child,
            stdin,
            output,
            output_text: text_output,
            examined_length: 0,
            folder,
            base_folder: temp_folder,
        }
    }

    pub fn script_path(&self) -> PathBuf {
        self.folder.join("play/well.luau")
    }

    pub fn save_script(&self, text: &str) {
        fs::write(self.script_path(), text).unwrap();
    }

    pub fn type_line(&mut self, line: &str) {
        writeln!(self.stdin, "{line}").unwrap();
        self.stdin.flush().unwrap();
    }

    /// Waits for a text in the output after all earlier matches.
    pub fn wait_for(&mut self, text: &str) -> String {
        let deadline = Instant::now() + OUTPUT_TIMEOUT;
        loop {
            if let Some(position) = self.output_text[self.examined_length..].find(text) {
                let match_start = self.examined_length;
                self.examined_length += position + text.len();
                return self.output_text[match_start..self.examined_length].to_owned();
            }
            let remaining = deadline.saturating_duration_since(Instant::now());
            let byte = self.output.recv_timeout(remaining);
            let Ok(byte) = byte else { panic!("never said {text:?}:\n{}", self.output_text) };
            // The games here write ASCII except for an arrow or two.
            let mut bytes = std::mem::take(&mut self.output_text).into_bytes();
            bytes.push(byte);
            while let Ok(byte) = self.output.try_recv() {
                bytes.push(byte);
            }
            while std::str::from_utf8(&bytes).is_err() {
                bytes.push(self.output.recv_timeout(OUTPUT_TIMEOUT).unwrap());
            }
            self.output_text = String::from_utf8(bytes).unwrap();
        }
    }

    /// Leaves the program and returns its whole output.
    pub fn quit(mut self) -> String {
        self.type_line(":quit");
        self.wait_for("is saved");
        self.child.wait().unwrap();
        std::mem::take(&mut self.output_text)
    }
}

impl Drop for LiveSession {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

/// Writes a file beside another and renames it over that, as many editors do.
pub fn save_by_renaming(path: &Path, text: &str) {
    let temporary_path = path.with_extension("luau~");
    fs::write(&temporary_path, text).unwrap();
    fs::rename(&temporary_path, path).unwrap();
}
