//! The real program with a tiny game of its own, run by a person or through a pipe.

use std::fs;
use std::io::{Read, Write};
use std::path::Path;
use std::process::{Command, Output, Stdio};
use std::sync::{Arc, Mutex};

pub const FERRY_FOLDER: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/games/ferry");

pub fn program_command(arguments: &[&str]) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_sub-rosa"));
    command.args(arguments).current_dir(std::env::temp_dir()).env_remove("TERM");
    command
}

pub fn ferry_command(arguments: &[&str]) -> Command {
    let mut command = program_command(&["--mods", FERRY_FOLDER, "--game", "ferry"]);
    command.args(arguments);
    command
}

pub fn run_with_input(mut command: Command, input: &str) -> Output {
    let piped_command = command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
    let mut child = piped_command.spawn().unwrap();
    // The program may end before it has read all input.
    let _ = child.stdin.take().unwrap().write_all(input.as_bytes());
    child.wait_with_output().unwrap()
}

pub fn utf8_text(bytes: &[u8]) -> String {
    String::from_utf8(bytes.to_vec()).unwrap()
}

fn write_script(folder: &Path, lines: &str) -> String {
    let path = folder.join("script.txt");
    fs::write(&path, lines).unwrap();
    path.to_string_lossy().into_owned()
}

const CROSSING_ANSWERS: &str =
    "# out and over\ntides\nnew\nskiff\n1, letters\nAnn\nbreak\nrow\nbreak\nrow\n";

#[test]
fn a_script_is_played_to_its_end_the_same_every_time() {
    let folder = tempfile::tempdir().unwrap();
    let script = write_script(folder.path(), &format!("{CROSSING_ANSWERS}quit\n"));
    let play_script = || run_with_input(ferry_command(&["--seed", "7", "--script", &script]), "");
    let first_output = play_script();
    assert_eq!(utf8_text(&first_output.stderr), "");
    assert!(first_output.status.success(), "{}", utf8_text(&first_output.stdout));
    assert_eq!(utf8_text(&first_output.stdout), utf8_text(&play_script().stdout));
    insta::assert_snapshot!(utf8_text(&first_output.stdout));
}

#[test]
fn an_invalid_answer_in_a_script_is_reported_with_its_line() {
    let folder = tempfile::tempdir().unwrap();
    let path = write_script(folder.path(), "new\nraft\n");
    let output = run_with_input(ferry_command(&["--seed", "7", "--script", &path]), "");
    assert_eq!(output.status.code(), Some(1));
    insta::assert_snapshot!(utf8_text(&output.stderr).replace(&path, "script.txt"));
}

#[test]
fn unknown_names_on_the_command_line_are_usage_errors() {
    let folder = tempfile::tempdir().unwrap();
    let data = folder.path().to_string_lossy().into_owned();
    let mut all_errors = String::new();
    for arguments in [
        &["--set", "baot=skiff"][..],
        &["--set", "boat=raft"],
        &["--set", "boat"],
        &["--with", "nothing"],
        &["--script", "/no/such/file"],
    ] {
        let output = run_with_input(ferry_command(&[&["--data", &data], arguments].concat()), "");
        assert_eq!(output.status.code(), Some(2), "{arguments:?}: {}", utf8_text(&output.stderr));
        all_errors.push_str(&format!(
            "== {}\n{}\n",
            arguments.join(" "),
            utf8_text(&output.stderr)
        ));
    }
    let output = run_with_input(program_command(&["--data", &data, "--game", "chess"]), "");
    assert_eq!(output.status.code(), Some(2));
    insta::assert_snapshot!(all_errors);
}

#[test]
fn end_of_input_saves_the_run_and_prints_the_resume_command() {
    let folder = tempfile::tempdir().unwrap();
    let data = folder.path().to_string_lossy().into_owned();
    let first_output = run_with_input(
        ferry_command(&["--data", &data, "--seed", "7"]),
        "new\nskiff\n1\nAnn\nrow\n",
    );
    assert!(first_output.status.success());
    let stdout =
        utf8_text(&first_output.stdout).replace(&data, "DATA").replace(FERRY_FOLDER, "GAMES");
    let last_lines: Vec<&str> = stdout.lines().rev().take(2).collect();
    insta::assert_snapshot!(last_lines.into_iter().rev().collect::<Vec<_>>().join("\n"));

    let first_lines: Vec<String> =
        utf8_text(&first_output.stdout).lines().map(str::to_owned).collect();
    let roll_line = first_lines.iter().find(|line| line.starts_with("* row")).unwrap();
    let second_output =
        run_with_input(ferry_command(&["--data", &data]), "resume\nlog\nswim\nquit\n");
    let second_stdout = utf8_text(&second_output.stdout);
    assert!(second_output.status.success());
    assert_eq!(
        second_stdout.matches(roll_line.as_str()).count(),
        2,
        "shown again and in the log:\n{second_stdout}"
    );
    assert!(second_stdout.contains("The run is over: drowned."), "{second_stdout}");
    let third_output = run_with_input(ferry_command(&["--data", &data]), "");
    assert!(
        utf8_text(&third_output.stdout).contains("1. Untie the boat"),
        "{}",
        utf8_text(&third_output.stdout)
    );
}

