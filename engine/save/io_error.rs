//! I/O errors as Problems: the operation, the file, the reason and the help.

use std::io::{Error, ErrorKind};
use std::path::Path;

use base::{Code, Problem, SourceLocation, text};

/// A path for display.
pub(super) fn display_path(path: &Path) -> String {
    text::strip_unprintable(&path.display().to_string())
}

/// A location in a file of ours; line 0 if there is none.
pub(super) fn file_location(path: &Path, line: u64) -> SourceLocation {
    SourceLocation::new("", display_path(path), u32::try_from(line).unwrap_or(u32::MAX))
}

/// The Problem of an I/O error. `doing` completes "could not …".
pub(super) fn disk_problem(doing: &str, path: &Path, error: &Error) -> Problem {
    let (code, why, hint) = match error.kind() {
        ErrorKind::StorageFull | ErrorKind::QuotaExceeded | ErrorKind::WriteZero => (
            Code::DiskFull,
            "there is no room left on the disk".to_owned(),
            "make room and try again; everything shown so far is saved",
        ),
        ErrorKind::PermissionDenied | ErrorKind::ReadOnlyFilesystem => (
            Code::DiskDenied,
            "the system does not allow it".to_owned(),
            "get write permission there, or name another folder with --data",
        ),
        ErrorKind::NotFound if error.get_ref().is_some() => (
            Code::DiskMissing,
            text::strip_unprintable(&error.to_string()),
            "remove the link, or restore the folder that it leads to; a link to a file is not followed",
        ),
        ErrorKind::NotFound => (
            Code::DiskMissing,
            "it does not exist".to_owned(),
            "check whether the folder was moved, or name it with --data",
        ),
        ErrorKind::FileTooLarge => (
            Code::TooLarge,
            "it is larger than any file the game writes".to_owned(),
            "check whether it is a file of this game",
        ),
        ErrorKind::InvalidInput if error.get_ref().is_some() => (
            Code::NotAFile,
            text::strip_unprintable(&error.to_string()),
            "put the file itself there; only its folder may be a link",
        ),
        _ => (
            Code::DiskError,
            text::strip_unprintable(&error.to_string()),
            "check the disk; everything shown so far is saved",
        ),
    };
    Problem::error(code, format!("could not {doing}: {why}")).at(file_location(path, 0)).hint(hint)
}

/// Turns an I/O error into a Problem.
pub(super) trait IoContext<T> {
    /// `doing` completes "could not …".
    fn with_context(self, doing: &str, path: &Path) -> Result<T, Problem>;
}

impl<T> IoContext<T> for Result<T, Error> {
    fn with_context(self, doing: &str, path: &Path) -> Result<T, Problem> {
        self.map_err(|error| disk_problem(doing, path, &error))
    }
}
