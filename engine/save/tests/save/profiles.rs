//! Profiles: runs are paid once, the previous version is stored, names are safe on every system.

use base::Value;
use protocol::award::{pay_award, pay_award_clamped};
use save::{Disk, Profile, file_slug};

use super::{GAME_ID, begin_run, data_dir_on, ended_entry, problem_codes, result_entry};
use crate::support::disk::FaultyDisk;

/// A disk with one run of Anna's that has ended and is paid.
fn disk_with_one_paid_run() -> FaultyDisk {
    let disk = FaultyDisk::new();
    let (mut locked_profile, _) = data_dir_on(&disk).lock_profile("Anna").unwrap();
    let mut writer = begin_run(&mut locked_profile, 7);
    writer.append_all(&[result_entry(0), ended_entry()], true).unwrap();
    assert!(locked_profile.pay_run(&mut writer).unwrap().is_newly_paid);
    assert!(!locked_profile.pay_run(&mut writer).unwrap().is_newly_paid, "once");
    disk
}

fn paid_experience(profile: &Profile) -> Option<i64> {
    profile.game_profile(GAME_ID).award_data.get("experience").and_then(Value::as_int)
}

#[test]
fn a_run_is_paid_once() {
    let disk = disk_with_one_paid_run();
    for _ in 0..3 {
        let (locked_profile, notes) = data_dir_on(&disk).lock_profile("Anna").unwrap();
        assert_eq!(notes, []);
        assert_eq!(paid_experience(locked_profile.profile()), Some(40));
    }
}

#[test]
fn the_next_run_adds_to_the_profile_and_has_another_seed() {
    let disk = disk_with_one_paid_run();
    let (mut locked_profile, _) = data_dir_on(&disk).lock_profile("Anna").unwrap();
    let mut writer = begin_run(&mut locked_profile, 8);
    assert_eq!(writer.run_id(), "anna-0002");
    assert_eq!(writer.header().profile.get("experience"), Some(&Value::Int(40)), "frozen in it");
    writer.append_all(&[result_entry(0), ended_entry()], true).unwrap();
    locked_profile.pay_run(&mut writer).unwrap();
    assert_eq!(paid_experience(locked_profile.profile()), Some(80));
    let game_profile = locked_profile.profile().game_profile(GAME_ID).award_data;
    assert_eq!(game_profile.get("found").and_then(Value::as_list).map(<[_]>::len), Some(2));
}

#[test]
fn a_damaged_profile_falls_back_to_the_previous_version() {
    let disk = disk_with_one_paid_run();
    let path = data_dir_on(&disk).profile_path("anna").unwrap();
    for damaged_bytes in [&b"\xff\xfe"[..], b"name = \"An", b"", b"format = 1\nname = 3\n"] {
        disk.write_file(&path, damaged_bytes).unwrap();
        let (locked_profile, notes) = data_dir_on(&disk).lock_profile("Anna").unwrap();
        assert_eq!(problem_codes(&notes), ["profile-damaged"]);
        assert_eq!(paid_experience(locked_profile.profile()), Some(40), "the journal knew");
        assert_ne!(locked_profile.profile().game_profile(GAME_ID).next_seed, Some(7));
    }
    let names = disk.list_folder(path.parent().unwrap()).unwrap();
    let damaged_count = names.iter().filter(|name| name.contains("damaged")).count();
    assert_eq!(damaged_count, 4, "{names:?}");
}

#[test]
fn every_flipped_bit_and_cut_of_a_profile_is_detected() {
    let disk = disk_with_one_paid_run();
    let data_dir = data_dir_on(&disk);
    let path = data_dir.profile_path("anna").unwrap();
    let original = disk.read_file(&path, u64::MAX).unwrap();
    let assert_detected = |bytes: &[u8], context: &str| {
        disk.write_file(&path, bytes).unwrap();
        let problem = data_dir.read_profile("anna").expect_err(context);
        assert_eq!(problem.code, "profile-damaged", "{context}");
        assert!(problem.place.is_some_and(|place| place.file.ends_with("anna.toml")), "{context}");
    };
    for offset in 0..original.len() {
        for bit in 0..8 {
            let mut bytes = original.clone();
            bytes[offset] ^= 1 << bit;
            assert_detected(&bytes, &format!("bit {bit} of byte {offset}"));
        }
        assert_detected(&original[..offset], &format!("cut at {offset}"));
    }
    let mut doubled_bytes = original.clone();
    doubled_bytes.extend_from_slice(&original);
    assert_detected(&doubled_bytes, "doubled");
    // Only a number changed: the previous profile is used, and the run is paid again.
    let text =
        String::from_utf8(original.clone()).unwrap().replace("experience = 40", "experience = 90");
    disk.write_file(&path, text.as_bytes()).unwrap();
    let (locked_profile, notes) = data_dir.lock_profile("Anna").unwrap();
    assert_eq!(
        (problem_codes(&notes), paid_experience(locked_profile.profile())),
        (vec!["profile-damaged"], Some(40))
    );
    assert!(notes[0].hint.as_ref().unwrap().contains("anna.damaged-1.toml"), "{}", notes[0]);
    drop(locked_profile);
    // By hand, as the Problem suggests.
    let body = text.split("\n# digest ").next().unwrap().replace("format = 2", "format = 1");
    disk.write_file(&path, body.as_bytes()).unwrap();
    assert_eq!(paid_experience(&data_dir.read_profile("anna").unwrap()), Some(90));
}

