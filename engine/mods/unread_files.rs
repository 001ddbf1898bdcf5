//! Warns about files of a mod that are not read although their names are close to names that are.

use std::fs;
use std::path::Path;

use super::folder::{is_backup, is_misnamed_manifest, is_script};
use super::package::read_package;
use super::source::{ModOrigin, ModSource};
use crate::base::{Code, Problem, SourceLocation, limits, text};

/// The folder names with a meaning in a mod.
const KNOWN_FOLDERS: [&str; 4] = ["kinds", "lib", "tests", "templates"];

/// Returns a warning for each file and folder whose name is close to one that is read, and one if
/// the mod declares nothing.
pub fn warn_unread_files(source: &ModSource) -> Vec<Problem> {
    let mut paths = Vec::new();
    match &source.origin {
        ModOrigin::Disk(folder) => gather_paths(folder, "", &mut paths),
        ModOrigin::Archive(path) => {
            let package = read_package(path).ok();
            paths.extend(package.iter().flat_map(|package| package.files().keys().cloned()));
        }
        ModOrigin::Embedded | ModOrigin::Stored => return Vec::new(),
    }
    let warning = |path: &str, (found, hint): (String, String)| {
        Problem::warning(Code::UnreadFile, found)
            .at(SourceLocation::new(source.id(), text::strip_unprintable(path), 0))
            .hint(hint)
    };
    let mut problems: Vec<Problem> =
        paths.iter().filter_map(|path| Some(warning(path, explain_unread_file(path)?))).collect();
    let mut folders: Vec<&str> = Vec::new();
    for (folder, _) in paths.iter().filter_map(|path| path.split_once('/')) {
        if !folders.contains(&folder) {
            folders.push(folder);
            problems.extend(
                explain_unread_folder(folder)
                    .map(|message_and_help| warning(folder, message_and_help)),
            );
        }
    }
    problems.extend(warn_no_declarations(source));
    problems
}

/// Collects the files of a folder, sorted by name, up to the file limit of a mod.
fn gather_paths(folder: &Path, path_prefix: &str, paths: &mut Vec<String>) {
    let Ok(entries) = fs::read_dir(folder) else { return };
    let mut entries: Vec<_> = entries.flatten().collect();
    entries.sort_by_key(fs::DirEntry::file_name);
    for entry in entries {
        let name = entry.file_name().to_string_lossy().into_owned();
        if name.starts_with('.') || paths.len() >= limits::MOD_FILES {
            continue;
        }
        let path = format!("{path_prefix}{name}");
        match entry.file_type() {
            Ok(kind) if kind.is_dir() && path.matches('/').count() < limits::MOD_FOLDER_DEPTH => {
                gather_paths(&entry.path(), &format!("{path}/"), paths);
            }
            Ok(kind) if kind.is_file() => paths.push(path),
            _ => {}
        }
    }
}

/// The message and the help for a file that is not read.
fn explain_unread_file(path: &str) -> Option<(String, String)> {
    let name = path.rsplit('/').next().unwrap_or(path);
    if is_script(path) || is_backup(name) {
        return None;
    }
    let shown = text::strip_unprintable(path);
    if is_misnamed_manifest(name) && name == path {
        let found = format!("{shown} is not read: the manifest of a mod must be named mod.toml");
        return Some((found, "remove it, or move its content to mod.toml".to_owned()));
    }
    let meant = suggest_script_name(name)?;
    let found = format!("{shown} is not read: the name of a script must end in .luau");
    Some((
        found,
        format!(
            "rename it to {}; some systems hide the file extension",
            text::strip_unprintable(&meant)
        ),
    ))
}

/// The script name that a file name is close to: `x.LUAU`, `x.luau.txt`, `x.laua`.
fn suggest_script_name(name: &str) -> Option<String> {
    let lowercase_name = name.to_ascii_lowercase();
    for ending in [".luau", ".lua"] {
        // Longer extensions are tried first, at every place where a name can end.
        for suffix in ["", ".txt", ".text"] {
            if let Some(stem) =
                lowercase_name.strip_suffix(suffix).and_then(|s| s.strip_suffix(ending))
            {
                return Some(format!("{}{ending}", name.get(..stem.len())?));
            }
        }
    }
    let (stem, ending) = name.rsplit_once('.')?;
    let near = strsim::osa_distance(&ending.to_ascii_lowercase(), "luau") == 1;
    (near && !stem.is_empty()).then(|| format!("{stem}.luau"))
}

/// The message and the help for a folder whose name differs from a known one only in case.
fn explain_unread_folder(folder: &str) -> Option<(String, String)> {
    let meant =
        KNOWN_FOLDERS.iter().find(|one| folder.eq_ignore_ascii_case(one) && folder != **one)?;
    let found = format!("the folder {} is not the folder {meant}", text::strip_unprintable(folder));
    Some((found, format!("rename it to {meant}: on many systems the two cannot be told apart")))
}

/// The warning for a mod that declares nothing.
fn warn_no_declarations(source: &ModSource) -> Option<Problem> {
    let has_code = |text: &str| {
        let code = text.lines().map(|line| line.split("--").next().unwrap_or(line));
        code.into_iter().any(|line| !line.trim().is_empty())
    };
    let id = source.id();
    if source.scripts_in_load_order().any(|(_, text)| has_code(text)) {
        return None;
    }
    // A mod that only provides modules for `require` is valid.
    if source.files.keys().any(|path| path.starts_with("lib/")) {
        return None;
    }
    let found = format!("{id} declares nothing: there is no line of code in it");
    Some(
        Problem::warning(Code::DeclaresNothing, found)
            .at(source.manifest_place("id", id))
            .expected("a script, such as main.luau, beside the mod.toml")
            .hint("write one, or remove the mod"),
    )
}
