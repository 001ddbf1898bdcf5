//! A stream over a whole journal, for a single pass in constant memory. The checks per line are the
//! same as when a run is opened.

use std::collections::BTreeMap;
use std::collections::btree_map::Entry;
use std::path::Path;
use std::sync::Arc;

use super::body_parser::parse_body;
use super::data_dir::DataDir;
use super::entry::{JournalEntry, ModVersion, RunHeader};
use super::hash_chain::JournalPosition;
use super::io_error::file_location;
use super::journal_entries::{EffectiveEntries, JournalEntries};
use super::journal_file::JournalFile;
use super::journal_header::read_header;
use super::journal_reader::check_run_id;
use super::line_format::JOURNAL_LINE_FORMAT;
use super::run_state::RunState;
use super::size_limits::{MAX_MOD_VERSION_BYTES, RUN_LIST_ITEM_COST_BYTES};
use super::step_index::StepIndex;
use base::{Code, Digest, Problem};

/// A journal that is streamed from its start, with its length at the time of opening: the run may
/// be in progress.
#[derive(Debug)]
pub struct JournalStream {
    file: JournalFile,
    header: RunHeader,
    after_header: JournalPosition,
    bytes: u64,
    has_undo: bool,
    mod_versions: Vec<ModVersion>,
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
        let file = JournalFile::new(self, path);
        let (header, after_header) = read_header(&file)?;
        let (mut has_undo, mut mod_versions) = (false, KnownModVersions::default());
        mod_versions.add(&header.mods);
        let mut lines = file.with_context(file.lines_after(after_header))?;
        while let Some(text) = file.with_context(lines.next_line_text())? {
            if let Some(entry) = parse_non_step_entry(text) {
                has_undo = has_undo || matches!(entry, JournalEntry::Undo { .. });
                mod_versions.add(entry.mod_versions());
            }
            if mod_versions.bytes > MAX_MOD_VERSION_BYTES {
                let found = "the journal names more mod versions than a run has";
                return Err(Problem::error(Code::JournalDamaged, found)
                    .at(file_location(path, 0))
                    .expected(format!("at most {MAX_MOD_VERSION_BYTES} bytes of them"))
                    .hint("the game does not write such a run; the file is not changed"));
            }
        }
        file.with_context(lines.check_size())?;
        let bytes = lines.bytes();
        drop(lines);
        let mod_versions = mod_versions.by_digest.into_values().collect();
        Ok(JournalStream { file, header, after_header, bytes, has_undo, mod_versions })
    }

    /// The header of a journal, from its first line alone.
    pub(super) fn read_header(&self, path: &Path) -> Result<RunHeader, Problem> {
        read_header(&JournalFile::new(self, path)).map(|(header, _)| header)
    }
}

/// The mod versions of a run, each once.
#[derive(Default)]
struct KnownModVersions {
    by_digest: BTreeMap<Digest, ModVersion>,
    bytes: usize,
}

impl KnownModVersions {
    fn add(&mut self, versions: &[ModVersion]) {
        for version in versions {
            if let Entry::Vacant(place) = self.by_digest.entry(version.digest) {
                self.bytes += version.id.len() + version.version.len() + RUN_LIST_ITEM_COST_BYTES;
                place.insert(version.clone());
            }
        }
    }
}

/// Parses an entry that does not belong to a step. Most lines belong to steps, which their first
/// word shows; those are not parsed.
fn parse_non_step_entry(text: &[u8]) -> Option<JournalEntry> {
    let is_step_body =
        |body: &[u8]| body.starts_with(b"{\"intent\":") || body.starts_with(b"{\"result\":");
    let non_step_body = JOURNAL_LINE_FORMAT.sealed_body(text).filter(|body| !is_step_body(body))?;
    parse_body(non_step_body).ok()
}

impl JournalStream {
    /// The parameters of the run.
    pub fn header(&self) -> &RunHeader {
        &self.header
    }

    /// Its size.
    pub fn byte_count(&self) -> u64 {
        self.bytes
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
    pub fn entries(&self) -> JournalEntries {
        let run_state = RunState::new(&self.header);
        JournalEntries::between_positions(&self.file, self.after_header, self.bytes, run_state)
    }

    /// The same without those of undone steps, which are known only at the end of a journal.
    pub fn effective_entries(&self) -> EffectiveEntries {
        let mut steps = StepIndex::default();
        if self.has_undo {
            self.entries().for_each(|(line, entry)| steps.add_entry(line, &entry));
        }
        EffectiveEntries::new(self.entries(), Arc::new(steps), u64::MAX)
    }
}
