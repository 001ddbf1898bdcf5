//! Prompts queued from an event, and stages deferred until they are answered.

use base::Problem;
use mods::{ModSet, sort_into_load_order};
use protocol::{Input, StoryEvent};

use super::{refusal_texts, start_run, state_value};
use crate::support::{GAME_MANIFEST, TestRun, manifest_needing, mod_from_text};

/// A game whose one choice emits `hit` and then continues in one of several ways.
const HALL_GAME: &str = r#"
local function hit(on)
  return function()
    emit("hit", { damage = 3 })
    on()
  end
end
scene "hall" {
  prompt = function()
    local choices = {}
    for _, id in ipairs { "go", "push", "pop", "late", "end" } do
      table.insert(choices, { id = id, label = id })
    end
    return { text = "The hall.", choices = choices }
  end,
  on = {
    go = hit(function() go "yard" end),
    push = hit(function() push "yard" end),
    pop = hit(function() push "yard" pop() end),
    late = hit(function() say "Before." queue_stage("after", { n = 2 }) say "Still before." end),
    ["end"] = hit(function() finish { outcome = "over" } end),
  },
}
scene "yard" {
  prompt = function() return { text = "The yard.", choices = { { id = "back", label = "Back" } } } end,
  on = { back = function() pop() end },
}
stage "after"(function(with)
  state.log = state.log .. "after" .. with.n .. " "
  say "After."
  go "yard"
end)
start(function() state.log = "" go "hall" end)
"#;

/// A mod that queues a prompt at `hit`.
const PARRY_MOD: &str = r#"
after("hit", function(event)
  ask("parry", { damage = event.damage })
end)
scene "parry" {
  prompt = function(asked)
    return { text = "NAME: parry {damage}?", values = asked, choices = {
      { id = "yes", label = "Yes" }, { id = "no", label = "No" }, { id = "more", label = "More" },
      { id = "break", label = "Break" },
    } }
  end,
  on = {
    yes = function(input) state.log = state.log .. "NAME" .. input.asked.damage .. " " end,
    no = function() end,
    more = function(input) ask("parry", { damage = input.asked.damage + 1 }) end,
    ["break"] = function() state.log = "spoilt" error "it breaks" end,
  },
}
"#;

fn hall_mods(mods: &[(&str, &str)]) -> ModSet {
    let mut sources = vec![mod_from_text(GAME_MANIFEST, &[("main.luau", HALL_GAME)])];
    sources
        .extend(mods.iter().map(|(id, text)| {
            mod_from_text(&manifest_needing(id, &["game"]), &[("m.luau", text)])
        }));
    sort_into_load_order(sources).unwrap()
}

fn run_with_two_parry_mods() -> TestRun {
    let (script_a, script_b) = (PARRY_MOD.replace("NAME", "a"), PARRY_MOD.replace("NAME", "b"));
    TestRun::start(&hall_mods(&[("b", &script_b), ("a", &script_a)]), 1).unwrap()
}

fn state_log(run: &TestRun) -> String {
    state_value(run).get("log").unwrap().as_text().unwrap().to_owned()
}

/// The texts of the prompts that these answers meet, and the last one.
fn prompt_texts(run: &mut TestRun, answers: &[&str]) -> Vec<String> {
    let mut texts = Vec::new();
    for answer in answers {
        run.choose(answer).unwrap();
        texts.push(run.prompt().unwrap().text);
    }
    texts
}

#[test]
fn queued_prompts_are_asked_in_turn_before_the_game_continues() {
    for (choice, last_text) in [("go", "The yard."), ("push", "The yard."), ("pop", "The hall.")] {
        let mut run = run_with_two_parry_mods();
        let texts = prompt_texts(&mut run, &[choice, "yes", "yes"]);
        assert_eq!(texts, ["a: parry 3?", "b: parry 3?", last_text], "{choice}");
        assert_eq!(state_log(&run), "a3 b3 ");
        assert!(run.world.agenda_items().is_empty());
    }
}

#[test]
fn a_prompt_queued_by_an_answer_comes_before_the_next() {
    let mut run = run_with_two_parry_mods();
    let texts = prompt_texts(&mut run, &["go", "more", "more", "yes", "no"]);
    assert_eq!(texts, ["a: parry 3?", "a: parry 4?", "a: parry 5?", "b: parry 3?", "The yard."]);
    assert_eq!(state_log(&run), "a5 ");
}

#[test]
fn a_stage_runs_after_the_prompts_queued_before_it() {
    let mut run = run_with_two_parry_mods();
    assert_eq!(prompt_texts(&mut run, &["late"]), ["a: parry 3?"]);
    assert_eq!(state_log(&run), "");
    assert_eq!(prompt_texts(&mut run, &["yes", "yes"]), ["b: parry 3?", "The yard."]);
    assert_eq!(state_log(&run), "a3 b3 after2 ");
    let say_texts = run.take_events().into_iter().filter_map(|event| match event {
        StoryEvent::Say { text } => Some(text),
        _ => None,
    });
    assert_eq!(say_texts.collect::<Vec<_>>(), ["Before.", "Still before.", "After."]);
    // Without queued prompts it is done in the same step.
    let mut run_without_mods = TestRun::start(&hall_mods(&[]), 1).unwrap();
    assert_eq!(prompt_texts(&mut run_without_mods, &["late"]), ["The yard."]);
}

