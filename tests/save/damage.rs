//! Every kind of damage to a small journal and its checkpoint.

use engine::base::Digest;
use engine::protocol::StoryEvent;
use engine::save::{Disk, JournalEntry, ReadExtent, open_run_for_writing};

use super::{codes, intent, open_data, result, two_steps};
use crate::support::disk::FaultyDisk;

struct SmallRun {
    disk: FaultyDisk,
    id: String,
    path: std::path::PathBuf,
    bytes: Vec<u8>,
    checkpoint: std::path::PathBuf,
}

fn small_run() -> SmallRun {
    let disk = FaultyDisk::new();
    let id = two_steps(&disk);
    let path = open_data(&disk).journal_path(&id).unwrap();
    let bytes = disk.read(&path, u64::MAX).unwrap();
    let checkpoint = path.with_file_name("checkpoint.json");
    SmallRun { disk, id, path, bytes, checkpoint }
}

/// The end of each line.
fn line_ends(bytes: &[u8]) -> Vec<usize> {
    (1..=bytes.len()).filter(|end| bytes[end - 1] == b'\n').collect()
}

/// A reader by lines reads the same and stops at the same damage.
fn line_by_line(small: &SmallRun) {
    let data_dir = open_data(&small.disk);
    let all = data_dir.open(&small.id, ReadExtent::All);
    match (all, data_dir.stream_journal(&small.id)) {
        (Err(one), Err(other)) => assert_eq!(one, other),
        // The first line is repaired for a writer; a reader gets the Problem.
        (Ok(all), Err(told)) => {
            assert_eq!((all.damage.unwrap().line, told.code.as_str()), (1, "journal-damaged"));
        }
        (Ok(all), Ok(whole)) => {
            let mut entries = whole.entries().unwrap();
            assert!(entries.by_ref().eq(all.entries));
            assert_eq!(entries.next(), None, "nothing stands behind their end");
            match (entries.finish(), all.damage) {
                (Err(told), Some(damage)) => assert_eq!(told, damage.problem),
                (Ok(told), None) => assert_eq!(told, all.torn_line_note),
                (told, damage) => panic!("{told:?} and {damage:?}"),
            }
        }
        _ => panic!("only one of two readers reads it"),
    }
}

/// A peek reports what opening the run finds, except for damage before the checkpoint.
fn assert_peek_matches_open(small: &SmallRun, checkpointed: u64) {
    let data_dir = open_data(&small.disk);
    let Ok(opened) = data_dir.open(&small.id, ReadExtent::AfterCheckpoint) else {
        return assert_eq!(data_dir.peek(&small.id).unwrap_err().code, "journal-damaged");
    };
    let glance = data_dir.peek(&small.id).unwrap().unwrap();
    assert_eq!(glance.header, opened.header);
    match opened.damage {
        Some(damage) if damage.line <= checkpointed => {}
        damage => {
            assert_eq!((glance.damaged, glance.run_state), (damage.is_some(), opened.run_state));
        }
    }
}

/// A paid run is read from its first line.
#[test]
fn damage_of_an_ended_run_is_detected_by_a_peek() {
    let small = small_run();
    let mut writer =
        open_run_for_writing(&open_data(&small.disk), &small.id, ReadExtent::AfterCheckpoint)
            .unwrap()
            .writer
            .unwrap();
    writer.append(&super::ended(), true).unwrap();
    let glance = || open_data(&small.disk).peek(&small.id).unwrap().unwrap();
    assert!(glance().run_state.ended.is_some() && !glance().damaged);
    let mut bytes = small.disk.read(&small.path, u64::MAX).unwrap();
    bytes[line_ends(&small.bytes)[1] + 40] ^= 1;
    small.disk.write(&small.path, &bytes).unwrap();
    assert!(glance().damaged);
}

