//! Hostile programs from a grammar (`program_generator.rs`). Each is a hook of a hostile mod in a
//! step.

use super::program_generator::{generate_program, run_program};
use crate::support::{RandomSource, count_from_env, is_thread_time_checked, sample_number};

/// The choices of a number.
pub fn random_source_for(number: u64) -> RandomSource {
    let mut random = RandomSource::from_seed(number.wrapping_mul(0x9e37_79b9) + 1);
    // The first numbers of adjacent seeds are close.
    for _ in 0..8 {
        let _ = random.next_below(2);
    }
    random
}

#[test]
fn generated_programs_are_stopped_and_match_in_any_vm() {
    let program_count = count_from_env("SUB_ROSA_GRAMMAR", 40);
    let first_number = count_from_env("SUB_ROSA_GRAMMAR_FROM", sample_number());
    let (mut refusal_counts, mut slowest) =
        (std::collections::BTreeMap::<String, u32>::new(), (0, 0));
    for number in first_number..first_number + program_count {
        let outcome =
            run_program(&format!("program {number}"), &generate_program(random_source_for(number)));
        slowest = slowest.max((outcome.step_ms, number));
        *refusal_counts
            .entry(outcome.refusal_code.unwrap_or_else(|| "taken".to_owned()))
            .or_default() += 1;
    }
    let (ms, number) = slowest;
    let summary = format!(
        "{program_count} programs: {refusal_counts:?}; the longest step {ms} ms (program {number})"
    );
    super::record_figure("grammar", &summary);
    assert!(refusal_counts.len() > 2, "they are not all alike: {summary}");
    let max_ms = crate::sandbox::MAX_THREAD_MS;
    assert!(
        !is_thread_time_checked() || ms <= max_ms,
        "{summary}\n{}",
        generate_program(random_source_for(number))
    );
}

/// Suggestions are searched when an error leaves the VM. Each of these took seconds of a step, by
/// errors that were caught; now they cost the same however many names there are.
#[test]
fn caught_errors_search_no_names() {
    let scene_declaration = |number| {
        format!("scene 'den_{number}' {{ prompt = function() return {{ text = '' }} end }}\n")
    };
    let statements = [
        "go('den_4o4')",
        "push('den_4o4')",
        "local _ = sumoned",
        "local _ = table.concatt",
        "local _ = ('salt').uper",
    ];
    for statement in statements {
        let refusal_of_hook = |scene_count, call_count| {
            let scenes: String = (1..=scene_count).map(scene_declaration).collect();
            let body = format!("for _ = 1, {call_count} do pcall(function() {statement} end) end");
            run_program(statement, &format!("{scenes}after('knock', function() {body} end)"))
                .refusal_code
        };
        assert_eq!(refusal_of_hook(400, 10), None, "{statement}, ten times");
        let max_calls = |scene_count| {
            (0..10)
                .map(|power| 100 << power)
                .find(|calls| refusal_of_hook(scene_count, *calls).is_some())
        };
        let few_scenes = max_calls(4);
        assert!(few_scenes.is_some(), "{statement}: errors are not charged");
        assert_eq!(few_scenes, max_calls(400), "{statement}");
    }
    // Names longer than any known name were still searched in the whole file, which took longer
    // than the deadline.
    let comment_lines: String = (1..18_000).map(|number| format!("-- word_{number}\n")).collect();
    let statement = format!("pcall(function() local _ = {} end)", "n".repeat(200));
    let hook = format!(
        "{comment_lines}after('knock', function() for _ = 1, 20000 do {statement} end end)"
    );
    assert_eq!(run_program(&statement, &hook).refusal_code.as_deref(), Some("out-of-fuel"));
}

/// Cached odds of the same VM cost the same.
#[test]
fn odds_cost_as_much_as_counting_their_cases() {
    let odds_declaration = "local about = { good = 4 }\n";
    let statements = [
        ("odds(`8d{20 + at}k4`, about)", 40),
        ("odds('8d60k4', about)", 40),
        ("odds(`{at}d300`, about)", 8),
        ("odds(`d300*d{300 + at}`, about)", 8),
        // Too much to count; one such roll exceeds the fuel of a hook.
        ("pcall(odds, '18d60k9', about)", 1),
    ];
    for (statement, call_count) in statements {
        let hook =
            format!("after('knock', function() for at = 1, {call_count} do {statement} end end)");
        let refusal_code =
            run_program(statement, &format!("{odds_declaration}{hook}")).refusal_code;
        assert_eq!(refusal_code.as_deref(), Some("out-of-fuel"), "{statement}, {call_count} times");
    }
    let cheap_hook = "after('knock', function() for _ = 1, 100 do odds('4d6k3', about) end end)";
    assert_eq!(
        run_program("what games ask", &format!("{odds_declaration}{cheap_hook}")).refusal_code,
        None
    );
}

#[test]
fn overlong_names_get_no_suggestion() {
    let long_name = "x".repeat(1 << 20);
    let other_name = "y".repeat(1 << 20);
    assert_eq!(base::problem::nearest_name(&long_name, [&*other_name]), None);
    let names: Vec<&str> = std::iter::repeat_n(&*other_name, 20).collect();
    assert!(base::problem::describe_alternatives(&long_name, names).ends_with("14 others"));
}
