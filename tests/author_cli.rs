//! The author's commands as they are typed: help, exit status, output streams.

use std::path::Path;
use std::process::{Command, Output};

use crate::author_check::AuthorWorkspace;
use crate::support::manifest_needing;

const HARBOUR: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/games/harbour");

fn run_command_line(folder: &Path, line: &str) -> Output {
    let data = folder.join(".data");
    let mut command = Command::new(env!("CARGO_BIN_EXE_sub-rosa"));
    command.current_dir(folder).args(line.split(' '));
    if !line.ends_with("--help") {
        command.args(["--mods", HARBOUR, "--mods", "."]).arg("--data").arg(data);
    }
    command.output().unwrap()
}

fn text(bytes: &[u8]) -> String {
    String::from_utf8(bytes.to_vec()).unwrap()
}

#[test]
fn each_command_has_a_help_with_an_example() {
    let folder = tempfile::tempdir().unwrap();
    for command in
        "play,replay,check,why,api,new,simulate,explore,test,mutate,mods,mods on,mods off,mods set,\
         mods unset,mods pack,mods install,mods remove"
            .split(',')
    {
        let output = run_command_line(folder.path(), &format!("{command} --help"));
        let help = text(&output.stdout);
        assert_eq!(output.status.code(), Some(0), "{command}");
        assert!(
            help.contains("Example") && help.contains(&format!("sub-rosa {command}")),
            "{help}"
        );
        let wide: Vec<&str> = help.lines().filter(|line| line.chars().count() > 80).collect();
        assert!(wide.is_empty(), "{wide:?}");
    }
}

#[test]
fn the_exit_status_is_0_1_or_2() {
    let desk = AuthorWorkspace::with(&[(
        "a.luau",
        "-- allow(unused-definition)\nrule \"a\"(function() end)\n",
    )]);
    let rule = "-- allow(unused-definition): for the test\nrule \"b\"(function() end)\n";
    desk.write("flood", &manifest_needing("flood", &["harbour"]), &[("a.luau", rule)]);
    desk.write("sink", &manifest_needing("sink", &["harbour"]), &[("a.luau", "boat \"x\"\n")]);
    let folder = desk.folder.path();
    let lines = [
        ("check flood", 0),
        ("check ./flood", 0),
        ("check ebb", 1),
        ("check flood ebb --json", 1),
        ("check nobody", 2),
        ("check --nothing", 2),
        ("mods", 0),
        ("mods on flood", 0),
        ("mods on nobody", 2),
        ("mods set flood heat 1", 2),
        ("mods set harbour fog 2", 0),
        ("mods set harbour fog -2", 2),
        ("mods unset harbour fog", 0),
        ("mods off flood --profile Ann", 0),
        ("why gull --game harbour", 0),
        ("why ebb:a --game harbour --with ebb", 0),
        ("why sink:x --game harbour --with sink", 1),
        ("why ebb:a --game harbour", 2),
        ("why ebb:a", 2),
        ("why ebb:a --with ebb", 0),
        ("why gull --with harbour", 0),
        ("why gull --with harbour --with sub_rosa", 2),
        ("explore harbour sovereign --runs 1", 2),
        ("why", 2),
    ];
    for (line, status) in lines {
        let output = run_command_line(folder, line);
        let told = format!("{}{}", text(&output.stdout), text(&output.stderr));
        assert_eq!(output.status.code(), Some(status), "{line}\n{told}");
        assert!(!told.contains("panicked"), "{told}");
    }
}

#[test]
fn the_game_that_is_named_among_the_mods_is_played_and_that_which_they_are_made_for() {
    let desk = AuthorWorkspace::with(&[("a.luau", "-- nothing yet\n")]);
    let said = |line: &str| text(&run_command_line(desk.folder.path(), line).stdout);
    let of_harbour = said("explore --game harbour --runs 1");
    assert!(of_harbour.contains("runs from"), "{of_harbour}");
    for line in ["explore harbour --runs 1", "simulate --runs 1 --with harbour"] {
        let (with, named) = (said(line), said(&line.replace("harbour", "sub_rosa")));
        assert!(!with.is_empty() && with != named, "{line}: {with}");
    }
    assert_eq!(said("explore harbour --runs 1").lines().next(), of_harbour.lines().next());
    let ebb = said("explore ebb --runs 1");
    assert_eq!(ebb.lines().next(), of_harbour.lines().next(), "{ebb}");
}

#[test]
fn what_was_switched_on_is_played() {
    let desk = AuthorWorkspace::with(&[(
        "a.luau",
        "patch.scene \"harbour:quay\" {\n  prompt = wrap(function(original)\n    local prompt = original()\n    \
         prompt.text = `The bell rings {settings.times} times.`\n    return prompt\n  end),\n}\n",
    )]);
    let manifest = format!(
        "{}[settings.times]\ntype = \"integer\"\ndefault = 1\nmin = 1\n",
        manifest_needing("ebb", &["harbour"])
    );
    desk.write("ebb", &manifest, &[]);
    let folder = desk.folder.path();
    std::fs::write(folder.join("answers.txt"), "new\nclose\nquit\n").unwrap();
    let play = "play --game harbour --seed 1 --script answers.txt";
    let without = text(&run_command_line(folder, play).stdout);
    assert!(!without.contains("The bell rings"), "{without}");
    let once = text(&run_command_line(folder, &format!("{play} --with ebb")).stdout);
    assert!(once.contains("The bell rings 1 times."), "{once}");
    assert_eq!(run_command_line(folder, "mods on ebb").status.code(), Some(0));
    assert_eq!(run_command_line(folder, "mods set ebb times 3").status.code(), Some(0));
    let on = text(&run_command_line(folder, play).stdout);
    assert!(on.contains("The bell rings 3 times."), "{on}");
    let other = text(&run_command_line(folder, &format!("{play} --profile Ann")).stdout);
    assert!(!other.contains("The bell rings"), "{other}");
}
