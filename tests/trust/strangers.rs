//! Mods that mean harm, struck one after another; each is stopped, named, leaves the run as it was,
//! and the process no larger.

use super::growth::{Growth, LEFT, alone};
use super::inn::{Evening, inn};
use super::stranger::{HARMLESS, strangers};
use crate::support::{asked_for, thread_ms};

/// Most that one of them may have of its thread's time in a step, in ms.
const MOST_MS: u64 = 1_000;

/// Which of all: two halves, so that two threads have work. Each in a process of its own, since how
/// much it grows is looked at too.
fn strike_all(half: usize) {
    let all = strangers();
    // A count ends each of them: what the clock ends depends on who else uses the machine.
    assert!(all.iter().all(|one| one.expect != "too-slow"), "one is ended by the clock");
    assert!(all.len() >= 120, "{} hostile mods are too few", all.len());
    let (mut wrong, mut took) = (Vec::new(), Vec::new());
    let quiet = Evening::begin(&inn("0.1.0", HARMLESS)).unwrap();
    let mut growth = Growth::watch();
    quiet.check("a quiet evening");
    for one in all.iter().skip(half).step_by(2) {
        let mut ms = 0;
        let struck = growth.of(&one.name, || {
            one.strike_within(&mut |harm| {
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
    // What a step takes is asserted where the build is optimized and little else runs.
    let full = asked_for("SUB_ROSA_FULL", 0) > 0;
    assert!(!full || took[0].0 <= MOST_MS, "{took:?}");
    super::figure(
        &format!("strangers_{half}"),
        &format!("{} of {} wrong", wrong.len(), all.len() / 2),
    );
    assert!(wrong.is_empty(), "{} of {}:\n{}", wrong.len(), all.len(), wrong.join("\n"));
    growth.check(&format!("growth_strangers_{half}"), LEFT);
}

#[test]
fn strangers_are_stopped_named_and_leave_the_run_as_it_was() {
    let name = "trust::strangers::strangers_are_stopped_named_and_leave_the_run_as_it_was";
    alone(name, || strike_all(0));
}

#[test]
fn the_other_half_of_the_strangers_too() {
    alone("trust::strangers::the_other_half_of_the_strangers_too", || strike_all(1));
}
