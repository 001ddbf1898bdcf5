//! A journal with a damaged first line is offered and repaired: from the checkpoint, or, for an
//! older checkpoint without a copy, by finding the flipped bit.

use engine::base::digest::Hasher;
use engine::save::{Disk, ReadExtent, RunStatus, open_run_for_writing};

use super::{GAME, intent, open_data, result, two_steps};
use crate::support::disk::FaultyDisk;

fn run() -> (FaultyDisk, String, Vec<u8>) {
    let disk = FaultyDisk::new();
    let id = two_steps(&disk);
    let bytes = disk.read(&open_data(&disk).journal_path(&id).unwrap(), u64::MAX).unwrap();
    (disk, id, bytes)
}

fn first_line(bytes: &[u8]) -> usize {
    bytes.iter().position(|byte| *byte == b'\n').unwrap()
}

/// A checkpoint of an older program: without a copy of the first line.
fn without_header(disk: &FaultyDisk, id: &str) {
    let path = open_data(disk).journal_path(id).unwrap().with_file_name("checkpoint.json");
    let text = String::from_utf8(disk.read(&path, u64::MAX).unwrap()).unwrap();
    let (_, body) = text.split_once("\"checkpoint\":").unwrap();
    let mut value: serde_json::Map<String, serde_json::Value> =
        serde_json::from_str(body.strip_suffix("}\n").unwrap()).unwrap();
    assert!(value.remove("header").is_some(), "a checkpoint holds what the first line says");
    let body = serde_json::to_string(&value).unwrap();
    let mut hasher = Hasher::new("checkpoint");
    let seal = hasher.feed_count(body.len()).feed_bytes(body.as_bytes()).finish();
    let text = format!("{{\"digest\":\"{seal}\",\"checkpoint\":{body}}}\n");
    disk.write(&path, text.as_bytes()).unwrap();
}

/// The run is offered and its damage reported; repaired, it equals the original byte by byte, and
/// is played on.
fn assert_repaired(disk: &FaultyDisk, id: &str, whole: &[u8], harmed: &[u8], what: &str) {
    let data_dir = open_data(disk);
    let path = data_dir.journal_path(id).unwrap();
    disk.write(&path, harmed).unwrap();
    {
        let (held, _) = data_dir.lock_profile("Anna").unwrap();
        assert_eq!(
            held.newest_counted_unfinished_run(GAME).unwrap().as_deref(),
            Some(id),
            "{what}: not offered"
        );
    }
    let line = &data_dir.list_runs().unwrap()[0];
    assert!(line.header.is_some() && matches!(line.status, RunStatus::Damaged(_)), "{what}");
    for reach in [ReadExtent::AfterCheckpoint, ReadExtent::All] {
        let damage = data_dir.open(id, reach).unwrap().damage.expect("told");
        assert_eq!((damage.line, damage.last_good_step), (1, Some(2)), "{what}: {}", damage.reason);
    }
    assert_eq!(disk.read(&path, u64::MAX).unwrap(), harmed, "{what}: reading repairs nothing");
    let kept = data_dir.repair_run(id).unwrap();
    assert_eq!(disk.read(&kept[0], u64::MAX).unwrap(), harmed, "{what}: the original is stored");
    assert_eq!(disk.read(&path, u64::MAX).unwrap(), whole, "{what}: as it was");
    let resumed = open_run_for_writing(&data_dir, id, ReadExtent::AfterCheckpoint).unwrap();
    let mut writer = resumed.writer.unwrap();
    writer.append_all(&[intent(3), result(3)], true).unwrap();
    drop(writer);
    disk.rename(&kept[0], &path).unwrap();
    disk.write(&path, whole).unwrap();
}

#[test]
fn every_bit_of_a_first_line_may_change_and_the_run_goes_on() {
    let (disk, id, whole) = run();
    for at in 0..=first_line(&whole) {
        for bit in 0..8 {
            let mut harmed = whole.clone();
            harmed[at] ^= 1 << bit;
            assert_repaired(&disk, &id, &whole, &harmed, &format!("byte {at}, bit {bit}"));
        }
    }
}

