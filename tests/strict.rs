//! Strict mode checks the state and events against their declarations: at every write, at the end
//! of a step, and where an event is emitted. Without it only what hooks change in events is
//! checked.

use base::Value;
use mods::{ModSet, sort_into_load_order};
use protocol::Input;
use session::{Bot, RunContent, RunParameters, Session, StepRecorder};

use crate::support::{GAME_MANIFEST, manifest_needing, mod_from_text};

const DECLARED_SCHEMA: &str = r#"
kind "lamp" {}
lamp "tin" {}
event "lit" { doc = "a lamp is lit", lamp = field.ref { "lamp" }, oil = field.int { min = 0 }, by = field.text { optional = true } }
schema "lamp" { doc = "what is carried", id = field.ref { "lamp" }, oil = field.int { min = 0 }, marks = field.list { field.record { at = field.int } } }
schema "turn" (field.int)
"#;

/// A game, and a mod whose hook runs these lines.
fn game_with_handler_and_hook(handler: &str, hook: &str) -> ModSet {
    let game_script = format!(
        "{DECLARED_SCHEMA}
scene 'only' {{
  prompt = function() return {{ text = '?', choices = {{ {{ id = 'go', label = 'Go' }} }} }} end,
  on = {{ go = function() {handler} end }},
}}
start(function() state.turn = 1 go 'only' end)"
    );
    let game = mod_from_text(GAME_MANIFEST, &[("kinds/main.luau", &game_script)]);
    let hook_mod = mod_from_text(&manifest_needing("other", &["game"]), &[("hooks.luau", hook)]);
    sort_into_load_order(vec![game, hook_mod]).unwrap()
}

/// The game, begun in strict mode or not.
fn start_session(mods: &ModSet, is_strict: bool) -> Session {
    let content = RunContent { mods: mods.clone(), settings: Value::map() };
    let vm = if is_strict { content.load_strict_vm() } else { content.load_vm() };
    let vm = vm.unwrap_or_else(|problems| panic!("{}", problems[0]));
    let run_parameters = RunParameters { seed: 1, options: Value::map(), profile: Value::map() };
    let (session, step_outcome) =
        Session::start(content, vm, &run_parameters, StepRecorder::without_journal()).unwrap();
    assert!(step_outcome.refusal.is_none(), "{:?}", step_outcome.refusal);
    session
}

/// The result of the one choice: nothing, or a Problem.
fn play_choice_problem(mods: &ModSet, is_strict: bool) -> Option<String> {
    let step_outcome =
        start_session(mods, is_strict).answer_prompt(&Input::Choice("go".to_owned())).unwrap();
    step_outcome.refusal.map(|problem| problem.to_string())
}

#[test]
fn strict_mode_checks_writes_against_the_state_schema() {
    let valid_lamp = "state.lamp = { id = 'game:tin', oil = 3, marks = {} } ";
    let invalid_handlers = [
        "state.lmap = 3",
        "state.lamp = { id = 'game:tin', oil = -1, marks = {} }",
        "state.lamp = { id = 'game:thin', oil = 1, marks = {} }",
        &format!("{valid_lamp} state.lamp.oil = 'much'"),
        &format!("{valid_lamp} state.lamp.oill = 2"),
        &format!("{valid_lamp} table.insert(state.lamp.marks, {{ ta = 1 }})"),
        &format!("{valid_lamp} state.lamp.marks[1] = 'x'"),
        "state.turn = 1.5",
        "state.lamp = { id = 'game:tin' }",
        &format!("{valid_lamp} state.lamp.oil = nil"),
        "emit('lit', { lamp = 'game:tin' })",
        "emit('lit', { lamp = 'game:tin', oil = 1, wick = 2 })",
        "preview('lit', { lamp = 'tin', oil = 1 })",
    ];
    let mut messages = Vec::new();
    for handler in invalid_handlers {
        let mods = game_with_handler_and_hook(handler, "");
        assert_eq!(play_choice_problem(&mods, false), None, "without strict mode: {handler}");
        messages.push(
            play_choice_problem(&mods, true).unwrap_or_else(|| panic!("it is let pass: {handler}")),
        );
    }
    insta::assert_snapshot!(messages.join("\n\n"));
    let valid_script = format!(
        "{valid_lamp} state.lamp.oil -= 1 state.lamp.marks[1] = {{ at = 2 }} state.lamp = nil"
    );
    assert_eq!(play_choice_problem(&game_with_handler_and_hook(&valid_script, ""), true), None);
}

