//! Rules for the source of this project: each external interface is used by one crate, the host
//! names no word of a game, and files are short and documented.

mod game_modules;
mod size_limits;
mod source;

use std::fs;
use std::path::{Path, PathBuf};

const ROOT: &str = env!("CARGO_MANIFEST_DIR");

/// Files below a folder with one of the endings, sorted.
fn files_below(folder: &str, extensions: &[&str]) -> Vec<PathBuf> {
    fn collect_files(folder: &Path, paths: &mut Vec<PathBuf>) {
        for entry in fs::read_dir(folder).unwrap() {
            let path = entry.unwrap().path();
            // Names with a dot are of no mod: the program writes `.editor/` into the examples.
            if path.file_name().is_some_and(|name| name.to_string_lossy().starts_with('.')) {
                continue;
            }
            if path.is_dir() { collect_files(&path, paths) } else { paths.push(path) }
        }
    }
    let mut paths = Vec::new();
    collect_files(&Path::new(ROOT).join(folder), &mut paths);
    paths.retain(|path| {
        let extension = path.extension().and_then(|ending| ending.to_str()).unwrap_or("");
        extensions.contains(&extension)
    });
    paths.sort();
    paths
}

/// The Rust files of the engine, without its tests.
fn engine_sources() -> Vec<PathBuf> {
    let mut paths = files_below("engine", &["rs"]);
    paths.retain(|path| !is_test_file(path));
    paths
}

/// All Rust files of tests: those in `tests/` and those of a crate.
fn test_sources() -> Vec<PathBuf> {
    let crate_tests = files_below("engine", &["rs"]).into_iter().filter(|path| is_test_file(path));
    crate_tests.chain(files_below("tests", &["rs"])).collect()
}

fn is_test_file(path: &Path) -> bool {
    relative_path(path).split('/').nth(2) == Some("tests")
}

fn relative_path(path: &Path) -> String {
    path.strip_prefix(ROOT).unwrap().to_string_lossy().replace('\\', "/")
}

/// Rust source without comments, because comments may name what code may not.
fn code_without_comments(source: &str) -> String {
    source.lines().map(|line| line.split("//").next().unwrap_or("")).collect::<Vec<_>>().join("\n")
}

fn identifiers(code: &str) -> impl Iterator<Item = &str> {
    code.split(|c: char| !(c.is_alphanumeric() || c == '_')).filter(|word| !word.is_empty())
}

#[test]
fn each_external_interface_is_used_in_one_module() {
    let interface_modules: &[(&str, &[&str])] = &[
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
                "engine/lab/",
                "engine/app/",
            ],
        ),
        ("Instant", &["engine/ui/", "engine/author/progress.rs", "engine/script/limits/fuel"]),
        ("TcpListener", &["engine/serve/"]),
        ("TcpStream", &["engine/serve/"]),
        ("SystemTime", &["engine/ui/", "engine/app/"]),
        ("HashMap", &[]),
        ("HashSet", &[]),
    ];
    let mut violations = Vec::new();
    for path in engine_sources() {
        let name = relative_path(&path);
        let code = code_without_comments(&fs::read_to_string(&path).unwrap());
        for (word, allowed_modules) in interface_modules {
            let is_allowed =
                allowed_modules.iter().any(|allowed_module| name.starts_with(allowed_module));
            if !is_allowed && identifiers(&code).any(|used_word| used_word == *word) {
                violations.push(format!("{name} uses {word}"));
            }
        }
    }
    assert!(violations.is_empty(), "each door is in one room:\n{}", violations.join("\n"));
}

#[test]
fn no_unfinished_code_is_in_the_engine() {
    let mut violations = Vec::new();
    for path in engine_sources() {
        let source = fs::read_to_string(&path).unwrap();
        // Test modules inside a file are exempt.
        let code = code_without_comments(source.split("#[cfg(test)]").next().unwrap_or_default());
        for banned_text in [".unwrap()", "todo!", "unimplemented!", "panic!(", "#[ignore"] {
            if code.contains(banned_text) {
                violations.push(format!("{} holds {banned_text}", relative_path(&path)));
            }
        }
    }
    for path in test_sources() {
        let code = code_without_comments(&fs::read_to_string(&path).unwrap());
        if !path.ends_with("source_rules.rs") && code.contains("#[ignore") {
            violations.push(format!("{} skips a test", relative_path(&path)));
        }
    }
    assert!(violations.is_empty(), "{}", violations.join("\n"));
}

/// The list of codes is one table, made a page by `api`.
const MAX_CODE_LIST_LINES: usize = 800;
/// Content may be long where it is one thing: the rooms of a floor, the foes of a place.
const MAX_CONTENT_LINES: usize = 800;

#[test]
fn content_files_are_not_named_by_numbers() {
    let is_numbered = |path: &PathBuf| {
        let stem = path.file_stem().unwrap().to_string_lossy().into_owned();
        ["_one", "_two", "_three", "_four", "_five"].iter().any(|number| stem.ends_with(number))
    };
    let numbered_files = ["base_game", "mods"].map(|folder| files_below(folder, &["luau", "lua"]));
    let numbered_paths: Vec<String> = numbered_files
        .iter()
        .flatten()
        .filter(|path| is_numbered(path))
        .map(|path| relative_path(path))
        .collect();
    assert!(
        numbered_paths.is_empty(),
        "named by a number, not by what they hold: {numbered_paths:?}"
    );
}

#[test]
fn every_file_has_a_header_and_stays_within_its_limit() {
    let mut violations = Vec::new();
    let mut check_file = |path: &Path, header: &str, max_lines: usize| {
        let source = fs::read_to_string(path).unwrap();
        if !source.starts_with(header) {
            violations.push(format!("{} does not open with {header:?}", relative_path(path)));
        }
        let lines = source.lines().count();
        if lines > max_lines {
            violations.push(format!(
                "{} has {lines} lines; at {max_lines} there are two ideas in it",
                relative_path(path)
            ));
        }
    };
    for path in engine_sources() {
        let is_list = path.ends_with("problem_code/list.rs");
        check_file(&path, "//!", if is_list { MAX_CODE_LIST_LINES } else { 400 });
    }
    for path in files_below("base_game", &["luau", "lua"]) {
        check_file(&path, "--", MAX_CONTENT_LINES);
    }
    for path in files_below("mods", &["luau", "lua"]) {
        check_file(&path, "--", MAX_CONTENT_LINES);
    }
    assert!(violations.is_empty(), "{}", violations.join("\n"));
}

#[test]
fn the_top_level_has_only_known_entries() {
    let known_names =
        ["Cargo.toml", "Cargo.lock", "engine", "mods", "base_game", "docs", "tests", "README.md"];
    let mut unknown_names: Vec<String> = fs::read_dir(ROOT)
        .unwrap()
        .map(|entry| entry.unwrap().file_name().to_string_lossy().into_owned())
        .filter(|name| {
            !name.starts_with('.') && name != "target" && !known_names.contains(&name.as_str())
        })
        .collect();
    unknown_names.sort();
    assert!(unknown_names.is_empty(), "these do not belong at the top: {unknown_names:?}");
}
