//! Options of rolls: dice judged one by one, silent rolls, open rolls, roll-under, and their odds.

use base::Value;
use protocol::StoryEvent;
use protocol::story_event::RollEvent;

use super::{play_handler, play_handler_with, refusal_texts, state_value};
use crate::support::TestRun;

fn roll_events(events: &[StoryEvent]) -> Vec<&RollEvent> {
    let mut roll_list = Vec::new();
    for event in events {
        if let StoryEvent::Roll(roll) = event {
            roll_list.push(&**roll);
        }
    }
    roll_list
}

fn roll_texts(events: &[StoryEvent]) -> Vec<String> {
    roll_events(events).into_iter().map(ui::display_text::roll_text).collect()
}

fn state_text(run: &TestRun, name: &str) -> String {
    state_value(run).get(name).map_or_else(|| "nothing".to_owned(), Value::to_json)
}

/// Pools: successes, pairs, the highest die and the lowest, a d20 beside another die.
const JUDGE_FUNCTIONS: &str = r#"
local function successes(_, parts)
  local count = 0
  for _, face in ipairs(parts.dice) do count += if face >= 5 then 1 else 0 end
  return "s" .. count
end
local function matches(_, parts)
  local most, run = 1, 1
  for at = 2, #parts.dice do
    run = if parts.dice[at] == parts.dice[at - 1] then run + 1 else 1
    most = math.max(most, run)
  end
  return if most >= 3 then "triple" elseif most == 2 then "double" else "none"
end
local function first(_, parts) return "f" .. parts.dice[1] end
local function second(_, parts) return if parts.dice[2] == nil then "alone" else "s" .. parts.dice[2] end
local function seldom(total, parts) return if total == 12 then "d" .. parts.dice[1] else "less" end
"#;

