//! Writes a whole journal in chunks: all of it replaces the file, or nothing does.

use std::path::Path;

use super::disk::{Disk, FileReplacement};
use super::entry::JournalEntry;
use super::hash_chain::JournalPosition;
use super::io_error::IoContext;
use super::journal_file::JournalFile;
use super::line_format::{encode_line, journal_hasher};
use base::Problem;
use base::digest::Hasher;

/// The size at which lines are written.
const CHUNK_BYTES: usize = 1024 * 1024;

/// A journal that is being written.
pub(super) struct JournalReplacement<'d> {
    file: FileReplacement<'d>,
    path: &'d Path,
    /// Completes "could not …".
    action_text: &'static str,
    unwritten_bytes: Vec<u8>,
    /// The running digest of the appended lines.
    pub(super) hasher: Hasher,
    /// After the last line.
    pub(super) end: JournalPosition,
}

impl<'d> JournalReplacement<'d> {
    /// Begins an empty journal.
    pub(super) fn begin(
        disk: &'d dyn Disk,
        path: &'d Path,
        doing: &'static str,
    ) -> Result<Self, Problem> {
        let file = FileReplacement::begin(disk, path, &[]).with_context(doing, path)?;
        let (hasher, end) = (journal_hasher(&[]), JournalPosition::origin());
        Ok(Self { file, path, action_text: doing, unwritten_bytes: Vec::new(), hasher, end })
    }

    /// Begins with the first lines of a journal.
    pub(super) fn copy_up_to(
        &mut self,
        from: &JournalFile,
        end: JournalPosition,
    ) -> Result<(), Problem> {
        self.end = end;
        from.copy_up_to(end.byte_count, &self.file).with_context(self.action_text, self.path)
    }

    /// Appends an entry.
    pub(super) fn append(&mut self, entry: &JournalEntry) -> Result<(), Problem> {
        let (line, link) = encode_line(self.end.chain_digest, entry, self.path)?;
        let bytes = self.end.byte_count + line.len() as u64;
        self.end = JournalPosition {
            line_count: self.end.line_count + 1,
            byte_count: bytes,
            chain_digest: link,
        };
        self.hasher.feed_bytes(&line);
        self.unwritten_bytes.extend(line);
        match self.unwritten_bytes.len() < CHUNK_BYTES {
            true => Ok(()),
            false => self.write_buffer(),
        }
    }

    fn write_buffer(&mut self) -> Result<(), Problem> {
        self.file.append(&self.unwritten_bytes).with_context(self.action_text, self.path)?;
        self.unwritten_bytes.clear();
        Ok(())
    }

    /// Replaces the file.
    pub(super) fn finish(mut self) -> Result<(), Problem> {
        self.write_buffer()?;
        self.file.finish().with_context(self.action_text, self.path)
    }
}
