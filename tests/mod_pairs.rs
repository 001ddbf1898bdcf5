//! Pairs of mods over one small game, in `tests/mod_pairs/`. Pairs that only touch the same
//! definition load without a message. Pairs whose order would decide conflict; the message names
//! the field and both lines. The names of conflicting pairs begin with `clash_`.

use std::fs;
use std::path::{Path, PathBuf};

use base::{Problem, Value};
use content::{ChangeAction, Registry};
use mods::{ModSource, read_folder, sort_into_load_order};
use script::Vm;

use crate::support::problem_texts;

const PROJECT_ROOT: &str = env!("CARGO_MANIFEST_DIR");

fn pair_folders() -> Vec<(String, PathBuf)> {
    let folders = fs::read_dir(Path::new(PROJECT_ROOT).join("tests/mod_pairs")).unwrap();
    let mut pairs: Vec<_> = folders
        .map(|entry| entry.unwrap())
        .map(|entry| (entry.file_name().to_string_lossy().into_owned(), entry.path()))
        .collect();
    pairs.sort();
    pairs
}

fn pair_sources(pair: &Path) -> Vec<ModSource> {
    let game = Path::new(PROJECT_ROOT).join("tests/games/harbour");
    let folders = [game, pair.join("a"), pair.join("b")];
    folders.iter().map(|folder| read_folder(folder).unwrap()).collect()
}

/// Loads mods in one of the possible orders of discovery.
fn load_rotated(mut sources: Vec<ModSource>, rotation: usize) -> Result<Vm, Vec<Problem>> {
    let rotation = rotation % sources.len().max(1);
    sources.rotate_left(rotation);
    Vm::load(&sort_into_load_order(sources)?, &Value::map())
}

/// Each change with its mod and location.
fn list_changes(registry: &Registry) -> String {
    let mut lines = String::new();
    for kind in registry.kinds() {
        for definition in registry.all_definitions(&kind.name) {
            for change in &definition.changes {
                let is_whole_definition =
                    matches!(change.action, ChangeAction::Replaced | ChangeAction::Retired);
                let path = if is_whole_definition { "" } else { change.path.as_str() };
                let (action_name, location) = (change.action.display_name(), &change.place);
                lines += &format!(
                    "{} {} {path}: {action_name} at {location}\n",
                    kind.name, definition.id
                );
            }
        }
    }
    lines
}

#[test]
fn pairs_that_touch_the_same_definition_load_together() {
    let mut all_output = String::new();
    let mut count = 0;
    for (name, path) in pair_folders().iter().filter(|(name, _)| !name.starts_with("clash_")) {
        let vm = load_rotated(pair_sources(path), 0).unwrap_or_else(|problems| {
            panic!("{name}: {}", problem_texts(&problems));
        });
        assert_eq!(problem_texts(vm.load_warnings()), "", "{name}");
        let registry = vm.registry();
        assert!(!list_changes(registry).is_empty(), "{name} changes nothing");
        all_output += &format!("{name}\n{}\n", list_changes(registry));
        count += 1;
    }
    assert!(count >= 10, "only {count} pairs");
    insta::assert_snapshot!("pairs_that_go_together", all_output);
}

#[test]
fn pairs_whose_order_would_decide_conflict_with_both_lines() {
    let mut all_output = String::new();
    for (name, path) in pair_folders().iter().filter(|(name, _)| name.starts_with("clash_")) {
        let load_output = match load_rotated(pair_sources(path), 0) {
            Ok(vm) => problem_texts(vm.load_warnings()),
            Err(problems) => problem_texts(&problems),
        };
        for owner in ["ebb/changes.luau:", "flood/changes.luau:"] {
            assert!(load_output.contains(owner), "{name} does not name {owner}\n{load_output}");
        }
        all_output += &format!("{name}\n\n{load_output}\n---\n\n");
    }
    insta::assert_snapshot!("pairs_that_clash", all_output);
}

#[test]
fn the_order_of_discovery_changes_nothing() {
    for (name, path) in pair_folders() {
        let load_result_text = |rotation: usize| match load_rotated(pair_sources(&path), rotation) {
            Ok(vm) => format!("{} {:?}", vm.registry().digest(), vm.registered_hooks()),
            Err(problems) => problem_texts(&problems),
        };
        assert_eq!(load_result_text(0), load_result_text(1), "{name}");
        assert_eq!(load_result_text(0), load_result_text(2), "{name}");
        let mut reversed_sources = pair_sources(&path);
        reversed_sources.reverse();
        let reversed_result_text = match load_rotated(reversed_sources, 0) {
            Ok(vm) => format!("{} {:?}", vm.registry().digest(), vm.registered_hooks()),
            Err(problems) => problem_texts(&problems),
        };
        assert_eq!(load_result_text(0), reversed_result_text, "{name}");
    }
}

#[test]
fn all_compatible_pairs_load_together() {
    // The mods of every pair under their own names: twenty-two independent mods over one game.
    let mut all_sources =
        vec![read_folder(&Path::new(PROJECT_ROOT).join("tests/games/harbour")).unwrap()];
    let with_unique_ids = |source: &ModSource, number: usize| {
        let rename = |text: &str| {
            text.replace("ebb", &format!("ebb_{number}"))
                .replace("flood", &format!("flood_{number}"))
        };
        let mut stored_json: serde_json::Value =
            serde_json::from_str(&source.serialize_for_store()).unwrap();
        stored_json["manifest"] = rename(stored_json["manifest"].as_str().unwrap()).into();
        for text in stored_json["files"].as_object_mut().unwrap().values_mut() {
            *text = rename(text.as_str().unwrap()).into();
        }
        ModSource::deserialize_from_store(&stored_json.to_string()).unwrap()
    };
    let is_compatible = |name: &str| {
        // The other excluded pairs set fields that these pairs set too; alone they load.
        !name.starts_with("clash_") && !name.contains("replacement") && !name.contains("drop")
    };
    for (number, (_, path)) in
        pair_folders().iter().filter(|(name, _)| is_compatible(name)).enumerate()
    {
        all_sources
            .extend(pair_sources(path)[1..].iter().map(|source| with_unique_ids(source, number)));
    }
    let count = all_sources.len();
    let first_vm = load_rotated(all_sources.clone(), 0)
        .unwrap_or_else(|problems| panic!("{}", problem_texts(&problems)));
    for rotation in 1..count {
        let rotated_vm = load_rotated(all_sources.clone(), rotation)
            .unwrap_or_else(|errors| panic!("{}", problem_texts(&errors)));
        assert_eq!(rotated_vm.registry().digest(), first_vm.registry().digest());
    }
}
