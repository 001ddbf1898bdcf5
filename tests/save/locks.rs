//! One writer and many spectators; a lock ends with the process that holds it.

use std::io::{BufRead, BufReader, Read};
use std::process::{Command, Stdio};

use engine::save::{DataDir, ReadExtent, open_run_for_writing};

use super::{begin, intent, open_data, result, two_steps};
use crate::support::disk::FaultyDisk;

#[test]
fn one_writes_and_the_other_may_watch() {
    let disk = FaultyDisk::new();
    let id = two_steps(&disk);
    let mut writer = open_run_for_writing(&open_data(&disk), &id, ReadExtent::AfterCheckpoint)
        .unwrap()
        .writer
        .unwrap();
    let problem =
        open_run_for_writing(&open_data(&disk), &id, ReadExtent::AfterCheckpoint).unwrap_err();
    assert_eq!(problem.code, "in-use");
    let holder = format!("process {}", std::process::id());
    assert!(problem.message.contains(&holder), "{problem}");
    assert_eq!(open_data(&disk).repair_run(&id).unwrap_err().code, "in-use");
    writer.append(&intent(3), true).unwrap();
    let opened = open_data(&disk).open(&id, ReadExtent::AfterCheckpoint).unwrap();
    assert_eq!(opened.run_state.pending.unwrap().step, 3);
    drop(writer);
    assert!(
        open_run_for_writing(&open_data(&disk), &id, ReadExtent::AfterCheckpoint)
            .unwrap()
            .writer
            .is_some()
    );
}

#[test]
fn a_profile_has_one_holder() {
    let disk = FaultyDisk::new();
    let (held, _) = open_data(&disk).lock_profile("Anna").unwrap();
    assert_eq!(open_data(&disk).lock_profile("ANNA").unwrap_err().code, "in-use");
    assert!(open_data(&disk).lock_profile("Bela").is_ok());
    drop(held);
    assert!(open_data(&disk).lock_profile("ANNA").is_ok());
}

/// Starts itself as another process, which takes the lock and is then killed.
#[test]
fn a_lock_dies_with_its_process() {
    const FOLDER: &str = "SUB_ROSA_TEST_FOLDER";
    if let Some(folder) = std::env::var_os(FOLDER) {
        let data_dir = DataDir::new(folder);
        let (mut held, _) = data_dir.lock_profile("Anna").unwrap();
        let mut writer = begin(&mut held, 7);
        writer.append(&result(0), true).unwrap();
        std::io::Write::write_all(&mut std::io::stderr(), b"holding\n").unwrap();
        let _ = std::io::stdin().read(&mut [0]);
        return;
    }
    let folder = tempfile::tempdir().unwrap();
    let data_dir = DataDir::new(folder.path());
    let mut other = Command::new(std::env::current_exe().unwrap())
        .args(["--exact", "save::locks::a_lock_dies_with_its_process", "--nocapture"])
        .env(FOLDER, folder.path())
        .stdin(Stdio::piped())
        .stdout(Stdio::null())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    let mut lines = BufReader::new(other.stderr.take().unwrap()).lines();
    assert!(lines.any(|line| line.unwrap() == "holding"), "the other took the lock");
    let holder = format!("process {}", other.id());
    let run =
        open_run_for_writing(&data_dir, "anna-0001", ReadExtent::AfterCheckpoint).unwrap_err();
    let profile = data_dir.lock_profile("Anna").unwrap_err();
    assert!(run.message.contains(&holder) && profile.message.contains(&holder), "{run}");
    assert_eq!(
        data_dir.open("anna-0001", ReadExtent::AfterCheckpoint).unwrap().run_state.last_step(),
        Some(0)
    );
    other.kill().unwrap();
    other.wait().unwrap();
    let (held, _) = data_dir.lock_profile("Anna").unwrap();
    assert_eq!(
        held.newest_counted_unfinished_run(super::GAME).unwrap().as_deref(),
        Some("anna-0001")
    );
    assert!(
        open_run_for_writing(&data_dir, "anna-0001", ReadExtent::AfterCheckpoint)
            .unwrap()
            .writer
            .is_some()
    );
}
