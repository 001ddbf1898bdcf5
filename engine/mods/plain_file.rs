//! Opening files that others may have put there: plain ones only, and no link. It is asked of the file
//! that is open and not of its name, which may lead elsewhere a moment later; and nothing is waited
//! for, as a pipe without anybody at its other end would have it.

use std::fs::{File, Metadata, OpenOptions};
use std::io;
use std::path::Path;

use crate::kit::fault::planted;

/// Opens a plain file to read it.
pub fn open_plain(path: &Path) -> io::Result<File> {
    open_plain_as(path, OpenOptions::new().read(true))
}

/// Opens a plain file with options of one's own. They must not cut the file: what it is is known
/// only once it is open.
pub fn open_plain_as(path: &Path, options: &mut OpenOptions) -> io::Result<File> {
    if planted("any_file_opened") {
        return options.open(path);
    }
    only_itself(options);
    let file = options.open(path).map_err(|error| in_words(path, error))?;
    match is_plain(&file.metadata()?) {
        true => Ok(file),
        false => Err(not_plain(false)),
    }
}

fn not_plain(link: bool) -> io::Error {
    let why = match link {
        true => "it is a link, and links to files are not followed",
        false => "it is not a plain file",
    };
    io::Error::new(io::ErrorKind::InvalidInput, why)
}

/// What a system says of a link or a pipe that is not to be opened is said in our words.
fn in_words(path: &Path, error: io::Error) -> io::Error {
    match path.symlink_metadata() {
        Ok(about) if !is_plain(&about) => not_plain(about.file_type().is_symlink()),
        _ => error,
    }
}

fn is_plain(about: &Metadata) -> bool {
    about.file_type().is_file()
}

#[cfg(unix)]
fn only_itself(options: &mut OpenOptions) {
    use std::os::unix::fs::OpenOptionsExt;

    use rustix::fs::OFlags;
    let flags = OFlags::NOFOLLOW | OFlags::NONBLOCK | OFlags::NOCTTY;
    options.custom_flags(i32::try_from(flags.bits()).unwrap_or(0));
}

// Opens a link itself, which is then no plain file. Written from the manual; tried on no such system.
#[cfg(windows)]
fn only_itself(options: &mut OpenOptions) {
    use std::os::windows::fs::OpenOptionsExt;
    const FILE_FLAG_OPEN_REPARSE_POINT: u32 = 0x0020_0000;
    options.custom_flags(FILE_FLAG_OPEN_REPARSE_POINT);
}

#[cfg(not(any(unix, windows)))]
fn only_itself(_: &mut OpenOptions) {}
