//! Rules for the source of this project: modules depend on lower layers only, each external
//! interface has one module, the host names no word of a game, and files are short and documented.

mod game_modules;
mod size_limits;
mod source;

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};

const ROOT: &str = env!("CARGO_MANIFEST_DIR");

/// Files below a folder with one of the endings, sorted.
fn files(folder: &str, endings: &[&str]) -> Vec<PathBuf> {
    fn walk(folder: &Path, found: &mut Vec<PathBuf>) {
        for entry in fs::read_dir(folder).unwrap() {
            let path = entry.unwrap().path();
            if path.is_dir() { walk(&path, found) } else { found.push(path) }
        }
    }
    let mut found = Vec::new();
    walk(&Path::new(ROOT).join(folder), &mut found);
    found.retain(|path| {
        let ending = path.extension().and_then(|ending| ending.to_str()).unwrap_or("");
        endings.contains(&ending)
    });
    found.sort();
    found
}

fn relative_path(path: &Path) -> String {
    path.strip_prefix(ROOT).unwrap().to_string_lossy().replace('\\', "/")
}

/// Rust source without comments, because comments may name what code may not.
fn code_of(source: &str) -> String {
    source.lines().map(|line| line.split("//").next().unwrap_or("")).collect::<Vec<_>>().join("\n")
}

fn words_of(code: &str) -> impl Iterator<Item = &str> {
    code.split(|c: char| !(c.is_alphanumeric() || c == '_')).filter(|word| !word.is_empty())
}

/// The modules of `engine/lib.rs` with their layers.
fn module_layers() -> BTreeMap<String, u32> {
    let mut floor = None;
    let mut rooms = BTreeMap::new();
    for line in fs::read_to_string(Path::new(ROOT).join("engine/lib.rs")).unwrap().lines() {
        if let Some(rest) = line.strip_prefix("// floor ") {
            floor = rest.split(':').next().unwrap().parse().ok();
        } else if let Some(room) = line.strip_prefix("pub mod ") {
            let floor = floor.expect("a room stands on a floor");
            rooms.insert(room.trim_end_matches(';').to_owned(), floor);
        }
    }
    rooms
}

#[test]
fn modules_depend_on_lower_layers_only() {
    let floors = module_layers();
    assert!(floors.len() >= 9, "engine/lib.rs lists its rooms under `// floor N:` lines");
    let mut wrong = Vec::new();
    for (room, floor) in &floors {
        for path in files(&format!("engine/{room}"), &["rs"]) {
            let code = code_of(&fs::read_to_string(&path).unwrap());
            for (other, other_floor) in &floors {
                let names = format!("crate::{other}");
                let used = code
                    .match_indices(&names)
                    .any(|(at, _)| !code[at + names.len()..].starts_with(char::is_alphanumeric));
                if used && other != room && other_floor >= floor {
                    wrong.push(format!(
                        "{} (floor {floor}) uses {other} (floor {other_floor})",
                        relative_path(&path)
                    ));
                }
            }
        }
    }
    assert!(wrong.is_empty(), "floors look down only:\n{}", wrong.join("\n"));
}

#[test]
fn each_external_interface_is_used_in_one_module() {
    let doors: &[(&str, &[&str])] = &[
        ("mlua", &["engine/luau/", "engine/script/"]),
        ("ratatui", &["engine/ui/"]),
        ("crossterm", &["engine/ui/"]),
        ("notify", &["engine/ui/"]),
        (
            "fs",
            &[
                "engine/mods/",
                "engine/save/",
                "engine/ui/",
                "engine/author/",
                "engine/main.rs",
                "engine/main/",
                "engine/build.rs",
            ],
        ),
        ("Instant", &["engine/ui/", "engine/author/progress.rs", "engine/script/fuel"]),
        ("SystemTime", &["engine/ui/", "engine/main.rs"]),
        ("HashMap", &[]),
        ("HashSet", &[]),
    ];
    let mut wrong = Vec::new();
    for path in files("engine", &["rs"]) {
        let name = relative_path(&path);
        let code = code_of(&fs::read_to_string(&path).unwrap());
        for (word, rooms) in doors {
            let allowed = rooms.iter().any(|room| name.starts_with(room));
            if !allowed && words_of(&code).any(|found| found == *word) {
                wrong.push(format!("{name} uses {word}"));
            }
        }
    }
    assert!(wrong.is_empty(), "each door is in one room:\n{}", wrong.join("\n"));
}

#[test]
fn no_unfinished_code_is_in_the_engine() {
    let mut wrong = Vec::new();
    for path in files("engine", &["rs"]) {
        let source = fs::read_to_string(&path).unwrap();
        // Test modules inside a file are exempt.
        let code = code_of(source.split("#[cfg(test)]").next().unwrap_or_default());
        for banned in [".unwrap()", "todo!", "unimplemented!", "panic!(", "#[ignore"] {
            if code.contains(banned) {
                wrong.push(format!("{} holds {banned}", relative_path(&path)));
            }
        }
    }
    for path in files("tests", &["rs"]) {
        let code = code_of(&fs::read_to_string(&path).unwrap());
        if !path.ends_with("source_rules.rs") && code.contains("#[ignore") {
            wrong.push(format!("{} skips a test", relative_path(&path)));
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

/// The list of codes is one table, made a page by `api`.
const LIST_LINES: usize = 800;
/// Content may be long where it is one thing: the rooms of a floor, the foes of a place.
const CONTENT_LINES: usize = 800;

#[test]
fn content_is_named_by_what_it_holds() {
    let numbered = |path: &PathBuf| {
        let stem = path.file_stem().unwrap().to_string_lossy().into_owned();
        ["_one", "_two", "_three", "_four", "_five"].iter().any(|number| stem.ends_with(number))
    };
    let found = ["base_game", "mods"].map(|folder| files(folder, &["luau", "lua"]));
    let found: Vec<String> = found
        .iter()
        .flatten()
        .filter(|path| numbered(path))
        .map(|path| relative_path(path))
        .collect();
    assert!(found.is_empty(), "named by a number, not by what they hold: {found:?}");
}

#[test]
fn every_file_has_a_head_and_stays_within_its_limit() {
    let mut wrong = Vec::new();
    let mut look = |path: &Path, head: &str, most: usize| {
        let source = fs::read_to_string(path).unwrap();
        if !source.starts_with(head) {
            wrong.push(format!("{} does not open with {head:?}", relative_path(path)));
        }
        let lines = source.lines().count();
        if lines > most {
            wrong.push(format!(
                "{} has {lines} lines; at {most} there are two ideas in it",
                relative_path(path)
            ));
        }
    };
    for path in files("engine", &["rs"]) {
        let is_list = path.ends_with("problem_code/list.rs");
        look(&path, "//!", if is_list { LIST_LINES } else { 400 });
    }
    for path in files("base_game", &["luau", "lua"]) {
        look(&path, "--", CONTENT_LINES);
    }
    for path in files("mods", &["luau", "lua"]) {
        look(&path, "--", CONTENT_LINES);
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn the_top_level_is_fixed() {
    let known =
        ["Cargo.toml", "Cargo.lock", "engine", "mods", "base_game", "docs", "tests", "README.md"];
    let mut extra: Vec<String> = fs::read_dir(ROOT)
        .unwrap()
        .map(|entry| entry.unwrap().file_name().to_string_lossy().into_owned())
        .filter(|name| {
            !name.starts_with('.') && name != "target" && !known.contains(&name.as_str())
        })
        .collect();
    extra.sort();
    assert!(extra.is_empty(), "these do not belong at the top: {extra:?}");
}
