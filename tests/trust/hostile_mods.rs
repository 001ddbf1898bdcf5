//! Hostile mods, one after another: each is stopped and named, leaves the run unchanged, and the
//! process does not grow.

use super::hostile_mod::{HARMLESS, strangers};
use super::inn::{InnSession, inn};
use super::memory_growth::{LEFT, MemoryGrowth, run_in_own_process};
use crate::support::{count_from_env, thread_ms};

/// The maximum thread time of one in a step, in ms.
const MOST_MS: u64 = 1_000;

/// One of two halves, so that two threads have work. Each runs in its own process, because growth
/// is measured too.
fn attack_half(half: usize) {
    let all = strangers();
    // A count stops each of them: the deadline depends on other processes.
    assert!(all.iter().all(|one| one.expect != "too-slow"), "one is ended by the clock");
    assert!(all.len() >= 120, "{} hostile mods are too few", all.len());
    let (mut wrong, mut took) = (Vec::new(), Vec::new());
    let quiet = InnSession::begin(&inn("0.1.0", HARMLESS)).unwrap();
    let mut growth = MemoryGrowth::watch();
    quiet.check("a quiet evening");
    for one in all.iter().skip(half).step_by(2) {
        let mut ms = 0;
        let struck = growth.of(&one.name, || {
            one.attack_within(&mut |harm| {
                let begun = thread_ms();
                let problem = harm();
                ms = thread_ms().saturating_sub(begun);
                problem
            })
        });
        took.push((ms, one.name.clone()));
        wrong.extend(one.check(struck).err());
    }
    took.sort_by(|one, next| next.cmp(one));
    took.truncate(12);
    super::figure(&format!("slowest_strangers_{half}"), &format!("ms of its thread: {took:?}"));
    // The time is checked only in an optimized build where little else runs.
    let full = count_from_env("SUB_ROSA_FULL", 0) > 0;
    assert!(!full || took[0].0 <= MOST_MS, "{took:?}");
    super::figure(
        &format!("strangers_{half}"),
        &format!("{} of {} wrong", wrong.len(), all.len() / 2),
    );
    assert!(wrong.is_empty(), "{} of {}:\n{}", wrong.len(), all.len(), wrong.join("\n"));
    growth.check(&format!("growth_strangers_{half}"), LEFT);
}

#[test]
fn hostile_mods_are_stopped_named_and_leave_the_run_unchanged() {
    let name = "trust::hostile_mods::hostile_mods_are_stopped_named_and_leave_the_run_unchanged";
    run_in_own_process(name, || attack_half(0));
}

#[test]
fn the_other_half_of_the_hostile_mods_too() {
    run_in_own_process("trust::hostile_mods::the_other_half_of_the_hostile_mods_too", || {
        attack_half(1)
    });
}
