//! A mod as something to be given away: all its files, scripts or not, as they lie in its folder or in
//! an archive. Every path and size is checked, since a stranger's are written to a disk.

use std::collections::BTreeMap;
use std::fs;
use std::path::Path;

use super::archive::read_archive;
use super::folder::{
    Read, folder_name, is_script, odd_path, read_file_of, read_folder, reason, tests_of,
};
use super::manifest::FILE;
use super::source::{ModSource, Origin};
use crate::kit::{Place, Problem, limits, text};

/// All files of a mod, by their path in it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Package {
    /// What it is called as long as its id is not known.
    name: String,
    files: BTreeMap<String, Vec<u8>>,
}

/// Reads a mod to be given away or taken in: a folder, or an archive.
pub fn read_package(path: &Path) -> Result<Package, Vec<Problem>> {
    match path.is_dir() {
        true => of_folder(path),
        false => read_archive(path),
    }
}

/// Reads a mod again from where it was read; what lies in the program or was kept is as it was.
pub fn read_again(source: &ModSource) -> Result<ModSource, Vec<Problem>> {
    match &source.origin {
        Origin::Disk(folder) => read_folder(folder),
        Origin::Archive(path) => read_package(path)?.read_as(source.origin.clone()),
        Origin::Embedded | Origin::Stored => Ok(source.clone()),
    }
}

/// The same mod with the scripts of its `tests/`, which are no part of it otherwise.
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
    /// The files by their paths.
    pub fn files(&self) -> &BTreeMap<String, Vec<u8>> {
        &self.files
    }

    /// The mod, as if it were read from `origin`.
    pub fn read_as(&self, origin: Origin) -> Result<ModSource, Vec<Problem>> {
        self.read(origin).source
    }

    pub(super) fn read(&self, origin: Origin) -> Read {
        let part = |path: &&String| is_script(path) && !path.starts_with("tests/");
        self.read_those(origin, part)
    }

    /// The same with the scripts of its `tests/`.
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

/// The files of a package as they are gathered, and what is wrong with them.
pub(super) struct Shelf {
    package: Package,
    problems: Vec<Problem>,
    folded: BTreeMap<String, String>,
    bytes: u64,
}

impl Shelf {
    pub(super) fn new(name: &str) -> Self {
        let package = Package { name: text::clean(name), files: BTreeMap::new() };
        Self { package, problems: Vec::new(), folded: BTreeMap::new(), bytes: 0 }
    }

    /// How many bytes there is still room for.
    pub(super) fn left(&self) -> u64 {
        limits::MOD_BYTES - self.bytes
    }

    fn refuse(&mut self, code: &str, path: &str, message: String, expected: &str) {
        let place = Place::new(&self.package.name, text::clean(path), 0);
        self.problems.push(Problem::error(code, message).at(place).expected(expected));
    }

    pub(super) fn put(&mut self, path: &str, bytes: Vec<u8>) {
        let shown = text::clean(path);
        if let Some((why, expected)) = odd_path(path) {
            return self.refuse("bad-name", path, why, expected);
        }
        if path.matches('/').count() > limits::MOD_FOLDER_DEPTH {
            let why = format!("folders deeper than {}", limits::MOD_FOLDER_DEPTH);
            return self.refuse("too-deep", path, why, "fewer folders within folders");
        }
        if is_script(path) && bytes.len() as u64 > limits::MOD_FILE_BYTES {
            let why = format!("{shown} is larger than {} bytes", limits::MOD_FILE_BYTES);
            return self.refuse("unreadable", path, why, "a file that may be read");
        }
        if let Some(other) = self.folded.insert(path.to_ascii_lowercase(), path.to_owned()) {
            let why = match other == path {
                true => format!("{shown} is there twice"),
                false => format!("{shown} and {other} are one file on many systems"),
            };
            return self.refuse("bad-name", path, why, "names that differ in more than case");
        }
        self.bytes += bytes.len() as u64;
        self.package.files.insert(path.to_owned(), bytes);
    }

    /// What was gathered, or all that is wrong with it.
    pub(super) fn done(mut self) -> Result<Package, Vec<Problem>> {
        // A file cannot lie where another's folder is.
        let files = self.package.files.keys();
        let clash = files.filter(|path| {
            let below = format!("{}/", path.to_ascii_lowercase());
            self.folded.range(below.clone()..).next().is_some_and(|(at, _)| at.starts_with(&below))
        });
        for path in clash.cloned().collect::<Vec<_>>() {
            let why = format!("{path} is both a file and a folder");
            self.refuse("bad-name", &path, why, "names that are not taken twice");
        }
        if self.problems.is_empty() { Ok(self.package) } else { Err(self.problems) }
    }
}

fn of_folder(folder: &Path) -> Result<Package, Vec<Problem>> {
    let mut shelf = Shelf::new(&folder_name(folder));
    let mut entries = 0;
    gather(&mut shelf, folder, "", &mut entries);
    if shelf.problems.is_empty() && !shelf.package.files.contains_key(FILE) {
        let place = Place::new("", folder.display().to_string(), 0);
        let found = format!("the folder {} holds no {FILE}", shelf.package.name);
        let expected = format!("a file {FILE} in the folder of each mod");
        shelf.problems.push(Problem::error("no-manifest", found).at(place).expected(expected));
    }
    shelf.done()
}

/// Gathers the folder `inside` (empty, or ending in `/`), in the order of names.
fn gather(shelf: &mut Shelf, folder: &Path, inside: &str, entries: &mut usize) {
    let read = fs::read_dir(folder).and_then(Iterator::collect::<Result<Vec<_>, _>>);
    let mut found = match read {
        Ok(found) => found,
        Err(why) => {
            let message = format!("the folder cannot be read: {}", reason(&why));
            return shelf.refuse("unreadable", inside, message, "a folder that may be read");
        }
    };
    found.sort_by_key(fs::DirEntry::file_name);
    for entry in found {
        let name = entry.file_name().to_string_lossy().into_owned();
        let path = format!("{inside}{name}");
        *entries += 1;
        if *entries > limits::MOD_FILES {
            let message = format!("more than {} files", limits::MOD_FILES);
            return shelf.refuse("too-large", inside, message, "a smaller mod");
        }
        if name.starts_with('.') {
            continue;
        }
        let shown = text::clean(&path);
        match entry.file_type() {
            Ok(kind) if kind.is_dir() && inside.matches('/').count() < limits::MOD_FOLDER_DEPTH => {
                gather(shelf, &entry.path(), &format!("{path}/"), entries);
            }
            Ok(kind) if kind.is_dir() => {
                let message = format!("folders deeper than {}", limits::MOD_FOLDER_DEPTH);
                shelf.refuse("too-deep", &path, message, "fewer folders within folders");
            }
            Ok(kind) if kind.is_file() => match read_file_of(&entry.path(), shelf.left()) {
                Ok(bytes) => shelf.put(&path, bytes),
                Err(why) => {
                    let message = format!("{shown} cannot be taken along: {why}");
                    shelf.refuse("unreadable", &path, message, "a file that may be read");
                }
            },
            Ok(kind) if kind.is_symlink() => {
                let message = format!("{shown} is a link; links are not followed");
                shelf.refuse("link", &path, message, "a plain file or folder");
            }
            _ => {
                let message = format!("{shown} is not a plain file");
                shelf.refuse("unreadable", &path, message, "a plain file");
            }
        }
    }
}
