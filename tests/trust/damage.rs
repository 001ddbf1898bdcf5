//! A journal of a hundred kilobytes and its checkpoint, damaged: every bit flipped, every length
//! cut, blocks swapped, spliced and zeroed. The default is a few thousand positions of each.

use std::sync::Arc;

use base::{Digest, Value};
use protocol::{Input, StoryEvent, WorldState};
use save::{
    DataDir, Disk, JournalEntry, MemoryDisk, NewRunParameters, ReadExtent, StartRunOutcome,
};

use crate::support::{self, count_from_env};

struct LongRun {
    disk: MemoryDisk,
    data_dir: DataDir,
    journal: std::path::PathBuf,
    bytes: Vec<u8>,
    /// The position of the checkpoint.
    checkpoint_position: usize,
}

const RUN_ID: &str = "ada-0001";

/// A run with a journal of a hundred kilobytes and a checkpoint in the middle.
fn write_long_run(seed: u64) -> LongRun {
    let disk = MemoryDisk::new();
    let data_dir = DataDir::with_disk(Arc::new(disk.clone()), "data");
    let (mut locked_profile, _) = data_dir.lock_profile("Ada").unwrap();
    let run_parameters = NewRunParameters {
        engine: "0.1.0".to_owned(),
        game: "pebbles".to_owned(),
        options: Value::map(),
        mods: Vec::new(),
        settings: Value::map(),
        seed: Some(seed),
        is_practice: false,
        forked_from: None,
        daily_seed_date: None,
        shared_profile: None,
    };
    let StartRunOutcome::Started(mut writer) =
        locked_profile.start_new_run(run_parameters, &mut || 1).unwrap()
    else {
        panic!("a new run")
    };
    let journal = data_dir.journal_path(RUN_ID).unwrap();
    let journal_length = || disk.read_file(&journal, u64::MAX).unwrap().len();
    let (mut step, mut checkpoint_position) = (0, 0);
    while journal_length() < 100 * 1024 {
        if step > 0 {
            let input = Input::Choice(format!("pebble_{}", step % 7));
            writer
                .append(
                    &JournalEntry::Intent { step, input, answer_text: String::new(), odds: None },
                    false,
                )
                .unwrap();
        }
        let text =
            format!("Pebble {step} of {seed} falls, and the water says nothing of it. ").repeat(4);
        let changes = support::state_field_change("fallen", step as i64);
        let digest = Digest::hash_bytes(&step.to_le_bytes());
        let events = vec![StoryEvent::Say { text }.into()];
        writer.append(&JournalEntry::Result { step, events, changes }, true).unwrap();
        if step == 100 {
            writer.replace_checkpoint(WorldState::new(seed).snapshot(), digest).unwrap();
            checkpoint_position = journal_length();
        }
        step += 1;
    }
    let bytes = disk.read_file(&journal, u64::MAX).unwrap();
    LongRun { disk, data_dir, journal, bytes, checkpoint_position }
}

impl LongRun {
    /// The damaged line that is found in these bytes; `None` without damage.
    fn damaged_line(&self, bytes: &[u8]) -> Option<u64> {
        self.disk.write_file(&self.journal, bytes).unwrap();
        match self.data_dir.open_run(RUN_ID, ReadExtent::AfterCheckpoint) {
            Err(problem) => {
                assert_eq!(problem.code, "journal-damaged");
                Some(1)
            }
            Ok(opened_run) => opened_run.damage.map(|damage| {
                let message = damage.problem.to_string();
                assert!(
                    message.contains("continue from") || message.contains("start the run again"),
                    "{message}"
                );
                damage.line
            }),
        }
    }

    fn line_number_at(&self, offset: usize) -> u64 {
        self.bytes[..offset].iter().filter(|byte| **byte == b'\n').count() as u64 + 1
    }
}

#[test]
fn each_flipped_bit_of_a_long_journal_is_detected() {
    let run = write_long_run(1);
    let bit_count = run.bytes.len() as u64 * 8;
    let tested_count = count_from_env("SUB_ROSA_BITS", 400).min(bit_count);
    let mut bytes = run.bytes.clone();
    for number in 0..tested_count {
        let bit = usize::try_from(
            number * bit_count / tested_count + number % (bit_count / tested_count),
        )
        .unwrap();
        bytes[bit / 8] ^= 1 << (bit % 8);
        assert_eq!(run.damaged_line(&bytes), Some(run.line_number_at(bit / 8)), "bit {bit}");
        bytes[bit / 8] ^= 1 << (bit % 8);
    }
    super::record_figure(
        "bits_journal",
        &format!("{tested_count} of {bit_count} bits, all noticed, each line named"),
    );
}