/// A table without a required field is reported at the line that wrote it, once the step ends.
#[test]
fn a_missing_field_is_reported_at_the_line_that_wrote_the_table() {
    let emit = "emit('lit', { lamp = 'game:tin', oil = 4 })";
    let hook = "after('lit', function()\n  state.turn = 2\n  state.lamp = { id = 'game:tin', oil = 1 }\nend)";
    let problem = play_choice_problem(&game_with_handler_and_hook(emit, hook), true).unwrap();
    assert!(problem.contains("this line leaves state.lamp without `marks`"), "{problem}");
    assert!(problem.contains("at other/hooks.luau:3"), "{problem}");
    // It may be added later in the step.
    let hook = "after('lit', function()\n  state.lamp = { id = 'game:tin', oil = 1 }\n  state.lamp.marks = {}\nend)";
    assert_eq!(play_choice_problem(&game_with_handler_and_hook(emit, hook), true), None);
    let hook = "after('lit', function()\n  state.lamp = { id = 'game:tin', oil = 1, marks = {} }\n  state.lamp.marks.dent = 'x'\nend)";
    let problem = play_choice_problem(&game_with_handler_and_hook(emit, hook), true).unwrap();
    assert!(problem.contains("`state.lamp.marks.dent` is no item"), "{problem}");
    assert!(problem.contains("at other/hooks.luau:3"), "{problem}");
}

/// Setting a required field to nil is reported at that line, not at the later line that reads the
/// field.
#[test]
fn a_required_field_set_to_nil_is_reported_at_its_line() {
    let handler = "state.lamp = { id = 'game:tin', oil = 3, marks = {} } \
                   emit('lit', { lamp = 'game:tin', oil = 4 }) \
                   if state.lamp.oil > 2 then state.turn = 2 end";
    let mods =
        game_with_handler_and_hook(handler, "after('lit', function() state.lamp.oil = nil end)");
    let problem = play_choice_problem(&mods, true).unwrap();
    assert!(
        problem.contains("[state-wrong-value]: this line sets state.lamp.oil to nil"),
        "{problem}"
    );
    assert!(problem.contains("at other/hooks.luau:1"), "{problem}");
    let hooks_that_may = [
        // Fields of `state` itself may be absent, and so may optional fields.
        "after('lit', function() state.turn = nil state.turn = 3 end)",
        "schema 'lamp' { wick = field.int { optional = true } }
         after('lit', function() state.lamp.wick = 2 state.lamp.wick = nil end)",
        "schema 'seen' { by = field.map { field.int } }
         after('lit', function() state.seen = { by = { a = 1 } } state.seen.by.a = nil end)",
    ];
    for hook in hooks_that_may {
        assert_eq!(play_choice_problem(&game_with_handler_and_hook(handler, hook), true), None);
    }
}

/// Hooks are checked against the event's schema in every run.
#[test]
fn hook_changes_are_checked_against_the_event_in_every_run() {
    let emit_call = "emit('lit', { lamp = 'game:tin', oil = 4 })";
    let hooks = [
        "before('lit', function(event) event.oil /= 8 end)",
        "before('lit', function(event) event.lamp = 'game:thin' end)",
        "before('lit', function(event) event.oil = -1 end)",
        "before('lit', function(event) event.by = 3 end)",
        "before('lit', function(event) event.oli = 3 end)",
        "before('lit', function(event) event.wick = 3 end)",
    ];
    let mut messages = Vec::new();
    for hook in hooks {
        messages.push(
            play_choice_problem(&game_with_handler_and_hook(emit_call, hook), false)
                .unwrap_or_else(|| panic!("let pass: {hook}")),
        );
    }
    insta::assert_snapshot!(messages.join("\n\n"));
    let valid_script = "event 'lit' { wick = field.int }
        before('lit', function(event) event.wick = 3 event.by = 'hand' event.oil = 0 end)
        before('lit', function(event) event.wick += 1 end)
        after('lit', function(event) assert(event.wick == 4 and event.oil == 0) end)";
    assert_eq!(
        play_choice_problem(&game_with_handler_and_hook(emit_call, valid_script), true),
        None
    );
}

/// A bot's memory is not part of the state; writes after it are checked again.
#[test]
fn a_bot_memory_is_not_checked_against_the_state_schema() {
    let bot = "bot 'keen' { choose = function(seen, memory)
  memory.lmap = { 1 }
  memory.turn = 'often'
  return seen.prompt.choices[1].id
end }";
    let mods = game_with_handler_and_hook("state.lmap = 3", bot);
    let mut session = start_session(&mods, true);
    let answer = Bot::new("other:keen", 1).choose_input(&mut session, &[]).unwrap();
    let problem = session.answer_prompt(&answer).unwrap().refusal.expect("strict mode checks it");
    assert!(problem.to_string().contains("state.lmap"), "{problem}");
}