#[test]
fn a_refused_answer_keeps_the_queued_prompt() {
    let mut run = run_with_two_parry_mods();
    prompt_texts(&mut run, &["go"]);
    let snapshot_before = run.world.snapshot();
    let mark = run.world.open_savepoint();
    run.choose("break").unwrap_err();
    run.world.rollback_to(mark);
    assert_eq!(run.world.snapshot(), snapshot_before);
    assert_eq!(run.prompt().unwrap().text, "a: parry 3?");
}

#[test]
fn a_queued_prompt_survives_a_restore_and_ends_with_the_run() {
    let mut run = run_with_two_parry_mods();
    prompt_texts(&mut run, &["late", "yes"]);
    let restored = protocol::WorldState::restore(run.world.snapshot()).unwrap();
    let mut restored_run = run_with_two_parry_mods();
    restored_run.world = restored;
    assert_eq!(restored_run.prompt().unwrap().text, "b: parry 3?");
    assert_eq!(prompt_texts(&mut restored_run, &["no"]), ["The yard."]);
    let mut run = run_with_two_parry_mods();
    run.choose("end").unwrap();
    assert!(run.world.run_outcome().is_some() && run.world.agenda_items().is_empty());
}

#[test]
fn a_queued_prompt_of_a_missing_mod_can_be_skipped() {
    let mut run = run_with_two_parry_mods();
    prompt_texts(&mut run, &["late"]);
    let script_b = PARRY_MOD.replace("NAME", "b");
    let mut run_without_mod_a = TestRun::start(&hall_mods(&[("b", &script_b)]), 1).unwrap();
    run_without_mod_a.world = run.world;
    let prompt = run_without_mod_a.prompt().unwrap();
    assert_eq!((prompt.scene.as_str(), prompt.choices[0].id.as_str()), ("host:gone", "go_on"));
    let input = Input::Choice("yes".to_owned());
    prompt.accept(input).unwrap_err();
    assert_eq!(
        prompt_texts(&mut run_without_mod_a, &["go_on", "yes"]),
        ["b: parry 3?", "The yard."]
    );
    assert_eq!(state_log(&run_without_mod_a), "b3 after2 ");
}

/// A scene that a hook opens with `go` or `push` is not lost silently.
#[test]
fn a_scene_opened_by_a_hook_must_not_be_lost() {
    let play_with_hook = |hook: &str, choice: &str| -> Result<(), Problem> {
        let text = format!(
            "after('hit', function() {hook} end)\n\
             scene 'mine' {{ prompt = function() return {{ choices = {{ {{ id = 'x', label = 'X' }} }} }} end, on = {{ x = function() pop() end }} }}\n"
        );
        TestRun::start(&hall_mods(&[("other", &text)]), 1)?.choose(choice)
    };
    let mut messages = Vec::new();
    for (hook, choice) in [("push 'mine'", "go"), ("go 'mine'", "go")] {
        messages.push(play_with_hook(hook, choice).unwrap_err().to_string());
    }
    insta::assert_snapshot!(messages.join("\n\n"));
    // On top of the game's scene, or restored by its own mod, it is not lost.
    play_with_hook("push 'mine'", "push").unwrap();
    play_with_hook("push 'mine' pop()", "go").unwrap();
    play_with_hook("push 'mine' pop()", "pop").unwrap();
}

#[test]
fn invalid_stages_are_reported() {
    insta::assert_snapshot!(refusal_texts(&[
        "ask 'onyl'",
        "queue_stage 'only'",
        "ask(3)",
        "ask('only', function() end)",
        "ask('only', { f = print })",
        "finish { outcome = 'x' } ask 'only'",
        "for n = 1, 65 do ask 'only' end",
    ]));
    let prompting_game = "scene 'only' { prompt = function() ask 'only' end, on = {} } start(function() go 'only' end)";
    insta::assert_snapshot!(start_run(prompting_game).unwrap().prompt().unwrap_err());
    let looping_game = "stage 'a'(function() queue_stage 'a' end) scene 'only' { prompt = function() end } start(function() go 'only' queue_stage 'a' end)";
    insta::assert_snapshot!(start_run(looping_game).map(drop).unwrap_err());
}

/// A mod adds a choice to another mod's prompt, and receives its subject.
#[test]
fn a_patch_may_add_choices_to_a_queued_prompt() {
    let patch_script = r#"
patch.scene "a:parry" { choices = add { {
  id = "duck", label = function(asked) return "Duck under " .. asked.damage end,
  when = function(asked) return asked.damage == 3 end,
  on = function(input) state.log = state.log .. "ducked" .. input.asked.damage end,
} } }
"#;
    let script_a = PARRY_MOD.replace("NAME", "a");
    let mods = sort_into_load_order(vec![
        mod_from_text(GAME_MANIFEST, &[("main.luau", HALL_GAME)]),
        mod_from_text(&manifest_needing("a", &["game"]), &[("m.luau", &script_a)]),
        mod_from_text(&manifest_needing("c", &["game", "a"]), &[("m.luau", patch_script)]),
    ])
    .unwrap();
    let mut run = TestRun::start(&mods, 1).unwrap();
    run.choose("go").unwrap();
    let prompt = run.prompt().unwrap();
    assert_eq!(prompt.choices.last().unwrap().label, "Duck under 3");
    run.choose("duck").unwrap();
    assert_eq!(state_log(&run), "ducked3");
    assert_eq!(run.prompt().unwrap().text, "The yard.");
}
