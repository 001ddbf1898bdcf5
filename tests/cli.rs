//! The real program with a tiny game of its own, run by a person or through a pipe.

use std::fs;
use std::io::{Read, Write};
use std::path::Path;
use std::process::{Command, Output, Stdio};
use std::sync::{Arc, Mutex};

pub const GAMES: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/games/ferry");

pub fn program(arguments: &[&str]) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_sub-rosa"));
    command.args(arguments).current_dir(std::env::temp_dir()).env_remove("TERM");
    command
}

pub fn ferry(arguments: &[&str]) -> Command {
    let mut command = program(&["--mods", GAMES, "--game", "ferry"]);
    command.args(arguments);
    command
}

pub fn run(mut command: Command, typed: &str) -> Output {
    let piped = command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
    let mut child = piped.spawn().unwrap();
    // The program may end before it has read all input.
    let _ = child.stdin.take().unwrap().write_all(typed.as_bytes());
    child.wait_with_output().unwrap()
}

pub fn text(bytes: &[u8]) -> String {
    String::from_utf8(bytes.to_vec()).unwrap()
}

fn script(folder: &Path, lines: &str) -> String {
    let path = folder.join("script.txt");
    fs::write(&path, lines).unwrap();
    path.to_string_lossy().into_owned()
}

const CROSSING: &str =
    "# out and over\ntides\nnew\nskiff\n1, letters\nAnn\nbreak\nrow\nbreak\nrow\n";

#[test]
fn a_script_is_played_to_its_end_the_same_every_time() {
    let folder = tempfile::tempdir().unwrap();
    let script = script(folder.path(), &format!("{CROSSING}quit\n"));
    let play = || run(ferry(&["--seed", "7", "--script", &script]), "");
    let first = play();
    assert_eq!(text(&first.stderr), "");
    assert!(first.status.success(), "{}", text(&first.stdout));
    assert_eq!(text(&first.stdout), text(&play().stdout));
    insta::assert_snapshot!(text(&first.stdout));
}

#[test]
fn a_line_that_answers_nothing_stops_a_script_with_its_place() {
    let folder = tempfile::tempdir().unwrap();
    let path = script(folder.path(), "new\nraft\n");
    let output = run(ferry(&["--seed", "7", "--script", &path]), "");
    assert_eq!(output.status.code(), Some(1));
    insta::assert_snapshot!(text(&output.stderr).replace(&path, "script.txt"));
}

#[test]
fn what_is_not_there_is_a_mistake_of_the_command_line() {
    let folder = tempfile::tempdir().unwrap();
    let data = folder.path().to_string_lossy().into_owned();
    let mut told = String::new();
    for arguments in [
        &["--set", "baot=skiff"][..],
        &["--set", "boat=raft"],
        &["--set", "boat"],
        &["--with", "nothing"],
        &["--script", "/no/such/file"],
    ] {
        let output = run(ferry(&[&["--data", &data], arguments].concat()), "");
        assert_eq!(output.status.code(), Some(2), "{arguments:?}: {}", text(&output.stderr));
        told.push_str(&format!("== {}\n{}\n", arguments.join(" "), text(&output.stderr)));
    }
    let output = run(program(&["--data", &data, "--game", "chess"]), "");
    assert_eq!(output.status.code(), Some(2));
    insta::assert_snapshot!(told);
}

#[test]
fn the_end_of_the_input_saves_and_says_how_to_go_on() {
    let folder = tempfile::tempdir().unwrap();
    let data = folder.path().to_string_lossy().into_owned();
    let first = run(ferry(&["--data", &data, "--seed", "7"]), "new\nskiff\n1\nAnn\nrow\n");
    assert!(first.status.success());
    let said = text(&first.stdout).replace(&data, "DATA").replace(GAMES, "GAMES");
    let last: Vec<&str> = said.lines().rev().take(2).collect();
    insta::assert_snapshot!(last.into_iter().rev().collect::<Vec<_>>().join("\n"));

    let told: Vec<String> = text(&first.stdout).lines().map(str::to_owned).collect();
    let rolled = told.iter().find(|line| line.starts_with("* row")).unwrap();
    let second = run(ferry(&["--data", &data]), "resume\nlog\nswim\nquit\n");
    let again = text(&second.stdout);
    assert!(second.status.success());
    assert_eq!(again.matches(rolled.as_str()).count(), 2, "shown again and in the log:\n{again}");
    assert!(again.contains("The run is over: drowned."), "{again}");
    let third = run(ferry(&["--data", &data]), "");
    assert!(text(&third.stdout).contains("1. Untie the boat"), "{}", text(&third.stdout));
}