#[test]
fn each_flipped_bit_of_a_checkpoint_is_detected() {
    let run = write_long_run(2);
    let path = run.journal.with_file_name("checkpoint.json");
    let mut bytes = run.disk.read_file(&path, u64::MAX).unwrap();
    let bit_count = bytes.len() as u64 * 8;
    let tested_count = count_from_env("SUB_ROSA_BITS", 400).min(bit_count);
    for number in 0..tested_count {
        let bit = usize::try_from(number * bit_count / tested_count).unwrap();
        bytes[bit / 8] ^= 1 << (bit % 8);
        run.disk.write_file(&path, &bytes).unwrap();
        let opened_run = run.data_dir.open_run(RUN_ID, ReadExtent::AfterCheckpoint).unwrap();
        assert_eq!(opened_run.warnings[0].code, "checkpoint-damaged", "bit {bit}");
        assert!(opened_run.checkpoint.is_none() && opened_run.damage.is_none(), "it costs nothing");
        bytes[bit / 8] ^= 1 << (bit % 8);
    }
    super::record_figure(
        "bits_checkpoint",
        &format!("{tested_count} of {bit_count} bits, all noticed"),
    );
}

#[test]
fn each_cut_length_is_reported_as_crash_or_damage() {
    let run = write_long_run(3);
    let tested_count = count_from_env("SUB_ROSA_BITS", 400).min(run.bytes.len() as u64);
    for number in 0..tested_count {
        let length = usize::try_from(number * run.bytes.len() as u64 / tested_count).unwrap();
        run.disk.write_file(&run.journal, &run.bytes[..length]).unwrap();
        let Ok(opened_run) = run.data_dir.open_run(RUN_ID, ReadExtent::AfterCheckpoint) else {
            assert_eq!(run.line_number_at(length), 1, "only a head that is cut cannot be opened");
            continue;
        };
        let ends_with_newline = length > 0 && run.bytes[length - 1] == b'\n';
        if length < run.checkpoint_position {
            let damage = opened_run.damage.expect("synced data is gone");
            assert_eq!(damage.line, run.line_number_at(length));
            assert_eq!(damage.last_salvaged_step, Some(100), "the checkpoint still holds it");
        } else {
            assert!(opened_run.damage.is_none());
            assert_eq!(opened_run.torn_line_note.is_some(), !ends_with_newline, "cut at {length}");
        }
    }
    super::record_figure("lengths", &format!("{tested_count} of {} lengths", run.bytes.len()));
}

#[test]
fn swapped_spliced_and_zeroed_blocks_are_detected() {
    let (run, other_run) = (write_long_run(4), self::write_long_run(5));
    let block_count = run.bytes.len() / 512;
    let tested_count =
        usize::try_from(count_from_env("SUB_ROSA_BITS", 400)).unwrap().min(block_count * 3);
    for number in 0..tested_count {
        let offset = (number * 7 + 1) % (block_count - 1) * 512;
        let block = offset..offset + 512;
        let mut bytes = run.bytes.clone();
        match number % 3 {
            0 => bytes[block.clone()].fill(0),
            1 => bytes[block.clone()].copy_from_slice(&other_run.bytes[block.clone()]),
            _ => {
                let other_offset = (offset + 512 * (block_count / 2)) % (512 * (block_count - 1));
                let other_block = run.bytes[other_offset..other_offset + 512].to_vec();
                bytes[other_offset..other_offset + 512].copy_from_slice(&run.bytes[block.clone()]);
                bytes[block.clone()].copy_from_slice(&other_block);
            }
        }
        if bytes == run.bytes {
            continue;
        }
        let first_difference = bytes
            .iter()
            .zip(&run.bytes)
            .position(|(byte, original_byte)| byte != original_byte)
            .unwrap();
        let line = run.damaged_line(&bytes).expect("noticed");
        // A whole line of another run may replace ours; then the next one does not follow it.
        let expected_lines = run.line_number_at(first_difference)
            ..=run.line_number_at(first_difference) + u64::from(number % 3 == 1);
        assert!(expected_lines.contains(&line), "block {offset}, way {}: line {line}", number % 3);
    }
    super::record_figure(
        "blocks",
        &format!("{tested_count} blocks zeroed, spliced or swapped, all noticed"),
    );
}

#[test]
fn a_repaired_file_is_complete_and_the_original_is_saved() {
    let run = write_long_run(6);
    for number in 0..count_from_env("SUB_ROSA_BITS", 400).min(2_000) / 20 {
        let offset = usize::try_from(number).unwrap() * run.bytes.len() / 100 % run.bytes.len();
        let run = self::write_long_run(6);
        let mut bytes = run.bytes.clone();
        bytes[offset] ^= 0x10;
        assert!(run.damaged_line(&bytes).is_some());
        let backups = match run.data_dir.repair_by_salvage(RUN_ID) {
            Ok(backups) => backups,
            Err(_) => run.data_dir.repair_run(RUN_ID).unwrap(),
        };
        assert_eq!(run.disk.read_file(&backups[0], u64::MAX).unwrap(), bytes, "to the byte");
        let opened_run = run.data_dir.open_run(RUN_ID, ReadExtent::All).unwrap();
        assert!(opened_run.damage.is_none() && opened_run.torn_line_note.is_none(), "whole again");
    }
}
