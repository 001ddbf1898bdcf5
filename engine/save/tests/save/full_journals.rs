//! A journal has a size limit: the player is warned in time, a started step completes, the run can
//! be ended, and every written journal opens again.

use std::sync::Arc;

use base::{Digest, Value};
use protocol::StoryEvent;
use save::{DataDir, JournalEntry, JournalWriter, ReadExtent};

use super::{GAME_ID, ended_entry, intent_entry, open_writer, world_snapshot};
use crate::support::disk::FaultyDisk;

const MEBIBYTE: u64 = 1024 * 1024;

fn result_with_text(step: u64, text_bytes: usize) -> JournalEntry {
    let events = vec![StoryEvent::Say { text: "o".repeat(text_bytes) }.into()];
    JournalEntry::Result { step, events, changes: Default::default() }
}

/// Plays until no further step is begun; returns the writer and the refused step.
fn play_until_full(
    data_dir: &DataDir,
    max_journal_bytes: u64,
    text_bytes: usize,
) -> (JournalWriter, u64) {
    let (mut locked_profile, _) = data_dir.lock_profile("Anna").unwrap();
    let mut writer = super::begin_run(&mut locked_profile, 7);
    writer.append(&result_with_text(0, text_bytes), true).unwrap();
    // Twice as many as fit.
    for step in 1..2 * max_journal_bytes / (text_bytes as u64 + 300) {
        match writer.append(&intent_entry(step), true) {
            Ok(()) => writer
                .append(&result_with_text(step, text_bytes), true)
                .expect("a begun step has space"),
            Err(problem) => {
                assert_eq!(problem.code, "journal-full");
                assert!(problem.hint.is_some() && problem.expected.is_some(), "{problem}");
                return (writer, step);
            }
        }
    }
    panic!("it has no end");
}

fn journal_length(data_dir: &DataDir) -> u64 {
    let path = data_dir.journal_path("anna-0001").unwrap();
    data_dir.disk().read_file(&path, u64::MAX).unwrap().len() as u64
}

#[test]
fn a_full_journal_is_reported_opens_again_and_can_be_ended() {
    // Short lines, long ones, and one that takes most of the space.
    for (max_journal_bytes, text_bytes) in
        [(MEBIBYTE, 10), (MEBIBYTE, 3_000), (4 * MEBIBYTE, 700_000), (MEBIBYTE, 180_000)]
    {
        let disk = FaultyDisk::new();
        let data_dir = DataDir::with_disk(Arc::new(disk.clone()), "data")
            .with_max_journal_bytes(max_journal_bytes);
        let (writer, refused_step) = play_until_full(&data_dir, max_journal_bytes, text_bytes);
        assert_eq!(writer.run_state().next_step, refused_step, "nothing of it was begun");
        drop(writer);
        assert!(
            journal_length(&data_dir) <= max_journal_bytes
                && journal_length(&data_dir) > max_journal_bytes / 4
        );
        // Any program opens it, whatever its own limit.
        for data_dir in [&data_dir, &DataDir::with_disk(Arc::new(disk.clone()), "data")] {
            let opened_run = data_dir.open_run("anna-0001", ReadExtent::All).unwrap();
            assert!(opened_run.damage.is_none() && opened_run.torn_line_note.is_none());
            assert_eq!(opened_run.run_state.next_step, refused_step);
            assert!(data_dir.stream_journal("anna-0001").is_ok());
        }
        let mut writer = open_writer(&data_dir, "anna-0001");
        for _ in 0..3 {
            assert_eq!(
                writer.append(&intent_entry(refused_step), true).unwrap_err().code,
                "journal-full"
            );
        }
        writer.replace_checkpoint(world_snapshot(7), Digest::default()).unwrap();
        // It is closed complete and can be ended and paid.
        writer.append(&ended_entry(), true).unwrap();
        let (mut locked_profile, _) = data_dir.lock_profile("Anna").unwrap();
        locked_profile.pay_run(&mut writer).unwrap();
        assert_eq!(
            locked_profile.profile().game_profile(GAME_ID).award_data.get("experience"),
            Some(&Value::Int(40))
        );
        assert!(journal_length(&data_dir) <= max_journal_bytes);
        drop(writer);
        assert!(
            data_dir.open_run("anna-0001", ReadExtent::AfterCheckpoint).unwrap().run_state.is_paid
        );
    }
}

/// Other entries are refused in time too: console commands, reloads, marks, undo.
#[test]
fn a_full_journal_refuses_every_other_entry() {
    let disk = FaultyDisk::new();
    let data_dir = DataDir::with_disk(Arc::new(disk), "data").with_max_journal_bytes(MEBIBYTE);
    let (mut writer, step) = play_until_full(&data_dir, MEBIBYTE, 3_000);
    let before = journal_length(&data_dir);
    let command = save::ConsoleCommand::Lua("x".repeat(3_000));
    for entry in [
        JournalEntry::Console { step, command },
        JournalEntry::Reload {
            mods: Vec::new(),
            events: vec![StoryEvent::Say { text: "o".repeat(3_000) }.into()],
            changes: Default::default(),
        },
        JournalEntry::NoAwardReason { reason: "m".repeat(3_000) },
        JournalEntry::Disabled(save::DisabledEntry {
            owner: "o".repeat(3_000),
            hook: String::new(),
            reason: String::new(),
        }),
    ] {
        assert_eq!(writer.append(&entry, true).unwrap_err().code, "journal-full", "{entry:?}");
    }
    assert_eq!(journal_length(&data_dir), before);
    assert!(writer.run_state().pending_step.is_none());
}

/// A step begun in the last free space gets a result, however long its output.
#[test]
fn a_begun_step_has_space_for_its_result() {
    let disk = FaultyDisk::new();
    let max_journal_bytes = 100 * MEBIBYTE;
    let data_dir =
        DataDir::with_disk(Arc::new(disk), "data").with_max_journal_bytes(max_journal_bytes);
    let (writer, refused_step) =
        play_until_full(&data_dir, max_journal_bytes, 15 * MEBIBYTE as usize);
    assert!(refused_step > 3 && writer.run_state().pending_step.is_none());
    assert!(journal_length(&data_dir) <= max_journal_bytes);
    assert!(data_dir.open_run("anna-0001", ReadExtent::AfterCheckpoint).is_ok());
}
