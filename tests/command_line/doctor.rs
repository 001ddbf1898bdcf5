//! `paths` and `doctor`: which folders are used, and what is wrong with the surroundings.

use std::fs;
use std::path::Path;
use std::process::{Command, Output};

use crate::cli::{ferry_command, program_command, run_with_input, utf8_text};

/// A command in tidy surroundings, whose home folder is `home`.
fn tidy_command(home: &Path, arguments: &[&str]) -> Command {
    let mut command = program_command(arguments);
    tidy(&mut command, home);
    command
}

fn tidy(command: &mut Command, home: &Path) {
    command.env("HOME", home).env("LANG", "C.UTF-8").env("TERM", "xterm-256color");
    for name in ["LC_ALL", "LC_CTYPE", "XDG_DATA_HOME", "NO_COLOR", "COLORTERM"] {
        command.env_remove(name);
    }
}

fn run(mut command: Command, change: impl FnOnce(&mut Command)) -> Output {
    change(&mut command);
    run_with_input(command, "")
}

/// The lines that need care, each with its advice; the report is checked to exit with 1.
fn care_lines(output: &Output) -> String {
    assert_eq!(output.status.code(), Some(1), "{}", utf8_text(&output.stdout));
    let report = utf8_text(&output.stdout);
    let mut needs_care = false;
    let is_wanted = |line: &&str| {
        // A long line goes on below.
        needs_care = line.starts_with("  care") || needs_care && line.starts_with("        ");
        needs_care
    };
    report.lines().filter(is_wanted).map(|line| format!("{line}\n")).collect()
}

/// Figures that differ from machine to machine.
fn without_figures(report: &str) -> String {
    let replace_line = |line: &str| {
        for start in ["sub-rosa ", "  ok    free space: ", "  ok    size: "] {
            if line.starts_with(start) {
                return format!("{start}…");
            }
        }
        line.to_owned()
    };
    report.lines().map(|line| replace_line(line) + "\n").collect()
}

/// Plays a few answers as a player whose name must not be told.
fn play_as_zenobia(home: &Path) {
    let mut command = ferry_command(&["--plain", "--profile", "Zenobia", "--seed", "1"]);
    tidy(&mut command, home);
    let output = run_with_input(command, "new\nskiff\n1, letters\nAnn\nrow\n");
    assert!(output.status.success(), "{}", utf8_text(&output.stderr));
}

#[cfg(target_os = "linux")]
#[test]
fn a_healthy_report_needs_no_care_and_names_nobody() {
    let home = tempfile::tempdir().unwrap();
    play_as_zenobia(home.path());
    let output = run(tidy_command(home.path(), &["doctor"]), |_| ());
    let report = utf8_text(&output.stdout);
    assert_eq!(output.status.code(), Some(0), "{report}");
    assert!(!report.to_lowercase().contains("zenobia"), "{report}");
    assert!(!report.contains(&*home.path().to_string_lossy()), "{report}");
    insta::assert_snapshot!(without_figures(&report));
    // Nothing is left behind.
    let data = home.path().join(".local/share/sub-rosa");
    let names = fs::read_dir(data).unwrap().map(|entry| entry.unwrap().file_name());
    assert!(names.into_iter().all(|name| !name.to_string_lossy().starts_with('.')));
}

#[test]
fn the_terminal_and_the_locale_are_checked() {
    let home = tempfile::tempdir().unwrap();
    let doctor = || tidy_command(home.path(), &["doctor"]);
    let mut reports = String::new();
    for (name, value) in [("TERM", "dumb"), ("LANG", "C"), ("LC_ALL", "de_DE.ISO-8859-1")] {
        let lines = care_lines(&run(doctor(), |command| {
            command.env(name, value);
        }));
        reports.push_str(&format!("== {name}={value}\n{lines}"));
    }
    insta::assert_snapshot!(reports);
    let output = run(doctor(), |command| {
        command.env("NO_COLOR", "1");
    });
    assert!(utf8_text(&output.stdout).contains("colours: none, because NO_COLOR is set"));
    assert_eq!(output.status.code(), Some(0));
}

