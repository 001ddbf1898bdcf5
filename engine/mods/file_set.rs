//! Collects the files of a mod from a folder or an archive, with their Problems. Follows no links
//! and reads within size limits.

use std::collections::BTreeMap;
use std::fs;
use std::path::Path;

use super::file_names::{explain_invalid_path, is_backup, is_script};
use super::language_files::language_of_file;
use super::regular_file::{describe_io_error, read_file_within_limit};
use base::{Code, Problem, SourceLocation, limits, text};

/// File contents by path.
pub(super) type FileMap = BTreeMap<String, Vec<u8>>;

/// The files collected so far.
pub(super) struct FileSet {
    /// The name of the mod until its id is known.
    pub(super) name: String,
    pub(super) files: FileMap,
    pub(super) problems: Vec<Problem>,
    /// Files that are not part of the mod.
    pub(super) excluded_files: Vec<String>,
    lowercase_paths: BTreeMap<String, String>,
    visited_entry_count: usize,
    collected_bytes: u64,
}

impl FileSet {
    pub(super) fn new(name: &str) -> Self {
        let (name, problems) = (text::strip_unprintable(name), Vec::new());
        let (files, lowercase_paths) = (FileMap::new(), BTreeMap::new());
        Self {
            name,
            files,
            problems,
            excluded_files: Vec::new(),
            lowercase_paths,
            visited_entry_count: 0,
            collected_bytes: 0,
        }
    }

    /// How many bytes may still be added.
    pub(super) fn remaining_bytes(&self) -> u64 {
        limits::MAX_MOD_BYTES - self.collected_bytes
    }

    fn report_problem(&mut self, code: Code, path: &str, message: String, expected: &str) {
        let place = SourceLocation::new(&self.name, text::strip_unprintable(path), 0);
        self.problems.push(Problem::error(code, message).at(place).expected(expected));
    }

    fn report_too_deep(&mut self, path: &str) {
        let why = format!("folders deeper than {}", limits::MAX_MOD_FOLDER_DEPTH);
        self.report_problem(Code::TooDeep, path, why, "fewer folders within folders");
    }

    pub(super) fn add_file_bytes(&mut self, path: &str, bytes: Vec<u8>) {
        let shown = text::strip_unprintable(path);
        if let Some((why, expected)) = explain_invalid_path(path) {
            return self.report_problem(Code::BadName, path, why, expected);
        }
        if path.matches('/').count() > limits::MAX_MOD_FOLDER_DEPTH {
            return self.report_too_deep(path);
        }
        if is_script(path) && bytes.len() as u64 > limits::MAX_SCRIPT_FILE_BYTES {
            let why = format!("{shown} is larger than {} bytes", limits::MAX_SCRIPT_FILE_BYTES);
            return self.report_problem(Code::Unreadable, path, why, "a readable file");
        }
        if bytes.len() as u64 > self.remaining_bytes() {
            let why = format!("more than {} bytes of files", limits::MAX_MOD_BYTES);
            return self.report_problem(Code::TooLarge, path, why, "a smaller mod");
        }
        if let Some(other) = self.lowercase_paths.insert(path.to_ascii_lowercase(), path.to_owned())
        {
            let why = match other == path {
                true => format!("{shown} occurs twice"),
                false => format!("{shown} and {other} are the same file on many systems"),
            };
            return self.report_problem(
                Code::BadName,
                path,
                why,
                "names that do not differ only in case",
            );
        }
        self.collected_bytes += bytes.len() as u64;
        self.files.insert(path.to_owned(), bytes);
    }

    /// Collects the folder `path_prefix` (empty, or ending in `/`), sorted by name: all files, or
    /// only the scripts.
    pub(super) fn collect_folder(&mut self, folder: &Path, path_prefix: &str, all: bool) {
        let read = fs::read_dir(folder).and_then(Iterator::collect::<Result<Vec<_>, _>>);
        let mut found = match read {
            Ok(found) => found,
            Err(why) => {
                let message = format!("the folder cannot be read: {}", describe_io_error(&why));
                return self.report_problem(
                    Code::Unreadable,
                    path_prefix,
                    message,
                    "a readable folder",
                );
            }
        };
        found.sort_by_key(fs::DirEntry::file_name);
        for entry in found {
            let name = entry.file_name().to_string_lossy().into_owned();
            let path = format!("{path_prefix}{name}");
            self.visited_entry_count += 1;
            if self.visited_entry_count > limits::MAX_MOD_FILES {
                let message = format!("more than {} files", limits::MAX_MOD_FILES);
                return self.report_problem(Code::TooLarge, path_prefix, message, "a smaller mod");
            }
            if name.starts_with('.') || !all && path == "tests" {
                continue;
            }
            if all && is_backup(&name) {
                self.excluded_files.push(text::strip_unprintable(&path));
                continue;
            }
            let (shown, is_wanted) = (
                text::strip_unprintable(&path),
                all || is_script(&path) || language_of_file(&path).is_some(),
            );
            match entry.file_type() {
                Ok(kind) if kind.is_dir() => {
                    match path_prefix.matches('/').count() < limits::MAX_MOD_FOLDER_DEPTH {
                        true => self.collect_folder(&entry.path(), &format!("{path}/"), all),
                        false => self.report_too_deep(&path),
                    }
                }
                Ok(kind) if kind.is_file() && is_wanted => {
                    self.read_and_add_file(&entry.path(), &path)
                }
                Ok(kind) if kind.is_symlink() && (is_wanted || !name.contains('.')) => {
                    let message = format!("{shown} is a link; links are not followed");
                    self.report_problem(Code::Link, &path, message, "a plain file or folder");
                }
                _ if is_wanted => {
                    let message = format!("{shown} is not a plain file");
                    self.report_problem(Code::Unreadable, &path, message, "a plain file");
                }
                _ => {}
            }
        }
    }

    fn read_and_add_file(&mut self, file: &Path, path: &str) {
        let most =
            if is_script(path) { limits::MAX_SCRIPT_FILE_BYTES } else { limits::MAX_MOD_BYTES };
        match read_file_within_limit(file, most) {
            Ok(bytes) => self.add_file_bytes(path, bytes),
            Err(why) => {
                let message = format!("{} cannot be read: {why}", text::strip_unprintable(path));
                self.report_problem(Code::Unreadable, path, message, "a readable file");
            }
        }
    }

    /// The collected files, or all Problems.
    pub(super) fn into_checked_files(mut self) -> Result<FileMap, Vec<Problem>> {
        // A path cannot be both a file and a folder.
        let files_that_are_folders = self.files.keys().filter(|path| {
            let folder_prefix = format!("{}/", path.to_ascii_lowercase());
            self.lowercase_paths
                .range(folder_prefix.clone()..)
                .next()
                .is_some_and(|(at, _)| at.starts_with(&folder_prefix))
        });
        for path in files_that_are_folders.cloned().collect::<Vec<_>>() {
            let why = format!("{path} is both a file and a folder");
            self.report_problem(Code::BadName, &path, why, "each name only once");
        }
        if self.problems.is_empty() { Ok(self.files) } else { Err(self.problems) }
    }
}
