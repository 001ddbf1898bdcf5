//! The ledger of a game's rules: a page with one row per rule, which names the Lua and the tests of
//! the rule. The check verifies that the references exist and that the Lua names each row.

use std::fs;
use std::path::{Path, PathBuf};

/// A game's ledger.
pub struct Ledger {
    /// The page, relative to the project's folder.
    pub page: &'static str,
    /// The prefix of its row ids.
    pub prefix: &'static str,
    /// The number of rows of each section.
    pub rows: &'static [u32],
    /// The cells after the id that name a row's implementation and its tests.
    pub done: usize,
    pub shown: usize,
    /// The game's folder, and its subfolders that name rows.
    pub game: &'static str,
    pub folders: &'static [&'static str],
    /// The folder of the tests, which are named `file::item`.
    pub tests: &'static str,
}

fn read(path: &str) -> String {
    let whole = Path::new(env!("CARGO_MANIFEST_DIR")).join(path);
    fs::read_to_string(&whole).unwrap_or_else(|why| panic!("{path}: {why}"))
}

/// The texts in backticks of one line.
fn quoted(line: &str) -> Vec<&str> {
    line.split('`').skip(1).step_by(2).collect()
}

impl Ledger {
    fn ids(&self) -> impl Iterator<Item = String> + '_ {
        let sections = (1..).zip(self.rows);
        sections.flat_map(move |(section, rows)| {
            (1..=*rows).map(move |row| format!("{}-{section}.{row}", self.prefix))
        })
    }

    /// Every row exists, its files exist, and it has at least one test or case file.
    pub fn is_done_and_shown(&self) {
        let page = read(self.page);
        for id in self.ids() {
            let line = page.lines().find(|line| line.starts_with(&format!("| {id} |")));
            let line = line.unwrap_or_else(|| panic!("{id} is not in {}", self.page));
            let cells: Vec<&str> = line.trim_matches('|').split(" | ").collect();
            assert_eq!(cells.len(), self.shown + 1, "{line}");
            let places = quoted(cells[self.done]);
            let places: Vec<_> = places.iter().filter(|path| path.ends_with(".luau")).collect();
            let folders = quoted(cells[self.done]).iter().any(|path| path.ends_with('/'));
            assert!(!places.is_empty() || folders, "{id} is done nowhere: {line}");
            for path in places {
                read(&format!("{}/{path}", self.game));
            }
            let shown = quoted(cells[self.shown]);
            let cases = shown.iter().filter(|path| path.ends_with(".luau"));
            for path in cases.clone() {
                read(&format!("{}/tests/{path}", self.game));
            }
            let tests: Vec<&&str> = shown.iter().filter(|name| name.contains("::")).collect();
            assert!(!tests.is_empty() || cases.count() > 0, "{id} is shown by nothing");
            for name in tests {
                let (file, item) = name.split_once("::").unwrap();
                let source = read(&format!("{}/{file}.rs", self.tests));
                assert!(source.contains(&format!("fn {item}(")), "{id}: no {name}");
            }
        }
    }

    /// Each row's implementation names the row's id, so that a search for the id finds the Lua.
    pub fn assert_ids_appear_in_lua(&self) {
        let game = Path::new(env!("CARGO_MANIFEST_DIR")).join(self.game);
        let folders = self.folders.iter().flat_map(|folder| folder_entries(&game.join(folder)));
        let sources: String = folders.map(|path| fs::read_to_string(path).unwrap()).collect();
        for id in self.ids() {
            let named = sources.match_indices(&id).any(|(at, _)| {
                !sources[at + id.len()..].starts_with(|next: char| next.is_ascii_digit())
            });
            assert!(named, "{id} is named nowhere in {}", self.game);
        }
    }
}

fn folder_entries(folder: &Path) -> Vec<PathBuf> {
    fs::read_dir(folder).unwrap().map(|file| file.unwrap().path()).collect()
}