#[test]
fn a_program_that_is_killed_loses_nothing_that_was_shown() {
    let folder = tempfile::tempdir().unwrap();
    let data = folder.path().to_string_lossy().into_owned();
    let mut command = ferry(&["--data", &data, "--seed", "7", "--set", "oil=9"]);
    command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::null());
    let mut child = command.spawn().unwrap();
    let mut stdin = child.stdin.take().unwrap();
    stdin.write_all(b"new\nbarge\nnone\n\nrow\nrow\n").unwrap();
    stdin.flush().unwrap();
    let mut stdout = child.stdout.take().unwrap();
    let mut shown = Vec::new();
    let mut buffer = [0; 512];
    let child = Arc::new(Mutex::new(child));
    let watched = Arc::clone(&child);
    std::thread::spawn(move || {
        // A program that never prints the expected text must not block the tests for ever.
        std::thread::sleep(std::time::Duration::from_secs(60));
        drop(watched.lock().unwrap().kill());
    });
    while text(&shown).matches("strokes from the slip").count() < 2 {
        let count = stdout.read(&mut buffer).unwrap();
        assert!(count > 0, "the program ended early: {}", text(&shown));
        shown.extend_from_slice(&buffer[..count]);
    }
    child.lock().unwrap().kill().unwrap();
    child.lock().unwrap().wait().unwrap();
    let again = text(&run(ferry(&["--data", &data]), "resume\n").stdout);
    for line in text(&shown).lines().filter(|line| line.starts_with(['*', '-', '+'])) {
        assert!(line.contains("The Last Ferry") || again.contains(line), "{line}\n{again}");
    }
}

#[test]
fn a_run_that_is_given_up_has_failed() {
    let folder = tempfile::tempdir().unwrap();
    let data = folder.path().to_string_lossy().into_owned();
    let typed = "new\nskiff\n1\nAnn\nrow\nleave\nabandon\nkeep\nabandon\nabandon\nprofile\nquit\n";
    let output = run(ferry(&["--data", &data, "--seed", "7"]), typed);
    assert!(output.status.success());
    insta::assert_snapshot!(crate::support::mask_dates(&text(&output.stdout)));
}

#[test]
fn a_game_that_cannot_be_loaded_is_a_problem_with_an_address() {
    let folder = tempfile::tempdir().unwrap();
    let game = folder.path().join("game");
    fs::create_dir_all(&game).unwrap();
    let manifest =
        "id = \"torn\"\nname = \"Torn\"\nversion = \"0.1.0\"\nengine = \"0.1\"\ngame = true\n";
    fs::write(game.join("mod.toml"), manifest).unwrap();
    fs::write(game.join("torn.luau"), "start(function(\n").unwrap();
    let data = folder.path().join("data").to_string_lossy().into_owned();
    let game = game.to_string_lossy().into_owned();
    let output = run(program(&["--mods", &game, "--game", "torn", "--data", &data]), "");
    assert_eq!(output.status.code(), Some(1));
    let told = text(&output.stdout);
    assert!(told.contains("torn/torn.luau:"), "{told}");
    assert!(told.contains("Try again"), "{told}");
}

#[test]
fn a_reader_that_goes_away_is_no_mistake() {
    let mut command = ferry(&["--seed", "7", "--script", "/dev/stdin"]);
    command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
    let mut child = command.spawn().unwrap();
    drop(child.stdout.take());
    let _ = child.stdin.take().unwrap().write_all(CROSSING.as_bytes());
    let output = child.wait_with_output().unwrap();
    assert_eq!(output.status.code(), Some(0), "{}", text(&output.stderr));
    assert_eq!(text(&output.stderr), "");
}

#[test]
fn the_help_says_how_it_is_used() {
    let output = run(program(&["--help"]), "");
    assert!(output.status.success());
    insta::assert_snapshot!(text(&output.stdout));
}