#[test]
fn a_profile_that_is_too_long_is_replaced_by_its_previous_version() {
    let disk = disk_with_one_paid_run();
    let path = data_dir_on(&disk).profile_path("anna").unwrap();
    disk.write_file(&path, &vec![b'#'; (64 << 20) + 1]).unwrap();
    let (locked_profile, notes) = data_dir_on(&disk).lock_profile("Anna").unwrap();
    assert_eq!(
        (problem_codes(&notes), paid_experience(locked_profile.profile())),
        (vec!["profile-damaged"], Some(40))
    );
    assert!(notes[0].message.contains("64 MiB"), "{}", notes[0]);
}

#[test]
fn a_missing_profile_is_rebuilt_from_its_runs() {
    let disk = disk_with_one_paid_run();
    let path = data_dir_on(&disk).profile_path("anna").unwrap();
    disk.rename(&path, &path.with_file_name("away.tom")).unwrap();
    let previous_path = path.with_file_name("anna.toml.previous");
    disk.rename(&previous_path, &path.with_file_name("away.tam")).unwrap();
    let (locked_profile, notes) = data_dir_on(&disk).lock_profile("Anna").unwrap();
    assert_eq!(notes, []);
    assert_eq!(paid_experience(locked_profile.profile()), Some(40));
    assert_eq!(
        (
            locked_profile.profile().last_run_number,
            locked_profile.profile().game_profile(GAME_ID).runs_started
        ),
        (1, 1)
    );
}

#[test]
fn a_newer_profile_is_not_overwritten_by_an_older_program() {
    let disk = disk_with_one_paid_run();
    let path = data_dir_on(&disk).profile_path("anna").unwrap();
    disk.write_file(&path, b"format = 3\nname = \"Anna\"\n").unwrap();
    assert_eq!(data_dir_on(&disk).lock_profile("Anna").unwrap_err().code, "profile-newer");
    assert_eq!(disk.read_file(&path, 100).unwrap(), b"format = 3\nname = \"Anna\"\n");
}

#[test]
fn unusual_data_is_read_back_unchanged() {
    let disk = FaultyDisk::new();
    let data = Value::map_of([
        ("", Value::from("")),
        ("a.b = \"c\"\n", Value::from("\u{1b}[31m \\ \" ''' \u{0} ☙")),
        ("list", Value::List(vec![Value::Int(i64::MIN), Value::Num(0.1), Value::from(true)])),
        ("tables", Value::List(vec![Value::map_of([("x", Value::Num(1e300))]), Value::map()])),
        ("deep", (0..20).fold(Value::Int(1), |inner, _| Value::map_of([("in", inner)]))),
        ("num", Value::Num(f64::MIN_POSITIVE)),
    ]);
    let (mut locked_profile, _) = data_dir_on(&disk).lock_profile("Žofie").unwrap();
    locked_profile
        .update_profile(|profile| profile.game_profile_mut(GAME_ID).award_data = data.clone())
        .unwrap();
    locked_profile.update_profile(|profile| profile.preferences = data.clone()).unwrap();
    let profile_read_back = data_dir_on(&disk).read_profile(locked_profile.id()).unwrap();
    assert_eq!(
        (profile_read_back.game_profile(GAME_ID).award_data, profile_read_back.preferences),
        (data.clone(), data)
    );
    assert_eq!(profile_read_back.name, "Žofie");
}

