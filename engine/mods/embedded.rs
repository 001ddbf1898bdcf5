//! The base game inside the program, put there by `engine/build.rs`.

use super::folder::{Read, guess_id};
use super::source::{ModSource, Origin};
use super::template::is_template;

/// Paths and texts of the base game; empty if there was none when the program was built.
static BASE_GAME: &[(&str, &str)] = include!(concat!(env!("OUT_DIR"), "/base_game.rs"));

/// The mods inside the program that can be read. (One that cannot is told of by
/// [`super::discover`], like any other.)
pub fn embedded() -> Vec<ModSource> {
    read().and_then(|read| read.source.ok()).into_iter().collect()
}

/// The files of the base game's templates.
pub(super) fn templates() -> impl Iterator<Item = (&'static str, &'static str)> {
    BASE_GAME.iter().filter(|(path, _)| is_template(path)).copied()
}

/// The id of the base game, if there is one.
pub(super) fn id() -> Option<String> {
    let (_, manifest) = BASE_GAME.iter().find(|(path, _)| *path == "mod.toml")?;
    guess_id(manifest)
}

/// The base game, if there is one.
pub(super) fn read() -> Option<Read> {
    let (_, manifest) = BASE_GAME.iter().find(|(path, _)| *path == "mod.toml")?;
    let scripts = BASE_GAME.iter().filter(|(path, _)| *path != "mod.toml" && !is_template(path));
    let scripts = scripts.map(|(path, text)| ((*path).to_owned(), text.as_bytes().to_vec()));
    Some(Read::new("base_game", manifest.as_bytes(), scripts.collect(), Origin::Embedded))
}
