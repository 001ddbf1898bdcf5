//! Programs that mean harm, made by a machine (`programs.rs`). Each is a hook of a stranger in a step.

use super::programs::{play, program};
use crate::support::{Chance, asked_for};

/// The choices of a number.
fn choices(number: u64) -> Chance {
    let mut chance = Chance::of(number.wrapping_mul(0x9e37_79b9) + 1);
    // A first number of one seed is near that of the next.
    for _ in 0..8 {
        let _ = chance.below(2);
    }
    chance
}

#[test]
fn programs_made_by_a_grammar_are_stopped_by_counts_and_come_to_the_same_in_any_vm() {
    let many = asked_for("SUB_ROSA_GRAMMAR", 40);
    let from = asked_for("SUB_ROSA_GRAMMAR_FROM", 0);
    let (mut refused, mut slowest) = (std::collections::BTreeMap::<String, u32>::new(), (0, 0));
    for number in from..from + many {
        let came = play(&format!("program {number}"), &program(choices(number)));
        slowest = slowest.max((came.ms, number));
        *refused.entry(came.refused.unwrap_or_else(|| "taken".to_owned())).or_default() += 1;
    }
    let (ms, number) = slowest;
    let told = format!("{many} programs: {refused:?}; the longest step {ms} ms (program {number})");
    super::figure("grammar", &told);
    assert!(refused.len() > 2, "they are not all alike: {told}");
    // What it takes is asserted where little else runs.
    let full = asked_for("SUB_ROSA_FULL", 0) > 0;
    assert!(!full || ms <= crate::seal::MOST_MS, "{told}");
}
