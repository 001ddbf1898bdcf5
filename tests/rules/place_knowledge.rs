//! A profile's knowledge of a place is an option of the run, and never appears in another profile's
//! run (SR-8.10).

use std::fs;
use std::path::Path;

use crate::cli::{program_command, run_with_input, utf8_text};

/// A profile that knows one truth of the ice house.
const PROFILE_TOML: &str = r#"format = 1
name = "Player"
last_run = 0

[preferences]

[games.sub_rosa]
runs_started = 0
mods_on = []
settled = []
achieved = []

[games.sub_rosa.data.learnt]
"sub_rosa:ice_house_ten" = 1
"#;

/// Begins a run as that player and returns the first line of its journal with its options.
fn journal_header(flags: &[&str]) -> String {
    journal_header_with_profile(PROFILE_TOML, flags)
}

/// The same for any profile, without a Problem.
fn journal_header_with_profile(profile: &str, flags: &[&str]) -> String {
    let folder = tempfile::tempdir().unwrap();
    fs::create_dir(folder.path().join("profiles")).unwrap();
    fs::write(folder.path().join("profiles/player.toml"), profile).unwrap();
    let data = folder.path().to_string_lossy().into_owned();
    let setting_flags = ["--set", "difficulty=true", "--set", "build=even"];
    let command =
        program_command(&[&["--plain", "--data", &data], &setting_flags[..], flags].concat());
    let answers = if flags.contains(&"--daily") { "daily\nbegin\n" } else { "new\n" };
    let output = run_with_input(command, answers);
    let stdout = utf8_text(&output.stdout);
    assert!(!stdout.contains("error["), "{stdout}");
    let journal = Path::new(&data).join("runs/player-0001/journal.jsonl");
    let journal = fs::read_to_string(journal)
        .unwrap_or_else(|_| panic!("{}{}", utf8_text(&output.stdout), utf8_text(&output.stderr)));
    journal.lines().next().unwrap().to_owned()
}

#[test]
fn known_truths_are_in_the_run_options_of_their_place() {
    let learnt_one = r#""learnt":"sub_rosa:ice_house_ten""#;
    let learnt_nothing = r#""learnt":"""#;
    let place_flags = ["--set", "dungeon=ice_house"];
    for (flags, expected_text, case_name) in [
        (&[][..], learnt_one, "a run of one's own"),
        (&["--seed", "7"], learnt_nothing, "a seed that was named"),
        (&["--daily", "2026-11-21"], learnt_nothing, "the seed of a day"),
        (&["--set", "learnt="], learnt_nothing, "set by hand"),
    ] {
        let first_line = journal_header(&[&place_flags[..], flags].concat());
        assert!(first_line.contains(expected_text), "{case_name}: {first_line}");
    }
    let other_place_header = journal_header(&["--set", "dungeon=pledge_house"]);
    assert!(
        other_place_header.contains(learnt_nothing),
        "nothing of this place is known: {other_place_header}"
    );
}

#[test]
fn zero_or_two_known_truths_are_read() {
    let place_flags = ["--set", "dungeon=ice_house"];
    let (profile_head, _) = PROFILE_TOML.split_once("[games.sub_rosa.data.learnt]").unwrap();
    let header_without_truths = journal_header_with_profile(
        &format!("{profile_head}[games.sub_rosa.data]\n"),
        &place_flags,
    );
    assert!(header_without_truths.contains(r#""learnt":"""#), "{header_without_truths}");
    let header_with_two_truths = journal_header_with_profile(
        &format!("{PROFILE_TOML}\"sub_rosa:ice_house_truth\" = 1\n"),
        &place_flags,
    );
    let expected_text = r#""learnt":"sub_rosa:ice_house_truth/sub_rosa:ice_house_ten""#;
    assert!(header_with_two_truths.contains(expected_text), "{header_with_two_truths}");
}
