//! Writes, reads and resumes journals.

use base::Value;
use mods::ModSource;
use protocol::{StoryEntry, StoryEvent};
use save::{
    DataDir, Disk, JournalEntry, NewRunParameters, ReadExtent, RunStatus, StartRunOutcome,
    open_run_for_writing,
};

use super::{
    GAME_ID, begin_run, data_dir_on, ended_entry, intent_entry, open_writer, result_entry,
    world_snapshot, write_run_of_two_steps,
};
use crate::support::disk::FaultyDisk;

#[test]
fn a_written_run_is_read_back() {
    let disk = FaultyDisk::new();
    let id = write_run_of_two_steps(&disk);
    assert_eq!(id, "anna-0001");
    let opened_run = data_dir_on(&disk).open_run(&id, ReadExtent::AfterCheckpoint).unwrap();
    assert!(
        opened_run.damage.is_none()
            && opened_run.torn_line_note.is_none()
            && opened_run.warnings.is_empty()
    );
    assert_eq!(opened_run.header.seed, 7);
    assert_eq!(opened_run.checkpoint.as_ref().unwrap().step, 1);
    assert_eq!(opened_run.checkpoint.as_ref().unwrap().snapshot, world_snapshot(7));
    assert_eq!(
        opened_run.entries().collect::<Vec<_>>(),
        [(5, intent_entry(2)), (6, result_entry(2))],
        "only what lies past it"
    );
    assert_eq!(opened_run.run_state.last_completed_step(), Some(2));
    let opened_in_full = data_dir_on(&disk).open_run(&id, ReadExtent::All).unwrap();
    assert_eq!(opened_in_full.entries().count(), 5);
    assert_eq!(opened_in_full.run_state, opened_run.run_state, "both ways lead to one standing");
}

#[test]
fn a_resumed_run_continues_from_its_last_step() {
    let disk = FaultyDisk::new();
    let id = write_run_of_two_steps(&disk);
    for step in 3..6 {
        let mut writer = open_writer(&data_dir_on(&disk), &id);
        assert_eq!(writer.run_state().next_step, step);
        writer.append(&intent_entry(step), true).unwrap();
        writer.append(&result_entry(step), true).unwrap();
        writer.replace_checkpoint(world_snapshot(step), base::Digest::default()).unwrap();
    }
    let opened_run = data_dir_on(&disk).open_run(&id, ReadExtent::AfterCheckpoint).unwrap();
    assert_eq!(opened_run.checkpoint.as_ref().unwrap().step, 5);
    assert_eq!(opened_run.entries().count(), 0);
}

/// The checkpoint's digest of the lines before it is the same for one writer or many. A reader that
/// trusts it reads what a reader of the chain reads.
#[test]
fn the_checkpoint_line_digest_is_equal_for_any_writers() {
    let read_checkpoint = |disk: &FaultyDisk, id: &str| {
        let path = data_dir_on(disk).journal_path(id).unwrap().with_file_name("checkpoint.json");
        (disk.read_file(&path, u64::MAX).unwrap(), path)
    };
    let (one_writer_disk, many_writers_disk) = (FaultyDisk::new(), FaultyDisk::new());
    let id = write_run_of_two_steps(&one_writer_disk);
    write_run_of_two_steps(&many_writers_disk);
    let mut writer = open_writer(&data_dir_on(&one_writer_disk), &id);
    for step in 3..9 {
        let mut reopened_writer = open_writer(&data_dir_on(&many_writers_disk), &id);
        for writer in [&mut writer, &mut reopened_writer] {
            writer.append(&intent_entry(step), true).unwrap();
            writer.append(&result_entry(step), true).unwrap();
        }
        if step % 3 == 0 {
            writer.replace_checkpoint(world_snapshot(step), base::Digest::default()).unwrap();
            reopened_writer
                .replace_checkpoint(world_snapshot(step), base::Digest::default())
                .unwrap();
            assert!(
                read_checkpoint(&one_writer_disk, &id).0
                    == read_checkpoint(&many_writers_disk, &id).0,
                "step {step}"
            );
        }
    }
    let opened_run =
        data_dir_on(&one_writer_disk).open_run(&id, ReadExtent::AfterCheckpoint).unwrap();
    assert_eq!(opened_run.entries().count(), 4);
    assert_eq!(opened_run.recent_story(&Default::default()).unwrap().len(), 9);
}