/// An invalid memory is reported as the bot's.
#[test]
fn an_invalid_bot_memory_is_reported_as_its_memory() {
    let bot = "bot 'keen' { choose = function(seen, memory)
  memory.known = { at = function() end }
  return seen.prompt.choices[1].id
end }";
    let mut session = start_session(&game_with_handler_and_hook("", bot), true);
    let message =
        Bot::new("other:keen", 1).choose_input(&mut session, &[]).unwrap_err().to_string();
    assert!(message.contains("memory.known") && !message.contains("state."), "{message}");
}

const DECLARED_FUNCTIONS: &str = "
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
    let valid_lamp = "state.lamp = { id = 'game:tin', oil = 3, marks = {} } ";
    let emit_call = "emit('lit', { lamp = 'game:tin', oil = 4 })";
    let mods_with_hook = |hook: &str| {
        let declarations = game_with_handler_and_hook(&format!("{valid_lamp} {emit_call}"), "")
            .mods[0]
            .files["kinds/main.luau"]
            .clone();
        let game = mod_from_text(
            GAME_MANIFEST,
            &[("kinds/main.luau", &*declarations), ("kinds/other.luau", DECLARED_FUNCTIONS)],
        );
        let manifest = manifest_needing("other", &["game"]);
        sort_into_load_order(vec![game, mod_from_text(&manifest, &[("hooks.luau", hook)])]).unwrap()
    };
    let with_hook_line =
        |line: &str| format!("local much: any = 'much'\nafter('lit', function() {line} end)");
    let invalid_hooks = [
        with_hook_line("lamps.fill(much, nil, {})"),
        with_hook_line("lamps.fill(1)"),
        with_hook_line("lamps.fill(1, 3, {})"),
        with_hook_line("rules.light(much)"),
        with_hook_line("rules.light(1, much)"),
        with_hook_line("rules.light(95)"),
        with_hook_line("rules.light(1)")
            + "\npatch.rule 'game:light' (wrap(function(light, oil) return {} end))",
        with_hook_line("lamps.fill(1, nil, {})")
            + "\npatch.export 'game:lamps.fill' (wrap(function(fill) return 'full' end))",
    ];
    let mut messages = Vec::new();
    for hook in invalid_hooks {
        let mods = mods_with_hook(&hook);
        let strict_message =
            play_choice_problem(&mods, true).unwrap_or_else(|| panic!("it is let pass: {hook}"));
        // A wrap is checked in every run, for every caller.
        let expected_message = hook.contains("(wrap(").then(|| strict_message.clone());
        assert_eq!(
            play_choice_problem(&mods, false),
            expected_message,
            "without strict mode: {hook}"
        );
        messages.push(strict_message);
    }
    insta::assert_snapshot!(messages.join("\n\n"));
    let valid_script =
        with_hook_line("lamps.fill(1, state.lamp, { 'dim' }) rules.light(3, 'long')");
    assert_eq!(play_choice_problem(&mods_with_hook(&valid_script), true), None);
}

/// A game whose event and state have open lists, and one closed list.
fn game_with_open_lists(other_script: &str) -> ModSet {
    let game_script = r#"
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
    let game = mod_from_text(GAME_MANIFEST, &[("main.luau", game_script)]);
    sort_into_load_order(vec![
        game,
        mod_from_text(&manifest_needing("other", &["game"]), &[("more.luau", other_script)]),
    ])
    .unwrap()
}

#[test]
fn open_lists_of_events_and_the_state_can_be_extended() {
    let extensions = [
        r#"extend "state.weather" { "fog" }"#,
        r#"extend "state.lamp.mood" { "low" }"#,
        r#"extend "lit.by" { "lens" }"#,
    ];
    assert_eq!(play_choice_problem(&game_with_open_lists(&extensions.join("\n")), true), None);
    for omitted_index in 0..extensions.len() {
        let mut remaining = extensions.to_vec();
        remaining.remove(omitted_index);
        let message = play_choice_problem(&game_with_open_lists(&remaining.join("\n")), true);
        assert!(
            message.is_some_and(|text| text.contains("one of")),
            "without {}",
            extensions[omitted_index]
        );
    }
    let invalid_extensions = [
        r#"extend "state.lamp.wick" { "soaked" }"#,
        r#"extend "state.lamp.moods" { "low" }"#,
        r#"extend "lit.bye" { "lens" }"#,
        r#"extend "litt.by" { "lens" }"#,
        r#"extend "state.weather" { "wet" }"#,
    ];
    let messages = invalid_extensions.map(|line| {
        let content = RunContent { mods: game_with_open_lists(line), settings: Value::map() };
        content.load_vm().err().unwrap_or_else(|| panic!("let pass: {line}"))[0].to_string()
    });
    insta::assert_snapshot!(messages.join("\n\n"));
}
