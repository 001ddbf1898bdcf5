//! An in-memory disk that loses data like a real one: it tracks what was synced, and a crash can
//! drop the rest, tear it, fill it with zeros, or keep names without bytes. It can run out of
//! space, fail its Nth call, and panic over a file.

use std::collections::BTreeMap;
use std::io::{self, ErrorKind};
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use save::{Disk, LockHandle};

/// The effect of a crash on data that was not synced.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum CrashEffect {
    /// The program died, the system did not: everything is stored.
    EverythingStored,
    /// Everything that was not synced is lost, names too.
    UnsyncedLost,
    /// Names stay; of the bytes after the synced ones, this share of 256 stays.
    UnsyncedTorn(u8),
    /// Names and lengths stay; bytes that were not synced are zeros.
    UnsyncedZeroed,
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
    call_count: u64,
    failing_calls: Option<(u64, u64)>,
    capacity: Option<usize>,
    /// A part of the paths whose reads panic, and the number of reads that succeed before.
    panicking_reads: Option<(String, u64)>,
}

#[derive(Clone, Default)]
struct MemoryFile {
    bytes: Vec<u8>,
    synced_bytes: Vec<u8>,
}

struct MemoryLock {
    disk: FaultyDisk,
    path: PathBuf,
    number: u64,
}

impl Drop for MemoryLock {
    fn drop(&mut self) {
        let mut contents = self.disk.lock_contents();
        if contents.locks.get(&self.path) == Some(&self.number) {
            contents.locks.remove(&self.path);
        }
    }
}

impl FaultyDisk {
    /// An empty disk.
    pub fn new() -> Self {
        Self::default()
    }

    fn lock_contents(&self) -> MutexGuard<'_, DiskContents> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// The contents, for a call that may fail.
    fn begin_call(&self) -> io::Result<MutexGuard<'_, DiskContents>> {
        let mut contents = self.lock_contents();
        contents.call_count += 1;
        match contents.failing_calls {
            Some((first_call, last_call))
                if (first_call + 1..=last_call).contains(&contents.call_count) =>
            {
                Err(io::Error::other("the disk does not answer"))
            }
            _ => Ok(contents),
        }
    }

    /// The number of calls so far that could fail.
    pub fn call_count(&self) -> u64 {
        self.lock_contents().call_count
    }

    /// Makes `count` calls fail after `successful_calls` successful ones.
    pub fn fail_calls(&self, successful_calls: u64, count: u64) {
        let mut contents = self.lock_contents();
        let first_call = contents.call_count + successful_calls;
        contents.failing_calls = Some((first_call, first_call.saturating_add(count)));
    }

    /// Makes every call succeed again, within the free space.
    pub fn clear_failure(&self) {
        self.lock_contents().failing_calls = None;
    }

    /// Makes reads of files with this in their path panic after `successful_reads` of them.
    pub fn panic_on_reads(&self, path_part: &str, successful_reads: u64) {
        self.lock_contents().panicking_reads = Some((path_part.to_owned(), successful_reads));
    }

    /// Ends the panics.
    pub fn clear_panics(&self) {
        self.lock_contents().panicking_reads = None;
    }

    /// The capacity for all files together; `None` is unlimited.
    pub fn set_capacity(&self, room: Option<usize>) {
        self.lock_contents().capacity = room;
    }

    /// Bytes in all files together.
    pub fn used_bytes(&self) -> usize {
        self.lock_contents().used_bytes()
    }

    /// The machine stops and restarts.
    pub fn crash_and_restart(&self, effect: CrashEffect) {
        let mut contents = self.lock_contents();
        contents.locks.clear();
        contents.failing_calls = None;
        if effect == CrashEffect::UnsyncedLost {
            contents.names = contents.synced_names.clone();
        }
        for file in &mut contents.files {
            file.apply_crash(effect);
        }
        contents.synced_names = contents.names.clone();
    }
}

impl MemoryFile {
    fn apply_crash(&mut self, effect: CrashEffect) {
        let synced_length = self.synced_bytes.len();
        let only_grew = self.bytes.starts_with(&self.synced_bytes);
        match effect {
            CrashEffect::EverythingStored => {}
            CrashEffect::UnsyncedTorn(kept_share) if only_grew => {
                let extra_length =
                    (self.bytes.len() - synced_length) * usize::from(kept_share) / 256;
                self.bytes.truncate(synced_length + extra_length);
            }
            CrashEffect::UnsyncedZeroed if only_grew => self.bytes[synced_length..].fill(0),
            CrashEffect::UnsyncedLost
            | CrashEffect::UnsyncedTorn(_)
            | CrashEffect::UnsyncedZeroed => self.bytes.clone_from(&self.synced_bytes),
        }
        self.synced_bytes.clone_from(&self.bytes);
    }
}

impl DiskContents {
    fn used_bytes(&self) -> usize {
        self.names.values().flatten().map(|file| self.files[*file].bytes.len()).sum()
    }

    fn find_file(&mut self, path: &Path) -> io::Result<&mut MemoryFile> {
        match self.names.get(path) {
            Some(Some(file)) => Ok(&mut self.files[*file]),
            Some(None) => Err(ErrorKind::IsADirectory.into()),
            None => Err(ErrorKind::NotFound.into()),
        }
    }

