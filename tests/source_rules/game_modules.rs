//! Dependencies between the files of a game, by the exports they call. No two files depend on each
//! other.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;

use super::{files, relative_path};

const GAMES: [&str; 5] =
    ["base_game", "mods/sovereign", "mods/hollow_way", "mods/fivey", "mods/leeward"];

/// The exports of a game's scripts by file, and each file's mentions of `module.name`.
type Read = (BTreeMap<String, String>, BTreeMap<String, BTreeSet<String>>);

fn read(game: &str) -> Read {
    let (mut homes, mut uses) = (BTreeMap::new(), BTreeMap::new());
    for path in files(game, &["luau"]) {
        let file = relative_path(&path);
        if file.contains("/tests/") || file.contains("/templates/") {
            continue;
        }
        let text = fs::read_to_string(&path).unwrap();
        for line in text.lines() {
            let name = line.strip_prefix("export(\"").and_then(|rest| rest.split('"').next());
            if let Some(name) = name {
                homes.insert(name.to_owned(), file.clone());
            }
        }
        let code: Vec<&str> =
            text.lines().map(|line| line.split("--").next().unwrap_or("")).collect();
        let word = |sign: char| !(sign.is_ascii_alphanumeric() || sign == '_' || sign == '.');
        let names = code.iter().filter(|line| !line.starts_with("export"));
        let names = names.flat_map(|line| line.split(word)).filter(|name| name.contains('.'));
        uses.insert(file, names.map(str::to_owned).collect::<BTreeSet<_>>());
    }
    (homes, uses)
}

/// The dependencies between files.
fn module_dependencies((homes, uses): &Read) -> BTreeMap<String, BTreeSet<String>> {
    let on = |(file, names): (&String, &BTreeSet<String>)| {
        let others = names.iter().filter_map(|name| homes.get(name)).filter(|home| *home != file);
        (file.clone(), others.cloned().collect())
    };
    uses.iter().map(on).collect()
}

/// Removes files without dependencies until none is left; the rest is cyclic.
fn cyclic_modules(
    mut on: BTreeMap<String, BTreeSet<String>>,
) -> BTreeMap<String, BTreeSet<String>> {
    loop {
        let left: BTreeSet<String> = on.keys().cloned().collect();
        let before = on.len();
        on.retain(|_, others| others.iter().any(|other| left.contains(other)));
        if on.len() == before {
            return on;
        }
    }
}

#[test]
fn no_two_files_of_a_game_depend_on_each_other() {
    for game in GAMES {
        let read = read(game);
        assert!(read.0.len() > 100, "{game}: only {} exports were found", read.0.len());
        let rings = cyclic_modules(module_dependencies(&read));
        assert!(rings.is_empty(), "{game}: these files stand on each other: {rings:#?}");
    }
}

#[test]
fn every_export_of_a_game_stands_in_a_module() {
    for game in GAMES {
        let (homes, _) = read(game);
        let flat: Vec<&String> = homes.keys().filter(|name| !name.contains('.')).collect();
        assert!(flat.is_empty(), "{game}: {flat:?}");
    }
}
