//! The program reads the file that was named: journals in any folder, scripts, parts of
//! simulations.

use std::fs;
use std::path::Path;
use std::process::Output;

use crate::cli::{ferry_command, run_with_input, utf8_text};

/// The first steps of a run.
const CROSSING_ANSWERS: &str = "new\nskiff\n1, letters\nAnn\nrow\nrow\n";

fn path_text(path: &Path) -> String {
    path.to_string_lossy().into_owned()
}

/// Plays in a data folder.
fn play_run(data: &Path, seed: &str, input: &str) {
    let output = run_with_input(
        ferry_command(&["--plain", "--data", &path_text(data), "--seed", seed]),
        input,
    );
    assert!(output.status.success(), "{}", utf8_text(&output.stderr));
}

fn run_replay(data: &Path, arguments: &[&str]) -> Output {
    run_with_input(replay_command(data, arguments), "quit\n")
}

fn replay_command(data: &Path, arguments: &[&str]) -> std::process::Command {
    let mut command = crate::cli::program_command(&["replay", "--mods", crate::cli::FERRY_FOLDER]);
    command.args(["--data", &path_text(data), "--plain"]).args(arguments);
    command
}

#[test]
fn replay_accepts_a_journal_path_in_any_folder() {
    let folder = tempfile::tempdir().unwrap();
    let [my_data, friend_data] = ["mine", "friend"].map(|name| folder.path().join(name));
    play_run(&my_data, "1", "new\nskiff\n1\nMine\n");
    play_run(&friend_data, "2", CROSSING_ANSWERS);
    let journal = fs::read(friend_data.join("runs/player-0001/journal.jsonl")).unwrap();
    // The friend's run lies in a folder with the id of one of our runs, in another folder, and
    // under another name.
    for name in ["player-0001/journal.jsonl", "downloads/journal.jsonl", "downloads/a run.txt"] {
        let copy = folder.path().join("copies").join(name);
        fs::create_dir_all(copy.parent().unwrap()).unwrap();
        fs::write(&copy, &journal).unwrap();
        let copy = path_text(&copy);
        let output = run_replay(&my_data, &[&copy, "--verify"]);
        let stdout = utf8_text(&output.stdout);
        assert!(output.status.success(), "{name}: {}", utf8_text(&output.stderr));
        assert!(
            stdout.contains(&format!("{copy}: 4 steps verified, no difference")),
            "{name}: {stdout}"
        );
        let picture_path = folder.path().join("drawn.svg");
        let output = run_replay(&my_data, &[&copy, "--picture", &path_text(&picture_path)]);
        assert!(output.status.success(), "{name}: {}", utf8_text(&output.stderr));
        // The seed on the page identifies the run.
        assert!(fs::read_to_string(&picture_path).unwrap().contains("--seed 2"), "{name}");
        let replay_output = run_replay(&my_data, &[&copy]);
        assert!(
            utf8_text(&replay_output.stdout).contains("of 4."),
            "{name}: {}",
            utf8_text(&replay_output.stdout)
        );
        // Also in an empty data folder.
        let empty_data = folder.path().join("fresh");
        let output = run_replay(&empty_data, &[&copy, "--verify"]);
        assert!(output.status.success(), "{name}: {}", utf8_text(&output.stderr));
        fs::write(&copy, "not a journal at all\n").unwrap();
        for flag in [&["--verify"][..], &["--picture", &path_text(&picture_path)], &[]] {
            let output = run_replay(&my_data, &[&[&*copy], flag].concat());
            assert_eq!(
                output.status.code(),
                Some(1),
                "{name} {flag:?}: {}",
                utf8_text(&output.stdout)
            );
            assert!(utf8_text(&output.stderr).contains("error["), "{}", utf8_text(&output.stderr));
        }
    }
}

