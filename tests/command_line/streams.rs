//! Diagnostics go to standard error with a matching exit status, and name what failed.

use std::fs;
use std::fs::File;
use std::process::{Output, Stdio};

use crate::cli::{GAMES, ferry, program, run, text};

fn said(output: &Output) -> (String, String) {
    (text(&output.stdout), text(&output.stderr))
}

#[test]
fn why_a_command_did_nothing_is_no_result() {
    let data = tempfile::tempdir().unwrap();
    let data = data.path().to_string_lossy().into_owned();
    let of_game = ["--mods", GAMES, "--game", "ferry", "--data", &data];
    for words in [
        "simulate --runs 2 --csv --bot nope",
        "simulate --merge nope.jsonl",
        "explore nope",
        "api --with nope",
        "why nope",
        "check nope",
        "test nope",
        "mutate nope",
        "mods on nope",
        "mods set nope a 1",
        "mods install nope.zip",
        "mods remove nope --yes",
        "mods pack nope",
        "new thing --template nope",
    ] {
        let words: Vec<&str> = words.split(' ').collect();
        let (out, wrong) = said(&run(program(&[&words[..], &of_game].concat()), ""));
        assert_eq!(out, "", "{words:?}");
        assert!(wrong.contains("error["), "{words:?}: {wrong}");
        // For a program it is the answer.
        let words: Vec<&str> = words.into_iter().filter(|word| *word != "--csv").collect();
        let output = run(program(&[&words[..], &of_game, &["--json"]].concat()), "");
        assert!(!output.status.success(), "{words:?}");
        let (out, wrong) = said(&output);
        assert_eq!(wrong, "", "{words:?}");
        assert!(serde_json::from_str::<serde_json::Value>(&out).is_ok(), "{words:?}: {out}");
    }
}

#[test]
fn a_game_that_cannot_start_says_so_beside_the_transcript() {
    let folder = tempfile::tempdir().unwrap();
    let game = folder.path().join("broken");
    fs::create_dir(&game).unwrap();
    fs::write(
        game.join("mod.toml"),
        "id = \"broken\"\nname = \"B\"\nversion = \"1.0.0\"\ngame = true\n",
    )
    .unwrap();
    fs::write(game.join("a.luau"), "local = 1\n").unwrap();
    let [mods, data] =
        [&game, &folder.path().join("data")].map(|path| path.to_string_lossy().into_owned());
    let flags = ["--plain", "--mods", &mods, "--game", "broken", "--data", &data];
    let output = run(program(&flags), "");
    assert_eq!(output.status.code(), Some(1));
    assert!(said(&output).1.contains("error["), "{:?}", said(&output));
}

#[cfg(target_os = "linux")]
#[test]
fn what_failed_is_named() {
    let full = || Stdio::from(File::options().write(true).open("/dev/full").unwrap());
    for words in [&["mods"][..], &["--help"], &["simulate", "--help"], &["--version"]] {
        let output = program(words).stdout(full()).stderr(Stdio::piped()).output().unwrap();
        let (_, wrong) = said(&output);
        assert_eq!(output.status.code(), Some(1), "{words:?}");
        assert!(wrong.contains("the output cannot be written"), "{words:?}: {wrong}");
    }
    let folder = tempfile::tempdir().unwrap();
    let data = folder.path().to_string_lossy().into_owned();
    let mut command = ferry(&["--plain", "--data", &data]);
    command.stdin(File::open(folder.path()).unwrap()).stdout(Stdio::piped()).stderr(Stdio::piped());
    let (_, wrong) = said(&command.output().unwrap());
    assert!(wrong.contains("the answers cannot be read"), "{wrong}");
}

#[test]
fn options_before_the_command_are_told_where_they_stand() {
    let output = run(program(&["--data", "some folder", "replay", "player-0001"]), "");
    assert_eq!(output.status.code(), Some(2));
    let (_, wrong) = said(&output);
    assert!(wrong.contains("sub-rosa replay --data 'some folder' player-0001"), "{wrong}");
    assert!(!wrong.contains("cannot be used"), "{wrong}");
}

#[cfg(unix)]
#[test]
fn a_profile_behind_a_link_is_told_as_one() {
    let folder = tempfile::tempdir().unwrap();
    let data = folder.path().join("data");
    fs::create_dir_all(data.join("profiles")).unwrap();
    let elsewhere = folder.path().join("player.toml");
    fs::write(&elsewhere, "format = 1\n").unwrap();
    std::os::unix::fs::symlink(&elsewhere, data.join("profiles/player.toml")).unwrap();
    let output = run(ferry(&["--plain", "--data", &data.to_string_lossy()]), "");
    let (_, wrong) = said(&output);
    assert!(wrong.contains("error[not-a-file]") && wrong.contains("it is a link"), "{wrong}");
    assert!(!wrong.contains("check the disk"), "{wrong}");
}
