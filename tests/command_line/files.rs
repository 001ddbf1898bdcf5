//! The program reads the file that was named: journals in any folder, scripts, parts of
//! simulations.

use std::fs;
use std::path::Path;
use std::process::Output;

use crate::cli::{ferry, run, text};

/// The first steps of a run.
const CROSSING: &str = "new\nskiff\n1, letters\nAnn\nrow\nrow\n";

fn path(path: &Path) -> String {
    path.to_string_lossy().into_owned()
}

/// Plays in a data folder.
fn play(data: &Path, seed: &str, typed: &str) {
    let output = run(ferry(&["--plain", "--data", &path(data), "--seed", seed]), typed);
    assert!(output.status.success(), "{}", text(&output.stderr));
}

fn replay(data: &Path, arguments: &[&str]) -> Output {
    run(ferry_replay(data, arguments), "quit\n")
}

fn ferry_replay(data: &Path, arguments: &[&str]) -> std::process::Command {
    let mut command = crate::cli::program(&["replay", "--mods", crate::cli::GAMES]);
    command.args(["--data", &path(data), "--plain"]).args(arguments);
    command
}

#[test]
fn a_journal_that_is_named_is_verified_and_drawn_whatever_its_folder_is_called() {
    let folder = tempfile::tempdir().unwrap();
    let [mine, friend] = ["mine", "friend"].map(|name| folder.path().join(name));
    play(&mine, "1", "new\nskiff\n1\nMine\n");
    play(&friend, "2", CROSSING);
    let journal = fs::read(friend.join("runs/player-0001/journal.jsonl")).unwrap();
    // The friend's run lies in a folder with the id of one of our runs, in another folder, and
    // under another name.
    for name in ["player-0001/journal.jsonl", "downloads/journal.jsonl", "downloads/a run.txt"] {
        let copy = folder.path().join("copies").join(name);
        fs::create_dir_all(copy.parent().unwrap()).unwrap();
        fs::write(&copy, &journal).unwrap();
        let copy = path(&copy);
        let output = replay(&mine, &[&copy, "--verify"]);
        let said = text(&output.stdout);
        assert!(output.status.success(), "{name}: {}", text(&output.stderr));
        assert!(
            said.contains(&format!("{copy}: 4 steps verified, no difference")),
            "{name}: {said}"
        );
        let drawn = folder.path().join("drawn.svg");
        let output = replay(&mine, &[&copy, "--picture", &path(&drawn)]);
        assert!(output.status.success(), "{name}: {}", text(&output.stderr));
        // The seed on the page identifies the run.
        assert!(fs::read_to_string(&drawn).unwrap().contains("--seed 2"), "{name}");
        let watched = replay(&mine, &[&copy]);
        assert!(text(&watched.stdout).contains("of 4."), "{name}: {}", text(&watched.stdout));
        // Also in an empty data folder.
        let fresh = folder.path().join("fresh");
        let output = replay(&fresh, &[&copy, "--verify"]);
        assert!(output.status.success(), "{name}: {}", text(&output.stderr));
        fs::write(&copy, "not a journal at all\n").unwrap();
        for flag in [&["--verify"][..], &["--picture", &path(&drawn)], &[]] {
            let output = replay(&mine, &[&[&*copy], flag].concat());
            assert_eq!(output.status.code(), Some(1), "{name} {flag:?}: {}", text(&output.stdout));
            assert!(text(&output.stderr).contains("error["), "{}", text(&output.stderr));
        }
    }
}

#[test]
fn a_folder_of_a_run_stands_for_its_journal_and_what_is_not_there_is_said() {
    let folder = tempfile::tempdir().unwrap();
    let data = folder.path().join("data");
    play(&data, "1", CROSSING);
    let runs = data.join("runs/player-0001");
    let output = replay(&data, &[&path(&runs), "--verify"]);
    assert!(output.status.success(), "{}", text(&output.stderr));
    let output = replay(&data, &["player-0001", "--verify"]);
    assert_eq!(text(&output.stdout), "player-0001: 4 steps verified, no difference\n");
    // A last line that is incomplete is told, and what comes before it is verified.
    let torn = folder.path().join("torn.jsonl");
    let whole = fs::read(runs.join("journal.jsonl")).unwrap();
    let zeros = [&whole[..], &[0; 5_000]].concat();
    for (bytes, steps) in [(&zeros[..], "4 steps"), (&whole[..whole.len() - 9], "3 steps")] {
        fs::write(&torn, bytes).unwrap();
        let output = replay(&data, &[&path(&torn), "--verify"]);
        let (said, told) = (text(&output.stdout), text(&output.stderr));
        assert!(output.status.success() && told.contains("warning[torn-line]"), "{told}");
        assert!(said.contains(&format!("{steps} verified, no difference")), "{said}");
    }
    // A picture never overwrites the journal that it is drawn from.
    let journal = path(&runs.join("journal.jsonl"));
    let before = fs::read(&journal).unwrap();
    let output = replay(&data, &[&journal, "--picture", &journal]);
    assert_eq!(output.status.code(), Some(1));
    assert_eq!(fs::read(&journal).unwrap(), before);
    for (named, code) in [
        ("runs/player-0001", 2),
        ("player-0009", 1),
        ("Player-0001", 2),
        (&*path(&data.join("runs")), 2),
        ("", 1),
    ] {
        for flag in [&["--verify"][..], &["--picture", "drawn.svg"], &[]] {
            let output = replay(&data, &[&[named], flag].concat());
            let said = text(&output.stderr);
            assert_eq!(output.status.code(), Some(code), "{named:?} {flag:?}: {said}");
            assert!(said.contains("error["), "{said}");
        }
    }
}

