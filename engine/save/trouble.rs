//! What a disk refuses, as Problems: what we were doing, to which file, why not, what to do.

use std::io::{Error, ErrorKind};
use std::path::Path;

use crate::kit::{Place, Problem, text};

/// A path as a person reads it.
pub(super) fn shown(path: &Path) -> String {
    text::clean(&path.display().to_string())
}

/// A place in one of our own files; line 0 where there is none.
pub(super) fn place(path: &Path, line: u64) -> Place {
    Place::new("", shown(path), u32::try_from(line).unwrap_or(u32::MAX))
}

/// A Problem of a disk. `doing` completes "could not …".
pub(super) fn disk(doing: &str, path: &Path, error: &Error) -> Problem {
    let (code, why, hint) = match error.kind() {
        ErrorKind::StorageFull | ErrorKind::QuotaExceeded | ErrorKind::WriteZero => (
            "disk-full",
            "there is no room left on the disk".to_owned(),
            "make room and try again; everything told so far is kept",
        ),
        ErrorKind::PermissionDenied | ErrorKind::ReadOnlyFilesystem => (
            "disk-denied",
            "the system does not allow it".to_owned(),
            "give yourself the right to write there, or name another folder with --data",
        ),
        ErrorKind::NotFound => (
            "disk-missing",
            "it is not there".to_owned(),
            "look whether the folder was moved, or name it with --data",
        ),
        ErrorKind::FileTooLarge => (
            "too-large",
            "it is larger than any file the game writes".to_owned(),
            "look whether it is really a file of this game",
        ),
        ErrorKind::InvalidInput if error.get_ref().is_some() => (
            "not-a-file",
            text::clean(&error.to_string()),
            "put the file itself there; the folder that it lies in may be a link",
        ),
        _ => (
            "disk-error",
            text::clean(&error.to_string()),
            "look after the disk; everything told so far is kept",
        ),
    };
    Problem::error(code, format!("could not {doing}: {why}")).at(place(path, 0)).hint(hint)
}

/// Turns a disk's refusal into a Problem.
pub(super) trait Telling<T> {
    /// `doing` completes "could not …".
    fn telling(self, doing: &str, path: &Path) -> Result<T, Problem>;
}

impl<T> Telling<T> for Result<T, Error> {
    fn telling(self, doing: &str, path: &Path) -> Result<T, Problem> {
        self.map_err(|error| disk(doing, path, &error))
    }
}
