//! A translation as plain data: the source texts and what is shown instead of them.

use std::sync::Arc;

use super::plural_forms::PluralForms;
use super::problem::SourceLocation;

/// The texts of one language, from all files of the mods that play.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Translation {
    /// The language: `de`, `pt_BR`.
    pub language: String,
    /// The translated texts, in the order of their files.
    pub texts: Vec<TranslatedText>,
}

/// A source text and its translation.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TranslatedText {
    /// The text as its mod wrote it, with its marks.
    pub from: Arc<str>,
    /// The new text; of a word with plural forms the first of them.
    pub to: Arc<str>,
    /// The plural of the source text, and all forms.
    pub plural: Option<TranslatedPlural>,
    /// The line of the translation.
    pub place: SourceLocation,
}

/// The plural forms of a translated text.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TranslatedPlural {
    /// The plural as its mod wrote it.
    pub from: Arc<str>,
    /// All forms, the one of `to` first.
    pub forms: Vec<Arc<str>>,
    /// Which of them a count takes.
    pub rule: Arc<PluralForms>,
}

impl TranslatedPlural {
    /// The form that a count takes.
    pub fn form_of(&self, count: u64) -> Option<&Arc<str>> {
        self.forms.get(self.rule.form_of(count))
    }
}
