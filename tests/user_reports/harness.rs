//! Test harness: a folder with a small game, mods and a player's data, and the program run on it.

use std::fs;
use std::path::PathBuf;

use tempfile::TempDir;

use crate::cli::{program, run, text};
use crate::support::manifest_needing;

pub const LAB: &str =
    "id = \"lab\"\nname = \"Lab\"\nversion = \"0.1.0\"\nengine = \"*\"\ngame = true\n";
const PLAY: &str = r#"
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
    place: TempDir,
}

impl Workspace {
    pub fn new() -> Self {
        let lab = Self { place: TempDir::new().unwrap() };
        lab.write("mods/lab/mod.toml", LAB);
        lab.write("mods/lab/play.luau", PLAY);
        lab
    }

    pub fn at(&self, path: &str) -> PathBuf {
        self.place.path().join(path)
    }

    pub fn write(&self, path: &str, text: &str) {
        let path = self.at(path);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, text).unwrap();
    }

    /// Adds a mod with its script.
    pub fn add_mod(&self, id: &str, script: &str) {
        self.write(&format!("mods/{id}/mod.toml"), &manifest(id));
        self.write(&format!("mods/{id}/main.luau"), script);
    }

    /// The result of a command.
    pub fn command_output(&self, words: &[&str], typed: &str) -> (i32, String) {
        let (mods, data) = (self.at("mods"), self.at("data"));
        let places = ["--mods", &*mods.to_string_lossy(), "--data", &*data.to_string_lossy()]
            .map(str::to_owned);
        let mut all: Vec<&str> = words.to_vec();
        all.extend(places.iter().map(String::as_str));
        let output = run(program(&all), typed);
        let told = text(&output.stdout) + &text(&output.stderr);
        let told = told.replace(&self.place.path().display().to_string(), "LAB");
        (output.status.code().unwrap(), told)
    }

    /// The output of a game in the plain front end.
    pub fn play(&self, more: &[&str], typed: &str) -> (i32, String) {
        let fixed = ["play", "--plain", "--game", "lab", "--seed", "1"];
        self.command_output(&[&fixed[..], more].concat(), typed)
    }
}

/// The manifest of a mod.
pub fn manifest(id: &str) -> String {
    manifest_needing(id, &["lab"])
}
