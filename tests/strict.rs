//! Strict mode checks the state and events against their declarations: at every write, at the end
//! of a step, and where an event is emitted. Without it only what hooks change in events is checked.

use engine::base::Value;
use engine::mods::{ModSet, load_order};
use engine::protocol::Input;
use engine::session::{Bot, Content, Recorder, RunParameters, Session};

use crate::support::{GAME, manifest_needing, mod_from_text};

const DECLARED_SCHEMA: &str = r#"
kind "lamp" {}
lamp "tin" {}
event "lit" { doc = "a lamp is lit", lamp = field.ref { "lamp" }, oil = field.int { min = 0 }, by = field.text { optional = true } }
schema "lamp" { doc = "what is carried", id = field.ref { "lamp" }, oil = field.int { min = 0 }, marks = field.list { field.record { at = field.int } } }
schema "turn" (field.int)
"#;

/// A game, and a mod whose hook runs these lines.
fn mods(handler: &str, hook: &str) -> ModSet {
    let frame = format!(
        "{DECLARED_SCHEMA}
scene 'only' {{
  prompt = function() return {{ text = '?', choices = {{ {{ id = 'go', label = 'Go' }} }} }} end,
  on = {{ go = function() {handler} end }},
}}
start(function() state.turn = 1 go 'only' end)"
    );
    let game = mod_from_text(GAME, &[("kinds/main.luau", &frame)]);
    let other = mod_from_text(&manifest_needing("other", &["game"]), &[("hooks.luau", hook)]);
    load_order(vec![game, other]).unwrap()
}

/// The game, begun in strict mode or not.
fn begin_session(mods: &ModSet, holds: bool) -> Session {
    let content = Content { mods: mods.clone(), settings: Value::map() };
    let vm = if holds { content.load_strict() } else { content.load() };
    let vm = vm.unwrap_or_else(|problems| panic!("{}", problems[0]));
    let terms = RunParameters { seed: 1, options: Value::map(), profile: Value::map() };
    let (session, told) = Session::start(content, vm, &terms, Recorder::null()).unwrap();
    assert!(told.refused.is_none(), "{:?}", told.refused);
    session
}

/// The result of the one choice: nothing, or a Problem.
fn play_choice(mods: &ModSet, holds: bool) -> Option<String> {
    let told = begin_session(mods, holds).answer(&Input::Choice("go".to_owned())).unwrap();
    told.refused.map(|problem| problem.to_string())
}

#[test]
fn strict_mode_checks_writes_against_the_state_schema() {
    let whole = "state.lamp = { id = 'game:tin', oil = 3, marks = {} } ";
    let wrong = [
        "state.lmap = 3",
        "state.lamp = { id = 'game:tin', oil = -1, marks = {} }",
        "state.lamp = { id = 'game:thin', oil = 1, marks = {} }",
        &format!("{whole} state.lamp.oil = 'much'"),
        &format!("{whole} state.lamp.oill = 2"),
        &format!("{whole} table.insert(state.lamp.marks, {{ ta = 1 }})"),
        &format!("{whole} state.lamp.marks[1] = 'x'"),
        "state.turn = 1.5",
        "state.lamp = { id = 'game:tin' }",
        &format!("{whole} state.lamp.oil = nil"),
        "emit('lit', { lamp = 'game:tin' })",
        "emit('lit', { lamp = 'game:tin', oil = 1, wick = 2 })",
        "preview('lit', { lamp = 'tin', oil = 1 })",
    ];
    let mut told = Vec::new();
    for handler in wrong {
        let mods = mods(handler, "");
        assert_eq!(play_choice(&mods, false), None, "without strict mode: {handler}");
        told.push(play_choice(&mods, true).unwrap_or_else(|| panic!("it is let pass: {handler}")));
    }
    insta::assert_snapshot!(told.join("\n\n"));
    let fine =
        format!("{whole} state.lamp.oil -= 1 state.lamp.marks[1] = {{ at = 2 }} state.lamp = nil");
    assert_eq!(play_choice(&mods(&fine, ""), true), None);
}

/// Hooks are checked against the event's schema in every run.
#[test]
fn hook_changes_are_checked_against_the_event_in_every_run() {
    let emit = "emit('lit', { lamp = 'game:tin', oil = 4 })";
    let hooks = [
        "before('lit', function(event) event.oil /= 8 end)",
        "before('lit', function(event) event.lamp = 'game:thin' end)",
        "before('lit', function(event) event.oil = -1 end)",
        "before('lit', function(event) event.by = 3 end)",
        "before('lit', function(event) event.oli = 3 end)",
        "before('lit', function(event) event.wick = 3 end)",
    ];
    let mut told = Vec::new();
    for hook in hooks {
        told.push(
            play_choice(&mods(emit, hook), false).unwrap_or_else(|| panic!("let pass: {hook}")),
        );
    }
    insta::assert_snapshot!(told.join("\n\n"));
    let fine = "event 'lit' { wick = field.int }
        before('lit', function(event) event.wick = 3 event.by = 'hand' event.oil = 0 end)
        before('lit', function(event) event.wick += 1 end)
        after('lit', function(event) assert(event.wick == 4 and event.oil == 0) end)";
    assert_eq!(play_choice(&mods(emit, fine), true), None);
}

