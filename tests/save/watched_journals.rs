//! A journal that another process changes while it is watched is noticed.

use base::Value;
use protocol::Input;
use save::{DataDir, Disk, ReadExtent};
use session::{ReplayPlayer, RunContent, restore_run, resume_run, undo_to_step};

use super::data_dir_on;
use crate::support::disk::FaultyDisk;
use crate::support::memory_runs::{begin_run, choose};

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
