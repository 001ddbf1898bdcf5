//! Writes, reads and resumes journals.

use engine::base::Value;
use engine::protocol::{StoryEntry, StoryEvent};
use engine::save::{
    DataDir, Disk, JournalEntry, NewRun, ReadExtent, RunStatus, StartRunOutcome,
    open_run_for_writing,
};

use super::{GAME, begin, ended, intent, open_data, result, snapshot, two_steps};
use crate::support::disk::FaultyDisk;

#[test]
fn a_run_is_there_again() {
    let disk = FaultyDisk::new();
    let id = two_steps(&disk);
    assert_eq!(id, "anna-0001");
    let opened = open_data(&disk).open(&id, ReadExtent::AfterCheckpoint).unwrap();
    assert!(opened.damage.is_none() && opened.torn_line_note.is_none() && opened.notes.is_empty());
    assert_eq!(opened.header.seed, 7);
    assert_eq!(opened.checkpoint.as_ref().unwrap().step, 1);
    assert_eq!(opened.checkpoint.as_ref().unwrap().snapshot, snapshot(7));
    assert_eq!(opened.entries, [(5, intent(2)), (6, result(2))], "only what lies past it");
    assert_eq!(opened.run_state.last_step(), Some(2));
    let all = open_data(&disk).open(&id, ReadExtent::All).unwrap();
    assert_eq!(all.entries.len(), 5);
    assert_eq!(all.run_state, opened.run_state, "both ways lead to one standing");
}

#[test]
fn a_resumed_run_goes_on_where_it_was() {
    let disk = FaultyDisk::new();
    let id = two_steps(&disk);
    for step in 3..6 {
        let mut writer = open_run_for_writing(&open_data(&disk), &id, ReadExtent::AfterCheckpoint)
            .unwrap()
            .writer
            .unwrap();
        assert_eq!(writer.run_state().next_step, step);
        writer.append(&intent(step), true).unwrap();
        writer.append(&result(step), true).unwrap();
        writer.replace_checkpoint(snapshot(step), engine::base::Digest::default()).unwrap();
    }
    let opened = open_data(&disk).open(&id, ReadExtent::AfterCheckpoint).unwrap();
    assert_eq!(opened.checkpoint.unwrap().step, 5);
    assert!(opened.entries.is_empty());
}

/// The checkpoint's digest of the lines before it is the same for one writer or many. A reader that
/// trusts it reads what a reader of the chain reads.
#[test]
fn the_digest_of_the_lines_before_a_checkpoint_goes_on_with_them() {
    let checkpoint = |disk: &FaultyDisk, id: &str| {
        let path = open_data(disk).journal_path(id).unwrap().with_file_name("checkpoint.json");
        (disk.read(&path, u64::MAX).unwrap(), path)
    };
    let (one, many) = (FaultyDisk::new(), FaultyDisk::new());
    let id = two_steps(&one);
    two_steps(&many);
    let mut writer = open_run_for_writing(&open_data(&one), &id, ReadExtent::AfterCheckpoint)
        .unwrap()
        .writer
        .unwrap();
    for step in 3..9 {
        if step == 5 {
            // As an older program left it: without a digest of the lines before.
            let (bytes, path) = checkpoint(&many, &id);
            let opened = open_data(&many).open(&id, ReadExtent::AfterCheckpoint).unwrap();
            let digest = opened.checkpoint.unwrap().journal_digest.unwrap();
            let text = String::from_utf8(bytes).unwrap();
            let (_, body) = text.split_once("\"checkpoint\":").unwrap();
            let said = format!("\"journal_digest\":\"{digest}\",");
            assert!(body.contains(&said));
            let body = body.strip_suffix("}\n").unwrap().replace(&said, "");
            let mut hasher = engine::base::digest::Hasher::new("checkpoint");
            let seal = hasher.feed_count(body.len()).feed_bytes(body.as_bytes()).finish();
            let text = format!("{{\"digest\":\"{seal}\",\"checkpoint\":{body}}}\n");
            many.write(&path, text.as_bytes()).unwrap();
            let old = open_data(&many).open(&id, ReadExtent::AfterCheckpoint).unwrap();
            assert_eq!(old.checkpoint.as_ref().unwrap().journal_digest, None);
            let told = open_data(&one).open(&id, ReadExtent::AfterCheckpoint).unwrap();
            assert_eq!(old.entries, told.entries);
            assert_eq!((old.story(), old.run_state), (told.story(), told.run_state));
        }
        let mut other = open_run_for_writing(&open_data(&many), &id, ReadExtent::AfterCheckpoint)
            .unwrap()
            .writer
            .unwrap();
        for writer in [&mut writer, &mut other] {
            writer.append(&intent(step), true).unwrap();
            writer.append(&result(step), true).unwrap();
        }
        if step % 3 == 0 {
            writer.replace_checkpoint(snapshot(step), engine::base::Digest::default()).unwrap();
            other.replace_checkpoint(snapshot(step), engine::base::Digest::default()).unwrap();
            assert!(checkpoint(&one, &id).0 == checkpoint(&many, &id).0, "step {step}");
        }
    }
    let opened = open_data(&one).open(&id, ReadExtent::AfterCheckpoint).unwrap();
    assert_eq!(opened.entries.len(), 4);
    assert_eq!(opened.story().len(), 9);
}