#[test]
fn a_first_line_may_be_cut_stretched_emptied_or_gone() {
    let (disk, id, whole) = run();
    let end = first_line(&whole);
    let zeroed = [&vec![0; end + 1], &whole[end + 1..]].concat();
    let cases: [(&str, Vec<u8>); 7] = [
        ("gone", whole[end + 1..].to_vec()),
        ("empty", whole[end..].to_vec()),
        ("zeros", zeroed),
        ("cut", [&whole[..end / 2], &whole[end..]].concat()),
        ("cut with its end", [&whole[..end / 2], b"\n", &whole[end + 1..]].concat()),
        ("stretched", [&whole[..20], b"what another wrote", &whole[20..]].concat()),
        ("another text", [b"no line of ours\n", &whole[end + 1..]].concat()),
    ];
    for (what, harmed) in cases {
        if what == "gone" {
            // The second line stands where the first was.
            disk.write(&open_data(&disk).journal_path(&id).unwrap(), &harmed).unwrap();
            let opened = open_data(&disk).open(&id, ReadExtent::AfterCheckpoint).unwrap();
            assert_eq!(opened.damage.unwrap().line, 1);
            continue;
        }
        assert_repaired(&disk, &id, &whole, &harmed, what);
    }
}

#[test]
fn behind_a_first_line_further_damage_is_told_and_what_lies_behind_it_is_offered() {
    let (disk, id, whole) = run();
    let data_dir = open_data(&disk);
    let path = data_dir.journal_path(&id).unwrap();
    let mut harmed = whole.clone();
    harmed[30] ^= 1;
    let second = first_line(&whole) + 80;
    harmed[second] ^= 1;
    disk.write(&path, &harmed).unwrap();
    let damage = data_dir.open(&id, ReadExtent::AfterCheckpoint).unwrap().damage.unwrap();
    assert_eq!((damage.line, damage.last_good_step, damage.step_after_damage), (1, None, Some(2)));
    assert!(damage.reason.contains("line 2"), "{}", damage.reason);
    let kept = data_dir.repair_by_salvage(&id).unwrap();
    assert_eq!(disk.read(&kept[0], u64::MAX).unwrap(), harmed);
    let resumed = open_run_for_writing(&data_dir, &id, ReadExtent::AfterCheckpoint).unwrap();
    assert_eq!(resumed.opened.run_state.last_step(), Some(2));
    assert!(resumed.writer.is_some());
}

#[test]
fn of_an_older_checkpoint_one_bit_is_found_and_more_is_told() {
    let (disk, id, whole) = run();
    without_header(&disk, &id);
    let data_dir = open_data(&disk);
    let path = data_dir.journal_path(&id).unwrap();
    let end = first_line(&whole);
    for at in (0..=end).step_by(7).chain([0, 10, 41, 42, 43, 50, end - 1, end]) {
        let mut harmed = whole.clone();
        harmed[at] ^= 1 << (at % 8);
        disk.write(&path, &harmed).unwrap();
        let opened = data_dir.open(&id, ReadExtent::AfterCheckpoint).unwrap();
        let damage = opened.damage.expect("told");
        assert_eq!((damage.line, damage.last_good_step), (1, Some(2)), "byte {at}");
        data_dir.repair_run(&id).unwrap();
        assert_eq!(disk.read(&path, u64::MAX).unwrap(), whole, "byte {at}");
    }
    // More than one bit: unknown data is not invented, and the run blocks no other.
    let mut harmed = whole.clone();
    harmed[60] ^= 1;
    harmed[90] ^= 1;
    disk.write(&path, &harmed).unwrap();
    let problem = data_dir.open(&id, ReadExtent::AfterCheckpoint).unwrap_err();
    assert_eq!(problem.code, "journal-damaged");
    assert!(problem.hint.unwrap().contains("restore the file"));
    let (held, told) = data_dir.lock_profile("Anna").unwrap();
    assert_eq!((held.newest_counted_unfinished_run(GAME).unwrap(), told.len()), (None, 1));
    assert_eq!(disk.read(&path, u64::MAX).unwrap(), harmed, "it lies as it was");
}
