//! Every kind of damage to a small journal and its checkpoint.

use protocol::StoryEvent;
use save::{Disk, JournalEntry, ReadExtent, open_run_for_writing};

use super::{
    data_dir_on, intent_entry, open_writer, problem_codes, result_entry, write_run_of_two_steps,
};
use crate::support::disk::FaultyDisk;

struct SmallRun {
    disk: FaultyDisk,
    id: String,
    path: std::path::PathBuf,
    bytes: Vec<u8>,
    checkpoint: std::path::PathBuf,
}

fn write_small_run() -> SmallRun {
    let disk = FaultyDisk::new();
    let id = write_run_of_two_steps(&disk);
    let path = data_dir_on(&disk).journal_path(&id).unwrap();
    let bytes = disk.read_file(&path, u64::MAX).unwrap();
    let checkpoint = path.with_file_name("checkpoint.json");
    SmallRun { disk, id, path, bytes, checkpoint }
}

/// The end of each line.
fn line_ends(bytes: &[u8]) -> Vec<usize> {
    (1..=bytes.len()).filter(|end| bytes[end - 1] == b'\n').collect()
}

/// A reader by lines reads the same and stops at the same damage.
fn assert_stream_matches_open(run: &SmallRun) {
    let data_dir = data_dir_on(&run.disk);
    let open_result = data_dir.open_run(&run.id, ReadExtent::All);
    match (open_result, data_dir.stream_journal(&run.id)) {
        (Err(first_problem), Err(second_problem)) => assert_eq!(first_problem, second_problem),
        // The first line is repaired for a writer; a reader gets the Problem.
        (Ok(opened_run), Err(problem)) => {
            assert_eq!(
                (opened_run.damage.unwrap().line, problem.code.as_str()),
                (1, "journal-damaged")
            );
        }
        (Ok(opened_run), Ok(stream)) => {
            let mut entries = stream.entries();
            assert!(entries.by_ref().eq(opened_run.entries()));
            assert_eq!(entries.next(), None, "nothing stands behind their end");
            match (entries.finish(), opened_run.damage) {
                (Err(stream_problem), Some(damage)) => assert_eq!(stream_problem, damage.problem),
                (Ok(torn_line_note), None) => assert_eq!(torn_line_note, opened_run.torn_line_note),
                (stream_result, damage) => panic!("{stream_result:?} and {damage:?}"),
            }
        }
        _ => panic!("only one of two readers reads it"),
    }
}

/// A peek reports what opening the run finds, except for damage before the checkpoint.
fn assert_peek_matches_open(run: &SmallRun, checkpoint_line: u64) {
    let data_dir = data_dir_on(&run.disk);
    let Ok(opened_run) = data_dir.open_run(&run.id, ReadExtent::AfterCheckpoint) else {
        return assert_eq!(data_dir.peek_run(&run.id).unwrap_err().code, "journal-damaged");
    };
    let peeked_run = data_dir.peek_run(&run.id).unwrap().unwrap();
    assert_eq!(peeked_run.header, *opened_run.header);
    match opened_run.damage {
        Some(damage) if damage.line <= checkpoint_line => {}
        damage => {
            assert_eq!(
                (peeked_run.is_damaged, peeked_run.run_state),
                (damage.is_some(), opened_run.run_state)
            );
        }
    }
}

/// A paid run is read from its first line.
#[test]
fn damage_of_an_ended_run_is_detected_by_a_peek() {
    let run = write_small_run();
    let mut writer = open_writer(&data_dir_on(&run.disk), &run.id);
    writer.append(&super::ended_entry(), true).unwrap();
    let peek = || data_dir_on(&run.disk).peek_run(&run.id).unwrap().unwrap();
    assert!(peek().run_state.run_ending.is_some() && !peek().is_damaged);
    let mut bytes = run.disk.read_file(&run.path, u64::MAX).unwrap();
    bytes[line_ends(&run.bytes)[1] + 40] ^= 1;
    run.disk.write_file(&run.path, &bytes).unwrap();
    assert!(peek().is_damaged);
}

#[test]
fn each_flipped_bit_of_a_journal_is_detected_with_its_line() {
    let run = write_small_run();
    let ends = line_ends(&run.bytes);
    for offset in 0..run.bytes.len() {
        let line = ends.iter().filter(|end| **end <= offset).count() as u64 + 1;
        for bit in 0..8 {
            let mut bytes = run.bytes.clone();
            bytes[offset] ^= 1 << bit;
            run.disk.write_file(&run.path, &bytes).unwrap();
            assert_stream_matches_open(&run);
            if bit == offset % 8 {
                assert_peek_matches_open(&run, 4);
            }
            match data_dir_on(&run.disk).open_run(&run.id, ReadExtent::AfterCheckpoint) {
                Err(problem) => {
                    assert_eq!((line, problem.code.as_str()), (1, "journal-damaged"));
                }
                Ok(opened_run) => {
                    let damage = opened_run.damage.expect("noticed");
                    assert_eq!(damage.line, line, "byte {offset}, bit {bit}: {}", damage.reason);
                    let last_good_step = match line {
                        1 => Some(2),
                        2 => None,
                        3 | 4 => Some(0),
                        _ => Some(1),
                    };
                    assert_eq!(damage.last_valid_step, last_good_step);
                }
            }
        }
    }
}

