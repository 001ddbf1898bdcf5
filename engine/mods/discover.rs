//! Finds mods: in folders named on the command line, in the project, in the user's data folder, and
//! in the program. If two mods have the same id, the first one found is used.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::{Path, PathBuf};

use super::archive::{is_archive, read_archive, read_archive_manifest};
use super::embedded;
use super::file_names::suggest_manifest_rename;
use super::manifest::MANIFEST_FILE_NAME;
use super::mod_folder::{ModReadResult, find_nested_mod, folder_name};
use super::mod_package::reread_mod;
use super::mod_source::{ModOrigin, ModSource};
use super::regular_file::describe_io_error;
use base::problem::limit_problems;
use base::{Code, Problem, SourceLocation, text};

/// The maximum number of mistakes reported for one mod; further ones are counted.
const MAX_PROBLEMS_PER_MOD: usize = 20;
/// The prefix of a mod that is renamed while another version is installed in its place.
pub const REPLACED_MOD_PREFIX: &str = ".old-";

/// The search paths for mods. The mods embedded in the program are always searched last.
#[derive(Clone, Debug, Default)]
pub struct SearchPaths {
    /// Folders named with `--mods`: each is either a mod or a folder of mods.
    pub named_folders: Vec<PathBuf>,
    /// The project: its `base_game/` and the mods in its `mods/`.
    pub project_folder: Option<PathBuf>,
    /// The user's data folder: the mods in its `mods/`.
    pub user_folder: Option<PathBuf>,
}

impl SearchPaths {
    /// Describes the search paths for a person.
    pub(super) fn describe(&self) -> String {
        let near = [&self.project_folder, &self.user_folder]
            .into_iter()
            .flatten()
            .map(|near| near.join("mods"));
        let folders = self.named_folders.iter().cloned().chain(near);
        let mut all: Vec<String> =
            folders.map(|folder| text::strip_unprintable(&folder.display().to_string())).collect();
        all.push("the program".to_owned());
        all.join(", or in ")
    }

    /// Whether a folder is searched for mods.
    pub fn searches_folder(&self, folder: &Path) -> bool {
        let near = [&self.project_folder, &self.user_folder]
            .into_iter()
            .flatten()
            .map(|near| near.join("mods"));
        let mut all = near.chain(self.named_folders.iter().cloned());
        !folder.join(MANIFEST_FILE_NAME).exists() && all.any(|one| is_same_folder(&one, folder))
    }
}

/// Finds all mods, by id, and the Problems of those that cannot be read. If two mods have the same
/// id, the first one found is used. A mod that cannot be read also hides later mods with its id, so
/// that no older copy is played silently.
pub fn discover_mods(search_paths: &SearchPaths) -> (Vec<ModSource>, Vec<Problem>) {
    search_mods(search_paths, read_mod)
}

/// Finds all mods but reads only their manifests. A mod from a folder or an archive then has no
/// scripts, and its digest is not the digest of the mod. [`read_scripts`] reads the scripts of the
/// mods that are needed.
pub fn discover_manifests(search_paths: &SearchPaths) -> (Vec<ModSource>, Vec<Problem>) {
    search_mods(search_paths, read_mod_manifest)
}

/// Reads the scripts of mods that [`discover_manifests`] found.
pub fn read_scripts(found: Vec<ModSource>) -> Result<Vec<ModSource>, Vec<Problem>> {
    let (mut with_scripts, mut problems) = (Vec::new(), Vec::new());
    for source in found {
        match reread_mod(&source) {
            Ok(source) => with_scripts.push(source),
            Err(mut why) => {
                // The mod may be named after its folder or archive there.
                let places = why.iter_mut().filter_map(|problem| problem.place.as_mut());
                places.for_each(|place| place.owner = source.id().to_owned());
                problems.extend(limit_problems(why, MAX_PROBLEMS_PER_MOD));
            }
        }
    }
    if problems.is_empty() { Ok(with_scripts) } else { Err(problems) }
}

