//! A journal on disk, read in chunks. If its first line was damaged and could be restored, readers
//! get the restored one.

use std::io::{self, ErrorKind, Read};
use std::ops::Range;
use std::path::{Path, PathBuf};

use super::data_dir::DataDir;
use super::disk::FileReplacement;
use super::hash_chain::JournalPosition;
use super::io_error::IoContext;
use super::line_reader::JournalLines;
use super::size_limits::{MAX_LINE_BYTES, MAX_READ_JOURNAL_BYTES};
use base::Problem;
use base::digest::Hasher;

/// The size of a read that is not by lines.
const CHUNK_BYTES: usize = 32 * 1024;

/// A first line that was restored.
#[derive(Clone, Debug)]
pub(super) struct RestoredHeader {
    pub(super) line: Vec<u8>,
    /// The size of the damaged line that it replaces.
    pub(super) replaced_bytes: u64,
}

/// A journal on disk. It is not kept open.
#[derive(Clone, Debug)]
pub(super) struct JournalFile {
    data_dir: DataDir,
    path: PathBuf,
    pub(super) restored_header: Option<RestoredHeader>,
}

impl JournalFile {
    pub(super) fn new(data_dir: &DataDir, path: &Path) -> Self {
        Self { data_dir: data_dir.clone(), path: path.to_owned(), restored_header: None }
    }

    pub(super) fn path(&self) -> &Path {
        &self.path
    }

    /// Its bytes from a position.
    pub(super) fn reader(&self, from: u64) -> io::Result<Box<dyn Read + '_>> {
        let disk = self.data_dir.disk();
        let Some(RestoredHeader { line, replaced_bytes, .. }) = &self.restored_header else {
            return disk.open_reader(&self.path, from);
        };
        let rest_of_line = usize::try_from(from).ok().and_then(|from| line.get(from..));
        let from_rest = replaced_bytes + from.saturating_sub(line.len() as u64);
        let rest = disk.open_reader(&self.path, from_rest)?;
        Ok(Box::new(rest_of_line.unwrap_or_default().chain(rest)))
    }

    /// The lines after a position.
    pub(super) fn lines_after(&self, position: JournalPosition) -> io::Result<JournalLines<'_>> {
        let limit = (MAX_READ_JOURNAL_BYTES + 1).saturating_sub(position.byte_count);
        Ok(JournalLines::after_line(
            Box::new(self.reader(position.byte_count)?.take(limit)),
            position,
        ))
    }

    /// The same up to a length. The file is opened for each read, so that it is not open between
    /// them: another process may replace it.
    pub(super) fn lines_between(
        &self,
        position: JournalPosition,
        end: u64,
    ) -> JournalLines<'static> {
        let source = ReopenedFile { file: self.clone(), position: position.byte_count };
        let limit = end.saturating_sub(position.byte_count);
        JournalLines::after_line(Box::new(source.take(limit)), position)
    }

    /// The lines between two positions in bytes, for their texts alone.
    pub(super) fn text_lines(&self, from: u64, end: u64) -> io::Result<JournalLines<'_>> {
        let source = self.reader(from)?.take(end.saturating_sub(from));
        Ok(JournalLines::after_line(Box::new(source), JournalPosition::origin()))
    }

    /// Feeds a range of its bytes to a hasher. False if the file ends before, or has more bytes
    /// without a line break than a line.
    pub(super) fn feed_hasher(&self, hasher: &mut Hasher, range: Range<u64>) -> io::Result<bool> {
        let mut bytes_since_line_break = 0;
        let fed_bytes = self.for_each_chunk(&range, |chunk| {
            hasher.feed_bytes(chunk);
            bytes_since_line_break = match chunk.iter().rposition(|byte| *byte == b'\n') {
                Some(last) => chunk.len() - last,
                None => bytes_since_line_break + chunk.len(),
            };
            match bytes_since_line_break > MAX_LINE_BYTES {
                true => Err(ErrorKind::InvalidData.into()),
                false => Ok(()),
            }
        });
        match fed_bytes {
            Err(error) if error.kind() == ErrorKind::InvalidData => Ok(false),
            fed_bytes => Ok(fed_bytes? == range.end - range.start),
        }
    }

    /// Appends its first bytes to another file.
    pub(super) fn copy_up_to(&self, end: u64, to: &FileReplacement<'_>) -> io::Result<()> {
        match self.for_each_chunk(&(0..end), |chunk| to.append(chunk))? == end {
            true => Ok(()),
            false => Err(ErrorKind::UnexpectedEof.into()),
        }
    }

    /// Passes a range of its bytes on in chunks. Returns their number.
    fn for_each_chunk(
        &self,
        range: &Range<u64>,
        mut callback: impl FnMut(&[u8]) -> io::Result<()>,
    ) -> io::Result<u64> {
        let mut source = self.reader(range.start)?.take(range.end.saturating_sub(range.start));
        let (mut chunk, mut count) = ([0; CHUNK_BYTES], 0);
        loop {
            match source.read(&mut chunk) {
                Ok(0) => return Ok(count),
                Ok(read) => {
                    callback(&chunk[..read])?;
                    count += read as u64;
                }
                Err(error) if error.kind() == ErrorKind::Interrupted => {}
                Err(error) => return Err(error),
            }
        }
    }

    /// Turns an I/O error of a read into a Problem.
    pub(super) fn with_context<T>(&self, result: io::Result<T>) -> Result<T, Problem> {
        result.with_context("read the run's journal", &self.path)
    }
}

/// A file that is opened for each read.
struct ReopenedFile {
    file: JournalFile,
    position: u64,
}

impl Read for ReopenedFile {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let read = self.file.reader(self.position)?.read(buffer)?;
        self.position += read as u64;
        Ok(read)
    }
}
