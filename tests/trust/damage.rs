//! A journal of a hundred kilobytes and its checkpoint, damaged: every bit flipped, every length
//! cut, blocks swapped, spliced and zeroed. The default is a few thousand positions of each.

use std::sync::Arc;

use engine::base::{Digest, Value};
use engine::protocol::{Input, StoryEvent, World};
use engine::save::{DataDir, Disk, JournalEntry, MemoryDisk, NewRun, ReadExtent, StartRunOutcome};

use crate::support::{self, count_from_env};

struct LongRun {
    disk: MemoryDisk,
    data_dir: DataDir,
    journal: std::path::PathBuf,
    bytes: Vec<u8>,
    /// The position of the checkpoint.
    checkpointed: usize,
}

const RUN: &str = "ada-0001";

/// A run with a journal of a hundred kilobytes and a checkpoint in the middle.
fn long_run(seed: u64) -> LongRun {
    let disk = MemoryDisk::new();
    let data_dir = DataDir::on_disk(Arc::new(disk.clone()), "data");
    let (mut held, _) = data_dir.lock_profile("Ada").unwrap();
    let new = NewRun {
        engine: "0.1.0".to_owned(),
        game: "pebbles".to_owned(),
        options: Value::map(),
        mods: Vec::new(),
        settings: Value::map(),
        seed: Some(seed),
        practice: false,
        parent: None,
        day: None,
    };
    let StartRunOutcome::Started(mut writer) = held.start_new_run(new, &mut || 1).unwrap() else {
        panic!("a new run")
    };
    let journal = data_dir.journal_path(RUN).unwrap();
    let length = || disk.read(&journal, u64::MAX).unwrap().len();
    let (mut step, mut checkpointed) = (0, 0);
    while length() < 100 * 1024 {
        if step > 0 {
            let input = Input::Choice(format!("pebble_{}", step % 7));
            writer
                .append(&JournalEntry::Intent { step, input, said: String::new() }, false)
                .unwrap();
        }
        let text =
            format!("Pebble {step} of {seed} falls, and the water says nothing of it. ").repeat(4);
        let changes = support::state_field_change("fallen", step as i64);
        let digest = Digest::of(&step.to_le_bytes());
        let events = vec![StoryEvent::Say { text }];
        writer.append(&JournalEntry::Result { step, digest, events, changes }, true).unwrap();
        if step == 100 {
            writer.replace_checkpoint(World::new(seed).snapshot(), digest).unwrap();
            checkpointed = length();
        }
        step += 1;
    }
    let bytes = disk.read(&journal, u64::MAX).unwrap();
    LongRun { disk, data_dir, journal, bytes, checkpointed }
}

impl LongRun {
    /// The damaged line that is found in these bytes; `None` without damage.
    fn damaged_line(&self, bytes: &[u8]) -> Option<u64> {
        self.disk.write(&self.journal, bytes).unwrap();
        match self.data_dir.open(RUN, ReadExtent::AfterCheckpoint) {
            Err(problem) => {
                assert_eq!(problem.code, "journal-damaged");
                Some(1)
            }
            Ok(opened) => opened.damage.map(|damage| {
                let shown = damage.problem.to_string();
                assert!(
                    shown.contains("continue from") || shown.contains("start the run again"),
                    "{shown}"
                );
                damage.line
            }),
        }
    }

    fn line_at(&self, at: usize) -> u64 {
        self.bytes[..at].iter().filter(|byte| **byte == b'\n').count() as u64 + 1
    }
}

#[test]
fn a_hundred_kilobytes_are_damaged_bit_by_bit_and_each_bit_is_noticed() {
    let long = long_run(1);
    let bits = long.bytes.len() as u64 * 8;
    let asked = count_from_env("SUB_ROSA_BITS", 400).min(bits);
    let mut bytes = long.bytes.clone();
    for number in 0..asked {
        let bit = usize::try_from(number * bits / asked + number % (bits / asked)).unwrap();
        bytes[bit / 8] ^= 1 << (bit % 8);
        assert_eq!(long.damaged_line(&bytes), Some(long.line_at(bit / 8)), "bit {bit}");
        bytes[bit / 8] ^= 1 << (bit % 8);
    }
    super::figure("bits_journal", &format!("{asked} of {bits} bits, all noticed, each line named"));
}

