//! Text overrides: every shown text can be replaced without the function around it.

use std::fs;

use base::{Problem, Value};
use mods::{ModSet, ModSource, sort_into_load_order};
use protocol::StoryEvent;
use script::Vm;
use session::{ActiveRun, ReplayPlayer, RunContent};

use crate::cli::{program_command, run_with_input, utf8_text};
use crate::support::memory_runs::{
    begin_run, choose, close_run, events_without_answers, lock_profile_of_ada, memory_data_dir,
    say_and_note_texts,
};
use crate::support::{GAME_MANIFEST, TestRun, manifest_needing, mod_from_text, problem_texts};

const BELLS_GAME: &str = r#"
-- How often it rings.
export("ring", function(times: number): ()
  say("The bell rings {times} times.", { times = times })
  note "It is late."
end)

local function names()
  return { "Ring it", "Listen" }
end

scene "only" {
  view = "tower",
  prompt = function()
    return {
      text = "What now?",
      choices = {
        { id = "go", label = names()[1], note = "with {hands} hands", values = { hands = 2 } },
        { id = "wait", label = "Wait", disabled_because = "no time" },
      },
    }
  end,
  on = {
    go = function()
      ring(3)
      roll("1d6", "bells", { label = "how loud" })
    end,
  },
}
view "tower" (function()
  return { title = "The tower", widgets = { { widget = "text", text = "Rope, dust." } } }
end)
start(function() go "only" end)
"#;

const PIGEON_OVERRIDES: &str = r#"
override_text("The bell rings {times} times.", "{times} strokes, and the pigeons leave.")
override_text("It is late.", "Es ist spät.")
override_text("Ring it", "Pull")
override_text("with {hands} hands", "{hands} hands on the rope")
override_text("no time", "not now")
override_text("What now?", "Well?")
override_text("how loud", "strokes")
override_text("Rope, dust.", "A rope, and dust.")
override_text("The tower", "Up there")
"#;

fn mods_with_overrides(others: &[(&str, &[&str], &str)]) -> ModSet {
    let mut sources = vec![mod_from_text(GAME_MANIFEST, &[("main.luau", BELLS_GAME)])];
    let mod_from_entry = |(id, needs, text): &(&str, &[&str], &str)| -> ModSource {
        mod_from_text(&manifest_needing(id, needs), &[("words.luau", text)])
    };
    sources.extend(others.iter().map(mod_from_entry));
    sort_into_load_order(sources).unwrap()
}

fn load_problems(load_result: Result<Vm, Vec<Problem>>) -> String {
    match load_result {
        Ok(vm) => problem_texts(vm.load_warnings()),
        Err(problems) => problem_texts(&problems),
    }
}

#[test]
fn a_text_inside_a_function_is_overridden() {
    let mut run =
        TestRun::start(&mods_with_overrides(&[("pigeons", &["game"], PIGEON_OVERRIDES)]), 1)
            .unwrap();
    let prompt = run.prompt().unwrap();
    let choice_at = |index: usize| &prompt.choices[index];
    assert_eq!(prompt.text, "Well?");
    assert_eq!((&*choice_at(0).label, &*choice_at(0).note), ("Pull", "2 hands on the rope"));
    assert_eq!(choice_at(1).disabled_because.as_deref(), Some("not now"));
    run.choose("go").unwrap();
    let events = format!("{:?}", run.take_events());
    for text in ["3 strokes, and the pigeons leave.", "Es ist spät.", "\"strokes\""] {
        assert!(events.contains(text), "no {text:?} in {events}");
    }
    let view = format!("{:?}", run.vm.compute_view(&mut run.world, &Value::map()).unwrap());
    assert!(view.contains("Up there") && view.contains("A rope, and dust."), "{view}");
    // Without the mod the text is the original.
    let mut run_without_mod = TestRun::start(&mods_with_overrides(&[]), 1).unwrap();
    run_without_mod.choose("go").unwrap();
    let has_original_text = run_without_mod.take_events().iter().any(
        |event| matches!(event, StoryEvent::Say { text } if text == "The bell rings 3 times."),
    );
    assert!(has_original_text);
}

