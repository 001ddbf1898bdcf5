//! The disk behind a small trait, so that tests can simulate a crash, a full disk or a failed call.
//! Paths are complete; each call opens and closes what it needs.

use std::any::Any;
use std::fs::{self, File, OpenOptions, TryLockError};
use std::io::{self, Read, Seek, SeekFrom, Write};
use std::path::{Path, PathBuf};
use std::thread::{self, JoinHandle};

use mods::{open_regular_file, open_regular_file_with};

/// A handle that is open until it is dropped: a lock.
pub struct LockHandle(
    #[expect(dead_code, reason = "held, never looked at")] Box<dyn Any + Send + Sync>,
);

impl LockHandle {
    /// Wraps a handle.
    pub fn new(thing: impl Any + Send + Sync) -> Self {
        Self(Box::new(thing))
    }
}

impl std::fmt::Debug for LockHandle {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("Held")
    }
}

/// Background work; dropping this waits for its end.
#[derive(Debug, Default)]
pub struct BackgroundTask(Option<JoinHandle<()>>);

impl Drop for BackgroundTask {
    fn drop(&mut self) {
        // A panic in the background work only means that it is not done.
        let _ = self.0.take().map(JoinHandle::join);
    }
}

/// The disk operations that `save` needs.
pub trait Disk: Send + Sync {
    /// Reads a file of at most `most` bytes; a longer one is an error of the kind `FileTooLarge`.
    fn read_file(&self, path: &Path, most: u64) -> io::Result<Vec<u8>>;
    /// Opens a file to read it in chunks from a position. Empty if the file ends before it.
    fn open_reader(&self, path: &Path, from: u64) -> io::Result<Box<dyn Read + '_>> {
        let mut all = io::Cursor::new(self.read_file(path, u64::MAX)?);
        all.set_position(from);
        Ok(Box::new(all))
    }
    /// The size of a file in bytes.
    fn file_length(&self, path: &Path) -> io::Result<u64> {
        io::copy(&mut self.open_reader(path, 0)?, &mut io::sink())
    }
    /// Creates or overwrites a file. Not yet synced.
    fn write_file(&self, path: &Path, bytes: &[u8]) -> io::Result<()>;
    /// Appends bytes to an existing file. Not yet synced.
    fn append_to_file(&self, path: &Path, bytes: &[u8]) -> io::Result<()>;
    /// Truncates a file.
    fn truncate_file(&self, path: &Path, length: u64) -> io::Result<()>;
    /// Syncs a file: after this, its content survives a power loss.
    fn sync_file(&self, path: &Path) -> io::Result<()>;
    /// Renames a file and replaces an existing one.
    fn rename(&self, from: &Path, to: &Path) -> io::Result<()>;
    /// Syncs a folder: after this, its names survive a power loss.
    fn sync_folder(&self, path: &Path) -> io::Result<()>;
    /// The names in a folder, sorted; empty if there is no such folder. Names that are not UTF-8
    /// are left out.
    fn list_folder(&self, path: &Path) -> io::Result<Vec<String>>;
    /// Whether a file or folder exists.
    fn exists(&self, path: &Path) -> io::Result<bool>;
    /// Creates a folder and its parents.
    fn create_folder(&self, path: &Path) -> io::Result<()>;
    /// Locks a file, which is created if needed; `None` if it is locked already. The lock ends when
    /// the handle is dropped or the process dies.
    fn lock(&self, path: &Path) -> io::Result<Option<LockHandle>>;
    /// Removes a file. A disk need not support it: nothing depends on it.
    fn remove_file(&self, path: &Path) -> io::Result<()> {
        let _ = path;
        Err(io::ErrorKind::Unsupported.into())
    }
    /// Runs optional work in the background if this disk supports concurrent use, else at once.
    fn run_in_background(&self, work: Box<dyn FnOnce() + Send>) -> BackgroundTask {
        work();
        BackgroundTask::default()
    }
}

/// Replaces a file atomically: at every moment the old or the new content is there. When this
/// returns, the new content survives a power loss.
pub fn replace_file(disk: &dyn Disk, path: &Path, bytes: &[u8]) -> io::Result<()> {
    FileReplacement::begin(disk, path, bytes)?.finish()
}

