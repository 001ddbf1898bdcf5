//! Prompts queued from an event, and stages deferred until they are answered.

use engine::base::{Problem, Value};
use engine::mods::{ModSet, load_order};
use engine::protocol::{Input, StoryEvent};

use super::{begin, refusals, state};
use crate::support::{GAME, TestRun, manifest_needing, mod_from_text};

/// A game whose one choice emits `hit` and then continues in one of several ways.
const HALL: &str = r#"
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
const ASKS: &str = r#"
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
    let mut all = vec![mod_from_text(GAME, &[("main.luau", HALL)])];
    all.extend(
        mods.iter()
            .map(|(id, text)| mod_from_text(&manifest_needing(id, &["game"]), &[("m.luau", text)])),
    );
    load_order(all).unwrap()
}

fn asking() -> TestRun {
    let (a, b) = (ASKS.replace("NAME", "a"), ASKS.replace("NAME", "b"));
    TestRun::of(&hall_mods(&[("b", &b), ("a", &a)]), 1).unwrap()
}

fn log(run: &TestRun) -> String {
    state(run).get("log").unwrap().as_text().unwrap().to_owned()
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
fn several_ask_one_after_another_and_the_game_goes_on_where_it_was_going() {
    for (way, end) in [("go", "The yard."), ("push", "The yard."), ("pop", "The hall.")] {
        let mut run = asking();
        let texts = prompt_texts(&mut run, &[way, "yes", "yes"]);
        assert_eq!(texts, ["a: parry 3?", "b: parry 3?", end], "{way}");
        assert_eq!(log(&run), "a3 b3 ");
        assert!(run.world.agenda().is_empty());
    }
}

#[test]
fn a_question_about_an_answer_comes_before_the_next() {
    let mut run = asking();
    let texts = prompt_texts(&mut run, &["go", "more", "more", "yes", "no"]);
    assert_eq!(texts, ["a: parry 3?", "a: parry 4?", "a: parry 5?", "b: parry 3?", "The yard."]);
    assert_eq!(log(&run), "a5 ");
}

#[test]
fn a_stage_is_done_once_what_was_asked_before_it_is_answered() {
    let mut run = asking();
    assert_eq!(prompt_texts(&mut run, &["late"]), ["a: parry 3?"]);
    assert_eq!(log(&run), "");
    assert_eq!(prompt_texts(&mut run, &["yes", "yes"]), ["b: parry 3?", "The yard."]);
    assert_eq!(log(&run), "a3 b3 after2 ");
    let said = run.world.take_events().into_iter().filter_map(|event| match event {
        StoryEvent::Say { text } => Some(text),
        _ => None,
    });
    assert_eq!(said.collect::<Vec<_>>(), ["Before.", "Still before.", "After."]);
    // Without queued prompts it is done in the same step.
    let mut alone = TestRun::of(&hall_mods(&[]), 1).unwrap();
    assert_eq!(prompt_texts(&mut alone, &["late"]), ["The yard."]);
}

#[test]
fn a_refused_answer_leaves_the_question_standing() {
    let mut run = asking();
    prompt_texts(&mut run, &["go"]);
    let before = run.world.snapshot();
    let mark = run.world.mark();
    run.choose("break").unwrap_err();
    run.world.rollback(mark);
    assert_eq!(run.world.snapshot(), before);
    assert_eq!(run.prompt().unwrap().text, "a: parry 3?");
}

#[test]
fn a_question_outlives_the_program_and_an_end_drops_it() {
    let mut run = asking();
    prompt_texts(&mut run, &["late", "yes"]);
    let restored = engine::protocol::World::restore(run.world.snapshot()).unwrap();
    let mut again = asking();
    again.world = restored;
    assert_eq!(again.prompt().unwrap().text, "b: parry 3?");
    assert_eq!(prompt_texts(&mut again, &["no"]), ["The yard."]);
    let mut run = asking();
    run.choose("end").unwrap();
    assert!(run.world.run_outcome().is_some() && run.world.agenda().is_empty());
}

#[test]
fn a_question_whose_mod_went_is_passed_over_at_the_players_word() {
    let mut run = asking();
    prompt_texts(&mut run, &["late"]);
    let b = ASKS.replace("NAME", "b");
    let mut left = TestRun::of(&hall_mods(&[("b", &b)]), 1).unwrap();
    left.world = run.world;
    let prompt = left.prompt().unwrap();
    assert_eq!((prompt.scene.as_str(), prompt.choices[0].id.as_str()), ("host:gone", "go_on"));
    let input = Input::Choice("yes".to_owned());
    left.vm.handle_answer(&mut left.world, &Value::map(), &prompt, &input).unwrap_err();
    assert_eq!(prompt_texts(&mut left, &["go_on", "yes"]), ["b: parry 3?", "The yard."]);
    assert_eq!(log(&left), "b3 after2 ");
}

/// A scene that a hook opens with `go` or `push` is not lost silently.
#[test]
fn a_scene_that_a_hook_opened_is_not_left_unasked() {
    let lost = |hook: &str, way: &str| -> Result<(), Problem> {
        let text = format!(
            "after('hit', function() {hook} end)\n\
             scene 'mine' {{ prompt = function() return {{ choices = {{ {{ id = 'x', label = 'X' }} }} }} end, on = {{ x = function() pop() end }} }}\n"
        );
        TestRun::of(&hall_mods(&[("other", &text)]), 1)?.choose(way)
    };
    let mut shown = Vec::new();
    for (hook, way) in [("push 'mine'", "go"), ("go 'mine'", "go")] {
        shown.push(lost(hook, way).unwrap_err().to_string());
    }
    insta::assert_snapshot!(shown.join("\n\n"));
    // On top of the game's scene, or restored by its own mod, it is not lost.
    lost("push 'mine'", "push").unwrap();
    lost("push 'mine' pop()", "go").unwrap();
    lost("push 'mine' pop()", "pop").unwrap();
}

#[test]
fn invalid_stages_are_reported() {
    insta::assert_snapshot!(refusals(&[
        "ask 'onyl'",
        "queue_stage 'only'",
        "ask(3)",
        "ask('only', function() end)",
        "ask('only', { f = print })",
        "finish { outcome = 'x' } ask 'only'",
        "for n = 1, 65 do ask 'only' end",
    ]));
    let looking = "scene 'only' { prompt = function() ask 'only' end, on = {} } start(function() go 'only' end)";
    insta::assert_snapshot!(begin(looking).unwrap().prompt().unwrap_err());
    let round = "stage 'a'(function() queue_stage 'a' end) scene 'only' { prompt = function() end } start(function() go 'only' queue_stage 'a' end)";
    insta::assert_snapshot!(begin(round).map(drop).unwrap_err());
}

/// A mod adds a choice to another mod's prompt, and receives its subject.
#[test]
fn a_question_takes_choices_like_any_scene() {
    let more = r#"
patch.scene "a:parry" { choices = add { {
  id = "duck", label = function(asked) return "Duck under " .. asked.damage end,
  when = function(asked) return asked.damage == 3 end,
  on = function(input) state.log = state.log .. "ducked" .. input.asked.damage end,
} } }
"#;
    let a = ASKS.replace("NAME", "a");
    let mods = load_order(vec![
        mod_from_text(GAME, &[("main.luau", HALL)]),
        mod_from_text(&manifest_needing("a", &["game"]), &[("m.luau", &a)]),
        mod_from_text(&manifest_needing("c", &["game", "a"]), &[("m.luau", more)]),
    ])
    .unwrap();
    let mut run = TestRun::of(&mods, 1).unwrap();
    run.choose("go").unwrap();
    let prompt = run.prompt().unwrap();
    assert_eq!(prompt.choices.last().unwrap().label, "Duck under 3");
    run.choose("duck").unwrap();
    assert_eq!(log(&run), "ducked3");
    assert_eq!(run.prompt().unwrap().text, "The yard.");
}
