//! A damaged run is repaired from the menu: the player is informed, chooses, and plays on.

use std::fs;
use std::path::Path;

use engine::save::{DataDir, JournalEntry, ReadExtent, open_run_for_writing};
use engine::session;

use super::first_format;
use crate::cli;

const RUN: &str = "ada-0002";

fn flip(folder: &Path, line: usize) -> Vec<u8> {
    let path = folder.join("runs").join(RUN).join("journal.jsonl");
    let mut bytes = fs::read(&path).unwrap();
    let start: usize = bytes.split_inclusive(|b| *b == b'\n').take(line - 1).map(<[u8]>::len).sum();
    bytes[start + 70] ^= 2;
    fs::write(&path, &bytes).unwrap();
    bytes
}

fn play(folder: &Path, typed: &str) -> String {
    let data = folder.to_string_lossy().into_owned();
    let output = cli::run(cli::ferry(&["--data", &data, "--profile", "Ada"]), typed);
    assert!(output.status.success(), "{}", cli::text(&output.stderr));
    cli::text(&output.stdout)
}

#[test]
fn a_damaged_run_offers_what_is_whole_of_it() {
    let folder = first_format();
    let damaged = flip(folder.path(), 9);
    // If it is left, nothing changes.
    let said = play(folder.path(), "resume\nleave\nquit\n");
    assert!(said.contains("line 9 of the journal is damaged"), "{said}");
    assert!(said.contains("Continue from step 18, after the damage"), "{said}");
    assert!(said.contains("Continue from step 3, the last before the damage"), "{said}");
    let journal = folder.path().join("runs").join(RUN).join("journal.jsonl");
    assert_eq!(fs::read(&journal).unwrap(), damaged);
    // After the damage nothing is lost: the remaining oil is still there.
    let said = play(folder.path(), "resume\nbeyond\nswim\ntitle\nquit\n");
    assert!(said.contains("Oil 8 of 9") && said.contains("The run is over"), "{said}");
    let kept = journal.with_file_name("journal.damaged-1.jsonl");
    assert_eq!(fs::read(kept).unwrap(), damaged, "the original, to the byte");
    let data_dir = DataDir::new(folder.path());
    assert_eq!(session::replay(&data_dir, RUN, &mut |_, _| {}).unwrap(), 19, "a whole file again");
}

#[test]
fn a_damaged_run_goes_on_before_the_damage_where_nothing_lies_behind() {
    let folder = first_format();
    flip(folder.path(), 9);
    fs::remove_file(folder.path().join("runs").join(RUN).join("checkpoint.json")).unwrap();
    let said = play(folder.path(), "resume\nmend\nwait\nswim\ntitle\nquit\n");
    assert!(!said.contains("after the damage"), "{said}");
    assert!(said.contains("The tide turns") && said.contains("The run is over"), "{said}");
    let data_dir = DataDir::new(folder.path());
    assert_eq!(session::replay(&data_dir, RUN, &mut |_, _| {}).unwrap(), 5);
}

/// Every line before the checkpoint is damaged in turn: the run continues from its last step.
#[test]
fn a_run_goes_on_behind_damage_of_any_line_before_its_checkpoint() {
    let whole = first_format();
    let opened = DataDir::new(whole.path()).open(RUN, ReadExtent::AfterCheckpoint).unwrap();
    let lines = opened.checkpoint.unwrap().journal_lines as usize;
    let digest =
        |data_dir: &DataDir| session::resume(data_dir, RUN, None).unwrap().session.digest();
    let expected = digest(&DataDir::new(whole.path()));
    for line in 2..=lines {
        let folder = first_format();
        flip(folder.path(), line);
        let data_dir = DataDir::new(folder.path());
        let damage = open_run_for_writing(&data_dir, RUN, ReadExtent::AfterCheckpoint)
            .unwrap()
            .opened
            .damage
            .unwrap();
        assert_eq!(
            (damage.line, damage.step_after_damage),
            (line as u64, Some(18)),
            "{}",
            damage.reason
        );
        assert_eq!(data_dir.repair_by_salvage(RUN).unwrap().len(), 2, "journal and checkpoint");
        assert_eq!(data_dir.repair_by_salvage(RUN).unwrap_err().code, "no-checkpoint-after-damage");
        assert_eq!(digest(&data_dir), expected, "line {line}");
        let told = data_dir.open(RUN, ReadExtent::All).unwrap();
        assert!(told.entries.iter().any(|(_, entry)| matches!(entry, JournalEntry::Restored(_))));
    }
    // A flipped bit of the header is found, though an older checkpoint has no copy of it.
    let folder = first_format();
    flip(folder.path(), 1);
    let data_dir = DataDir::new(folder.path());
    let damage = open_run_for_writing(&data_dir, RUN, ReadExtent::AfterCheckpoint)
        .unwrap()
        .opened
        .damage
        .unwrap();
    assert_eq!((damage.line, damage.last_good_step), (1, Some(18)), "{}", damage.reason);
    assert_eq!(data_dir.repair_run(RUN).unwrap().len(), 1, "the journal");
    assert_eq!(digest(&data_dir), expected);
}