/// A run may print more between two checkpoints than the part of its story that is read again.
#[test]
fn a_run_with_mebibytes_of_text_after_its_checkpoint_opens() {
    let disk = FaultyDisk::new();
    let id = write_run_of_two_steps(&disk);
    let result_with_text = |step: u64, bytes: usize| JournalEntry::Result {
        step,
        events: vec![StoryEvent::Say { text: format!("{step}: {}", "o".repeat(bytes)) }.into()],
        changes: protocol::WorldChanges::default(),
    };
    let mut writer = open_writer(&data_dir_on(&disk), &id);
    for step in 3..10 {
        writer.append(&intent_entry(step), true).unwrap();
        writer.append(&result_with_text(step, 0xF_5000), true).unwrap();
        let opened_run = data_dir_on(&disk).open_run(&id, ReadExtent::AfterCheckpoint).unwrap();
        assert!(
            opened_run.damage.is_none()
                && opened_run.torn_line_note.is_none()
                && opened_run.warnings.is_empty()
        );
        assert_eq!(opened_run.checkpoint.as_ref().unwrap().step, 1);
        assert_eq!(opened_run.run_state.last_completed_step(), Some(step));
        let story = opened_run.recent_story(&Default::default()).unwrap();
        let StoryEntry::Event(StoryEvent::Say { text }) = story.last().unwrap() else {
            panic!("{story:?}")
        };
        assert!(text.starts_with(&format!("{step}: ")), "the newest is shown");
        assert_eq!(
            story,
            data_dir_on(&disk)
                .open_run(&id, ReadExtent::All)
                .unwrap()
                .recent_story(&Default::default())
                .unwrap()
        );
        assert!(matches!(
            data_dir_on(&disk).list_runs().unwrap()[0].status,
            RunStatus::Unfinished { next_step } if next_step == step + 1
        ));
    }
}

/// The start of the story may be at any byte near the checkpoint.
#[test]
fn a_story_may_begin_at_any_byte_near_the_checkpoint() {
    const STORY_BYTES: u64 = 4 * 1024 * 1024;
    for byte_offset in (-140_i64..150).step_by(5) {
        let disk = FaultyDisk::new();
        let id = write_run_of_two_steps(&disk);
        let path = data_dir_on(&disk).journal_path(&id).unwrap();
        let length = || disk.read_file(&path, u64::MAX).unwrap().len() as u64;
        let checkpoint_bytes = data_dir_on(&disk)
            .open_run(&id, ReadExtent::AfterCheckpoint)
            .unwrap()
            .checkpoint
            .unwrap()
            .journal_bytes;
        let mut writer = open_writer(&data_dir_on(&disk), &id);
        writer.append(&intent_entry(3), true).unwrap();
        let result_with_text = |bytes: u64| JournalEntry::Result {
            step: 3,
            events: vec![
                StoryEvent::Say { text: "o".repeat(usize::try_from(bytes).unwrap()) }.into(),
            ],
            changes: protocol::WorldChanges::default(),
        };
        let overhead = serde_json::to_string(&result_with_text(0)).unwrap().len() as u64 + 60;
        let text_bytes = (checkpoint_bytes + STORY_BYTES).checked_add_signed(byte_offset).unwrap()
            - length()
            - overhead;
        writer.append(&result_with_text(text_bytes), true).unwrap();
        let opened_run = data_dir_on(&disk).open_run(&id, ReadExtent::AfterCheckpoint).unwrap();
        assert!(opened_run.damage.is_none() && opened_run.warnings.is_empty(), "{byte_offset}");
        let opened_in_full = data_dir_on(&disk).open_run(&id, ReadExtent::All).unwrap();
        assert_eq!(
            opened_run.recent_story(&Default::default()).unwrap(),
            opened_in_full.recent_story(&Default::default()).unwrap(),
            "{byte_offset}"
        );
    }
}