/// The same without a sync, for data that can be recomputed. After a power loss the file may be
/// old, new or partial; its reader must detect that.
pub(super) fn replace_file_unsynced(disk: &dyn Disk, path: &Path, bytes: &[u8]) -> io::Result<()> {
    let FileReplacement { temporary_path, .. } = FileReplacement::begin(disk, path, bytes)?;
    disk.rename(&temporary_path, path)
}

/// A file that replaces another once all of it is written, in chunks. Dropped before, it is left
/// beside the other one.
pub(super) struct FileReplacement<'d> {
    disk: &'d dyn Disk,
    path: &'d Path,
    temporary_path: PathBuf,
}

impl<'d> FileReplacement<'d> {
    /// Begins a temporary file beside another.
    pub(super) fn begin(disk: &'d dyn Disk, path: &'d Path, bytes: &[u8]) -> io::Result<Self> {
        // The first name may belong to something that is not a file; it is left alone.
        let mut result: io::Result<()> = Err(io::ErrorKind::InvalidInput.into());
        let mut temporary_path = path.to_owned();
        for ending in [".new", ".new-2", ".new-3"] {
            if matches!(&result, Err(error) if error.kind() == io::ErrorKind::InvalidInput) {
                temporary_path = add_file_suffix(path, ending);
                result = disk.write_file(&temporary_path, bytes);
            }
        }
        result.map(|()| Self { disk, path, temporary_path })
    }

    pub(super) fn append(&self, bytes: &[u8]) -> io::Result<()> {
        self.disk.append_to_file(&self.temporary_path, bytes)
    }

    /// Replaces the other file. When this returns, the new content survives a power loss.
    pub(super) fn finish(self) -> io::Result<()> {
        self.disk.sync_file(&self.temporary_path)?;
        self.disk.rename(&self.temporary_path, self.path)?;
        self.path.parent().map_or(Ok(()), |folder| self.disk.sync_folder(folder))
    }
}

/// Copies a file in chunks and syncs the copy. Runs of zeros become holes in the copy.
pub(super) fn copy_file(disk: &dyn Disk, from: &Path, to: &Path) -> io::Result<()> {
    const COPY_CHUNK_BYTES: u64 = 1024 * 1024;
    let copy = FileReplacement::begin(disk, to, &[])?;
    let mut source = disk.open_reader(from, 0)?;
    let (mut length, mut written_length) = (0, 0);
    let mut chunk = Vec::new();
    while source.by_ref().take(COPY_CHUNK_BYTES).read_to_end(&mut chunk)? > 0 {
        length += chunk.len() as u64;
        if chunk.iter().any(|byte| *byte != 0) {
            let hole_end = length - chunk.len() as u64;
            if written_length < hole_end {
                disk.truncate_file(&copy.temporary_path, hole_end)?;
            }
            copy.append(&chunk)?;
            written_length = length;
        }
        chunk.clear();
    }
    if written_length < length {
        disk.truncate_file(&copy.temporary_path, length)?;
    }
    copy.finish()
}

/// The path with a suffix added to its file name.
pub(super) fn add_file_suffix(path: &Path, ending: &str) -> PathBuf {
    let mut name = path.as_os_str().to_owned();
    name.push(ending);
    PathBuf::from(name)
}

/// The path, or the nearest folder above it, that is a link to something missing.
fn find_dangling_link(path: &Path) -> Option<&Path> {
    path.ancestors().find(|one| one.is_symlink() && !one.exists())
}

fn dangling_link_error(link: &Path) -> io::Error {
    let target = fs::read_link(link).unwrap_or_default();
    let why = format!("{} is a link to {}, which is missing", link.display(), target.display());
    io::Error::new(io::ErrorKind::NotFound, why)
}

/// A locked file. It is unlocked explicitly, because a child process may keep it open a little
/// longer.
struct LockedFile(File);

impl Drop for LockedFile {
    fn drop(&mut self) {
        // If this fails, closing the file unlocks it.
        let _ = self.0.unlock();
    }
}

/// The disk of this machine.
#[derive(Clone, Copy, Debug, Default)]
pub struct RealDisk;

