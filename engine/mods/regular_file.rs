//! Opens files from untrusted sources: plain files only, no links. The check uses the open file and
//! not its name, which may change meanwhile. Opening does not block on a pipe.

use std::fs::{File, Metadata, OpenOptions};
use std::io::{self, Read as _};
use std::path::Path;

/// Opens a plain file to read it.
pub fn open_regular_file(path: &Path) -> io::Result<File> {
    open_regular_file_with(path, OpenOptions::new().read(true))
}

/// Opens a plain file with these options. They must not truncate, because the type of the file is
/// known only once it is open.
pub fn open_regular_file_with(path: &Path, options: &mut OpenOptions) -> io::Result<File> {
    refuse_links(options);
    let file = options.open(path).map_err(|error| explain_open_error(path, error))?;
    match is_regular(&file.metadata()?) {
        true => Ok(file),
        false => Err(not_regular_file_error(false)),
    }
}

fn not_regular_file_error(is_link: bool) -> io::Error {
    let why = match is_link {
        true => "it is a link, and links to files are not followed",
        false => "it is not a plain file",
    };
    io::Error::new(io::ErrorKind::InvalidInput, why)
}

/// Replaces the system's error for a link or a pipe with our own message.
fn explain_open_error(path: &Path, error: io::Error) -> io::Error {
    match path.symlink_metadata() {
        Ok(metadata) if !is_regular(&metadata) => {
            not_regular_file_error(metadata.file_type().is_symlink())
        }
        _ => error,
    }
}

fn is_regular(metadata: &Metadata) -> bool {
    metadata.file_type().is_file()
}

#[cfg(unix)]
fn refuse_links(options: &mut OpenOptions) {
    use std::os::unix::fs::OpenOptionsExt;

    use rustix::fs::OFlags;
    let flags = OFlags::NOFOLLOW | OFlags::NONBLOCK | OFlags::NOCTTY;
    options.custom_flags(i32::try_from(flags.bits()).unwrap_or(0));
}

// Opens the link itself, which is then not a plain file. Written from the manual and not tested on
// this system.
#[cfg(windows)]
fn refuse_links(options: &mut OpenOptions) {
    use std::os::windows::fs::OpenOptionsExt;
    const FILE_FLAG_OPEN_REPARSE_POINT: u32 = 0x0020_0000;
    options.custom_flags(FILE_FLAG_OPEN_REPARSE_POINT);
}

#[cfg(not(any(unix, windows)))]
fn refuse_links(_: &mut OpenOptions) {}

/// The bytes of a plain file with at most `most` bytes.
pub(super) fn read_file_within_limit(path: &Path, most: u64) -> Result<Vec<u8>, String> {
    let mut bytes = Vec::new();
    let file = open_regular_file(path).map_err(|why| describe_io_error(&why))?;
    file.take(most + 1).read_to_end(&mut bytes).map_err(|why| describe_io_error(&why))?;
    if bytes.len() as u64 > most {
        return Err(format!("it is larger than {most} bytes"));
    }
    Ok(bytes)
}

/// The reason of an I/O error, in the same words on every system where possible.
pub(super) fn describe_io_error(why: &std::io::Error) -> String {
    match why.kind() {
        std::io::ErrorKind::NotFound => "there is no such file or folder".to_owned(),
        std::io::ErrorKind::PermissionDenied => "permission is denied".to_owned(),
        _ => why.to_string(),
    }
}