#[test]
fn slugs_are_safe_and_unique() {
    assert_eq!(file_slug("Anna Lee"), "anna-lee");
    assert_eq!(file_slug("  --Anna__Lee--  "), "anna-lee");
    let names = [
        "CON",
        "nul",
        "com1",
        "LPT9",
        "漢字",
        "漢語",
        "..",
        "/etc/passwd",
        "a:b",
        "ab",
        "Ana",
        "Aña",
        "Äna",
        "-",
    ];
    let slugs: std::collections::BTreeSet<String> =
        names.iter().map(|name| file_slug(name)).collect();
    assert_eq!(slugs.len(), names.len(), "{slugs:?}");
    for slug in slugs {
        assert!(
            slug.bytes()
                .all(|byte| byte.is_ascii_lowercase() || byte.is_ascii_digit() || byte == b'-')
        );
        assert!(!["con", "nul", "com1", "lpt9"].contains(&slug.as_str()));
    }
    assert!(file_slug(&"x".repeat(4000)).len() < 50);
    let disk = FaultyDisk::new();
    for name in ["", "   ", "two\nlines", "\u{1b}[31mred", "r\u{202e}tl", &"x".repeat(41)] {
        assert_eq!(data_dir_on(&disk).lock_profile(name).unwrap_err().code, "bad-name", "{name:?}");
    }
    let (mut locked_profile, _) =
        data_dir_on(&disk).lock_profile("A long name of 漢字 and of many letters").unwrap();
    locked_profile.update_profile(|_| ()).unwrap();
    let id = locked_profile.id().to_owned();
    drop(locked_profile);
    let (locked_profile, _) =
        data_dir_on(&disk).lock_profile(&id).unwrap_or_else(|problem| panic!("{problem}"));
    assert_eq!(locked_profile.profile().name, "A long name of 漢字 and of many letters");
}

#[test]
fn profile_payment_equals_the_sum_of_a_runs_awards() {
    let awards = [
        Value::map_of([("gold", Value::Int(3)), ("seen", Value::from(vec![Value::Int(1)]))]),
        Value::map_of([("gold", Value::Int(-5)), ("seen", Value::map())]),
        Value::map_of([
            ("best", Value::map_of([("time", Value::Num(0.5))])),
            ("last", Value::from("no")),
        ]),
        Value::map_of([(
            "best",
            Value::map_of([("time", Value::Num(0.25)), ("by", Value::from("a"))]),
        )]),
        Value::map_of([("best", Value::from(Vec::<Value>::new())), ("last", Value::from("yes"))]),
    ];
    let (mut clamped_sum, mut profile_data) = (Value::map(), base::value::ValueMap::new());
    for award in &awards {
        pay_award_clamped(&mut clamped_sum, award);
        pay_award(&mut profile_data, award.as_map().unwrap()).unwrap();
        assert_eq!(clamped_sum.as_map(), Some(&profile_data));
    }
    for incompatible_award in [
        Value::map_of([("gold", Value::from("all"))]),
        Value::map_of([("gold", Value::Int(1)), ("best", Value::map_of([("by", Value::Int(1))]))]),
        Value::map_of([("seen", Value::from("no"))]),
        Value::map_of([("last", Value::Bool(true))]),
    ] {
        let data_before = profile_data.clone();
        assert!(
            pay_award(&mut profile_data, incompatible_award.as_map().unwrap()).is_err(),
            "of another sort"
        );
        assert_eq!(profile_data, data_before);
    }
    pay_award_clamped(&mut clamped_sum, &Value::map_of([("gold", Value::from("all"))]));
    assert_eq!(clamped_sum.get("gold"), Some(&Value::Int(-2)), "existing data stays");
    let mut full_data = Value::map_of([("gold", Value::Int(1 << 53))]);
    pay_award_clamped(&mut full_data, &Value::map_of([("gold", Value::Int(i64::MAX))]));
    assert_eq!(full_data.get("gold"), Some(&Value::Int(1 << 53)), "never a reason not to be paid");
}

#[test]
fn the_profile_list_omits_backups() {
    let disk = disk_with_one_paid_run();
    let data_dir = data_dir_on(&disk);
    disk.write_file(&data_dir.profile_path("bela").unwrap(), b"=").unwrap();
    disk.write_file(&data_dir.root().join("profiles").join("anna.damaged-1.toml"), b"").unwrap();
    let lines = data_dir.list_profiles().unwrap();
    let ids: Vec<&str> = lines.iter().map(|line| line.profile_id.as_str()).collect();
    assert_eq!(ids, ["anna", "bela"]);
    assert_eq!(lines[0].profile.as_ref().unwrap().name, "Anna");
    assert!(lines[1].profile.is_err());
}

#[test]
fn a_full_disk_does_not_block_a_profile() {
    let disk = FaultyDisk::new();
    let (mut locked_profile, _) = data_dir_on(&disk).lock_profile("Anna").unwrap();
    let mut writer = begin_run(&mut locked_profile, 7);
    writer.append_all(&[result_entry(0), ended_entry()], true).unwrap();
    drop((locked_profile, writer));
    disk.set_capacity(Some(disk.used_bytes()));
    let (mut locked_profile, notes) = data_dir_on(&disk).lock_profile("Anna").unwrap();
    assert_eq!(problem_codes(&notes), ["disk-full"]);
    assert_eq!(
        paid_experience(locked_profile.profile()),
        Some(40),
        "paid here, if not yet on disk"
    );
    disk.set_capacity(None);
    locked_profile.update_profile(|_| ()).unwrap();
    assert_eq!(paid_experience(&data_dir_on(&disk).read_profile("anna").unwrap()), Some(40));
}
