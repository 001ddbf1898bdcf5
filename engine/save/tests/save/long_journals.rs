//! Journals are read in pieces: an opened run holds nothing of its entries, and one line has a limit.

use protocol::StoryEvent;
use save::{DataDir, Disk, JournalEntry, ReadExtent, RunStatus};

use super::{data_dir_on, intent_entry, open_writer, write_run_of_two_steps};
use crate::support::disk::FaultyDisk;

const LINE_BYTES: usize = 16 * 1024 * 1024;

fn result_with_text(step: u64, text_bytes: usize) -> JournalEntry {
    let events = vec![StoryEvent::Say { text: "o".repeat(text_bytes) }.into()];
    JournalEntry::Result { step, events, changes: Default::default() }
}

/// The bytes of everything that a run holds, and more: its text for developers lists all of it.
fn debug_text_bytes(data_dir: &DataDir, run_id: &str, extent: ReadExtent) -> usize {
    format!("{:?}", data_dir.open_run(run_id, extent).unwrap()).len()
}

#[test]
fn an_opened_run_holds_an_index_and_no_entries() {
    let disk = FaultyDisk::new();
    let id = write_run_of_two_steps(&disk);
    let data_dir = data_dir_on(&disk);
    let extents = [ReadExtent::AfterCheckpoint, ReadExtent::All];
    let before = extents.map(|extent| debug_text_bytes(&data_dir, &id, extent));
    let mut writer = open_writer(&data_dir, &id);
    for step in 3..1_003 {
        writer.append_all(&[intent_entry(step), result_with_text(step, 8_000)], false).unwrap();
    }
    let length = disk.read_file(writer.path(), u64::MAX).unwrap().len();
    assert!(length > 8_000_000);
    for (extent, before) in extents.into_iter().zip(before) {
        let growth = debug_text_bytes(&data_dir, &id, extent) - before;
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
