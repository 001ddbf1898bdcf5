//! The meter of host calls: no host function can skip its charge, and calls with a shared budget
//! share it. The hostile mods for it are in `tests/hostile/strangers`.

use base::meter::{self, PARTS_PER_FUEL_UNIT};
use base::{Value, limits};
use script::Vm;

use super::inn::{InnSession, inn_content};
use crate::support::load_game_from_files;

/// A host function that charges nothing itself: it reads a text, walks a list and returns the text.
/// The calls of the stack charge for it.
#[test]
fn a_host_function_without_its_own_charge_is_charged() {
    let lua = mlua::Lua::new();
    let uncharged_function = luau::create_stack_function(&lua, None, (), |stack| {
        let text = stack.text(1).unwrap_or_default();
        let mut position = stack.push_next_entry(2, 0);
        while position >= 0 {
            stack.set_top(2);
            position = stack.push_next_entry(2, position);
        }
        stack.set_top(2);
        stack.push_text(text);
        Ok(1)
    })
    .unwrap();
    let charged_parts = |text_bytes: usize, list_length: usize| {
        let text = "x".repeat(text_bytes);
        let list = lua.create_sequence_from(vec![0; list_length]).unwrap();
        meter::set_remaining_fuel_parts(i64::MAX);
        let returned_text: String = uncharged_function.call((&*text, list)).unwrap();
        assert_eq!(returned_text, text);
        i64::MAX - meter::remaining_fuel_parts()
    };
    // 60,000 bytes in and out cost 1,875 units, a walk over 40,000 entries costs 2,500.
    let least = charged_parts(0, 0);
    assert!(least < PARTS_PER_FUEL_UNIT, "a look at an empty list: {least}");
    assert_eq!(charged_parts(60_000, 0) - least, 1_875 * PARTS_PER_FUEL_UNIT);
    assert_eq!(charged_parts(0, 40_000) - least, 2_500 * PARTS_PER_FUEL_UNIT);
}

/// Moved entries of a state list are charged before they move.
#[test]
fn moved_list_entries_are_charged() {
    let refusal_code = |list_length: &str, call_count: u64, statement: &str| {
        let hook = format!(
            "after('knock', function()
               local full = {{}}
               for at = 1, {list_length} do full[at] = at end
               state.any = full
               for _ = 1, {call_count} do {statement} end
             end)"
        );
        let mut inn_session = InnSession::begin(&inn_content("0.1.0", &hook)).unwrap();
        inn_session.choose("knock").map(|problem| problem.code.to_string())
    };
    let (insert_first, insert_last) =
        ("table.insert(state.any, 1, 0)", "table.insert(state.any, 0)");
    assert_eq!(refusal_code("0", 500, insert_first), None);
    assert_eq!(refusal_code("0", 2_000, insert_last), None);
    assert_eq!(refusal_code("0", 2_000, insert_first).as_deref(), Some("out-of-fuel"));
    assert_eq!(refusal_code("10000", 100, "table.remove(state.any)"), None);
    let refusal_of_removes = refusal_code("10000", 250, "table.remove(state.any, 1)");
    assert_eq!(refusal_of_removes.as_deref(), Some("out-of-fuel"));
}

fn units_in_message(problem: &base::Problem) -> i64 {
    let message_words = problem.message.split_whitespace();
    message_words.filter_map(|word| word.parse().ok()).next().unwrap_or_else(|| panic!("{problem}"))
}

#[test]
fn achievements_share_a_budget_and_a_cheap_one_still_counts() {
    let script = "for at = 1, 200 do
      achievement('a_' .. at) { name = 'x', text = 'y', when = function() while true do end end }
    end
    achievement 'z_done' { name = 'Done', text = 'y', when = function()
      for at = 1, 1000 do end
      return true
    end }";
    let vm = load_game_from_files(&[("main.luau", script)]).unwrap();
    let (achieved_ids, problems) = vm.list_achieved(&Value::map(), &Value::map());
    assert_eq!(achieved_ids, ["game:z_done"]);
    // Each call gets a quarter of the rest, or an equal part if that is more.
    let unit_counts: Vec<i64> = problems[..5].iter().map(units_in_message).collect();
    assert_eq!(
        unit_counts[..2],
        [limits::MAX_FUEL_PER_STEP / 4, limits::MAX_FUEL_PER_STEP * 3 / 16]
    );
    assert!(unit_counts.is_sorted_by(|earlier, later| earlier > later), "{unit_counts:?}");
    assert_eq!(problems.len(), 6);
    assert_eq!(problems[5].code, "achievements-failed");
    assert_eq!(units_in_message(&problems[5]), 195);
}

/// Each achievement ends without a limit. Those within the budget count; the others are refused
/// after their equal part. Together they spend at most the fuel of two steps.
#[test]
fn many_achievements_that_end_by_themselves_share_a_budget() {
    const ACHIEVEMENT_COUNT: i64 = 2_500;
    let achieved_and_refused_counts = |loop_count: i64| {
        let script = format!(
            "for at = 1, {ACHIEVEMENT_COUNT} do
              achievement('a_' .. at) {{ name = 'x', text = 'y', when = function()
                for at = 1, {loop_count} do end
                return true
              end }}
            end"
        );
        let vm = load_game_from_files(&[("main.luau", &script)]).unwrap();
        let (achieved_ids, problems) = vm.list_achieved(&Value::map(), &Value::map());
        let listed_problems = problems.iter().filter(|problem| problem.code == "out-of-fuel");
        let uncounted_problem = problems.iter().find(|one| one.code == "achievements-failed");
        let refused_count =
            listed_problems.count() as i64 + uncounted_problem.map_or(0, units_in_message);
        (achieved_ids.len() as i64, refused_count)
    };
    let equal_part = limits::MAX_FUEL_PER_STEP / ACHIEVEMENT_COUNT;
    assert_eq!(achieved_and_refused_counts(equal_part / 2), (ACHIEVEMENT_COUNT, 0));
    for loop_count in [2 * equal_part, 10_000, 40_000] {
        let (achieved_count, refused_count) = achieved_and_refused_counts(loop_count);
        assert_eq!(achieved_count + refused_count, ACHIEVEMENT_COUNT, "{loop_count}");
        assert!(achieved_count > 0 && refused_count > 0, "{loop_count}: {achieved_count}");
        let spent_units = achieved_count * loop_count + refused_count * equal_part;
        assert!(spent_units <= 2 * limits::MAX_FUEL_PER_STEP, "{loop_count}: {spent_units}");
    }
}

#[test]
fn options_share_one_budget() {
    let script = "for _, name in { 'one', 'two', 'three' } do
      option(name) { type = 'text', doc = 'x', choices = function() while true do end end }
    end";
    let vm = load_game_from_files(&[("main.luau", script)]).unwrap();
    let units_of_option = |vm: &Vm, name: &str| {
        let result = vm.compute_option_choices(name, &Value::map(), &Value::map());
        units_in_message(&result.expect_err("it has no end"))
    };
    {
        let _budget = vm.share_budget(100);
        let shares = ["game:one", "game:two", "game:three"].map(|name| units_of_option(&vm, name));
        assert_eq!(shares, [250_000, 187_500, 140_625]);
        // A nested budget has no effect.
        let _inner = vm.share_budget(1);
        assert_eq!(units_of_option(&vm, "game:one"), 105_469 - 1);
    }
    assert_eq!(units_of_option(&vm, "game:one"), limits::MAX_FUEL_PER_STEP);
}
