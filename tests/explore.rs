//! `explore`, run as a person runs it, on a game full of mistakes.

use std::process::{Command, Output};

use crate::{bundled, runs};

const CELLAR_FOLDER: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/games/cellar");

fn run_explore(arguments: &[&str]) -> Output {
    let mut command = Command::new(env!("CARGO_BIN_EXE_sub-rosa"));
    command.args(["explore", "--mods", CELLAR_FOLDER, "--game", "cellar"]).args(arguments);
    command.current_dir(std::env::temp_dir()).env("XDG_DATA_HOME", "/no/such/folder");
    command.output().unwrap()
}

fn explore_output(arguments: &[&str]) -> String {
    let output = run_explore(arguments);
    assert_eq!(output.status.code(), Some(1), "{}", String::from_utf8_lossy(&output.stderr));
    String::from_utf8(output.stdout).unwrap().replace(CELLAR_FOLDER, "CELLAR")
}

#[test]
fn problems_are_found_and_shrunk_and_unreached_content_is_reported() {
    insta::assert_snapshot!(explore_output(&["--runs", "150"]));
}

#[test]
fn findings_depend_on_the_seed_and_not_on_threads() {
    let explore_with = |threads: &str, seed: &str| {
        explore_output(&["--runs", "120", "--json", "--threads", threads, "--seed", seed])
    };
    assert_eq!(explore_with("1", "1"), explore_with("3", "1"));
    assert_ne!(explore_with("2", "1"), explore_with("2", "2"));
}

#[test]
fn a_recorded_problem_fails_the_same_way_as_a_case() {
    let folder = tempfile::tempdir().unwrap();
    let record_folder = folder.path().to_string_lossy().into_owned();
    explore_output(&["--runs", "150", "--record", &record_folder]);
    let mut paths: Vec<_> =
        folder.path().read_dir().unwrap().map(|entry| entry.unwrap().path()).collect();
    paths.sort();
    assert_eq!(paths.len(), 2, "{paths:?}");
    for path in paths {
        let case = runs::read_case(&path);
        assert_eq!(case.answers.len(), 3, "two bottles and the stair: {:?}", case.answers);
        let case_run = runs::play_case_with_rebuilds(
            "found",
            &case,
            &bundled::game_content("cellar", &[]),
            None,
        );
        assert!(
            case.expected_problem.is_some() && case_run.mismatches(&case).is_empty(),
            "{}",
            case_run.full_transcript()
        );
    }
}

const WELL_GAME: &str = r#"
start(function() state.at = 0 go "rim" end)
scene "rim" {
  prompt = function()
    rules.chain(1)
    return { text = "?", choices = { { id = "walk", label = "Walk" }, { id = "run", label = "Run" },
      { id = "skip", label = "Skip" }, { id = "hop", label = "Hop" }, { id = "jump", label = "Jump" } } }
  end,
  on = {
    walk = function() state.at += 1 if state.at > 1 then finish { outcome = "home" } end end,
    run = function() finish { outcome = "home" } end,
    skip = function() finish { outcome = "home" } end,
    hop = function() finish { outcome = "home" } end,
    jump = function() go "well" end,
  },
}
scene "well" {
  prompt = function()
    return { text = "?", choices = { { id = "shout", label = "Shout" }, { id = "wait", label = "Wait" } } }
  end,
  on = { shout = function() say "Echo." end, wait = function() end },
}
rule "rope"(function()
  -- seldom: nobody here has one; mods may ask
  return 1
end)
rule "bucket"(function()
  return 2
end)
rule "chain"(function(links)
  return {
LINKS  }
end)
-- seldom: kept for a dry year
rule "tub"(function()
  local full = 3

  return full
end)
schema "at"(field.int)
"#;

#[test]
fn a_run_without_end_is_shrunk_to_its_causing_answers() {
    let folder = tempfile::tempdir().unwrap();
    let manifest = crate::support::GAME_MANIFEST.replace("\"game\"", "\"well\"");
    std::fs::write(folder.path().join("mod.toml"), manifest).unwrap();
    // A table with so many keys that a key's number looks like a counting instruction: it is not
    // code.
    let links: String = (0..250).map(|number| format!("    link_{number} = links,\n")).collect();
    let text = WELL_GAME.replace("LINKS", &links);
    std::fs::write(folder.path().join("well.luau"), text).unwrap();
    let mut command = Command::new(env!("CARGO_BIN_EXE_sub-rosa"));
    command.args(["explore", "--game", "well", "--runs", "40", "--steps", "60", "--mods"]);
    command.arg(folder.path()).current_dir(std::env::temp_dir());
    let output = command.env("XDG_DATA_HOME", "/no/such/folder").output().unwrap();
    let output_text = String::from_utf8(output.stdout).unwrap();
    assert_eq!(output.status.code(), Some(1), "{output_text}");
    assert!(
        output_text.contains("files with lines not covered: 1\n  well/well.luau: 28\n"),
        "{output_text}"
    );
    assert!(output_text.contains(": nobody here has one; mods may ask\n"), "{output_text}");
    assert!(output_text.contains(": kept for a dry year\n"), "{output_text}");
    assert!(
        output_text.contains("error[no-end]")
            && output_text.contains("answers = [\n  \"jump\",\n]"),
        "{output_text}"
    );
}

#[test]
fn explore_succeeds_for_a_game_without_errors() {
    let duel_folder = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/games/duel");
    let mut command = Command::new(env!("CARGO_BIN_EXE_sub-rosa"));
    command.args(["explore", "--mods", duel_folder, "--game", "duel", "--runs", "60"]);
    let output = command.current_dir(std::env::temp_dir()).output().unwrap();
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stdout));
}
