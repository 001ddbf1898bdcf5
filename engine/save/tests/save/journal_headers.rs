//! A journal with a damaged first line is offered and repaired from the checkpoint, which has a
//! copy. Without a checkpoint the damage is reported.

use save::{Disk, ReadExtent, RunStatus, open_run_for_writing};

use super::{GAME_ID, data_dir_on, intent_entry, result_entry, write_run_of_two_steps};
use crate::support::disk::FaultyDisk;

fn create_run() -> (FaultyDisk, String, Vec<u8>) {
    let disk = FaultyDisk::new();
    let id = write_run_of_two_steps(&disk);
    let bytes = disk.read_file(&data_dir_on(&disk).journal_path(&id).unwrap(), u64::MAX).unwrap();
    (disk, id, bytes)
}

fn first_line_length(bytes: &[u8]) -> usize {
    bytes.iter().position(|byte| *byte == b'\n').unwrap()
}

/// The run is offered and its damage reported; repaired, it equals the original byte by byte, and
/// is played on.
fn assert_repaired(
    disk: &FaultyDisk,
    id: &str,
    original: &[u8],
    damaged_bytes: &[u8],
    context: &str,
) {
    let data_dir = data_dir_on(disk);
    let path = data_dir.journal_path(id).unwrap();
    disk.write_file(&path, damaged_bytes).unwrap();
    {
        let (locked_profile, _) = data_dir.lock_profile("Anna").unwrap();
        assert_eq!(
            locked_profile.newest_unfinished_original_run(GAME_ID).unwrap().as_deref(),
            Some(id),
            "{context}: not offered"
        );
    }
    let line = &data_dir.list_runs().unwrap()[0];
    assert!(line.header.is_some() && matches!(line.status, RunStatus::Damaged(_)), "{context}");
    for extent in [ReadExtent::AfterCheckpoint, ReadExtent::All] {
        let damage = data_dir.open_run(id, extent).unwrap().damage.expect("told");
        assert_eq!(
            (damage.line, damage.last_valid_step),
            (1, Some(2)),
            "{context}: {}",
            damage.reason
        );
    }
    assert_eq!(
        disk.read_file(&path, u64::MAX).unwrap(),
        damaged_bytes,
        "{context}: reading repairs nothing"
    );
    let backups = data_dir.repair_run(id).unwrap();
    assert_eq!(
        disk.read_file(&backups[0], u64::MAX).unwrap(),
        damaged_bytes,
        "{context}: the original is stored"
    );
    assert_eq!(disk.read_file(&path, u64::MAX).unwrap(), original, "{context}: as it was");
    let writable_run = open_run_for_writing(&data_dir, id, ReadExtent::AfterCheckpoint).unwrap();
    let mut writer = writable_run.writer.unwrap();
    writer.append_all(&[intent_entry(3), result_entry(3)], true).unwrap();
    drop(writer);
    disk.rename(&backups[0], &path).unwrap();
    disk.write_file(&path, original).unwrap();
}

#[test]
fn any_flipped_bit_of_a_first_line_is_repaired() {
    let (disk, id, original) = create_run();
    for offset in 0..=first_line_length(&original) {
        for bit in 0..8 {
            let mut damaged_bytes = original.clone();
            damaged_bytes[offset] ^= 1 << bit;
            assert_repaired(
                &disk,
                &id,
                &original,
                &damaged_bytes,
                &format!("byte {offset}, bit {bit}"),
            );
        }
    }
}

#[test]
fn a_cut_extended_or_missing_first_line_is_repaired() {
    let (disk, id, original) = create_run();
    let header_length = first_line_length(&original);
    let zeroed_journal = [&vec![0; header_length + 1], &original[header_length + 1..]].concat();
    let cases: [(&str, Vec<u8>); 7] = [
        ("gone", original[header_length + 1..].to_vec()),
        ("empty", original[header_length..].to_vec()),
        ("zeros", zeroed_journal),
        ("cut", [&original[..header_length / 2], &original[header_length..]].concat()),
        (
            "cut with its end",
            [&original[..header_length / 2], b"\n", &original[header_length + 1..]].concat(),
        ),
        ("stretched", [&original[..20], b"what another wrote", &original[20..]].concat()),
        ("another text", [b"no line of ours\n", &original[header_length + 1..]].concat()),
    ];
    for (context, damaged_bytes) in cases {
        if context == "gone" {
            // The second line stands where the first was.
            disk.write_file(&data_dir_on(&disk).journal_path(&id).unwrap(), &damaged_bytes)
                .unwrap();
            let opened_run = data_dir_on(&disk).open_run(&id, ReadExtent::AfterCheckpoint).unwrap();
            assert_eq!(opened_run.damage.unwrap().line, 1);
            continue;
        }
        assert_repaired(&disk, &id, &original, &damaged_bytes, context);
    }
}

#[test]
fn damage_after_a_damaged_first_line_is_reported_and_salvaged() {
    let (disk, id, original) = create_run();
    let data_dir = data_dir_on(&disk);
    let path = data_dir.journal_path(&id).unwrap();
    let mut damaged_bytes = original.clone();
    damaged_bytes[30] ^= 1;
    let second_line_offset = first_line_length(&original) + 80;
    damaged_bytes[second_line_offset] ^= 1;
    disk.write_file(&path, &damaged_bytes).unwrap();
    let damage = data_dir.open_run(&id, ReadExtent::AfterCheckpoint).unwrap().damage.unwrap();
    assert_eq!(
        (damage.line, damage.last_valid_step, damage.last_salvaged_step),
        (1, None, Some(2))
    );
    assert!(damage.reason.contains("line 2"), "{}", damage.reason);
    let backups = data_dir.repair_by_salvage(&id).unwrap();
    assert_eq!(disk.read_file(&backups[0], u64::MAX).unwrap(), damaged_bytes);
    let writable_run = open_run_for_writing(&data_dir, &id, ReadExtent::AfterCheckpoint).unwrap();
    assert_eq!(writable_run.loaded_journal.run_state.last_completed_step(), Some(2));
    assert!(writable_run.writer.is_some());
}

#[test]
fn a_damaged_first_line_without_a_checkpoint_is_reported() {
    let (disk, id, original) = create_run();
    let data_dir = data_dir_on(&disk);
    let path = data_dir.journal_path(&id).unwrap();
    disk.write_file(&path.with_file_name("checkpoint.json"), b"").unwrap();
    // Unknown data is not invented, and the run blocks no other.
    let mut damaged_bytes = original.clone();
    damaged_bytes[60] ^= 1;
    damaged_bytes[90] ^= 1;
    disk.write_file(&path, &damaged_bytes).unwrap();
    let problem = data_dir.open_run(&id, ReadExtent::AfterCheckpoint).unwrap_err();
    assert_eq!(problem.code, "journal-damaged");
    assert!(problem.hint.unwrap().contains("restore the file"));
    let (locked_profile, notes) = data_dir.lock_profile("Anna").unwrap();
    assert_eq!(
        (locked_profile.newest_unfinished_original_run(GAME_ID).unwrap(), notes.len()),
        (None, 1)
    );
    assert_eq!(disk.read_file(&path, u64::MAX).unwrap(), damaged_bytes, "it lies as it was");
}