#[test]
fn replay_accepts_a_run_folder_and_reports_missing_runs() {
    let folder = tempfile::tempdir().unwrap();
    let data = folder.path().join("data");
    play_run(&data, "1", CROSSING_ANSWERS);
    let runs = data.join("runs/player-0001");
    let output = run_replay(&data, &[&path_text(&runs), "--verify"]);
    assert!(output.status.success(), "{}", utf8_text(&output.stderr));
    let output = run_replay(&data, &["player-0001", "--verify"]);
    assert_eq!(utf8_text(&output.stdout), "player-0001: 4 steps verified, no difference\n");
    // A last line that is incomplete is told, and what comes before it is verified.
    let torn_path = folder.path().join("torn.jsonl");
    let journal_bytes = fs::read(runs.join("journal.jsonl")).unwrap();
    let zero_padded = [&journal_bytes[..], &[0; 5_000]].concat();
    for (bytes, steps) in
        [(&zero_padded[..], "4 steps"), (&journal_bytes[..journal_bytes.len() - 9], "3 steps")]
    {
        fs::write(&torn_path, bytes).unwrap();
        let output = run_replay(&data, &[&path_text(&torn_path), "--verify"]);
        let (stdout, stderr) = (utf8_text(&output.stdout), utf8_text(&output.stderr));
        assert!(output.status.success() && stderr.contains("warning[torn-line]"), "{stderr}");
        assert!(stdout.contains(&format!("{steps} verified, no difference")), "{stdout}");
    }
    // A picture never overwrites the journal that it is drawn from.
    let journal = path_text(&runs.join("journal.jsonl"));
    let journal_before = fs::read(&journal).unwrap();
    let output = run_replay(&data, &[&journal, "--picture", &journal]);
    assert_eq!(output.status.code(), Some(1));
    assert_eq!(fs::read(&journal).unwrap(), journal_before);
    for (run_argument, code) in [
        ("runs/player-0001", 2),
        ("player-0009", 2),
        ("Player-0001", 2),
        (&*path_text(&data.join("runs")), 2),
        ("", 2),
    ] {
        for flag in [&["--verify"][..], &["--picture", "drawn.svg"], &[]] {
            let output = run_replay(&data, &[&[run_argument], flag].concat());
            let stderr = utf8_text(&output.stderr);
            assert_eq!(output.status.code(), Some(code), "{run_argument:?} {flag:?}: {stderr}");
            assert!(stderr.contains("error["), "{stderr}");
        }
    }
}

#[test]
fn a_run_folder_that_was_renamed_is_reported() {
    let folder = tempfile::tempdir().unwrap();
    let data = folder.path().join("data");
    play_run(&data, "1", CROSSING_ANSWERS);
    let runs = data.join("runs");
    fs::rename(runs.join("player-0001"), runs.join("my best run")).unwrap();
    fs::create_dir(runs.join("lost+found")).unwrap();
    let start_program = || {
        utf8_text(
            &run_with_input(ferry_command(&["--plain", "--data", &path_text(&data)]), "quit\n")
                .stdout,
        )
    };
    let start_output = start_program();
    assert!(start_output.contains("warning[run-renamed]"), "{start_output}");
    assert!(start_output.contains("rename the folder to \"player-0001\""), "{start_output}");
    fs::rename(runs.join("my best run"), runs.join("nobody-0001")).unwrap();
    assert!(
        start_program().contains("the folder \"nobody-0001\" contains the run \"player-0001\"")
    );
    fs::rename(runs.join("nobody-0001"), runs.join("player-0001")).unwrap();
    assert!(!start_program().contains("run-renamed"));
    crate::support::copy_folder(&runs.join("player-0001"), &runs.join("player-0001 (copy)"));
    let start_output = start_program();
    assert!(start_output.contains("move this copy out of runs/"), "{start_output}");
}

