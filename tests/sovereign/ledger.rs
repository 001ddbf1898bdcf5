//! The ledger of Sovereign has every row, each with its Lua and an existing test.

use crate::support::Ledger;

const LEDGER: Ledger = Ledger {
    page: "docs/games/sovereign.md",
    prefix: "SV",
    rows: &[6, 3, 4, 5, 5, 3, 11, 5, 5, 5, 6, 8, 2, 3, 3, 2, 8, 5, 5, 3, 4, 4, 8, 4, 5, 3, 4, 4],
    done: 2,
    shown: 3,
    game: "mods/sovereign",
    folders: &["rules", "play", "gear", "kinds", "people", "hill", "views", "pages"],
    tests: "tests/sovereign",
};

#[test]
fn every_row_is_done_and_shown() {
    LEDGER.is_done_and_shown();
}

#[test]
fn every_row_is_named_in_the_lua() {
    LEDGER.assert_ids_appear_in_lua();
}