/// A bot's memory is not part of the state; writes after it are checked again.
#[test]
fn what_a_bot_remembers_is_its_own() {
    let bot = "bot 'keen' { choose = function(seen, memory)
  memory.lmap = { 1 }
  memory.turn = 'often'
  return seen.prompt.choices[1].id
end }";
    let mods = mods("state.lmap = 3", bot);
    let mut session = begin_session(&mods, true);
    let answer = Bot::new("other:keen", 1).choose(&mut session, &[]).unwrap();
    let refused = session.answer(&answer).unwrap().refused.expect("strict mode checks it");
    assert!(refused.to_string().contains("state.lmap"), "{refused}");
}

/// An invalid memory is reported as the bot's.
#[test]
fn an_invalid_bot_memory_is_reported_as_its_memory() {
    let bot = "bot 'keen' { choose = function(seen, memory)
  memory.known = { at = function() end }
  return seen.prompt.choices[1].id
end }";
    let mut session = begin_session(&mods("", bot), true);
    let told = Bot::new("other:keen", 1).choose(&mut session, &[]).unwrap_err().to_string();
    assert!(told.contains("memory.known") && !told.contains("state."), "{told}");
}

const DECLARED_CALLS: &str = "
rule 'light' (function(oil: number, wick: \"short\" | \"long\"?): number
  return if oil == 95 then 'bright' else oil
end)
export('lamps.fill', function(oil: number, lamp: LampState?, how: { string }): boolean
  return oil ~= 0
end)
";

/// Arguments and results of named functions are checked against their declarations. The failed mod
/// is the caller, or the supplier of the result: the function, or a mod's wrap.
#[test]
fn strict_mode_checks_calls_against_declared_parameters() {
    let whole = "state.lamp = { id = 'game:tin', oil = 3, marks = {} } ";
    let emit = "emit('lit', { lamp = 'game:tin', oil = 4 })";
    let game = |hook: &str| {
        let frame = mods(&format!("{whole} {emit}"), "").mods[0].files["kinds/main.luau"].clone();
        let game = mod_from_text(
            GAME,
            &[("kinds/main.luau", &*frame), ("kinds/other.luau", DECLARED_CALLS)],
        );
        let other = manifest_needing("other", &["game"]);
        load_order(vec![game, mod_from_text(&other, &[("hooks.luau", hook)])]).unwrap()
    };
    let hooked =
        |line: &str| format!("local much: any = 'much'\nafter('lit', function() {line} end)");
    let wrong = [
        hooked("lamps.fill(much, nil, {})"),
        hooked("lamps.fill(1)"),
        hooked("lamps.fill(1, 3, {})"),
        hooked("rules.light(much)"),
        hooked("rules.light(1, much)"),
        hooked("rules.light(95)"),
        hooked("rules.light(1)")
            + "\npatch.rule 'game:light' (wrap(function(light, oil) return {} end))",
        hooked("lamps.fill(1, nil, {})")
            + "\npatch.export 'game:lamps.fill' (wrap(function(fill) return 'full' end))",
    ];
    let mut told = Vec::new();
    for hook in wrong {
        let mods = game(&hook);
        let held = play_choice(&mods, true).unwrap_or_else(|| panic!("it is let pass: {hook}"));
        // A wrap is checked in every run, for every caller.
        let plain = hook.contains("(wrap(").then(|| held.clone());
        assert_eq!(play_choice(&mods, false), plain, "without strict mode: {hook}");
        told.push(held);
    }
    insta::assert_snapshot!(told.join("\n\n"));
    let fine = hooked("lamps.fill(1, state.lamp, { 'dim' }) rules.light(3, 'long')");
    assert_eq!(play_choice(&game(&fine), true), None);
}

/// A game whose event and state have open lists, and one closed list.
fn open_lists(other: &str) -> ModSet {
    let frame = r#"
event "lit" { by = field.one_of { "match", "ember", open = true } }
schema "lamp" { mood = field.one_of { "dim", "bright", open = true }, wick = field.one_of { "new", "burnt" } }
schema "weather" (field.one_of { "dry", "wet", open = true })
scene "only" {
  prompt = function() return { text = "?", choices = { { id = "go", label = "Go" } } } end,
  on = { go = function()
    state.weather = "fog"
    state.lamp = { mood = "low", wick = "new" }
    emit("lit", { by = "lens" })
  end },
}
start(function() go "only" end)"#;
    let game = mod_from_text(GAME, &[("main.luau", frame)]);
    load_order(vec![
        game,
        mod_from_text(&manifest_needing("other", &["game"]), &[("more.luau", other)]),
    ])
    .unwrap()
}

#[test]
fn open_lists_of_events_and_of_the_state_are_extended() {
    let all = [
        r#"extend "state.weather" { "fog" }"#,
        r#"extend "state.lamp.mood" { "low" }"#,
        r#"extend "lit.by" { "lens" }"#,
    ];
    assert_eq!(play_choice(&open_lists(&all.join("\n")), true), None);
    for without in 0..all.len() {
        let mut some = all.to_vec();
        some.remove(without);
        let told = play_choice(&open_lists(&some.join("\n")), true);
        assert!(told.is_some_and(|told| told.contains("one of")), "without {}", all[without]);
    }
    let wrong = [
        r#"extend "state.lamp.wick" { "soaked" }"#,
        r#"extend "state.lamp.moods" { "low" }"#,
        r#"extend "lit.bye" { "lens" }"#,
        r#"extend "litt.by" { "lens" }"#,
        r#"extend "state.weather" { "wet" }"#,
    ];
    let told = wrong.map(|line| {
        let content = Content { mods: open_lists(line), settings: Value::map() };
        content.load().err().unwrap_or_else(|| panic!("let pass: {line}"))[0].to_string()
    });
    insta::assert_snapshot!(told.join("\n\n"));
}
