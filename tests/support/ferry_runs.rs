//! Runs of the ferry by messages, and the same answers as a script of the terminal.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use serde_json::{Value, json};

/// The arguments that choose the ferry.
pub const FERRY_ARGUMENTS: [&str; 4] =
    ["--game", "ferry", "--mods", concat!(env!("CARGO_MANIFEST_DIR"), "/tests/games/ferry")];

/// The simplest answer to a question of the ferry, and the same as a line of a script.
pub fn simplest_answer(prompt: &Value) -> (Value, String) {
    let ask = &prompt["ask"];
    if ask.get("many").is_some() {
        return (json!({"many": []}), "none".to_owned());
    }
    if ask.get("text").is_some() {
        return (json!({"text": "Ada"}), "Ada".to_owned());
    }
    let mut choices = prompt["choices"].as_array().unwrap().iter();
    let open = choices.find(|one| one.get("disabled_because").is_none()).unwrap();
    (json!({"choice": open["id"]}), open["label"].as_str().unwrap().to_owned())
}

/// Plays the ferry in the terminal, and returns what it prints.
pub fn play_ferry(folder: &Path, arguments: &[&str]) -> String {
    let output = Command::new(env!("CARGO_BIN_EXE_sub-rosa"))
        .args(["play", "--seed", "7", "--data"])
        .arg(folder)
        .args(FERRY_ARGUMENTS)
        .args(arguments)
        .stdin(Stdio::null())
        .output()
        .unwrap();
    String::from_utf8(output.stdout).unwrap()
}

/// Asserts that a new run of these answers has the journal of the run in a data folder, which the
/// terminal offers to continue. Returns the data folder of the new run.
pub fn assert_same_run_in_terminal(data_folder: &Path, answers: &[String]) -> tempfile::TempDir {
    let in_terminal = tempfile::tempdir().unwrap();
    let script = in_terminal.path().join("answers.txt");
    fs::write(&script, format!("1\n{}", answers.join("\n"))).unwrap();
    play_ferry(in_terminal.path(), &["--script", script.to_str().unwrap()]);
    assert_eq!(journal_entries(data_folder), journal_entries(in_terminal.path()));
    let output = play_ferry(data_folder, &["--plain"]);
    assert!(output.contains("Take the oars again"), "{output}");
    in_terminal
}

/// The entries of the only journal in a data folder, without the first, which has its time.
fn journal_entries(folder: &Path) -> Vec<Value> {
    let runs: Vec<PathBuf> =
        fs::read_dir(folder.join("runs")).unwrap().map(|run| run.unwrap().path()).collect();
    assert_eq!(runs.len(), 1);
    let text = fs::read_to_string(runs[0].join("journal.jsonl")).unwrap();
    let lines = text.lines().skip(1).map(|line| serde_json::from_str::<Value>(line).unwrap());
    lines.map(|mut line| line["entry"].take()).collect()
}
