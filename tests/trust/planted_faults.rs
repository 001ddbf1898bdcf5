//! Planted faults: the check that is responsible for each must catch it.

use std::hash::{BuildHasher, RandomState};
use std::sync::Arc;

use base::Value;
use mods::sort_into_load_order;
use save::{DataDir, Disk, MemoryDisk, ReadExtent};
use session::{RunContent, RunRequest};

use super::hostile_mod::HostileMod;
use super::inn::InnSession;
use crate::support::memory_runs::{self, choose, lock_profile_of_ada};
use crate::support::{GAME_MANIFEST, mod_from_text};

const ORCHARD_SCRIPT: &str = r#"
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
const FRUIT_NAMES: [&str; 5] = ["apple", "pear", "plum", "quince", "medlar"];

fn content_from_script(text: &str) -> RunContent {
    let mods =
        sort_into_load_order(vec![mod_from_text(GAME_MANIFEST, &[("main.luau", text)])]).unwrap();
    RunContent { mods, settings: Value::map() }
}

/// A run of a few steps on an in-memory disk.
fn write_orchard_run() -> DataDir {
    let (_, data_dir) = memory_runs::memory_data_dir();
    let mut session = memory_runs::begin_run(
        &mut lock_profile_of_ada(&data_dir),
        content_from_script(ORCHARD_SCRIPT),
        3,
    )
    .session;
    for _ in 0..4 {
        choose(&mut session, "pick");
    }
    data_dir
}

/// The replay's report if the program did this instead.
fn replay_difference(data_dir: &DataDir, other_script: &str) -> String {
    assert_ne!(other_script, ORCHARD_SCRIPT, "nothing was planted");
    let problem =
        session::verify_run_with_content(data_dir, "ada-0001", &content_from_script(other_script))
            .expect_err("not caught");
    assert_eq!(problem.code, "diverged");
    let message = problem.to_string();
    assert!(message.contains("step 1 "), "it names the step: {message}");
    assert!(message.contains("game/main.luau:5"), "it names the mod and the line: {message}");
    message
}

#[test]
fn planted_faults_are_detected_and_named() {
    let data_dir = write_orchard_run();
    assert_eq!(
        session::verify_run_with_content(
            &data_dir,
            "ada-0001",
            &content_from_script(ORCHARD_SCRIPT)
        )
        .unwrap(),
        4,
        "no fault, no word"
    );
    // A loop in hash order, which differs between processes.
    let mut names = FRUIT_NAMES;
    while names == FRUIT_NAMES {
        let hash_state = RandomState::new();
        names.sort_by_key(|name| hash_state.hash_one(name));
    }
    let fruit_list = names.map(|name| format!("\"{name}\"")).join(", ");
    let hash_order_script =
        ORCHARD_SCRIPT.replace(r#""apple", "pear", "plum", "quince", "medlar""#, &fruit_list);
    assert!(replay_difference(&data_dir, &hash_order_script).contains("state.basket"), "the path");
    // A clock.
    #[allow(clippy::disallowed_methods)] // it is the fault
    let unix_seconds = std::time::SystemTime::UNIX_EPOCH.elapsed().unwrap().as_secs();
    let clock_script =
        ORCHARD_SCRIPT.replace("state.last = face", &format!("state.last = {unix_seconds}"));
    let message = replay_difference(&data_dir, &clock_script);
    assert!(message.contains("state.last") && !message.contains("state.total"), "{message}");
    // A lost write.
    let lost_write_script = ORCHARD_SCRIPT.replace("    state.total += face\n", "");
    assert!(replay_difference(&data_dir, &lost_write_script).contains("what differs: state.total"));
    // A surplus draw.
    let extra_draw_script =
        ORCHARD_SCRIPT.replace("local face", "chance(1, 2, \"ladder\") local face");
    let message = replay_difference(&data_dir, &extra_draw_script);
    assert!(message.contains("dice game:ladder"), "the stream: {message}");
    assert!(message.contains("the roll 1d20 from game:ladder by game/main.luau:9"), "{message}");
}

/// A disk that reports a write that did not happen, and one that reorders writes.
#[test]
fn a_disk_that_loses_or_reorders_writes_is_detected() {
    let disk = MemoryDisk::new();
    let data_dir = DataDir::with_disk(Arc::new(disk.clone()), "data");
    let (mut locked_profile, _) = data_dir.lock_profile("Ada").unwrap();
    let request = RunRequest {
        content: content_from_script(ORCHARD_SCRIPT),
        options: Value::map(),
        seed: Some(3),
        is_practice: false,
    };
    let mut session = session::start_run(&mut locked_profile, request, &mut || 3).unwrap().session;
    let path = data_dir.journal_path("ada-0001").unwrap();
    let pick = protocol::Input::Choice("pick".to_owned());
    session.answer_prompt(&pick).unwrap();
    let first_step_bytes = disk.read_file(&path, u64::MAX).unwrap();
    session.answer_prompt(&pick).unwrap();
    let second_step_end = disk.read_file(&path, u64::MAX).unwrap().len();
    session.answer_prompt(&pick).unwrap();
    let journal = disk.read_file(&path, u64::MAX).unwrap();
    // The bytes of the second step never reached the disk.
    disk.write_file(&path, &[&first_step_bytes[..], &journal[second_step_end..]].concat()).unwrap();
    let damage =
        data_dir.open_run("ada-0001", ReadExtent::All).unwrap().damage.expect("a lost write");
    assert_eq!(damage.last_valid_step, Some(1));
    // The third came before the second.
    let reordered_journal = [
        &first_step_bytes[..],
        &journal[second_step_end..],
        &journal[first_step_bytes.len()..second_step_end],
    ]
    .concat();
    disk.write_file(&path, &reordered_journal).unwrap();
    assert!(
        data_dir.open_run("ada-0001", ReadExtent::All).unwrap().damage.is_some(),
        "another order"
    );
}

/// The check of hostile mods is tested: a harmless mod, and a wrong attribution, fail.
#[test]
fn the_check_of_hostile_mods_detects_planted_faults() {
    let hostile_mod = |text: &str, expected_code: &str| HostileMod {
        name: "planted".to_owned(),
        acts_at: "knock".to_owned(),
        expected_code: expected_code.to_owned(),
        text: text.to_owned(),
    };
    let harmless = hostile_mod("after('knock', function() end)", "out-of-fuel");
    assert!(harmless.check_problem(harmless.run_attack()).is_err(), "nothing came of it");
    let other_error = hostile_mod("after('knock', function() error 'no' end)", "out-of-fuel");
    assert!(
        other_error.check_problem(other_error.run_attack()).is_err(),
        "something else came of it"
    );
    let mut problem = other_error.run_attack().unwrap();
    problem.code = base::Code::OutOfFuel;
    problem.place = None;
    problem.related_locations.clear();
    assert!(other_error.check_problem(Some(problem)).is_err(), "no mod is named");
    // The session detects a step that differs.
    let inn_session = InnSession::begin(&super::inn::inn_content("0.1.0", "local x = 0")).unwrap();
    inn_session.assert_replays("a quiet evening");
}