#[test]
fn a_word_filled_into_a_text_is_overridden_too() {
    let game_script = r#"
scene "only" {
  prompt = function()
    local where = if true then "in the tower" else "below"
    return {
      text = fill("You stand {where}.", { where = where }),
      choices = { { id = "go", label = "Ring {how}", values = { how = { often = "twice" } } } },
    }
  end,
  on = { go = function() end },
}
start(function() go "only" end)
"#;
    let game_script = game_script.replace("{how}", "{how.often}");
    let override_script = r#"
override_text("in the tower", "on the stairs")
override_text("twice", "no more")
"#;
    let game = mod_from_text(GAME_MANIFEST, &[("main.luau", &game_script)]);
    let override_mod =
        mod_from_text(&manifest_needing("pigeons", &["game"]), &[("words.luau", override_script)]);
    let mut run =
        TestRun::start(&sort_into_load_order(vec![game, override_mod]).unwrap(), 1).unwrap();
    let prompt = run.prompt().unwrap();
    assert_eq!(prompt.text, "You stand on the stairs.");
    assert_eq!(&*prompt.choices[0].label, "Ring no more");
}

#[test]
fn a_third_mod_settles_two_overrides_of_one_text() {
    let override_script = |words: &str| format!("override_text(\"It is late.\", \"{words}\")\n");
    let (first_script, second_script, third_script) =
        (override_script("Late."), override_script("Too late."), override_script("Late, then."));
    let game: &[&str] = &["game"];
    let both_mods = [("gulls", game, &*first_script), ("tide", game, &*second_script)];
    let conflict_output = load_problems(Vm::load(&mods_with_overrides(&both_mods), &Value::map()));
    let same_output = load_problems(Vm::load(
        &mods_with_overrides(&[both_mods[0], ("tide", game, &*first_script)]),
        &Value::map(),
    ));
    assert_eq!(same_output, "", "two that agree do not conflict");
    let later_output = load_problems(Vm::load(
        &mods_with_overrides(&[both_mods[0], ("tide", &["game", "gulls"], &second_script)]),
        &Value::map(),
    ));
    assert_eq!(later_output, "", "a later mod may override it again");
    let all_mods = mods_with_overrides(&[
        both_mods[0],
        both_mods[1],
        ("whole", &["game", "gulls", "tide"], &third_script),
    ]);
    let mut run = TestRun::start(&all_mods, 1).unwrap();
    run.choose("go").unwrap();
    assert!(format!("{:?}", run.take_events()).contains("Late, then."));
    let doubled_script = format!("{first_script}{second_script}");
    let doubled_output = load_problems(Vm::load(
        &mods_with_overrides(&[("gulls", game, &doubled_script)]),
        &Value::map(),
    ));
    insta::assert_snapshot!([conflict_output, doubled_output].join("\n---\n"));
}

#[test]
fn an_unknown_mark_is_reported_in_the_override() {
    let prompt_override = "override_text(\"with {hands} hands\", \"{feet} feet\")\n";
    let mut run =
        TestRun::start(&mods_with_overrides(&[("pigeons", &["game"], prompt_override)]), 1)
            .unwrap();
    let prompt_problem = run.prompt().unwrap_err();
    let note_override = "override_text(\"The bell rings {times} times.\", \"{tims} strokes.\")\n";
    let mut run =
        TestRun::start(&mods_with_overrides(&[("pigeons", &["game"], note_override)]), 1).unwrap();
    let note_problem = run.choose("go").unwrap_err();
    insta::assert_snapshot!(format!("{prompt_problem}\n---\n{note_problem}"));
}

