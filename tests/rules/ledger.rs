//! The ledger of the rules holds every row, and what it points at is there.

use std::path::Path;

/// How many rows each section of the rules has.
const ROWS: [u32; 9] = [6, 12, 7, 2, 4, 5, 4, 7, 6];

fn read(path: &str) -> String {
    let whole = Path::new(env!("CARGO_MANIFEST_DIR")).join(path);
    std::fs::read_to_string(&whole).unwrap_or_else(|why| panic!("{path}: {why}"))
}

/// The texts between backticks of one line.
fn quoted(line: &str) -> Vec<&str> {
    line.split('`').skip(1).step_by(2).collect()
}

#[test]
fn every_row_is_done_and_shown() {
    let ledger = read("docs/games/sub_rosa.md");
    for (section, rows) in (1..).zip(ROWS) {
        for row in 1..=rows {
            let id = format!("| SR-{section}.{row} |");
            let line = ledger.lines().find(|line| line.starts_with(&id));
            let line = line.unwrap_or_else(|| panic!("{id} is not in the ledger"));
            let cells: Vec<&str> = line.trim_matches('|').split(" | ").collect();
            assert_eq!(cells.len(), 3, "{line}");
            assert!(!quoted(cells[1]).is_empty() || cells[1].contains("gear"), "{line}");
            for path in quoted(cells[1]).iter().filter(|path| path.ends_with(".luau")) {
                read(&format!("base_game/{path}"));
            }
            let tests: Vec<&str> =
                quoted(cells[2]).into_iter().filter(|name| name.contains("::")).collect();
            assert!(!tests.is_empty(), "{id} is shown by nothing");
            for name in tests {
                let (file, item) = name.split_once("::").unwrap();
                let source = read(&format!("tests/rules/{file}.rs"));
                let there = ["fn ", "struct "].iter().any(|word| {
                    source.contains(&format!("{word}{item}("))
                        || source.contains(&format!("{word}{item} {{"))
                });
                assert!(there, "{id}: no {name}");
            }
        }
    }
}

/// Every row is named by its id where it is done, so that a search for the id finds the Lua.
#[test]
fn every_row_is_named_in_the_lua() {
    let mut sources = String::new();
    for folder in ["rules", "play", "gear", "kinds", "words", "skills", "views", "lib"] {
        let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("base_game").join(folder);
        for file in std::fs::read_dir(path).unwrap() {
            sources += &std::fs::read_to_string(file.unwrap().path()).unwrap();
        }
    }
    for (section, rows) in (1..).zip(ROWS) {
        for row in 1..=rows {
            let id = format!("SR-{section}.{row}");
            let named = sources.match_indices(&id).any(|(at, _)| {
                !sources[at + id.len()..].starts_with(|next: char| next.is_ascii_digit())
            });
            assert!(named, "{id} is named nowhere in the base game");
        }
    }
}
