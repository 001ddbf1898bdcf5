//! Reads a mod again when the changed files are known. Only changed scripts are read; all other
//! files are reused. Any change that is not new text in an existing script needs a read of the
//! whole folder.

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Component, Path, PathBuf};

use super::language_files::language_of_file;
use super::manifest::MANIFEST_FILE_NAME;
use super::mod_folder::{decode_script, read_script_bytes};
use super::mod_source::{ModOrigin, ModSource, reuse_embedded_text};
use base::limits;

/// What a changed path means for the mod.
enum FileChange {
    /// Nothing: the path is not part of the mod.
    Irrelevant,
    /// This script has new text.
    ChangedScript(String),
    /// The whole folder must be read.
    NeedsFullRead,
}

/// Reads the changed scripts of a mod again and reuses the rest. Returns `None` if the whole folder
/// must be read. Paths are absolute.
pub fn read_changed_scripts(source: &ModSource, changed: &BTreeSet<PathBuf>) -> Option<ModSource> {
    let folder = match &source.origin {
        ModOrigin::Folder(folder) => folder,
        ModOrigin::Archive(_) => return None,
        ModOrigin::Embedded | ModOrigin::ContentStore => return Some(source.clone()),
    };
    let folder = std::path::absolute(folder).ok()?;
    let mut texts = BTreeMap::new();
    for path in changed {
        let Ok(path_in_mod) = path.strip_prefix(&folder) else {
            // The folder itself may have been replaced.
            match folder.starts_with(path) {
                true => return None,
                false => continue,
            }
        };
        match classify_change(source, path, path_in_mod) {
            FileChange::Irrelevant => {}
            FileChange::NeedsFullRead => return None,
            FileChange::ChangedScript(name) => {
                let text = decode_script(read_script_bytes(path).ok()?).ok()?;
                texts.insert(name, reuse_embedded_text(text));
            }
        }
    }
    let updated = source.with_changed_scripts(texts);
    let bytes: usize = updated.files.values().map(|text| text.len()).sum();
    (bytes as u64 <= limits::MAX_MOD_BYTES).then_some(updated)
}

fn classify_change(source: &ModSource, path: &Path, path_in_mod: &Path) -> FileChange {
    let parts: Option<Vec<&str>> = path_in_mod
        .components()
        .map(|part| match part {
            Component::Normal(name) => name.to_str(),
            _ => None,
        })
        .collect();
    let Some(parts) = parts.filter(|parts| !parts.is_empty()) else {
        return FileChange::NeedsFullRead;
    };
    if parts[0] == "tests" || parts.iter().any(|part| part.starts_with('.')) {
        return FileChange::Irrelevant;
    }
    let name = parts.join("/");
    let folder_prefix = format!("{name}/");
    let metadata = path.symlink_metadata();
    let known = source.files.contains_key(&name);
    let is_file = metadata.as_ref().is_ok_and(|kind| kind.is_file());
    if known && is_file {
        return FileChange::ChangedScript(name);
    }
    let is_script = name.ends_with(".luau") || name.ends_with(".lua");
    let was_folder = source.files.keys().any(|file| file.starts_with(&folder_prefix));
    let is_translation = language_of_file(&name).is_some();
    match name == MANIFEST_FILE_NAME
        || is_translation
        || known
        || is_script && metadata.is_ok()
        || was_folder
    {
        true => FileChange::NeedsFullRead,
        // Files that appeared and vanished meanwhile, and files of other types.
        false if is_file || metadata.is_err() => FileChange::Irrelevant,
        false => FileChange::NeedsFullRead,
    }
}
