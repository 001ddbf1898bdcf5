//! Player names: each name is one player in every Unicode spelling, and two names are never merged
//! silently.

use std::fs;

use super::harness::Workspace;

fn profiles(lab: &Workspace) -> Vec<String> {
    let names = fs::read_dir(lab.at("data/profiles"))
        .unwrap()
        .map(|entry| entry.unwrap().file_name().to_string_lossy().into_owned());
    let mut names: Vec<String> = names.filter(|name| name.ends_with(".toml")).collect();
    names.sort();
    names
}

#[test]
fn look_alikes_are_players_of_their_own() {
    let lab = Workspace::new();
    for name in ["Ann", "ann_", "ann-", "a b", "a_b", "a  b"] {
        for _ in 0..2 {
            let told = lab.play(&["--profile", name], "new\nleave\nquit\n").1;
            assert!(!told.contains("player-file-name-taken"), "{name}: {told}");
        }
    }
    assert_eq!(profiles(&lab).len(), 6, "{:?}", profiles(&lab));
    // A name in another case is the same player.
    for name in ["ann", "ANN", " Ann ", "A B"] {
        lab.play(&["--profile", name], "quit\n");
    }
    assert_eq!(profiles(&lab).len(), 6, "{:?}", profiles(&lab));
    // A profile file name of another player opens that profile, and says so.
    let told = lab.play(&["--profile", "a-b"], "quit\n").1;
    assert!(told.contains("this is the profile of a b"), "{told}");
}

#[test]
fn one_name_in_two_spellings_is_one_player() {
    let lab = Workspace::new();
    for name in ["Jo\u{308}rg", "J\u{f6}rg", "Zoe\u{301}", "Zo\u{e9}", "\u{212b}sa", "\u{c5}sa"] {
        lab.play(&["--profile", name], "new\nleave\nquit\n");
    }
    assert_eq!(profiles(&lab).len(), 3, "{:?}", profiles(&lab));
    // A profile of an earlier program, whose file has the other spelling, is found.
    let lab = Workspace::new();
    let name = "Jo\u{308}rg";
    let old = engine::save::slug(name);
    lab.write(&format!("data/profiles/{old}.toml"), &format!("format = 2\nname = \"{name}\"\n"));
    for name in [name, "J\u{f6}rg"] {
        lab.play(&["--profile", name], "new\nleave\nquit\n");
    }
    assert_eq!(profiles(&lab), [format!("{old}.toml")]);
}