/// Lines are read in blocks: neither the position of a line break nor a line longer than a block
/// may matter.
#[test]
fn lines_of_every_length_are_read_across_blocks() {
    let run = write_small_run();
    let mut writer = open_writer(&data_dir_on(&run.disk), &run.id);
    let text_lengths = [100, 65_000, 1, 70_000, 300_000, 131_072, 17, 64_000, 1_500, 400];
    let old_length = run.bytes.len();
    for (step, length) in (3..).zip(text_lengths) {
        let events = vec![StoryEvent::Say { text: "o".repeat(length) }.into()];
        let result_with_text = JournalEntry::Result { step, events, changes: Default::default() };
        writer.append_all(&[intent_entry(step), result_with_text], true).unwrap();
    }
    let long_journal = run.disk.read_file(&run.path, u64::MAX).unwrap();
    // Puts line breaks before, on and after the end of a block.
    let is_near_block_end = |offset: &usize| (offset % 65_536).abs_diff(32_768) > 32_766;
    let cut_positions = (old_length..long_journal.len())
        .filter(is_near_block_end)
        .chain(line_ends(&long_journal))
        .collect::<Vec<_>>();
    assert!(cut_positions.len() > 40);
    for cut_position in cut_positions {
        run.disk.write_file(&run.path, &long_journal[..cut_position]).unwrap();
        assert_stream_matches_open(&run);
        let mut bytes = long_journal.clone();
        bytes[cut_position.min(long_journal.len() - 1)] ^= 0x20;
        run.disk.write_file(&run.path, &bytes).unwrap();
        assert_stream_matches_open(&run);
    }
}

#[test]
fn each_flipped_bit_of_a_checkpoint_is_detected_without_loss() {
    let run = write_small_run();
    let original = run.disk.read_file(&run.checkpoint, u64::MAX).unwrap();
    for offset in 0..original.len() {
        for bit in 0..8 {
            let mut bytes = original.clone();
            bytes[offset] ^= 1 << bit;
            run.disk.write_file(&run.checkpoint, &bytes).unwrap();
            let opened_run =
                data_dir_on(&run.disk).open_run(&run.id, ReadExtent::AfterCheckpoint).unwrap();
            assert_eq!(
                problem_codes(&opened_run.warnings),
                ["checkpoint-damaged"],
                "byte {offset}, bit {bit}"
            );
            assert_peek_matches_open(&run, 0);
            assert!(opened_run.checkpoint.is_none() && opened_run.damage.is_none());
            assert_eq!(opened_run.entries().count(), 5, "all of it, to be played again");
        }
    }
    let writable_run =
        open_run_for_writing(&data_dir_on(&run.disk), &run.id, ReadExtent::AfterCheckpoint)
            .unwrap();
    assert_eq!(writable_run.backups.len(), 1, "backed up before another replaces it");
    assert!(!run.disk.exists(&run.checkpoint).unwrap());
}

#[test]
fn every_cut_is_reported_as_crash_or_damage() {
    let run = write_small_run();
    let ends = line_ends(&run.bytes);
    let checkpoint_end = ends[3];
    for length in 0..run.bytes.len() {
        run.disk.write_file(&run.path, &run.bytes[..length]).unwrap();
        assert_stream_matches_open(&run);
        assert_peek_matches_open(&run, 0);
        let opened_run = match data_dir_on(&run.disk).open_run(&run.id, ReadExtent::AfterCheckpoint)
        {
            Err(problem) => {
                assert!(length < ends[0], "{problem}");
                continue;
            }
            Ok(opened_run) => opened_run,
        };
        let ends_with_whole_line = ends.contains(&length);
        if length < checkpoint_end {
            let damage = opened_run.damage.expect("a synced line is gone");
            assert_eq!(damage.line, ends.iter().filter(|end| **end <= length).count() as u64 + 1);
        } else {
            assert!(opened_run.damage.is_none());
            assert_eq!(
                opened_run.torn_line_note.is_some(),
                !ends_with_whole_line,
                "cut at {length}"
            );
            assert!(opened_run.checkpoint.is_some());
        }
    }
}

