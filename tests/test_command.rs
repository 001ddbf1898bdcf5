//! `test`: the scripted runs of a mod, as its author runs them.

use std::fs;
use std::path::Path;

const MANIFEST: &str =
    "id = \"ford\"\nname = \"Ford\"\nversion = \"0.1.0\"\nengine = \"*\"\ngame = true\n";

const FORD: &str = r#"-- A ford of stones.
start(function() state.wet = 0 say "The river is high." go "stones" end)
scene "stones" {
  prompt = function()
    return { text = "Wet: " .. state.wet, choices = { { id = "step", label = "Step" }, { id = "jump", label = "Jump" } } }
  end,
  on = {
    step = function() state.wet += roll("d4", "river") end,
    jump = function() say "DEPTH" finish { outcome = "over" } end,
  },
}
schema "wet"(field.int)
"#;

const CASE: &str = "about = \"steps, then a leap\"\nseed = 3\noutcome = \"over\"\n\
    expect = [\"The river is high.\", \"Cold to the knee.\"]\nanswers = [\"step\", \"step\", \"jump\"]\n";

fn write_mod(folder: &Path, script: &str, case: &str) {
    fs::create_dir_all(folder.join("tests")).unwrap();
    fs::write(folder.join("mod.toml"), MANIFEST).unwrap();
    fs::write(folder.join("ford.luau"), script).unwrap();
    fs::write(folder.join("tests/over.toml"), case).unwrap();
}

fn test(folder: &Path, more: &[&str]) -> (Option<i32>, String) {
    crate::support::test_command_output("ford", folder, more)
}

#[test]
fn a_case_that_matches_is_ok_and_another_is_reported() {
    let folder = tempfile::tempdir().unwrap();
    let script = FORD.replace("DEPTH", "Cold to the knee.");
    write_mod(folder.path(), &script, CASE);
    assert_eq!(test(folder.path(), &[]).0, Some(0));
    let mut told = String::new();
    for case in [
        CASE.replace("\"over\"", "\"drowned\""),
        CASE.replace("Cold to", "Warm to"),
        CASE.replace("\"step\", \"step\"", "\"swim\""),
        CASE.replace("seed", "sede"),
        format!("game = \"fort\"\n{CASE}"),
    ] {
        write_mod(folder.path(), &script, &case);
        let (status, said) = test(folder.path(), &[]);
        assert_eq!(status, Some(1), "{said}");
        told.push_str(&said.replace(&*folder.path().to_string_lossy(), "FOLDER"));
        told.push_str("\n----\n");
    }
    insta::assert_snapshot!(told);
}

#[test]
fn a_line_that_is_given_may_count_what_it_likes_and_misspell_nothing() {
    let folder = tempfile::tempdir().unwrap();
    let given = |line: &str| {
        write_mod(folder.path(), FORD, &format!("{CASE}setup = [\n  \"{line}\",\n]\n"));
        fs::write(folder.path().join("mod.toml"), MANIFEST).unwrap();
        test(folder.path(), &[]).1
    };
    let told = given("state.wett = 3");
    assert!(told.contains("nobody declares `state.wett`"), "{told}");
    assert!(told.contains("ford/tests/over.toml:7"), "{told}");
    assert!(told.contains("did you mean `wet`?"), "{told}");
    let told = given("state.turns = 3");
    assert!(!told.contains("nobody declares"), "{told}");
}

#[test]
fn a_transcript_is_accepted_once_its_difference_was_shown() {
    let folder = tempfile::tempdir().unwrap();
    write_mod(folder.path(), &FORD.replace("DEPTH", "Cold to the knee."), CASE);
    let beside = folder.path().join("tests/over.txt");
    assert_eq!(test(folder.path(), &["--accept"]).0, Some(0));
    assert!(!beside.exists(), "a transcript is created for the selected case only");
    assert_eq!(test(folder.path(), &["--case", "over", "--accept"]).0, Some(0));
    let accepted = fs::read_to_string(&beside).unwrap();
    assert!(accepted.contains("> jump") && accepted.contains("Cold to the knee."), "{accepted}");

    let deeper = FORD.replace("DEPTH", "Cold to the knee. Colder to the hip.");
    write_mod(folder.path(), &deeper, CASE);
    let (status, said) = test(folder.path(), &[]);
    assert_eq!(status, Some(1));
    assert!(said.contains("- Cold to the knee.") && said.contains("+ Cold to the knee. Colder"));
    assert_eq!(fs::read_to_string(&beside).unwrap(), accepted, "nothing is accepted unasked");
    let (status, said) = test(folder.path(), &["--accept"]);
    assert_eq!(status, Some(0));
    assert!(said.contains("+ Cold to the knee. Colder to the hip."), "shown first: {said}");
    assert_eq!(test(folder.path(), &[]).0, Some(0));
}

#[test]
fn state_kept_in_a_local_is_detected() {
    let folder = tempfile::tempdir().unwrap();
    let script = FORD
        .replace("DEPTH", "Cold to the knee.")
        .replace("-- A ford of stones.\n", "local steps = 0\n")
        .replace("state.wet += roll(\"d4\", \"river\")", "steps += 1 state.wet += steps");
    write_mod(
        folder.path(),
        &script,
        &CASE.replace("\"step\", \"step\"", "\"step\", \"step\", \"step\""),
    );
    let (status, said) = test(folder.path(), &[]);
    assert_eq!(status, Some(1), "{said}");
    assert!(said.contains("rebuild-diverges") || said.contains("kept-in-a-local"), "{said}");
}

#[test]
fn a_case_lies_anywhere_below_tests_and_mods_of_two_games_are_both_tried() {
    let both = tempfile::tempdir().unwrap();
    let script = FORD.replace("DEPTH", "Cold to the knee.");
    let (ford, weir) = (both.path().join("ford"), both.path().join("weir"));
    for folder in [&ford, &weir] {
        write_mod(folder, &script, CASE);
    }
    fs::create_dir(ford.join("tests/runs")).unwrap();
    fs::rename(ford.join("tests/over.toml"), ford.join("tests/runs/over.toml")).unwrap();
    fs::write(weir.join("mod.toml"), MANIFEST.replace("ford", "weir")).unwrap();
    let (status, told) = crate::support::test_command_output("ford", both.path(), &["weir"]);
    assert_eq!(status, Some(0), "{told}");
    for owner in ["ford", "weir"] {
        assert!(told.contains(&format!("ok     {owner} over: steps, then a leap")), "{told}");
    }
    let (status, told) =
        crate::support::test_command_output("ford", both.path(), &["weir", "--game", "weir"]);
    assert_eq!(status, Some(1), "{told}");
    assert!(told.contains("ford is left out: it is a game itself"), "{told}");
}