#[test]
fn every_bit_of_a_checkpoint_beside_a_long_journal_is_noticed() {
    let long = long_run(2);
    let path = long.journal.with_file_name("checkpoint.json");
    let mut bytes = long.disk.read(&path, u64::MAX).unwrap();
    let bits = bytes.len() as u64 * 8;
    let asked = count_from_env("SUB_ROSA_BITS", 400).min(bits);
    for number in 0..asked {
        let bit = usize::try_from(number * bits / asked).unwrap();
        bytes[bit / 8] ^= 1 << (bit % 8);
        long.disk.write(&path, &bytes).unwrap();
        let opened = long.data_dir.open(RUN, ReadExtent::AfterCheckpoint).unwrap();
        assert_eq!(opened.notes[0].code, "checkpoint-damaged", "bit {bit}");
        assert!(opened.checkpoint.is_none() && opened.damage.is_none(), "it costs nothing");
        bytes[bit / 8] ^= 1 << (bit % 8);
    }
    super::figure("bits_checkpoint", &format!("{asked} of {bits} bits, all noticed"));
}

#[test]
fn every_length_is_told_as_a_crash_or_as_damage() {
    let long = long_run(3);
    let asked = count_from_env("SUB_ROSA_BITS", 400).min(long.bytes.len() as u64);
    for number in 0..asked {
        let length = usize::try_from(number * long.bytes.len() as u64 / asked).unwrap();
        long.disk.write(&long.journal, &long.bytes[..length]).unwrap();
        let Ok(opened) = long.data_dir.open(RUN, ReadExtent::AfterCheckpoint) else {
            assert_eq!(long.line_at(length), 1, "only a head that is cut cannot be opened");
            continue;
        };
        let ends_a_line = length > 0 && long.bytes[length - 1] == b'\n';
        if length < long.checkpointed {
            let damage = opened.damage.expect("synced data is gone");
            assert_eq!(damage.line, long.line_at(length));
            assert_eq!(damage.step_after_damage, Some(100), "the checkpoint still holds it");
        } else {
            assert!(opened.damage.is_none());
            assert_eq!(opened.torn_line_note.is_some(), !ends_a_line, "cut at {length}");
        }
    }
    super::figure("lengths", &format!("{asked} of {} lengths", long.bytes.len()));
}

#[test]
fn blocks_swapped_spliced_and_zeroed_are_noticed() {
    let (long, other) = (long_run(4), self::long_run(5));
    let blocks = long.bytes.len() / 512;
    let asked = usize::try_from(count_from_env("SUB_ROSA_BITS", 400)).unwrap().min(blocks * 3);
    for number in 0..asked {
        let at = (number * 7 + 1) % (blocks - 1) * 512;
        let block = at..at + 512;
        let mut bytes = long.bytes.clone();
        match number % 3 {
            0 => bytes[block.clone()].fill(0),
            1 => bytes[block.clone()].copy_from_slice(&other.bytes[block.clone()]),
            _ => {
                let there = (at + 512 * (blocks / 2)) % (512 * (blocks - 1));
                let moved = long.bytes[there..there + 512].to_vec();
                bytes[there..there + 512].copy_from_slice(&long.bytes[block.clone()]);
                bytes[block.clone()].copy_from_slice(&moved);
            }
        }
        if bytes == long.bytes {
            continue;
        }
        let first = bytes.iter().zip(&long.bytes).position(|(a, b)| a != b).unwrap();
        let line = long.damaged_line(&bytes).expect("noticed");
        // A whole line of another run may replace ours; then the next one does not follow it.
        let expected = long.line_at(first)..=long.line_at(first) + u64::from(number % 3 == 1);
        assert!(expected.contains(&line), "block {at}, way {}: line {line}", number % 3);
    }
    super::figure("blocks", &format!("{asked} blocks zeroed, spliced or swapped, all noticed"));
}

#[test]
fn a_repaired_file_is_complete_and_the_original_is_saved() {
    let long = long_run(6);
    for number in 0..count_from_env("SUB_ROSA_BITS", 400).min(2_000) / 20 {
        let at = usize::try_from(number).unwrap() * long.bytes.len() / 100 % long.bytes.len();
        let long = self::long_run(6);
        let mut bytes = long.bytes.clone();
        bytes[at] ^= 0x10;
        assert!(long.damaged_line(&bytes).is_some());
        let kept = match long.data_dir.repair_by_salvage(RUN) {
            Ok(kept) => kept,
            Err(_) => long.data_dir.repair_run(RUN).unwrap(),
        };
        assert_eq!(long.disk.read(&kept[0], u64::MAX).unwrap(), bytes, "to the byte");
        let opened = long.data_dir.open(RUN, ReadExtent::All).unwrap();
        assert!(opened.damage.is_none() && opened.torn_line_note.is_none(), "whole again");
    }
}
