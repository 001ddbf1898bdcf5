//! The story of a run, its output and its answers, from the end of its journal. Reads only as much
//! of the file as it shows.

use std::io::Read;

use super::chain::entries_since;
use super::data_dir::DataDir;
use super::entry::JournalEntry;
use super::io_error::IoContext;
use crate::base::Problem;
use crate::base::panic_guard::catch_panics;
use crate::protocol::{StoryEntry, StoryEvent};

/// How far back the story is read: enough for any run of a person, and short enough for very long
/// runs to open quickly.
pub(super) const STORY_BYTES: usize = 4 * 1024 * 1024;
/// The maximum length of a line before its entry.
pub(super) const LINE_HEAD: usize = 64;

impl DataDir {
    /// The story of a run, oldest first, as [`super::OpenedRun::story`] returns it. The run may be
    /// played meanwhile.
    pub fn story(&self, run_id: &str) -> Result<Vec<StoryEntry>, Problem> {
        const DOING: &str = "read the story of the run";
        let path = self.journal(run_id)?;
        catch_panics("read a run's files", || {
            let length = self.disk().length(&path).with_context(DOING, &path)?;
            let from = length.saturating_sub(STORY_BYTES as u64);
            let start = from.saturating_sub(LINE_HEAD as u64);
            let mut bytes = Vec::new();
            let source = self.disk().reader(&path, start).with_context(DOING, &path)?;
            source.take(length - start).read_to_end(&mut bytes).with_context(DOING, &path)?;
            let from = usize::try_from(from - start).unwrap_or(LINE_HEAD);
            let entries = match start {
                0 => entries_since(&bytes, 0),
                // The first line may be incomplete.
                _ => entries_since(&bytes, 1),
            };
            let lately = entries.into_iter().filter(|span| span.start >= from);
            Ok(story_of(lately.map(|span| &bytes[span])))
        })
    }
}

/// The story of these entries. Undone steps are left out.
pub(super) fn story_of<'e>(entries: impl Iterator<Item = &'e [u8]>) -> Vec<StoryEntry> {
    let mut told: Vec<(u64, Vec<StoryEntry>)> = Vec::new();
    let past = |events: Vec<StoryEvent>| events.into_iter().map(StoryEntry::Event).collect();
    for entry in entries.filter_map(|entry| serde_json::from_slice(entry).ok()) {
        match entry {
            JournalEntry::Intent { step, said, .. } if !said.is_empty() => {
                told.push((step, vec![StoryEntry::Answer(said)]));
            }
            JournalEntry::Result { step, events, .. } => told.push((step, past(events))),
            // A refused answer counts as not given.
            JournalEntry::Refusal { step, .. } => told.retain(|(of, _)| *of != step),
            JournalEntry::Reload { events, .. } => {
                let step = told.last().map_or(0, |(step, _)| *step);
                told.push((step, past(events)));
            }
            JournalEntry::Undo { to, .. } => told.retain(|(step, _)| *step <= to),
            _ => {}
        }
    }
    told.into_iter().flat_map(|(_, events)| events).collect()
}
