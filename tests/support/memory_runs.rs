//! Runs on an in-memory disk: begin, answer, close.

use std::sync::Arc;

use super::disk::FaultyDisk;
use base::Value;
use protocol::{Input, StoryEntry, StoryEvent};
use save::{DataDir, LockedProfile};
use session::{ActiveRun, RunContent, RunRequest, Session, StepOutcome};

/// A data folder on its own disk.
pub fn memory_data_dir() -> (FaultyDisk, DataDir) {
    let disk = FaultyDisk::new();
    (disk.clone(), DataDir::with_disk(Arc::new(disk), "data"))
}

/// Ada's profile.
pub fn lock_profile_of_ada(data_dir: &DataDir) -> LockedProfile {
    data_dir.lock_profile("Ada").unwrap().0
}

/// Begins a run with a seed.
pub fn begin_run(locked_profile: &mut LockedProfile, content: RunContent, seed: u64) -> ActiveRun {
    let run_request =
        RunRequest { content, options: Value::map(), seed: Some(seed), is_practice: false };
    session::start_run(locked_profile, run_request, &mut || seed).unwrap()
}

/// Takes a choice.
pub fn choose(session: &mut Session, id: &str) -> StepOutcome {
    session.answer_prompt(&Input::Choice(id.to_owned())).unwrap()
}

/// The events of a remembered story, without the answers.
pub fn events_without_answers(story: &[StoryEntry]) -> Vec<StoryEvent> {
    let events = story.iter().filter_map(|entry| match entry {
        StoryEntry::Event(event) => Some(event.clone()),
        StoryEntry::Answer(_) => None,
    });
    events.collect()
}

/// The texts and notes of events.
pub fn say_and_note_texts(events: &[StoryEvent]) -> Vec<String> {
    let text = |event: &StoryEvent| match event {
        StoryEvent::Say { text } | StoryEvent::Note { text } => Some(text.clone()),
        _ => None,
    };
    events.iter().filter_map(text).collect()
}

/// Closes a run of that game and returns its id.
pub fn close_run(data_dir: &DataDir, active_run: ActiveRun, game: &str) -> String {
    drop(active_run);
    lock_profile_of_ada(data_dir)
        .newest_unfinished_original_run(game)
        .unwrap()
        .expect("the run is there")
}
