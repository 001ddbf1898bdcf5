//! A stream over a whole journal, for a single pass in constant memory. The checks per line are the
//! same as when all lines are loaded.

use std::io::{ErrorKind, Read};
use std::path::{Path, PathBuf};

use super::chain::ChainBreak;
use super::damage::classify_chain_break;
use super::data_dir::DataDir;
use super::entry::{JournalEntry, ModVersion, RunHeader};
use super::io_error::{IoContext, file_location};
use super::journal::JOURNAL_LINE_FORMAT;
use super::journal_header::{missing_header_problem, parse_header};
use super::journal_reader::{check_run_id, parse_entry};
use super::line_reader::JournalLines;
use super::run_state::RunState;
use super::size_limits::MAX_READ_JOURNAL_BYTES;
use base::Problem;

const READ_JOURNAL_ACTION: &str = "read the run's journal";

/// The maximum size of a header line that is read by itself.
const MAX_HEADER_LINE_BYTES: u64 = 16 * 1024 * 1024;

/// A journal that is streamed from its start, with its length at the time of opening: the run may
/// be in progress.
#[derive(Debug)]
pub struct JournalStream {
    data_dir: DataDir,
    path: PathBuf,
    header: RunHeader,
    bytes: u64,
    has_undo: bool,
    mod_versions: Vec<ModVersion>,
}

/// The entries after the header, one at a time, as far as they are valid.
pub struct JournalEntries<'w> {
    stream: &'w JournalStream,
    lines: JournalLines<'w>,
    run_state: RunState,
    read_problem: Option<Problem>,
}

impl DataDir {
    /// Opens a run as a stream. A Problem says that there is no such run, or that its header cannot
    /// be read.
    pub fn stream_journal(&self, run_id: &str) -> Result<JournalStream, Problem> {
        let path = self.journal_path(run_id)?;
        let stream = self.stream_journal_file(&path)?;
        check_run_id(&stream.header, run_id, &path)?;
        Ok(stream)
    }

    /// The same for a journal file at any path.
    pub fn stream_journal_file(&self, path: &Path) -> Result<JournalStream, Problem> {
        let path = path.to_path_buf();
        let source = self.disk().open_reader(&path, 0).with_context(READ_JOURNAL_ACTION, &path)?;
        let mut lines =
            JournalLines::from_reader(Box::new(source.take(MAX_READ_JOURNAL_BYTES + 1)));
        let first =
            lines.next_entry().with_context(READ_JOURNAL_ACTION, &path)?.map(<[u8]>::to_vec);
        let header = parse_header(first.as_deref(), &mut lines.chain_break)
            .map_err(|why| missing_header_problem(&path, why))?;
        let (mut has_undo, mut mod_versions) = (false, header.mods.clone());
        while let Some(text) = lines.next_line_text().with_context(READ_JOURNAL_ACTION, &path)? {
            if let Some(entry) = parse_non_step_entry(text) {
                has_undo = has_undo || matches!(entry, JournalEntry::Undo { .. });
                mod_versions.extend_from_slice(entry.mod_versions());
            }
        }
        let bytes = lines.bytes;
        if bytes > MAX_READ_JOURNAL_BYTES {
            Err(ErrorKind::FileTooLarge.into()).with_context(READ_JOURNAL_ACTION, &path)?;
        }
        mod_versions.sort_by_key(|mark| mark.digest);
        mod_versions.dedup_by_key(|mark| mark.digest);
        Ok(JournalStream { data_dir: self.clone(), path, header, bytes, has_undo, mod_versions })
    }

    /// The header of a journal, from its first line alone.
    pub(super) fn read_header(&self, path: &Path) -> Result<RunHeader, Problem> {
        let source = self.disk().open_reader(path, 0).with_context(READ_JOURNAL_ACTION, path)?;
        let mut lines = JournalLines::from_reader(Box::new(source.take(MAX_HEADER_LINE_BYTES)));
        let first = lines.next_entry().with_context(READ_JOURNAL_ACTION, path)?.map(<[u8]>::to_vec);
        parse_header(first.as_deref(), &mut lines.chain_break)
            .map_err(|why| missing_header_problem(path, why))
    }
}

/// Parses an entry that does not belong to a step. Most lines belong to steps, which their first
/// word shows; those are not parsed.
fn parse_non_step_entry(text: &[u8]) -> Option<JournalEntry> {
    let is_step_body =
        |body: &[u8]| body.starts_with(b"{\"intent\":") || body.starts_with(b"{\"result\":");
    let non_step_body = JOURNAL_LINE_FORMAT.sealed_body(text).filter(|body| !is_step_body(body))?;
    serde_json::from_slice(non_step_body).ok()
}

impl JournalStream {
    /// The parameters of the run.
    pub fn header(&self) -> &RunHeader {
        &self.header
    }

    /// Whether steps are undone in it, so that the effective entries are known only at its end.
    pub fn has_undo(&self) -> bool {
        self.has_undo
    }

    /// The mod versions of the run, each once.
    pub fn mod_versions(&self) -> &[ModVersion] {
        &self.mod_versions
    }

    /// The entries, from the first after the header.
    pub fn entries(&self) -> Result<JournalEntries<'_>, Problem> {
        let source = self
            .data_dir
            .disk()
            .open_reader(&self.path, 0)
            .with_context(READ_JOURNAL_ACTION, &self.path)?;
        let mut lines = JournalLines::from_reader(Box::new(source.take(self.bytes)));
        lines.next_entry().with_context(READ_JOURNAL_ACTION, &self.path)?;
        Ok(JournalEntries {
            stream: self,
            lines,
            run_state: RunState::new(&self.header),
            read_problem: None,
        })
    }
}

impl JournalEntries<'_> {
    /// How the stream ended: a note on an incomplete last line, or nothing. A Problem reports damage
    /// or a disk error.
    pub fn finish(self) -> Result<Option<Problem>, Problem> {
        let line = self.lines.chain_break.as_ref().map_or(0, |stop| stop.line);
        let (torn, damage) = classify_chain_break(self.lines.chain_break, &self.run_state, None);
        let place = file_location(&self.stream.path, line);
        match (self.read_problem, damage) {
            (Some(problem), _) => Err(problem),
            (None, Some(damage)) => Err(damage.problem.at(place)),
            (None, None) => Ok(torn.map(|problem| problem.at(place))),
        }
    }
}

impl Iterator for JournalEntries<'_> {
    type Item = (u64, JournalEntry);

    fn next(&mut self) -> Option<(u64, JournalEntry)> {
        let entry =
            match self.lines.next_entry().with_context(READ_JOURNAL_ACTION, &self.stream.path) {
                Ok(entry) => entry?,
                Err(problem) => {
                    self.read_problem = Some(problem);
                    return None;
                }
            };
        let entry = parse_entry(entry, &mut self.run_state);
        let line = self.lines.number;
        match entry {
            Ok(entry) => Some((line, entry)),
            Err(what) => {
                self.lines.chain_break = Some(ChainBreak { line, reason: what, torn: false });
                None
            }
        }
    }
}
