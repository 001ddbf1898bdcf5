//! Text overrides as plain data: texts and their replacements. The original text itself is the key,
//! as in translations. So every text can be overridden, also inside functions, and nobody maintains
//! a list of names.

use std::collections::BTreeMap;
use std::sync::Arc;

use super::problem::SourceLocation;

/// A text and its replacement.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TextOverride {
    /// The text as its mod wrote it, with its marks.
    pub from: Arc<str>,
    /// The replacement.
    pub to: Arc<str>,
    /// The place of the declaration.
    pub place: SourceLocation,
}

/// All text overrides.
#[derive(Debug, Default)]
pub struct TextOverrides {
    overrides_by_text: BTreeMap<Arc<str>, Arc<TextOverride>>,
    /// The same for texts that a script capitalizes to begin a sentence: `the heap` as `The heap`.
    capitalized_texts: BTreeMap<String, String>,
}

impl TextOverrides {
    /// The winning override of each text.
    pub fn new(by_text: BTreeMap<Arc<str>, Arc<TextOverride>>) -> Self {
        let capitalize_entry = |(from, text_override): (&Arc<str>, &Arc<TextOverride>)| {
            let capitalized_text = capitalize_first_letter(from)
                .filter(|candidate| !by_text.contains_key(&**candidate))?;
            Some((
                capitalized_text,
                capitalize_first_letter(&text_override.to)
                    .unwrap_or_else(|| text_override.to.to_string()),
            ))
        };
        let capitalized_entries = by_text.iter().filter_map(capitalize_entry).collect();
        Self { overrides_by_text: by_text, capitalized_texts: capitalized_entries }
    }

    /// The text to show.
    pub fn apply_text_override<'t>(&'t self, text: &'t str) -> &'t str {
        self.replacement(text).map_or(text, |replacement| replacement)
    }

    /// The word to show for a value in a text.
    pub fn apply_word_override<'t>(&'t self, word: &'t str) -> &'t str {
        match self.replacement(word) {
            Some(replacement) => replacement,
            None => self.capitalized_texts.get(word).map_or(word, |new_text| new_text),
        }
    }

    /// The replacement of a text, if it has one.
    pub fn replacement(&self, text: &str) -> Option<&Arc<str>> {
        self.overrides_by_text.get(text).map(|text_override| &text_override.to)
    }

    /// Whether no text is overridden.
    pub fn is_empty(&self) -> bool {
        self.overrides_by_text.is_empty()
    }

    /// The place of the override that gives this text.
    pub fn place_of_override(&self, new_text: &str) -> Option<&SourceLocation> {
        self.overrides_by_text
            .values()
            .find(|text_override| *text_override.to == *new_text)
            .map(|text_override| &text_override.place)
    }
}

/// A text with its first letter capitalized, if it is lower case.
pub fn capitalize_first_letter(text: &str) -> Option<String> {
    let first_letter = text.chars().next().filter(|first| first.is_lowercase())?;
    Some(first_letter.to_uppercase().chain(text.chars().skip(1)).collect())
}
