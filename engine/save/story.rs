//! The story of a run, its output and its answers, from the end of its journal. Reads only as much
//! of the file as it shows.

use std::io::Read;

use super::chain::entry_ranges_from;
use super::data_dir::DataDir;
use super::entry::JournalEntry;
use super::io_error::IoContext;
use base::Problem;
use base::panic_guard::catch_panics;
use protocol::{StoryEntry, StoryEvent};

/// How far back the story is read: enough for any run of a person, and short enough for very long
/// runs to open quickly.
pub(super) const MAX_STORY_READ_BYTES: usize = 4 * 1024 * 1024;
/// The maximum length of a line before its entry.
pub(super) const MAX_LINE_PREFIX_BYTES: usize = 64;

impl DataDir {
    /// The story of a run, oldest first, as [`super::LoadedJournal::read_recent_story`] returns it. The run may be
    /// played meanwhile.
    pub fn read_recent_story(&self, run_id: &str) -> Result<Vec<StoryEntry>, Problem> {
        const READ_STORY_ACTION: &str = "read the story of the run";
        let path = self.journal_path(run_id)?;
        catch_panics("read a run's files", || {
            let length = self.disk().file_length(&path).with_context(READ_STORY_ACTION, &path)?;
            let from = length.saturating_sub(MAX_STORY_READ_BYTES as u64);
            let start = from.saturating_sub(MAX_LINE_PREFIX_BYTES as u64);
            let mut bytes = Vec::new();
            let source =
                self.disk().open_reader(&path, start).with_context(READ_STORY_ACTION, &path)?;
            source
                .take(length - start)
                .read_to_end(&mut bytes)
                .with_context(READ_STORY_ACTION, &path)?;
            let from = usize::try_from(from - start).unwrap_or(MAX_LINE_PREFIX_BYTES);
            let entries = match start {
                0 => entry_ranges_from(&bytes, 0),
                // The first line may be incomplete.
                _ => entry_ranges_from(&bytes, 1),
            };
            let recent_ranges = entries.into_iter().filter(|range| range.start >= from);
            Ok(story_from_entries(recent_ranges.map(|range| &bytes[range])))
        })
    }
}

/// The story of these entries. Undone steps are left out.
pub(super) fn story_from_entries<'e>(entries: impl Iterator<Item = &'e [u8]>) -> Vec<StoryEntry> {
    let mut by_step: Vec<(u64, Vec<StoryEntry>)> = Vec::new();
    let to_story_entries =
        |events: Vec<StoryEvent>| events.into_iter().map(StoryEntry::Event).collect();
    for entry in entries.filter_map(|entry| serde_json::from_slice(entry).ok()) {
        match entry {
            JournalEntry::Intent { step, answer_text: said, .. } if !said.is_empty() => {
                by_step.push((step, vec![StoryEntry::Answer(said)]));
            }
            JournalEntry::Result { step, events, .. } => {
                by_step.push((step, to_story_entries(events)))
            }
            // A refused answer counts as not given.
            JournalEntry::Refusal { step, .. } => {
                by_step.retain(|(entry_step, _)| *entry_step != step)
            }
            JournalEntry::Reload { events, .. } => {
                let step = by_step.last().map_or(0, |(step, _)| *step);
                by_step.push((step, to_story_entries(events)));
            }
            JournalEntry::Undo { to, .. } => by_step.retain(|(step, _)| *step <= to),
            _ => {}
        }
    }
    by_step.into_iter().flat_map(|(_, events)| events).collect()
}
