//! The ledger of a game's rules: a page with one row per rule, which names the Lua and the tests of
//! the rule. The check verifies that the references exist and that the Lua names each row.

use std::fs;
use std::path::{Path, PathBuf};

/// A game's ledger.
pub struct Ledger {
    /// The page, relative to the project's folder.
    pub page_path: &'static str,
    /// The prefix of its row ids.
    pub id_prefix: &'static str,
    /// The number of rows of each section.
    pub row_counts: &'static [u32],
    /// The cells after the id that name a row's implementation and its tests.
    pub implementation_cell: usize,
    pub tests_cell: usize,
    /// The game's folder, and its subfolders that name rows.
    pub game_folder: &'static str,
    pub game_subfolders: &'static [&'static str],
    /// The folder of the tests, which are named `file::item`.
    pub tests_folder: &'static str,
}

fn read_project_file(path: &str) -> String {
    let absolute_path = Path::new(env!("CARGO_MANIFEST_DIR")).join(path);
    fs::read_to_string(&absolute_path).unwrap_or_else(|error| panic!("{path}: {error}"))
}

/// The texts in backticks of one line.
fn backquoted_texts(line: &str) -> Vec<&str> {
    line.split('`').skip(1).step_by(2).collect()
}

impl Ledger {
    fn row_ids(&self) -> impl Iterator<Item = String> + '_ {
        let sections = (1..).zip(self.row_counts);
        sections.flat_map(move |(section, rows)| {
            (1..=*rows).map(move |row| format!("{}-{section}.{row}", self.id_prefix))
        })
    }

    /// Every row exists, its files exist, and it has at least one test or case file.
    pub fn assert_rows_name_existing_files(&self) {
        let page = read_project_file(self.page_path);
        for id in self.row_ids() {
            let line = page.lines().find(|line| line.starts_with(&format!("| {id} |")));
            let line = line.unwrap_or_else(|| panic!("{id} is not in {}", self.page_path));
            let cells: Vec<&str> = line.trim_matches('|').split(" | ").collect();
            assert_eq!(cells.len(), self.tests_cell + 1, "{line}");
            let code_references = backquoted_texts(cells[self.implementation_cell]);
            let code_paths: Vec<_> =
                code_references.iter().filter(|path| path.ends_with(".luau")).collect();
            let names_folder = backquoted_texts(cells[self.implementation_cell])
                .iter()
                .any(|path| path.ends_with('/'));
            assert!(!code_paths.is_empty() || names_folder, "{id} is done nowhere: {line}");
            for path in code_paths {
                read_project_file(&format!("{}/{path}", self.game_folder));
            }
            let test_references = backquoted_texts(cells[self.tests_cell]);
            let case_paths = test_references.iter().filter(|path| path.ends_with(".luau"));
            for path in case_paths.clone() {
                read_project_file(&format!("{}/tests/{path}", self.game_folder));
            }
            let tests: Vec<&&str> =
                test_references.iter().filter(|name| name.contains("::")).collect();
            assert!(!tests.is_empty() || case_paths.count() > 0, "{id} is shown by nothing");
            for name in tests {
                let (file, item) = name.split_once("::").unwrap();
                let source = read_project_file(&format!("{}/{file}.rs", self.tests_folder));
                assert!(source.contains(&format!("fn {item}(")), "{id}: no {name}");
            }
        }
    }

    /// Each row's implementation names the row's id, so that a search for the id finds the Lua.
    pub fn assert_ids_appear_in_lua(&self) {
        let game = Path::new(env!("CARGO_MANIFEST_DIR")).join(self.game_folder);
        let folders =
            self.game_subfolders.iter().flat_map(|folder| folder_entries(&game.join(folder)));
        let lua_text: String = folders.map(|path| fs::read_to_string(path).unwrap()).collect();
        for id in self.row_ids() {
            let is_named = lua_text.match_indices(&id).any(|(position, _)| {
                !lua_text[position + id.len()..]
                    .starts_with(|next_character: char| next_character.is_ascii_digit())
            });
            assert!(is_named, "{id} is named nowhere in {}", self.game_folder);
        }
    }
}

fn folder_entries(folder: &Path) -> Vec<PathBuf> {
    fs::read_dir(folder).unwrap().map(|file| file.unwrap().path()).collect()
}