impl Disk for RealDisk {
    fn read_file(&self, path: &Path, most: u64) -> io::Result<Vec<u8>> {
        let file = open_regular_file(path)?;
        // Allocates once: a buffer that grows is copied repeatedly.
        let length = file.metadata().map_or(0, |metadata| metadata.len());
        if length > most {
            return Err(io::ErrorKind::FileTooLarge.into());
        }
        let mut bytes = Vec::with_capacity(usize::try_from(length).unwrap_or(0).saturating_add(1));
        file.take(most.saturating_add(1)).read_to_end(&mut bytes)?;
        if bytes.len() as u64 > most {
            return Err(io::ErrorKind::FileTooLarge.into());
        }
        Ok(bytes)
    }

    fn open_reader(&self, path: &Path, from: u64) -> io::Result<Box<dyn Read + '_>> {
        let mut file = open_regular_file(path)?;
        if from > 0 {
            file.seek(SeekFrom::Start(from))?;
        }
        Ok(Box::new(file))
    }

    fn file_length(&self, path: &Path) -> io::Result<u64> {
        Ok(open_regular_file(path)?.metadata()?.len())
    }

    fn write_file(&self, path: &Path, bytes: &[u8]) -> io::Result<()> {
        let mut file = open_regular_file_with(
            path,
            OpenOptions::new().write(true).create(true).truncate(false),
        )?;
        // Truncates only after the check that it is a plain file.
        file.set_len(0)?;
        file.write_all(bytes)
    }

    fn append_to_file(&self, path: &Path, bytes: &[u8]) -> io::Result<()> {
        open_regular_file_with(path, OpenOptions::new().append(true))?.write_all(bytes)
    }

    fn truncate_file(&self, path: &Path, length: u64) -> io::Result<()> {
        open_regular_file_with(path, OpenOptions::new().write(true))?.set_len(length)
    }

    fn sync_file(&self, path: &Path) -> io::Result<()> {
        // Windows syncs only files that are open for writing.
        open_regular_file_with(path, OpenOptions::new().read(true).write(true))?.sync_all()
    }

    fn rename(&self, from: &Path, to: &Path) -> io::Result<()> {
        fs::rename(from, to)
    }

    #[cfg(unix)]
    fn sync_folder(&self, path: &Path) -> io::Result<()> {
        match File::open(path)?.sync_all() {
            // Some network folders do not support locks and return one of these two errors.
            Err(error)
                if matches!(
                    error.kind(),
                    io::ErrorKind::InvalidInput | io::ErrorKind::Unsupported
                ) =>
            {
                Ok(())
            }
            done => done,
        }
    }

    #[cfg(not(unix))]
    fn sync_folder(&self, _path: &Path) -> io::Result<()> {
        // Other systems cannot open a folder as a file; they keep a rename without it.
        Ok(())
    }

    fn list_folder(&self, path: &Path) -> io::Result<Vec<String>> {
        let entries = match fs::read_dir(path) {
            Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(Vec::new()),
            entries => entries?,
        };
        let mut names = Vec::new();
        for entry in entries {
            names.extend(entry?.file_name().into_string());
        }
        names.sort();
        Ok(names)
    }

    fn exists(&self, path: &Path) -> io::Result<bool> {
        // A link to something missing is neither followed nor replaced.
        match path.try_exists()? {
            false if path.is_symlink() => Err(dangling_link_error(path)),
            exists => Ok(exists),
        }
    }

    fn create_folder(&self, path: &Path) -> io::Result<()> {
        fs::create_dir_all(path).map_err(|error| {
            // The system says that the link exists.
            find_dangling_link(path).map_or(error, dangling_link_error)
        })
    }

    fn remove_file(&self, path: &Path) -> io::Result<()> {
        fs::remove_file(path)
    }

    fn run_in_background(&self, work: Box<dyn FnOnce() + Send>) -> BackgroundTask {
        BackgroundTask(thread::Builder::new().name("checkpoint".to_owned()).spawn(work).ok())
    }

    fn lock(&self, path: &Path) -> io::Result<Option<LockHandle>> {
        let mut options = OpenOptions::new();
        let options = options.read(true).write(true).create(true).truncate(false);
        let file = open_regular_file_with(path, options)?;
        match file.try_lock() {
            Ok(()) => Ok(Some(LockHandle::new(LockedFile(file)))),
            Err(TryLockError::WouldBlock) => Ok(None),
            Err(TryLockError::Error(error)) => Err(error),
        }
    }
}
