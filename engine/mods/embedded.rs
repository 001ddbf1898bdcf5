//! The mods embedded in the program: the bundled games and their dependencies. `engine/app/build.rs`
//! embeds them and the program registers them, so that an edit of a game does not rebuild this
//! library.

use std::cmp::Ordering;
use std::sync::OnceLock;

use super::file_names::is_template;
use super::manifest::{MANIFEST_FILE_NAME, Manifest};
use super::mod_folder::{ModReadResult, guess_mod_id};
use super::mod_source::{ModOrigin, ModSource};
use base::FileText;

/// An embedded file: the index of its mod, its path, its text, and its bytecode if it is a script
/// that compiles.
pub type EmbeddedFile = (usize, &'static str, &'static str, &'static [u8]);

/// The mods that the program embeds.
#[derive(Debug)]
pub struct EmbeddedMods {
    /// The folders of the mods. The first one is the default game.
    pub folders: &'static [&'static str],
    /// The files of all mods, sorted by text.
    pub files: &'static [EmbeddedFile],
}

static REGISTERED_MODS: OnceLock<&'static EmbeddedMods> = OnceLock::new();

/// Registers the embedded mods. The program calls this once, before any search for mods.
pub fn register_embedded(embedded: &'static EmbeddedMods) {
    REGISTERED_MODS.get_or_init(|| embedded);
}

/// One embedded mod, before it is read.
#[derive(Clone, Copy)]
pub(super) struct EmbeddedMod {
    mod_index: usize,
    folder: &'static str,
    manifest: &'static str,
}

/// The embedded mods.
///
/// # Panics
/// If nothing is registered: the result would depend on the order of calls.
pub(super) fn embedded_mods() -> impl Iterator<Item = EmbeddedMod> {
    let EmbeddedMods { folders, files } = REGISTERED_MODS
        .get()
        .expect("the program registers its embedded mods before it searches for mods");
    folders.iter().enumerate().filter_map(|(at, folder)| {
        let (.., manifest, _) = files
            .iter()
            .find(|(mod_index, path, ..)| *mod_index == at && *path == MANIFEST_FILE_NAME)?;
        Some(EmbeddedMod { mod_index: at, folder, manifest })
    })
}

/// The embedded mods with a licence of their own: the name of each, and its licence.
pub fn embedded_licences() -> Vec<(String, String)> {
    let manifests = embedded_mods().filter_map(|found| {
        let manifest = Manifest::parse(found.folder, found.manifest).ok()?;
        Some((manifest.name.clone(), manifest.licence?))
    });
    manifests.collect()
}

impl EmbeddedMod {
    /// Its id, if the manifest states one.
    pub(super) fn id(self) -> Option<String> {
        guess_mod_id(self.manifest)
    }

    fn files(self) -> impl Iterator<Item = (&'static str, &'static str)> {
        let files = REGISTERED_MODS.get().map_or(&[][..], |carried| carried.files);
        let own_files = files.iter().filter(move |(mod_index, ..)| *mod_index == self.mod_index);
        own_files.map(|(_, path, text, _)| (*path, *text))
    }

    /// Reads the mod, or returns its Problems.
    pub(super) fn read(self) -> ModReadResult {
        let scripts =
            self.files().filter(|(path, _)| *path != MANIFEST_FILE_NAME && !is_template(path));
        let scripts = scripts.map(|(path, text)| (path.to_owned(), FileText::from_static(text)));
        let source = Manifest::parse(self.folder, self.manifest).map(|parsed| {
            let text = FileText::from_static(self.manifest);
            ModSource::new(parsed, text, scripts.collect(), ModOrigin::Embedded)
        });
        ModReadResult { id: self.id(), source }
    }
}

/// The embedded mods that can be read. [`super::discover`] reports those that cannot.
pub fn read_embedded_mods() -> Vec<ModSource> {
    embedded_mods().filter_map(|one| one.read().source.ok()).collect()
}

/// The same, or nothing if no mods are registered.
pub fn read_embedded_mods_if_any() -> Vec<ModSource> {
    if REGISTERED_MODS.get().is_some() { read_embedded_mods() } else { Vec::new() }
}

/// Whether this is the id of an embedded mod.
pub fn is_embedded_mod(id: &str) -> bool {
    REGISTERED_MODS.get().is_some()
        && embedded_mods().any(|one| one.id().is_some_and(|other| other == id))
}

/// The bytecode of a script, if the text equals an embedded script.
pub fn find_bytecode(text: &str) -> Option<&'static [u8]> {
    let (.., code) = find_embedded_file_with_text(text)?;
    (!code.is_empty()).then_some(code)
}

/// The embedded copy of a text, if there is one.
pub(super) fn embedded_text(text: &str) -> Option<&'static str> {
    find_embedded_file_with_text(text).map(|(.., text, _)| text)
}

fn find_embedded_file_with_text(text: &str) -> Option<EmbeddedFile> {
    // Equal addresses need no comparison of the text.
    let compare = |other: &str| match std::ptr::eq(other, text) {
        true => Ordering::Equal,
        false => other.cmp(text),
    };
    // Without registered mods there are no copies.
    let files = REGISTERED_MODS.get()?.files;
    files.binary_search_by(|(.., other, _)| compare(other)).ok().map(|at| files[at])
}

/// The template files of an embedded mod.
pub(super) fn embedded_template_files(
    id: &str,
) -> impl Iterator<Item = (&'static str, &'static str)> {
    let one = embedded_mods().find(move |one| one.id().is_some_and(|own| own == id));
    one.into_iter().flat_map(EmbeddedMod::files).filter(|(path, _)| is_template(path))
}

/// The id of the default game, if there is one.
pub(super) fn default_game_id() -> Option<String> {
    embedded_mods().find(|one| one.mod_index == 0)?.id()
}
