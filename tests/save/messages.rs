//! Snapshots of the messages about damaged and missing data.

use engine::base::Problem;
use engine::save::{Disk, ReadExtent, open_run_for_writing};

use super::{open_data, result, two_steps};
use crate::support::disk::FaultyDisk;

fn keep(name: &str, page: &str) {
    insta::with_settings!({ snapshot_path => "../snapshots", prepend_module_to_snapshot => false }, {
        insta::assert_snapshot!(name, page.trim_end());
    });
}

fn add(page: &mut String, what: &str, problem: &Problem) {
    let process = format!("process {}", std::process::id());
    let text = problem.to_string().replace(&process, "process 4711");
    page.push_str(&format!("## {what}\n{text}\n\n"));
}

#[test]
fn what_is_said_of_runs() {
    let mut page = String::new();
    let disk = FaultyDisk::new();
    let data_dir = open_data(&disk);
    let id = two_steps(&disk);
    let path = data_dir.journal_path(&id).unwrap();
    let checkpoint = path.with_file_name("checkpoint.json");
    let whole = disk.read(&path, u64::MAX).unwrap();
    let open = || open_data(&disk).open(&id, ReadExtent::AfterCheckpoint);

    add(
        &mut page,
        "no such run",
        &open_run_for_writing(&data_dir, "anna-0009", ReadExtent::AfterCheckpoint).unwrap_err(),
    );
    add(
        &mut page,
        "a name that leads out",
        &data_dir.open("../x", ReadExtent::AfterCheckpoint).unwrap_err(),
    );
    let held = open_run_for_writing(&data_dir, &id, ReadExtent::AfterCheckpoint).unwrap();
    add(
        &mut page,
        "someone plays it",
        &open_run_for_writing(&data_dir, &id, ReadExtent::AfterCheckpoint).unwrap_err(),
    );
    drop(held);
    disk.write(&path, &whole[..whole.len() - 20]).unwrap();
    add(&mut page, "a torn last line", &open().unwrap().torn_line_note.unwrap());
    disk.write(&path, &whole[..whole.len() - 1]).unwrap();
    add(&mut page, "only the line break is missing", &open().unwrap().torn_line_note.unwrap());
    let mut bytes = whole.clone();
    let last = bytes.len() - 1;
    bytes[last] = b' ';
    disk.write(&path, &bytes).unwrap();
    add(&mut page, "the line break is another", &open().unwrap().damage.unwrap().problem);
    bytes.clone_from(&whole);
    bytes[last - 30] ^= 1;
    disk.write(&path, &bytes).unwrap();
    add(&mut page, "a flipped bit", &open().unwrap().damage.unwrap().problem);
    let second = whole.iter().position(|byte| *byte == b'\n').unwrap() + 1;
    bytes.clone_from(&whole);
    bytes[second] = b'<';
    disk.write(&path, &bytes).unwrap();
    add(&mut page, "another bracket, in the start", &open().unwrap().damage.unwrap().problem);
    disk.write(&path, &whole[..second]).unwrap();
    add(&mut page, "cut before the checkpoint", &open().unwrap().damage.unwrap().problem);
    disk.write(&path, &whole[..40]).unwrap();
    add(&mut page, "not even a head", &open().unwrap().damage.unwrap().problem);
    // Without its checkpoint the first line cannot be repaired.
    let away = checkpoint.with_extension("away");
    disk.rename(&checkpoint, &away).unwrap();
    add(&mut page, "not even a head, and no checkpoint", &open().unwrap_err());
    disk.write(&path, b"").unwrap();
    add(&mut page, "an empty file", &open().unwrap_err());
    disk.rename(&away, &checkpoint).unwrap();
    disk.write(&path, &whole).unwrap();
    disk.write(&checkpoint, b"{\"digest\":\"").unwrap();
    add(&mut page, "a damaged checkpoint", &open().unwrap().notes[0]);
    disk.make_folder(&data_dir.root().join("runs").join("bela-0001")).unwrap();
    disk.write(&data_dir.journal_path("bela-0001").unwrap(), &whole).unwrap();
    add(
        &mut page,
        "another's journal",
        &data_dir.open("bela-0001", ReadExtent::AfterCheckpoint).unwrap_err(),
    );
    keep("save_runs", &page);
}

#[test]
fn what_is_said_of_profiles_and_disks() {
    let mut page = String::new();
    let disk = FaultyDisk::new();
    let data_dir = open_data(&disk);
    add(&mut page, "no name", &data_dir.lock_profile(" ").unwrap_err());
    add(&mut page, "a name with a trick", &data_dir.lock_profile("An\u{202e}na").unwrap_err());
    add(&mut page, "no such profile", &data_dir.read_profile("anna").unwrap_err());
    let (mut held, _) = data_dir.lock_profile("Anna Lee").unwrap();
    add(&mut page, "someone has it", &data_dir.lock_profile("anna-lee").unwrap_err());
    let mut writer = super::begin(&mut held, 7);
    disk.set_room(Some(disk.used() + 5));
    add(&mut page, "a full disk", &writer.append(&result(0), true).unwrap_err());
    disk.set_room(None);
    disk.fail(0, 1);
    add(&mut page, "a disk that does not answer", &writer.append(&result(0), true).unwrap_err());
    held.update_profile(|profile| profile.last_run += 1).unwrap();
    drop(held);
    let path = data_dir.profile_path("anna-lee").unwrap();
    let previous = path.with_file_name("anna-lee.toml.previous");
    disk.write(&path, b"format = 1\nname = \"Anna\n").unwrap();
    add(&mut page, "a damaged profile", &data_dir.lock_profile("Anna Lee").unwrap().1[0]);
    disk.write(&path, b"format = 1\n\nlast_run = \"x\"\n").unwrap();
    disk.write(&previous, b"=").unwrap();
    add(&mut page, "and the one before too", &data_dir.lock_profile("Anna Lee").unwrap_err());
    disk.write(&path, b"format = 9\nname = \"Anna\"\n").unwrap();
    add(&mut page, "a newer profile", &data_dir.lock_profile("Anna Lee").unwrap_err());
    let nothing = data_dir.load_content(engine::base::Digest::default()).unwrap_err();
    add(&mut page, "content that was never kept", &nothing);
    keep("save_profiles_and_disks", &page);
}
