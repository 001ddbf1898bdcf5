//! Which mods are the author's own: only their folders get editor files.

use std::path::Path;

use super::EDITOR_FOLDER;
use mods::{ModOrigin, ModSource, SearchPaths, ids_with_dependencies, is_embedded_mod};

/// The folder of a mod that is the author's own. Bundled mods are not, even where the project has
/// their folders; nor are mods that were installed. `new` also creates mods beside those, which
/// have editor files from the start.
pub(super) fn own_mod_folder<'s>(
    source: &'s ModSource,
    search_paths: &SearchPaths,
) -> Option<&'s Path> {
    let ModOrigin::Folder(folder) = &source.origin else { return None };
    let installed = search_paths.user_folder.as_ref().map(|user| user.join("mods"));
    let is_installed = installed.is_some_and(|mods| folder.parent() == Some(&*mods))
        && !folder.join(EDITOR_FOLDER).is_dir();
    (!is_embedded_mod(source.id()) && !is_installed).then_some(folder)
}

/// A mod, the game, and all mods that it needs.
pub(super) fn select_with_needed_mods(all: &[ModSource], id: &str) -> Vec<ModSource> {
    let games = all.iter().filter(|source| source.manifest.is_game).map(ModSource::id);
    let wanted: Vec<String> = games.chain([id]).map(str::to_owned).collect();
    let needed = ids_with_dependencies(all, &wanted);
    let is_needed = |source: &&ModSource| needed.iter().any(|one| one == source.id());
    all.iter().filter(is_needed).cloned().collect()
}