/// A run may print more between two checkpoints than the part of its story that is read again.
#[test]
fn a_run_that_told_mebibytes_since_its_checkpoint_opens() {
    let disk = FaultyDisk::new();
    let id = two_steps(&disk);
    let tell = |step: u64, bytes: usize| JournalEntry::Result {
        step,
        digest: engine::base::Digest::of(&step.to_le_bytes()),
        events: vec![StoryEvent::Say { text: format!("{step}: {}", "o".repeat(bytes)) }],
        changes: engine::protocol::WorldChanges::default(),
    };
    let mut writer = open_run_for_writing(&open_data(&disk), &id, ReadExtent::AfterCheckpoint)
        .unwrap()
        .writer
        .unwrap();
    for step in 3..10 {
        writer.append(&intent(step), true).unwrap();
        writer.append(&tell(step, 0xF_5000), true).unwrap();
        let opened = open_data(&disk).open(&id, ReadExtent::AfterCheckpoint).unwrap();
        assert!(
            opened.damage.is_none() && opened.torn_line_note.is_none() && opened.notes.is_empty()
        );
        assert_eq!(opened.checkpoint.as_ref().unwrap().step, 1);
        assert_eq!(opened.run_state.last_step(), Some(step));
        let story = opened.story();
        let StoryEntry::Event(StoryEvent::Say { text }) = story.last().unwrap() else {
            panic!("{story:?}")
        };
        assert!(text.starts_with(&format!("{step}: ")), "the newest is shown");
        assert_eq!(story, open_data(&disk).open(&id, ReadExtent::All).unwrap().story());
        assert!(matches!(
            open_data(&disk).list_runs().unwrap()[0].status,
            RunStatus::Unfinished { next_step } if next_step == step + 1
        ));
    }
}

/// The start of the story may be at any byte near the checkpoint.
#[test]
fn a_story_may_begin_at_any_byte_beside_the_checkpoint() {
    const STORY: u64 = 4 * 1024 * 1024;
    for beside in (-140_i64..150).step_by(5) {
        let disk = FaultyDisk::new();
        let id = two_steps(&disk);
        let path = open_data(&disk).journal_path(&id).unwrap();
        let length = || disk.read(&path, u64::MAX).unwrap().len() as u64;
        let mark = open_data(&disk)
            .open(&id, ReadExtent::AfterCheckpoint)
            .unwrap()
            .checkpoint
            .unwrap()
            .journal_bytes;
        let mut writer = open_run_for_writing(&open_data(&disk), &id, ReadExtent::AfterCheckpoint)
            .unwrap()
            .writer
            .unwrap();
        writer.append(&intent(3), true).unwrap();
        let tell = |bytes: u64| JournalEntry::Result {
            step: 3,
            digest: engine::base::Digest::default(),
            events: vec![StoryEvent::Say { text: "o".repeat(usize::try_from(bytes).unwrap()) }],
            changes: engine::protocol::WorldChanges::default(),
        };
        let head = serde_json::to_string(&tell(0)).unwrap().len() as u64 + 60;
        let wanted = (mark + STORY).checked_add_signed(beside).unwrap() - length() - head;
        writer.append(&tell(wanted), true).unwrap();
        let opened = open_data(&disk).open(&id, ReadExtent::AfterCheckpoint).unwrap();
        assert!(opened.damage.is_none() && opened.notes.is_empty(), "{beside}");
        let all = open_data(&disk).open(&id, ReadExtent::All).unwrap();
        assert_eq!(opened.story(), all.story(), "{beside}");
    }
}

