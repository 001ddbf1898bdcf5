//! A command that the program tells a person to type leads where it says: it repeats the flags of the
//! start, and names no mod that was left out.

use std::fs;
use std::path::Path;

use crate::cli::{program_command, run_with_input, utf8_text};
use crate::support::{GAME_MANIFEST, manifest_needing};

const GAME_SCRIPT: &str = "event 'poked' { doc = 'A poke.' }
scene 'room' {
  prompt = function() return { text = 'in the room', choices = { { id = 'poke', label = 'Poke' } } } end,
  on = { poke = function() emit('poked', {}) end },
}
start(function() go 'room' end)
";

/// It leads the run into a scene of its own, whose only choice fails.
const TRAP_SCRIPT: &str = "scene 'trap' {
  prompt = function() return { text = 'in the trap', choices = { { id = 'fail', label = 'Fail' } } } end,
  on = { fail = function() local none = nil none.x = 1 end },
}
after('poked', function() go 'trap' end)
";

struct Workspace {
    folder: tempfile::TempDir,
}

impl Workspace {
    /// A game, and a mod with this script.
    fn with_mod(id: &str, script: &str) -> Self {
        let folder = tempfile::tempdir().unwrap();
        let files =
            [("game", GAME_MANIFEST, GAME_SCRIPT), (id, &manifest_needing(id, &["game"]), script)];
        for (id, manifest, script) in files {
            let path = folder.path().join("mods").join(id);
            fs::create_dir_all(&path).unwrap();
            fs::write(path.join("mod.toml"), manifest).unwrap();
            fs::write(path.join("main.luau"), script).unwrap();
        }
        Self { folder }
    }

    /// Runs a command line in the folder; returns all that it prints, on one line.
    fn run(&self, command_line: &str, input: &str) -> String {
        let words = command_line.strip_prefix("sub-rosa").unwrap_or(command_line);
        let mut command = program_command(&words.split_whitespace().collect::<Vec<_>>());
        command.current_dir(self.folder.path());
        let output = run_with_input(command, input);
        let printed = utf8_text(&output.stdout) + &utf8_text(&output.stderr);
        printed.split_whitespace().collect::<Vec<_>>().join(" ")
    }

    fn path(&self) -> &Path {
        self.folder.path()
    }
}

/// The command between two texts of an output.
fn told_command<'o>(output: &'o str, before: &str, after: &str) -> &'o str {
    let (_, rest) = output.split_once(before).unwrap_or_else(|| panic!("{output}"));
    rest.split(after).next().unwrap().trim()
}

const FLAGS: &str = "--mods mods --data data --game game --profile Ann";

#[test]
fn the_told_way_out_of_a_run_that_a_mod_trapped_leads_out() {
    let workspace = Workspace::with_mod("snare", TRAP_SCRIPT);
    workspace.run(&format!("mods on snare {FLAGS}"), "");
    let output = workspace
        .run(&format!("--plain {FLAGS}"), "new\npoke\nfail\nleave\nabandon\nabandon\nquit\n");
    assert!(output.contains("cannot continue without snare here"), "{output}");
    assert!(output.contains("fix the mod, or leave the run and give it up"), "{output}");
    let command = told_command(&output, "without the mod, type: ", " 1. ");
    let off_output = workspace.run(command, "");
    assert_eq!(off_output, "snare is off for game", "{command}");
    let output = workspace.run(&format!("--plain {FLAGS}"), "new\npoke\npoke\nquit\n");
    assert!(!output.contains("trap") && output.matches("in the room").count() == 3, "{output}");
}

#[test]
fn the_resume_command_names_no_mod_that_was_left_out() {
    let workspace = Workspace::with_mod("torn", "local x = = 1\n");
    let flags = "--mods mods --data data --game game --with torn --plain";
    let output = workspace.run(flags, "off:torn\nnew\npoke\nquit\n");
    assert!(output.contains("leaves it out of this start"), "{output}");
    let command = told_command(&output, "To continue it: ", "\n");
    let output = workspace.run(command, "resume\npoke\nquit\n");
    assert!(!output.contains("error[") && output.contains("in the room"), "{command}: {output}");
}

#[test]
fn the_told_command_switches_a_missing_mod_off() {
    let workspace = Workspace::with_mod("snare", TRAP_SCRIPT);
    workspace.run(&format!("mods on snare {FLAGS}"), "");
    fs::remove_dir_all(workspace.path().join("mods/snare")).unwrap();
    for start in [format!("--plain {FLAGS}"), format!("mods {FLAGS}")] {
        let output = workspace.run(&start, "quit\n");
        let command = told_command(&output, "switch it off: `", "`");
        assert!(command.ends_with(FLAGS), "{output}");
    }
    let output = workspace.run(&format!("--plain {FLAGS}"), "quit\n");
    workspace.run(told_command(&output, "switch it off: `", "`"), "");
    let output = workspace.run(&format!("--plain {FLAGS}"), "quit\n");
    assert!(!output.contains("absent-mod"), "{output}");
}
