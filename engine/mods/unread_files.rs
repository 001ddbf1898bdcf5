//! Warns about files of a mod that are not read although their names are close to names that are.

use std::collections::BTreeSet;
use std::fs;
use std::path::Path;

use super::file_names::{
    is_misnamed_manifest, is_script, original_name_of_backup, strip_copy_suffix,
};
use super::mod_folder::TESTS_FOLDER;
use super::mod_package::read_package;
use super::mod_source::{ModOrigin, ModSource};
use base::{Code, Problem, SourceLocation, limits, text};

/// The folder names with a meaning in a mod.
const KNOWN_MOD_FOLDERS: [&str; 5] = ["kinds", "lib", "locale", "tests", "templates"];

/// Returns a warning for each file and folder whose name is close to one that is read, and one if
/// the mod declares nothing.
pub fn unread_file_warnings(source: &ModSource) -> Vec<Problem> {
    let mut paths = Vec::new();
    match &source.origin {
        ModOrigin::Folder(folder) => gather_paths(folder, "", &mut paths),
        ModOrigin::Archive(path) => {
            let package = read_package(path).ok();
            paths.extend(package.iter().flat_map(|package| package.files().keys().cloned()));
        }
        ModOrigin::Embedded | ModOrigin::ContentStore => return Vec::new(),
    }
    let warning = |path: &str, (found, hint): (String, String)| {
        Problem::warning(Code::UnreadFile, found)
            .at(SourceLocation::new(source.id(), text::strip_unprintable(path), 0))
            .hint(hint)
    };
    let all: BTreeSet<&str> = paths.iter().map(String::as_str).collect();
    let mut problems: Vec<Problem> = paths
        .iter()
        .filter_map(|path| Some(warning(path, explain_unread_file(path, &all)?)))
        .collect();
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
    problems.extend(no_declarations_warning(source));
    problems
}

/// Collects the files of a folder, sorted by name, up to the file limit of a mod.
fn gather_paths(folder: &Path, path_prefix: &str, paths: &mut Vec<String>) {
    let Ok(entries) = fs::read_dir(folder) else { return };
    let mut entries: Vec<_> = entries.flatten().collect();
    entries.sort_by_key(fs::DirEntry::file_name);
    for entry in entries {
        let name = entry.file_name().to_string_lossy().into_owned();
        if name.starts_with('.') || paths.len() >= limits::MAX_MOD_FILES {
            continue;
        }
        let path = format!("{path_prefix}{name}");
        match entry.file_type() {
            Ok(kind)
                if kind.is_dir() && path.matches('/').count() < limits::MAX_MOD_FOLDER_DEPTH =>
            {
                gather_paths(&entry.path(), &format!("{path}/"), paths);
            }
            Ok(kind) if kind.is_file() => paths.push(path),
            _ => {}
        }
    }
}

/// The message and the help for a file that is not read. `paths` has all files of the mod.
fn explain_unread_file(path: &str, paths: &BTreeSet<&str>) -> Option<(String, String)> {
    let name = path.rsplit('/').next().unwrap_or(path);
    let is_read = is_script(path) || path.starts_with(TESTS_FOLDER) && path.ends_with(".toml");
    let original = original_name_of_backup(name);
    // The backup of an editor is in the folder of its original.
    if is_read || original.is_some_and(|original| is_file_beside(paths, path, original)) {
        return None;
    }
    let shown = text::strip_unprintable(path);
    if is_misnamed_manifest(name) && name == path {
        let found = format!("{shown} is not read: the manifest of a mod must be named mod.toml");
        return Some((found, "remove it, or move its content to mod.toml".to_owned()));
    }
    let in_tests = path.starts_with(TESTS_FOLDER);
    let transcript = || suggest_transcript_name(path, name, paths).filter(|_| in_tests);
    let meant = suggest_file_name(original.unwrap_or(name), in_tests).or_else(transcript)?;
    let what = match meant.rsplit('.').next() {
        Some("toml") => "the name of a file with a case must end in .toml",
        Some("txt") => "the name of an accepted transcript must end in .txt",
        _ => "the name of a script must end in .luau",
    };
    let help = match is_file_beside(paths, path, &meant) {
        true => format!("remove it, or move its content to {}", text::strip_unprintable(&meant)),
        false => format!(
            "rename it to {}; some systems hide the file extension",
            text::strip_unprintable(&meant)
        ),
    };
    Some((format!("{shown} is not read: {what}"), help))
}

