//! Snapshots of the messages about damaged and missing data.

use base::Problem;
use save::{Disk, ReadExtent, open_run_for_writing};

use super::{data_dir_on, result_entry, write_run_of_two_steps};
use crate::support::disk::FaultyDisk;

fn assert_snapshot_of_page(name: &str, page: &str) {
    insta::with_settings!({ snapshot_path => "../snapshots", prepend_module_to_snapshot => false }, {
        insta::assert_snapshot!(name, page.trim_end());
    });
}

fn add_problem_to_page(page: &mut String, case_name: &str, problem: &Problem) {
    let process = format!("process {}", std::process::id());
    let text = problem.to_string().replace(&process, "process 4711");
    page.push_str(&format!("## {case_name}\n{text}\n\n"));
}

#[test]
fn run_problems_match_the_snapshot() {
    let mut page = String::new();
    let disk = FaultyDisk::new();
    let data_dir = data_dir_on(&disk);
    let id = write_run_of_two_steps(&disk);
    let path = data_dir.journal_path(&id).unwrap();
    let checkpoint = path.with_file_name("checkpoint.json");
    let original = disk.read_file(&path, u64::MAX).unwrap();
    let open_run = || data_dir_on(&disk).open_run(&id, ReadExtent::AfterCheckpoint);

    add_problem_to_page(
        &mut page,
        "no such run",
        &open_run_for_writing(&data_dir, "anna-0009", ReadExtent::AfterCheckpoint).unwrap_err(),
    );
    add_problem_to_page(
        &mut page,
        "a name that leads out",
        &data_dir.open_run("../x", ReadExtent::AfterCheckpoint).unwrap_err(),
    );
    let writing_run = open_run_for_writing(&data_dir, &id, ReadExtent::AfterCheckpoint).unwrap();
    add_problem_to_page(
        &mut page,
        "someone plays it",
        &open_run_for_writing(&data_dir, &id, ReadExtent::AfterCheckpoint).unwrap_err(),
    );
    drop(writing_run);
    disk.write_file(&path, &original[..original.len() - 20]).unwrap();
    add_problem_to_page(
        &mut page,
        "a torn last line",
        &open_run().unwrap().torn_line_note.unwrap(),
    );
    disk.write_file(&path, &original[..original.len() - 1]).unwrap();
    add_problem_to_page(
        &mut page,
        "only the line break is missing",
        &open_run().unwrap().torn_line_note.unwrap(),
    );
    let mut bytes = original.clone();
    let last_index = bytes.len() - 1;
    bytes[last_index] = b' ';
    disk.write_file(&path, &bytes).unwrap();
    add_problem_to_page(
        &mut page,
        "the line break is another",
        &open_run().unwrap().damage.unwrap().problem,
    );
    bytes.clone_from(&original);
    bytes[last_index - 30] ^= 1;
    disk.write_file(&path, &bytes).unwrap();
    add_problem_to_page(&mut page, "a flipped bit", &open_run().unwrap().damage.unwrap().problem);
    let second_line_start = original.iter().position(|byte| *byte == b'\n').unwrap() + 1;
    bytes.clone_from(&original);
    bytes[second_line_start] = b'<';
    disk.write_file(&path, &bytes).unwrap();
    add_problem_to_page(
        &mut page,
        "another bracket, in the start",
        &open_run().unwrap().damage.unwrap().problem,
    );
    disk.write_file(&path, &original[..second_line_start]).unwrap();
    add_problem_to_page(
        &mut page,
        "cut before the checkpoint",
        &open_run().unwrap().damage.unwrap().problem,
    );
    disk.write_file(&path, &original[..40]).unwrap();
    add_problem_to_page(&mut page, "not even a head", &open_run().unwrap().damage.unwrap().problem);
    // Without its checkpoint the first line cannot be repaired.
    let moved_checkpoint = checkpoint.with_extension("away");
    disk.rename(&checkpoint, &moved_checkpoint).unwrap();
    add_problem_to_page(&mut page, "not even a head, and no checkpoint", &open_run().unwrap_err());
    disk.write_file(&path, b"").unwrap();
    add_problem_to_page(&mut page, "an empty file", &open_run().unwrap_err());
    disk.rename(&moved_checkpoint, &checkpoint).unwrap();
    disk.write_file(&path, &original).unwrap();
    disk.write_file(&checkpoint, b"{\"digest\":\"").unwrap();
    add_problem_to_page(&mut page, "a damaged checkpoint", &open_run().unwrap().warnings[0]);
    disk.create_folder(&data_dir.root().join("runs").join("bela-0001")).unwrap();
    disk.write_file(&data_dir.journal_path("bela-0001").unwrap(), &original).unwrap();
    add_problem_to_page(
        &mut page,
        "another's journal",
        &data_dir.open_run("bela-0001", ReadExtent::AfterCheckpoint).unwrap_err(),
    );
    assert_snapshot_of_page("save_runs", &page);
}

#[test]
fn profile_and_disk_problems_match_the_snapshot() {
    let mut page = String::new();
    let disk = FaultyDisk::new();
    let data_dir = data_dir_on(&disk);
    add_problem_to_page(&mut page, "no name", &data_dir.lock_profile(" ").unwrap_err());
    add_problem_to_page(
        &mut page,
        "a name with a trick",
        &data_dir.lock_profile("An\u{202e}na").unwrap_err(),
    );
    add_problem_to_page(&mut page, "no such profile", &data_dir.read_profile("anna").unwrap_err());
    let (mut locked_profile, _) = data_dir.lock_profile("Anna Lee").unwrap();
    add_problem_to_page(
        &mut page,
        "someone has it",
        &data_dir.lock_profile("anna-lee").unwrap_err(),
    );
    let mut writer = super::begin_run(&mut locked_profile, 7);
    disk.set_capacity(Some(disk.used_bytes() + 5));
    add_problem_to_page(
        &mut page,
        "a full disk",
        &writer.append(&result_entry(0), true).unwrap_err(),
    );
    disk.set_capacity(None);
    disk.fail_calls(0, 1);
    add_problem_to_page(
        &mut page,
        "a disk that does not answer",
        &writer.append(&result_entry(0), true).unwrap_err(),
    );
    locked_profile.update_profile(|profile| profile.last_run_number += 1).unwrap();
    drop(locked_profile);
    let path = data_dir.profile_path("anna-lee").unwrap();
    let previous_path = path.with_file_name("anna-lee.toml.previous");
    disk.write_file(&path, b"format = 1\nname = \"Anna\n").unwrap();
    add_problem_to_page(
        &mut page,
        "a damaged profile",
        &data_dir.lock_profile("Anna Lee").unwrap().1[0],
    );
    disk.write_file(&path, b"format = 1\n\nlast_run = \"x\"\n").unwrap();
    disk.write_file(&previous_path, b"=").unwrap();
    add_problem_to_page(
        &mut page,
        "and the one before too",
        &data_dir.lock_profile("Anna Lee").unwrap_err(),
    );
    disk.write_file(&path, b"format = 9\nname = \"Anna\"\n").unwrap();
    add_problem_to_page(
        &mut page,
        "a newer profile",
        &data_dir.lock_profile("Anna Lee").unwrap_err(),
    );
    let missing_content = data_dir.load_content_or_fallback(base::Digest::default()).unwrap_err();
    add_problem_to_page(&mut page, "content that was never kept", &missing_content);
    assert_snapshot_of_page("save_profiles_and_disks", &page);
}