#[test]
fn a_byte_order_mark_before_answers_is_ignored() {
    let folder = tempfile::tempdir().unwrap();
    let script = folder.path().join("script.txt");
    let input = "\u{feff}new\r\nskiff\r\n1\r\nAnn\r\nquit\r\n";
    fs::write(&script, input).unwrap();
    let output =
        run_with_input(ferry_command(&["--seed", "7", "--script", &path_text(&script)]), "");
    assert!(output.status.success(), "{}", utf8_text(&output.stderr));
    for dev in [&[][..], &["--dev"]] {
        let data = path_text(&folder.path().join(format!("data{}", dev.len())));
        let output =
            run_with_input(ferry_command(&[&["--plain", "--data", &data], dev].concat()), input);
        let stdout = utf8_text(&output.stdout);
        assert!(output.status.success() && !stdout.contains("is not one of"), "{stdout}");
    }
    // Later in the file, U+FEFF is an ordinary character.
    fs::write(&script, "new\nskiff\n\u{feff}1\n").unwrap();
    let output =
        run_with_input(ferry_command(&["--seed", "7", "--script", &path_text(&script)]), "");
    assert_eq!(output.status.code(), Some(1));
    let output = run_with_input(ferry_command(&["--script", &path_text(folder.path())]), "");
    assert_eq!(output.status.code(), Some(2));
    assert!(utf8_text(&output.stderr).contains("it is a folder"), "{}", utf8_text(&output.stderr));
}

#[test]
fn simulation_shards_with_a_bom_and_crlf_can_be_merged() {
    let folder = tempfile::tempdir().unwrap();
    let simulate = |arguments: &[&str]| {
        let mut command =
            crate::cli::program_command(&["simulate", "--mods", crate::cli::FERRY_FOLDER]);
        command.args(["--game", "ferry", "--data", &path_text(&folder.path().join("data"))]);
        command.args(["--set", "boat=skiff"]).args(arguments);
        run_with_input(command, "")
    };
    let shard_text = utf8_text(&simulate(&["--runs", "2", "--shard", "1/1"]).stdout);
    assert!(shard_text.starts_with('{'), "{shard_text}");
    let file = folder.path().join("part.jsonl");
    fs::write(&file, format!("\u{feff}{}", shard_text.replace('\n', "\r\n"))).unwrap();
    // Whether the runs succeeded is another question.
    let merge_output = utf8_text(&simulate(&["--merge", &path_text(&file)]).stdout);
    assert!(merge_output.starts_with("2 runs by random"), "{merge_output}");
    let utf16_bytes: Vec<u8> = "\u{feff}{}".encode_utf16().flat_map(u16::to_le_bytes).collect();
    fs::write(&file, utf16_bytes).unwrap();
    let output = simulate(&["--merge", &path_text(&file)]);
    assert!(!output.status.success());
    let output_text = utf8_text(&output.stdout) + &utf8_text(&output.stderr);
    assert!(output_text.contains("it is UTF-16"), "{output_text}");
}

/// What makes a line no answer may be invisible, so it is named.
#[test]
fn invisible_marks_of_an_encoding_in_a_script_are_named() {
    let folder = tempfile::tempdir().unwrap();
    let script_path = folder.path().join("answers.txt");
    let utf16: Vec<u8> = "\u{feff}new\nskiff\n".encode_utf16().flat_map(u16::to_le_bytes).collect();
    for (bytes, expected) in [
        (&b"\xef\xbb\xbf\xef\xbb\xbfnew\n"[..], "a byte order mark (U+FEFF)"),
        (b"new\n\xef\xbb\xbfskiff\n", "a byte order mark (U+FEFF)"),
        (b"n\xebw\n", "not UTF-8"),
        (&utf16, "not UTF-8"),
        (b"nothing\n", ""),
    ] {
        fs::write(&script_path, bytes).unwrap();
        let output = run_with_input(ferry_command(&["--script", &path_text(&script_path)]), "");
        let stderr = utf8_text(&output.stderr);
        assert!(stderr.contains("error[bad-answer]") && stderr.contains(expected), "{stderr}");
        let is_named = stderr.contains("byte order mark") || stderr.contains("UTF-8");
        assert_eq!(is_named, !expected.is_empty(), "{stderr}");
    }
}
