//! Finds the cases: which mods are tested, and the files below their `tests/`.

use std::fs;
use std::path::{Path, PathBuf};

use crate::check::selection::{ModSelection, select_mods};
use crate::{CommandContext, CommandOutcome};
use base::Problem;
use mods::{ModOrigin, TESTS_FOLDER};

/// Selects the mods to test. Each is a group of its own, so mods of several games can be tested at
/// once.
pub(super) fn select_mods_separately(
    context: &CommandContext,
    wanted: &[String],
) -> Result<ModSelection, (CommandOutcome, Vec<Problem>)> {
    if wanted.len() < 2 {
        return select_mods(context, wanted);
    }
    let mut all = ModSelection { groups: Vec::new(), problems: Vec::new(), found_mods: Vec::new() };
    for one in wanted {
        let found = select_mods(context, std::slice::from_ref(one))?;
        all.groups.extend(found.groups);
        all.problems.extend(found.problems);
    }
    Ok(all)
}

/// The test folders of the selected mods, without duplicates.
pub fn test_folders(found: &ModSelection) -> Vec<(String, PathBuf)> {
    let mut folders = Vec::new();
    for group in &found.groups {
        for source in group.mods.iter().filter(|source| group.ids.contains(source.id())) {
            if let ModOrigin::Folder(folder) = &source.origin {
                folders.push((source.id().to_owned(), folder.join(TESTS_FOLDER)));
            }
        }
    }
    folders.sort();
    folders.dedup();
    folders
}

/// Whether there is a script in a folder or below it.
pub(crate) fn has_scripts(folder: &Path) -> bool {
    let script = |path: &Path| path.extension().is_some_and(|e| e == "luau" || e == "lua");
    fs::read_dir(folder).into_iter().flatten().flatten().any(|entry| {
        let path = entry.path();
        script(&path) || (entry.file_type().is_ok_and(|kind| kind.is_dir()) && has_scripts(&path))
    })
}

/// The files with an extension in a folder and below it; links to folders are not followed.
pub(crate) fn collect_files_with_extension(folder: &Path, wanted: &str, paths: &mut Vec<PathBuf>) {
    for entry in fs::read_dir(folder).into_iter().flatten().flatten() {
        let path = entry.path();
        if entry.file_type().is_ok_and(|kind| kind.is_dir()) {
            collect_files_with_extension(&path, wanted, paths);
        } else if path.extension().is_some_and(|ending| ending == wanted) {
            paths.push(path);
        }
    }
}
