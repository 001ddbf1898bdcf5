//! Journals are read in pieces: an opened run holds nothing of its entries, one line has a limit,
//! and a journal that another process changes is noticed.

use base::Value;
use protocol::{Input, StoryEvent};
use save::{DataDir, Disk, JournalEntry, ReadExtent, RunStatus, open_run_for_writing};
use session::{ReplayPlayer, RunContent, restore_run, resume_run, undo_to_step};

use super::{data_dir_on, intent_entry, write_run_of_two_steps};
use crate::support::disk::FaultyDisk;
use crate::support::memory_runs::{begin_run, choose};

const LINE_BYTES: usize = 16 * 1024 * 1024;

fn result_with_text(step: u64, text_bytes: usize) -> JournalEntry {
    let events = vec![StoryEvent::Say { text: "o".repeat(text_bytes) }.into()];
    JournalEntry::Result { step, events, changes: Default::default() }
}

/// The bytes of everything that a run holds, and more: its text for developers lists all of it.
fn held_bytes(data_dir: &DataDir, run_id: &str, extent: ReadExtent) -> usize {
    format!("{:?}", data_dir.open_run(run_id, extent).unwrap()).len()
}

#[test]
fn an_opened_run_holds_an_index_and_no_entries() {
    let disk = FaultyDisk::new();
    let id = write_run_of_two_steps(&disk);
    let data_dir = data_dir_on(&disk);
    let extents = [ReadExtent::AfterCheckpoint, ReadExtent::All];
    let before = extents.map(|extent| held_bytes(&data_dir, &id, extent));
    let mut writer =
        open_run_for_writing(&data_dir, &id, ReadExtent::AfterCheckpoint).unwrap().writer.unwrap();
    for step in 3..1_003 {
        writer.append_all(&[intent_entry(step), result_with_text(step, 8_000)], false).unwrap();
    }
    let length = disk.read_file(writer.path(), u64::MAX).unwrap().len();
    assert!(length > 8_000_000);
    for (extent, before) in extents.into_iter().zip(before) {
        let growth = held_bytes(&data_dir, &id, extent) - before;
        assert!(growth < 1_000 * 32, "{growth} bytes for 1000 steps, {extent:?}");
    }
}

#[test]
fn a_line_that_is_longer_than_a_step_writes_is_damage_and_costs_nothing_before() {
    let disk = FaultyDisk::new();
    let id = write_run_of_two_steps(&disk);
    let data_dir = data_dir_on(&disk);
    let path = data_dir.journal_path(&id).unwrap();
    let original = disk.read_file(&path, u64::MAX).unwrap();
    for line_break in ["\n", ""] {
        disk.write_file(&path, &original).unwrap();
        disk.append_to_file(&path, &vec![b'x'; 5 * LINE_BYTES]).unwrap();
        disk.append_to_file(&path, line_break.as_bytes()).unwrap();
        for extent in [ReadExtent::AfterCheckpoint, ReadExtent::All] {
            let opened_run = data_dir.open_run(&id, extent).unwrap();
            let damage = opened_run.damage.expect("a crash leaves no such line");
            assert!(damage.reason.contains("longer than"), "{}", damage.reason);
            assert_eq!(damage.last_valid_step, Some(2));
        }
        let runs = data_dir.list_runs().unwrap();
        assert!(runs[0].header.is_some(), "it is listed");
        assert!(matches!(&runs[0].status, RunStatus::Damaged(_)));
        let backups = data_dir.repair_run(&id).unwrap();
        assert_eq!(disk.read_file(&path, u64::MAX).unwrap(), original);
        assert!(disk.read_file(&backups[0], u64::MAX).unwrap().len() > 5 * LINE_BYTES);
    }
}

#[test]
fn a_checkpoint_that_is_too_long_is_not_read() {
    let disk = FaultyDisk::new();
    let id = write_run_of_two_steps(&disk);
    let data_dir = data_dir_on(&disk);
    let path = data_dir.journal_path(&id).unwrap().with_file_name("checkpoint.json");
    disk.write_file(&path, &vec![b'x'; 5 * LINE_BYTES]).unwrap();
    let opened_run = data_dir.open_run(&id, ReadExtent::AfterCheckpoint).unwrap();
    assert_eq!(opened_run.warnings[0].code, "too-large", "{}", opened_run.warnings[0]);
    assert_eq!(
        (opened_run.checkpoint.is_none(), opened_run.run_state.last_completed_step()),
        (true, Some(2))
    );
}

const DIG_SCRIPT: &str = r#"
start(function() state.dug = 0 go "shaft" end)
scene "shaft" {
  prompt = function() return { text = "Dig?", choices = { { id = "dig", label = "Dig" } } } end,
  on = { dig = function() state.dug += 1 say("Earth " .. state.dug) end },
}
"#;

