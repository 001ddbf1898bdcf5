//! The printed resume command can be pasted into a shell as it is, whatever the folders are called.
#![cfg(unix)]

use std::ffi::{OsStr, OsString};
use std::fs;
use std::os::unix::ffi::OsStringExt;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use crate::cli::{GAMES, run, text};

/// Folder names that need quotes in a shell.
const ODD: [&[u8]; 20] = [
    b"two words",
    b"  at both ends  ",
    b"Ann's",
    b"'''",
    b"say \"so\"",
    b"$HOME",
    b"`date`",
    b"$(date)",
    b"a;b&c|d",
    b"*?[a]",
    b"~",
    b"#one",
    b"!1",
    b"back\\slash",
    b"a\tb\nc",
    b"=x",
    b"{a,b}",
    "z\u{fc}ge \u{202e}b".as_bytes(),
    b"not UTF-8 \xff'\\",
    b"-dash",
];

fn folder(at: &Path, name: &[u8]) -> PathBuf {
    at.join(OsString::from_vec(name.to_vec()))
}

/// Plays in a working folder and returns the last output.
fn play(at: &Path, arguments: &[&OsStr], typed: &str) -> String {
    let mut command = Command::new(env!("CARGO_BIN_EXE_sub-rosa"));
    command.args(arguments).current_dir(at).env_remove("TERM");
    let output = run(command, typed);
    assert!(output.status.success(), "{arguments:?}: {}", text(&output.stderr));
    text(&output.stdout)
}

/// Types a line into a shell, and then text into the program it starts.
fn typed_into_a_shell(at: &Path, line: &str, typed: &str) -> std::process::Output {
    let program = Path::new(env!("CARGO_BIN_EXE_sub-rosa")).parent().unwrap();
    let path = std::env::join_paths([program, Path::new("/usr/bin"), Path::new("/bin")]).unwrap();
    let mut shell = Command::new("bash");
    shell.args(["--noprofile", "--norc", "-c", line]).current_dir(at);
    shell.env("PATH", path).env_remove("TERM").env_remove("BASH_ENV").stderr(Stdio::piped());
    run(shell, typed)
}

#[test]
fn the_line_to_go_on_with_is_right_for_folders_of_any_name() {
    let folders = tempfile::tempdir().unwrap();
    for (at, name) in ODD.into_iter().enumerate() {
        let shown = name.escape_ascii();
        // With an absolute path, and with a relative one.
        for whole in [true, false] {
            let place = folders.path().join(format!("{at}{whole}"));
            crate::support::copy(Path::new(GAMES), &folder(&place.join("mods"), name));
            let named = |part: &str| match whole {
                true => folder(&place.join(part), name),
                false => folder(Path::new(if part == "mods" { "mods" } else { "" }), name),
            };
            let (mods, data) = (named("mods"), named("data"));
            let (mut with_mods, mut with_data) =
                (OsString::from("--mods="), OsString::from("--data="));
            with_mods.push(&mods);
            with_data.push(&data);
            let begun = play(
                &place,
                &[&with_mods, &with_data, OsStr::new("--game=ferry"), OsStr::new("--plain")],
                "new\nskiff\n1\nAnn\nrow\n",
            );
            let lines = begun.lines().filter_map(|line| line.strip_prefix("To continue it: "));
            let [line] = lines.collect::<Vec<_>>()[..] else { panic!("{shown}: {begun}") };
            assert!(!line.contains(char::is_control), "{shown}: {line:?}");
            let output = typed_into_a_shell(&place, line, "resume\nquit\n");
            let said = text(&output.stdout);
            let wrong = String::from_utf8_lossy(&output.stderr);
            assert!(output.status.success(), "{shown}: {line}\n{wrong}");
            // It is the same run: its answers are printed again.
            assert!(said.contains("* row"), "{shown}: {line}\n{said}{wrong}");
        }
    }
}

#[test]
fn the_line_to_go_on_with_is_right_for_players_of_any_name() {
    let folders = tempfile::tempdir().unwrap();
    for name in ["Ann Lee", "D'Arcy", "Zo\u{eb}", "-x", "a$b", "\"Q\"", "*", "~", "#1"] {
        let data = folders.path().join("data");
        let data_flag = format!("--data={}", data.display());
        let profile = format!("--profile={name}");
        let mods = format!("--mods={GAMES}");
        let flags = [&*mods, &data_flag, &profile, "--game=ferry", "--plain"].map(OsStr::new);
        let begun = play(folders.path(), &flags, "new\nskiff\n1\nAnn\nrow\n");
        let lines = begun.lines().filter_map(|line| line.strip_prefix("To continue it: "));
        let [line] = lines.collect::<Vec<_>>()[..] else { panic!("{name}: {begun}") };
        let output = typed_into_a_shell(folders.path(), line, "resume\nquit\n");
        let said = text(&output.stdout);
        let wrong = String::from_utf8_lossy(&output.stderr);
        assert!(output.status.success(), "{name}: {line}\n{wrong}");
        assert!(said.contains("* row"), "{name}: {line}\n{said}{wrong}");
        fs::remove_dir_all(data).unwrap();
    }
}