#[test]
fn every_flipped_bit_of_a_journal_is_noticed_and_its_line_named() {
    let small = small_run();
    let ends = line_ends(&small.bytes);
    for at in 0..small.bytes.len() {
        let line = ends.iter().filter(|end| **end <= at).count() as u64 + 1;
        for bit in 0..8 {
            let mut bytes = small.bytes.clone();
            bytes[at] ^= 1 << bit;
            small.disk.write(&small.path, &bytes).unwrap();
            line_by_line(&small);
            if bit == at % 8 {
                assert_peek_matches_open(&small, 4);
            }
            match open_data(&small.disk).open(&small.id, ReadExtent::AfterCheckpoint) {
                Err(problem) => {
                    assert_eq!((line, problem.code.as_str()), (1, "journal-damaged"));
                }
                Ok(opened) => {
                    let damage = opened.damage.expect("noticed");
                    assert_eq!(damage.line, line, "byte {at}, bit {bit}: {}", damage.reason);
                    let good = match line {
                        1 => Some(2),
                        2 => None,
                        3 | 4 => Some(0),
                        _ => Some(1),
                    };
                    assert_eq!(damage.last_good_step, good);
                }
            }
        }
    }
}

/// Lines are read in blocks: neither the position of a line break nor a line longer than a block
/// may matter.
#[test]
fn lines_of_every_length_are_read_across_blocks() {
    let small = small_run();
    let mut writer =
        open_run_for_writing(&open_data(&small.disk), &small.id, ReadExtent::AfterCheckpoint)
            .unwrap()
            .writer
            .unwrap();
    let lengths = [100, 65_000, 1, 70_000, 300_000, 131_072, 17, 64_000, 1_500, 400];
    let before = small.bytes.len();
    for (step, length) in (3..).zip(lengths) {
        let events = vec![StoryEvent::Say { text: "o".repeat(length) }];
        let told = JournalEntry::Result {
            step,
            digest: Digest::default(),
            events,
            changes: Default::default(),
        };
        writer.append_all(&[intent(step), told], true).unwrap();
    }
    let long = small.disk.read(&small.path, u64::MAX).unwrap();
    // Puts line breaks before, on and after the end of a block.
    let near = |at: &usize| (at % 65_536).abs_diff(32_768) > 32_766;
    let cuts = (before..long.len()).filter(near).chain(line_ends(&long)).collect::<Vec<_>>();
    assert!(cuts.len() > 40);
    for cut in cuts {
        small.disk.write(&small.path, &long[..cut]).unwrap();
        line_by_line(&small);
        let mut bytes = long.clone();
        bytes[cut.min(long.len() - 1)] ^= 0x20;
        small.disk.write(&small.path, &bytes).unwrap();
        line_by_line(&small);
    }
}

#[test]
fn every_flipped_bit_of_a_checkpoint_is_noticed_and_costs_nothing() {
    let small = small_run();
    let whole = small.disk.read(&small.checkpoint, u64::MAX).unwrap();
    for at in 0..whole.len() {
        for bit in 0..8 {
            let mut bytes = whole.clone();
            bytes[at] ^= 1 << bit;
            small.disk.write(&small.checkpoint, &bytes).unwrap();
            let opened =
                open_data(&small.disk).open(&small.id, ReadExtent::AfterCheckpoint).unwrap();
            assert_eq!(codes(&opened.notes), ["checkpoint-damaged"], "byte {at}, bit {bit}");
            assert_peek_matches_open(&small, 0);
            assert!(opened.checkpoint.is_none() && opened.damage.is_none());
            assert_eq!(opened.entries.len(), 5, "all of it, to be played again");
        }
    }
    let resumed =
        open_run_for_writing(&open_data(&small.disk), &small.id, ReadExtent::AfterCheckpoint)
            .unwrap();
    assert_eq!(resumed.backups.len(), 1, "backed up before another replaces it");
    assert!(!small.disk.exists(&small.checkpoint).unwrap());
}

#[test]
fn every_cut_is_told_as_a_crash_or_as_damage() {
    let small = small_run();
    let ends = line_ends(&small.bytes);
    let checkpointed = ends[3];
    for length in 0..small.bytes.len() {
        small.disk.write(&small.path, &small.bytes[..length]).unwrap();
        line_by_line(&small);
        assert_peek_matches_open(&small, 0);
        let opened = match open_data(&small.disk).open(&small.id, ReadExtent::AfterCheckpoint) {
            Err(problem) => {
                assert!(length < ends[0], "{problem}");
                continue;
            }
            Ok(opened) => opened,
        };
        let whole_line = ends.contains(&length);
        if length < checkpointed {
            let damage = opened.damage.expect("a synced line is gone");
            assert_eq!(damage.line, ends.iter().filter(|end| **end <= length).count() as u64 + 1);
        } else {
            assert!(opened.damage.is_none());
            assert_eq!(opened.torn_line_note.is_some(), !whole_line, "cut at {length}");
            assert!(opened.checkpoint.is_some());
        }
    }
}

