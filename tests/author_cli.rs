//! The author's commands as they are typed: help, exit status, output streams.

use std::path::Path;
use std::process::{Command, Output};

use crate::author_check::AuthorWorkspace;
use crate::support::manifest_needing;

const HARBOUR_FOLDER: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/games/harbour");

fn run_command_line(folder: &Path, line: &str) -> Output {
    let data = folder.join(".data");
    let mut command = Command::new(env!("CARGO_BIN_EXE_sub-rosa"));
    command.current_dir(folder).args(line.split(' '));
    if !line.ends_with("--help") {
        command.args(["--mods", HARBOUR_FOLDER, "--mods", "."]).arg("--data").arg(data);
    }
    command.output().unwrap()
}

fn utf8_text(bytes: &[u8]) -> String {
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
        let help = utf8_text(&output.stdout);
        assert_eq!(output.status.code(), Some(0), "{command}");
        assert!(
            help.contains("Example") && help.contains(&format!("sub-rosa {command}")),
            "{help}"
        );
        let long_lines: Vec<&str> = help.lines().filter(|line| line.chars().count() > 80).collect();
        assert!(long_lines.is_empty(), "{long_lines:?}");
    }
}

#[test]
fn the_exit_status_is_0_1_or_2() {
    let workspace = AuthorWorkspace::with_mod_files(&[(
        "a.luau",
        "-- allow(unused-definition)\nrule \"a\"(function() end)\n",
    )]);
    let rule = "-- allow(unused-definition): for the test\nrule \"b\"(function() end)\n";
    workspace.write_mod("flood", &manifest_needing("flood", &["harbour"]), &[("a.luau", rule)]);
    workspace.write_mod(
        "sink",
        &manifest_needing("sink", &["harbour"]),
        &[("a.luau", "boat \"x\"\n")],
    );
    let folder = workspace.folder.path();
    let expected_statuses = [
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
    for (line, status) in expected_statuses {
        let output = run_command_line(folder, line);
        let output_text = format!("{}{}", utf8_text(&output.stdout), utf8_text(&output.stderr));
        assert_eq!(output.status.code(), Some(status), "{line}\n{output_text}");
        assert!(!output_text.contains("panicked"), "{output_text}");
    }
}

#[test]
fn a_game_named_as_a_mod_or_needed_by_a_mod_is_selected() {
    let workspace = AuthorWorkspace::with_mod_files(&[("a.luau", "-- nothing yet\n")]);
    let stdout_of = |line: &str| utf8_text(&run_command_line(workspace.folder.path(), line).stdout);
    let harbour_output = stdout_of("explore --game harbour --runs 1");
    assert!(harbour_output.contains("runs from"), "{harbour_output}");
    for line in ["explore harbour --runs 1", "simulate --runs 1 --with harbour"] {
        let (output_with_mod, sub_rosa_output) =
            (stdout_of(line), stdout_of(&line.replace("harbour", "sub_rosa")));
        assert!(
            !output_with_mod.is_empty() && output_with_mod != sub_rosa_output,
            "{line}: {output_with_mod}"
        );
    }
    assert_eq!(stdout_of("explore harbour --runs 1").lines().next(), harbour_output.lines().next());
    let ebb_output = stdout_of("explore ebb --runs 1");
    assert_eq!(ebb_output.lines().next(), harbour_output.lines().next(), "{ebb_output}");
}

#[test]
fn enabled_mods_and_their_settings_apply_to_new_runs() {
    let workspace = AuthorWorkspace::with_mod_files(&[(
        "a.luau",
        "patch.scene \"harbour:quay\" {\n  prompt = wrap(function(original)\n    local prompt = original()\n    \
         prompt.text = `The bell rings {settings.times} times.`\n    return prompt\n  end),\n}\n",
    )]);
    let manifest = format!(
        "{}[settings.times]\ntype = \"integer\"\ndefault = 1\nmin = 1\n",
        manifest_needing("ebb", &["harbour"])
    );
    workspace.write_mod("ebb", &manifest, &[]);
    let folder = workspace.folder.path();
    std::fs::write(folder.join("answers.txt"), "new\nclose\nquit\n").unwrap();
    let play_command = "play --game harbour --seed 1 --script answers.txt";
    let plain_output = utf8_text(&run_command_line(folder, play_command).stdout);
    assert!(!plain_output.contains("The bell rings"), "{plain_output}");
    let with_mod_output =
        utf8_text(&run_command_line(folder, &format!("{play_command} --with ebb")).stdout);
    assert!(with_mod_output.contains("The bell rings 1 times."), "{with_mod_output}");
    assert_eq!(run_command_line(folder, "mods on ebb").status.code(), Some(0));
    assert_eq!(run_command_line(folder, "mods set ebb times 3").status.code(), Some(0));
    let enabled_output = utf8_text(&run_command_line(folder, play_command).stdout);
    assert!(enabled_output.contains("The bell rings 3 times."), "{enabled_output}");
    let other_profile_output =
        utf8_text(&run_command_line(folder, &format!("{play_command} --profile Ann")).stdout);
    assert!(!other_profile_output.contains("The bell rings"), "{other_profile_output}");
}