#[test]
fn a_run_whose_folder_was_renamed_is_told() {
    let folder = tempfile::tempdir().unwrap();
    let data = folder.path().join("data");
    play(&data, "1", CROSSING);
    let runs = data.join("runs");
    fs::rename(runs.join("player-0001"), runs.join("my best run")).unwrap();
    fs::create_dir(runs.join("lost+found")).unwrap();
    let start = || text(&run(ferry(&["--plain", "--data", &path(&data)]), "quit\n").stdout);
    let said = start();
    assert!(said.contains("warning[run-renamed]"), "{said}");
    assert!(said.contains("rename the folder to \"player-0001\""), "{said}");
    fs::rename(runs.join("my best run"), runs.join("nobody-0001")).unwrap();
    assert!(start().contains("the folder \"nobody-0001\" contains the run \"player-0001\""));
    fs::rename(runs.join("nobody-0001"), runs.join("player-0001")).unwrap();
    assert!(!start().contains("run-renamed"));
    crate::support::copy(&runs.join("player-0001"), &runs.join("player-0001 (copy)"));
    let said = start();
    assert!(said.contains("move this copy out of runs/"), "{said}");
}

#[test]
fn a_byte_order_mark_at_the_start_of_answers_is_no_part_of_them() {
    let folder = tempfile::tempdir().unwrap();
    let script = folder.path().join("script.txt");
    let typed = "\u{feff}new\r\nskiff\r\n1\r\nAnn\r\nquit\r\n";
    fs::write(&script, typed).unwrap();
    let output = run(ferry(&["--seed", "7", "--script", &path(&script)]), "");
    assert!(output.status.success(), "{}", text(&output.stderr));
    for dev in [&[][..], &["--dev"]] {
        let data = path(&folder.path().join(format!("data{}", dev.len())));
        let output = run(ferry(&[&["--plain", "--data", &data], dev].concat()), typed);
        let said = text(&output.stdout);
        assert!(output.status.success() && !said.contains("is not one of"), "{said}");
    }
    // Further in the text it is a character like any other.
    fs::write(&script, "new\nskiff\n\u{feff}1\n").unwrap();
    let output = run(ferry(&["--seed", "7", "--script", &path(&script)]), "");
    assert_eq!(output.status.code(), Some(1));
    let output = run(ferry(&["--script", &path(folder.path())]), "");
    assert_eq!(output.status.code(), Some(2));
    assert!(text(&output.stderr).contains("it is a folder"), "{}", text(&output.stderr));
}

#[test]
fn parts_of_a_simulation_may_have_passed_through_a_shell_of_windows() {
    let folder = tempfile::tempdir().unwrap();
    let simulate = |arguments: &[&str]| {
        let mut command = crate::cli::program(&["simulate", "--mods", crate::cli::GAMES]);
        command.args(["--game", "ferry", "--data", &path(&folder.path().join("data"))]);
        command.args(["--set", "boat=skiff"]).args(arguments);
        run(command, "")
    };
    let part = text(&simulate(&["--runs", "2", "--shard", "1/1"]).stdout);
    assert!(part.starts_with('{'), "{part}");
    let file = folder.path().join("part.jsonl");
    fs::write(&file, format!("\u{feff}{}", part.replace('\n', "\r\n"))).unwrap();
    // Whether the runs succeeded is another question.
    let said = text(&simulate(&["--merge", &path(&file)]).stdout);
    assert!(said.starts_with("2 runs by random"), "{said}");
    let wide: Vec<u8> = "\u{feff}{}".encode_utf16().flat_map(u16::to_le_bytes).collect();
    fs::write(&file, wide).unwrap();
    let output = simulate(&["--merge", &path(&file)]);
    assert!(!output.status.success());
    let said = text(&output.stdout) + &text(&output.stderr);
    assert!(said.contains("it is UTF-16"), "{said}");
}
