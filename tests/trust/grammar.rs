//! Hostile programs from a grammar (`program_generator.rs`). Each is a hook of a hostile mod in a
//! step.

use super::program_generator::{play, program};
use crate::support::{RandomSource, count_from_env, sample};

/// The choices of a number.
pub fn choices(number: u64) -> RandomSource {
    let mut chance = RandomSource::of(number.wrapping_mul(0x9e37_79b9) + 1);
    // The first numbers of adjacent seeds are close.
    for _ in 0..8 {
        let _ = chance.below(2);
    }
    chance
}

#[test]
fn programs_made_by_a_grammar_are_stopped_by_counts_and_come_to_the_same_in_any_vm() {
    let many = count_from_env("SUB_ROSA_GRAMMAR", 40);
    let from = count_from_env("SUB_ROSA_GRAMMAR_FROM", sample());
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
    // The time is checked only where little else runs.
    let full = count_from_env("SUB_ROSA_FULL", 0) > 0;
    let most = crate::sandbox::MOST_MS;
    assert!(!full || ms <= most, "{told}\n{}", program(choices(number)));
}

/// Suggestions for an unknown name cost work in proportion to all names. Each of these took seconds
/// of a step, by errors that were caught.
#[test]
fn to_be_told_over_and_over_what_was_meant_is_paid_for() {
    let scene =
        |at| format!("scene 'den_{at}' {{ prompt = function() return {{ text = '' }} end }}\n");
    let scenes: String = (1..=400).map(scene).collect();
    let asks = [
        "go('den_4o4')",
        "push('den_4o4')",
        "local _ = sumoned",
        "local _ = table.concatt",
        "local _ = ('salt').uper",
    ];
    for ask in asks {
        let hook = |times| {
            let body = format!("for _ = 1, {times} do pcall(function() {ask} end) end");
            play(ask, &format!("{scenes}after('knock', function() {body} end)")).refused
        };
        assert_eq!(hook(10), None, "{ask}, ten times");
        assert_eq!(hook(2_000).as_deref(), Some("out-of-fuel"), "{ask}, two thousand times");
    }
    // Names longer than any known name were still searched in the whole file, which took longer
    // than the deadline.
    let words: String = (1..18_000).map(|at| format!("-- word_{at}\n")).collect();
    let ask = format!("pcall(function() local _ = {} end)", "n".repeat(200));
    let hook = format!("{words}after('knock', function() for _ = 1, 20000 do {ask} end end)");
    assert_eq!(play(&ask, &hook).refused.as_deref(), Some("out-of-fuel"));
}

/// Cached odds of the same VM cost the same.
#[test]
fn odds_are_paid_for_by_what_it_takes_to_count_them() {
    let about = "local about = { good = 4 }\n";
    let asks = [
        ("odds(`8d{20 + at}k4`, about)", 40),
        ("odds('8d60k4', about)", 40),
        ("odds(`{at}d300`, about)", 8),
        ("odds(`d300*d{300 + at}`, about)", 8),
        // Too much to count; one such roll exceeds the fuel of a hook.
        ("pcall(odds, '18d60k9', about)", 1),
    ];
    for (ask, often) in asks {
        let hook = format!("after('knock', function() for at = 1, {often} do {ask} end end)");
        let came = play(ask, &format!("{about}{hook}")).refused;
        assert_eq!(came.as_deref(), Some("out-of-fuel"), "{ask}, {often} times");
    }
    let cheap = "after('knock', function() for _ = 1, 100 do odds('4d6k3', about) end end)";
    assert_eq!(play("what games ask", &format!("{about}{cheap}")).refused, None);
}

#[test]
fn what_is_longer_than_any_name_is_compared_with_nothing() {
    let long = "x".repeat(1 << 20);
    let other = "y".repeat(1 << 20);
    assert_eq!(engine::base::problem::nearest_name(&long, [&*other]), None);
    let names: Vec<&str> = std::iter::repeat_n(&*other, 20).collect();
    assert!(engine::base::problem::describe_alternatives(&long, names).ends_with("14 others"));
}
