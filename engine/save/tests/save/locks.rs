//! One writer and many spectators; a lock ends with the process that holds it.

use std::io::{BufRead, BufReader, Read};
use std::process::{Command, Stdio};

use save::{DataDir, ReadExtent, open_run_for_writing};

use super::{
    begin_run, data_dir_on, intent_entry, open_writer, result_entry, write_run_of_two_steps,
};
use crate::support::disk::FaultyDisk;

#[test]
fn a_run_has_one_writer_and_any_number_of_readers() {
    let disk = FaultyDisk::new();
    let id = write_run_of_two_steps(&disk);
    let mut writer = open_writer(&data_dir_on(&disk), &id);
    let problem =
        open_run_for_writing(&data_dir_on(&disk), &id, ReadExtent::AfterCheckpoint).unwrap_err();
    assert_eq!(problem.code, "in-use");
    let process_name = format!("process {}", std::process::id());
    assert!(problem.message.contains(&process_name), "{problem}");
    assert_eq!(data_dir_on(&disk).repair_run(&id).unwrap_err().code, "in-use");
    writer.append(&intent_entry(3), true).unwrap();
    let opened_run = data_dir_on(&disk).open_run(&id, ReadExtent::AfterCheckpoint).unwrap();
    assert_eq!(opened_run.run_state.pending_step.unwrap().step, 3);
    drop(writer);
    open_writer(&data_dir_on(&disk), &id);
}

#[test]
fn a_profile_has_one_lock_holder() {
    let disk = FaultyDisk::new();
    let (locked_profile, _) = data_dir_on(&disk).lock_profile("Anna").unwrap();
    assert_eq!(data_dir_on(&disk).lock_profile("ANNA").unwrap_err().code, "in-use");
    assert!(data_dir_on(&disk).lock_profile("Bela").is_ok());
    drop(locked_profile);
    assert!(data_dir_on(&disk).lock_profile("ANNA").is_ok());
}

/// Starts itself as another process, which takes the lock and is then killed.
#[test]
fn a_lock_dies_with_its_process() {
    const FOLDER_VARIABLE: &str = "SUB_ROSA_TEST_FOLDER";
    if let Some(folder) = std::env::var_os(FOLDER_VARIABLE) {
        let data_dir = DataDir::new(folder);
        let (mut locked_profile, _) = data_dir.lock_profile("Anna").unwrap();
        let mut writer = begin_run(&mut locked_profile, 7);
        writer.append(&result_entry(0), true).unwrap();
        std::io::Write::write_all(&mut std::io::stderr(), b"holding\n").unwrap();
        let _ = std::io::stdin().read(&mut [0]);
        return;
    }
    let folder = tempfile::tempdir().unwrap();
    let data_dir = DataDir::new(folder.path());
    let mut lock_process = Command::new(std::env::current_exe().unwrap())
        .args(["--exact", "save::locks::a_lock_dies_with_its_process", "--nocapture"])
        .env(FOLDER_VARIABLE, folder.path())
        .stdin(Stdio::piped())
        .stdout(Stdio::null())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    let mut stderr_lines = BufReader::new(lock_process.stderr.take().unwrap()).lines();
    assert!(stderr_lines.any(|line| line.unwrap() == "holding"), "the other took the lock");
    let process_name = format!("process {}", lock_process.id());
    let run_problem =
        open_run_for_writing(&data_dir, "anna-0001", ReadExtent::AfterCheckpoint).unwrap_err();
    let profile_problem = data_dir.lock_profile("Anna").unwrap_err();
    assert!(
        run_problem.message.contains(&process_name)
            && profile_problem.message.contains(&process_name),
        "{run_problem}"
    );
    assert_eq!(
        data_dir
            .open_run("anna-0001", ReadExtent::AfterCheckpoint)
            .unwrap()
            .run_state
            .last_completed_step(),
        Some(0)
    );
    lock_process.kill().unwrap();
    lock_process.wait().unwrap();
    let (locked_profile, _) = data_dir.lock_profile("Anna").unwrap();
    assert_eq!(
        locked_profile.newest_unfinished_original_run(super::GAME_ID).unwrap().as_deref(),
        Some("anna-0001")
    );
    open_writer(&data_dir, "anna-0001");
}
