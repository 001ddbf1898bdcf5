//! Saves: written data is read back, damage is named, and nothing is paid or drawn twice.

mod crashes;
mod damage;
mod full_journals;
mod journal_headers;
mod journals;
mod locks;
mod long_journals;
mod messages;
mod profile_quotas;
mod profiles;

use std::sync::Arc;

use crate::support::disk::FaultyDisk;
use base::{Digest, Problem, Value};
use protocol::world::WorldSnapshot;
use protocol::{Input, StoryEvent, WorldChanges, WorldState};
use save::{
    DataDir, JournalEntry, JournalWriter, LockedProfile, NewRunParameters, ReadExtent, RunEnding,
    StartRunOutcome, open_run_for_writing,
};
use state::TableChange;

/// The game of these tests.
const GAME_ID: &str = "pebbles";

fn data_dir_on(disk: &FaultyDisk) -> DataDir {
    DataDir::with_disk(Arc::new(disk.clone()), "data")
}

fn new_run() -> NewRunParameters {
    NewRunParameters {
        engine: "0.1.0".to_owned(),
        game: GAME_ID.to_owned(),
        options: Value::map_of([("size", Value::from("small"))]),
        mods: Vec::new(),
        settings: Value::map(),
        seed: None,
        is_practice: false,
        forked_from: None,
        daily_seed_date: None,
        shared_profile: None,
    }
}

fn begin_run(locked_profile: &mut LockedProfile, seed: u64) -> JournalWriter {
    match locked_profile.start_new_run(new_run(), &mut || seed).unwrap() {
        StartRunOutcome::Started(writer) => *writer,
        StartRunOutcome::BlockedByUnfinishedRun(id) => panic!("{id} is not over"),
    }
}

/// Opens a run to write on.
fn open_writer(data_dir: &DataDir, run_id: &str) -> JournalWriter {
    open_run_for_writing(data_dir, run_id, ReadExtent::AfterCheckpoint).unwrap().writer.unwrap()
}

/// What a step changes: the number of fallen pebbles.
fn fallen_pebbles_change(count: u64) -> WorldChanges {
    let set_entries = [("fallen".into(), Value::Int(count as i64))].into();
    let table = TableChange { path: vec!["game".into()], set_entries, ..Default::default() };
    WorldChanges { table_changes: vec![table], ..Default::default() }
}

fn result_entry(step: u64) -> JournalEntry {
    let events = vec![StoryEvent::Say { text: format!("Pebble {step} falls.") }.into()];
    let changes = fallen_pebbles_change(step);
    JournalEntry::Result { step, events, changes }
}

fn intent_entry(step: u64) -> JournalEntry {
    JournalEntry::Intent {
        step,
        input: Input::Choice(format!("pebble_{step}")),
        answer_text: String::new(),
        odds: None,
    }
}

fn ended_entry() -> JournalEntry {
    JournalEntry::Ended(RunEnding {
        outcome: Value::map_of([("outcome", Value::from("victory"))]),
        award: Value::map_of([
            ("experience", Value::Int(40)),
            ("found", Value::from(vec![Value::from("pebble")])),
        ]),
        was_abandoned: false,
        achievement_ids: vec!["well:first".to_owned()],
        end_date: "2026-11-21".to_owned(),
    })
}

fn world_snapshot(seed: u64) -> WorldSnapshot {
    WorldState::new(seed).snapshot()
}

/// A run on this disk with its start and two steps, with a checkpoint after the first.
fn write_run_of_two_steps(disk: &FaultyDisk) -> String {
    let data_dir = data_dir_on(disk);
    let (mut locked_profile, notes) = data_dir.lock_profile("Anna").unwrap();
    assert_eq!(notes, []);
    let mut writer = begin_run(&mut locked_profile, 7);
    writer.append(&result_entry(0), true).unwrap();
    writer.append(&intent_entry(1), true).unwrap();
    writer.append(&result_entry(1), true).unwrap();
    writer.replace_checkpoint(world_snapshot(7), Digest::hash_bytes(b"one")).unwrap();
    writer.append(&intent_entry(2), true).unwrap();
    writer.append(&result_entry(2), true).unwrap();
    writer.run_id().to_owned()
}

fn problem_codes(problems: &[Problem]) -> Vec<&str> {
    problems.iter().map(|problem| problem.code.as_str()).collect()
}
