//! Hostile values for every host function, generated from the functions' description: wrong types,
//! infinite and huge numbers, negative, cyclic and deep tables, invalid texts. Each is accepted or
//! refused with a Problem; nothing else happens.

use engine::save::ConsoleCommand;
use engine::script::{Availability, host_functions};
use engine::session::StepError;

use super::inn::{InnSession, inn};
use crate::support::{RandomSource, count_from_env};

/// The arguments. Each is a Lua expression.
const VALUES: [&str; 26] = [
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

const HELP: &str = "
export('round', function() local t = {} t.t = t t[1] = t return t end)
export('deep', function() local t = {} for _ = 1, 300 do t = { t, deep = t } end return t end)
";

/// A call with random arguments; for a table of functions, of one of them.
fn random_call(name: &str, signature: &str, chance: &mut RandomSource) -> String {
    let mut values = Vec::new();
    for _ in 0..chance.index(4) {
        // These scripts have no `^`.
        values.push(VALUES[chance.index(VALUES.len())].replace("-2^53", "-9007199254740992"));
    }
    let arguments = values.join(", ");
    let key = VALUES[chance.index(VALUES.len())].replace("-2^53", "-9007199254740992");
    match signature.starts_with(':') {
        true if chance.index(2) == 0 => format!("local x = {name}[{key}]"),
        true => format!("{name}[{key}] = {}", values.first().map_or("1", String::as_str)),
        false => format!("local x = {name}({arguments})"),
    }
}

#[test]
fn hostile_values_given_to_every_function_of_play_come_to_a_problem_or_to_nothing() {
    let each = count_from_env("SUB_ROSA_VALUES", 12);
    let content = inn("0.1.0", HELP);
    let (mut chance, mut calls, mut refused) = (RandomSource::of(7), 0, 0);
    let mut evening = InnSession::begin(&content).unwrap();
    let surface = host_functions();
    for named in surface.iter().filter(|named| named.availability != Availability::Loading) {
        for _ in 0..each {
            let line = random_call(named.name, &named.signature(), &mut chance);
            let before = evening.session.digest();
            calls += 1;
            match evening.session.run_console(ConsoleCommand::Lua(line.clone())) {
                Ok(told) => {
                    if let Some(problem) = told.refused {
                        refused += 1;
                        assert_eq!(evening.session.digest(), before, "{line}");
                        let shown = problem.to_string();
                        let fair = |c: char| c == '\t' || engine::base::text::is_printable(c);
                        assert!(
                            shown.chars().all(fair) && !shown.contains("0x"),
                            "{line}: {shown:?}"
                        );
                    }
                }
                Err(StepError::NotAccepted(_)) => {}
                Err(StepError::NotWritten(problem)) => panic!("{line}: {problem}"),
            }
            // An action may end the run or leave the inn; the next session begins again.
            let moved = evening.session.run_outcome().is_some()
                || evening.session.prompt().scene != "game:inn"
                || evening.is_changed();
            if moved {
                evening = InnSession::begin(&content).unwrap();
            } else if calls % 10 == 0 {
                evening.assert_neighbour_works(&line);
            }
        }
    }
    super::figure("values_play", &format!("{calls} calls, {refused} refused"));
    assert!(refused * 3 > calls, "{refused} of {calls} refused: too few to mean anything");
}

#[test]
fn hostile_values_given_to_every_declaration_come_to_a_problem_or_to_nothing() {
    let each = count_from_env("SUB_ROSA_VALUES", 12) / 2;
    let (mut chance, mut calls, mut refused) = (RandomSource::of(11), 0, 0);
    let surface = host_functions();
    for named in surface.iter().filter(|named| named.availability == Availability::Loading) {
        for _ in 0..each {
            let mut line = random_call(named.name, &named.signature(), &mut chance);
            if chance.index(2) == 0 {
                let value = VALUES[chance.index(VALUES.len())].replace("-2^53", "-1");
                line = format!("{line}\nif x then x({value}) end");
            }
            let text = format!(
                "local function round() local t = {{}} t.t = t return t end
                 local function deep() local t = {{}} for _ = 1, 300 do t = {{ t }} end return t end
                 {}",
                line.replace("state", "1")
            );
            calls += 1;
            if let Err(problems) = inn("0.1.0", &text).load() {
                refused += 1;
                let shown = problems[0].to_string();
                assert!(shown.contains("stranger") || shown.contains("game"), "{line}: {shown}");
            }
        }
    }
    super::figure("values_loading", &format!("{calls} calls, {refused} refused"));
    assert!(refused * 3 > calls, "{refused} of {calls} refused: too few to mean anything");
}
