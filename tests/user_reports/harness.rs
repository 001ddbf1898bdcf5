//! Test harness: a folder with a small game, mods and a player's data, and the program run on it.

use std::fs;
use std::path::PathBuf;

use tempfile::TempDir;

use crate::cli::{program_command, run_with_input, utf8_text};
use crate::support::manifest_needing;

pub const LAB_MANIFEST: &str =
    "id = \"lab\"\nname = \"Lab\"\nversion = \"0.1.0\"\nengine = \"*\"\ngame = true\n";
const LAB_SCRIPT: &str = r#"
kind "thing" { name = field.text, use = field.fn { optional = true } }
thing "cup" { name = "a cup" }
event "poked" { doc = "something is poked", n = field.int { doc = "count" } }
schema "n" (field.int { doc = "how often poked" })
start(function() state.n = 0; go "bench" end)
scene "bench" {
  prompt = function()
    return { text = "At the bench.", choices = {
      { id = "poke", label = "Poke" },
      { id = "out", label = "Leave the lab" },
    } }
  end,
  on = {
    poke = function() state.n += 1; emit("poked", { n = state.n }); say("poke {n}", { n = state.n }) end,
    out = function() finish { outcome = "out", worth = state.n } end,
  },
}
"#;

pub struct Workspace {
    folder: TempDir,
}

impl Workspace {
    pub fn new() -> Self {
        let workspace = Self { folder: TempDir::new().unwrap() };
        workspace.write("mods/lab/mod.toml", LAB_MANIFEST);
        workspace.write("mods/lab/play.luau", LAB_SCRIPT);
        workspace
    }

    pub fn path_of(&self, path: &str) -> PathBuf {
        self.folder.path().join(path)
    }

    pub fn write(&self, path: &str, text: &str) {
        let path = self.path_of(path);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, text).unwrap();
    }

    /// Adds a mod with its script.
    pub fn add_mod(&self, id: &str, script: &str) {
        self.write(&format!("mods/{id}/mod.toml"), &lab_mod_manifest(id));
        self.write(&format!("mods/{id}/main.luau"), script);
    }

    /// The result of a command.
    pub fn command_output(&self, words: &[&str], input: &str) -> (i32, String) {
        let (mods, data) = (self.path_of("mods"), self.path_of("data"));
        let folder_arguments =
            ["--mods", &*mods.to_string_lossy(), "--data", &*data.to_string_lossy()]
                .map(str::to_owned);
        let mut arguments: Vec<&str> = words.to_vec();
        arguments.extend(folder_arguments.iter().map(String::as_str));
        let output = run_with_input(program_command(&arguments), input);
        let output_text = utf8_text(&output.stdout) + &utf8_text(&output.stderr);
        let output_text = output_text.replace(&self.folder.path().display().to_string(), "LAB");
        (output.status.code().unwrap(), output_text)
    }

    /// The output of a game in the plain front end.
    pub fn play_in_plain_text(&self, extra_arguments: &[&str], input: &str) -> (i32, String) {
        let fixed_arguments = ["play", "--plain", "--game", "lab", "--seed", "1"];
        self.command_output(&[&fixed_arguments[..], extra_arguments].concat(), input)
    }
}

/// The manifest of a mod.
pub fn lab_mod_manifest(id: &str) -> String {
    manifest_needing(id, &["lab"])
}
