//! File locks: one writer at a time. The system frees a lock when its process dies, so there are no
//! stale locks. A note file beside the lock names the holder, because a locked file cannot be read
//! on every system.

use std::path::Path;

use super::disk::{Disk, LockHandle, add_file_suffix};
use super::io_error::{IoContext, file_location};
use base::{Code, Problem, text};

/// The maximum size of the note about the holder.
const MAX_HOLDER_NOTE_BYTES: u64 = 400;

/// A lock that is held until this is dropped.
#[derive(Debug)]
pub struct FileLock {
    _handle: LockHandle,
}

impl FileLock {
    /// Acquires a lock, or reports who holds it. `what` completes "… is in use".
    pub(super) fn acquire(disk: &dyn Disk, path: &Path, what: &str) -> Result<Self, Problem> {
        let note_path = add_file_suffix(path, ".holder");
        let doing = format!("lock {what}");
        if let Some(handle) = disk.lock(path).with_context(&doing, path)? {
            // The note is optional: a failed write is ignored.
            let _ =
                disk.write_file(&note_path, format!("process {}", std::process::id()).as_bytes());
            return Ok(Self { _handle: handle });
        }
        let holder = disk
            .read_file(&note_path, MAX_HOLDER_NOTE_BYTES)
            .ok()
            .map(|bytes| text::strip_unprintable(&String::from_utf8_lossy(&bytes)))
            .filter(|holder| !holder.trim().is_empty())
            .unwrap_or_else(|| "another process".to_owned());
        Err(Problem::error(Code::InUse, format!("{what} is in use by {holder}"))
            .at(file_location(path, 0))
            .hint("close it there; if that program has died, the lock is free: try again"))
    }
}
