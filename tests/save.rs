//! Saves: written data is read back, damage is named, and nothing is paid or drawn twice.

mod crashes;
mod damage;
mod full_journals;
mod journal_headers;
mod journals;
mod locks;
mod messages;
mod payments;
mod profile_quotas;
mod profiles;

use std::sync::Arc;

use crate::support;
use crate::support::disk::FaultyDisk;
use engine::base::{Digest, Problem, Value};
use engine::protocol::world::WorldSnapshot;
use engine::protocol::{Input, StoryEvent, World};
use engine::save::{
    DataDir, JournalEntry, JournalWriter, LockedProfile, NewRun, RunEnding, StartRunOutcome,
};

/// The game of these tests.
const GAME: &str = "pebbles";

fn open_data(disk: &FaultyDisk) -> DataDir {
    DataDir::on_disk(Arc::new(disk.clone()), "data")
}

fn new_run() -> NewRun {
    NewRun {
        engine: "0.1.0".to_owned(),
        game: GAME.to_owned(),
        options: Value::map_of([("size", Value::from("small"))]),
        mods: Vec::new(),
        settings: Value::map(),
        seed: None,
        practice: false,
        parent: None,
        day: None,
    }
}

fn begin(held: &mut LockedProfile, seed: u64) -> JournalWriter {
    match held.start_new_run(new_run(), &mut || seed).unwrap() {
        StartRunOutcome::Started(writer) => *writer,
        StartRunOutcome::BlockedByUnfinishedRun(id) => panic!("{id} is not over"),
    }
}

fn result(step: u64) -> JournalEntry {
    let events = vec![StoryEvent::Say { text: format!("Pebble {step} falls.") }];
    let changes = support::state_field_change("fallen", step as i64);
    JournalEntry::Result { step, digest: Digest::of(&step.to_le_bytes()), events, changes }
}

fn intent(step: u64) -> JournalEntry {
    JournalEntry::Intent {
        step,
        input: Input::Choice(format!("pebble_{step}")),
        said: String::new(),
    }
}

fn ended() -> JournalEntry {
    JournalEntry::Ended(RunEnding {
        outcome: Value::map_of([("outcome", Value::from("victory"))]),
        award: Value::map_of([
            ("experience", Value::Int(40)),
            ("found", Value::from(vec![Value::from("pebble")])),
        ]),
        abandoned: false,
        achieved: vec!["well:first".to_owned()],
        day: "2026-11-21".to_owned(),
    })
}

fn snapshot(seed: u64) -> WorldSnapshot {
    World::new(seed).snapshot()
}

/// A run on this disk with its start and two steps, with a checkpoint after the first.
fn two_steps(disk: &FaultyDisk) -> String {
    let data_dir = open_data(disk);
    let (mut held, told) = data_dir.lock_profile("Anna").unwrap();
    assert_eq!(told, []);
    let mut writer = begin(&mut held, 7);
    writer.append(&result(0), true).unwrap();
    writer.append(&intent(1), true).unwrap();
    writer.append(&result(1), true).unwrap();
    writer.replace_checkpoint(snapshot(7), Digest::of(b"one")).unwrap();
    writer.append(&intent(2), true).unwrap();
    writer.append(&result(2), true).unwrap();
    writer.run_id().to_owned()
}

fn codes(problems: &[Problem]) -> Vec<&str> {
    problems.iter().map(|problem| problem.code.as_str()).collect()
}