#[test]
fn a_torn_line_is_removed_and_the_original_backed_up() {
    let run = write_small_run();
    let ends = line_ends(&run.bytes);
    for length in ends[4] + 1..ends[5] {
        let disk = FaultyDisk::new();
        let id = write_run_of_two_steps(&disk);
        disk.truncate_file(&run.path, length as u64).unwrap();
        let writable_run =
            open_run_for_writing(&data_dir_on(&disk), &id, ReadExtent::AfterCheckpoint).unwrap();
        assert_eq!(
            disk.read_file(&writable_run.backups[0], u64::MAX).unwrap(),
            &run.bytes[..length]
        );
        assert_eq!(writable_run.loaded_journal.run_state.pending_step.as_ref().unwrap().step, 2);
        writable_run.writer.unwrap().append(&result_entry(2), true).unwrap();
        assert_eq!(disk.read_file(&run.path, u64::MAX).unwrap(), run.bytes, "as if nothing was");
    }
}

#[test]
fn swapped_spliced_doubled_or_zeroed_lines_are_detected() {
    let run = write_small_run();
    let ends = line_ends(&run.bytes);
    let lines: Vec<&[u8]> = run.bytes.split_inclusive(|byte| *byte == b'\n').collect();
    let mut spliced_journal = journal_of_another_run();
    let mut cases: Vec<(&str, Vec<u8>, u64)> = vec![
        ("swapped", [lines[0], lines[2], lines[1], lines[3], lines[4], lines[5]].concat(), 2),
        ("doubled", [lines[0], lines[1], lines[1], lines[2], lines[3], lines[4]].concat(), 3),
        ("left out", [lines[0], lines[1], lines[3], lines[4], lines[5]].concat(), 3),
        ("appended", [&run.bytes[..], b"{}\n"].concat(), 7),
        ("an empty line", [&run.bytes[..], b"\n"].concat(), 7),
    ];
    spliced_journal.splice(..ends[0], run.bytes[..ends[0]].iter().copied());
    cases.push(("spliced", spliced_journal, 2));
    let mut zeroed_line = run.bytes.clone();
    zeroed_line[ends[1] + 8..ends[1] + 64].fill(0);
    cases.push(("zeroed", zeroed_line, 3));
    for (name, bytes, line) in cases {
        run.disk.write_file(&run.path, &bytes).unwrap();
        let opened_run =
            data_dir_on(&run.disk).open_run(&run.id, ReadExtent::AfterCheckpoint).unwrap();
        assert_eq!(
            opened_run.damage.unwrap_or_else(|| panic!("{name} passed")).line,
            line,
            "{name}"
        );
    }
    let mut zeroed_last_line = run.bytes.clone();
    zeroed_last_line[ends[4] + 8..ends[5] - 1].fill(0);
    run.disk.write_file(&run.path, &zeroed_last_line).unwrap();
    let opened_run = data_dir_on(&run.disk).open_run(&run.id, ReadExtent::AfterCheckpoint).unwrap();
    assert!(
        opened_run.damage.is_none() && opened_run.torn_line_note.is_some(),
        "zeros at the end: a crash"
    );
}

fn journal_of_another_run() -> Vec<u8> {
    let disk = FaultyDisk::new();
    let (mut locked_profile, _) = data_dir_on(&disk).lock_profile("Anna").unwrap();
    let mut writer = super::begin_run(&mut locked_profile, 8);
    writer.append_all(&[result_entry(0), intent_entry(1), result_entry(1)], true).unwrap();
    writer
        .append_all(&[intent_entry(2), result_entry(2), intent_entry(3), result_entry(3)], true)
        .unwrap();
    disk.read_file(writer.path(), u64::MAX).unwrap()
}

#[test]
fn a_damaged_run_can_be_watched_repaired_and_continued() {
    let run = write_small_run();
    let data_dir = data_dir_on(&run.disk);
    let mut bytes = run.bytes.clone();
    bytes[line_ends(&run.bytes)[2] + 60] ^= 4;
    run.disk.write_file(&run.path, &bytes).unwrap();
    let writable_run =
        open_run_for_writing(&data_dir, &run.id, ReadExtent::AfterCheckpoint).unwrap();
    assert!(writable_run.writer.is_none());
    assert_eq!(writable_run.loaded_journal.entries().count(), 2, "the undamaged part can be read");
    let backups = data_dir.repair_run(&run.id).unwrap();
    assert_eq!(backups.len(), 2, "journal and checkpoint");
    assert_eq!(run.disk.read_file(&backups[0], u64::MAX).unwrap(), bytes);
    assert!(data_dir.repair_run(&run.id).unwrap().is_empty(), "whole now");
    let writable_run =
        open_run_for_writing(&data_dir, &run.id, ReadExtent::AfterCheckpoint).unwrap();
    assert_eq!(writable_run.loaded_journal.run_state.last_completed_step(), Some(0));
    let mut writer = writable_run.writer.unwrap();
    writer.append(&result_entry(1), true).unwrap();
}