/// The folders of the game and of a mod, for the real program.
fn write_mods_folder(words: &str) -> tempfile::TempDir {
    let folder = tempfile::tempdir().unwrap();
    let write_file = |path: &str, text: &str| {
        let path = folder.path().join(path);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, text).unwrap();
    };
    write_file("mods/game/mod.toml", GAME_MANIFEST);
    write_file("mods/game/main.luau", BELLS_GAME);
    write_file("mods/pigeons/mod.toml", &manifest_needing("pigeons", &["game"]));
    write_file("mods/pigeons/words.luau", words);
    folder
}

fn run_command(folder: &tempfile::TempDir, arguments: &[&str]) -> String {
    let mods = folder.path().join("mods").to_string_lossy().into_owned();
    let data = folder.path().join("data").to_string_lossy().into_owned();
    let all_arguments: Vec<&str> =
        arguments.iter().copied().chain(["--mods", &mods, "--data", &data]).collect();
    let output = run_with_input(program_command(&all_arguments), "");
    utf8_text(&output.stdout) + &utf8_text(&output.stderr)
}

#[test]
fn check_reports_overrides_of_unused_texts_and_unknown_marks() {
    let output = run_command(&write_mods_folder(PIGEON_OVERRIDES), &["check", "pigeons"]);
    assert!(output.contains("no problems"), "{output}");
    let invalid_overrides = "override_text(\"The bell rings {times} time.\", \"Strokes.\")\n\
                 override_text(\"Quite something else\", \"Nothing\")\n\
                 override_text(\"with {hands} hands\", \"{hand} hands\")\n\
                 override_text(\"no time\", \"not {now}\")\n";
    insta::assert_snapshot!(run_command(
        &write_mods_folder(invalid_overrides),
        &["check", "pigeons"]
    ));
    insta::assert_snapshot!(run_command(
        &write_mods_folder("override_text \"What now?\"\n"),
        &["check", "pigeons"]
    ));
    let identical_override = "override_text(\"It is late.\", \"It is late.\")\n";
    insta::assert_snapshot!(run_command(
        &write_mods_folder(identical_override),
        &["check", "pigeons"]
    ));
}

#[test]
fn why_finds_a_shown_text() {
    let folder = write_mods_folder(PIGEON_OVERRIDES);
    let run_why = |text_searched: &str| {
        run_command(&folder, &["why", text_searched, "--game", "game", "--with", "pigeons"])
    };
    insta::assert_snapshot!(
        [run_why("bell rings"), run_why("pigeons leave"), run_why("no such thing")].join("\n---\n")
    );
}

const WAKING_GAME: &str = r#"
start(function() state.n = 0 go "only" end)
scene "only" {
  prompt = function() return { text = "?", choices = { { id = "go", label = "Go" } } } end,
  on = {
    go = function()
      state.n += 1
      say("{who} wakes {n.of} of {n.all}; {n.of}.", { who = "the heap", n = { of = state.n, all = { true, "ten" } } })
      note "It is late."
    end,
  },
}
"#;

fn waking_game_with(overrides: &str) -> RunContent {
    let game = mod_from_text(GAME_MANIFEST, &[("main.luau", WAKING_GAME)]);
    let translation =
        mod_from_text(&manifest_needing("german", &["game"]), &[("de.luau", overrides)]);
    let sources = if overrides.is_empty() { vec![game] } else { vec![game, translation] };
    RunContent { mods: sort_into_load_order(sources).unwrap(), settings: Value::map() }
}

fn earlier_texts(active_run: &ActiveRun) -> Vec<String> {
    say_and_note_texts(&events_without_answers(&active_run.earlier_story))
}

fn watched_texts(player: &mut ReplayPlayer) -> Vec<String> {
    let mut texts = Vec::new();
    while let Some(frame) = player.advance_step().unwrap() {
        texts.extend(say_and_note_texts(&frame.events));
    }
    texts
}

const GERMAN_TEXTS: &str = r#"
override_text("{who} wakes {n.of} of {n.all}; {n.of}.", "{n.of}, {n.of}: {who} erwacht.")
override_text("the heap", "der Haufen")
override_text("It is late.", "Es ist spät.")
"#;

