//! The printed resume command can be pasted into a shell as it is, whatever the folders are called.
#![cfg(unix)]

use std::ffi::{OsStr, OsString};
use std::fs;
use std::os::unix::ffi::OsStringExt;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use crate::cli::{FERRY_FOLDER, run_with_input, utf8_text};

/// Folder names that need quotes in a shell.
const ODD_FOLDER_NAMES: [&[u8]; 20] = [
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

fn join_byte_name(temp_folder: &Path, name: &[u8]) -> PathBuf {
    temp_folder.join(OsString::from_vec(name.to_vec()))
}

/// Plays in a working folder and returns the last output.
fn play_in_folder(folder: &Path, arguments: &[&OsStr], input: &str) -> String {
    let mut command = Command::new(env!("CARGO_BIN_EXE_sub-rosa"));
    command.args(arguments).current_dir(folder).env_remove("TERM");
    let output = run_with_input(command, input);
    assert!(output.status.success(), "{arguments:?}: {}", utf8_text(&output.stderr));
    utf8_text(&output.stdout)
}

/// Types a line into a shell, and then text into the program it starts.
fn run_in_shell(folder: &Path, line: &str, input: &str) -> std::process::Output {
    let program = Path::new(env!("CARGO_BIN_EXE_sub-rosa")).parent().unwrap();
    let path = std::env::join_paths([program, Path::new("/usr/bin"), Path::new("/bin")]).unwrap();
    let mut shell = Command::new("bash");
    shell.args(["--noprofile", "--norc", "-c", line]).current_dir(folder);
    shell.env("PATH", path).env_remove("TERM").env_remove("BASH_ENV").stderr(Stdio::piped());
    run_with_input(shell, input)
}

#[test]
fn the_resume_command_works_with_any_folder_name() {
    let folders = tempfile::tempdir().unwrap();
    for (index, name) in ODD_FOLDER_NAMES.into_iter().enumerate() {
        let escaped_name = name.escape_ascii();
        // With an absolute path, and with a relative one.
        for is_absolute in [true, false] {
            let working_folder = folders.path().join(format!("{index}{is_absolute}"));
            crate::support::copy_folder(
                Path::new(FERRY_FOLDER),
                &join_byte_name(&working_folder.join("mods"), name),
            );
            let path_for = |part: &str| match is_absolute {
                true => join_byte_name(&working_folder.join(part), name),
                false => join_byte_name(Path::new(if part == "mods" { "mods" } else { "" }), name),
            };
            let (mods, data) = (path_for("mods"), path_for("data"));
            let (mut with_mods, mut with_data) =
                (OsString::from("--mods="), OsString::from("--data="));
            with_mods.push(&mods);
            with_data.push(&data);
            let play_output = play_in_folder(
                &working_folder,
                &[&with_mods, &with_data, OsStr::new("--game=ferry"), OsStr::new("--plain")],
                "new\nskiff\n1\nAnn\nrow\n",
            );
            let lines =
                play_output.lines().filter_map(|line| line.strip_prefix("To continue it: "));
            let [line] = lines.collect::<Vec<_>>()[..] else {
                panic!("{escaped_name}: {play_output}")
            };
            assert!(!line.contains(char::is_control), "{escaped_name}: {line:?}");
            let output = run_in_shell(&working_folder, line, "resume\nquit\n");
            let stdout = utf8_text(&output.stdout);
            let stderr = String::from_utf8_lossy(&output.stderr);
            assert!(output.status.success(), "{escaped_name}: {line}\n{stderr}");
            // It is the same run: its answers are printed again.
            assert!(stdout.contains("* row"), "{escaped_name}: {line}\n{stdout}{stderr}");
        }
    }
}

#[test]
fn the_resume_command_works_with_any_player_name() {
    let folders = tempfile::tempdir().unwrap();
    for name in ["Ann Lee", "D'Arcy", "Zo\u{eb}", "-x", "a$b", "\"Q\"", "*", "~", "#1"] {
        let data = folders.path().join("data");
        let data_flag = format!("--data={}", data.display());
        let profile = format!("--profile={name}");
        let mods = format!("--mods={FERRY_FOLDER}");
        let flags = [&*mods, &data_flag, &profile, "--game=ferry", "--plain"].map(OsStr::new);
        let play_output = play_in_folder(folders.path(), &flags, "new\nskiff\n1\nAnn\nrow\n");
        let lines = play_output.lines().filter_map(|line| line.strip_prefix("To continue it: "));
        let [line] = lines.collect::<Vec<_>>()[..] else { panic!("{name}: {play_output}") };
        let output = run_in_shell(folders.path(), line, "resume\nquit\n");
        let stdout = utf8_text(&output.stdout);
        let stderr = String::from_utf8_lossy(&output.stderr);
        assert!(output.status.success(), "{name}: {line}\n{stderr}");
        assert!(stdout.contains("* row"), "{name}: {line}\n{stdout}{stderr}");
        fs::remove_dir_all(data).unwrap();
    }
}