#[test]
fn odds_of_a_pool_are_counted_die_by_die() {
    let (run, _) = play_handler(&format!(
        r#"{JUDGE_FUNCTIONS}
state.pool = odds("3d6", successes)
state.match = odds("3d6", matches)
state.best = odds("2d20kh1", first)
state.added = odds("d4+d6", second)
state.burst = odds("d4!1", second)
state.seldom = odds("2d6", seldom)
"#
    ))
    .unwrap();
    assert_eq!(state_text(&run, "pool"), r#"{"of":216,"s0":64,"s1":96,"s2":48,"s3":8}"#);
    assert_eq!(state_text(&run, "match"), r#"{"double":90,"none":120,"of":216,"triple":6}"#);
    assert!(
        state_text(&run, "best").contains(r#""f1":1,"#)
            && state_text(&run, "best").contains(r#""f20":39"#)
    );
    assert_eq!(state_text(&run, "added"), r#"{"of":24,"s1":4,"s2":4,"s3":4,"s4":4,"s5":4,"s6":4}"#);
    assert_eq!(state_text(&run, "burst"), r#"{"alone":12,"of":16,"s1":1,"s2":1,"s3":1,"s4":1}"#);
    assert_eq!(state_text(&run, "seldom"), r#"{"d6":1,"less":35,"of":36}"#);
}

/// A roll is judged like its odds, whichever die is rolled first.
#[test]
fn a_roll_is_judged_like_its_odds() {
    let (run, events) = play_handler(&format!(
        r#"{JUDGE_FUNCTIONS}
state.wrong = 0
for _ = 1, 60 do
  local _, parts = roll("2d6", "pool", {{ outcome = first }})
  if parts.outcome ~= "f" .. math.max(parts.dice[1], parts.dice[2]) then state.wrong += 1 end
end
"#
    ))
    .unwrap();
    assert_eq!(state_text(&run, "wrong"), "0");
    // The player and the caller of the roll see the dice as rolled.
    assert!(roll_events(&events).iter().any(|roll| roll.dice[0].face < roll.dice[1].face));
}

#[test]
fn a_silent_roll_is_rolled_and_not_shown() {
    let (run, events) =
        play_handler("state.a = roll('2d6', 'a', { silent = true }) state.b = roll('2d6', 'b')")
            .unwrap();
    assert_eq!(roll_events(&events).len(), 1);
    let (run_without_silence, events) =
        play_handler("state.a = roll('2d6', 'a') state.b = roll('2d6', 'b')").unwrap();
    assert_eq!(roll_events(&events).len(), 2);
    assert_eq!(state_value(&run), state_value(&run_without_silence));
}

#[test]
fn dice_are_told_in_words_where_some_are_dropped() {
    let (_, events) = play_handler(
        r#"
roll("d20adv", "a", { label = "a" })
roll("d20dis2", "b", { label = "b" })
roll("4d6dl1", "c", { label = "c" })
roll("1d6", "d", { label = "d" })
"#,
    )
    .unwrap();
    let told = roll_texts(&events);
    for (line, beginning) in
        told.iter().zip(["a: best of 2d20 (", "b: worst of 3d20 (", "c: best 3 of 4d6 (", "d: d6 "])
    {
        assert!(line.starts_with(beginning), "{line}: {beginning}");
    }
}

#[test]
fn roll_under_judges_lower_totals_as_better() {
    let (run, events) = play_handler(
        r#"
state.odds = odds("d20", { holds = 8, well = 2 }, { roll_under = true })
state.seen = {}
for _ = 1, 40 do
  local total, parts = roll("d20", "save", { label = "nerves", target = 8, roll_under = true, outcome = { holds = 8, well = 2 } })
  local should = if total <= 2 then "well" elseif total <= 8 then "holds" else "failure"
  assert(parts.outcome == should, total .. parts.outcome)
end
"#,
    )
    .unwrap();
    assert_eq!(state_text(&run, "odds"), r#"{"failure":12,"holds":6,"of":20,"well":2}"#);
    let roll_lines = roll_texts(&events);
    assert!(roll_lines.iter().all(|line| line.contains(" against 8 or under: ")), "{roll_lines:?}");
}

#[test]
fn odds_with_changes_assume_the_best_choice() {
    let (run, _) = play_handler(&format!(
        r#"{JUDGE_FUNCTIONS}
state.added = odds("d20", {{ success = 18 }}, {{ changes = {{ "+1d6" }} }})
state.again = odds("d20", {{ success = 18 }}, {{ changes = {{ "again" }} }})
state.better = odds("d20", {{ success = 18 }}, {{ changes = {{ "better" }} }})
state.both = odds("d6", {{ great = 6, good = 4 }}, {{ changes = {{ 1, "again" }} }})
state.under = odds("d20", {{ success = 3 }}, {{ changes = {{ "-1d6" }}, roll_under = true }})
state.pool = odds("2d6", matches, {{ changes = {{ "again" }}, best_outcomes = {{ "double" }} }})
"#
    ))
    .unwrap();
    // 18 to 20 as rolled; 12 to 17 with as many faces of the six.
    assert_eq!(
        state_text(&run, "added"),
        r#"{"failure":39,"of":120,"success":39}"#.replace("39,\"of\"", "81,\"of\"")
    );
    // 3 of 20 at once, and 3 of 20 of the rest.
    assert_eq!(state_text(&run, "again"), r#"{"failure":289,"of":400,"success":111}"#);
    assert_eq!(state_text(&run, "better"), r#"{"failure":289,"of":400,"success":111}"#);
    // 6 stands; 5 and one more is great; 1 to 4 is rerolled, for one in six.
    assert_eq!(state_text(&run, "both"), r#"{"failure":12,"good":8,"great":16,"of":36}"#);
    assert_eq!(state_text(&run, "under"), r#"{"failure":81,"of":120,"success":39}"#);
    assert_eq!(state_text(&run, "pool"), r#"{"double":396,"none":900,"of":1296}"#);
}

const OPEN_ROLL: &str = r#"
local total, parts = roll("d20+1", "check", { label = "lift", target = 40, outcome = { success = 40 }, open = true })
state.first, state.open = total, parts.open
assert(parts.outcome == "failure")
"#;

#[test]
fn an_amended_roll_is_reported_once_when_told() {
    let (run, events) = play_handler(&format!(
        r#"{OPEN_ROLL}
say "You look at it."
local total, parts = amend_roll(parts.open, "+2d6", {{ stream = "luck", label = "luck" }})
state.second, state.dice = total, #parts.dice
amend_roll(parts.open or state.open, 30, {{ label = "a rope" }})
local last, final = tell_roll(state.open)
state.last, state.outcome = last, final.outcome
assert(open_roll(state.open) == nil)
"#
    ))
    .unwrap();
    let roll_list = roll_events(&events);
    assert_eq!(roll_list.len(), 1, "reported once");
    assert!(matches!(&events[0], StoryEvent::Say { .. }), "and where it is reported");
    assert_eq!(state_text(&run, "dice"), "3");
    assert_eq!((roll_list[0].is_open, roll_list[0].outcome.as_deref()), (false, Some("success")));
    let added_total = roll_list[0].added_dice[0].total;
    let number_of = |name| state_value(&run).get(name).unwrap().as_int().unwrap();
    assert_eq!(
        (number_of("second"), number_of("last")),
        (number_of("first") + added_total, number_of("first") + added_total + 30)
    );
    let roll_lines = &roll_texts(&events)[0];
    assert!(
        roll_lines.starts_with("lift: d20+1 (") && roll_lines.contains(" + luck 2d6 ("),
        "{roll_lines}"
    );
    assert!(roll_lines.ends_with(": success"), "{roll_lines}");
}

/// A prompt in between shows the roll as it stands; the odds continue from there.
#[test]
fn an_open_roll_is_shown_before_the_player_is_asked() {
    let body = format!("{OPEN_ROLL} ask 'spend'");
    let extra_script = r#"
scene "spend" {
  prompt = function()
    local it = open_roll(state.open)
    return { text = it.label .. " " .. it.total, choices = {
      { id = "again", label = "Again", odds = odds(state.open, { success = 40 }, { changes = { "again" } }) },
      { id = "add", label = "Add", odds = odds(state.open, { success = state.first + 3 }, { changes = { "+1d6" } }) },
    } }
  end,
  on = {
    again = function()
      state.again = amend_roll(state.open, "again", { stream = "check" })
      tell_roll(state.open)
    end,
    add = function() end,
  },
}
"#;
    let (mut run, events) = play_handler_with(&body, extra_script).unwrap();
    let roll_lines = roll_texts(&events);
    assert!(
        roll_lines.len() == 1 && roll_lines[0].ends_with(" against 40: failure so far"),
        "{roll_lines:?}"
    );
    let restored_world = protocol::WorldState::restore(run.world.snapshot()).unwrap();
    run.world = restored_world;
    let prompt = run.prompt().unwrap();
    let band_cases = |choice_index: usize| {
        let odds = prompt.choices[choice_index].odds.as_ref().unwrap();
        odds.bands.iter().map(|band| (band.label.as_str(), band.case_count)).collect::<Vec<_>>()
    };
    assert_eq!(band_cases(0), [("success", 0), ("failure", 1)]);
    assert_eq!(band_cases(1), [("success", 4), ("failure", 2)]);
    run.choose("again").unwrap();
    let events = run.take_events();
    let roll_list = roll_events(&events);
    assert_eq!((roll_list.len(), roll_list[0].is_open, roll_list[0].dice.len()), (1, false, 2));
    assert!(!roll_list[0].dice[0].is_kept && roll_list[0].dice[1].is_kept);
    assert_eq!(roll_list[0].total, state_value(&run).get("again").unwrap().as_int().unwrap());
}

#[test]
fn an_open_roll_that_is_never_told_is_not_reported_again() {
    let (mut run, events) = play_handler(OPEN_ROLL).unwrap();
    assert!(roll_texts(&events)[0].ends_with("failure so far"));
    run.choose("go").unwrap();
    assert_eq!(roll_events(&run.take_events()).len(), 1, "the first is not shown again");
}

/// A choice shows the result of `odds` unchanged, the best first.
#[test]
fn a_choice_shows_odds_unchanged_with_the_best_first() {
    let main = r#"
scene "only" {
  prompt = function()
    return { choices = {
      { id = "a", label = "A", odds = odds("d20+3", { good = 13, better = 18, among = 21 }) },
      { id = "b", label = "B", odds = odds("d20", { all = 19, most = 12 }, { roll_under = true }) },
      { id = "c", label = "C", odds = odds("d6", function(total) return if total > 4 then "win" else "lose" end) },
      { id = "d", label = "D", odds = state.kept },
      { id = "e", label = "E", odds = { of = 4, full = 1, partial = 2, failure = 1 } },
    } }
  end,
  on = {},
}
start(function() state.kept = { of = 6, worse = 2, best = 3, failure = 1 } go "only" end)
"#;
    let prompt = super::start_run(main).unwrap().prompt().unwrap();
    let odds_texts: Vec<String> = prompt
        .choices
        .iter()
        .map(|choice| {
            let odds = choice.odds.as_ref().unwrap();
            let bands = odds.bands.iter().map(|band| format!("{} {}", band.label, band.case_count));
            format!("{} of {}", bands.collect::<Vec<_>>().join(", "), odds.total_cases)
        })
        .collect();
    assert_eq!(
        odds_texts,
        [
            "among 3, better 3, good 5, failure 9 of 20",
            "most 12, all 7, failure 1 of 20",
            "win 2, lose 4 of 6",
            "best 3, worse 2, failure 1 of 6",
            "full 1, partial 2, failure 1 of 4",
        ]
    );
}

#[test]
fn invalid_rolls_are_reported() {
    insta::assert_snapshot!(refusal_texts(&[
        "amend_roll(1, '+1d6')",
        "tell_roll('one')",
        "local _, p = roll('d6', 'a', { open = true }) amend_roll(p.open, '+1d6')",
        "local _, p = roll('d6', 'a', { open = true }) amend_roll(p.open, '1d6')",
        "local _, p = roll('d6', 'a', { open = true }) amend_roll(p.open, true)",
        "local _, p = roll('d6', 'a', { open = true }) tell_roll(p.open) tell_roll(p.open)",
        "for _ = 1, 17 do roll('d6', 'a', { open = true }) end",
        "odds('10d10', function(_, parts) return 'x' .. parts.dice[1] end)",
        "odds('2d6', function() return 'x' end, { changes = { 'again' } })",
        "odds('2d6', { full = 7 }, { changes = { '1d6' } })",
        "odds('2d6', { full = 7 }, { changes = { {} } })",
        "roll('2d6', 'a', { outcome = function(_, parts) return parts.dices[1] end })",
        "odds('2d6', function(_, parts) return parts.dice[1].face end)",
    ]));
}

/// A library that rolls names the stream: its own by a plain name, or one that another mod lends.
#[test]
fn a_library_rolls_from_a_lent_stream() {
    use crate::support::{GAME_MANIFEST, mod_from_text};
    let library_manifest = "id = \"lib\"\nname = \"lib\"\nversion = \"0.1.0\"\nengine = \"*\"\n";
    let library_script = "export(\"throw\", function(stream) return roll(\"2d6\", stream) end)\n\
                  export(\"draw\", function(stream) return pick({ 1, 2, 3 }, stream) end)\n";
    let play_body = |body: &str| {
        let game = GAME_MANIFEST.to_owned() + "[needs]\nlib = \"*\"\n";
        let main = super::one_scene_game(body, "");
        let mods = mods::sort_into_load_order(vec![
            mod_from_text(library_manifest, &[("main.luau", library_script)]),
            mod_from_text(&game, &[("main.luau", &main)]),
        ]);
        let mut run = TestRun::start(&mods.unwrap(), 5).unwrap();
        run.choose("go").map(|()| run)
    };
    let stream_names = |body: &str| {
        let run = play_body(body).unwrap();
        run.world.dice.stream_positions().into_keys().collect::<Vec<_>>()
    };
    assert_eq!(stream_names("throw 'loot'"), ["lib:loot"]);
    assert_eq!(
        stream_names("throw(lend_stream 'loot') draw(lend_stream 'omens')"),
        ["game:loot", "game:omens"]
    );
    assert_eq!(
        stream_names("local mine = lend_stream 'loot' roll('d6', mine) throw(mine)"),
        ["game:loot"]
    );
    let mut messages = vec![
        play_body("throw 'game:loot'").map(drop).unwrap_err().to_string(),
        play_body("lend_stream 'lib:loot'").map(drop).unwrap_err().to_string(),
    ];
    // A stream is lent for one step.
    let mut run =
        play_body("if state.kept then throw(state.kept) end state.kept = lend_stream 'loot'")
            .unwrap();
    messages.push(run.choose("go").unwrap_err().to_string());
    insta::assert_snapshot!(messages.join("\n\n"));
}