#[test]
fn a_checkpoint_of_another_run_or_time_is_not_used() {
    let run = write_small_run();
    let other_disk = FaultyDisk::new();
    let id = write_run_of_two_steps(&other_disk);
    let (mut locked_profile, _) = data_dir_on(&other_disk).lock_profile("Bela").unwrap();
    let mut writer = super::begin_run(&mut locked_profile, 7);
    writer.append(&result_entry(0), true).unwrap();
    writer.replace_checkpoint(super::world_snapshot(7), base::Digest::default()).unwrap();
    let path = data_dir_on(&other_disk)
        .journal_path(writer.run_id())
        .unwrap()
        .with_file_name("checkpoint.json");
    let foreign_checkpoint = other_disk.read_file(&path, u64::MAX).unwrap();
    run.disk.write_file(&run.checkpoint, &foreign_checkpoint).unwrap();
    let opened_run = data_dir_on(&run.disk).open_run(&run.id, ReadExtent::AfterCheckpoint).unwrap();
    assert_eq!(problem_codes(&opened_run.warnings), ["checkpoint-damaged"]);
    // The same run on another disk with another journal: same id, other chain.
    let (mut locked_profile, _) = data_dir_on(&other_disk).lock_profile("Anna").unwrap();
    let mut writer = open_writer(&data_dir_on(&other_disk), &id);
    writer.append(&super::ended_entry(), true).unwrap();
    locked_profile.pay_run(&mut writer).unwrap();
    let third_disk = FaultyDisk::new();
    let (mut locked_profile, _) = data_dir_on(&third_disk).lock_profile("Anna").unwrap();
    let mut writer = super::begin_run(&mut locked_profile, 9);
    writer.append(&result_entry(0), true).unwrap();
    writer.replace_checkpoint(super::world_snapshot(9), base::Digest::default()).unwrap();
    let foreign_checkpoint = third_disk.read_file(&run.checkpoint, u64::MAX).unwrap();
    run.disk.write_file(&run.checkpoint, &foreign_checkpoint).unwrap();
    let opened_run = data_dir_on(&run.disk).open_run(&run.id, ReadExtent::AfterCheckpoint).unwrap();
    assert_eq!(problem_codes(&opened_run.warnings), ["checkpoint-foreign"]);
    assert!(opened_run.checkpoint.is_none() && opened_run.damage.is_none());
}

#[test]
fn deep_and_malformed_files_do_no_harm() {
    let run = write_small_run();
    for bytes in [
        b"".to_vec(),
        b"\n".to_vec(),
        vec![b'['; 100_000],
        vec![0; 100_000],
        vec![0xff; 1000],
        b"{\"chain\":\"".to_vec(),
        br#"{"chain":"00000000000000000000000000000000","entry":}"#.to_vec(),
    ] {
        run.disk.write_file(&run.path, &bytes).unwrap();
        // Only the content of the checkpoint is left.
        let opened_run =
            data_dir_on(&run.disk).open_run(&run.id, ReadExtent::AfterCheckpoint).unwrap();
        let damage = opened_run.damage.unwrap();
        assert_eq!(
            (damage.line, damage.last_valid_step, damage.last_salvaged_step),
            (1, None, Some(1))
        );
        let moved_checkpoint = run.checkpoint.with_extension("away");
        run.disk.rename(&run.checkpoint, &moved_checkpoint).unwrap();
        assert!(data_dir_on(&run.disk).open_run(&run.id, ReadExtent::AfterCheckpoint).is_err());
        run.disk.rename(&moved_checkpoint, &run.checkpoint).unwrap();
        let checkpoint = run.disk.read_file(&run.checkpoint, u64::MAX).unwrap();
        run.disk.write_file(&run.checkpoint, &bytes).unwrap();
        run.disk.write_file(&run.path, &run.bytes).unwrap();
        let opened_run =
            data_dir_on(&run.disk).open_run(&run.id, ReadExtent::AfterCheckpoint).unwrap();
        assert_eq!(problem_codes(&opened_run.warnings), ["checkpoint-damaged"]);
        run.disk.write_file(&run.checkpoint, &checkpoint).unwrap();
    }
    for id in ["../anna-0001", "", "con:", "a/b", "C:\\x", "ANNA-0001", "."] {
        assert_eq!(
            data_dir_on(&run.disk).open_run(id, ReadExtent::AfterCheckpoint).unwrap_err().code,
            "bad-name"
        );
    }
}
