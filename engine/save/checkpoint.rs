//! The checkpoint: the world after some step, so that opening a run does not apply its steps from
//! the start. It is only an optimization: a run without one is complete.

use std::path::Path;

use serde::{Deserialize, Serialize};

use super::body_parser::parse_body;
use super::data_dir::DataDir;
use super::disk::replace_file_unsynced;
use super::entry::RunHeader;
use super::hash_chain::JournalPosition;
use super::io_error::{IoContext, file_location};
use super::journal::JournalWriter;
use super::run_size_checks::{check_header_size, check_run_state_size};
use super::run_state::{RunState, check_journal_format};
use super::sealed::SealFormat;
use super::size_limits::MAX_CHECKPOINT_BYTES;
use base::digest::Hasher;
use base::{Code, Digest, Problem};
use protocol::world::WorldSnapshot;

const CHECKPOINT_FORMAT: SealFormat = SealFormat { digest_key: "digest", body_key: "checkpoint" };

/// The world after a step.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Checkpoint {
    /// The format of the file.
    pub format: u32,
    /// The run.
    pub run_id: String,
    /// The step after which it was taken.
    pub step: u64,
    /// The length of the journal at that time.
    pub journal_bytes: u64,
    /// The number of lines in the journal at that time.
    pub journal_lines: u64,
    /// The link of its last line.
    pub journal_chain: Digest,
    /// The digest of all journal bytes at that time, so that the lines before the checkpoint need
    /// no chain check.
    pub journal_digest: Digest,
    /// The header of the journal, from which its first line can be restored.
    pub header: Box<RunHeader>,
    /// The run state.
    #[serde(rename = "standing")]
    pub run_state: RunState,
    /// The digest of the world.
    pub digest: Digest,
    /// The world.
    pub snapshot: WorldSnapshot,
}

impl Checkpoint {
    /// The end of the journal at that time.
    pub(super) fn position(&self) -> JournalPosition {
        let (line, bytes) = (self.journal_lines, self.journal_bytes);
        JournalPosition { line_count: line, byte_count: bytes, chain_digest: self.journal_chain }
    }
}

fn checkpoint_digest(body: &[u8]) -> Digest {
    let mut hasher = Hasher::new("checkpoint");
    hasher.feed_count(body.len()).feed_bytes(body);
    hasher.finish()
}

impl JournalWriter {
    /// Replaces the checkpoint by one of now. The journal is synced first, so that no checkpoint
    /// refers to lines that a power loss could remove. The checkpoint is written in the background.
    /// If writing fails, the old one stays, which only costs time at the next start.
    ///
    /// # Panics
    /// If a step is pending or none has completed: there is no world to store.
    pub fn replace_checkpoint(
        &mut self,
        snapshot: WorldSnapshot,
        digest: Digest,
    ) -> Result<(), Problem> {
        assert!(self.run_state().pending_step.is_none(), "a checkpoint inside a step");
        let step = self.run_state().last_completed_step().expect("a checkpoint follows a step");
        self.sync()?;
        let path = self.data_dir().checkpoint_path(self.run_id())?;
        let checkpoint = Checkpoint {
            format: self.header().format,
            run_id: self.run_id().to_owned(),
            step,
            journal_bytes: self.bytes(),
            journal_lines: self.lines(),
            journal_chain: self.last_chain_digest(),
            journal_digest: self.digest(),
            header: Box::new(self.header().clone()),
            run_state: self.run_state().clone(),
            digest,
            snapshot,
        };
        let data_dir = self.data_dir().clone();
        self.start_checkpoint_write(Box::new(move || {
            write_checkpoint(&data_dir, &path, &checkpoint)
        }));
        Ok(())
    }
}

fn write_checkpoint(data_dir: &DataDir, path: &Path, checkpoint: &Checkpoint) {
    let body = serde_json::to_string(checkpoint).expect("a checkpoint always has a JSON text");
    if body.len() > MAX_CHECKPOINT_BYTES {
        return;
    }
    let mut text = CHECKPOINT_FORMAT.seal(checkpoint_digest(body.as_bytes()), &body);
    text.push('\n');
    let _ = replace_file_unsynced(data_dir.disk(), path, text.as_bytes());
}

/// Whether a run has a checkpoint.
pub(super) fn checkpoint_exists(data_dir: &DataDir, run_id: &str) -> Result<bool, Problem> {
    let path = data_dir.checkpoint_path(run_id)?;
    data_dir.disk().exists(&path).with_context("look for a checkpoint", &path)
}

/// Reads a run's checkpoint; `None` if it has none. A Problem says that it is damaged.
pub(super) fn read_checkpoint(
    data_dir: &DataDir,
    run_id: &str,
) -> Result<Option<Checkpoint>, Problem> {
    let path = data_dir.checkpoint_path(run_id)?;
    if !checkpoint_exists(data_dir, run_id)? {
        return Ok(None);
    }
    let bytes = data_dir
        .disk()
        .read_file(&path, MAX_CHECKPOINT_BYTES as u64 + 1024)
        .with_context("read the checkpoint", &path)?;
    parse_checkpoint(&bytes, run_id).map(Some).map_err(|why| {
        Problem::warning(Code::CheckpointDamaged, format!("the checkpoint cannot be used: {why}"))
            .at(file_location(&path, 1))
            .hint("nothing is lost: the run is read from its journal, and the file is kept")
    })
}

fn parse_checkpoint(bytes: &[u8], run_id: &str) -> Result<Checkpoint, String> {
    let sealed = bytes.strip_suffix(b"\n").ok_or("its end is missing")?;
    let (_, body) = CHECKPOINT_FORMAT.unseal(sealed, checkpoint_digest)?;
    let checkpoint: Checkpoint = parse_body(body.as_bytes())?;
    check_journal_format(checkpoint.format)?;
    if checkpoint.run_id != run_id {
        return Err(format!("it belongs to the run \"{}\"", checkpoint.run_id));
    }
    check_run_state_size(&checkpoint.run_state)?;
    check_header_size(&checkpoint.header)?;
    if checkpoint.run_state.pending_step.is_some() {
        return Err("it was taken during a step".to_owned());
    }
    if checkpoint.header.run_id != run_id {
        return Err("it has the header of another run".to_owned());
    }
    Ok(checkpoint)
}
