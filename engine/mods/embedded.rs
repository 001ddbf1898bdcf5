//! The base game inside the program. `engine/build.rs` puts it there, and the program hands it over:
//! so this library need not be built again because a room of the game was edited.

use std::cmp::Ordering;
use std::sync::OnceLock;

use super::folder::{Read, guess_id};
use super::manifest::Manifest;
use super::source::{ModSource, Origin};
use super::template::is_template;
use crate::kit::FileText;

/// A file of the base game: its path, its text, and what the text compiles to if it is a script that does.
pub type BuiltFile = (&'static str, &'static str, &'static [u8]);

static BASE_GAME: OnceLock<&'static [BuiltFile]> = OnceLock::new();

/// Takes the base game over from the program: its files in the order of their texts, none if there
/// was no base game when the program was built. Done once, before any mod is looked for; it stays.
pub fn hand_over(files: &'static [BuiltFile]) {
    BASE_GAME.get_or_init(|| files);
}

/// What was handed over.
///
/// # Panics
/// If nothing was: what is found would depend on who was quicker.
fn base_game() -> &'static [BuiltFile] {
    BASE_GAME.get().expect("a program hands its base game over before it looks for mods")
}

/// The mods inside the program that can be read. (One that cannot is told of by
/// [`super::discover`], like any other.)
pub fn embedded() -> Vec<ModSource> {
    read().and_then(|read| read.source.ok()).into_iter().collect()
}

/// The same where nothing may have been handed over: then there are none.
pub fn embedded_if_any() -> Vec<ModSource> {
    if BASE_GAME.get().is_some() { embedded() } else { Vec::new() }
}

/// What a script compiles to, if it is one of the base game's as it was when the program was built.
pub fn compiled(text: &str) -> Option<&'static [u8]> {
    let (.., code) = find(text)?;
    (!code.is_empty()).then_some(code)
}

/// The program's own copy of a text, if it has one.
pub(super) fn text(text: &str) -> Option<&'static str> {
    find(text).map(|(_, text, _)| text)
}

fn find(text: &str) -> Option<BuiltFile> {
    // The program's own copy need not be read to be known.
    let order = |other: &str| match std::ptr::eq(other, text) {
        true => Ordering::Equal,
        false => other.cmp(text),
    };
    // Whoever plays no base game of the program's own has no copies of texts either.
    let files = BASE_GAME.get()?;
    files.binary_search_by(|(_, other, _)| order(other)).ok().map(|at| files[at])
}

/// The files of the base game's templates.
pub(super) fn templates() -> impl Iterator<Item = (&'static str, &'static str)> {
    let templates = base_game().iter().filter(|(path, ..)| is_template(path));
    templates.map(|(path, text, _)| (*path, *text))
}

/// The id of the base game, if there is one.
pub(super) fn id() -> Option<String> {
    let (_, manifest, _) = base_game().iter().find(|(path, ..)| *path == "mod.toml")?;
    guess_id(manifest)
}

/// The base game, if there is one.
pub(super) fn read() -> Option<Read> {
    let (_, manifest, _) = base_game().iter().find(|(path, ..)| *path == "mod.toml")?;
    let scripts = base_game().iter().filter(|(path, ..)| *path != "mod.toml" && !is_template(path));
    let scripts = scripts.map(|(path, text, _)| ((*path).to_owned(), FileText::built(text)));
    let source = Manifest::parse("base_game", manifest).map(|parsed| {
        ModSource::new(parsed, FileText::built(manifest), scripts.collect(), Origin::Embedded)
    });
    Some(Read { id: guess_id(manifest), source })
}