fn search_mods(
    search_paths: &SearchPaths,
    read_mod_at: fn(&Path) -> ModReadResult,
) -> (Vec<ModSource>, Vec<Problem>) {
    let (found, seen) = (BTreeMap::new(), BTreeSet::new());
    let mut search =
        ModSearch { read_mod_at, found_mods: found, seen_ids: seen, problems: Vec::new() };
    let mut extra: Vec<PathBuf> = Vec::new();
    for folder in &search_paths.named_folders {
        // A folder that is named twice, or named and also inside a named folder, is one mod.
        for one in search.mods_at_named_path(folder) {
            if !extra.iter().any(|other| is_same_folder(other, &one)) {
                extra.push(one);
            }
        }
    }
    search.read_and_merge_mods(extra);
    if let Some(project) = &search_paths.project_folder {
        let mut folders = search.mods_in_folder(&project.join("mods"));
        let base_game = project.join("base_game");
        if base_game.join(MANIFEST_FILE_NAME).exists() {
            folders.push(base_game);
        }
        search.read_and_merge_mods(folders);
    }
    if let Some(user) = &search_paths.user_folder {
        let folders = search.mods_in_folder(&user.join("mods"));
        search.read_and_merge_mods(folders);
    }
    // An embedded mod that is hidden by an earlier one need not be read.
    let is_hidden = |id: Option<String>| id.is_some_and(|id| search.seen_ids.contains(&id));
    let visible_embedded: Vec<_> =
        embedded::embedded_mods().filter(|one| !is_hidden(one.id())).collect();
    let display_name = "the program's embedded mod".to_owned();
    search.merge_mods_of_search_path(
        visible_embedded.into_iter().map(|one| (display_name.clone(), one.read())).collect(),
    );
    (search.found_mods.into_values().collect(), search.problems)
}

/// Reads the mod at a path: a folder or an archive.
fn read_mod(path: &Path) -> ModReadResult {
    if !path.is_file() {
        return ModReadResult::from_folder(path);
    }
    match read_archive(path) {
        Ok(package) => package.read_without_tests(ModOrigin::Archive(path.to_owned())),
        Err(problems) => ModReadResult { id: None, source: Err(problems) },
    }
}

/// Reads the manifest of the mod at a path.
fn read_mod_manifest(path: &Path) -> ModReadResult {
    if !path.is_file() {
        return ModReadResult::from_folder_manifest(path);
    }
    match read_archive_manifest(path) {
        Ok(package) => package.read_without_tests(ModOrigin::Archive(path.to_owned())),
        Err(problems) => ModReadResult { id: None, source: Err(problems) },
    }
}

/// Whether an install stopped between its two renames and left the old mod under its temporary name
/// (`author::packaging`). Such a mod is read as usual.
fn is_unfinished_install(path: &Path) -> bool {
    let Some(id) = folder_name(path).strip_prefix(REPLACED_MOD_PREFIX).map(str::to_owned) else {
        return false;
    };
    let id = id.strip_suffix(".zip").unwrap_or(&id);
    let there = |ending: &str| path.with_file_name(format!("{id}{ending}")).symlink_metadata();
    let is_readable_mod = path.is_file() || path.join(MANIFEST_FILE_NAME).exists();
    is_readable_mod && !path.is_symlink() && there("").is_err() && there(".zip").is_err()
}

/// The Problem of a folder among the mods that cannot be read.
fn unreadable_folder_warning(folder: &Path, why: &std::io::Error) -> Problem {
    let name = folder_name(folder);
    Problem::warning(
        Code::Unreadable,
        format!("the folder {name} cannot be read: {}", describe_io_error(why)),
    )
    .at(SourceLocation::new("", folder.display().to_string(), 0))
    .expected("a readable folder")
    .hint("check its permissions; until then no mod in it is loaded")
}

fn is_not_found_error(why: &std::io::Error) -> bool {
    matches!(why.kind(), std::io::ErrorKind::NotFound | std::io::ErrorKind::NotADirectory)
}

/// Whether two paths refer to the same folder.
fn is_same_folder(one: &Path, other: &Path) -> bool {
    one == other || matches!((one.canonicalize(), other.canonicalize()), (Ok(a), Ok(b)) if a == b)
}

struct ModSearch {
    /// How to read the mod at a path.
    read_mod_at: fn(&Path) -> ModReadResult,
    found_mods: BTreeMap<String, ModSource>,
    /// The ids found so far, of readable and unreadable mods.
    seen_ids: BTreeSet<String>,
    problems: Vec<Problem>,
}

