//! Events, their hooks, and rules.

use base::Value;

use super::{play_handler_with, state_value};
use crate::support::{GAME_MANIFEST, TestRun, manifest_needing, mod_from_text};

#[test]
fn before_hooks_change_events_and_after_hooks_observe_them() {
    let (run, _) = play_handler_with(
        r#"
state.log = {}
local shown = preview("blow", { damage = 4, to = { name = "Ada" } })
assert(shown.damage == 8, "what a preview shows")
assert(#state.log == 0, "a preview acts on nothing")
local event = { damage = 4, to = { name = "Ada" } }
local given = emit("blow", event, function(event)
  table.insert(state.log, "apply " .. event.damage)
end)
assert(given == event and event.damage == 8)
event.damage = 1
event.to.name = "B"
assert(emit("nothing hangs here").x == nil)
"#,
        r#"
before("blow", function(event) event.damage += 1 end)
before("blow", function(event) event.damage -= 2 event.damage *= 2 event.damage += 2 end)
after("blow", function(event)
  table.insert(state.log, "after " .. event.damage)
  assert(not pcall(function() event.damage = 0 end), "the event is frozen")
  assert(not pcall(function() event.to.name = "x" end), "all of it")
end)
"#,
    )
    .unwrap();
    assert_eq!(state_value(&run).to_json(), r#"{"log":["apply 8","after 8"]}"#);
}

#[test]
fn failing_hooks_are_reported_with_their_mod() {
    let hooks = [
        "before('blow', function(event) event.damage = nil end)",
        "before('blow', function(event) event.damage = 'much' end)",
        "before('blow', function(event) state.x = 1 end)",
        "before('blow', function(event) roll('d6', 'a') end)",
        "before('blow', function(event) say 'x' end)",
        "before('blow', function(event) emit('blow', event) end)",
        "before('blow', function(event) event.to.missing.x = 1 end)",
        "after('blow', function(event) event.damage = 1 end)",
        "after('blow', function(event) emit('blow', { damage = 1, to = {} }) end)",
        "before('blow', function(event) while true do end end)",
    ];
    let emit_call = "emit('blow', { damage = 4, to = { name = 'Ada' } })";
    let mut messages = Vec::new();
    for hook in hooks {
        let game_script = super::one_scene_game(emit_call, "");
        let game = mod_from_text(GAME_MANIFEST, &[("main.luau", &game_script)]);
        let hook_mod =
            mod_from_text(&manifest_needing("other", &["game"]), &[("hooks.luau", hook)]);
        let mods = mods::sort_into_load_order(vec![game, hook_mod]).unwrap();
        let mut run = TestRun::start(&mods, 1).unwrap();
        let problem = run.choose("go").unwrap_err();
        messages.push(problem.to_string());
    }
    insta::assert_snapshot!(messages.join("\n\n"));
}

/// A metatable would give fields that are not in the event, and a copy would lose them.
#[test]
fn an_event_with_a_metatable_is_refused() {
    let event_table = "setmetatable({ to = { name = 'Ada' } }, { __index = { damage = 4 } })";
    for call in ["emit", "preview"] {
        let game_script = super::one_scene_game(&format!("{call}('blow', {event_table})"), "");
        let game = mod_from_text(GAME_MANIFEST, &[("main.luau", &game_script)]);
        let mods = mods::sort_into_load_order(vec![game]).unwrap();
        let problem = TestRun::start(&mods, 1).unwrap().choose("go").unwrap_err();
        assert_eq!(problem.code, "not-plain", "{problem}");
        assert!(problem.message.contains("a table with a metatable"), "{problem}");
    }
}

/// A script that catches an error of a hook gets a text, whatever was raised.
#[test]
fn errors_of_hooks_are_caught_as_texts() {
    let (run, _) = play_handler_with(
        r#"
state.log = {}
local function one(moment, event, apply)
  local fine, why = pcall(emit, moment, event, apply)
  table.insert(state.log, `{moment}: {fine} {type(why)} {why}`)
end
for _, moment in { "text", "flat", "long", "table", "nothing", "number", "ours", "index", "deep", "look" } do
  one(moment, { x = {} })
end
local many = {}
for at = 1, 100 do many[`f{at}`] = at end
one("many", many)
one("few", { f1 = 1, f2 = 2, f3 = 3 })
one("key", { 1, 2, 3 })
local event = { inner = { 1 } }
one("text", event)
table.insert(state.log, `frozen {table.isfrozen(event)} {table.isfrozen(event.inner)}`)
one("apply", {}, function() error("in apply") end)
one("apply", {}, 3)
one("again", { n = 14 })
one("again", { n = 15 })
one("again", { n = 16 })
local round = {}
round.me = round
one("text", round)
table.insert(state.log, `{select(2, pcall(preview, "few", round))}`)
local _, handled = xpcall(function() emit("text", {}) end, function(why)
  return `handled {type(why)} {why}`
end)
table.insert(state.log, handled)
for _ = 1, 40 do pcall(emit, "text", {}) end
one("fine", {})
"#,
        r#"
after("text", function() error("a text") end)
after("flat", function() error("a text", 0) end)
after("long", function() error(string.rep("word ", 100) .. "   ") end)
after("table", function() error({ code = 1 }) end)
after("nothing", function() error(nil) end)
after("number", function() error(12) end)
after("ours", function() roll("nonsense", "a") end)
after("index", function(event) local _ = event.x.y.z end)
after("deep", function(event) emit("index", event) end)
before("look", function(event) say "x" end)
before("many", function(event) event.f70 = "text" end)
before("few", function(event) event.f3 = nil end)
before("key", function(event) event[2] = "x" end)
after("again", function(event)
  if event.n > 0 then emit("again", { n = event.n - 1 }) end
end)
"#,
    )
    .unwrap();
    let log = state_value(&run).get("log").cloned().unwrap();
    let lines: Vec<&str> =
        log.as_list().unwrap().iter().filter_map(|line| line.as_text()).collect();
    insta::assert_snapshot!(lines.join("\n"));
}

#[test]
fn rules_are_called_by_name_and_read_only() {
    let (run, _) = play_handler_with(
        "state.dc = rules.difficulty(3, 7) state.other = rules['game:difficulty'](1, 0)",
        "rule \"difficulty\" (function(tier, level) return 10 + tier + level // 3 end)",
    )
    .unwrap();
    assert_eq!(state_value(&run).to_json(), r#"{"dc":15,"other":11}"#);
    let invalid_calls = [
        ("rules.dificulty(1)", "rule \"difficulty\" (function() return 1 end)"),
        ("rules.pay()", "rule \"pay\" (function() state.gold = 1 end)"),
        ("rules.throw()", "rule \"throw\" (function() return roll('d6', 'a') end)"),
        ("emit(3)", ""),
        ("emit('x', 3)", ""),
        ("emit('x', {}, 3)", ""),
    ];
    let texts: Vec<String> = invalid_calls
        .iter()
        .map(|(body, extra_script)| match play_handler_with(body, extra_script) {
            Ok(_) => panic!("this was not refused: {body}"),
            Err(problem) => problem.to_string(),
        })
        .collect();
    insta::assert_snapshot!(texts.join("\n\n"));
}

#[test]
fn calls_of_a_patched_rule_use_the_patch() {
    let game_script =
        super::one_scene_game("state.n = rules.n(1)", "rule \"n\" (function(x) return x + 1 end)");
    let game = mod_from_text(GAME_MANIFEST, &[("main.luau", &game_script)]);
    let patch = "patch.rule \"game:n\" (wrap(function(original, x) return original(x) * 10 end))";
    let patch_mod = mod_from_text(&manifest_needing("other", &["game"]), &[("patch.luau", patch)]);
    let mods = mods::sort_into_load_order(vec![game, patch_mod]).unwrap();
    let mut run = TestRun::start(&mods, 1).unwrap();
    run.choose("go").unwrap();
    assert_eq!(state_value(&run).get("n"), Some(&Value::Int(20)));
}
