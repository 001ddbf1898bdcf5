//! The story of a run, its output and its answers, from the end of its journal. Reads only as much
//! of the file as it shows.

use super::body_parser::parse_body;
use super::data_dir::DataDir;
use super::entry::JournalEntry;
use super::io_error::IoContext;
use super::journal_file::JournalFile;
use super::line_format::JOURNAL_LINE_FORMAT;
use base::panic_guard::catch_panics;
use base::{Problem, TextOverrides};
use protocol::{RecordedEvent, StoryEntry, fill_recorded_events};

/// How far back the story is read: enough for any run of a person, and short enough for very long
/// runs to open quickly.
const MAX_STORY_READ_BYTES: u64 = 4 * 1024 * 1024;
/// The maximum length of a line before its entry.
const MAX_LINE_PREFIX_BYTES: u64 = 64;

impl DataDir {
    /// The story of a run, oldest first, as [`super::LoadedJournal::recent_story`] returns it. The
    /// run may be played meanwhile.
    pub fn read_recent_story(
        &self,
        run_id: &str,
        overrides: &TextOverrides,
    ) -> Result<Vec<StoryEntry>, Problem> {
        let path = self.journal_path(run_id)?;
        catch_panics("read a run's files", || {
            let length =
                self.disk().file_length(&path).with_context(READ_STORY_ACTION_TEXT, &path)?;
            read_story(&JournalFile::new(self, &path), length, overrides)
        })
    }
}

const READ_STORY_ACTION_TEXT: &str = "read the story of the run";

/// The story at the end of the first `length` bytes of a journal.
pub(super) fn read_story(
    file: &JournalFile,
    length: u64,
    overrides: &TextOverrides,
) -> Result<Vec<StoryEntry>, Problem> {
    let from = length.saturating_sub(MAX_STORY_READ_BYTES);
    let mut line_start = from.saturating_sub(MAX_LINE_PREFIX_BYTES);
    let mut lines =
        file.text_lines(line_start, length).with_context(READ_STORY_ACTION_TEXT, file.path())?;
    let mut story = StorySteps::default();
    // The first line may be incomplete.
    let mut is_whole = line_start == 0;
    while let Some(text) =
        lines.next_line_text().with_context(READ_STORY_ACTION_TEXT, file.path())?
    {
        let line_end = line_start + text.len() as u64;
        if let Some(body) = JOURNAL_LINE_FORMAT.sealed_body(text).filter(|_| is_whole)
            && line_end - 1 - body.len() as u64 >= from
            && let Ok(entry) = parse_body(body)
        {
            story.add_entry(entry, overrides);
        }
        (line_start, is_whole) = (line_end + 1, true);
    }
    Ok(story.steps.into_iter().flat_map(|step| step.entries).collect())
}

/// The story by steps, in their order. What was undone is left out.
#[derive(Default)]
struct StorySteps {
    steps: Vec<StoryStep>,
    /// The answer of the step whose result follows.
    answer: Option<String>,
    /// The last step that succeeded or was refused.
    last_step: u64,
}

struct StoryStep {
    step: u64,
    /// Whether these are the events of a reload after the step: an undo to the step drops them.
    is_reload: bool,
    entries: Vec<StoryEntry>,
}

impl StorySteps {
    fn add_entry(&mut self, entry: JournalEntry, overrides: &TextOverrides) {
        let fill_events = |events: Vec<RecordedEvent>| fill_recorded_events(events, overrides);
        match entry {
            JournalEntry::Intent { answer_text, .. } => {
                self.answer = Some(overrides.apply_word_override(&answer_text).to_owned());
            }
            JournalEntry::Result { step, events, .. } => {
                self.last_step = step;
                let entries = StoryEntry::of_step(self.answer.take(), fill_events(events));
                self.push(step, false, entries);
            }
            // A refused answer counts as not given.
            JournalEntry::Refusal { step, .. } => {
                self.last_step = step;
                self.answer = None;
            }
            JournalEntry::Reload { events, .. } => {
                let entries = StoryEntry::of_step(None, fill_events(events));
                self.push(self.last_step, true, entries);
            }
            JournalEntry::Undo { to_step: to, .. } => {
                let is_undone =
                    |last: &mut StoryStep| last.step > to || last.is_reload && last.step == to;
                while self.steps.pop_if(is_undone).is_some() {}
                self.last_step = to;
            }
            _ => {}
        }
    }

    fn push(&mut self, step: u64, is_reload: bool, entries: Vec<StoryEntry>) {
        self.steps.push(StoryStep { step, is_reload, entries });
    }
}
