//! Hostile values for every host function, generated from the functions' description: wrong types,
//! infinite and huge numbers, negative, cyclic and deep tables, invalid texts. Each is accepted or
//! refused with a Problem; nothing else happens.

use save::ConsoleCommand;
use script::{Availability, host_functions};

use super::inn::{InnSession, inn_content};
use crate::support::{RandomSource, count_from_env};

/// The arguments. Each is a Lua expression.
const HOSTILE_VALUES: [&str; 26] = [
    "nil",
    "true",
    "0",
    "-1",
    "0.5",
    "1e300",
    "-2^53",
    "0/0",
    "1/0",
    "''",
    "'x'",
    "'game:inn'",
    "'1d20'",
    "'999d999999!'",
    "('x'):rep(60000)",
    "'\\255\\0\\27]0;x\\7'",
    "'{n} *x'",
    "{}",
    "{1,2,3}",
    "{a=1,b={}}",
    "round()",
    "deep()",
    "function(...) return ... end",
    "function() error('x') end",
    "state",
    "lantern",
];

const HELPER_SCRIPT: &str = "
export('round', function() local t = {} t.t = t t[1] = t return t end)
export('deep', function() local t = {} for _ = 1, 300 do t = { t, deep = t } end return t end)
";

/// A call with random arguments; for a table of functions, of one of them.
fn random_call(name: &str, signature: &str, random: &mut RandomSource) -> String {
    let mut values = Vec::new();
    for _ in 0..random.next_index(4) {
        // These scripts have no `^`.
        values.push(
            HOSTILE_VALUES[random.next_index(HOSTILE_VALUES.len())]
                .replace("-2^53", "-9007199254740992"),
        );
    }
    let arguments = values.join(", ");
    let key_value = HOSTILE_VALUES[random.next_index(HOSTILE_VALUES.len())]
        .replace("-2^53", "-9007199254740992");
    match signature.starts_with(':') {
        true if random.next_index(2) == 0 => format!("local x = {name}[{key_value}]"),
        true => format!("{name}[{key_value}] = {}", values.first().map_or("1", String::as_str)),
        false => format!("local x = {name}({arguments})"),
    }
}

#[test]
fn hostile_values_to_play_functions_are_refused_or_ignored() {
    let calls_per_function = count_from_env("SUB_ROSA_VALUES", 12);
    let content = inn_content("0.1.0", HELPER_SCRIPT);
    let (mut random, mut call_count, mut refused_count) = (RandomSource::from_seed(7), 0, 0);
    let mut inn_session = InnSession::begin(&content).unwrap();
    let functions = host_functions();
    for function in functions.iter().filter(|named| named.availability != Availability::Loading) {
        for _ in 0..calls_per_function {
            let call = random_call(function.name, &function.signature(), &mut random);
            let digest_before = inn_session.session.digest();
            call_count += 1;
            match inn_session.session.run_console_step(ConsoleCommand::Lua(call.clone())) {
                Ok(step_outcome) => {
                    if let Some(problem) = step_outcome.refusal {
                        refused_count += 1;
                        assert_eq!(inn_session.session.digest(), digest_before, "{call}");
                        let problem_text = problem.to_string();
                        let is_allowed = |c: char| c == '\t' || base::text::is_printable(c);
                        assert!(
                            problem_text.chars().all(is_allowed) && !problem_text.contains("0x"),
                            "{call}: {problem_text:?}"
                        );
                    }
                }
                Err(problem) if problem.code == "bad-answer" => {}
                Err(problem) => panic!("{call}: {problem}"),
            }
            // An action may end the run or leave the inn; the next session begins again.
            let needs_new_session = inn_session.session.run_outcome().is_some()
                || inn_session.session.prompt().scene != "game:inn"
                || inn_session.is_counter_overwritten();
            if needs_new_session {
                inn_session = InnSession::begin(&content).unwrap();
            } else if call_count % 10 == 0 {
                inn_session.assert_neighbour_works(&call);
            }
        }
    }
    super::record_figure("values_play", &format!("{call_count} calls, {refused_count} refused"));
    assert!(
        refused_count * 3 > call_count,
        "{refused_count} of {call_count} refused: too few to mean anything"
    );
}

#[test]
fn hostile_values_to_declarations_are_refused_or_ignored() {
    let calls_per_function = count_from_env("SUB_ROSA_VALUES", 12) / 2;
    let (mut random, mut call_count, mut refused_count) = (RandomSource::from_seed(11), 0, 0);
    let functions = host_functions();
    for function in functions.iter().filter(|named| named.availability == Availability::Loading) {
        for _ in 0..calls_per_function {
            let mut call = random_call(function.name, &function.signature(), &mut random);
            if random.next_index(2) == 0 {
                let value =
                    HOSTILE_VALUES[random.next_index(HOSTILE_VALUES.len())].replace("-2^53", "-1");
                call = format!("{call}\nif x then x({value}) end");
            }
            let text = format!(
                "local function round() local t = {{}} t.t = t return t end
                 local function deep() local t = {{}} for _ = 1, 300 do t = {{ t }} end return t end
                 {}",
                call.replace("state", "1")
            );
            call_count += 1;
            if let Err(problems) = inn_content("0.1.0", &text).load_vm() {
                refused_count += 1;
                let problem_text = problems[0].to_string();
                assert!(
                    problem_text.contains("stranger") || problem_text.contains("game"),
                    "{call}: {problem_text}"
                );
            }
        }
    }
    super::record_figure("values_loading", &format!("{call_count} calls, {refused_count} refused"));
    assert!(
        refused_count * 3 > call_count,
        "{refused_count} of {call_count} refused: too few to mean anything"
    );
}
