//! The ledger of Sovereign has every row, each with its Lua and an existing test.

use crate::support::Ledger;

const SOVEREIGN_LEDGER: Ledger = Ledger {
    page_path: "docs/games/sovereign.md",
    id_prefix: "SV",
    row_counts: &[
        6, 3, 4, 5, 5, 3, 11, 5, 5, 5, 6, 8, 2, 3, 3, 2, 8, 5, 6, 3, 4, 4, 10, 4, 5, 3, 4, 4,
    ],
    implementation_cell: 2,
    tests_cell: 3,
    game_folder: "mods/sovereign",
    game_subfolders: &["rules", "play", "gear", "kinds", "people", "hill", "views", "pages"],
    tests_folder: "tests/sovereign",
};

#[test]
fn every_row_names_existing_code_and_cases() {
    SOVEREIGN_LEDGER.assert_rows_name_existing_files();
}

#[test]
fn every_row_id_appears_in_the_lua() {
    SOVEREIGN_LEDGER.assert_ids_appear_in_lua();
}
