//! The mods inside the program: the bundled games and what they stand on. `engine/build.rs` puts them
//! there, and the program hands them over: so this library need not be built again because a room of a
//! game was edited.

use std::cmp::Ordering;
use std::sync::OnceLock;

use super::folder::{Read, guess_id, is_template};
use super::manifest::{FILE, Manifest};
use super::source::{ModSource, Origin};
use crate::kit::FileText;

/// A file that the program carries: which of its mods it is of, its path there, its text, and what the
/// text compiles to if it is a script that does.
pub type BuiltFile = (usize, &'static str, &'static str, &'static [u8]);

/// The mods that the program carries.
#[derive(Debug)]
pub struct Carried {
    /// The folders that they lay in; first the game that is played where nobody names one.
    pub folders: &'static [&'static str],
    /// The files of all of them, in the order of their texts.
    pub files: &'static [BuiltFile],
}

static CARRIED: OnceLock<&'static Carried> = OnceLock::new();

/// Takes the mods over that the program carries. Done once, before any mod is looked for; it stays.
pub fn hand_over(carried: &'static Carried) {
    CARRIED.get_or_init(|| carried);
}

/// One of the mods inside the program, as far as it was looked at.
#[derive(Clone, Copy)]
pub(super) struct Inside {
    at: usize,
    folder: &'static str,
    manifest: &'static str,
}

/// The mods inside the program.
///
/// # Panics
/// If nothing was handed over: what is found would depend on who was quicker.
pub(super) fn inside() -> impl Iterator<Item = Inside> {
    let Carried { folders, files } =
        CARRIED.get().expect("a program hands over what it carries before it looks for mods");
    folders.iter().enumerate().filter_map(|(at, folder)| {
        let (.., manifest, _) = files.iter().find(|(of, path, ..)| *of == at && *path == FILE)?;
        Some(Inside { at, folder, manifest })
    })
}

impl Inside {
    /// Its id, as far as one can be made out.
    pub(super) fn id(self) -> Option<String> {
        guess_id(self.manifest)
    }

    fn files(self) -> impl Iterator<Item = (&'static str, &'static str)> {
        let files = CARRIED.get().map_or(&[][..], |carried| carried.files);
        let own = files.iter().filter(move |(of, ..)| *of == self.at);
        own.map(|(_, path, text, _)| (*path, *text))
    }

    /// The mod, or what is wrong with it.
    pub(super) fn read(self) -> Read {
        let scripts = self.files().filter(|(path, _)| *path != FILE && !is_template(path));
        let scripts = scripts.map(|(path, text)| (path.to_owned(), FileText::built(text)));
        let source = Manifest::parse(self.folder, self.manifest).map(|parsed| {
            let text = FileText::built(self.manifest);
            ModSource::new(parsed, text, scripts.collect(), Origin::Embedded)
        });
        Read { id: self.id(), source }
    }
}

/// The mods inside the program that can be read. (One that cannot is told of by
/// [`super::discover`], like any other.)
pub fn embedded() -> Vec<ModSource> {
    inside().filter_map(|one| one.read().source.ok()).collect()
}

/// The same where nothing may have been handed over: then there are none.
pub fn embedded_if_any() -> Vec<ModSource> {
    if CARRIED.get().is_some() { embedded() } else { Vec::new() }
}

/// What a script compiles to, if it is one that the program carries as it was when that was built.
pub fn compiled(text: &str) -> Option<&'static [u8]> {
    let (.., code) = find(text)?;
    (!code.is_empty()).then_some(code)
}

/// The program's own copy of a text, if it has one.
pub(super) fn text(text: &str) -> Option<&'static str> {
    find(text).map(|(.., text, _)| text)
}

fn find(text: &str) -> Option<BuiltFile> {
    // The program's own copy need not be read to be known.
    let order = |other: &str| match std::ptr::eq(other, text) {
        true => Ordering::Equal,
        false => other.cmp(text),
    };
    // Whoever carries nothing has no copies of texts either.
    let files = CARRIED.get()?.files;
    files.binary_search_by(|(.., other, _)| order(other)).ok().map(|at| files[at])
}

/// The files of the templates of a mod inside the program.
pub(super) fn templates(id: &str) -> impl Iterator<Item = (&'static str, &'static str)> {
    let one = inside().find(move |one| one.id().is_some_and(|own| own == id));
    one.into_iter().flat_map(Inside::files).filter(|(path, _)| is_template(path))
}

/// The id of the game that is played where nobody names one, if there is such.
pub(super) fn own_game() -> Option<String> {
    inside().find(|one| one.at == 0)?.id()
}
