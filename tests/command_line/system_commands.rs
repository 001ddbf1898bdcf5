//! The commands about the program itself: completions for shells, manual pages.

use std::collections::BTreeSet;
use std::fs;
use std::process::Command;

use crate::cli::{program_command, run_with_input, utf8_text};

fn print_command(arguments: &[&str]) -> String {
    let output = run_with_input(program_command(arguments), "");
    assert!(output.status.success(), "{arguments:?}: {}", utf8_text(&output.stderr));
    utf8_text(&output.stdout)
}

/// The commands that the help of a command lists.
fn subcommands(command: &[&str]) -> Vec<String> {
    let help = print_command(&[command, &["--help"]].concat());
    let list = help.split("Commands:\n").nth(1).unwrap_or_default();
    let lines = list.lines().take_while(|line| !line.is_empty());
    let named = lines.filter(|line| line.starts_with("  ") && !line.starts_with("   "));
    named.map(|line| line.split_whitespace().next().unwrap().to_owned()).collect()
}

#[test]
fn completions_of_each_shell_name_every_command() {
    let commands = subcommands(&[]);
    assert!(commands.len() > 12, "{commands:?}");
    for shell in ["bash", "elvish", "fish", "powershell", "zsh"] {
        let script = print_command(&["completions", shell]);
        let missing = commands.iter().find(|command| !script.contains(command.as_str()));
        assert_eq!(missing, None, "{shell}");
    }
    let output = run_with_input(program_command(&["completions", "cmd"]), "");
    assert_eq!(output.status.code(), Some(2));
    assert!(utf8_text(&output.stderr).contains("possible values: bash"));
}

/// Bash itself completes commands, subcommands, flags and values.
#[cfg(unix)]
#[test]
fn bash_completes_commands_flags_and_values() {
    let folder = tempfile::tempdir().unwrap();
    let script = folder.path().join("completions");
    fs::write(&script, print_command(&["completions", "bash"])).unwrap();
    let complete_line = |words: &[&str]| {
        let mut bash = Command::new("bash");
        bash.arg("-c").arg(
            r#"source "$1"; shift; COMP_WORDS=("$@"); COMP_CWORD=$(($# - 1))
            complete=$(complete -p sub-rosa); complete=${complete##*-F }
            ${complete% *} sub-rosa "${COMP_WORDS[COMP_CWORD]}" "${COMP_WORDS[COMP_CWORD - 1]}"
            echo "${COMPREPLY[@]}""#,
        );
        let output = bash.arg("bash").arg(&script).args(words).output().unwrap();
        assert_eq!(utf8_text(&output.stderr), "", "{words:?}");
        utf8_text(&output.stdout).trim().to_owned()
    };
    for (words, completed) in [
        (&["sub-rosa", "repl"][..], "replay"),
        (&["sub-rosa", "replay", "--ver"], "--verify"),
        (&["sub-rosa", "mods", "in"], "install"),
        (&["sub-rosa", "completions", "pow"], "powershell"),
        (&["sub-rosa", "--palette", "cy"], "cyan-red"),
        (&["sub-rosa", "play", "--palette", "cy"], "cyan-red"),
    ] {
        assert_eq!(complete_line(words), completed, "{words:?}");
    }
}

#[test]
fn each_command_has_a_manual_page() {
    let folder = tempfile::tempdir().unwrap();
    let target = folder.path().join("share/man1");
    print_command(&["man", "--to", &target.to_string_lossy()]);
    let mut pages: BTreeSet<String> = fs::read_dir(&target)
        .unwrap()
        .map(|entry| entry.unwrap().file_name().into_string().unwrap())
        .collect();
    let commands = subcommands(&[]);
    let below = subcommands(&["mods"]).into_iter().map(|name| format!("mods-{name}"));
    for command in commands.into_iter().chain(below).filter(|name| !name.ends_with("help")) {
        assert!(pages.remove(&format!("sub-rosa-{command}.1")), "{command}");
    }
    assert_eq!(pages, BTreeSet::from(["sub-rosa.1".to_owned()]));
    let page = fs::read_to_string(target.join("sub-rosa-mods-on.1")).unwrap();
    insta::assert_snapshot!(page.replace(env!("CARGO_PKG_VERSION"), "VERSION"));
    // The page that is printed is the one that is written.
    assert_eq!(print_command(&["man"]), fs::read_to_string(target.join("sub-rosa.1")).unwrap());
}

#[test]
fn an_unwritable_manual_folder_is_an_error() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("file");
    fs::write(&file, "").unwrap();
    let target = file.join("man1").to_string_lossy().into_owned();
    let output = run_with_input(program_command(&["man", "--to", &target]), "");
    assert_eq!(output.status.code(), Some(1));
    assert!(utf8_text(&output.stderr).contains("cannot be written"));
}
