//! Diagnostics go to standard error with a matching exit status, and name what failed.

use std::fs;
use std::fs::File;
use std::process::{Output, Stdio};

use crate::cli::{FERRY_FOLDER, ferry_command, program_command, run_with_input, utf8_text};

fn stdout_and_stderr(output: &Output) -> (String, String) {
    (utf8_text(&output.stdout), utf8_text(&output.stderr))
}

#[test]
fn command_errors_go_to_stderr_or_json() {
    let data = tempfile::tempdir().unwrap();
    let data = data.path().to_string_lossy().into_owned();
    let game_arguments = ["--mods", FERRY_FOLDER, "--game", "ferry", "--data", &data];
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
        let (stdout, stderr) = stdout_and_stderr(&run_with_input(
            program_command(&[&words[..], &game_arguments].concat()),
            "",
        ));
        assert_eq!(stdout, "", "{words:?}");
        assert!(stderr.contains("error["), "{words:?}: {stderr}");
        // For a program it is the answer.
        let words: Vec<&str> = words.into_iter().filter(|word| *word != "--csv").collect();
        let output = run_with_input(
            program_command(&[&words[..], &game_arguments, &["--json"]].concat()),
            "",
        );
        assert!(!output.status.success(), "{words:?}");
        let (stdout, stderr) = stdout_and_stderr(&output);
        assert_eq!(stderr, "", "{words:?}");
        assert!(serde_json::from_str::<serde_json::Value>(&stdout).is_ok(), "{words:?}: {stdout}");
    }
}

#[test]
fn a_game_that_cannot_start_is_reported_on_stderr() {
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
    let output = run_with_input(program_command(&flags), "");
    assert_eq!(output.status.code(), Some(1));
    assert!(stdout_and_stderr(&output).1.contains("error["), "{:?}", stdout_and_stderr(&output));
}

#[cfg(target_os = "linux")]
#[test]
fn input_and_output_errors_are_reported() {
    let full_device = || Stdio::from(File::options().write(true).open("/dev/full").unwrap());
    for words in [&["mods"][..], &["--help"], &["simulate", "--help"], &["--version"]] {
        let output =
            program_command(words).stdout(full_device()).stderr(Stdio::piped()).output().unwrap();
        let (_, stderr) = stdout_and_stderr(&output);
        assert_eq!(output.status.code(), Some(1), "{words:?}");
        assert!(stderr.contains("the output cannot be written"), "{words:?}: {stderr}");
    }
    let folder = tempfile::tempdir().unwrap();
    let data = folder.path().to_string_lossy().into_owned();
    let mut command = ferry_command(&["--plain", "--data", &data]);
    command.stdin(File::open(folder.path()).unwrap()).stdout(Stdio::piped()).stderr(Stdio::piped());
    let (_, stderr) = stdout_and_stderr(&command.output().unwrap());
    assert!(stderr.contains("the answers cannot be read"), "{stderr}");
}

#[test]
fn options_before_the_command_get_a_corrected_command_line() {
    let output =
        run_with_input(program_command(&["--data", "some folder", "replay", "player-0001"]), "");
    assert_eq!(output.status.code(), Some(2));
    let (_, stderr) = stdout_and_stderr(&output);
    assert!(stderr.contains("sub-rosa replay --data 'some folder' player-0001"), "{stderr}");
    assert!(!stderr.contains("cannot be used"), "{stderr}");
}

#[cfg(unix)]
#[test]
fn a_profile_that_is_a_link_is_reported_as_a_link() {
    let folder = tempfile::tempdir().unwrap();
    let data = folder.path().join("data");
    fs::create_dir_all(data.join("profiles")).unwrap();
    let link_target = folder.path().join("player.toml");
    fs::write(&link_target, "format = 1\n").unwrap();
    std::os::unix::fs::symlink(&link_target, data.join("profiles/player.toml")).unwrap();
    let output = run_with_input(ferry_command(&["--plain", "--data", &data.to_string_lossy()]), "");
    let (_, stderr) = stdout_and_stderr(&output);
    assert!(stderr.contains("error[not-a-file]") && stderr.contains("it is a link"), "{stderr}");
    assert!(!stderr.contains("check the disk"), "{stderr}");
}

#[cfg(unix)]
#[test]
fn a_link_to_something_missing_is_reported_and_not_replaced() {
    use std::os::unix::fs::symlink;
    let folder = tempfile::tempdir().unwrap();
    let missing_path = folder.path().join("missing");
    let data = folder.path().join("data");
    for part in ["profiles/player.toml", "profiles", "runs", ""] {
        let link = if part.is_empty() { data.clone() } else { data.join(part) };
        fs::create_dir_all(link.parent().unwrap()).unwrap();
        symlink(&missing_path, &link).unwrap();
        let command = ferry_command(&["--plain", "--data", &data.to_string_lossy()]);
        let output = run_with_input(command, "new\nskiff\n1\nAnn\nquit\n");
        let (stdout, stderr) = stdout_and_stderr(&output);
        let expected = format!("{} is a link to {}", link.display(), missing_path.display());
        // Lines are wrapped.
        let words = |text: &str| text.split_whitespace().collect::<Vec<_>>().join(" ");
        let told = words(&format!("{stdout}{stderr}"));
        assert!(told.contains("error[disk-missing]") && told.contains(&expected), "{part}: {told}");
        assert!(!told.contains("check the disk"), "{part}: {told}");
        assert_eq!(fs::read_link(&link).unwrap(), missing_path, "{part}");
        assert!(!missing_path.exists(), "{part}");
        if data.is_symlink() { fs::remove_file(&data) } else { fs::remove_dir_all(&data) }.unwrap();
    }
}

#[test]
fn a_name_of_nothing_on_the_command_line_is_a_usage_error() {
    let data = tempfile::tempdir().unwrap();
    for words in [
        "replay nope",
        "replay nope --verify",
        "replay nope --picture nope.svg",
        "replay ./nope",
        "play --game nope --plain",
        "play --with nope --plain",
        "play --mods ./nope --plain",
        "mods --game nope",
        "mods on nope",
        "mods off nope",
        "mods off ferry --game nope",
        "mods set nope",
        "mods unset nope a",
        "mods pack nope",
        "mods pack ./nope",
        "mods install ./nope",
        "mods remove nope",
        "check nope",
        "check ./nope",
        "check --game nope",
        "test ./nope",
        "why nope",
        "api --game nope",
        "simulate --game nope",
        "explore --game nope",
        "mutate ./nope",
    ] {
        let mut command = program_command(&words.split(' ').collect::<Vec<_>>());
        command.args(["--mods", FERRY_FOLDER, "--data", &data.path().to_string_lossy()]);
        let output = run_with_input(command, "");
        let (_, stderr) = stdout_and_stderr(&output);
        assert_eq!(output.status.code(), Some(2), "{words}: {stderr}");
        assert!(stderr.contains("nope"), "{words}: {stderr}");
    }
}
