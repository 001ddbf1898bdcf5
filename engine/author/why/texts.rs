//! Finds a text that was seen in play: where it is written, and which mods override it.

use std::io::Write;
use std::sync::Arc;

use crate::analysis::FileSummary;
use crate::output;
use base::{SourceLocation, TextOverride};
use script::Vm;

/// The host function that overrides a text.
const OVERRIDE_TEXT_FUNCTION: &str = "override_text";
/// The maximum number of texts that are listed.
const MAX_LISTED_TEXTS: usize = 12;

/// A text, where it is written, and its overrides.
#[derive(serde::Serialize)]
pub(super) struct TextReport {
    text: String,
    #[serde(rename = "written")]
    written_at: Vec<SourceLocation>,
    /// The overrides and their places; the last one wins.
    #[serde(rename = "reworded")]
    overrides: Vec<(String, SourceLocation)>,
}

/// The texts that contain these words, in the original or in an override.
pub(super) fn texts_containing(words: &str, vm: &Vm, summaries: &[FileSummary]) -> Vec<TextReport> {
    find_texts(&|text| text.contains(words), vm, summaries)
}

/// The texts that equal this word.
pub(super) fn texts_equal_to(word: &str, vm: &Vm, summaries: &[FileSummary]) -> Vec<TextReport> {
    find_texts(&|text| text == word, vm, summaries)
}

fn find_texts(is_it: &dyn Fn(&str) -> bool, vm: &Vm, summaries: &[FileSummary]) -> Vec<TextReport> {
    let rewordings = vm.text_overrides();
    let overrides_of = |text: &str| -> Vec<&Arc<TextOverride>> {
        rewordings.iter().filter(|one| *one.from == *text).collect()
    };
    let mut found: Vec<TextReport> = Vec::new();
    for (facts, word) in
        summaries.iter().flat_map(|one| one.string_literals.iter().map(move |word| (one, word)))
    {
        let contains_text =
            is_it(&word.text) || overrides_of(&word.text).iter().any(|one| is_it(&one.to));
        let overrides = rewordings.iter().any(|one| *one.to == *word.text);
        if !contains_text || overrides || word.callee == OVERRIDE_TEXT_FUNCTION {
            continue;
        }
        let at = found.iter().position(|one| one.text == word.text).unwrap_or_else(|| {
            let overrides = overrides_of(&word.text).into_iter();
            let overrides = overrides.map(|one| (one.to.to_string(), one.place.clone()));
            let (text, overrides) = (word.text.clone(), overrides.collect());
            found.push(TextReport { text, written_at: Vec::new(), overrides });
            found.len() - 1
        });
        found[at].written_at.push(facts.place(word.line));
    }
    found
}

/// Writes the texts.
pub(super) fn write_texts(texts: &[TextReport], out: &mut dyn Write) -> std::io::Result<()> {
    for TextReport { text, written_at: written, overrides } in texts.iter().take(MAX_LISTED_TEXTS) {
        output::write_line(out, &format!("text {text:?}"))?;
        for place in written {
            output::write_line(out, &format!("  written at {place}"))?;
        }
        for (words, place) in overrides {
            output::write_line(out, &format!("  overridden at {place}: {words:?}"))?;
        }
        output::write_line(out, "")?;
    }
    match texts.len().checked_sub(MAX_LISTED_TEXTS + 1) {
        Some(_) => output::write_line(
            out,
            &format!("and {} more; give more words", texts.len() - MAX_LISTED_TEXTS),
        ),
        None => Ok(()),
    }
}
