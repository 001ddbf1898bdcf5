//! Profiles: runs are paid once, the previous version is stored, names are safe on every system.

use engine::base::Value;
use engine::protocol::award::{pay_award, pay_award_clamped};
use engine::save::{Disk, Profile, slug};

use super::{GAME, begin, codes, ended, open_data, result};
use crate::support::disk::FaultyDisk;

/// A disk with one run of Anna's that has ended and is paid.
fn one_run() -> FaultyDisk {
    let disk = FaultyDisk::new();
    let (mut held, _) = open_data(&disk).lock_profile("Anna").unwrap();
    let mut writer = begin(&mut held, 7);
    writer.append_all(&[result(0), ended()], true).unwrap();
    assert!(held.pay_run(&mut writer).unwrap().is_newly_paid);
    assert!(!held.pay_run(&mut writer).unwrap().is_newly_paid, "once");
    disk
}

fn experience(profile: &Profile) -> Option<i64> {
    profile.game(GAME).data.get("experience").and_then(Value::as_int)
}

#[test]
fn a_run_is_paid_for_once_however_often_it_is_asked() {
    let disk = one_run();
    for _ in 0..3 {
        let (held, told) = open_data(&disk).lock_profile("Anna").unwrap();
        assert_eq!(told, []);
        assert_eq!(experience(held.profile()), Some(40));
    }
}

#[test]
fn the_next_run_adds_to_what_is_there_and_has_another_seed() {
    let disk = one_run();
    let (mut held, _) = open_data(&disk).lock_profile("Anna").unwrap();
    let mut writer = begin(&mut held, 8);
    assert_eq!(writer.run_id(), "anna-0002");
    assert_eq!(writer.header().profile.get("experience"), Some(&Value::Int(40)), "frozen in it");
    writer.append_all(&[result(0), ended()], true).unwrap();
    held.pay_run(&mut writer).unwrap();
    assert_eq!(experience(held.profile()), Some(80));
    let found = held.profile().game(GAME).data;
    assert_eq!(found.get("found").and_then(Value::as_list).map(<[_]>::len), Some(2));
}

#[test]
fn a_damaged_profile_falls_back_to_the_one_before_and_is_paid_again() {
    let disk = one_run();
    let path = open_data(&disk).profile_path("anna").unwrap();
    for damage in [&b"\xff\xfe"[..], b"name = \"An", b"", b"format = 1\nname = 3\n"] {
        disk.write(&path, damage).unwrap();
        let (held, told) = open_data(&disk).lock_profile("Anna").unwrap();
        assert_eq!(codes(&told), ["profile-damaged"]);
        assert_eq!(experience(held.profile()), Some(40), "the journal knew");
        assert_ne!(held.profile().game(GAME).next_seed, Some(7));
    }
    let names = disk.list(path.parent().unwrap()).unwrap();
    let kept = names.iter().filter(|name| name.contains("damaged")).count();
    assert_eq!(kept, 4, "{names:?}");
}

#[test]
fn every_flipped_bit_and_every_cut_of_a_profile_is_noticed() {
    let disk = one_run();
    let data_dir = open_data(&disk);
    let path = data_dir.profile_path("anna").unwrap();
    let whole = disk.read(&path, u64::MAX).unwrap();
    let noticed = |bytes: &[u8], what: &str| {
        disk.write(&path, bytes).unwrap();
        let problem = data_dir.read_profile("anna").expect_err(what);
        assert_eq!(problem.code, "profile-damaged", "{what}");
        assert!(problem.place.is_some_and(|place| place.file.ends_with("anna.toml")), "{what}");
    };
    for at in 0..whole.len() {
        for bit in 0..8 {
            let mut bytes = whole.clone();
            bytes[at] ^= 1 << bit;
            noticed(&bytes, &format!("bit {bit} of byte {at}"));
        }
        noticed(&whole[..at], &format!("cut at {at}"));
    }
    let mut doubled = whole.clone();
    doubled.extend_from_slice(&whole);
    noticed(&doubled, "doubled");
    // Only a number changed: the previous profile is used, and the run is paid again.
    let text =
        String::from_utf8(whole.clone()).unwrap().replace("experience = 40", "experience = 90");
    disk.write(&path, text.as_bytes()).unwrap();
    let (held, told) = data_dir.lock_profile("Anna").unwrap();
    assert_eq!((codes(&told), experience(held.profile())), (vec!["profile-damaged"], Some(40)));
    assert!(told[0].hint.as_ref().unwrap().contains("anna.damaged-1.toml"), "{}", told[0]);
    drop(held);
    // By hand, as the Problem suggests.
    let body = text.split("\n# digest ").next().unwrap().replace("format = 2", "format = 1");
    disk.write(&path, body.as_bytes()).unwrap();
    assert_eq!(experience(&data_dir.read_profile("anna").unwrap()), Some(90));
}

