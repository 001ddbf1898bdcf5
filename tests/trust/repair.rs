//! A damaged run is repaired from the menu: the player is informed, chooses, and plays on.

use std::fs;
use std::path::Path;

use save::{DataDir, JournalEntry, ReadExtent, open_run_for_writing};

use super::fixture_data;
use crate::cli;

const RUN_ID: &str = "ada-0002";

fn flip_bit_of_line(folder: &Path, line: usize) -> Vec<u8> {
    let path = folder.join("runs").join(RUN_ID).join("journal.jsonl");
    let mut bytes = fs::read(&path).unwrap();
    let line_start: usize =
        bytes.split_inclusive(|byte| *byte == b'\n').take(line - 1).map(<[u8]>::len).sum();
    bytes[line_start + 70] ^= 2;
    fs::write(&path, &bytes).unwrap();
    bytes
}

fn play_run(folder: &Path, input_lines: &str) -> String {
    let data = folder.to_string_lossy().into_owned();
    let output = cli::run_with_input(
        cli::ferry_command(&["--data", &data, "--profile", "Ada"]),
        input_lines,
    );
    assert!(output.status.success(), "{}", cli::utf8_text(&output.stderr));
    cli::utf8_text(&output.stdout)
}

#[test]
fn a_damaged_run_offers_its_undamaged_parts() {
    let folder = fixture_data();
    let damaged_bytes = flip_bit_of_line(folder.path(), 9);
    // If it is left, nothing changes.
    let output = play_run(folder.path(), "resume\nleave\nquit\n");
    assert!(output.contains("line 9 of the journal is damaged"), "{output}");
    assert!(output.contains("Continue from step 18, after the damage"), "{output}");
    assert!(output.contains("Continue from step 3, the last before the damage"), "{output}");
    let journal = folder.path().join("runs").join(RUN_ID).join("journal.jsonl");
    assert_eq!(fs::read(&journal).unwrap(), damaged_bytes);
    // After the damage nothing is lost: the remaining oil is still there.
    let output = play_run(folder.path(), "resume\nbeyond\nswim\ntitle\nquit\n");
    assert!(output.contains("Oil 8 of 9") && output.contains("The run is over"), "{output}");
    let backup_path = journal.with_file_name("journal.damaged-1.jsonl");
    assert_eq!(fs::read(backup_path).unwrap(), damaged_bytes, "the original, to the byte");
    let data_dir = DataDir::new(folder.path());
    assert_eq!(
        session::replay_and_verify(&data_dir, RUN_ID, &mut |_, _| {}).unwrap(),
        19,
        "a whole file again"
    );
}

#[test]
fn a_damaged_run_continues_before_damage_without_checkpoint() {
    let folder = fixture_data();
    flip_bit_of_line(folder.path(), 9);
    fs::remove_file(folder.path().join("runs").join(RUN_ID).join("checkpoint.json")).unwrap();
    let output = play_run(folder.path(), "resume\nmend\nwait\nswim\ntitle\nquit\n");
    assert!(!output.contains("after the damage"), "{output}");
    assert!(output.contains("The tide turns") && output.contains("The run is over"), "{output}");
    let data_dir = DataDir::new(folder.path());
    assert_eq!(session::replay_and_verify(&data_dir, RUN_ID, &mut |_, _| {}).unwrap(), 5);
}

/// Every line before the checkpoint is damaged in turn: the run continues from its last step.
#[test]
fn a_run_continues_after_damage_before_its_checkpoint() {
    let original_folder = fixture_data();
    let opened_run =
        DataDir::new(original_folder.path()).open_run(RUN_ID, ReadExtent::AfterCheckpoint).unwrap();
    let checkpoint_line_count = opened_run.checkpoint.unwrap().journal_lines as usize;
    let resumed_digest =
        |data_dir: &DataDir| session::resume_run(data_dir, RUN_ID, None).unwrap().session.digest();
    let expected = resumed_digest(&DataDir::new(original_folder.path()));
    for line in 2..=checkpoint_line_count {
        let folder = fixture_data();
        flip_bit_of_line(folder.path(), line);
        let data_dir = DataDir::new(folder.path());
        let damage = open_run_for_writing(&data_dir, RUN_ID, ReadExtent::AfterCheckpoint)
            .unwrap()
            .loaded_journal
            .damage
            .unwrap();
        assert_eq!(
            (damage.line, damage.last_salvaged_step),
            (line as u64, Some(18)),
            "{}",
            damage.reason
        );
        assert_eq!(data_dir.repair_by_salvage(RUN_ID).unwrap().len(), 2, "journal and checkpoint");
        assert_eq!(
            data_dir.repair_by_salvage(RUN_ID).unwrap_err().code,
            "no-checkpoint-after-damage"
        );
        assert_eq!(resumed_digest(&data_dir), expected, "line {line}");
        let opened_run = data_dir.open_run(RUN_ID, ReadExtent::All).unwrap();
        assert!(
            opened_run
                .entries()
                .any(|(_, entry)| matches!(entry, JournalEntry::RestoredFromCheckpoint(_)))
        );
    }
    // A damaged header is restored from the checkpoint.
    let folder = fixture_data();
    flip_bit_of_line(folder.path(), 1);
    let data_dir = DataDir::new(folder.path());
    let damage = open_run_for_writing(&data_dir, RUN_ID, ReadExtent::AfterCheckpoint)
        .unwrap()
        .loaded_journal
        .damage
        .unwrap();
    assert_eq!((damage.line, damage.last_valid_step), (1, Some(18)), "{}", damage.reason);
    assert_eq!(data_dir.repair_run(RUN_ID).unwrap().len(), 1, "the journal");
    assert_eq!(resumed_digest(&data_dir), expected);
}
