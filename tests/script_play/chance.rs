//! Rolls, their odds, and other random draws.

use protocol::StoryEvent;

use super::{play_handler, refusal_texts, state_value};

#[test]
fn a_roll_is_reported_with_all_its_parts() {
    let (run, events) = play_handler(
        r#"
local total, parts = roll("1d20+3", "combat", {
  label = "strike",
  modifiers = { { label = "ATK", value = 7 }, { label = "hurt", value = -2 } },
  target = 16,
  outcome = function(total, parts)
    if parts.natural == 20 then return "full" end
    return if total >= 16 then "partial" else "failure"
  end,
})
state.total = total
state.parts = parts
"#,
    )
    .unwrap();
    let [StoryEvent::Roll(roll)] = events.as_slice() else {
        panic!("one roll is reported: {events:?}")
    };
    assert_eq!((roll.label.as_str(), roll.notation.as_str()), ("strike", "1d20+3"));
    assert_eq!((roll.stream.as_str(), roll.target), ("game:combat", Some(16)));
    assert_eq!(roll.dice.len(), 1);
    assert_eq!(roll.dice_total, i64::from(roll.dice[0].face) + 3);
    assert_eq!(roll.total, roll.dice_total + 5);
    assert_eq!(roll.source_position, "game/main.luau:5");
    let total = state_value(&run).get("total").and_then(base::Value::as_int);
    assert_eq!(total, Some(roll.total));
    let parts = state_value(&run);
    let parts = parts.get("parts").unwrap();
    assert_eq!(parts.get("natural").unwrap().as_int(), Some(i64::from(roll.dice[0].face)));
    assert_eq!(parts.get("outcome").unwrap().as_text(), roll.outcome.as_deref());
}

/// A usual roll takes a shorter path than one with named numbers; both must roll and print the
/// same.
#[test]
fn a_roll_gives_the_same_with_and_without_extra_options() {
    let play_rolls = |options_text: &str| {
        let body = r#"
state.seen = {}
for _, notation in { "1d6+2", "d%", "4d6kh3", "2d6*10 - 3", "d6!", "3d4!2", "d{1, 2, 2, 4}", "d20adv", "7", "40d6", "d8-d4" } do
  for turn = 1, 5 do
    local about = { label = "a throw", target = turn MORE }
    local total, parts = roll(notation, "throws", if turn > 1 then about else NONE)
    local names = {}
    for name, value in parts do
      table.insert(names, name)
    end
    table.insert(state.seen, { total = total, parts = parts, names = names })
  end
end
"#;
        let default_options = if options_text.is_empty() { "nil" } else { "{ modifiers = {} }" };
        let (run, events) =
            play_handler(&body.replace("MORE", options_text).replace("NONE", default_options))
                .unwrap();
        (state_value(&run), events, run.world.dice.stream_positions())
    };
    let (short_result, full_result) = (play_rolls(""), play_rolls(", modifiers = {}"));
    assert_eq!(short_result.1.len(), 55);
    assert_eq!(short_result, full_result);
}

