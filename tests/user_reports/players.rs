//! Player names: each name is one player in every Unicode spelling, and two names are never merged
//! silently.

use std::fs;

use super::harness::Workspace;

fn profile_file_names(workspace: &Workspace) -> Vec<String> {
    let names = fs::read_dir(workspace.path_of("data/profiles"))
        .unwrap()
        .map(|entry| entry.unwrap().file_name().to_string_lossy().into_owned());
    let mut names: Vec<String> = names.filter(|name| name.ends_with(".toml")).collect();
    names.sort();
    names
}

#[test]
fn similar_names_are_separate_players() {
    let workspace = Workspace::new();
    for name in ["Ann", "ann_", "ann-", "a b", "a_b", "a  b"] {
        for _ in 0..2 {
            let output = workspace.play_in_plain_text(&["--profile", name], "new\nleave\nquit\n").1;
            assert!(!output.contains("player-file-name-taken"), "{name}: {output}");
        }
    }
    assert_eq!(profile_file_names(&workspace).len(), 6, "{:?}", profile_file_names(&workspace));
    // A name in another case is the same player.
    for name in ["ann", "ANN", " Ann ", "A B"] {
        workspace.play_in_plain_text(&["--profile", name], "quit\n");
    }
    assert_eq!(profile_file_names(&workspace).len(), 6, "{:?}", profile_file_names(&workspace));
    // A profile file name of another player opens that profile, and says so.
    let output = workspace.play_in_plain_text(&["--profile", "a-b"], "quit\n").1;
    assert!(output.contains("this is the profile of a b"), "{output}");
}

#[test]
fn one_name_in_two_spellings_is_one_player() {
    let workspace = Workspace::new();
    for name in ["Jo\u{308}rg", "J\u{f6}rg", "Zoe\u{301}", "Zo\u{e9}", "\u{212b}sa", "\u{c5}sa"] {
        workspace.play_in_plain_text(&["--profile", name], "new\nleave\nquit\n");
    }
    assert_eq!(profile_file_names(&workspace).len(), 3, "{:?}", profile_file_names(&workspace));
    // A profile of an earlier program, whose file has the other spelling, is found.
    let workspace = Workspace::new();
    let name = "Jo\u{308}rg";
    let old_slug = save::file_slug(name);
    workspace.write(
        &format!("data/profiles/{old_slug}.toml"),
        &format!("format = 2\nname = \"{name}\"\n"),
    );
    for name in [name, "J\u{f6}rg"] {
        workspace.play_in_plain_text(&["--profile", name], "new\nleave\nquit\n");
    }
    assert_eq!(profile_file_names(&workspace), [format!("{old_slug}.toml")]);
}
