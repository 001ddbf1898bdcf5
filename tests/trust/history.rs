//! The limits of a step do not depend on earlier steps. The result is the same in a new VM, after
//! steps that left garbage, in a VM rebuilt before each step, and in a replay.

use super::inn::{InnSession, inn_content};

/// A mod whose steps leave texts behind. A step that uses much memory creates some of them again.
fn memory_hoarding_mod(text_count: u32) -> String {
    format!(
        "local function pile(count)
  local all = {{}}
  for index = 1, count do
    all[index] = index .. \" of very many texts, each a little longer than it would have to be for what it says, and then it goes on for as long as that again, so that few of them are much.\"
  end
  return #all
end
after(\"seated\", function() pile(20000) end)
after(\"knock\", function() state.stranger = {{ n = pile({text_count}) }} end)"
    )
}

/// A mod whose steps leave long texts with the same prefix. It creates them again before a loop;
/// while they exist, each turn costs more.
fn repeating_mod(turn_count: u32) -> String {
    format!(
        "local function alike()
  local long = (\"x\"):rep(60000)
  return long:sub(1, 50000), long:sub(1, 50001)
end
after(\"seated\", function() alike() end)
after(\"knock\", function()
  local less, more = alike()
  for turn = 1, {turn_count} do end
  state.stranger = {{ n = #less + #more }}
end)"
    )
}

/// The outcome of a knock after some steps.
fn knock_outcome(mod_text: &str, step_count: u32, rebuild_vm: bool) -> Option<String> {
    let mut inn_session = InnSession::begin(&inn_content("0.1.0", mod_text)).unwrap();
    for _ in 0..step_count {
        inn_session.assert_neighbour_works("a step that leaves much behind");
    }
    if rebuild_vm {
        inn_session.session.rebuild_vm().unwrap();
    }
    let refusal_code = inn_session.choose("knock").map(|problem| problem.code.to_string());
    inn_session.assert_neighbour_works("the step after it");
    inn_session.assert_replays("walked again");
    refusal_code
}

/// The outcome for each size, which must not depend on the earlier steps.
fn outcomes_independent_of_history(
    mod_text_for_size: fn(u32) -> String,
    sizes: &[u32],
) -> Vec<Option<String>> {
    let outcome_for_size = |size: &u32| {
        let mod_text = mod_text_for_size(*size);
        let first_outcome = knock_outcome(&mod_text, 0, false);
        for (step_count, rebuild_vm) in [(1, false), (3, false), (0, true), (3, true)] {
            let later_outcome = knock_outcome(&mod_text, step_count, rebuild_vm);
            assert_eq!(
                later_outcome, first_outcome,
                "{size} after {step_count} steps, in a new VM: {rebuild_vm}"
            );
        }
        first_outcome
    };
    sizes.iter().map(outcome_for_size).collect()
}

#[test]
fn memory_limit_is_independent_of_earlier_steps() {
    // Each text takes slightly more than 200 bytes; some sizes come close to the limit.
    let sizes = [30_000, 80_000, 92_000, 96_000, 100_000, 104_000, 120_000];
    let outcomes = outcomes_independent_of_history(memory_hoarding_mod, &sizes);
    assert!(outcomes[0].is_none(), "the least is taken: {outcomes:?}");
    assert_eq!(
        outcomes.last().unwrap().as_deref(),
        Some("out-of-memory"),
        "the most is not: {outcomes:?}"
    );
}

#[test]
fn long_text_cost_is_independent_of_earlier_steps() {
    // A hook has 250,000 units, and a turn costs about a hundred.
    let outcomes =
        outcomes_independent_of_history(repeating_mod, &[100, 1_000, 2_250, 2_500, 2_600, 10_000]);
    assert!(outcomes[0].is_none(), "the least is taken: {outcomes:?}");
    assert_eq!(
        outcomes.last().unwrap().as_deref(),
        Some("out-of-fuel"),
        "the most is not: {outcomes:?}"
    );
}
