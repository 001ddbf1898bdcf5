//! The files of translations, and the codes of languages.

/// The folder of translations.
const TRANSLATION_FOLDER: &str = "locale/";
/// The file extension of a translation.
const TRANSLATION_EXTENSION: &str = ".po";
/// The maximum length of a language code.
pub(super) const MAX_LANGUAGE_BYTES: usize = 24;

/// Whether a text is a language code: `de`, `pt_BR`.
pub(super) fn is_language(text: &str) -> bool {
    let is_code_char = |c: char| c.is_ascii_alphanumeric() || matches!(c, '_' | '-' | '@');
    text.len() <= MAX_LANGUAGE_BYTES
        && text.starts_with(|c: char| c.is_ascii_alphabetic())
        && text.chars().all(is_code_char)
}

/// The language of a file of a mod, if it is a translation.
pub fn language_of_file(path: &str) -> Option<&str> {
    let name = path.strip_prefix(TRANSLATION_FOLDER)?.strip_suffix(TRANSLATION_EXTENSION)?;
    is_language(name).then_some(name)
}

/// The file of a language in a mod.
pub fn translation_path(language: &str) -> String {
    format!("{TRANSLATION_FOLDER}{language}{TRANSLATION_EXTENSION}")
}
