//! The ledger of the rules has every row, and its references exist.

use crate::support::Ledger;

const LEDGER: Ledger = Ledger {
    page: "docs/games/sub_rosa.md",
    prefix: "SR",
    rows: &[6, 16, 7, 2, 4, 5, 4, 10, 6],
    done: 1,
    shown: 2,
    game: "base_game",
    folders: &["rules", "play", "gear", "kinds", "words", "skills", "views", "lib"],
    tests: "tests/rules",
};

#[test]
fn every_ledger_row_has_code_and_cases() {
    LEDGER.is_done_and_shown();
}

#[test]
fn every_ledger_row_id_appears_in_the_scripts() {
    LEDGER.assert_ids_appear_in_lua();
}
