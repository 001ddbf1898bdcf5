//! An in-memory disk that loses data like a real one: it tracks what was synced, and a crash can
//! drop the rest, tear it, fill it with zeros, or keep names without bytes. It can run out of space
//! and fail its Nth call.

use std::collections::BTreeMap;
use std::io::{self, ErrorKind};
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use engine::save::{Disk, LockHandle};

/// The effect of a crash on data that was not synced.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Crash {
    /// The program died, the system did not: everything is stored.
    Killed,
    /// Everything that was not synced is lost, names too.
    Lost,
    /// Names stay; of the bytes after the synced ones, this share of 256 stays.
    Torn(u8),
    /// Names and lengths stay; bytes that were not synced are zeros.
    Zeros,
}

/// An in-memory disk. Clones share it.
#[derive(Clone, Default)]
pub struct FaultyDisk(Arc<Mutex<DiskContents>>);

#[derive(Default)]
struct DiskContents {
    files: Vec<MemoryFile>,
    /// The target of each name: a file by number, or a folder.
    names: BTreeMap<PathBuf, Option<usize>>,
    synced_names: BTreeMap<PathBuf, Option<usize>>,
    locks: BTreeMap<PathBuf, u64>,
    locks_taken: u64,
    calls: u64,
    fails_from: Option<(u64, u64)>,
    room: Option<usize>,
}

#[derive(Clone, Default)]
struct MemoryFile {
    bytes: Vec<u8>,
    synced: Vec<u8>,
}

struct MemoryLock {
    disk: FaultyDisk,
    path: PathBuf,
    number: u64,
}

impl Drop for MemoryLock {
    fn drop(&mut self) {
        let mut inside = self.disk.contents();
        if inside.locks.get(&self.path) == Some(&self.number) {
            inside.locks.remove(&self.path);
        }
    }
}

impl FaultyDisk {
    /// An empty disk.
    pub fn new() -> Self {
        Self::default()
    }

    fn contents(&self) -> MutexGuard<'_, DiskContents> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// The contents, for a call that may fail.
    fn call(&self) -> io::Result<MutexGuard<'_, DiskContents>> {
        let mut inside = self.contents();
        inside.calls += 1;
        match inside.fails_from {
            Some((from, to)) if (from + 1..=to).contains(&inside.calls) => {
                Err(io::Error::other("the disk does not answer"))
            }
            _ => Ok(inside),
        }
    }

    /// The number of calls so far that could fail.
    pub fn calls(&self) -> u64 {
        self.contents().calls
    }

    /// Makes `count` calls fail after `after` successful ones.
    pub fn fail(&self, after: u64, count: u64) {
        let mut inside = self.contents();
        let first = inside.calls + after;
        inside.fails_from = Some((first, first.saturating_add(count)));
    }

    /// Makes every call succeed again, within the free space.
    pub fn clear_failure(&self) {
        self.contents().fails_from = None;
    }

    /// The capacity for all files together; `None` is unlimited.
    pub fn set_room(&self, room: Option<usize>) {
        self.contents().room = room;
    }

    /// Bytes in all files together.
    pub fn used(&self) -> usize {
        self.contents().used()
    }

    /// The machine stops and restarts.
    pub fn crash(&self, how: Crash) {
        let mut inside = self.contents();
        inside.locks.clear();
        inside.fails_from = None;
        if how == Crash::Lost {
            inside.names = inside.synced_names.clone();
        }
        for file in &mut inside.files {
            file.crash(how);
        }
        inside.synced_names = inside.names.clone();
    }
}

impl MemoryFile {
    fn crash(&mut self, how: Crash) {
        let synced = self.synced.len();
        let grew = self.bytes.starts_with(&self.synced);
        match how {
            Crash::Killed => {}
            Crash::Torn(share) if grew => {
                let more = (self.bytes.len() - synced) * usize::from(share) / 256;
                self.bytes.truncate(synced + more);
            }
            Crash::Zeros if grew => self.bytes[synced..].fill(0),
            Crash::Lost | Crash::Torn(_) | Crash::Zeros => self.bytes.clone_from(&self.synced),
        }
        self.synced.clone_from(&self.bytes);
    }
}

impl DiskContents {
    fn used(&self) -> usize {
        self.names.values().flatten().map(|file| self.files[*file].bytes.len()).sum()
    }

