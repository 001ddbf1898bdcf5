//! Text overrides as plain data: texts and their replacements. The original text itself is the key,
//! as in translations. So every text can be overridden, also inside functions, and nobody maintains
//! a list of names.

use std::collections::BTreeMap;
use std::sync::Arc;

use super::problem::SourceLocation;
use super::translation::{TranslatedPlural, Translation};
use super::value::Value;

/// The mark whose number decides the plural form of a word in the same text.
pub const COUNT_MARK: &str = "count";

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
    /// The forms of words that are counted, by the singular and by the plural.
    plurals: BTreeMap<Arc<str>, TranslatedPlural>,
    /// Whether they are in another language than the mods.
    is_translation: bool,
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
        Self {
            overrides_by_text: by_text,
            capitalized_texts: capitalized_entries,
            plurals: BTreeMap::new(),
            is_translation: false,
        }
    }

    /// The same in a language. A text that is overridden is translated as the new text.
    pub fn with_translation(
        mut by_text: BTreeMap<Arc<str>, Arc<TextOverride>>,
        translation: &Translation,
    ) -> Self {
        let mut plurals = BTreeMap::new();
        let mut translated_texts: BTreeMap<Arc<str>, Arc<TextOverride>> = BTreeMap::new();
        for text in &translation.texts {
            let mut translate = |from: &Arc<str>, to: &Arc<str>| {
                let (from, to, place) = (from.clone(), to.clone(), text.place.clone());
                translated_texts.insert(from.clone(), Arc::new(TextOverride { from, to, place }));
            };
            translate(&text.from, &text.to);
            if let Some(plural) = &text.plural {
                translate(&plural.from, plural.forms.last().unwrap_or(&text.to));
                plurals.insert(text.from.clone(), plural.clone());
                plurals.insert(plural.from.clone(), plural.clone());
            }
        }
        for text_override in by_text.values_mut() {
            if let Some(translated) = translated_texts.get(&text_override.to) {
                let (from, to) = (text_override.from.clone(), translated.to.clone());
                let place = translated.place.clone();
                *text_override = Arc::new(TextOverride { from, to, place });
            }
        }
        for (from, translated) in translated_texts {
            by_text.entry(from).or_insert(translated);
        }
        Self { plurals, is_translation: true, ..Self::new(by_text) }
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

    /// The word to show for a value in a text. A word with plural forms takes the form of the
    /// number that `find_count` gives, the value of [`COUNT_MARK`] in the same text.
    pub fn apply_counted_word<'t>(
        &'t self,
        word: &'t str,
        find_count: impl FnOnce() -> Option<Value>,
    ) -> &'t str {
        let form = self.plurals.get(word).and_then(|plural| match find_count()? {
            Value::Int(count) => plural.form_of(count.unsigned_abs()),
            _ => None,
        });
        match form {
            Some(form) => form,
            None => self.apply_word_override(word),
        }
    }

    /// The replacement of a text, if it has one.
    pub fn replacement(&self, text: &str) -> Option<&Arc<str>> {
        self.overrides_by_text.get(text).map(|text_override| &text_override.to)
    }

    /// Whether they are in another language than the mods.
    pub fn is_translation(&self) -> bool {
        self.is_translation
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