impl ModSearch {
    /// The mods in a folder named on the command line.
    fn mods_at_named_path(&mut self, folder: &Path) -> Vec<PathBuf> {
        if folder.join(MANIFEST_FILE_NAME).exists()
            || folder.is_file() && is_archive(&folder_name(folder))
        {
            return vec![folder.to_owned()];
        }
        if let Err(why) = fs::read_dir(folder) {
            let path = folder.display().to_string();
            let message = format!("no mods can be read from {path}: {}", describe_io_error(&why));
            self.problems.push(
                Problem::error(Code::NoFolder, message)
                    .at(SourceLocation::new("", path, 0))
                    .expected("the folder of a mod, or a folder of mods"),
            );
            return Vec::new();
        }
        let folders = self.mods_in_folder(folder);
        if folders.is_empty() {
            let path = folder.display().to_string();
            self.problems.push(
                Problem::warning(Code::NoMods, format!("there are no mods in {path}"))
                    .at(SourceLocation::new("", path, 0))
                    .expected(format!("a folder with a {MANIFEST_FILE_NAME}, or a folder of mods"))
                    .with_optional_hint(suggest_manifest_rename(folder)),
            );
        }
        folders
    }

    /// The mods in a folder of mods, sorted by name. A missing folder contains none.
    fn mods_in_folder(&mut self, folder: &Path) -> Vec<PathBuf> {
        let entries = match fs::read_dir(folder) {
            Ok(entries) => entries,
            Err(why) if is_not_found_error(&why) => return Vec::new(),
            Err(why) => {
                self.problems.push(unreadable_folder_warning(folder, &why));
                return Vec::new();
            }
        };
        let mut paths: Vec<PathBuf> = entries.flatten().map(|entry| entry.path()).collect();
        paths.sort();
        let unfinished =
            paths.iter().filter(|path| is_unfinished_install(path)).cloned().collect::<Vec<_>>();
        paths.retain(|path| self.is_mod_path(path));
        paths.extend(unfinished);
        paths
    }

    fn is_mod_path(&mut self, path: &Path) -> bool {
        let name = folder_name(path);
        let Ok(kind) = fs::symlink_metadata(path) else { return false };
        if name.starts_with('.') {
            return false;
        }
        if kind.is_file() {
            return is_archive(&name);
        }
        let place = SourceLocation::new("", path.display().to_string(), 0);
        if kind.is_symlink() {
            self.problems.push(
                Problem::warning(Code::Link, format!("{name} is a link; links are not followed"))
                    .at(place)
                    .hint("copy the folder here, or name it with --mods"),
            );
            return false;
        }
        if let Err(why) = fs::read_dir(path) {
            self.problems.push(unreadable_folder_warning(path, &why));
            return false;
        }
        if !path.join(MANIFEST_FILE_NAME).exists() {
            let problem = Problem::warning(
                Code::NoManifest,
                format!("the folder {name} has no {MANIFEST_FILE_NAME}"),
            )
            .at(place)
            .expected(format!("a file {MANIFEST_FILE_NAME} in the folder of each mod"));
            let nested_mod_hint = find_nested_mod(path);
            let nested_mod_hint = nested_mod_hint
                .map(|inner| format!("the mod is one folder deeper: move {inner} here"));
            self.problems.push(
                problem.with_optional_hint(suggest_manifest_rename(path).or(nested_mod_hint)),
            );
            return false;
        }
        true
    }

    fn read_and_merge_mods(&mut self, folders: Vec<PathBuf>) {
        let read =
            folders.iter().map(|path| (path.display().to_string(), (self.read_mod_at)(path)));
        let read = read.collect();
        self.merge_mods_of_search_path(read);
    }

    /// Adds the mods of one search path, without the ids that an earlier path has.
    fn merge_mods_of_search_path(&mut self, read_mods: Vec<(String, ModReadResult)>) {
        let mut paths_by_id: BTreeMap<String, String> = BTreeMap::new();
        for (path, read) in read_mods {
            let id =
                read.id.clone().or(read.source.as_ref().ok().map(|found| found.id().to_owned()));
            let Some(id) = id else {
                self.problems.extend(read.source.err().unwrap_or_default());
                continue;
            };
            if let Some(other) = paths_by_id.get(&id) {
                self.found_mods.remove(&id);
                self.problems.push(
                    Problem::error(
                        Code::TwoOfOneId,
                        format!("two mods have the id \"{id}\", and neither is loaded"),
                    )
                    .at(SourceLocation::new("", path, 0))
                    .hint("remove one of them, or give it another id")
                    .add_related_location(SourceLocation::new(
                        "",
                        other.clone(),
                        0,
                    )),
                );
                continue;
            }
            paths_by_id.insert(id.clone(), path);
            if !self.seen_ids.insert(id.clone()) {
                continue;
            }
            match read.source {
                Ok(source) => drop(self.found_mods.insert(id, source)),
                Err(problems) => {
                    self.problems.extend(limit_problems(problems, MAX_PROBLEMS_PER_MOD))
                }
            }
        }
    }
}
