//! What a step may take does not depend on what came before it: the same in a VM made anew, after steps
//! that left their garbage behind, in a VM made anew before each step, and when the run is walked again.

use super::inn::{InnSession, inn};

/// A stranger whose steps leave texts behind, some of which a step that takes much memory makes again.
fn hoarder(texts: u32) -> String {
    format!(
        "local function pile(count)
  local all = {{}}
  for index = 1, count do
    all[index] = index .. \" of very many texts, each a little longer than it would have to be for what it says, and then it goes on for as long as that again, so that few of them are much.\"
  end
  return #all
end
after(\"seated\", function() pile(20000) end)
after(\"knock\", function() state.stranger = {{ n = pile({texts}) }} end)"
    )
}

/// A stranger whose steps leave long texts that begin alike, and who makes them again before so many turns:
/// while there are such texts, each turn costs more.
fn repeater(turns: u32) -> String {
    format!(
        "local function alike()
  local long = (\"x\"):rep(60000)
  return long:sub(1, 50000), long:sub(1, 50001)
end
after(\"seated\", function() alike() end)
after(\"knock\", function()
  local less, more = alike()
  for turn = 1, {turns} do end
  state.stranger = {{ n = #less + #more }}
end)"
    )
}

/// What comes of a knock after so many steps.
fn outcome(stranger: &str, steps: u32, anew: bool) -> Option<String> {
    let mut evening = InnSession::begin(&inn("0.1.0", stranger)).unwrap();
    for _ in 0..steps {
        evening.assert_neighbour_works("a step that leaves much behind");
    }
    if anew {
        evening.session.rebuild_vm().unwrap();
    }
    let refused = evening.choose("knock").map(|problem| problem.code.to_string());
    evening.assert_neighbour_works("the step after it");
    evening.check("walked again");
    refused
}

/// What comes of each size, the same after any steps.
fn the_same_after_any(stranger: fn(u32) -> String, sizes: &[u32]) -> Vec<Option<String>> {
    let of = |size: &u32| {
        let text = stranger(*size);
        let first = outcome(&text, 0, false);
        for (steps, anew) in [(1, false), (3, false), (0, true), (3, true)] {
            let same = outcome(&text, steps, anew);
            assert_eq!(same, first, "{size} after {steps} steps, in a new VM: {anew}");
        }
        first
    };
    sizes.iter().map(of).collect()
}

#[test]
fn memory_is_counted_the_same_after_any_steps() {
    // Each takes a little more than two hundred bytes; some of these come to just under the limit.
    let sizes = [30_000, 80_000, 92_000, 96_000, 100_000, 104_000, 120_000];
    let seen = the_same_after_any(hoarder, &sizes);
    assert!(seen[0].is_none(), "the least is taken: {seen:?}");
    assert_eq!(seen.last().unwrap().as_deref(), Some("out-of-memory"), "the most is not: {seen:?}");
}

#[test]
fn long_texts_cost_the_same_after_any_steps() {
    // A hook has 250,000 units, and a turn costs some hundred.
    let seen = the_same_after_any(repeater, &[100, 1_000, 2_250, 2_500, 2_600, 10_000]);
    assert!(seen[0].is_none(), "the least is taken: {seen:?}");
    assert_eq!(seen.last().unwrap().as_deref(), Some("out-of-fuel"), "the most is not: {seen:?}");
}
