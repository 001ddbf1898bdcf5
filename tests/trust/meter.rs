//! The meter of host calls: no function of the host can skip its charge, and calls with a shared
//! budget share it. Hostile programs for it stand in `tests/hostile/strangers`.

use engine::base::fault::plant;
use engine::base::{Value, limits};
use engine::script::Vm;

use super::inn::{InnSession, inn};
use crate::support::load;

/// A hook that often calls a function that charges no fuel itself.
fn unpaid(often: u64, text: usize, list: usize) -> String {
    format!(
        "after('knock', function()
           local long, list = ('x'):rep({text}), table.create({list}, 0)
           for _ = 1, {often} do unpaid(long, list) end
         end)"
    )
}

/// This host function exists for this test alone: its body reads a text, walks a list and returns
/// the text, and charges nothing.
#[test]
fn a_function_that_asks_for_nothing_is_paid_for_all_the_same() {
    let _planted = plant("a_function_asks_for_nothing");
    let refused = |often, text, list| {
        let mut evening = InnSession::begin(&inn("0.1.0", &unpaid(often, text, list))).unwrap();
        evening.choose("knock").map(|problem| problem.code.to_string())
    };
    // A hook has 250,000 units. 60,000 bytes in and out cost 1,875 units, a walk over 40,000
    // entries costs 2,500.
    assert_eq!(refused(100, 60_000, 0), None);
    assert_eq!(refused(140, 60_000, 0).as_deref(), Some("out-of-fuel"));
    assert_eq!(refused(80, 0, 40_000), None);
    assert_eq!(refused(110, 0, 40_000).as_deref(), Some("out-of-fuel"));
    assert_eq!(refused(2_000, 0, 0), None);
}

/// Entries of a list of the state that make room or close a gap are paid for before they move.
#[test]
fn entries_that_move_are_paid_for() {
    let refused = |fill: &str, times: u64, work: &str| {
        let hook = format!(
            "after('knock', function()
               local full = {{}}
               for at = 1, {fill} do full[at] = at end
               state.any = full
               for _ = 1, {times} do {work} end
             end)"
        );
        let mut evening = InnSession::begin(&inn("0.1.0", &hook)).unwrap();
        evening.choose("knock").map(|problem| problem.code.to_string())
    };
    let (first, last) = ("table.insert(state.any, 1, 0)", "table.insert(state.any, 0)");
    assert_eq!(refused("0", 500, first), None);
    assert_eq!(refused("0", 2_000, last), None);
    assert_eq!(refused("0", 2_000, first).as_deref(), Some("out-of-fuel"));
    assert_eq!(refused("10000", 100, "table.remove(state.any)"), None);
    let emptied = refused("10000", 250, "table.remove(state.any, 1)");
    assert_eq!(emptied.as_deref(), Some("out-of-fuel"));
}

fn units(problem: &engine::base::Problem) -> i64 {
    let words = problem.message.split_whitespace();
    words.filter_map(|word| word.parse().ok()).next().unwrap_or_else(|| panic!("{problem}"))
}

#[test]
fn achievements_share_one_budget_and_an_honest_one_is_done_all_the_same() {
    let endless = "for at = 1, 200 do
      achievement('a_' .. at) { name = 'x', text = 'y', when = function() while true do end end }
    end
    achievement 'z_done' { name = 'Done', text = 'y', when = function()
      for at = 1, 1000 do end
      return true
    end }";
    let vm = load(&[("main.luau", endless)]).unwrap();
    let (done, problems) = vm.list_achieved(&Value::map(), &Value::map());
    assert_eq!(done, ["game:z_done"]);
    // A quarter of the rest, and at last an equal part.
    let told: Vec<i64> = problems[..5].iter().map(units).collect();
    assert_eq!(told[..2], [limits::FUEL_PER_STEP / 4, limits::FUEL_PER_STEP * 3 / 16]);
    assert!(told.is_sorted_by(|one, next| one > next), "{told:?}");
    assert_eq!(problems.len(), 6);
    assert_eq!(problems[5].code, "achievements-failed");
    assert_eq!(units(&problems[5]), 195);
}

#[test]
fn options_share_one_budget() {
    let endless = "for _, name in { 'one', 'two', 'three' } do
      option(name) { type = 'text', doc = 'x', choices = function() while true do end end }
    end";
    let vm = load(&[("main.luau", endless)]).unwrap();
    let asked = |vm: &Vm, name: &str| {
        let asked = vm.option_choices(name, &Value::map(), &Value::map());
        units(&asked.expect_err("it has no end"))
    };
    {
        let _budget = vm.share_budget(100);
        let shares = ["game:one", "game:two", "game:three"].map(|name| asked(&vm, name));
        assert_eq!(shares, [250_000, 187_500, 140_625]);
        // A budget inside a budget has no effect.
        let _inner = vm.share_budget(1);
        assert_eq!(asked(&vm, "game:one"), 105_469 - 1);
    }
    assert_eq!(asked(&vm, "game:one"), limits::FUEL_PER_STEP);
}
