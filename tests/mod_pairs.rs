//! Pairs of mods over one small game, in `tests/mod_pairs/`. Pairs that only touch the same
//! definition load without a message. Pairs whose order would decide conflict; the message names
//! the field and both lines. The names of conflicting pairs begin with `clash_`.

use std::fs;
use std::path::{Path, PathBuf};

use engine::base::{Problem, Value};
use engine::content::{ChangeAction, Registry};
use engine::mods::{ModSource, load_order, read_folder};
use engine::script::Vm;

use crate::support::problems_text;

const ROOT: &str = env!("CARGO_MANIFEST_DIR");

fn pairs() -> Vec<(String, PathBuf)> {
    let folders = fs::read_dir(Path::new(ROOT).join("tests/mod_pairs")).unwrap();
    let mut pairs: Vec<_> = folders
        .map(|entry| entry.unwrap())
        .map(|entry| (entry.file_name().to_string_lossy().into_owned(), entry.path()))
        .collect();
    pairs.sort();
    pairs
}

fn sources(pair: &Path) -> Vec<ModSource> {
    let game = Path::new(ROOT).join("tests/games/harbour");
    let folders = [game, pair.join("a"), pair.join("b")];
    folders.iter().map(|folder| read_folder(folder).unwrap()).collect()
}

/// Loads mods in one of the possible orders of discovery.
fn loaded(mut found: Vec<ModSource>, turn: usize) -> Result<Vm, Vec<Problem>> {
    let turn = turn % found.len().max(1);
    found.rotate_left(turn);
    Vm::load(&load_order(found)?, &Value::map())
}

/// Each change with its mod and location.
fn changes(registry: &Registry) -> String {
    let mut lines = String::new();
    for kind in registry.kinds() {
        for definition in registry.all_definitions(&kind.name) {
            for change in &definition.changes {
                let whole = matches!(change.action, ChangeAction::Replaced | ChangeAction::Retired);
                let path = if whole { "" } else { change.path.as_str() };
                let (word, place) = (change.action.display_name(), &change.place);
                lines += &format!("{} {} {path}: {word} at {place}\n", kind.name, definition.id);
            }
        }
    }
    lines
}

#[test]
fn pairs_that_merely_touch_the_same_definition_go_together() {
    let mut all = String::new();
    let mut count = 0;
    for (name, path) in pairs().iter().filter(|(name, _)| !name.starts_with("clash_")) {
        let vm = loaded(sources(path), 0).unwrap_or_else(|problems| {
            panic!("{name}: {}", problems_text(&problems));
        });
        assert_eq!(problems_text(vm.warnings()), "", "{name}");
        let registry = vm.registry();
        assert!(!changes(registry).is_empty(), "{name} changes nothing");
        all += &format!("{name}\n{}\n", changes(registry));
        count += 1;
    }
    assert!(count >= 10, "only {count} pairs");
    insta::assert_snapshot!("pairs_that_go_together", all);
}

#[test]
fn pairs_whose_order_would_decide_conflict_with_both_lines() {
    let mut all = String::new();
    for (name, path) in pairs().iter().filter(|(name, _)| name.starts_with("clash_")) {
        let told = match loaded(sources(path), 0) {
            Ok(vm) => problems_text(vm.warnings()),
            Err(problems) => problems_text(&problems),
        };
        for owner in ["ebb/changes.luau:", "flood/changes.luau:"] {
            assert!(told.contains(owner), "{name} does not name {owner}\n{told}");
        }
        all += &format!("{name}\n\n{told}\n---\n\n");
    }
    insta::assert_snapshot!("pairs_that_clash", all);
}

#[test]
fn the_order_of_discovery_changes_nothing() {
    for (name, path) in pairs() {
        let told = |turn: usize| match loaded(sources(&path), turn) {
            Ok(vm) => format!("{} {:?}", vm.registry().digest(), vm.hooks()),
            Err(problems) => problems_text(&problems),
        };
        assert_eq!(told(0), told(1), "{name}");
        assert_eq!(told(0), told(2), "{name}");
        let mut backwards = sources(&path);
        backwards.reverse();
        let told_backwards = match loaded(backwards, 0) {
            Ok(vm) => format!("{} {:?}", vm.registry().digest(), vm.hooks()),
            Err(problems) => problems_text(&problems),
        };
        assert_eq!(told(0), told_backwards, "{name}");
    }
}

#[test]
fn all_that_go_together_go_together_at_once() {
    // The mods of every pair under their own names: twenty-two independent mods over one game.
    let mut found = vec![read_folder(&Path::new(ROOT).join("tests/games/harbour")).unwrap()];
    let told_apart = |source: &ModSource, number: usize| {
        let rename = |text: &str| {
            text.replace("ebb", &format!("ebb_{number}"))
                .replace("flood", &format!("flood_{number}"))
        };
        let mut stored: serde_json::Value =
            serde_json::from_str(&source.serialize_for_store()).unwrap();
        stored["manifest"] = rename(stored["manifest"].as_str().unwrap()).into();
        for text in stored["files"].as_object_mut().unwrap().values_mut() {
            *text = rename(text.as_str().unwrap()).into();
        }
        ModSource::deserialize_from_store(&stored.to_string()).unwrap()
    };
    let wanted = |name: &str| {
        // These two pairs set what others set too; alone they load together.
        !name.starts_with("clash_") && !name.contains("replacement") && !name.contains("drop")
    };
    for (number, (_, path)) in pairs().iter().filter(|(name, _)| wanted(name)).enumerate() {
        found.extend(sources(path)[1..].iter().map(|source| told_apart(source, number)));
    }
    let count = found.len();
    let first =
        loaded(found.clone(), 0).unwrap_or_else(|problems| panic!("{}", problems_text(&problems)));
    for turn in 1..count {
        let next = loaded(found.clone(), turn).unwrap_or_else(|p| panic!("{}", problems_text(&p)));
        assert_eq!(next.registry().digest(), first.registry().digest());
    }
}