#[test]
fn a_profile_that_is_too_long_is_replaced_by_its_previous_version() {
    let disk = one_run();
    let path = open_data(&disk).profile_path("anna").unwrap();
    disk.write(&path, &vec![b'#'; (64 << 20) + 1]).unwrap();
    let (held, told) = open_data(&disk).lock_profile("Anna").unwrap();
    assert_eq!((codes(&told), experience(held.profile())), (vec!["profile-damaged"], Some(40)));
    assert!(told[0].message.contains("64 MiB"), "{}", told[0]);
}

#[test]
fn a_profile_that_is_gone_is_made_again_from_its_runs() {
    let disk = one_run();
    let path = open_data(&disk).profile_path("anna").unwrap();
    disk.rename(&path, &path.with_file_name("away.tom")).unwrap();
    let before = path.with_file_name("anna.toml.previous");
    disk.rename(&before, &path.with_file_name("away.tam")).unwrap();
    let (held, told) = open_data(&disk).lock_profile("Anna").unwrap();
    assert_eq!(told, []);
    assert_eq!(experience(held.profile()), Some(40));
    assert_eq!((held.profile().last_run, held.profile().game(GAME).runs_started), (1, 1));
}

#[test]
fn a_profile_is_never_written_over_by_an_older_program() {
    let disk = one_run();
    let path = open_data(&disk).profile_path("anna").unwrap();
    disk.write(&path, b"format = 3\nname = \"Anna\"\n").unwrap();
    assert_eq!(open_data(&disk).lock_profile("Anna").unwrap_err().code, "profile-newer");
    assert_eq!(disk.read(&path, 100).unwrap(), b"format = 3\nname = \"Anna\"\n");
}

#[test]
fn strange_data_comes_back_as_it_was() {
    let disk = FaultyDisk::new();
    let data = Value::map_of([
        ("", Value::from("")),
        ("a.b = \"c\"\n", Value::from("\u{1b}[31m \\ \" ''' \u{0} ☙")),
        ("list", Value::List(vec![Value::Int(i64::MIN), Value::Num(0.1), Value::from(true)])),
        ("tables", Value::List(vec![Value::map_of([("x", Value::Num(1e300))]), Value::map()])),
        ("deep", (0..20).fold(Value::Int(1), |inner, _| Value::map_of([("in", inner)]))),
        ("num", Value::Num(f64::MIN_POSITIVE)),
    ]);
    let (mut held, _) = open_data(&disk).lock_profile("Žofie").unwrap();
    held.update_profile(|profile| profile.game_mut(GAME).data = data.clone()).unwrap();
    held.update_profile(|profile| profile.preferences = data.clone()).unwrap();
    let back = open_data(&disk).read_profile(held.id()).unwrap();
    assert_eq!((back.game(GAME).data, back.preferences), (data.clone(), data));
    assert_eq!(back.name, "Žofie");
}