#[test]
fn a_torn_line_is_cut_off_and_the_original_kept() {
    let small = small_run();
    let ends = line_ends(&small.bytes);
    for length in ends[4] + 1..ends[5] {
        let disk = FaultyDisk::new();
        let id = two_steps(&disk);
        disk.truncate_file(&small.path, length as u64).unwrap();
        let resumed =
            open_run_for_writing(&open_data(&disk), &id, ReadExtent::AfterCheckpoint).unwrap();
        assert_eq!(disk.read(&resumed.backups[0], u64::MAX).unwrap(), &small.bytes[..length]);
        assert_eq!(resumed.opened.run_state.pending.as_ref().unwrap().step, 2);
        resumed.writer.unwrap().append(&result(2), true).unwrap();
        assert_eq!(disk.read(&small.path, u64::MAX).unwrap(), small.bytes, "as if nothing was");
    }
}

#[test]
fn lines_swapped_spliced_doubled_or_zeroed_are_noticed() {
    let small = small_run();
    let ends = line_ends(&small.bytes);
    let lines: Vec<&[u8]> = small.bytes.split_inclusive(|byte| *byte == b'\n').collect();
    let mut other = two_steps_of_another_run();
    let mut cases: Vec<(&str, Vec<u8>, u64)> = vec![
        ("swapped", [lines[0], lines[2], lines[1], lines[3], lines[4], lines[5]].concat(), 2),
        ("doubled", [lines[0], lines[1], lines[1], lines[2], lines[3], lines[4]].concat(), 3),
        ("left out", [lines[0], lines[1], lines[3], lines[4], lines[5]].concat(), 3),
        ("appended", [&small.bytes[..], b"{}\n"].concat(), 7),
        ("an empty line", [&small.bytes[..], b"\n"].concat(), 7),
    ];
    other.splice(..ends[0], small.bytes[..ends[0]].iter().copied());
    cases.push(("spliced", other, 2));
    let mut zeroed = small.bytes.clone();
    zeroed[ends[1] + 8..ends[1] + 64].fill(0);
    cases.push(("zeroed", zeroed, 3));
    for (name, bytes, line) in cases {
        small.disk.write(&small.path, &bytes).unwrap();
        let opened = open_data(&small.disk).open(&small.id, ReadExtent::AfterCheckpoint).unwrap();
        assert_eq!(opened.damage.unwrap_or_else(|| panic!("{name} passed")).line, line, "{name}");
    }
    let mut zeroed = small.bytes.clone();
    zeroed[ends[4] + 8..ends[5] - 1].fill(0);
    small.disk.write(&small.path, &zeroed).unwrap();
    let opened = open_data(&small.disk).open(&small.id, ReadExtent::AfterCheckpoint).unwrap();
    assert!(
        opened.damage.is_none() && opened.torn_line_note.is_some(),
        "zeros at the end: a crash"
    );
}

fn two_steps_of_another_run() -> Vec<u8> {
    let disk = FaultyDisk::new();
    let (mut held, _) = open_data(&disk).lock_profile("Anna").unwrap();
    let mut writer = super::begin(&mut held, 8);
    writer.append_all(&[result(0), intent(1), result(1)], true).unwrap();
    writer.append_all(&[intent(2), result(2), intent(3), result(3)], true).unwrap();
    disk.read(writer.path(), u64::MAX).unwrap()
}

#[test]
fn a_damaged_run_can_be_watched_repaired_and_continued() {
    let small = small_run();
    let data_dir = open_data(&small.disk);
    let mut bytes = small.bytes.clone();
    bytes[line_ends(&small.bytes)[2] + 60] ^= 4;
    small.disk.write(&small.path, &bytes).unwrap();
    let resumed = open_run_for_writing(&data_dir, &small.id, ReadExtent::AfterCheckpoint).unwrap();
    assert!(resumed.writer.is_none());
    assert_eq!(resumed.opened.entries.len(), 2, "the undamaged part can be read");
    let kept = data_dir.repair_run(&small.id).unwrap();
    assert_eq!(kept.len(), 2, "journal and checkpoint");
    assert_eq!(small.disk.read(&kept[0], u64::MAX).unwrap(), bytes);
    assert!(data_dir.repair_run(&small.id).unwrap().is_empty(), "whole now");
    let resumed = open_run_for_writing(&data_dir, &small.id, ReadExtent::AfterCheckpoint).unwrap();
    assert_eq!(resumed.opened.run_state.last_step(), Some(0));
    let mut writer = resumed.writer.unwrap();
    writer.append(&result(1), true).unwrap();
}

