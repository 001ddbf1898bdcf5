//! All files of a mod, from its folder or an archive, for packing and installing. Every path and
//! size is checked, because files of strangers are written to disk.

use std::collections::BTreeMap;
use std::path::Path;

use super::archive::read_archive;
use super::folder::{Read, folder_name, help_without_manifest, is_script, read_folder, tests_of};
use super::manifest::FILE;
use super::shelf::{Files, Shelf};
use super::source::{ModSource, Origin};
use crate::kit::{Place, Problem};

/// All files of a mod, by path.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Package {
    /// The name of the mod until its id is known.
    name: String,
    files: Files,
    /// Files beside them that are not part of the mod.
    left_out: Vec<String>,
}

/// Reads all files of a mod from a folder or an archive.
pub fn read_package(path: &Path) -> Result<Package, Vec<Problem>> {
    match path.is_dir() {
        true => of_folder(path),
        false => read_archive(path),
    }
}

/// Reads a mod again from its origin. Embedded and stored mods do not change.
pub fn read_again(source: &ModSource) -> Result<ModSource, Vec<Problem>> {
    match &source.origin {
        Origin::Disk(folder) => read_folder(folder),
        Origin::Archive(path) => read_package(path)?.read_as(source.origin.clone()),
        Origin::Embedded | Origin::Stored => Ok(source.clone()),
    }
}

/// The mod with its scripts in `tests/`, which are otherwise left out.
pub fn with_tests(source: &ModSource) -> Result<ModSource, Vec<Problem>> {
    let folder = match &source.origin {
        Origin::Disk(folder) => folder,
        Origin::Archive(path) => {
            return read_package(path)?.read_with_tests(source.origin.clone()).source;
        }
        Origin::Embedded | Origin::Stored => return Ok(source.clone()),
    };
    let tests = tests_of(source.id(), folder)?;
    let own = source.files.iter().map(|(path, text)| (path.clone(), text.as_bytes().to_vec()));
    let scripts = own.chain(tests).collect();
    let manifest = source.manifest_text.as_bytes();
    Read::new(source.id(), manifest, scripts, source.origin.clone()).source
}

impl Package {
    pub(super) fn of(shelf: Shelf) -> Result<Self, Vec<Problem>> {
        let (name, left_out) = (shelf.name.clone(), shelf.left_out.clone());
        Ok(Self { name, files: shelf.done()?, left_out })
    }

    /// The files by path.
    pub fn files(&self) -> &BTreeMap<String, Vec<u8>> {
        &self.files
    }

    /// Files that are not part of the mod: backups of editors, and files of an archive outside the
    /// folder of the mod.
    pub fn left_out(&self) -> &[String] {
        &self.left_out
    }

    /// Reads the mod, with `origin` as its origin.
    pub fn read_as(&self, origin: Origin) -> Result<ModSource, Vec<Problem>> {
        self.read(origin).source
    }

    pub(super) fn read(&self, origin: Origin) -> Read {
        let part = |path: &&String| is_script(path) && !path.starts_with("tests/");
        self.read_those(origin, part)
    }

    /// The same with the scripts in `tests/`.
    pub(super) fn read_with_tests(&self, origin: Origin) -> Read {
        self.read_those(origin, |path| is_script(path))
    }

    fn read_those(&self, origin: Origin, part: impl Fn(&&String) -> bool) -> Read {
        let scripts = self.files.iter().filter(|(path, _)| part(path));
        let scripts = scripts.map(|(path, bytes)| (path.clone(), bytes.clone())).collect();
        let manifest = self.files.get(FILE).map_or(&[][..], Vec::as_slice);
        Read::new(&self.name, manifest, scripts, origin)
    }
}

fn of_folder(folder: &Path) -> Result<Package, Vec<Problem>> {
    let mut shelf = Shelf::new(&folder_name(folder));
    shelf.gather(folder, "", true);
    if shelf.problems.is_empty() && !shelf.files.contains_key(FILE) {
        let place = Place::new("", folder.display().to_string(), 0);
        let found = format!("the folder {} has no {FILE}", shelf.name);
        let expected = format!("a file {FILE} in the folder of each mod");
        let problem = Problem::error("no-manifest", found).at(place).expected(expected);
        shelf.problems.push(problem.maybe_hint(help_without_manifest(folder)));
    }
    Package::of(shelf)
}
