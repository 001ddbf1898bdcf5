//! The journal writer. What `append` wrote with `sync` survives a power loss. An entry that failed
//! is not in the file, and the next call starts from the last valid state.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use super::data_dir::DataDir;
use super::disk::BackgroundTask;
use super::entry::{JournalEntry, RunHeader};
use super::file_lock::FileLock;
use super::hash_chain::JournalPosition;
use super::io_error::{IoContext, file_location};
use super::journal_replacement::JournalReplacement;
use super::line_format::encode_line;
use super::run_state::RunState;
use super::size_limits::RESERVED_JOURNAL_BYTES;
use base::digest::Hasher;
use base::{Code, Digest, Problem};

/// Writes a run's journal, under its lock.
#[derive(Debug)]
pub struct JournalWriter {
    data_dir: DataDir,
    path: PathBuf,
    header: Arc<RunHeader>,
    run_state: RunState,
    last_chain_digest: Digest,
    hasher: Hasher,
    line_count: u64,
    /// The length of the synced part of the file.
    synced_bytes: u64,
    /// The lines after that, kept until they are synced, so that they can be written again.
    unsynced_lines: Vec<u8>,
    /// Whether the file may differ from `synced_bytes` and `unsynced_lines`.
    is_file_uncertain: bool,
    /// The checkpoint write in progress. The lock is held until it ends.
    checkpoint_write: BackgroundTask,
    _lock: FileLock,
}

/// The state of an existing journal from which a writer continues.
pub(super) struct JournalEndState {
    pub(super) header: Arc<RunHeader>,
    pub(super) run_state: RunState,
    /// The running digest of its bytes.
    pub(super) hasher: Hasher,
    pub(super) end: JournalPosition,
}

impl JournalWriter {
    /// Creates a journal: folder, lock, and the header with these entries. All of them are on disk,
    /// or none.
    ///
    /// # Panics
    /// On an entry that is out of order, as `append` does.
    pub(super) fn create_journal(
        data_dir: &DataDir,
        header: RunHeader,
        entries: impl IntoIterator<Item = Result<JournalEntry, Problem>>,
    ) -> Result<Self, Problem> {
        let path = data_dir.journal_path(&header.run_id)?;
        data_dir.create_folder(&data_dir.run_folder(&header.run_id)?)?;
        let lock = data_dir.lock_run(&header.run_id)?;
        let disk = data_dir.disk();
        let mut file = JournalReplacement::begin(disk, &path, "write the header of a new run")?;
        file.append(&JournalEntry::Header(Box::new(header.clone())))?;
        let mut run_state = RunState::new(&header);
        for entry in entries {
            let entry = entry?;
            apply_in_order(&mut run_state, &entry, &path);
            file.append(&entry)?;
        }
        let header = Arc::new(header);
        let tail =
            JournalEndState { header, run_state, hasher: file.hasher.clone(), end: file.end };
        file.finish()?;
        Ok(Self::reopen_journal(data_dir, path, tail, lock))
    }

    /// Continues after the last valid line. The file ends there and is synced.
    pub(super) fn reopen_journal(
        data_dir: &DataDir,
        path: PathBuf,
        tail: JournalEndState,
        lock: FileLock,
    ) -> Self {
        Self {
            data_dir: data_dir.clone(),
            path,
            header: tail.header,
            run_state: tail.run_state,
            last_chain_digest: tail.end.chain_digest,
            hasher: tail.hasher,
            line_count: tail.end.line_count,
            synced_bytes: tail.end.byte_count,
            unsynced_lines: Vec::new(),
            is_file_uncertain: false,
            checkpoint_write: BackgroundTask::default(),
            _lock: lock,
        }
    }

    /// The parameters of the run.
    pub fn header(&self) -> &RunHeader {
        &self.header
    }

    /// The run's id.
    pub fn run_id(&self) -> &str {
        &self.header.run_id
    }

    /// The run state after everything appended.
    pub fn run_state(&self) -> &RunState {
        &self.run_state
    }

    /// The path of the journal.
    pub fn path(&self) -> &Path {
        &self.path
    }

    pub(super) fn data_dir(&self) -> &DataDir {
        &self.data_dir
    }

    pub(super) fn last_chain_digest(&self) -> Digest {
        self.last_chain_digest
    }

    /// The digest of all bytes so far.
    pub(super) fn digest(&self) -> Digest {
        self.hasher.finish()
    }

    pub(super) fn lines(&self) -> u64 {
        self.line_count
    }

    pub(super) fn bytes(&self) -> u64 {
        self.synced_bytes + self.unsynced_lines.len() as u64
    }

    /// Starts to write a checkpoint once the previous write is finished.
    pub(super) fn start_checkpoint_write(&mut self, work: Box<dyn FnOnce() + Send>) {
        self.checkpoint_write = BackgroundTask::default();
        self.checkpoint_write = self.data_dir.disk().run_in_background(work);
    }

