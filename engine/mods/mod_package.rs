//! All files of a mod, from its folder or an archive, for packing and installing. Every path and
//! size is checked, because files of strangers are written to disk.

use std::collections::BTreeMap;
use std::io::ErrorKind;
use std::path::Path;

use super::archive::read_archive;
use super::file_names::{is_script, suggest_manifest_rename};
use super::file_set::{FileMap, FileSet};
use super::language_files::language_of_file;
use super::manifest::MANIFEST_FILE_NAME;
use super::mod_folder::{ModReadResult, TESTS_FOLDER, folder_name, read_folder, read_test_scripts};
use super::mod_source::{ModOrigin, ModSource};
use base::{Code, Problem, SourceLocation};

/// All files of a mod, by path.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ModPackage {
    /// The name of the mod until its id is known.
    name: String,
    files: FileMap,
    /// Files beside them that are not part of the mod.
    excluded_files: Vec<String>,
}

/// Reads all files of a mod from a folder or an archive.
pub fn read_package(path: &Path) -> Result<ModPackage, Vec<Problem>> {
    match path.is_dir() {
        true => package_from_folder(path),
        false => read_archive(path),
    }
}

/// Reads a mod again from its origin. Embedded and stored mods do not change.
pub fn reread_mod(source: &ModSource) -> Result<ModSource, Vec<Problem>> {
    match &source.origin {
        ModOrigin::Folder(folder) => read_folder(folder),
        ModOrigin::Archive(path) => read_package(path)?.read_with_origin(source.origin.clone()),
        ModOrigin::Embedded | ModOrigin::ContentStore => Ok(source.clone()),
    }
}

/// The mod with its scripts in `tests/`, which are otherwise left out.
pub fn read_with_test_scripts(source: &ModSource) -> Result<ModSource, Vec<Problem>> {
    let folder = match &source.origin {
        ModOrigin::Folder(folder) => folder,
        ModOrigin::Archive(path) => {
            return read_package(path)?.read_with_tests(source.origin.clone()).source;
        }
        ModOrigin::Embedded | ModOrigin::ContentStore => return Ok(source.clone()),
    };
    let tests = read_test_scripts(source.id(), folder)?;
    let own_scripts = source
        .files
        .iter()
        .chain(&source.translations)
        .map(|(path, text)| (path.clone(), text.as_bytes().to_vec()));
    let scripts = own_scripts.chain(tests).collect();
    let manifest = source.manifest_text.as_bytes();
    ModReadResult::from_bytes(source.id(), manifest, scripts, source.origin.clone()).source
}

impl ModPackage {
    pub(super) fn from_file_set(file_set: FileSet) -> Result<Self, Vec<Problem>> {
        let (name, left_out) = (file_set.name.clone(), file_set.excluded_files.clone());
        Ok(Self { name, files: file_set.into_checked_files()?, excluded_files: left_out })
    }

    /// The files by path.
    pub fn files(&self) -> &BTreeMap<String, Vec<u8>> {
        &self.files
    }

    /// Files that are not part of the mod: backups of editors, and files of an archive outside the
    /// folder of the mod.
    pub fn excluded_files(&self) -> &[String] {
        &self.excluded_files
    }

    /// Reads the mod, with `origin` as its origin.
    pub fn read_with_origin(&self, origin: ModOrigin) -> Result<ModSource, Vec<Problem>> {
        self.read_without_tests(origin).source
    }

    pub(super) fn read_without_tests(&self, origin: ModOrigin) -> ModReadResult {
        let is_selected = |path: &&String| is_read(path) && !path.starts_with(TESTS_FOLDER);
        self.read_selected_scripts(origin, is_selected)
    }

    /// The same with the scripts in `tests/`.
    pub(super) fn read_with_tests(&self, origin: ModOrigin) -> ModReadResult {
        self.read_selected_scripts(origin, |path| is_read(path))
    }

    fn read_selected_scripts(
        &self,
        origin: ModOrigin,
        is_selected: impl Fn(&&String) -> bool,
    ) -> ModReadResult {
        let scripts = self.files.iter().filter(|(path, _)| is_selected(path));
        let scripts = scripts.map(|(path, bytes)| (path.clone(), bytes.clone())).collect();
        let manifest = self.files.get(MANIFEST_FILE_NAME).map_or(&[][..], Vec::as_slice);
        ModReadResult::from_bytes(&self.name, manifest, scripts, origin)
    }
}

/// Whether a file of a mod is read when the mod plays.
fn is_read(path: &str) -> bool {
    is_script(path) || language_of_file(path).is_some()
}

fn package_from_folder(folder: &Path) -> Result<ModPackage, Vec<Problem>> {
    let mut file_set = FileSet::new(&folder_name(folder));
    file_set.collect_folder(folder, "", true);
    let manifest = folder.join(MANIFEST_FILE_NAME).symlink_metadata();
    if manifest.is_err_and(|why| why.kind() == ErrorKind::NotFound) {
        let place = SourceLocation::new("", folder.display().to_string(), 0);
        let found = format!("the folder {} has no {MANIFEST_FILE_NAME}", file_set.name);
        let expected = format!("a file {MANIFEST_FILE_NAME} in the folder of each mod");
        let problem = Problem::error(Code::NoManifest, found).at(place).expected(expected);
        file_set.problems.insert(0, problem.with_optional_hint(suggest_manifest_rename(folder)));
    }
    ModPackage::from_file_set(file_set)
}
