//! Hostile mods, one after another: each is stopped and named, leaves the run unchanged, and the
//! process does not grow.

use super::hostile_mod::{HARMLESS_SCRIPT, hostile_mods};
use super::inn::{InnSession, inn_content};
use super::memory_growth::{MAX_LEFT_KIB, MemoryGrowth, run_in_own_process};
use crate::support::{count_from_env, is_thread_time_checked, thread_time_ms};

/// The maximum thread time of one in a step, in ms.
const MAX_THREAD_MS: u64 = 1_000;

/// The parts, each of fewer than a hundred mods. Each runs in its own process, because growth is
/// measured too: the caches of compiled scripts keep what they hold of each mod, up to their limit.
const PART_COUNT: usize = 3;

fn run_part_of_attacks(part_index: usize) {
    let mods = hostile_mods();
    // A count stops each of them: the deadline depends on other processes.
    assert!(
        mods.iter().all(|hostile_mod| hostile_mod.expected_code != "too-slow"),
        "one is ended by the clock"
    );
    assert!(mods.len() >= 120, "{} hostile mods are too few", mods.len());
    let (mut failures, mut attack_times) = (Vec::new(), Vec::new());
    let harmless_session = InnSession::begin(&inn_content("0.1.0", HARMLESS_SCRIPT)).unwrap();
    // One-time memory of ordinary work is part of the baseline.
    harmless_session.assert_replays("a quiet evening");
    let mut growth = MemoryGrowth::start();
    for hostile_mod in mods.iter().skip(part_index).step_by(PART_COUNT) {
        let mut ms = 0;
        let attack_problem = growth.measure(&hostile_mod.name, || {
            hostile_mod.run_attack_within(&mut |attack| {
                let start_ms = thread_time_ms();
                let problem = attack();
                ms = thread_time_ms().saturating_sub(start_ms);
                problem
            })
        });
        attack_times.push((ms, hostile_mod.name.clone()));
        failures.extend(hostile_mod.check_problem(attack_problem).err());
    }
    attack_times.sort_by(|first, second| second.cmp(first));
    attack_times.truncate(count_from_env("SUB_ROSA_SLOWEST", 12) as usize);
    super::record_figure(
        &format!("slowest_strangers_{part_index}"),
        &format!("ms of its thread: {attack_times:?}"),
    );
    assert!(!is_thread_time_checked() || attack_times[0].0 <= MAX_THREAD_MS, "{attack_times:?}");
    super::record_figure(
        &format!("strangers_{part_index}"),
        &format!("{} of {} wrong", failures.len(), mods.len() / PART_COUNT),
    );
    assert!(failures.is_empty(), "{} of {}:\n{}", failures.len(), mods.len(), failures.join("\n"));
    growth.assert_within_limits(&format!("growth_strangers_{part_index}"), MAX_LEFT_KIB);
}

#[test]
fn hostile_mods_are_stopped_named_and_leave_the_run_unchanged() {
    let name = "trust::hostile_mods::hostile_mods_are_stopped_named_and_leave_the_run_unchanged";
    run_in_own_process(name, || run_part_of_attacks(0));
}

#[test]
fn the_second_part_of_hostile_mods_are_stopped_and_named() {
    run_in_own_process(
        "trust::hostile_mods::the_second_part_of_hostile_mods_are_stopped_and_named",
        || run_part_of_attacks(1),
    );
}

#[test]
fn the_last_part_of_hostile_mods_are_stopped_and_named() {
    run_in_own_process(
        "trust::hostile_mods::the_last_part_of_hostile_mods_are_stopped_and_named",
        || run_part_of_attacks(2),
    );
}
