//! Classifies file names: scripts, templates, backups, and names similar to that of a manifest.

use std::fs;
use std::path::Path;

use super::manifest::MANIFEST_FILE_NAME;
use base::id::is_device_name;
use base::{limits, text};

/// The extension of each template file.
pub(super) const TEMPLATE_EXTENSION: &str = ".in";
/// The endings that editors give to backups.
const BACKUP_FILE_ENDINGS: [&str; 6] = ["~", ".bak", ".orig", ".swp", ".swo", ".tmp"];
/// Words at the end of a name that systems, browsers and people give to copies: `x.luau.old`,
/// `x.luau - Copy`.
const COPIED_FILE_NAME_WORDS: [&str; 17] = [
    "txt",
    "text",
    "bak",
    "old",
    "orig",
    "tmp",
    "temp",
    "new",
    "save",
    "copy",
    "backup",
    "part",
    "partial",
    "download",
    "crdownload",
    "swp",
    "swo",
];
/// The separators between such a word and the name.
const COPIED_FILE_NAME_SEPARATORS: [char; 7] = ['.', ' ', '~', '_', '-', '(', ')'];

pub(super) fn is_script(path: &str) -> bool {
    path.ends_with(".luau") || path.ends_with(".lua")
}

/// Whether a file of a mod belongs to a template.
pub(super) fn is_template(path: &str) -> bool {
    path.ends_with(TEMPLATE_EXTENSION)
}

/// The help for a folder without a manifest, if a file with a similar name is there.
pub(super) fn suggest_manifest_rename(folder: &Path) -> Option<String> {
    find_misnamed_manifest(folder)
        .map(|near| format!("rename {near}, which is there, to {MANIFEST_FILE_NAME}"))
}

/// A file whose name is nearly that of a manifest: `Mod.toml`, or `mod.toml.txt` where the system
/// hides the extension. A backup is the last choice.
fn find_misnamed_manifest(folder: &Path) -> Option<String> {
    let names = fs::read_dir(folder).ok()?.flatten().filter(|entry| entry.path().is_file());
    let mut names: Vec<String> =
        names.map(|entry| entry.file_name().to_string_lossy().into_owned()).collect();
    names.sort();
    let is_backup_of_it =
        |name: &&String| original_name_of_backup(name) == Some(MANIFEST_FILE_NAME);
    let near = names.iter().find(|name| is_misnamed_manifest(name));
    Some(text::strip_unprintable(near.or_else(|| names.iter().find(is_backup_of_it))?))
}

/// Whether a file name is nearly that of a manifest.
pub(super) fn is_misnamed_manifest(name: &str) -> bool {
    let lowercase_name = name.to_ascii_lowercase();
    let has_extra_extension = lowercase_name
        .strip_prefix(MANIFEST_FILE_NAME)
        .is_some_and(|end| end.is_empty() || end.starts_with('.'));
    let is_misspelt = !lowercase_name.ends_with(".in")
        && strsim::osa_distance(&lowercase_name, MANIFEST_FILE_NAME) == 1;
    name != MANIFEST_FILE_NAME
        && (has_extra_extension || is_misspelt || is_copy_of_manifest(&lowercase_name))
        && !is_backup(name)
        && !is_template(&lowercase_name)
}

/// Whether a name is that of a copy of the manifest: `mod.toml (1)`, `mod (1).toml`.
fn is_copy_of_manifest(lowercase_name: &str) -> bool {
    let (stem, ending) = MANIFEST_FILE_NAME.split_once('.').unwrap_or_default();
    let copied_stem =
        lowercase_name.strip_suffix(ending).and_then(|before| before.strip_suffix('.'));
    is_copy_name(lowercase_name, MANIFEST_FILE_NAME)
        || copied_stem.is_some_and(|copied| is_copy_name(copied, stem))
}

/// Whether a name is another name with marks of copies behind it.
fn is_copy_name(name: &str, original: &str) -> bool {
    std::iter::successors(strip_copy_suffix(name), |rest| strip_copy_suffix(rest))
        .any(|rest| rest == original)
}

/// A name without the last mark of a copy: `x.luau` of `x.luau (1)`, `x.luau.1`, `x.luau~` and
/// `x.luau.old`.
pub(super) fn strip_copy_suffix(name: &str) -> Option<&str> {
    let rest = name
        .trim_end_matches(|c: char| c.is_ascii_digit() || COPIED_FILE_NAME_SEPARATORS.contains(&c));
    if rest.len() < name.len() {
        return Some(rest).filter(|rest| !rest.is_empty());
    }
    let is_word = |one: &&str| {
        let start = name.len().checked_sub(one.len());
        start.and_then(|start| name.get(start..)).is_some_and(|end| end.eq_ignore_ascii_case(one))
    };
    let word =
        COPIED_FILE_NAME_WORDS.iter().filter(|one| is_word(one)).max_by_key(|one| one.len())?;
    Some(&name[..name.len() - word.len()])
        .filter(|rest| rest.ends_with(COPIED_FILE_NAME_SEPARATORS))
}

/// The name of the file that an editor's backup is of.
pub(super) fn original_name_of_backup(name: &str) -> Option<&str> {
    if let Some(original) = name.strip_prefix('#').and_then(|name| name.strip_suffix('#')) {
        return Some(original);
    }
    let lowercase_name = name.to_ascii_lowercase();
    let ending = BACKUP_FILE_ENDINGS.iter().find(|ending| lowercase_name.ends_with(**ending))?;
    Some(&name[..name.len() - ending.len()])
}

/// Whether a file is a backup of an editor or metadata of a system. Such files are not part of the
/// mod and not packed.
pub(super) fn is_backup(name: &str) -> bool {
    original_name_of_backup(name).is_some()
        || ["thumbs.db", "desktop.ini"].contains(&&*name.to_ascii_lowercase())
}

/// What is wrong with the path of a file of a mod, and what is expected instead. `None` if it is
/// valid.
pub(super) fn explain_invalid_path(path: &str) -> Option<(String, &'static str)> {
    if let Some(invalid_char) = path.chars().find(|c| !is_portable_char(*c)) {
        let expected = "letters, digits, space and . _ - / +";
        return Some((format!("the file name contains {invalid_char:?}"), expected));
    }
    explain_unportable_path(path)
        .map(|why| (format!("{path} {why}"), "names that are valid on every system"))
}

/// Why a path is not portable. `None` if it is.
fn explain_unportable_path(path: &str) -> Option<String> {
    if path.len() > limits::MAX_MOD_PATH_BYTES {
        return Some(format!("is longer than {} bytes", limits::MAX_MOD_PATH_BYTES));
    }
    path.split('/').find_map(|name| {
        if is_device_name(name) {
            return Some(format!("contains {name:?}, which is a device name on some systems"));
        }
        let has_fragile_ends = name.ends_with([' ', '.']) || name.starts_with(' ');
        has_fragile_ends
            .then(|| format!("contains {name:?}, and some systems drop its trailing space or dot"))
    })
}

fn is_portable_char(c: char) -> bool {
    c.is_ascii_alphanumeric() || matches!(c, ' ' | '.' | '_' | '-' | '/' | '+')
}
