//! The ledger of the rules has every row, and its references exist.

use crate::support::Ledger;

const LEDGER: Ledger = Ledger {
    page_path: "docs/games/sub_rosa.md",
    id_prefix: "SR",
    row_counts: &[6, 16, 7, 2, 4, 5, 4, 10, 6],
    implementation_cell: 1,
    tests_cell: 2,
    game_folder: "base_game",
    game_subfolders: &["rules", "play", "gear", "kinds", "words", "skills", "views", "lib"],
    tests_folder: "tests/rules",
};

#[test]
fn every_ledger_row_has_code_and_cases() {
    LEDGER.assert_rows_name_existing_files();
}

#[test]
fn every_ledger_row_id_appears_in_the_scripts() {
    LEDGER.assert_ids_appear_in_lua();
}