#[test]
fn a_checkpoint_of_another_run_or_time_is_not_used() {
    let small = small_run();
    let other = FaultyDisk::new();
    let id = two_steps(&other);
    let (mut held, _) = open_data(&other).lock_profile("Bela").unwrap();
    let mut writer = super::begin(&mut held, 7);
    writer.append(&result(0), true).unwrap();
    writer.replace_checkpoint(super::snapshot(7), engine::base::Digest::default()).unwrap();
    let path =
        open_data(&other).journal_path(writer.run_id()).unwrap().with_file_name("checkpoint.json");
    let foreign = other.read(&path, u64::MAX).unwrap();
    small.disk.write(&small.checkpoint, &foreign).unwrap();
    let opened = open_data(&small.disk).open(&small.id, ReadExtent::AfterCheckpoint).unwrap();
    assert_eq!(codes(&opened.notes), ["checkpoint-damaged"]);
    // The same run on another disk with another journal: same id, other chain.
    let (mut held, _) = open_data(&other).lock_profile("Anna").unwrap();
    let mut writer = open_run_for_writing(&open_data(&other), &id, ReadExtent::AfterCheckpoint)
        .unwrap()
        .writer
        .unwrap();
    writer.append(&super::ended(), true).unwrap();
    held.pay_run(&mut writer).unwrap();
    let third = FaultyDisk::new();
    let (mut held, _) = open_data(&third).lock_profile("Anna").unwrap();
    let mut writer = super::begin(&mut held, 9);
    writer.append(&result(0), true).unwrap();
    writer.replace_checkpoint(super::snapshot(9), engine::base::Digest::default()).unwrap();
    let foreign = third.read(&small.checkpoint, u64::MAX).unwrap();
    small.disk.write(&small.checkpoint, &foreign).unwrap();
    let opened = open_data(&small.disk).open(&small.id, ReadExtent::AfterCheckpoint).unwrap();
    assert_eq!(codes(&opened.notes), ["checkpoint-foreign"]);
    assert!(opened.checkpoint.is_none() && opened.damage.is_none());
}

#[test]
fn deep_and_strange_files_do_no_harm() {
    let small = small_run();
    for bytes in [
        b"".to_vec(),
        b"\n".to_vec(),
        vec![b'['; 100_000],
        vec![0; 100_000],
        vec![0xff; 1000],
        b"{\"chain\":\"".to_vec(),
        br#"{"chain":"00000000000000000000000000000000","entry":}"#.to_vec(),
    ] {
        small.disk.write(&small.path, &bytes).unwrap();
        // Only the content of the checkpoint is left.
        let opened = open_data(&small.disk).open(&small.id, ReadExtent::AfterCheckpoint).unwrap();
        let damage = opened.damage.unwrap();
        assert_eq!(
            (damage.line, damage.last_good_step, damage.step_after_damage),
            (1, None, Some(1))
        );
        let away = small.checkpoint.with_extension("away");
        small.disk.rename(&small.checkpoint, &away).unwrap();
        assert!(open_data(&small.disk).open(&small.id, ReadExtent::AfterCheckpoint).is_err());
        small.disk.rename(&away, &small.checkpoint).unwrap();
        let checkpoint = small.disk.read(&small.checkpoint, u64::MAX).unwrap();
        small.disk.write(&small.checkpoint, &bytes).unwrap();
        small.disk.write(&small.path, &small.bytes).unwrap();
        let opened = open_data(&small.disk).open(&small.id, ReadExtent::AfterCheckpoint).unwrap();
        assert_eq!(codes(&opened.notes), ["checkpoint-damaged"]);
        small.disk.write(&small.checkpoint, &checkpoint).unwrap();
    }
    for id in ["../anna-0001", "", "con:", "a/b", "C:\\x", "ANNA-0001", "."] {
        assert_eq!(
            open_data(&small.disk).open(id, ReadExtent::AfterCheckpoint).unwrap_err().code,
            "bad-name"
        );
    }
}
