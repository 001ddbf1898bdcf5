//! A journal has a size limit: the player is warned in time, a started step completes, the run can
//! be ended, and every written journal opens again.

use std::sync::Arc;

use engine::base::{Digest, Value};
use engine::protocol::StoryEvent;
use engine::save::{DataDir, JournalEntry, JournalWriter, ReadExtent, open_run_for_writing};

use super::{GAME, ended, intent, snapshot};
use crate::support::disk::FaultyDisk;

const MEBIBYTE: u64 = 1024 * 1024;

fn told_entry(step: u64, bytes: usize) -> JournalEntry {
    let events = vec![StoryEvent::Say { text: "o".repeat(bytes) }];
    JournalEntry::Result { step, digest: Digest::default(), events, changes: Default::default() }
}

/// Plays until no further step is begun; returns the writer and the refused step.
fn play_until_full(data_dir: &DataDir, most: u64, bytes: usize) -> (JournalWriter, u64) {
    let (mut held, _) = data_dir.lock_profile("Anna").unwrap();
    let mut writer = super::begin(&mut held, 7);
    writer.append(&told_entry(0, bytes), true).unwrap();
    // Twice as many as fit.
    for step in 1..2 * most / (bytes as u64 + 300) {
        match writer.append(&intent(step), true) {
            Ok(()) => {
                writer.append(&told_entry(step, bytes), true).expect("a begun step has space")
            }
            Err(problem) => {
                assert_eq!(problem.code, "journal-full");
                assert!(problem.hint.is_some() && problem.expected.is_some(), "{problem}");
                return (writer, step);
            }
        }
    }
    panic!("it has no end");
}

fn length(data_dir: &DataDir) -> u64 {
    let path = data_dir.journal_path("anna-0001").unwrap();
    data_dir.disk().read(&path, u64::MAX).unwrap().len() as u64
}

#[test]
fn a_full_journal_is_told_in_time_opened_again_and_ended() {
    // Short lines, long ones, and one that takes most of the space.
    for (most, bytes) in
        [(MEBIBYTE, 10), (MEBIBYTE, 3_000), (4 * MEBIBYTE, 700_000), (MEBIBYTE, 180_000)]
    {
        let disk = FaultyDisk::new();
        let data_dir =
            DataDir::on_disk(Arc::new(disk.clone()), "data").with_max_journal_bytes(most);
        let (writer, refused) = play_until_full(&data_dir, most, bytes);
        assert_eq!(writer.run_state().next_step, refused, "nothing of it was begun");
        drop(writer);
        assert!(length(&data_dir) <= most && length(&data_dir) > most / 4);
        // Any program opens it, whatever its own limit.
        for data_dir in [&data_dir, &DataDir::on_disk(Arc::new(disk.clone()), "data")] {
            let opened = data_dir.open("anna-0001", ReadExtent::All).unwrap();
            assert!(opened.damage.is_none() && opened.torn_line_note.is_none());
            assert_eq!(opened.run_state.next_step, refused);
            assert!(data_dir.stream_journal("anna-0001").is_ok());
        }
        let mut writer = open_run_for_writing(&data_dir, "anna-0001", ReadExtent::AfterCheckpoint)
            .unwrap()
            .writer
            .unwrap();
        for _ in 0..3 {
            assert_eq!(writer.append(&intent(refused), true).unwrap_err().code, "journal-full");
        }
        writer.replace_checkpoint(snapshot(7), Digest::default()).unwrap();
        // It is closed complete and can be ended and paid.
        writer.append(&ended(), true).unwrap();
        let (mut held, _) = data_dir.lock_profile("Anna").unwrap();
        held.pay_run(&mut writer).unwrap();
        assert_eq!(held.profile().game(GAME).data.get("experience"), Some(&Value::Int(40)));
        assert!(length(&data_dir) <= most);
        drop(writer);
        assert!(data_dir.open("anna-0001", ReadExtent::AfterCheckpoint).unwrap().run_state.is_paid);
    }
}

/// Other entries are refused in time too: console commands, reloads, marks, undo.
#[test]
fn nothing_else_makes_a_full_journal_longer() {
    let disk = FaultyDisk::new();
    let data_dir = DataDir::on_disk(Arc::new(disk), "data").with_max_journal_bytes(MEBIBYTE);
    let (mut writer, step) = play_until_full(&data_dir, MEBIBYTE, 3_000);
    let before = length(&data_dir);
    let order = engine::save::ConsoleCommand::Lua("x".repeat(3_000));
    for entry in [
        JournalEntry::Console { step, order },
        JournalEntry::Reload {
            mods: Vec::new(),
            digest: Digest::default(),
            events: vec![StoryEvent::Say { text: "o".repeat(3_000) }],
            changes: Default::default(),
        },
        JournalEntry::Mark { mark: "m".repeat(3_000) },
        JournalEntry::Disabled(engine::save::DisabledEntry {
            owner: "o".repeat(3_000),
            hook: String::new(),
            why: String::new(),
        }),
    ] {
        assert_eq!(writer.append(&entry, true).unwrap_err().code, "journal-full", "{entry:?}");
    }
    assert_eq!(length(&data_dir), before);
    assert!(writer.run_state().pending.is_none());
}

/// A step begun in the last free space gets a result, however long its output.
#[test]
fn a_step_that_was_begun_has_room_for_what_comes_of_it() {
    let disk = FaultyDisk::new();
    let most = 100 * MEBIBYTE;
    let data_dir = DataDir::on_disk(Arc::new(disk), "data").with_max_journal_bytes(most);
    let (writer, refused) = play_until_full(&data_dir, most, 15 * MEBIBYTE as usize);
    assert!(refused > 3 && writer.run_state().pending.is_none());
    assert!(length(&data_dir) <= most);
    assert!(data_dir.open("anna-0001", ReadExtent::AfterCheckpoint).is_ok());
}
