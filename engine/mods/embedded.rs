//! The base game inside the program, put there by `engine/build.rs`.

use std::cmp::Ordering;

use super::folder::{Read, guess_id};
use super::manifest::Manifest;
use super::source::{ModSource, Origin};
use super::template::is_template;
use crate::kit::FileText;

/// A file of the base game: its path, its text, and what the text compiles to if it is a script that does.
type File = (&'static str, &'static str, &'static [u8]);

/// The files of the base game in the order of their texts; none if there was no base game when the
/// program was built.
static BASE_GAME: &[File] = include!(concat!(env!("OUT_DIR"), "/base_game.rs"));

/// The mods inside the program that can be read. (One that cannot is told of by
/// [`super::discover`], like any other.)
pub fn embedded() -> Vec<ModSource> {
    read().and_then(|read| read.source.ok()).into_iter().collect()
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

fn find(text: &str) -> Option<File> {
    // The program's own copy need not be read to be known.
    let order = |other: &str| match std::ptr::eq(other, text) {
        true => Ordering::Equal,
        false => other.cmp(text),
    };
    let at = BASE_GAME.binary_search_by(|(_, other, _)| order(other)).ok()?;
    Some(BASE_GAME[at])
}

/// The files of the base game's templates.
pub(super) fn templates() -> impl Iterator<Item = (&'static str, &'static str)> {
    let templates = BASE_GAME.iter().filter(|(path, ..)| is_template(path));
    templates.map(|(path, text, _)| (*path, *text))
}

/// The id of the base game, if there is one.
pub(super) fn id() -> Option<String> {
    let (_, manifest, _) = BASE_GAME.iter().find(|(path, ..)| *path == "mod.toml")?;
    guess_id(manifest)
}

/// The base game, if there is one.
pub(super) fn read() -> Option<Read> {
    let (_, manifest, _) = BASE_GAME.iter().find(|(path, ..)| *path == "mod.toml")?;
    let scripts = BASE_GAME.iter().filter(|(path, ..)| *path != "mod.toml" && !is_template(path));
    let scripts = scripts.map(|(path, text, _)| ((*path).to_owned(), FileText::built(text)));
    let source = Manifest::parse("base_game", manifest).map(|parsed| {
        ModSource::new(parsed, FileText::built(manifest), scripts.collect(), Origin::Embedded)
    });
    Some(Read { id: guess_id(manifest), source })
}
