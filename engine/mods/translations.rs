//! The translations of mods: `locale/de.po` in any mod. A mod with `language = "de"` in `mod.toml` is
//! one and nothing else: it is read when its language is chosen, without being switched on.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use super::language_files::{language_of_file, translation_path};
use super::mod_selection::explain_other_game;
use super::mod_source::ModSource;
use base::{Problem, Translation};
use translation::read_translated_texts;

/// The mods among the found ones that only translate a game into a language.
pub fn find_translation_mods(found: &[ModSource], game: &str, language: &str) -> Vec<ModSource> {
    let all: BTreeMap<&str, &ModSource> = found.iter().map(|one| (one.id(), one)).collect();
    let is_wanted = |source: &&ModSource| {
        source.manifest.language.as_deref() == Some(language)
            && explain_other_game(source, game, &all).is_none()
    };
    found.iter().filter(is_wanted).cloned().collect()
}

/// The languages of a game: those of the mods that play, and of the translations among the found
/// mods.
pub fn available_languages(found: &[ModSource], playing: &[ModSource], game: &str) -> Vec<String> {
    let all: BTreeMap<&str, &ModSource> = found.iter().map(|one| (one.id(), one)).collect();
    let translations =
        found.iter().filter(|source| explain_other_game(source, game, &all).is_none());
    let of_translations = translations.filter_map(|source| source.manifest.language.clone());
    let files = playing.iter().flat_map(|source| source.translations.keys());
    let of_files = files.filter_map(|path| language_of_file(path)).map(str::to_owned);
    let languages: BTreeSet<String> = of_translations.chain(of_files).collect();
    languages.into_iter().collect()
}

/// Reads the translation into a language from mods; of several translations of a text the last mod
/// has its way. Problems are about texts that were left out.
pub fn read_translation(
    language: &str,
    sources: &[&ModSource],
) -> (Option<Arc<Translation>>, Vec<Problem>) {
    let path = translation_path(language);
    let (mut texts, mut problems) = (Vec::new(), Vec::new());
    for source in sources {
        let Some(text) = source.translations.get(&path) else { continue };
        let (own_texts, own_problems) = read_translated_texts(source.id(), &path, text);
        texts.extend(own_texts);
        problems.extend(own_problems);
    }
    let translation = Translation { language: language.to_owned(), texts };
    let is_there = !translation.texts.is_empty();
    (is_there.then(|| Arc::new(translation)), problems)
}