    /// Appends an entry. With `sync`, this entry and all before it survive a power loss when this
    /// returns. A Problem means that the entry is not in the journal; the call may be repeated once
    /// the disk has room.
    ///
    /// # Panics
    /// On an entry that is out of order, such as the result of a step that did not begin: that is a
    /// mistake of the caller.
    pub fn append(&mut self, entry: &JournalEntry, sync: bool) -> Result<(), Problem> {
        self.append_all(std::slice::from_ref(entry), sync)
    }

    /// Appends several entries with one write: all of them or none.
    ///
    /// # Panics
    /// As `append` does.
    pub fn append_all(&mut self, entries: &[JournalEntry], sync: bool) -> Result<(), Problem> {
        let mut run_state = self.run_state.clone();
        let (new_bytes, chain) =
            encode_lines(self.last_chain_digest, entries, &mut run_state, &self.path)?;
        self.check_journal_size(entries, new_bytes.len() as u64)?;
        self.write_bytes(&new_bytes, sync)?;
        self.hasher.feed_bytes(&new_bytes);
        self.run_state = run_state;
        self.last_chain_digest = chain;
        self.line_count += entries.len() as u64;
        Ok(())
    }

    /// Refuses a step that could make the journal too long to be read. It refuses early, so that a
    /// step that has begun can still complete.
    fn check_journal_size(
        &self,
        entries: &[JournalEntry],
        added_bytes: u64,
    ) -> Result<(), Problem> {
        let max_bytes = self.data_dir.max_journal_bytes();
        let may_follow_last_step = |entry: &JournalEntry| {
            matches!(
                entry,
                JournalEntry::Ended(_) | JournalEntry::Paid {} | JournalEntry::Retry { .. }
            )
        };
        let completes_step =
            self.run_state.pending_step.is_some() || entries.iter().all(may_follow_last_step);
        let current_limit = if completes_step {
            max_bytes
        } else {
            max_bytes.saturating_sub(RESERVED_JOURNAL_BYTES.min(max_bytes / 4))
        };
        if self.bytes() + added_bytes <= current_limit {
            return Ok(());
        }
        let mebibytes = self.bytes() / (1024 * 1024);
        let found = format!("the run's journal is full: it has {mebibytes} MiB");
        Err(Problem::error(Code::JournalFull, found)
            .at(file_location(&self.path, 0))
            .expected(format!("at most {current_limit} bytes before another step begins"))
            .hint(
                "nothing is lost: the run can be watched or abandoned, but takes no further answer",
            ))
    }

    /// Makes everything appended so far survive a power loss.
    pub fn sync(&mut self) -> Result<(), Problem> {
        if self.unsynced_lines.is_empty() && !self.is_file_uncertain {
            return Ok(());
        }
        self.write_bytes(&[], true)
    }

    fn write_bytes(&mut self, new_bytes: &[u8], sync: bool) -> Result<(), Problem> {
        let done = self.try_write_bytes(new_bytes, sync);
        if done.is_err() {
            // The bytes of a failed write must be gone when the run is opened again. If truncating
            // fails too, the next call does it first.
            self.is_file_uncertain = true;
            let _ = self
                .data_dir
                .disk()
                .truncate_file(&self.path, self.synced_bytes + self.unsynced_lines.len() as u64);
        }
        done.with_context("write the journal", &self.path)
    }

    fn try_write_bytes(&mut self, new_bytes: &[u8], sync: bool) -> std::io::Result<()> {
        let disk = self.data_dir.disk();
        if self.is_file_uncertain {
            // After a failed sync the content of the file is unknown: everything that was never
            // synced is written again.
            disk.truncate_file(&self.path, self.synced_bytes)?;
            disk.append_to_file(&self.path, &self.unsynced_lines)?;
            self.is_file_uncertain = false;
        }
        disk.append_to_file(&self.path, new_bytes)?;
        if sync {
            disk.sync_file(&self.path)?;
            self.synced_bytes += (self.unsynced_lines.len() + new_bytes.len()) as u64;
            self.unsynced_lines.clear();
        } else {
            self.unsynced_lines.extend_from_slice(new_bytes);
        }
        Ok(())
    }
}

fn apply_in_order(run_state: &mut RunState, entry: &JournalEntry, path: &Path) {
    let order_check = run_state.apply_entry(entry);
    let run = path.parent().and_then(Path::file_name).unwrap_or_default().display();
    assert!(order_check.is_ok(), "an entry out of order in {run}: {order_check:?}");
}

/// Encodes the lines of entries after a link, and returns the last link.
fn encode_lines(
    before: Digest,
    entries: &[JournalEntry],
    run_state: &mut RunState,
    path: &Path,
) -> Result<(Vec<u8>, Digest), Problem> {
    let (mut lines, mut chain) = (Vec::new(), before);
    for entry in entries {
        // An entry that is too large is a Problem; one out of order is a mistake of the caller.
        let (line, link) = encode_line(chain, entry, path)?;
        apply_in_order(run_state, entry, path);
        lines.extend(line);
        chain = link;
    }
    Ok((lines, chain))
}
