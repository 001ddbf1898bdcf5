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
const PATIENCE: Duration = Duration::from_secs(60);

pub const MANIFEST: &str =
    "id = \"well\"\nname = \"Well\"\nversion = \"0.1.0\"\nengine = \"*\"\ngame = true\n";

pub const WELL: &str = r#"
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
    pub said: String,
    /// How much of the output was examined.
    heard: usize,
    pub folder: PathBuf,
    pub kept: Arc<tempfile::TempDir>,
}

impl LiveSession {
    /// Begins a run of the well game.
    pub fn open_well_game(arguments: &[&str]) -> Self {
        let kept = Arc::new(tempfile::tempdir().unwrap());
        let folder = kept.path().join("mods/well");
        fs::create_dir_all(folder.join("play")).unwrap();
        fs::write(folder.join("mod.toml"), MANIFEST).unwrap();
        fs::write(folder.join("play/well.luau"), WELL).unwrap();
        let mut table = Self::open(kept, arguments);
        table.wait_for("> ");
        table.answer("new");
        table.wait_for("How far down? 3 is there.");
        table
    }

    /// Starts the program on an existing folder.
    pub fn open(kept: Arc<tempfile::TempDir>, arguments: &[&str]) -> Self {
        let mut command = Command::new(env!("CARGO_BIN_EXE_sub-rosa"));
        command
            .args(["--plain", "--seed", "7", "--game", "well", "--mods"])
            .arg(kept.path().join("mods"))
            .arg("--data")
            .arg(kept.path().join("data"))
            .args(arguments);
        Self::spawn(kept, command)
    }

    /// Starts the program in a project's folder with only these arguments.
    pub fn open_project(kept: Arc<tempfile::TempDir>, arguments: &[String]) -> Self {
        let mut command = Command::new(env!("CARGO_BIN_EXE_sub-rosa"));
        command.args(arguments).env("XDG_DATA_HOME", kept.path().join("home"));
        Self::spawn(kept, command)
    }

    fn spawn(kept: Arc<tempfile::TempDir>, mut command: Command) -> Self {
        let folder = kept.path().join("mods/well");
        let mut child = command
            .current_dir(kept.path())
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .spawn()
            .unwrap();
        let mut stdout = child.stdout.take().unwrap();
        let (sender, output) = channel();
        std::thread::spawn(move || {
            let mut bytes = [0; 4096];
            while let Ok(count @ 1..) = stdout.read(&mut bytes) {
                for byte in &bytes[..count] {
                    let _ = sender.send(*byte);
                }
            }
        });
        let stdin = child.stdin.take().unwrap();
        let said = String::new();
        Self { child, stdin, output, said, heard: 0, folder, kept }
    }

    pub fn file(&self) -> PathBuf {
        self.folder.join("play/well.luau")
    }

    pub fn save(&self, text: &str) {
        fs::write(self.file(), text).unwrap();
    }

    pub fn answer(&mut self, line: &str) {
        writeln!(self.stdin, "{line}").unwrap();
        self.stdin.flush().unwrap();
    }

    /// Waits for a text in the output after all earlier matches.
    pub fn wait_for(&mut self, text: &str) -> String {
        let until = Instant::now() + PATIENCE;
        loop {
            if let Some(at) = self.said[self.heard..].find(text) {
                let from = self.heard;
                self.heard += at + text.len();
                return self.said[from..self.heard].to_owned();
            }
            let left = until.saturating_duration_since(Instant::now());
            let byte = self.output.recv_timeout(left);
            let Ok(byte) = byte else { panic!("never said {text:?}:\n{}", self.said) };
            // The games here write ASCII except for an arrow or two.
            let mut bytes = std::mem::take(&mut self.said).into_bytes();
            bytes.push(byte);
            while let Ok(byte) = self.output.try_recv() {
                bytes.push(byte);
            }
            while std::str::from_utf8(&bytes).is_err() {
                bytes.push(self.output.recv_timeout(PATIENCE).unwrap());
            }
            self.said = String::from_utf8(bytes).unwrap();
        }
    }

    /// Leaves the program and returns its whole output.
    pub fn leave(mut self) -> String {
        self.answer(":quit");
        self.wait_for("is saved");
        self.child.wait().unwrap();
        std::mem::take(&mut self.said)
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
    let aside = path.with_extension("luau~");
    fs::write(&aside, text).unwrap();
    fs::rename(&aside, path).unwrap();
}