#[test]
fn an_unwritable_data_folder_and_mistaken_keys_need_care() {
    let home = tempfile::tempdir().unwrap();
    let file = home.path().join("file");
    fs::write(&file, "").unwrap();
    let folder = file.join("data").to_string_lossy().into_owned();
    let lines = care_lines(&run(tidy_command(home.path(), &["doctor", "--data", &folder]), |_| ()));
    assert!(lines.contains("~/file cannot be written: "), "{lines}");
    let data = home.path().join("data");
    fs::create_dir(&data).unwrap();
    fs::write(data.join("keys.toml"), "down = \"s\"\nfly = \"f\"\n").unwrap();
    let data = data.to_string_lossy().into_owned();
    insta::assert_snapshot!(care_lines(&run(
        tidy_command(home.path(), &["doctor", "--data", &data]),
        |_| ()
    )));
}

#[test]
fn mods_with_problems_need_care() {
    let home = tempfile::tempdir().unwrap();
    let mods = home.path().join("mods");
    let write = |name: &str, file: &str, text: &str| {
        fs::create_dir_all(mods.join(name)).unwrap();
        fs::write(mods.join(name).join(file), text).unwrap();
    };
    let manifest =
        |id: &str| format!("id = \"{id}\"\nname = \"X\"\nversion = \"1.0.0\"\nengine = \"*\"\n");
    write("bell", "mod.toml", &manifest("bell"));
    write("bell", "main.luau", "local x = {\n");
    write("gate", "mod.toml", "id = \"gate\"\nname = \n");
    write("lamp", "mod.toml", &manifest("lamp"));
    write("lamp", "main.luau", "kind \"lamp\" { }\n");
    let folder = mods.to_string_lossy().into_owned();
    let output = run(tidy_command(home.path(), &["doctor", "--mods", &folder]), |_| ());
    insta::assert_snapshot!(care_lines(&output).replace("~", "HOME"));
}

#[test]
fn damaged_saves_need_care_and_name_nobody() {
    let home = tempfile::tempdir().unwrap();
    play_as_zenobia(home.path());
    let find = |name: &str| {
        let output = run(tidy_command(home.path(), &["paths"]), |_| ());
        let paths = utf8_text(&output.stdout);
        let data = paths.lines().nth(1).unwrap().trim().to_owned();
        Path::new(&data).join(name)
    };
    fs::write(find("profiles/zenobia.toml"), "name = \"Zenobia\"\n[broken").unwrap();
    let journal = find("runs/zenobia-0001/journal.jsonl");
    let text = fs::read_to_string(&journal).unwrap();
    fs::write(&journal, text.replacen("skiff", "raft", 1)).unwrap();
    let _ = fs::remove_file(find("runs/zenobia-0001/checkpoint.json"));
    let output = run(tidy_command(home.path(), &["doctor"]), |_| ());
    assert!(!utf8_text(&output.stdout).to_lowercase().contains("zenobia"));
    insta::assert_snapshot!(care_lines(&output));
}

#[test]
fn paths_say_where_and_why() {
    let home = tempfile::tempdir().unwrap();
    let mods = home.path().join("my mods").to_string_lossy().into_owned();
    let data = home.path().join("data").to_string_lossy().into_owned();
    let arguments = ["paths", "--data", &data, "--mods", &mods];
    let output = run(tidy_command(home.path(), &arguments), |_| ());
    assert!(output.status.success());
    let home_path = home.path().to_string_lossy().into_owned();
    let text = utf8_text(&output.stdout).replace(&home_path, "HOME").replace('\\', "/");
    insta::assert_snapshot!(text);
    assert!(!home.path().join("data").exists(), "nothing is created");
}

#[cfg(target_os = "linux")]
#[test]
fn the_data_folder_follows_the_system() {
    let home = tempfile::tempdir().unwrap();
    let first_lines = |output: Output| {
        let text = utf8_text(&output.stdout);
        text.lines().take(2).collect::<Vec<_>>().join("\n")
    };
    let data = home.path().join("elsewhere");
    let named = first_lines(run(tidy_command(home.path(), &["paths"]), |command| {
        command.env("XDG_DATA_HOME", &data);
    }));
    assert!(named.contains("XDG_DATA_HOME names it"), "{named}");
    assert!(named.contains(&format!("{}/sub-rosa", data.display())), "{named}");
    let usual = first_lines(run(tidy_command(home.path(), &["paths"]), |_| ()));
    assert!(usual.contains("where this system keeps the data of programs"), "{usual}");
    assert!(usual.contains(&format!("{}/.local/share/sub-rosa", home.path().display())));
}
