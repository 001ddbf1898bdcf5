//! Where cases lie: which mods are tried, and what files stand below their `tests/`.

use std::fs;
use std::path::{Path, PathBuf};

use crate::kit::Problem;
use crate::mods::Origin;
use crate::workshop::check::which::{Which, which};
use crate::workshop::{Bench, Outcome};

/// What is tried. Each mod is by itself, so that those of several games can be asked for at once.
pub(super) fn each(bench: &Bench, wanted: &[String]) -> Result<Which, (Outcome, Vec<Problem>)> {
    if wanted.len() < 2 {
        return which(bench, wanted);
    }
    let mut all = Which { groups: Vec::new(), problems: Vec::new(), found: Vec::new() };
    for one in wanted {
        let found = which(bench, std::slice::from_ref(one))?;
        all.groups.extend(found.groups);
        all.problems.extend(found.problems);
    }
    Ok(all)
}

/// The folders of the mods that were asked for, each once.
pub(in crate::workshop) fn folders(found: &Which) -> Vec<(String, PathBuf)> {
    let mut folders = Vec::new();
    for group in &found.groups {
        for source in group.mods.iter().filter(|source| group.ids.contains(source.id())) {
            if let Origin::Disk(folder) = &source.origin {
                folders.push((source.id().to_owned(), folder.join("tests")));
            }
        }
    }
    folders.sort();
    folders.dedup();
    folders
}

/// Whether a script lies in a folder or below it.
pub(super) fn holds_scripts(folder: &Path) -> bool {
    let script = |path: &Path| path.extension().is_some_and(|e| e == "luau" || e == "lua");
    fs::read_dir(folder).into_iter().flatten().flatten().any(|entry| {
        let path = entry.path();
        script(&path) || (entry.file_type().is_ok_and(|kind| kind.is_dir()) && holds_scripts(&path))
    })
}

/// The files of an ending in a folder and below it; no link to a folder is followed.
pub(super) fn of_ending(folder: &Path, wanted: &str, paths: &mut Vec<PathBuf>) {
    for entry in fs::read_dir(folder).into_iter().flatten().flatten() {
        let path = entry.path();
        if entry.file_type().is_ok_and(|kind| kind.is_dir()) {
            of_ending(&path, wanted, paths);
        } else if path.extension().is_some_and(|ending| ending == wanted) {
            paths.push(path);
        }
    }
}
