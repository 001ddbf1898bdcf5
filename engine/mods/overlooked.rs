//! Files of a mod that nobody reads, though their names are nearly those of files that are read.

use std::fs;
use std::path::Path;

use super::folder::{is_backup, is_nearly_manifest, is_script};
use super::package::read_package;
use super::source::{ModSource, Origin};
use crate::kit::{Place, Problem, limits, text};

/// Folders of a mod whose names mean something.
const FOLDERS: [&str; 4] = ["kinds", "lib", "tests", "templates"];

/// A warning for each file and folder of a mod whose name is nearly that of one which is read, and one
/// where nothing of the mod is.
pub fn overlooked(source: &ModSource) -> Vec<Problem> {
    let mut paths = Vec::new();
    match &source.origin {
        Origin::Disk(folder) => gather(folder, "", &mut paths),
        Origin::Archive(path) => {
            let package = read_package(path).ok();
            paths.extend(package.iter().flat_map(|package| package.files().keys().cloned()));
        }
        Origin::Embedded | Origin::Stored => return Vec::new(),
    }
    let warning = |path: &str, (found, hint): (String, String)| {
        Problem::warning("unread-file", found)
            .at(Place::new(source.id(), text::clean(path), 0))
            .hint(hint)
    };
    let mut problems: Vec<Problem> =
        paths.iter().filter_map(|path| Some(warning(path, look_at(path)?))).collect();
    let mut folders: Vec<&str> = Vec::new();
    for (folder, _) in paths.iter().filter_map(|path| path.split_once('/')) {
        if !folders.contains(&folder) {
            folders.push(folder);
            problems.extend(look_at_folder(folder).map(|told| warning(folder, told)));
        }
    }
    problems.extend(declares_nothing(source));
    problems
}

/// The files of a folder, in the order of names, as far as a mod's files are counted.
fn gather(folder: &Path, inside: &str, paths: &mut Vec<String>) {
    let Ok(entries) = fs::read_dir(folder) else { return };
    let mut entries: Vec<_> = entries.flatten().collect();
    entries.sort_by_key(fs::DirEntry::file_name);
    for entry in entries {
        let name = entry.file_name().to_string_lossy().into_owned();
        if name.starts_with('.') || paths.len() >= limits::MOD_FILES {
            continue;
        }
        let path = format!("{inside}{name}");
        match entry.file_type() {
            Ok(kind) if kind.is_dir() && path.matches('/').count() < limits::MOD_FOLDER_DEPTH => {
                gather(&entry.path(), &format!("{path}/"), paths);
            }
            Ok(kind) if kind.is_file() => paths.push(path),
            _ => {}
        }
    }
}

/// What is said of a file that is not read: that it is not, and what to call it.
fn look_at(path: &str) -> Option<(String, String)> {
    let name = path.rsplit('/').next().unwrap_or(path);
    if is_script(path) || is_backup(name) {
        return None;
    }
    let shown = text::clean(path);
    if is_nearly_manifest(name) && name == path {
        let found = format!("{shown} is not read: the manifest of a mod is called mod.toml");
        return Some((found, "take it out, or put what it says into mod.toml".to_owned()));
    }
    let meant = script_meant(name)?;
    let found = format!("{shown} is not read: the name of a script ends in .luau");
    Some((
        found,
        format!("rename it to {}; some systems hide the end of a name", text::clean(&meant)),
    ))
}

/// The script's name that a name is nearly: `x.LUAU`, `x.luau.txt`, `x.laua`.
fn script_meant(name: &str) -> Option<String> {
    let small = name.to_ascii_lowercase();
    for ending in [".luau", ".lua"] {
        // Longer endings come first, and each is looked for where a name may end.
        for behind in ["", ".txt", ".text"] {
            if let Some(stem) = small.strip_suffix(behind).and_then(|s| s.strip_suffix(ending)) {
                return Some(format!("{}{ending}", name.get(..stem.len())?));
            }
        }
    }
    let (stem, ending) = name.rsplit_once('.')?;
    let near = strsim::osa_distance(&ending.to_ascii_lowercase(), "luau") == 1;
    (near && !stem.is_empty()).then(|| format!("{stem}.luau"))
}

/// What is said of a folder whose name is another's in other letters.
fn look_at_folder(folder: &str) -> Option<(String, String)> {
    let meant = FOLDERS.iter().find(|one| folder.eq_ignore_ascii_case(one) && folder != **one)?;
    let found = format!("the folder {} is not the folder {meant}", text::clean(folder));
    Some((found, format!("rename it to {meant}: on many systems the two cannot be told apart")))
}

/// The warning where a mod has no line that declares anything.
fn declares_nothing(source: &ModSource) -> Option<Problem> {
    let says = |text: &str| {
        let code = text.lines().map(|line| line.split("--").next().unwrap_or(line));
        code.into_iter().any(|line| !line.trim().is_empty())
    };
    let id = source.id();
    if source.scripts().any(|(_, text)| says(text)) {
        return None;
    }
    // What others require says nothing by itself, and is a mod all the same.
    if source.files.keys().any(|path| path.starts_with("lib/")) {
        return None;
    }
    let found = format!("{id} declares nothing: there is no line of code in it");
    Some(
        Problem::warning("declares-nothing", found)
            .at(source.manifest_place("id", id))
            .expected("a script, such as main.luau, beside the mod.toml")
            .hint("write one; or take the mod out, if it is to do nothing"),
    )
}