    fn panic_if_planned(&mut self, path: &Path) {
        if let Some((path_part, successful_reads)) = &mut self.panicking_reads
            && path.to_string_lossy().contains(&**path_part)
        {
            assert!(*successful_reads > 0, "a read of {} panics", path.display());
            *successful_reads -= 1;
        }
    }

    /// Appends bytes to a file, within the free space.
    fn append_within_capacity(&mut self, path: &Path, bytes: &[u8]) -> io::Result<()> {
        let free_bytes =
            self.capacity.map_or(usize::MAX, |room| room.saturating_sub(self.used_bytes()));
        let fitting_length = bytes.len().min(free_bytes);
        self.find_file(path)?.bytes.extend_from_slice(&bytes[..fitting_length]);
        if fitting_length < bytes.len() { Err(ErrorKind::StorageFull.into()) } else { Ok(()) }
    }

    fn parent_exists(&self, path: &Path) -> bool {
        path.parent().is_none_or(|folder| {
            folder.as_os_str().is_empty() || self.names.get(folder) == Some(&None)
        })
    }
}

impl Disk for FaultyDisk {
    fn read_file(&self, path: &Path, max_bytes: u64) -> io::Result<Vec<u8>> {
        let mut contents = self.begin_call()?;
        contents.panic_if_planned(path);
        let file = contents.find_file(path)?;
        if file.bytes.len() as u64 > max_bytes {
            return Err(ErrorKind::FileTooLarge.into());
        }
        Ok(file.bytes.clone())
    }

    fn file_length(&self, path: &Path) -> io::Result<u64> {
        let mut contents = self.begin_call()?;
        Ok(contents.find_file(path)?.bytes.len() as u64)
    }

    fn write_file(&self, path: &Path, bytes: &[u8]) -> io::Result<()> {
        let mut contents = self.begin_call()?;
        if !contents.parent_exists(path) {
            return Err(ErrorKind::NotFound.into());
        }
        match contents.find_file(path) {
            Ok(file) => file.bytes.clear(),
            Err(error) if error.kind() == ErrorKind::NotFound => {
                let file_number = contents.files.len();
                contents.files.push(MemoryFile::default());
                contents.names.insert(path.to_owned(), Some(file_number));
            }
            Err(error) => return Err(error),
        }
        contents.append_within_capacity(path, bytes)
    }

    fn append_to_file(&self, path: &Path, bytes: &[u8]) -> io::Result<()> {
        self.begin_call()?.append_within_capacity(path, bytes)
    }

    fn truncate_file(&self, path: &Path, length: u64) -> io::Result<()> {
        let mut contents = self.begin_call()?;
        let length = usize::try_from(length).map_err(|_| ErrorKind::FileTooLarge)?;
        contents.find_file(path)?.bytes.resize(length, 0);
        Ok(())
    }

    fn sync_file(&self, path: &Path) -> io::Result<()> {
        let mut contents = self.begin_call()?;
        let file = contents.find_file(path)?;
        file.synced_bytes.clone_from(&file.bytes);
        Ok(())
    }

    fn rename(&self, from: &Path, to: &Path) -> io::Result<()> {
        let mut contents = self.begin_call()?;
        contents.find_file(from)?;
        let file = contents.names.remove(from).ok_or(ErrorKind::NotFound)?;
        contents.names.insert(to.to_owned(), file);
        Ok(())
    }

    fn sync_folder(&self, path: &Path) -> io::Result<()> {
        let contents = &mut *self.begin_call()?;
        let is_in_folder = |name: &PathBuf| name.parent() == Some(path);
        contents.synced_names.retain(|name, _| !is_in_folder(name));
        let new_names = contents.names.iter().filter(|(name, _)| is_in_folder(name));
        contents.synced_names.extend(new_names.map(|(name, file)| (name.clone(), *file)));
        Ok(())
    }

    fn list_folder(&self, path: &Path) -> io::Result<Vec<String>> {
        let contents = self.begin_call()?;
        let names = contents.names.keys().filter(|name| name.parent() == Some(path));
        Ok(names.filter_map(|name| Some(name.file_name()?.to_str()?.to_owned())).collect())
    }

    fn exists(&self, path: &Path) -> io::Result<bool> {
        Ok(self.begin_call()?.names.contains_key(path))
    }

    fn create_folder(&self, path: &Path) -> io::Result<()> {
        let mut contents = self.begin_call()?;
        for folder in path.ancestors().filter(|folder| !folder.as_os_str().is_empty()) {
            contents.names.entry(folder.to_owned()).or_insert(None);
        }
        Ok(())
    }

    fn lock(&self, path: &Path) -> io::Result<Option<LockHandle>> {
        let mut contents = self.begin_call()?;
        if contents.locks.contains_key(path) {
            return Ok(None);
        }
        contents.locks_taken += 1;
        let lock_number = contents.locks_taken;
        contents.locks.insert(path.to_owned(), lock_number);
        Ok(Some(LockHandle::new(MemoryLock {
            disk: self.clone(),
            path: path.to_owned(),
            number: lock_number,
        })))
    }
}
