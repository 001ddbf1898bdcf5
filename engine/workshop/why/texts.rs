//! Finds a text that was seen in play: where it is written, and which mods override it.

use std::io::Write;
use std::sync::Arc;

use crate::kit::Place;
use crate::script::{Rewording, Vm};
use crate::workshop::lua::Facts;
use crate::workshop::told;

/// The host function that overrides a text.
const REWORD: &str = "override_text";
/// The maximum number of texts that are listed.
const MOST: usize = 12;

/// A text, where it is written, and its overrides.
#[derive(serde::Serialize)]
pub(super) struct Text {
    text: String,
    written: Vec<Place>,
    /// The overrides and their places; the last one wins.
    reworded: Vec<(String, Place)>,
}

/// The texts that contain these words, in the original or in an override.
pub(super) fn holding(words: &str, vm: &Vm, facts: &[Facts]) -> Vec<Text> {
    found(&|text| text.contains(words), vm, facts)
}

/// The texts that equal this word.
pub(super) fn saying(word: &str, vm: &Vm, facts: &[Facts]) -> Vec<Text> {
    found(&|text| text == word, vm, facts)
}

fn found(is_it: &dyn Fn(&str) -> bool, vm: &Vm, facts: &[Facts]) -> Vec<Text> {
    let rewordings = vm.rewordings();
    let told = |text: &str| -> Vec<&Arc<Rewording>> {
        rewordings.iter().filter(|one| *one.from == *text).collect()
    };
    let mut found: Vec<Text> = Vec::new();
    for (facts, word) in facts.iter().flat_map(|one| one.words.iter().map(move |word| (one, word)))
    {
        let holds = is_it(&word.text) || told(&word.text).iter().any(|one| is_it(&one.to));
        let reworded = rewordings.iter().any(|one| *one.to == *word.text);
        if !holds || reworded || word.callee == REWORD {
            continue;
        }
        let at = found.iter().position(|one| one.text == word.text).unwrap_or_else(|| {
            let reworded = told(&word.text).into_iter();
            let reworded = reworded.map(|one| (one.to.to_string(), one.place.clone()));
            let (text, reworded) = (word.text.clone(), reworded.collect());
            found.push(Text { text, written: Vec::new(), reworded });
            found.len() - 1
        });
        found[at].written.push(facts.place(word.line));
    }
    found
}

/// Writes the texts.
pub(super) fn tell(texts: &[Text], out: &mut dyn Write) -> std::io::Result<()> {
    for Text { text, written, reworded } in texts.iter().take(MOST) {
        told::line(out, &format!("text {text:?}"))?;
        for place in written {
            told::line(out, &format!("  written at {place}"))?;
        }
        for (words, place) in reworded {
            told::line(out, &format!("  overridden at {place}: {words:?}"))?;
        }
        told::line(out, "")?;
    }
    match texts.len().checked_sub(MOST + 1) {
        Some(_) => told::line(out, &format!("and {} more; give more words", texts.len() - MOST)),
        None => Ok(()),
    }
}
