//! The disk, behind a small trait, so that tests can crash one, fill it up or fail its Nth call.
//! Paths are whole; every call opens what it needs and lets it go.

use std::any::Any;
use std::fs::{self, File, OpenOptions, TryLockError};
use std::io::{self, Read, Seek, SeekFrom, Write};
use std::path::{Path, PathBuf};
use std::thread::{self, JoinHandle};

use crate::kit::fault::planted;
use crate::mods::{open_plain, open_plain_as};

/// Something held open until it is dropped: a lock.
pub struct Held(#[expect(dead_code, reason = "held, never looked at")] Box<dyn Any + Send + Sync>);

impl Held {
    /// Holds a thing.
    pub fn new(thing: impl Any + Send + Sync) -> Self {
        Self(Box::new(thing))
    }
}

impl std::fmt::Debug for Held {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("Held")
    }
}

/// Work that goes on while its caller does other things; dropping this waits for its end.
#[derive(Debug, Default)]
pub struct Background(Option<JoinHandle<()>>);

impl Drop for Background {
    fn drop(&mut self) {
        // What it could not do, it did not do.
        let _ = self.0.take().map(JoinHandle::join);
    }
}

/// What this room asks of a disk.
pub trait Disk: Send + Sync {
    /// Everything in a file of at most `most` bytes; a longer one is an error of the kind
    /// `FileTooLarge`.
    fn read(&self, path: &Path, most: u64) -> io::Result<Vec<u8>>;
    /// A file to read from a place on, a chunk at a time; nothing, where it ends before that.
    fn reader(&self, path: &Path, from: u64) -> io::Result<Box<dyn Read + '_>> {
        let mut all = io::Cursor::new(self.read(path, u64::MAX)?);
        all.set_position(from);
        Ok(Box::new(all))
    }
    /// How many bytes a file has.
    fn length(&self, path: &Path) -> io::Result<u64> {
        io::copy(&mut self.reader(path, 0)?, &mut io::sink())
    }
    /// Makes a file with these bytes, or puts them in place of what it held. Not yet synced.
    fn write(&self, path: &Path, bytes: &[u8]) -> io::Result<()>;
    /// Puts bytes at the end of a file that is there. Not yet synced.
    fn append(&self, path: &Path, bytes: &[u8]) -> io::Result<()>;
    /// Cuts a file to a length.
    fn cut(&self, path: &Path, length: u64) -> io::Result<()>;
    /// Returns when all of a file would outlive a loss of power.
    fn sync(&self, path: &Path) -> io::Result<()>;
    /// Gives a file another name, in place of what had it.
    fn rename(&self, from: &Path, to: &Path) -> io::Result<()>;
    /// Returns when the names in a folder would outlive a loss of power.
    fn sync_folder(&self, path: &Path) -> io::Result<()>;
    /// The names in a folder, sorted; none if there is no such folder. Names that are no UTF-8
    /// are none of ours and left out.
    fn list(&self, path: &Path) -> io::Result<Vec<String>>;
    /// Whether there is such a file or folder.
    fn exists(&self, path: &Path) -> io::Result<bool>;
    /// Makes a folder and those above it.
    fn make_folder(&self, path: &Path) -> io::Result<()>;
    /// Takes the lock that a file stands for, made if need be; `None` if someone has it. It is
    /// free again when what is returned is dropped, or its process dies.
    fn lock(&self, path: &Path) -> io::Result<Option<Held>>;
    /// Removes a file. A disk need not be able to: nothing depends on it.
    fn remove(&self, path: &Path) -> io::Result<()> {
        let _ = path;
        Err(io::ErrorKind::Unsupported.into())
    }
    /// Does what only saves time later, so that nobody waits for it, if this disk can be used by two at
    /// once; else at once.
    fn in_background(&self, work: Box<dyn FnOnce() + Send>) -> Background {
        work();
        Background::default()
    }
}

/// Puts a whole file in place of another: at every moment there is the old one or the new one,
/// and when this returns the new one outlives a loss of power.
pub fn replace(disk: &dyn Disk, path: &Path, bytes: &[u8]) -> io::Result<()> {
    put_in_place(disk, path, bytes, true)?;
    match path.parent() {
        Some(folder) => disk.sync_folder(folder),
        None => Ok(()),
    }
}

/// The same for what can be made again: the disk is not waited for, and a loss of power may leave either, or a
/// part, which its reader has to notice.
pub(super) fn replace_unsynced(disk: &dyn Disk, path: &Path, bytes: &[u8]) -> io::Result<()> {
    put_in_place(disk, path, bytes, false)
}

/// Writes a file beside another, to be put in its place; its path.
fn write_beside(disk: &dyn Disk, path: &Path, bytes: &[u8]) -> io::Result<PathBuf> {
    // What lies under the first name may be no file; it is left there.
    let mut written: io::Result<()> = Err(io::ErrorKind::InvalidInput.into());
    let mut fresh = path.to_owned();
    for ending in [".new", ".new-2", ".new-3"] {
        if matches!(&written, Err(error) if error.kind() == io::ErrorKind::InvalidInput) {
            fresh = beside(path, ending);
            written = disk.write(&fresh, bytes);
        }
    }
    written.map(|()| fresh)
}

fn put_in_place(disk: &dyn Disk, path: &Path, bytes: &[u8], sync: bool) -> io::Result<()> {
    let fresh = write_beside(disk, path, bytes)?;
    if sync {
        disk.sync(&fresh)?;
    }
    disk.rename(&fresh, path)
}