#[test]
fn names_are_safe_and_never_two_for_one() {
    assert_eq!(slug("Anna Lee"), "anna-lee");
    assert_eq!(slug("  --Anna__Lee--  "), "anna-lee");
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
    let slugs: std::collections::BTreeSet<String> = names.iter().map(|name| slug(name)).collect();
    assert_eq!(slugs.len(), names.len(), "{slugs:?}");
    for slug in slugs {
        assert!(slug.bytes().all(|b| b.is_ascii_lowercase() || b.is_ascii_digit() || b == b'-'));
        assert!(!["con", "nul", "com1", "lpt9"].contains(&slug.as_str()));
    }
    assert!(slug(&"x".repeat(4000)).len() < 50);
    let disk = FaultyDisk::new();
    for name in ["", "   ", "two\nlines", "\u{1b}[31mred", "r\u{202e}tl", &"x".repeat(41)] {
        assert_eq!(open_data(&disk).lock_profile(name).unwrap_err().code, "bad-name", "{name:?}");
    }
    let (mut held, _) =
        open_data(&disk).lock_profile("A long name of 漢字 and of many letters").unwrap();
    held.update_profile(|_| ()).unwrap();
    let id = held.id().to_owned();
    drop(held);
    let (held, _) = open_data(&disk).lock_profile(&id).unwrap_or_else(|p| panic!("{p}"));
    assert_eq!(held.profile().name, "A long name of 漢字 and of many letters");
}

#[test]
fn a_profile_is_paid_as_a_run_adds_up_its_awards() {
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
    let (mut here, mut there) = (Value::map(), engine::base::value::Map::new());
    for award in &awards {
        pay_award_clamped(&mut here, award);
        pay_award(&mut there, award.as_map().unwrap()).unwrap();
        assert_eq!(here.as_map(), Some(&there));
    }
    for other in [
        Value::map_of([("gold", Value::from("all"))]),
        Value::map_of([("gold", Value::Int(1)), ("best", Value::map_of([("by", Value::Int(1))]))]),
        Value::map_of([("seen", Value::from("no"))]),
        Value::map_of([("last", Value::Bool(true))]),
    ] {
        let before = there.clone();
        assert!(pay_award(&mut there, other.as_map().unwrap()).is_err(), "of another sort");
        assert_eq!(there, before);
    }
    pay_award_clamped(&mut here, &Value::map_of([("gold", Value::from("all"))]));
    assert_eq!(here.get("gold"), Some(&Value::Int(-2)), "existing data stays");
    let mut full = Value::map_of([("gold", Value::Int(1 << 53))]);
    pay_award_clamped(&mut full, &Value::map_of([("gold", Value::Int(i64::MAX))]));
    assert_eq!(full.get("gold"), Some(&Value::Int(1 << 53)), "never a reason not to be paid");
}

#[test]
fn the_profile_list_omits_backups() {
    let disk = one_run();
    let data_dir = open_data(&disk);
    disk.write(&data_dir.profile_path("bela").unwrap(), b"=").unwrap();
    disk.write(&data_dir.root().join("profiles").join("anna.damaged-1.toml"), b"").unwrap();
    let lines = data_dir.list_profiles().unwrap();
    let ids: Vec<&str> = lines.iter().map(|line| line.profile_id.as_str()).collect();
    assert_eq!(ids, ["anna", "bela"]);
    assert_eq!(lines[0].profile.as_ref().unwrap().name, "Anna");
    assert!(lines[1].profile.is_err());
}

#[test]
fn a_full_disk_keeps_nobody_from_their_profile() {
    let disk = FaultyDisk::new();
    let (mut held, _) = open_data(&disk).lock_profile("Anna").unwrap();
    let mut writer = begin(&mut held, 7);
    writer.append_all(&[result(0), ended()], true).unwrap();
    drop((held, writer));
    disk.set_room(Some(disk.used()));
    let (mut held, told) = open_data(&disk).lock_profile("Anna").unwrap();
    assert_eq!(codes(&told), ["disk-full"]);
    assert_eq!(experience(held.profile()), Some(40), "paid here, if not yet on disk");
    disk.set_room(None);
    held.update_profile(|_| ()).unwrap();
    assert_eq!(experience(&open_data(&disk).read_profile("anna").unwrap()), Some(40));
}