#[test]
fn a_pending_intent_counts_its_retries() {
    let disk = FaultyDisk::new();
    let id = write_run_of_two_steps(&disk);
    let mut writer = open_writer(&data_dir_on(&disk), &id);
    writer.append(&intent_entry(3), true).unwrap();
    drop(writer);
    for retry_count in 0..3 {
        let writable_run =
            open_run_for_writing(&data_dir_on(&disk), &id, ReadExtent::AfterCheckpoint).unwrap();
        let pending = writable_run.loaded_journal.run_state.pending_step.clone().unwrap();
        assert_eq!((pending.step, pending.retry_count), (3, retry_count));
        assert!(pending.input.is_some());
        writable_run.writer.unwrap().append(&JournalEntry::Retry { step: 3 }, true).unwrap();
    }
}

#[test]
fn a_refused_start_can_be_repeated() {
    let disk = FaultyDisk::new();
    let (mut locked_profile, _) = data_dir_on(&disk).lock_profile("Anna").unwrap();
    let mut writer = begin_run(&mut locked_profile, 7);
    let problem = base::Problem::error(base::Code::ScriptError, "attempt to add a pebble");
    writer.append(&JournalEntry::Refusal { step: 0, problem }, true).unwrap();
    assert_eq!(writer.run_state().pending_step.as_ref().unwrap().step, 0);
    writer.append(&result_entry(0), true).unwrap();
    assert_eq!(writer.run_state().next_step, 1);
}

#[test]
#[should_panic(expected = "an entry out of order in anna-0001")]
fn a_result_without_an_intent_panics() {
    let disk = FaultyDisk::new();
    let (mut locked_profile, _) = data_dir_on(&disk).lock_profile("Anna").unwrap();
    let mut writer = begin_run(&mut locked_profile, 7);
    let _ = writer.append(&result_entry(1), true);
}

#[test]
fn practice_earns_nothing_and_hides_the_next_seed() {
    let disk = FaultyDisk::new();
    let (mut locked_profile, _) = data_dir_on(&disk).lock_profile("Anna").unwrap();
    assert_eq!(locked_profile.draw_or_stored_seed(GAME_ID, &mut || 11).unwrap(), 11);
    let practice_run = NewRunParameters { is_practice: true, ..super::new_run() };
    let StartRunOutcome::Started(mut writer) =
        locked_profile.start_new_run(practice_run, &mut || 99).unwrap()
    else {
        panic!()
    };
    assert_eq!(writer.header().seed, 99);
    writer.append_all(&[result_entry(0), ended_entry()], true).unwrap();
    assert!(locked_profile.pay_run(&mut writer).unwrap().is_newly_paid);
    let game = locked_profile.profile().game_profile(GAME_ID);
    assert_eq!(game.award_data, Value::map());
    assert_eq!((game.finished_runs.len(), game.finished_runs[0].was_paid), (1, false));
    assert_eq!(game.next_seed, Some(11));
    let writer = begin_run(&mut locked_profile, 12);
    assert_eq!(writer.header().seed, 11, "the seed that lay there, not a new one");
}

#[test]
fn an_unfinished_run_blocks_the_next() {
    let disk = FaultyDisk::new();
    let id = write_run_of_two_steps(&disk);
    let (mut locked_profile, _) = data_dir_on(&disk).lock_profile("Anna").unwrap();
    let StartRunOutcome::BlockedByUnfinishedRun(blocking_run) =
        locked_profile.start_new_run(super::new_run(), &mut || 8).unwrap()
    else {
        panic!("a second run beside the first")
    };
    assert_eq!(blocking_run, id);
}

#[test]
fn the_run_list_shows_all_runs() {
    let disk = FaultyDisk::new();
    let data_dir = data_dir_on(&disk);
    let id = write_run_of_two_steps(&disk);
    disk.create_folder(&data_dir.root().join("runs").join("Not ours")).unwrap();
    disk.create_folder(&data_dir.root().join("runs").join("anna-0002")).unwrap();
    let lines = data_dir.list_runs().unwrap();
    assert_eq!(lines.len(), 1);
    assert!(matches!(lines[0].status, RunStatus::Unfinished { next_step: 3 }));
    disk.truncate_file(&data_dir.journal_path(&id).unwrap(), 20).unwrap();
    assert!(matches!(data_dir.list_runs().unwrap()[0].status, RunStatus::Damaged(_)));
}