/// Copies a file, a chunk at a time; what is all zeros takes no room in the copy, as in a file with holes.
/// When this returns the copy outlives a loss of power.
pub(super) fn copy(disk: &dyn Disk, from: &Path, to: &Path) -> io::Result<()> {
    const CHUNK: u64 = 1024 * 1024;
    let fresh = write_beside(disk, to, &[])?;
    let mut source = disk.reader(from, 0)?;
    let (mut length, mut written) = (0, 0);
    let mut chunk = Vec::new();
    while source.by_ref().take(CHUNK).read_to_end(&mut chunk)? > 0 {
        length += chunk.len() as u64;
        if chunk.iter().any(|byte| *byte != 0) {
            let hole = length - chunk.len() as u64;
            if written < hole {
                disk.cut(&fresh, hole)?;
            }
            disk.append(&fresh, &chunk)?;
            written = length;
        }
        chunk.clear();
    }
    if written < length {
        disk.cut(&fresh, length)?;
    }
    disk.sync(&fresh)?;
    disk.rename(&fresh, to)?;
    to.parent().map_or(Ok(()), |folder| disk.sync_folder(folder))
}

/// The path with something added to its last name.
pub(super) fn beside(path: &Path, ending: &str) -> PathBuf {
    let mut name = path.as_os_str().to_owned();
    name.push(ending);
    PathBuf::from(name)
}

/// A locked file. It is unlocked by name, not by being closed: a child process that was just
/// started may have it open a moment longer.
struct Locked(File);

impl Drop for Locked {
    fn drop(&mut self) {
        // If this fails, closing it is what is left.
        let _ = self.0.unlock();
    }
}

/// The disk of this machine.
#[derive(Clone, Copy, Debug, Default)]
pub struct RealDisk;

impl Disk for RealDisk {
    fn read(&self, path: &Path, most: u64) -> io::Result<Vec<u8>> {
        let file = open_plain(path)?;
        // Room for all of it at once: what grows as it is read is copied over and over.
        let length = file.metadata().map_or(0, |about| about.len()).min(most);
        let mut bytes = Vec::with_capacity(usize::try_from(length).unwrap_or(0).saturating_add(1));
        file.take(most.saturating_add(1)).read_to_end(&mut bytes)?;
        if bytes.len() as u64 > most {
            return Err(io::ErrorKind::FileTooLarge.into());
        }
        Ok(bytes)
    }

    fn reader(&self, path: &Path, from: u64) -> io::Result<Box<dyn Read + '_>> {
        let mut file = open_plain(path)?;
        if from > 0 {
            file.seek(SeekFrom::Start(from))?;
        }
        Ok(Box::new(file))
    }

    fn length(&self, path: &Path) -> io::Result<u64> {
        Ok(open_plain(path)?.metadata()?.len())
    }

    fn write(&self, path: &Path, bytes: &[u8]) -> io::Result<()> {
        let mut file =
            open_plain_as(path, OpenOptions::new().write(true).create(true).truncate(false))?;
        // Cut only now that it is known to be a file of ours.
        file.set_len(0)?;
        file.write_all(bytes)
    }

    fn append(&self, path: &Path, bytes: &[u8]) -> io::Result<()> {
        open_plain_as(path, OpenOptions::new().append(true))?.write_all(bytes)
    }

    fn cut(&self, path: &Path, length: u64) -> io::Result<()> {
        open_plain_as(path, OpenOptions::new().write(true))?.set_len(length)
    }

    fn sync(&self, path: &Path) -> io::Result<()> {
        // Windows syncs only what may be written.
        open_plain_as(path, OpenOptions::new().read(true).write(true))?.sync_all()
    }

    fn rename(&self, from: &Path, to: &Path) -> io::Result<()> {
        fs::rename(from, to)
    }

    #[cfg(unix)]
    fn sync_folder(&self, path: &Path) -> io::Result<()> {
        match File::open(path)?.sync_all() {
            // Some shared folders know no such thing and say so in one of these two ways.
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
        // Elsewhere a folder cannot be opened as a file; a rename there is kept by the system.
        Ok(())
    }

    fn list(&self, path: &Path) -> io::Result<Vec<String>> {
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
        path.try_exists()
    }

    fn make_folder(&self, path: &Path) -> io::Result<()> {
        fs::create_dir_all(path)
    }

    fn remove(&self, path: &Path) -> io::Result<()> {
        fs::remove_file(path)
    }

    fn in_background(&self, work: Box<dyn FnOnce() + Send>) -> Background {
        Background(thread::Builder::new().name("checkpoint".to_owned()).spawn(work).ok())
    }

    fn lock(&self, path: &Path) -> io::Result<Option<Held>> {
        let mut options = OpenOptions::new();
        let options = options.read(true).write(true).create(true).truncate(false);
        let file = open_plain_as(path, options)?;
        if planted("locks_are_not_held") {
            return Ok(Some(Held::new(file)));
        }
        if planted("locks_outlive_their_process") && file.metadata()?.len() == 0 {
            (&file).write_all(b"held")?;
        } else if planted("locks_outlive_their_process") {
            return Ok(None);
        }
        match file.try_lock() {
            Ok(()) => Ok(Some(Held::new(Locked(file)))),
            Err(TryLockError::WouldBlock) => Ok(None),
            Err(TryLockError::Error(error)) => Err(error),
        }
    }
}
