//! Planted faults: the check that is responsible for each must catch it.

use std::hash::{BuildHasher, RandomState};
use std::sync::Arc;

use engine::base::Value;
use engine::mods::load_order;
use engine::save::{DataDir, Disk, MemoryDisk, ReadExtent};
use engine::session::{self, Content, RunRequest};

use super::hostile_mod::HostileMod;
use super::inn::InnSession;
use crate::support::memory_runs::{self, choose, lock_ada};
use crate::support::{GAME, mod_from_text};

const ORCHARD: &str = r#"
start(function() state.basket, state.total, state.last = {}, 0, 0 go "trees" end)
scene "trees" {
  prompt = function() return { text = "Pick.", choices = { { id = "pick", label = "Pick" } } } end,
  on = { pick = function()
    for _, name in ipairs { "apple", "pear", "plum", "quince", "medlar" } do
      state.basket[#state.basket + 1] = name
    end
    local face = roll("1d20", "ladder")
    state.last = face
    state.total += face
    say "You come down."
  end },
}
"#;
const NAMES: [&str; 5] = ["apple", "pear", "plum", "quince", "medlar"];

fn content(text: &str) -> Content {
    let mods = load_order(vec![mod_from_text(GAME, &[("main.luau", text)])]).unwrap();
    Content { mods, settings: Value::map() }
}

/// A run of a few steps on an in-memory disk.
fn orchard_run() -> DataDir {
    let (_, data_dir) = memory_runs::data_dir();
    let mut session = memory_runs::begin(&mut lock_ada(&data_dir), content(ORCHARD), 3).session;
    for _ in 0..4 {
        choose(&mut session, "pick");
    }
    data_dir
}

/// The replay's report if the program did this instead.
fn replay_difference(data_dir: &DataDir, instead: &str) -> String {
    assert_ne!(instead, ORCHARD, "nothing was planted");
    let problem = session::verify_run_with_content(data_dir, "ada-0001", &content(instead))
        .expect_err("not caught");
    assert_eq!(problem.code, "diverged");
    let shown = problem.to_string();
    assert!(shown.contains("step 1 "), "it names the step: {shown}");
    assert!(shown.contains("game/main.luau:5"), "it names the mod and the line: {shown}");
    shown
}

#[test]
fn faults_that_are_planted_are_caught_and_named() {
    let data_dir = orchard_run();
    assert_eq!(
        session::verify_run_with_content(&data_dir, "ada-0001", &content(ORCHARD)).unwrap(),
        4,
        "no fault, no word"
    );
    // A loop in hash order, which differs between processes.
    let mut names = NAMES;
    while names == NAMES {
        let hashes = RandomState::new();
        names.sort_by_key(|name| hashes.hash_one(name));
    }
    let list = names.map(|name| format!("\"{name}\"")).join(", ");
    let hashed = ORCHARD.replace(r#""apple", "pear", "plum", "quince", "medlar""#, &list);
    assert!(replay_difference(&data_dir, &hashed).contains("state.basket"), "the path");
    // A clock.
    #[allow(clippy::disallowed_methods)] // it is the fault
    let now = std::time::SystemTime::UNIX_EPOCH.elapsed().unwrap().as_secs();
    let clock = ORCHARD.replace("state.last = face", &format!("state.last = {now}"));
    let shown = replay_difference(&data_dir, &clock);
    assert!(shown.contains("state.last") && !shown.contains("state.total"), "{shown}");
    // A lost write.
    let lost = ORCHARD.replace("    state.total += face\n", "");
    assert!(replay_difference(&data_dir, &lost).contains("what differs: state.total"));
    // A surplus draw.
    let draw = ORCHARD.replace("local face", "chance(1, 2, \"ladder\") local face");
    let shown = replay_difference(&data_dir, &draw);
    assert!(shown.contains("dice game:ladder"), "the stream: {shown}");
    assert!(shown.contains("the roll 1d20 from game:ladder by game/main.luau:9"), "{shown}");
}

/// A disk that reports a write that did not happen, and one that reorders writes.
#[test]
fn a_disk_that_lies_is_caught() {
    let disk = MemoryDisk::new();
    let data_dir = DataDir::on_disk(Arc::new(disk.clone()), "data");
    let (mut held, _) = data_dir.lock_profile("Ada").unwrap();
    let wish = RunRequest {
        content: content(ORCHARD),
        options: Value::map(),
        seed: Some(3),
        practice: false,
    };
    let mut session = session::start_run(&mut held, wish, &mut || 3).unwrap().session;
    let path = data_dir.journal_path("ada-0001").unwrap();
    let pick = engine::protocol::Input::Choice("pick".to_owned());
    session.answer(&pick).unwrap();
    let before = disk.read(&path, u64::MAX).unwrap();
    session.answer(&pick).unwrap();
    let behind = disk.read(&path, u64::MAX).unwrap().len();
    session.answer(&pick).unwrap();
    let whole = disk.read(&path, u64::MAX).unwrap();
    // The bytes of the second step never reached the disk.
    disk.write(&path, &[&before[..], &whole[behind..]].concat()).unwrap();
    let damage = data_dir.open("ada-0001", ReadExtent::All).unwrap().damage.expect("a lost write");
    assert_eq!(damage.last_good_step, Some(1));
    // The third came before the second.
    let swapped = [&before[..], &whole[behind..], &whole[before.len()..behind]].concat();
    disk.write(&path, &swapped).unwrap();
    assert!(data_dir.open("ada-0001", ReadExtent::All).unwrap().damage.is_some(), "another order");
}

/// The check of hostile mods is tested: a harmless mod, and a wrong attribution, fail.
#[test]
fn the_check_of_hostile_mods_detects_planted_faults() {
    let stranger = |text: &str, expect: &str| HostileMod {
        name: "planted".to_owned(),
        at: "knock".to_owned(),
        expect: expect.to_owned(),
        text: text.to_owned(),
    };
    let harmless = stranger("after('knock', function() end)", "out-of-fuel");
    assert!(harmless.check(harmless.attack()).is_err(), "nothing came of it");
    let other = stranger("after('knock', function() error 'no' end)", "out-of-fuel");
    assert!(other.check(other.attack()).is_err(), "something else came of it");
    let mut found = other.attack().unwrap();
    found.code = engine::base::Code::OutOfFuel;
    found.place = None;
    found.trail.clear();
    assert!(other.check(Some(found)).is_err(), "no mod is named");
    // The session detects a step that differs.
    let evening = InnSession::begin(&super::inn::inn("0.1.0", "local x = 0")).unwrap();
    evening.check("a quiet evening");
}