/// Whether a file with that name is in the folder of a path.
fn is_file_beside(paths: &BTreeSet<&str>, path: &str, name: &str) -> bool {
    match path.rsplit_once('/') {
        Some((folder, _)) => paths.contains(&*format!("{folder}/{name}")),
        None => paths.contains(name),
    }
}

/// The name that a file name is close to: `x.LUAU`, `x.luau.txt`, `x.luau (1)`, `x.laua`; in
/// `tests/` also `x.TOML` and `x.tml`.
fn suggest_file_name(name: &str, in_tests: bool) -> Option<String> {
    let endings = [("luau", true), ("lua", true), ("toml", in_tests)];
    let endings = || endings.iter().filter(|(_, is_read)| *is_read).map(|(ending, _)| *ending);
    // Marks of copies are removed from the end, until a known extension is there.
    let mut rest = name;
    loop {
        if let Some((stem, written)) = rest.rsplit_once('.').filter(|(stem, _)| !stem.is_empty())
            && let Some(ending) = endings().find(|one| written.eq_ignore_ascii_case(one))
        {
            return Some(format!("{stem}.{ending}"));
        }
        match strip_copy_suffix(rest) {
            Some(shorter) => rest = shorter,
            None => break,
        }
    }
    let (stem, written) = name.rsplit_once('.').filter(|(stem, _)| !stem.is_empty())?;
    let written = written.to_ascii_lowercase();
    let near = |one: &&str| *one != "lua" && strsim::osa_distance(&written, one) == 1;
    endings().find(near).map(|ending| format!("{stem}.{ending}"))
}

/// The name of the accepted transcript that a file name is close to: `over.TXT` beside `over.toml`.
fn suggest_transcript_name(path: &str, name: &str, paths: &BTreeSet<&str>) -> Option<String> {
    let mut stems = std::iter::successors(Some(name), |rest| strip_copy_suffix(rest));
    let stem = stems.find(|stem| is_file_beside(paths, path, &format!("{stem}.toml")))?;
    let meant = format!("{stem}.txt");
    let is_near = name != meant && name[stem.len()..].to_ascii_lowercase().contains(".txt");
    is_near.then_some(meant)
}

/// The message and the help for a folder whose name differs from a known one only in case, or that
/// names one test or template.
fn explain_unread_folder(folder: &str) -> Option<(String, String)> {
    let is_singular =
        |one: &str| ["tests", "templates"].contains(&one) && one.strip_suffix('s') == Some(folder);
    let is_near = |one: &&&str| folder.eq_ignore_ascii_case(one) && folder != **one;
    let meant = KNOWN_MOD_FOLDERS.iter().find(|one| is_near(one) || is_singular(one))?;
    let found = format!("the folder {} is not the folder {meant}", text::strip_unprintable(folder));
    let help = match is_singular(meant) {
        true => format!("rename it to {meant}"),
        false => format!("rename it to {meant}: on many systems the two cannot be told apart"),
    };
    Some((found, help))
}

/// The warning for a mod that declares nothing.
fn no_declarations_warning(source: &ModSource) -> Option<Problem> {
    let has_code = |text: &str| {
        let code = text.lines().map(|line| line.split("--").next().unwrap_or(line));
        code.into_iter().any(|line| !line.trim().is_empty())
    };
    let id = source.id();
    if source.scripts_in_load_order().any(|(_, text)| has_code(text)) {
        return None;
    }
    // A mod that only provides modules for `require`, or translations, is valid.
    if source.files.keys().any(|path| path.starts_with("lib/")) || !source.translations.is_empty() {
        return None;
    }
    let found = format!("{id} declares nothing: there is no line of code in it");
    Some(
        Problem::warning(Code::DeclaresNothing, found)
            .at(source.manifest_location("id", id))
            .expected("a script, such as main.luau, beside the mod.toml")
            .hint("write one, or remove the mod"),
    )
}
