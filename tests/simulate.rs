//! `simulate`, run as a person runs it: many runs of a tiny game, and the report of them.

use std::path::Path;
use std::process::{Command, Output};

use crate::{bundled, runs};

const DUEL: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/games/duel");

fn simulate(arguments: &[&str]) -> Output {
    let mut command = Command::new(env!("CARGO_BIN_EXE_sub-rosa"));
    command.args(["simulate", "--mods", DUEL, "--game", "duel"]).args(arguments);
    command.current_dir(std::env::temp_dir()).env("XDG_DATA_HOME", "/no/such/folder");
    command.output().unwrap()
}

fn told(arguments: &[&str]) -> String {
    let output = simulate(arguments);
    let wrong = String::from_utf8(output.stderr).unwrap();
    assert!(output.status.success(), "{wrong}{}", String::from_utf8_lossy(&output.stdout));
    assert_eq!(wrong, "", "progress is for a terminal only");
    String::from_utf8(output.stdout).unwrap()
}

#[test]
fn a_report_says_what_runs_come_to_and_how_sure_that_is() {
    let report = told(&["--runs", "40", "--set", "rival=*", "--set", "stones=5,7..8"]);
    insta::assert_snapshot!(report);
    let csv = told(&["--runs", "10", "--set", "rival=*", "--csv"]);
    assert_eq!(csv.lines().count(), 21);
    insta::assert_snapshot!("simulate_csv", csv.lines().take(4).collect::<Vec<_>>().join("\n"));
}

#[test]
fn the_report_is_the_same_whatever_the_number_of_threads() {
    let by = |threads| told(&["--runs", "30", "--json", "--set", "rival=*", "--threads", threads]);
    let one = by("1");
    assert_eq!(one, by("3"));
    let read: serde_json::Value = serde_json::from_str(&one).unwrap();
    let won = &read["groups"][0]["outcomes"]["won"];
    let count = won["count"].as_f64().unwrap();
    assert_eq!(won["share"].as_f64().unwrap(), count / 30.0);
    let within = |at: usize| won["interval"][at].as_f64().unwrap();
    assert!(within(0) < count / 30.0 && count / 30.0 < within(1));
}

#[test]
fn a_run_that_was_recorded_can_be_played_again() {
    let folder = tempfile::tempdir().unwrap();
    let into = folder.path().to_string_lossy().into_owned();
    told(&["--runs", "20", "--record", &into, "--outcome", "lost", "--set", "stones=9"]);
    let found: Vec<_> = folder.path().read_dir().unwrap().map(|one| one.unwrap().path()).collect();
    assert_eq!(found.len(), 1, "{found:?}");
    let case = runs::read(&found[0]);
    let content = bundled::content("duel", &[]);
    let played = runs::play("recorded", &case, &content, None);
    assert_eq!(played.outcome(), Some("lost"));
    assert!(played.faults(&case).is_empty());
}

#[test]
fn what_cannot_be_simulated_is_said() {
    let mut all = String::new();
    for arguments in [
        &["--bot", "stedy"][..],
        &["--set", "stones=9..5"],
        &["--set", "stones=3"],
        &["--set", "rivl=miller"],
    ] {
        let output = simulate(arguments);
        assert_eq!(output.status.code(), Some(2), "{arguments:?}");
        let said = String::from_utf8(output.stdout).unwrap();
        all.push_str(&format!("== {}\n{said}\n", arguments.join(" ")));
    }
    insta::assert_snapshot!(all);
    assert!(!Path::new("/no/such/folder").exists());
}
