//! Runs on a disk in memory: begun, answered, put down.

use std::sync::Arc;

use super::disk::FaultyDisk;
use engine::kit::Value;
use engine::play::{Event, Input, Past};
use engine::run::{self, Content, InHand, Session, Told, Wish};
use engine::save::{DataDir, LockedProfile};

/// A data folder on a disk of its own.
pub fn data_dir() -> (FaultyDisk, DataDir) {
    let disk = FaultyDisk::new();
    (disk.clone(), DataDir::on(Arc::new(disk), "data"))
}

/// Ada's profile.
pub fn held(data_dir: &DataDir) -> LockedProfile {
    data_dir.lock_profile("Ada").unwrap().0
}

/// Begins a run of one seed.
pub fn begin(held: &mut LockedProfile, content: Content, seed: u64) -> InHand {
    let wish = Wish { content, options: Value::map(), seed: Some(seed), practice: false };
    run::begin(held, wish, &mut || seed).unwrap()
}

/// Takes a choice.
pub fn choose(session: &mut Session, id: &str) -> Told {
    session.take(&Input::Choice(id.to_owned())).unwrap()
}

/// What was told of a story that is remembered, without the answers.
pub fn without_answers(past: &[Past]) -> Vec<Event> {
    let told = past.iter().filter_map(|past| match past {
        Past::Told(event) => Some(event.clone()),
        Past::Answered(_) => None,
    });
    told.collect()
}

/// What was said and noted.
pub fn texts(events: &[Event]) -> Vec<String> {
    let text = |event: &Event| match event {
        Event::Say { text } | Event::Note { text } => Some(text.clone()),
        _ => None,
    };
    events.iter().filter_map(text).collect()
}

/// Puts a run of that game down; its id.
pub fn put_down(data_dir: &DataDir, in_hand: InHand, game: &str) -> String {
    drop(in_hand);
    held(data_dir).unfinished(game).unwrap().expect("the run is there")
}
