//! Moments, the hooks on them, and rules.

use engine::kit::Value;

use super::{act_beside, state};
use crate::support::{GAME, Run, mod_of, needing};

#[test]
fn before_changes_apply_acts_after_sees() {
    let (run, _) = act_beside(
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
    assert_eq!(state(&run).to_json(), r#"{"log":["apply 8","after 8"]}"#);
}

#[test]
fn hooks_that_go_wrong_are_named() {
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
    let emit = "emit('blow', { damage = 4, to = { name = 'Ada' } })";
    let mut shown = Vec::new();
    for hook in hooks {
        let frame = super::one_scene(emit, "");
        let game = mod_of(GAME, &[("main.luau", &frame)]);
        let other = mod_of(&needing("other", &["game"]), &[("hooks.luau", hook)]);
        let mods = engine::mods::load_order(vec![game, other]).unwrap();
        let mut run = Run::of(&mods, 1).unwrap();
        let problem = run.choose("go").unwrap_err();
        shown.push(problem.to_string());
    }
    insta::assert_snapshot!(shown.join("\n\n"));
}

#[test]
fn rules_are_called_by_name_and_only_look() {
    let (run, _) = act_beside(
        "state.dc = rules.difficulty(3, 7) state.other = rules['game:difficulty'](1, 0)",
        "rule \"difficulty\" (function(tier, level) return 10 + tier + level // 3 end)",
    )
    .unwrap();
    assert_eq!(state(&run).to_json(), r#"{"dc":15,"other":11}"#);
    let wrong = [
        ("rules.dificulty(1)", "rule \"difficulty\" (function() return 1 end)"),
        ("rules.pay()", "rule \"pay\" (function() state.gold = 1 end)"),
        ("rules.throw()", "rule \"throw\" (function() return roll('d6', 'a') end)"),
        ("emit(3)", ""),
        ("emit('x', 3)", ""),
        ("emit('x', {}, 3)", ""),
    ];
    let texts: Vec<String> = wrong
        .iter()
        .map(|(body, more)| match act_beside(body, more) {
            Ok(_) => panic!("this was not refused: {body}"),
            Err(problem) => problem.to_string(),
        })
        .collect();
    insta::assert_snapshot!(texts.join("\n\n"));
}

#[test]
fn a_patched_rule_is_the_one_that_is_called() {
    let frame =
        super::one_scene("state.n = rules.n(1)", "rule \"n\" (function(x) return x + 1 end)");
    let game = mod_of(GAME, &[("main.luau", &frame)]);
    let patch = "patch.rule \"game:n\" (wrap(function(original, x) return original(x) * 10 end))";
    let other = mod_of(&needing("other", &["game"]), &[("patch.luau", patch)]);
    let mods = engine::mods::load_order(vec![game, other]).unwrap();
    let mut run = Run::of(&mods, 1).unwrap();
    run.choose("go").unwrap();
    assert_eq!(state(&run).get("n"), Some(&Value::Int(20)));
}
