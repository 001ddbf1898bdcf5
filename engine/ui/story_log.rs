//! The log of events and answers. The newest part is in memory; when it is truncated, everything is
//! read from the run's journal.

use std::collections::VecDeque;
use std::rc::Rc;

use protocol::StoryEntry;

/// Reads all events and answers of a run, oldest first.
pub type LogReader = Rc<dyn Fn() -> Vec<StoryEntry>>;

/// The most bytes of text held in memory.
pub const MAX_LOG_BYTES: usize = 1024 * 1024;

/// Events and answers.
#[derive(Default)]
pub struct StoryLog {
    newest_entries: VecDeque<StoryEntry>,
    total_bytes: usize,
    /// Whether older entries were dropped.
    is_truncated: bool,
    reader: Option<LogReader>,
}

impl StoryLog {
    /// Starts again with earlier events and answers.
    pub fn restart_with(&mut self, past: &[StoryEntry]) {
        self.newest_entries.clear();
        (self.total_bytes, self.is_truncated) = (0, false);
        past.iter().cloned().for_each(|past| self.push(past));
    }

    /// Sets where the whole log is read from, if it is stored.
    pub fn set_reader(&mut self, reader: Option<LogReader>) {
        self.reader = reader;
    }

    /// Adds an event or an answer.
    pub fn push(&mut self, entry: StoryEntry) {
        self.total_bytes += entry.memory_bytes();
        self.newest_entries.push_back(entry);
        while self.total_bytes > MAX_LOG_BYTES
            && let Some(oldest) = self.newest_entries.pop_front()
        {
            self.total_bytes -= oldest.memory_bytes();
            self.is_truncated = true;
        }
    }

    /// Adds several.
    pub fn extend(&mut self, entries: impl IntoIterator<Item = StoryEntry>) {
        entries.into_iter().for_each(|entry| self.push(entry));
    }

    /// Everything that is available, oldest first.
    pub fn all_entries(&self) -> Vec<StoryEntry> {
        match self.reader.as_ref().filter(|_| self.is_truncated) {
            Some(read) => read(),
            None => self.newest_entries.iter().cloned().collect(),
        }
    }
}
