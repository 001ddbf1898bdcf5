//! Dependencies between the files of a game, by the exports they call. No two files depend on each
//! other.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;

use super::{files_below, relative_path};

const GAMES: [&str; 5] =
    ["base_game", "mods/sovereign", "mods/hollow_way", "mods/fivey", "mods/leeward"];

/// The exports of a game's scripts by file, and each file's mentions of `module.name`.
type GameExports = (BTreeMap<String, String>, BTreeMap<String, BTreeSet<String>>);

fn read_exports(game: &str) -> GameExports {
    let (mut export_files, mut used_names) = (BTreeMap::new(), BTreeMap::new());
    for path in files_below(game, &["luau"]) {
        let file = relative_path(&path);
        if file.contains("/tests/") || file.contains("/templates/") {
            continue;
        }
        let text = fs::read_to_string(&path).unwrap();
        for line in text.lines() {
            let name = line.strip_prefix("export(\"").and_then(|rest| rest.split('"').next());
            if let Some(name) = name {
                export_files.insert(name.to_owned(), file.clone());
            }
        }
        let code: Vec<&str> =
            text.lines().map(|line| line.split("--").next().unwrap_or("")).collect();
        let is_separator = |character: char| {
            !(character.is_ascii_alphanumeric() || character == '_' || character == '.')
        };
        let names = code.iter().filter(|line| !line.starts_with("export"));
        let names =
            names.flat_map(|line| line.split(is_separator)).filter(|name| name.contains('.'));
        used_names.insert(file, names.map(str::to_owned).collect::<BTreeSet<_>>());
    }
    (export_files, used_names)
}

/// The dependencies between files.
fn module_dependencies(
    (export_files, used_names): &GameExports,
) -> BTreeMap<String, BTreeSet<String>> {
    let dependencies_of = |(file, names): (&String, &BTreeSet<String>)| {
        let other_files = names
            .iter()
            .filter_map(|name| export_files.get(name))
            .filter(|export_file| *export_file != file);
        (file.clone(), other_files.cloned().collect())
    };
    used_names.iter().map(dependencies_of).collect()
}

/// Removes files without dependencies until none is left; the rest is cyclic.
fn cyclic_modules(
    mut dependencies: BTreeMap<String, BTreeSet<String>>,
) -> BTreeMap<String, BTreeSet<String>> {
    loop {
        let remaining: BTreeSet<String> = dependencies.keys().cloned().collect();
        let count_before = dependencies.len();
        dependencies
            .retain(|_, other_files| other_files.iter().any(|other| remaining.contains(other)));
        if dependencies.len() == count_before {
            return dependencies;
        }
    }
}

#[test]
fn no_two_files_of_a_game_depend_on_each_other() {
    for game in GAMES {
        let exports = read_exports(game);
        assert!(exports.0.len() > 100, "{game}: only {} exports were found", exports.0.len());
        let cycles = cyclic_modules(module_dependencies(&exports));
        assert!(cycles.is_empty(), "{game}: these files stand on each other: {cycles:#?}");
    }
}

#[test]
fn every_export_of_a_game_has_a_module_prefix() {
    for game in GAMES {
        let (export_files, _) = read_exports(game);
        let unprefixed_names: Vec<&String> =
            export_files.keys().filter(|name| !name.contains('.')).collect();
        assert!(unprefixed_names.is_empty(), "{game}: {unprefixed_names:?}");
    }
}
