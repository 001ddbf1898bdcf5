//! The entries of a journal, read from its file one at a time: all of them, or those that count.

use std::io::{self, ErrorKind};
use std::sync::Arc;

use super::entry::JournalEntry;
use super::hash_chain::{ChainBreak, JournalPosition};
use super::io_error::file_location;
use super::journal_damage::classify_chain_break;
use super::journal_file::JournalFile;
use super::journal_reader::LoadedJournal;
use super::line_reader::JournalLines;
use super::run_state::RunState;
use super::run_state::parse_entry;
use super::step_index::StepIndex;
use base::Problem;

/// The entries between two positions of a journal, as far as they are valid.
pub struct JournalEntries {
    file: JournalFile,
    lines: JournalLines<'static>,
    /// The size of the journal up to the last of them.
    end_byte: u64,
    run_state: RunState,
    read_problem: Option<Problem>,
}

impl JournalEntries {
    /// The entries from a position with its run state.
    pub(super) fn between_positions(
        file: &JournalFile,
        position: JournalPosition,
        end: u64,
        run_state: RunState,
    ) -> Self {
        let lines = file.lines_between(position, end);
        Self { file: file.clone(), lines, end_byte: end, run_state, read_problem: None }
    }

    fn record_read_error<T>(&mut self, error: io::Error) -> Option<T> {
        self.read_problem = self.file.with_context::<T>(Err(error)).err();
        None
    }

    /// How the entries ended: a note on an incomplete last line, or nothing. A Problem reports
    /// damage or a disk error.
    pub fn finish(&self) -> Result<Option<Problem>, Problem> {
        let chain_break = self.lines.chain_break.clone();
        let line = chain_break.as_ref().map_or(0, |stop| stop.line);
        let (torn, damage) = classify_chain_break(chain_break, &self.run_state, None);
        let place = file_location(self.file.path(), line);
        match (self.read_problem.clone(), damage) {
            (Some(problem), _) => Err(problem),
            (None, Some(damage)) => Err(damage.problem.at(place)),
            (None, None) => Ok(torn.map(|problem| problem.at(place))),
        }
    }
}

impl Iterator for JournalEntries {
    type Item = (u64, JournalEntry);

    fn next(&mut self) -> Option<(u64, JournalEntry)> {
        let run_state = &mut self.run_state;
        let parsed =
            self.lines.next_entry().map(|entry| entry.map(|entry| parse_entry(entry, run_state)));
        self.lines.free_long_line();
        let is_at_end =
            self.lines.position.byte_count == self.end_byte || self.lines.chain_break.is_some();
        let entry = match parsed {
            Ok(Some(entry)) => entry,
            Ok(None) if is_at_end => return None,
            // Another process cut the file since it was opened.
            Ok(None) => return self.record_read_error(ErrorKind::UnexpectedEof.into()),
            Err(error) => return self.record_read_error(error),
        };
        let line = self.lines.position.line_count;
        match entry {
            Ok(entry) => Some((line, entry)),
            Err(reason) => {
                self.lines.chain_break = Some(ChainBreak { line, reason, is_torn: false });
                None
            }
        }
    }
}

/// The entries of an opened run without those of undone steps.
pub struct EffectiveEntries {
    entries: JournalEntries,
    step_index: Arc<StepIndex>,
    last_line: u64,
}

impl EffectiveEntries {
    pub(super) fn new(entries: JournalEntries, steps: Arc<StepIndex>, last_line: u64) -> Self {
        Self { entries, step_index: steps, last_line }
    }

    /// The next entry with its line number. A Problem says that the file cannot be read, or that it
    /// changed since it was opened.
    pub fn next_entry(&mut self) -> Result<Option<(u64, JournalEntry)>, Problem> {
        while self.line() < self.last_line {
            match self.entries.next() {
                Some((line, entry)) if self.step_index.is_effective(line) => {
                    return Ok(Some((line, entry)));
                }
                Some(_) => {}
                None => return self.finish().map(|_| None),
            }
        }
        Ok(None)
    }

    /// How the entries ended; see `JournalEntries::finish`.
    pub fn finish(&self) -> Result<Option<Problem>, Problem> {
        self.entries.finish()
    }

    /// The line of the entry that was returned last.
    pub fn line(&self) -> u64 {
        self.entries.lines.position.line_count
    }

    /// The size of the journal up to that line.
    pub fn byte_count(&self) -> u64 {
        self.entries.lines.position.byte_count
    }

    /// Continues in a journal that was opened again. Returns false if its earlier lines differ.
    pub fn continue_in(&mut self, opened: &LoadedJournal) -> Result<bool, Problem> {
        let (file, position) = (&opened.file, self.entries.lines.position);
        let mut lines = file.lines_between(position, opened.valid_end.byte_count);
        // The link in the next line proves that the current line is the same.
        let is_same_journal =
            opened.valid_end == position || file.with_context(lines.next_entry())?.is_some();
        if !is_same_journal
            || !opened.step_index.agrees_up_to(position.line_count, &self.step_index)
        {
            return Ok(false);
        }
        let run_state = self.entries.run_state.clone();
        self.entries = JournalEntries::between_positions(
            file,
            position,
            opened.valid_end.byte_count,
            run_state,
        );
        (self.step_index, self.last_line) = (opened.step_index.clone(), u64::MAX);
        Ok(true)
    }
}
