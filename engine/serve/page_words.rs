//! The page's own words, which are shown in the language of the player: each is a literal
//! `word("…")` in the scripts of the page. `engine/author/build.rs` lists them for translators.

use crate::page_files::PAGE_FILES;

const CALL: &str = "word(\"";

/// The words; some are there several times.
pub(crate) fn page_words() -> Vec<&'static str> {
    let texts = PAGE_FILES.into_iter().map(|(_, _, text)| text);
    let calls = texts.flat_map(|text| text.split(CALL).skip(1));
    calls.filter_map(|rest| rest.split('"').next()).collect()
}