#[test]
fn a_killed_program_loses_nothing_that_it_printed() {
    let folder = tempfile::tempdir().unwrap();
    let data = folder.path().to_string_lossy().into_owned();
    let mut command = ferry_command(&["--data", &data, "--seed", "7", "--set", "oil=9"]);
    command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::null());
    let mut child = command.spawn().unwrap();
    let mut stdin = child.stdin.take().unwrap();
    stdin.write_all(b"new\nbarge\nnone\n\nrow\nrow\n").unwrap();
    stdin.flush().unwrap();
    let mut stdout = child.stdout.take().unwrap();
    let mut printed_bytes = Vec::new();
    let mut buffer = [0; 512];
    let child = Arc::new(Mutex::new(child));
    let watched_child = Arc::clone(&child);
    std::thread::spawn(move || {
        // A program that never prints the expected text must not block the tests for ever.
        std::thread::sleep(std::time::Duration::from_secs(60));
        drop(watched_child.lock().unwrap().kill());
    });
    while utf8_text(&printed_bytes).matches("strokes from the slip").count() < 2 {
        let count = stdout.read(&mut buffer).unwrap();
        assert!(count > 0, "the program ended early: {}", utf8_text(&printed_bytes));
        printed_bytes.extend_from_slice(&buffer[..count]);
    }
    child.lock().unwrap().kill().unwrap();
    child.lock().unwrap().wait().unwrap();
    let second_stdout =
        utf8_text(&run_with_input(ferry_command(&["--data", &data]), "resume\n").stdout);
    for line in utf8_text(&printed_bytes).lines().filter(|line| line.starts_with(['*', '-', '+'])) {
        assert!(
            line.contains("The Last Ferry") || second_stdout.contains(line),
            "{line}\n{second_stdout}"
        );
    }
}

#[test]
fn an_abandoned_run_counts_as_failed() {
    let folder = tempfile::tempdir().unwrap();
    let data = folder.path().to_string_lossy().into_owned();
    let input = "new\nskiff\n1\nAnn\nrow\nleave\nabandon\nkeep\nabandon\nabandon\nprofile\nquit\n";
    let output = run_with_input(ferry_command(&["--data", &data, "--seed", "7"]), input);
    assert!(output.status.success());
    insta::assert_snapshot!(crate::support::mask_dates(&utf8_text(&output.stdout)));
}

#[test]
fn a_game_that_cannot_be_loaded_is_reported_with_its_location() {
    let folder = tempfile::tempdir().unwrap();
    let game = folder.path().join("game");
    fs::create_dir_all(&game).unwrap();
    let manifest =
        "id = \"torn\"\nname = \"Torn\"\nversion = \"0.1.0\"\nengine = \"0.1\"\ngame = true\n";
    fs::write(game.join("mod.toml"), manifest).unwrap();
    fs::write(game.join("torn.luau"), "start(function(\n").unwrap();
    let data = folder.path().join("data").to_string_lossy().into_owned();
    let game = game.to_string_lossy().into_owned();
    let output =
        run_with_input(program_command(&["--mods", &game, "--game", "torn", "--data", &data]), "");
    assert_eq!(output.status.code(), Some(1));
    let output_text = utf8_text(&output.stdout);
    assert!(output_text.contains("torn/torn.luau:"), "{output_text}");
    assert!(output_text.contains("Try again"), "{output_text}");
}

#[test]
fn a_closed_output_pipe_is_no_error() {
    let mut command = ferry_command(&["--seed", "7", "--script", "/dev/stdin"]);
    command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
    let mut child = command.spawn().unwrap();
    drop(child.stdout.take());
    let _ = child.stdin.take().unwrap().write_all(CROSSING_ANSWERS.as_bytes());
    let output = child.wait_with_output().unwrap();
    assert_eq!(output.status.code(), Some(0), "{}", utf8_text(&output.stderr));
    assert_eq!(utf8_text(&output.stderr), "");
}

#[test]
fn help_prints_the_usage() {
    let output = run_with_input(program_command(&["--help"]), "");
    assert!(output.status.success());
    insta::assert_snapshot!(utf8_text(&output.stdout));
}