#[test]
fn odds_match_the_outcomes_of_the_roll() {
    // Each of the twenty faces once: the judge's results match the counted odds.
    let (run, _) = play_handler(
        r#"
local function judge(total, parts)
  if parts.natural == 1 then return "guttering" end
  if parts.natural == 20 or total >= 21 then return "full" end
  return if total >= 16 then "partial" else "failure"
end
local about = { modifiers = { { label = "ATK", value = 7 } }, outcome = judge }
state.odds = odds("d20", judge, about)
state.same = odds("d20", nil, about)
state.bands = odds("1d20+3", { full = 18, partial = 13 })
state.sum = odds("2d6", { seven = 7 })
local seen = {}
local rolled = 0
for turn = 1, 3000 do
  local total, parts = nil, nil
end
for turn = 1, 400 do
  local total, parts = roll("d20", "combat", about)
  if not seen[parts.natural] then
    seen[parts.natural] = parts.outcome
    rolled += 1
  end
end
assert(rolled == 20, "all faces came up")
local counted = { full = 0, partial = 0, failure = 0, guttering = 0 }
for face = 1, 20 do counted[seen[face]] += 1 end
state.counted = counted
"#,
    )
    .unwrap();
    let state = state_value(&run);
    let value_json = |name: &str| state.get(name).unwrap().to_json();
    assert_eq!(value_json("odds"), r#"{"failure":7,"full":7,"guttering":1,"of":20,"partial":5}"#);
    assert_eq!(value_json("same"), value_json("odds"));
    assert_eq!(value_json("counted"), r#"{"failure":7,"full":7,"guttering":1,"partial":5}"#);
    assert_eq!(value_json("bands"), r#"{"failure":9,"full":6,"of":20,"partial":5}"#);
    assert_eq!(value_json("sum"), r#"{"failure":15,"of":36,"seven":21}"#);
}

#[test]
fn draws_accept_lists_of_any_kind() {
    let (run, events) = play_handler(
        r#"
state.l = { "a", "b", "c" }
local seen = {}
for turn = 1, 60 do seen[pick(state.l, "loot")] = true end
assert(seen.a and seen.b and seen.c)
local tables = { { n = 1 }, { n = 2 } }
assert(pick(tables, "loot").n <= 2)
for turn = 1, 30 do
  assert(pick(state.l, "loot", function(item) return if item == "b" then 3 else 0 end) == "b")
  assert(pick(state.l, "loot", { 0, 0, 1 }) == "c")
end
local mixed = shuffle(state.l, "map")
assert(#mixed == 3 and #state.l == 3)
table.sort(mixed)
state.sorted = mixed
assert(#shuffle({}, "map") == 0)
state.inner = { {}, {} }
assert(#shuffle(state.inner, "map") == 2)
local yes = 0
for turn = 1, 300 do if chance(1, 3, "omen") then yes += 1 end end
state.yes = yes
assert(chance(0, 1, "omen") == false and chance(1, 1, "omen") == true)
"#,
    )
    .unwrap();
    assert!(events.is_empty(), "draws are not reported");
    let state = state_value(&run);
    assert_eq!(state.get("sorted").unwrap().to_json(), r#"["a","b","c"]"#);
    let yes_count = state.get("yes").unwrap().as_int().unwrap();
    assert!((60..140).contains(&yes_count), "a third of 300 is near {yes_count}");
}

#[test]
fn rolls_depend_on_the_seed_and_streams_are_independent() {
    let roll_totals = |body: &str| {
        let (_, events) = play_handler(body).unwrap();
        let totals = events.into_iter().map(|event| match event {
            StoryEvent::Roll(roll) if roll.stream == "game:a" => roll.total,
            _ => 0,
        });
        totals.filter(|total| *total > 0).collect::<Vec<_>>()
    };
    let totals_alone = roll_totals("for i = 1, 8 do roll('d20', 'a') end");
    let totals_with_other_streams =
        roll_totals("for i = 1, 8 do roll('d20', 'a') roll('d6', 'b') pick({ 1, 2 }, 'c') end");
    assert_eq!(totals_alone.len(), 8);
    assert_eq!(totals_alone, totals_with_other_streams);
}

#[test]
fn invalid_rolls_and_draws_are_refused() {
    insta::assert_snapshot!(refusal_texts(&[
        "roll('2x6', 'a')",
        "roll('d20')",
        "roll('d20', 'Not A Stream')",
        "roll('d20', 'other:a')",
        "roll('d20', 'a', { modifers = {} })",
        "roll('d20', 'a', { modifiers = { { label = 'ATK' } } })",
        "roll('d20', 'a', { outcome = function() return 3 end })",
        "roll('d20', 'a', { outcome = function() state.x = 1 return 'full' end })",
        "roll('d20', 'a', 3)",
        "odds('d20')",
        "odds('d20', { full = 'x' })",
        "odds('d20', function() return 'of' end)",
        "odds('1000d1000!', { x = 1 })",
        "pick({}, 'a')",
        "pick('abc', 'a')",
        "pick({ 1, 2 }, 'a', { 1 })",
        "pick({ 1, 2 }, 'a', { 0, 0 })",
        "chance(3, 2, 'a')",
        "chance(0.5, 1, 'a')",
    ]));
}
