//! The data folder: the folder with everything that the game writes.
//!
//! `runs/<run id>/journal.jsonl`, `checkpoint.json`, `lock`, pages such as `keys.json`;
//! `profiles/<id>.toml`; `content/<digest>.json`.

use std::fmt;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use super::content_fallback::ContentFallback;
use super::disk::{Disk, RealDisk, add_file_suffix, copy_file};
use super::ids_and_names::check_file_id;
use super::io_error::IoContext;
use super::peek_cache::PeekCache;
use super::size_limits::MAX_WRITTEN_JOURNAL_BYTES;
use base::{Code, Digest, Problem, Translation};

/// The largest page beside a run that is read.
const MAX_RUN_PAGE_BYTES: u64 = 1024 * 1024;

/// The data folder.
#[derive(Clone)]
pub struct DataDir {
    disk: Arc<dyn Disk>,
    root: PathBuf,
    max_journal_bytes: u64,
    pub(super) content_fallback: ContentFallback,
    pub(super) peek_cache: PeekCache,
    /// The language that runs are shown in, if it is not their own.
    translation: Option<Arc<Translation>>,
}

impl fmt::Debug for DataDir {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "DataDir({})", self.root.display())
    }
}

impl DataDir {
    /// A data folder on the disk of this machine. Nothing is written until something must be
    /// saved.
    pub fn new(root: impl Into<PathBuf>) -> Self {
        Self::with_disk(Arc::new(RealDisk), root)
    }

    /// The same data, shown in a language. Nothing on the disk depends on it.
    pub fn with_translation(mut self, translation: Option<Arc<Translation>>) -> Self {
        self.translation = translation;
        self
    }

    /// The language that runs are shown in, if it is not their own.
    pub fn translation(&self) -> Option<&Arc<Translation>> {
        self.translation.as_ref()
    }

    /// A data folder on any disk.
    pub fn with_disk(disk: Arc<dyn Disk>, root: impl Into<PathBuf>) -> Self {
        let (root, journal_bytes) = (root.into(), MAX_WRITTEN_JOURNAL_BYTES);
        let (content_fallback, peek_cache) = (ContentFallback::default(), PeekCache::default());
        Self {
            disk,
            root,
            max_journal_bytes: journal_bytes,
            content_fallback,
            peek_cache,
            translation: None,
        }
    }

    /// The same with a smaller maximum journal size than one GiB.
    pub fn with_max_journal_bytes(self, bytes: u64) -> Self {
        Self { max_journal_bytes: bytes.min(MAX_WRITTEN_JOURNAL_BYTES), ..self }
    }

    pub(super) fn max_journal_bytes(&self) -> u64 {
        self.max_journal_bytes
    }

    /// The root folder.
    pub fn root(&self) -> &Path {
        &self.root
    }

    /// The disk that it is on.
    pub fn disk(&self) -> &dyn Disk {
        &*self.disk
    }

    pub(super) fn runs_folder(&self) -> PathBuf {
        self.root.join("runs")
    }

    pub(super) fn profiles_folder(&self) -> PathBuf {
        self.root.join("profiles")
    }

    /// The folder of a run.
    pub fn run_folder(&self, run_id: &str) -> Result<PathBuf, Problem> {
        check_file_id("run", run_id)?;
        Ok(self.runs_folder().join(run_id))
    }

    /// The journal of a run.
    pub fn journal_path(&self, run_id: &str) -> Result<PathBuf, Problem> {
        Ok(self.run_folder(run_id)?.join("journal.jsonl"))
    }

    pub(super) fn checkpoint_path(&self, run_id: &str) -> Result<PathBuf, Problem> {
        Ok(self.run_folder(run_id)?.join("checkpoint.json"))
    }

    pub(super) fn run_lock_path(&self, run_id: &str) -> Result<PathBuf, Problem> {
        Ok(self.run_folder(run_id)?.join("lock"))
    }

    /// The file of a profile.
    pub fn profile_path(&self, profile_id: &str) -> Result<PathBuf, Problem> {
        check_file_id("profile", profile_id)?;
        Ok(self.profiles_folder().join(format!("{profile_id}.toml")))
    }

    pub(super) fn profile_lock_path(&self, profile_id: &str) -> Result<PathBuf, Problem> {
        check_file_id("profile", profile_id)?;
        Ok(self.profiles_folder().join(format!("{profile_id}.lock")))
    }

    /// Writes a page beside a run's journal and replaces an existing one.
    pub fn write_run_page(&self, run_id: &str, name: &str, page: &str) -> Result<PathBuf, Problem> {
        let path = self.run_folder(run_id)?.join(name);
        super::disk::replace_file_unsynced(self.disk(), &path, page.as_bytes())
            .with_context("write a page", &path)?;
        Ok(path)
    }

    /// Reads a page beside a run's journal. `None` if there is none that can be read.
    pub fn read_run_page(&self, run_id: &str, name: &str) -> Option<String> {
        let path = self.run_folder(run_id).ok()?.join(name);
        String::from_utf8(self.disk.read_file(&path, MAX_RUN_PAGE_BYTES).ok()?).ok()
    }

    pub(super) fn content_folder(&self) -> PathBuf {
        self.root.join("content")
    }

    pub(super) fn content_path(&self, digest: Digest) -> PathBuf {
        self.content_folder().join(format!("{digest}.json"))
    }

    /// Creates a folder below the root and syncs each new name.
    pub(super) fn create_folder(&self, path: &Path) -> Result<(), Problem> {
        let doing = "create a folder";
        if self.disk.exists(path).with_context(doing, path)? {
            return Ok(());
        }
        self.disk.create_folder(path).with_context(doing, path)?;
        for parent in path.ancestors().skip(1) {
            if parent.as_os_str().is_empty() {
                break;
            }
            self.disk.sync_folder(parent).with_context(doing, parent)?;
            if parent == self.root {
                break;
            }
        }
        Ok(())
    }

    /// Copies a file before it is cut or replaced. The copy has the first free name of the form
    /// `<stem>.damaged-N.<ending>`.
    pub(super) fn backup_file(&self, path: &Path) -> Result<PathBuf, Problem> {
        let backup_path = self.find_free_backup_path(path)?;
        copy_file(self.disk(), path, &backup_path)
            .with_context("copy the original", &backup_path)?;
        Ok(backup_path)
    }

    /// The first free name for a copy of a damaged file.
    pub(super) fn find_free_backup_path(&self, path: &Path) -> Result<PathBuf, Problem> {
        let extension = path.extension().and_then(|e| e.to_str()).unwrap_or("old");
        for number in 1..10_000 {
            let backup_path = add_file_suffix(
                &path.with_extension(""),
                &format!(".damaged-{number}.{extension}"),
            );
            if !self.disk.exists(&backup_path).with_context("look for a free name", &backup_path)? {
                return Ok(backup_path);
            }
        }
        Err(Problem::error(
            Code::TooManyDamaged,
            "this file has ten thousand damaged copies beside it",
        )
        .at(super::io_error::file_location(path, 0))
        .hint("check the disk, and move the copies away"))
    }
}