#[test]
fn an_intent_without_a_result_is_pending_and_its_tries_are_counted() {
    let disk = FaultyDisk::new();
    let id = two_steps(&disk);
    let mut writer = open_run_for_writing(&open_data(&disk), &id, ReadExtent::AfterCheckpoint)
        .unwrap()
        .writer
        .unwrap();
    writer.append(&intent(3), true).unwrap();
    drop(writer);
    for tries in 0..3 {
        let resumed =
            open_run_for_writing(&open_data(&disk), &id, ReadExtent::AfterCheckpoint).unwrap();
        let pending = resumed.opened.run_state.pending.clone().unwrap();
        assert_eq!((pending.step, pending.retries), (3, tries));
        assert!(pending.input.is_some());
        resumed.writer.unwrap().append(&JournalEntry::Retry { step: 3 }, true).unwrap();
    }
}

#[test]
fn a_refused_start_is_still_to_be_had() {
    let disk = FaultyDisk::new();
    let (mut held, _) = open_data(&disk).lock_profile("Anna").unwrap();
    let mut writer = begin(&mut held, 7);
    let problem =
        engine::base::Problem::error(engine::base::Code::ScriptError, "attempt to add a pebble");
    writer.append(&JournalEntry::Refusal { step: 0, problem }, true).unwrap();
    assert_eq!(writer.run_state().pending.as_ref().unwrap().step, 0);
    writer.append(&result(0), true).unwrap();
    assert_eq!(writer.run_state().next_step, 1);
}

#[test]
#[should_panic(expected = "an entry out of order in anna-0001")]
fn a_result_of_nothing_is_our_mistake() {
    let disk = FaultyDisk::new();
    let (mut held, _) = open_data(&disk).lock_profile("Anna").unwrap();
    let mut writer = begin(&mut held, 7);
    let _ = writer.append(&result(1), true);
}

#[test]
fn practice_earns_nothing_and_shows_nothing_of_the_next_run() {
    let disk = FaultyDisk::new();
    let (mut held, _) = open_data(&disk).lock_profile("Anna").unwrap();
    assert_eq!(held.next_seed(GAME, &mut || 11).unwrap(), 11);
    let practice = NewRun { practice: true, ..super::new_run() };
    let StartRunOutcome::Started(mut writer) = held.start_new_run(practice, &mut || 99).unwrap()
    else {
        panic!()
    };
    assert_eq!(writer.header().seed, 99);
    writer.append_all(&[result(0), ended()], true).unwrap();
    assert!(held.pay_run(&mut writer).unwrap().is_newly_paid);
    let game = held.profile().game(GAME);
    assert_eq!(game.data, Value::map());
    assert_eq!((game.history.len(), game.history[0].earned), (1, false));
    assert_eq!(game.next_seed, Some(11));
    let writer = begin(&mut held, 12);
    assert_eq!(writer.header().seed, 11, "the seed that lay there, not a new one");
}

#[test]
fn a_run_that_is_not_over_holds_up_the_next() {
    let disk = FaultyDisk::new();
    let id = two_steps(&disk);
    let (mut held, _) = open_data(&disk).lock_profile("Anna").unwrap();
    let StartRunOutcome::BlockedByUnfinishedRun(found) =
        held.start_new_run(super::new_run(), &mut || 8).unwrap()
    else {
        panic!("a second run beside the first")
    };
    assert_eq!(found, id);
}

