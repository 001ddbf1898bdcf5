//! The ledger of Sovereign holds every row, each with the Lua that does it and a test that is there.

use std::path::Path;

/// How many rows each section of the rules has.
const ROWS: [u32; 23] = [6, 3, 4, 5, 5, 3, 11, 5, 5, 5, 6, 8, 2, 3, 3, 2, 8, 5, 5, 3, 4, 4, 8];

fn read(path: &str) -> String {
    let whole = Path::new(env!("CARGO_MANIFEST_DIR")).join(path);
    std::fs::read_to_string(&whole).unwrap_or_else(|why| panic!("{path}: {why}"))
}

fn quoted(line: &str) -> Vec<&str> {
    line.split('`').skip(1).step_by(2).collect()
}

#[test]
fn every_row_is_done_and_shown() {
    let ledger = read("docs/games/sovereign.md");
    for (section, rows) in (1..).zip(ROWS) {
        for row in 1..=rows {
            let id = format!("| SV-{section}.{row} |");
            let line = ledger.lines().find(|line| line.starts_with(&id));
            let line = line.unwrap_or_else(|| panic!("{id} is not in the ledger"));
            let cells: Vec<&str> = line.trim_matches('|').split(" | ").collect();
            assert_eq!(cells.len(), 4, "{line}");
            let places: Vec<&str> =
                quoted(cells[2]).into_iter().filter(|path| path.ends_with(".luau")).collect();
            assert!(!places.is_empty(), "{id} is done nowhere");
            for path in places {
                read(&format!("mods/sovereign/{path}"));
            }
            let tests: Vec<&str> =
                quoted(cells[3]).into_iter().filter(|name| name.contains("::")).collect();
            assert!(!tests.is_empty(), "{id} is shown by nothing");
            for name in tests {
                let (file, item) = name.split_once("::").unwrap();
                let source = read(&format!("tests/sovereign/{file}.rs"));
                assert!(source.contains(&format!("fn {item}(")), "{id}: no {name}");
            }
        }
    }
}

/// Every row is named by its id where it is done, so that a search for the id finds the Lua.
#[test]
fn every_row_is_named_in_the_lua() {
    let mut sources = String::new();
    for folder in ["rules", "play", "gear", "kinds", "people", "hill", "views", "pages"] {
        let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("mods/sovereign").join(folder);
        for file in std::fs::read_dir(path).unwrap() {
            sources += &std::fs::read_to_string(file.unwrap().path()).unwrap();
        }
    }
    for (section, rows) in (1..).zip(ROWS) {
        for row in 1..=rows {
            let id = format!("SV-{section}.{row}");
            let named = sources.match_indices(&id).any(|(at, _)| {
                !sources[at + id.len()..].starts_with(|next: char| next.is_ascii_digit())
            });
            assert!(named, "{id} is named nowhere in the game");
        }
    }
}