    fn file(&mut self, path: &Path) -> io::Result<&mut MemoryFile> {
        match self.names.get(path) {
            Some(Some(file)) => Ok(&mut self.files[*file]),
            Some(None) => Err(ErrorKind::IsADirectory.into()),
            None => Err(ErrorKind::NotFound.into()),
        }
    }

    /// Appends bytes to a file, within the free space.
    fn put(&mut self, path: &Path, bytes: &[u8]) -> io::Result<()> {
        let free = self.room.map_or(usize::MAX, |room| room.saturating_sub(self.used()));
        let fits = bytes.len().min(free);
        self.file(path)?.bytes.extend_from_slice(&bytes[..fits]);
        if fits < bytes.len() { Err(ErrorKind::StorageFull.into()) } else { Ok(()) }
    }

    fn has_folder(&self, path: &Path) -> bool {
        path.parent().is_none_or(|folder| {
            folder.as_os_str().is_empty() || self.names.get(folder) == Some(&None)
        })
    }
}

impl Disk for FaultyDisk {
    fn read(&self, path: &Path, most: u64) -> io::Result<Vec<u8>> {
        let mut inside = self.call()?;
        let file = inside.file(path)?;
        if file.bytes.len() as u64 > most {
            return Err(ErrorKind::FileTooLarge.into());
        }
        Ok(file.bytes.clone())
    }

    fn write(&self, path: &Path, bytes: &[u8]) -> io::Result<()> {
        let mut inside = self.call()?;
        if !inside.has_folder(path) {
            return Err(ErrorKind::NotFound.into());
        }
        match inside.file(path) {
            Ok(file) => file.bytes.clear(),
            Err(error) if error.kind() == ErrorKind::NotFound => {
                let number = inside.files.len();
                inside.files.push(MemoryFile::default());
                inside.names.insert(path.to_owned(), Some(number));
            }
            Err(error) => return Err(error),
        }
        inside.put(path, bytes)
    }

    fn append(&self, path: &Path, bytes: &[u8]) -> io::Result<()> {
        self.call()?.put(path, bytes)
    }

    fn truncate_file(&self, path: &Path, length: u64) -> io::Result<()> {
        let mut inside = self.call()?;
        let length = usize::try_from(length).map_err(|_| ErrorKind::FileTooLarge)?;
        inside.file(path)?.bytes.resize(length, 0);
        Ok(())
    }

    fn sync(&self, path: &Path) -> io::Result<()> {
        let mut inside = self.call()?;
        let file = inside.file(path)?;
        file.synced.clone_from(&file.bytes);
        Ok(())
    }

    fn rename(&self, from: &Path, to: &Path) -> io::Result<()> {
        let mut inside = self.call()?;
        inside.file(from)?;
        let file = inside.names.remove(from).ok_or(ErrorKind::NotFound)?;
        inside.names.insert(to.to_owned(), file);
        Ok(())
    }

    fn sync_folder(&self, path: &Path) -> io::Result<()> {
        let inside = &mut *self.call()?;
        let is_in = |name: &PathBuf| name.parent() == Some(path);
        inside.synced_names.retain(|name, _| !is_in(name));
        let fresh = inside.names.iter().filter(|(name, _)| is_in(name));
        inside.synced_names.extend(fresh.map(|(name, file)| (name.clone(), *file)));
        Ok(())
    }

    fn list(&self, path: &Path) -> io::Result<Vec<String>> {
        let inside = self.call()?;
        let names = inside.names.keys().filter(|name| name.parent() == Some(path));
        Ok(names.filter_map(|name| Some(name.file_name()?.to_str()?.to_owned())).collect())
    }

    fn exists(&self, path: &Path) -> io::Result<bool> {
        Ok(self.call()?.names.contains_key(path))
    }

    fn make_folder(&self, path: &Path) -> io::Result<()> {
        let mut inside = self.call()?;
        for folder in path.ancestors().filter(|folder| !folder.as_os_str().is_empty()) {
            inside.names.entry(folder.to_owned()).or_insert(None);
        }
        Ok(())
    }

    fn lock(&self, path: &Path) -> io::Result<Option<LockHandle>> {
        let mut inside = self.call()?;
        if inside.locks.contains_key(path) {
            return Ok(None);
        }
        inside.locks_taken += 1;
        let number = inside.locks_taken;
        inside.locks.insert(path.to_owned(), number);
        Ok(Some(LockHandle::new(MemoryLock { disk: self.clone(), path: path.to_owned(), number })))
    }
}