#[test]
fn the_story_so_far_follows_a_translation_that_is_switched_on_or_off() {
    let (_, data_dir) = memory_data_dir();
    let mut active_run = begin_run(&mut lock_profile_of_ada(&data_dir), waking_game_with(""), 1);
    for count in [1, 2] {
        let outcome = choose(&mut active_run.session, "go");
        let english = format!("the heap wakes {count} of yes, ten; {count}.");
        assert_eq!(say_and_note_texts(&outcome.events), [&english, "It is late."]);
    }
    let run_id = close_run(&data_dir, active_run, "game");
    let german_content = waking_game_with(GERMAN_TEXTS);
    let mut resumed_run = session::resume_run(&data_dir, &run_id, Some(&german_content)).unwrap();
    let german_texts =
        ["1, 1: der Haufen erwacht.", "Es ist spät.", "2, 2: der Haufen erwacht.", "Es ist spät."];
    assert_eq!(earlier_texts(&resumed_run)[..4], german_texts);
    let outcome = choose(&mut resumed_run.session, "go");
    assert_eq!(say_and_note_texts(&outcome.events)[0], "3, 3: der Haufen erwacht.");
    let mut player = ReplayPlayer::open(&data_dir, &run_id).unwrap();
    assert_eq!(watched_texts(&mut player)[..4], german_texts);
    let past = session::undo_to_step(&data_dir, &mut resumed_run.session, 1).unwrap();
    assert_eq!(say_and_note_texts(&events_without_answers(&past))[..2], german_texts[..2]);
    let run_id = close_run(&data_dir, resumed_run, "game");
    session::replay_and_verify(&data_dir, &run_id, &mut |_, _| {}).unwrap();
    let content = waking_game_with("");
    let resumed_run = session::resume_run(&data_dir, &run_id, Some(&content)).unwrap();
    assert_eq!(
        earlier_texts(&resumed_run)[..2],
        ["the heap wakes 1 of yes, ten; 1.", "It is late."]
    );
}

/// A step with such an override is refused. What was told before it stays readable.
#[test]
fn the_story_so_far_is_shown_as_written_where_an_override_has_an_unknown_mark() {
    let (_, data_dir) = memory_data_dir();
    let mut active_run = begin_run(&mut lock_profile_of_ada(&data_dir), waking_game_with(""), 1);
    choose(&mut active_run.session, "go");
    let run_id = close_run(&data_dir, active_run, "game");
    let content = waking_game_with(
        "override_text(\"{who} wakes {n.of} of {n.all}; {n.of}.\", \"{whom}: {n.of}\")\n\
         override_text(\"the heap\", \"a heap {n.of}\")\n",
    );
    let mut resumed_run = session::resume_run(&data_dir, &run_id, Some(&content)).unwrap();
    let english = "a heap \\{n.of\\} wakes 1 of yes, ten; 1.";
    assert_eq!(earlier_texts(&resumed_run)[..2], [english, "It is late."]);
    let refusal = choose(&mut resumed_run.session, "go").refusal.unwrap();
    assert_eq!(refusal.place.as_ref().unwrap().file, "de.luau", "{refusal}");
}

/// Without the values that it drops, the source text could not be filled.
#[test]
fn an_override_that_drops_marks_stays_in_the_story_so_far() {
    let (_, data_dir) = memory_data_dir();
    let content = waking_game_with(
        "override_text(\"{who} wakes {n.of} of {n.all}; {n.of}.\", \"Nummer {n.of}.\")\n",
    );
    let mut active_run = begin_run(&mut lock_profile_of_ada(&data_dir), content, 1);
    let outcome = choose(&mut active_run.session, "go");
    assert_eq!(say_and_note_texts(&outcome.events)[0], "Nummer 1.");
    let run_id = close_run(&data_dir, active_run, "game");
    let content = waking_game_with("");
    let resumed_run = session::resume_run(&data_dir, &run_id, Some(&content)).unwrap();
    assert_eq!(earlier_texts(&resumed_run)[..2], ["Nummer 1.", "It is late."]);
}