#[test]
fn the_run_list_shows_all_runs() {
    let disk = FaultyDisk::new();
    let data_dir = open_data(&disk);
    let id = two_steps(&disk);
    disk.make_folder(&data_dir.root().join("runs").join("Not ours")).unwrap();
    disk.make_folder(&data_dir.root().join("runs").join("anna-0002")).unwrap();
    let lines = data_dir.list_runs().unwrap();
    assert_eq!(lines.len(), 1);
    assert!(matches!(lines[0].status, RunStatus::Unfinished { next_step: 3 }));
    disk.truncate_file(&data_dir.journal_path(&id).unwrap(), 20).unwrap();
    assert!(matches!(data_dir.list_runs().unwrap()[0].status, RunStatus::Damaged(_)));
}

#[test]
fn the_real_disk_does_the_same() {
    let folder = tempfile::tempdir().unwrap();
    let data_dir = DataDir::new(folder.path().join("a").join("data"));
    let (mut held, told) = data_dir.lock_profile("Anna").unwrap();
    assert_eq!(told, []);
    let mut writer = begin(&mut held, u64::MAX);
    let id = writer.run_id().to_owned();
    writer.append(&result(0), true).unwrap();
    writer.replace_checkpoint(snapshot(1), engine::base::Digest::default()).unwrap();
    writer.append(&intent(1), false).unwrap();
    drop(writer);
    let path = data_dir.journal_path(&id).unwrap();
    let length = std::fs::metadata(&path).unwrap().len();
    data_dir.disk().truncate_file(&path, length - 3).unwrap();
    let resumed = open_run_for_writing(&data_dir, &id, ReadExtent::AfterCheckpoint).unwrap();
    assert_eq!(resumed.opened.header.seed, u64::MAX);
    assert!(resumed.opened.torn_line_note.is_some());
    let mut writer = resumed.writer.unwrap();
    writer.append_all(&[intent(1), result(1), ended()], true).unwrap();
    assert!(held.pay_run(&mut writer).unwrap().is_newly_paid);
    drop((held, writer));
    let (held, told) = data_dir.lock_profile("anna").unwrap();
    assert_eq!(told, []);
    assert_eq!(held.profile().game(GAME).data.get("experience"), Some(&Value::Int(40)));
    let mut names = data_dir.disk().list(&data_dir.run_folder(&id).unwrap()).unwrap();
    names.retain(|name| !name.starts_with("lock"));
    assert_eq!(names, ["checkpoint.json", "journal.damaged-1.jsonl", "journal.jsonl"]);
    let kept = data_dir.run_folder(&id).unwrap().join("journal.damaged-1.jsonl");
    assert_eq!(std::fs::metadata(kept).unwrap().len(), length - 3, "the original, to the byte");
}

#[test]
fn content_is_kept_once_and_known_by_its_digest() {
    let disk = FaultyDisk::new();
    let data_dir = open_data(&disk);
    let files = [("main.luau", crate::support::MINIMAL_GAME)];
    let source = &crate::support::mod_from_text(crate::support::GAME, &files);
    data_dir.store_content(source).unwrap();
    let used = disk.used();
    data_dir.store_content(source).unwrap();
    assert_eq!(disk.used(), used);
    let back = data_dir.load_content(source.digest).unwrap();
    assert_eq!((back.digest, &back.files), (source.digest, &source.files));
    let path = data_dir.root().join("content").join(format!("{}.json", source.digest));
    let mut bytes = disk.read(&path, u64::MAX).unwrap();
    let at = bytes.len() / 2;
    bytes[at] ^= 1;
    disk.write(&path, &bytes).unwrap();
    assert_eq!(data_dir.load_content(source.digest).unwrap_err().code, "content-damaged");
    data_dir.store_content(source).unwrap();
    assert!(data_dir.load_content(source.digest).is_ok(), "repaired, with the damaged one stored");
    assert_eq!(disk.list(&data_dir.root().join("content")).unwrap().len(), 2);
}
