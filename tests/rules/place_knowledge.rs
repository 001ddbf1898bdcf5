//! What a profile knows of a place is among the options of a run, and never appears in another
//! profile's run (SR-8.10).

use std::fs;
use std::path::Path;

use crate::cli::{program, run, text};

/// A profile that knows one truth of the ice house.
const PROFILE: &str = r#"format = 1
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
fn header(flags: &[&str]) -> String {
    begun(PROFILE, flags)
}

/// The same for any profile, without a Problem.
fn begun(profile: &str, flags: &[&str]) -> String {
    let folder = tempfile::tempdir().unwrap();
    fs::create_dir(folder.path().join("profiles")).unwrap();
    fs::write(folder.path().join("profiles/player.toml"), profile).unwrap();
    let data = folder.path().to_string_lossy().into_owned();
    let set = ["--set", "difficulty=true", "--set", "build=even"];
    let command = program(&[&["--plain", "--data", &data], &set[..], flags].concat());
    let output = run(command, "new\n");
    let told = text(&output.stdout);
    assert!(!told.contains("error["), "{told}");
    let journal = Path::new(&data).join("runs/player-0001/journal.jsonl");
    let journal = fs::read_to_string(journal)
        .unwrap_or_else(|_| panic!("{}{}", text(&output.stdout), text(&output.stderr)));
    journal.lines().next().unwrap().to_owned()
}

#[test]
fn what_a_profile_knows_is_taken_along() {
    let known = r#""learnt":"sub_rosa:ice_house_ten""#;
    let none = r#""learnt":"""#;
    let here = ["--set", "dungeon=ice_house"];
    for (flags, due, why) in [
        (&[][..], known, "a run of one's own"),
        (&["--seed", "7"], none, "a seed that was named"),
        (&["--daily", "2026-11-21"], none, "the seed of a day"),
        (&["--set", "learnt="], none, "set by hand"),
    ] {
        let header = header(&[&here[..], flags].concat());
        assert!(header.contains(due), "{why}: {header}");
    }
    let elsewhere = header(&["--set", "dungeon=pledge_house"]);
    assert!(elsewhere.contains(none), "nothing of this place is known: {elsewhere}");
}

#[test]
fn nothing_known_and_both_known_are_read() {
    let here = ["--set", "dungeon=ice_house"];
    let (known_of, _) = PROFILE.split_once("[games.sub_rosa.data.learnt]").unwrap();
    let nobody = begun(&format!("{known_of}[games.sub_rosa.data]\n"), &here);
    assert!(nobody.contains(r#""learnt":"""#), "{nobody}");
    let both = begun(&format!("{PROFILE}\"sub_rosa:ice_house_truth\" = 1\n"), &here);
    let due = r#""learnt":"sub_rosa:ice_house_truth/sub_rosa:ice_house_ten""#;
    assert!(both.contains(due), "{both}");
}
