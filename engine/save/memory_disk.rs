//! A disk in memory, for runs that are not saved.

use std::collections::{BTreeMap, BTreeSet};
use std::io::{self, ErrorKind};
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use super::disk::{Disk, LockHandle};

/// A disk in memory. Clones are the same disk.
#[derive(Clone, Default)]
pub struct MemoryDisk(Arc<Mutex<MemoryFiles>>);

#[derive(Default)]
struct MemoryFiles {
    files: BTreeMap<PathBuf, Vec<u8>>,
    folders: BTreeSet<PathBuf>,
    locked_paths: BTreeSet<PathBuf>,
}

struct MemoryLock(MemoryDisk, PathBuf);

impl Drop for MemoryLock {
    fn drop(&mut self) {
        self.0.lock_files().locked_paths.remove(&self.1);
    }
}

impl MemoryDisk {
    /// An empty disk.
    pub fn new() -> Self {
        Self::default()
    }

    fn lock_files(&self) -> MutexGuard<'_, MemoryFiles> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl MemoryFiles {
    fn file(&mut self, path: &Path) -> io::Result<&mut Vec<u8>> {
        self.files.get_mut(path).ok_or_else(|| ErrorKind::NotFound.into())
    }
}

impl Disk for MemoryDisk {
    fn read_file(&self, path: &Path, most: u64) -> io::Result<Vec<u8>> {
        let mut memory_files = self.lock_files();
        let bytes = memory_files.file(path)?;
        if bytes.len() as u64 > most {
            return Err(ErrorKind::FileTooLarge.into());
        }
        Ok(bytes.clone())
    }

    fn write_file(&self, path: &Path, bytes: &[u8]) -> io::Result<()> {
        self.lock_files().files.insert(path.to_owned(), bytes.to_vec());
        Ok(())
    }

    fn append_to_file(&self, path: &Path, bytes: &[u8]) -> io::Result<()> {
        self.lock_files().file(path)?.extend_from_slice(bytes);
        Ok(())
    }

    fn truncate_file(&self, path: &Path, length: u64) -> io::Result<()> {
        let length = usize::try_from(length).map_err(|_| ErrorKind::FileTooLarge)?;
        self.lock_files().file(path)?.resize(length, 0);
        Ok(())
    }

    fn sync_file(&self, path: &Path) -> io::Result<()> {
        self.lock_files().file(path).map(drop)
    }

    fn rename(&self, from: &Path, to: &Path) -> io::Result<()> {
        let mut memory_files = self.lock_files();
        let file = memory_files.files.remove(from).ok_or(ErrorKind::NotFound)?;
        memory_files.files.insert(to.to_owned(), file);
        Ok(())
    }

    fn sync_folder(&self, _: &Path) -> io::Result<()> {
        Ok(())
    }

    fn list_folder(&self, path: &Path) -> io::Result<Vec<String>> {
        let memory_files = self.lock_files();
        let all = memory_files.files.keys().chain(&memory_files.folders);
        let names = all.filter(|name| name.parent() == Some(path));
        let names = names.filter_map(|name| Some(name.file_name()?.to_str()?.to_owned()));
        Ok(names.collect::<BTreeSet<String>>().into_iter().collect())
    }

    fn exists(&self, path: &Path) -> io::Result<bool> {
        let memory_files = self.lock_files();
        Ok(memory_files.files.contains_key(path) || memory_files.folders.contains(path))
    }

    fn create_folder(&self, path: &Path) -> io::Result<()> {
        let non_empty_folders = path.ancestors().filter(|folder| !folder.as_os_str().is_empty());
        self.lock_files().folders.extend(non_empty_folders.map(Path::to_owned));
        Ok(())
    }

    fn lock(&self, path: &Path) -> io::Result<Option<LockHandle>> {
        let was_free = self.lock_files().locked_paths.insert(path.to_owned());
        Ok(was_free.then(|| LockHandle::new(MemoryLock(self.clone(), path.to_owned()))))
    }
}