/// A run of six steps, and a replay of it after the third.
fn watch_third_step(disk: &FaultyDisk) -> (DataDir, ReplayPlayer) {
    let data_dir = data_dir_on(disk);
    let content = RunContent {
        mods: crate::support::game_from_files(&[("main.luau", DIG_SCRIPT)]),
        settings: Value::map(),
    };
    let mut active_run = begin_run(&mut data_dir.lock_profile("Ada").unwrap().0, content, 7);
    (0..6).for_each(|_| drop(choose(&mut active_run.session, "dig")));
    drop(active_run);
    let mut replay = ReplayPlayer::open(&data_dir, "ada-0001").unwrap();
    replay.jump_to_step(3).unwrap();
    (data_dir, replay)
}

#[test]
fn a_journal_that_changes_while_it_is_watched_is_reported() {
    let path = "data/runs/ada-0001/journal.jsonl".as_ref();
    let (disk, uncut_disk) = (FaultyDisk::new(), FaultyDisk::new());
    let (_, mut replay) = watch_third_step(&disk);
    let original = disk.read_file(path, u64::MAX).unwrap();
    // Cut after the third step, between two lines or inside one.
    let third = original.windows(7).position(|text| text == b"Earth 3").unwrap();
    let end = third + original[third..].iter().position(|byte| *byte == b'\n').unwrap() + 1;
    for (cut, is_at_line) in [(end, true), (end + 20, false)] {
        disk.write_file(path, &original[..cut]).unwrap();
        replay.jump_to_step(3).unwrap();
        let mut behind = ReplayPlayer::open(&data_dir_on(&disk), "ada-0001").unwrap();
        disk.write_file(path, &original).unwrap();
        assert_eq!(behind.last_step_number(), 3, "{is_at_line}");
        behind.read_new_entries().unwrap();
        assert_eq!(behind.last_step_number(), 6);
        behind.jump_to_step(6).unwrap();
        assert_eq!(behind.story().len(), 12);
    }
    disk.write_file(path, &original[..end]).unwrap();
    // Entries that were read before the cut may be shown; a pass from the start reads the file
    // again.
    replay.jump_to_step(2).unwrap();
    assert!(replay.jump_to_step(6).is_err(), "the rest is gone");
    replay.read_new_entries().unwrap();
    assert_eq!((replay.current_step_number(), replay.last_step_number()), (3, 3));
    assert!(replay.advance_step().unwrap().is_none());
    // A flipped bit of an entry that was checked when the run was opened.
    let (_, mut replay) = watch_third_step(&uncut_disk);
    let mut flipped = original.clone();
    let fifth = original.windows(7).position(|text| text == b"Earth 5").unwrap();
    flipped[fifth] ^= 1;
    uncut_disk.write_file(path, &flipped).unwrap();
    replay.jump_to_step(2).unwrap();
    replay.jump_to_step(4).unwrap();
    let problem = replay.advance_step().err().expect("a digest does not fit");
    assert_eq!(problem.code, "journal-damaged");
}

#[test]
fn steps_that_are_undone_while_they_are_watched_are_left() {
    let disk = FaultyDisk::new();
    let (data_dir, mut replay) = watch_third_step(&disk);
    let mut session = resume_run(&data_dir, "ada-0001", None).unwrap().session;
    let play = |session: &mut session::Session| {
        session.answer_prompt(&Input::Choice("dig".to_owned())).unwrap();
    };
    undo_to_step(&data_dir, &mut session, 4).unwrap();
    play(&mut session);
    replay.read_new_entries().unwrap();
    assert_eq!((replay.current_step_number(), replay.last_step_number()), (3, 5));
    undo_to_step(&data_dir, &mut session, 1).unwrap();
    for _ in 0..3 {
        play(&mut session);
    }
    undo_to_step(&data_dir, &mut session, 3).unwrap();
    let digest = session.digest();
    drop(session);
    replay.read_new_entries().unwrap();
    assert_eq!((replay.current_step_number(), replay.last_step_number()), (3, 3));
    assert_eq!(replay.world().digest(), digest);
    assert_eq!(restore_run(&data_dir, "ada-0001", None).unwrap().world.digest(), digest);
    assert_eq!(restore_run(&data_dir, "ada-0001", Some(1)).unwrap().step(), 1);
    let opened_run = data_dir.open_run("ada-0001", ReadExtent::All).unwrap();
    let mut entries = opened_run.effective_entries(u64::MAX);
    let mut steps = Vec::new();
    while let Some((_, entry)) = entries.next_entry().unwrap() {
        steps.extend(entry.completed_step());
    }
    assert_eq!(steps, [0, 1, 2, 3]);
}