#[test]
fn the_real_disk_writes_resumes_and_pays_a_run() {
    let folder = tempfile::tempdir().unwrap();
    let data_dir = DataDir::new(folder.path().join("a").join("data"));
    let (mut locked_profile, notes) = data_dir.lock_profile("Anna").unwrap();
    assert_eq!(notes, []);
    let mut writer = begin_run(&mut locked_profile, u64::MAX);
    let id = writer.run_id().to_owned();
    writer.append(&result_entry(0), true).unwrap();
    writer.replace_checkpoint(world_snapshot(1), base::Digest::default()).unwrap();
    writer.append(&intent_entry(1), false).unwrap();
    drop(writer);
    let path = data_dir.journal_path(&id).unwrap();
    let length = std::fs::metadata(&path).unwrap().len();
    data_dir.disk().truncate_file(&path, length - 3).unwrap();
    let writable_run = open_run_for_writing(&data_dir, &id, ReadExtent::AfterCheckpoint).unwrap();
    assert_eq!(writable_run.loaded_journal.header.seed, u64::MAX);
    assert!(writable_run.loaded_journal.torn_line_note.is_some());
    let mut writer = writable_run.writer.unwrap();
    writer.append_all(&[intent_entry(1), result_entry(1), ended_entry()], true).unwrap();
    assert!(locked_profile.pay_run(&mut writer).unwrap().is_newly_paid);
    drop((locked_profile, writer));
    let (locked_profile, notes) = data_dir.lock_profile("anna").unwrap();
    assert_eq!(notes, []);
    assert_eq!(
        locked_profile.profile().game_profile(GAME_ID).award_data.get("experience"),
        Some(&Value::Int(40))
    );
    let mut names = data_dir.disk().list_folder(&data_dir.run_folder(&id).unwrap()).unwrap();
    names.retain(|name| !name.starts_with("lock"));
    assert_eq!(names, ["checkpoint.json", "journal.damaged-1.jsonl", "journal.jsonl"]);
    let backup_path = data_dir.run_folder(&id).unwrap().join("journal.damaged-1.jsonl");
    assert_eq!(
        std::fs::metadata(backup_path).unwrap().len(),
        length - 3,
        "the original, to the byte"
    );
}

#[test]
fn content_is_stored_once_by_its_digest() {
    let disk = FaultyDisk::new();
    let data_dir = data_dir_on(&disk);
    let manifest =
        "id = \"game\"\nname = \"Game\"\nversion = \"0.1.0\"\nengine = \"*\"\ngame = true\n";
    let stored_mod = serde_json::json!({ "manifest": manifest, "files": { "main.luau": "start(function() end)" } });
    let source = &ModSource::deserialize_from_store(&stored_mod.to_string()).unwrap();
    data_dir.store_content(source).unwrap();
    let used_bytes = disk.used_bytes();
    data_dir.store_content(source).unwrap();
    assert_eq!(disk.used_bytes(), used_bytes);
    let loaded_mod = data_dir.load_content_or_fallback(source.digest).unwrap();
    assert_eq!((loaded_mod.digest, &loaded_mod.files), (source.digest, &source.files));
    let path = data_dir.root().join("content").join(format!("{}.json", source.digest));
    let mut bytes = disk.read_file(&path, u64::MAX).unwrap();
    let middle = bytes.len() / 2;
    bytes[middle] ^= 1;
    disk.write_file(&path, &bytes).unwrap();
    assert_eq!(
        data_dir.load_content_or_fallback(source.digest).unwrap_err().code,
        "content-damaged"
    );
    data_dir.store_content(source).unwrap();
    assert!(
        data_dir.load_content_or_fallback(source.digest).is_ok(),
        "repaired, with the damaged one stored"
    );
    assert_eq!(disk.list_folder(&data_dir.root().join("content")).unwrap().len(), 2);
}
