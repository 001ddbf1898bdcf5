//! The example mods in `mods/`: each alone, and all at once, passes `check` and its own tests.
//! Newcomers copy from them.

use std::path::Path;

use author::{CommandContext, CommandOutcome};
use content::ChangeAction;
use mods::{ModOrigin, ModSource, SearchPaths, discover_mods};
use save::DataDir;

use crate::author_check::run_check;
use crate::support::embedded_search_paths;

const PROJECT_ROOT: &str = env!("CARGO_MANIFEST_DIR");

fn command_context() -> CommandContext {
    CommandContext {
        search_paths: SearchPaths {
            project_folder: Some(PROJECT_ROOT.into()),
            ..embedded_search_paths()
        },
        game: None,
        extra_mods: Vec::new(),
        data_dir: DataDir::new(Path::new(PROJECT_ROOT).join("target/no_such_data")),
        profile_name: "Player".to_owned(),
        folder_flags: String::new(),
    }
}

/// The mods in `mods/` for the bundled game and for any game.
fn example_mods() -> Vec<ModSource> {
    let (discovered, problems) = discover_mods(&command_context().search_paths);
    assert!(problems.is_empty(), "{}", crate::support::problem_texts(&problems));
    let example_mods = discovered.into_iter().filter(|source| match &source.origin {
        ModOrigin::Folder(folder) => {
            let needs = &source.manifest.needed_mods;
            (needs.contains_key("sub_rosa") || (needs.is_empty() && !source.manifest.is_game))
                && folder.starts_with(Path::new(PROJECT_ROOT).join("mods"))
        }
        _ => false,
    });
    example_mods.collect()
}

#[test]
fn each_example_passes_check_alone_and_with_all_others() {
    let ids: Vec<String> = example_mods().iter().map(|source| source.id().to_owned()).collect();
    assert!(ids.len() >= 5, "{ids:?}");
    for id in &ids {
        let (outcome, output_text) = run_check(&command_context(), &[id], false);
        assert_eq!(outcome, CommandOutcome::Ok, "{id}: {output_text}");
    }
    let (outcome, output_text) = run_check(&command_context(), &ids, false);
    assert_eq!(outcome, CommandOutcome::Ok, "{output_text}");
}

#[test]
fn each_example_has_cases_of_its_own_and_passes_them() {
    // A translation has no scripts.
    for source in example_mods().iter().filter(|source| !source.manifest.is_translation()) {
        let id = source.id();
        let mut command = std::process::Command::new(env!("CARGO_BIN_EXE_sub-rosa"));
        command
            .args(["test", id])
            .current_dir(PROJECT_ROOT)
            .env("XDG_DATA_HOME", "/no/such/folder");
        let output = command.output().unwrap();
        let output_text = String::from_utf8(output.stdout).unwrap();
        assert_eq!(output.status.code(), Some(0), "{output_text}");
        assert!(output_text.contains(&format!("ok     {id} ")), "{id} has no cases: {output_text}");
    }
}

#[test]
fn second_thoughts_patches_two_mods_without_conflict() {
    let folders = ["ember_words", "low_light", "second_thoughts"].map(|id| format!("mods/{id}"));
    let content = crate::bundled::game_content("sub_rosa", &folders);
    let vm = crate::bundled::load_vm(&content);
    assert!(vm.load_warnings().is_empty(), "{}", crate::support::problem_texts(vm.load_warnings()));
    for (kind, id) in [("spell", "ember_words:kindle"), ("rule", "low_light:darkness")] {
        let definition = vm.registry().get(kind, id).unwrap();
        let is_patch = |action: &ChangeAction| {
            !matches!(action, ChangeAction::Declared | ChangeAction::Default)
        };
        let mut foreign_changes =
            definition.changes.iter().filter(|change| is_patch(&change.action)).peekable();
        assert!(foreign_changes.peek().is_some(), "{id}");
        assert!(foreign_changes.all(|change| change.place.owner == "second_thoughts"), "{id}");
    }
}

#[test]
fn requesting_a_mod_loads_its_dependencies() {
    let mut command = std::process::Command::new(env!("CARGO_BIN_EXE_sub-rosa"));
    command
        .args(["why", "ember_words:kindle", "--with", "second_thoughts"])
        .current_dir(PROJECT_ROOT);
    let output = command.env("XDG_DATA_HOME", "/no/such/folder").output().unwrap();
    let output_text = String::from_utf8(output.stdout).unwrap();
    assert_eq!(output.status.code(), Some(0), "{output_text}");
    assert!(output_text.contains("second_thoughts/changes.luau"), "{output_text}");
}
