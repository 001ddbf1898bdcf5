//! The example mods in `mods/`: each alone, and all at once, passes `check` and its own tests.
//! Newcomers copy from them.

use std::path::Path;

use engine::author::{CheckRequest, CommandContext, CommandOutcome, check};
use engine::content::ChangeAction;
use engine::mods::{ModOrigin, SearchPaths, discover};
use engine::save::DataDir;

use crate::support::embedded_search_paths;

const ROOT: &str = env!("CARGO_MANIFEST_DIR");

fn bench() -> CommandContext {
    CommandContext {
        search_paths: SearchPaths { project: Some(ROOT.into()), ..embedded_search_paths() },
        game: None,
        extra_mods: Vec::new(),
        data_dir: DataDir::new(Path::new(ROOT).join("target/no_such_data")),
        profile_name: "Player".to_owned(),
    }
}

/// The ids of the mods in `mods/` for the bundled game and for any game.
pub fn ids() -> Vec<String> {
    let (found, problems) = discover(&bench().search_paths);
    assert!(problems.is_empty(), "{}", crate::support::problems_text(&problems));
    let own = found.iter().filter(|source| match &source.origin {
        ModOrigin::Disk(folder) => {
            let needs = &source.manifest.needs;
            (needs.contains_key("sub_rosa") || (needs.is_empty() && !source.manifest.game))
                && folder.starts_with(Path::new(ROOT).join("mods"))
        }
        _ => false,
    });
    own.map(|source| source.id().to_owned()).collect()
}

fn checked(mods: &[String]) -> (CommandOutcome, String) {
    let mut out = Vec::new();
    let asked = CheckRequest { mods: mods.to_vec(), json: false };
    let outcome = check(&bench(), &asked, &mut out).unwrap();
    (outcome, String::from_utf8(out).unwrap())
}

#[test]
fn each_example_passes_check_alone_and_with_all_others() {
    let ids = ids();
    assert!(ids.len() >= 5, "{ids:?}");
    for id in &ids {
        let (outcome, told) = checked(std::slice::from_ref(id));
        assert_eq!(outcome, CommandOutcome::Ok, "{id}: {told}");
    }
    let (outcome, told) = checked(&ids);
    assert_eq!(outcome, CommandOutcome::Ok, "{told}");
}

#[test]
fn each_example_has_cases_of_its_own_and_passes_them() {
    for id in ids() {
        let mut command = std::process::Command::new(env!("CARGO_BIN_EXE_sub-rosa"));
        command.args(["test", &id]).current_dir(ROOT).env("XDG_DATA_HOME", "/no/such/folder");
        let output = command.output().unwrap();
        let told = String::from_utf8(output.stdout).unwrap();
        assert_eq!(output.status.code(), Some(0), "{told}");
        assert!(told.contains(&format!("ok     {id} ")), "{id} has no cases: {told}");
    }
}

#[test]
fn the_mod_that_changes_others_changes_both_and_clashes_with_neither() {
    let folders = ["ember_words", "low_light", "second_thoughts"].map(|id| format!("mods/{id}"));
    let content = crate::bundled::content("sub_rosa", &folders);
    let vm = crate::bundled::load(&content);
    assert!(vm.warnings().is_empty(), "{}", crate::support::problems_text(vm.warnings()));
    for (kind, id) in [("spell", "ember_words:kindle"), ("rule", "low_light:darkness")] {
        let changed = vm.registry().get(kind, id).unwrap();
        let by =
            |what: &ChangeAction| !matches!(what, ChangeAction::Declared | ChangeAction::Default);
        let mut others = changed.changes.iter().filter(|change| by(&change.action)).peekable();
        assert!(others.peek().is_some(), "{id}");
        assert!(others.all(|change| change.place.owner == "second_thoughts"), "{id}");
    }
}

#[test]
fn who_asks_for_a_mod_gets_what_it_needs() {
    let mut command = std::process::Command::new(env!("CARGO_BIN_EXE_sub-rosa"));
    command.args(["why", "ember_words:kindle", "--with", "second_thoughts"]).current_dir(ROOT);
    let output = command.env("XDG_DATA_HOME", "/no/such/folder").output().unwrap();
    let told = String::from_utf8(output.stdout).unwrap();
    assert_eq!(output.status.code(), Some(0), "{told}");
    assert!(told.contains("second_thoughts/changes.luau"), "{told}");
}
