//! Text overrides: every shown text can be replaced without the function around it.

use std::fs;

use engine::base::{Problem, Value};
use engine::mods::{ModSet, ModSource, load_order};
use engine::protocol::StoryEvent;
use engine::script::Vm;

use crate::cli::{program, run, text};
use crate::support::{GAME, TestRun, manifest_needing, mod_from_text, problems_text};

const BELLS: &str = r#"
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

const OTHER: &str = r#"
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

fn mods(others: &[(&str, &[&str], &str)]) -> ModSet {
    let mut all = vec![mod_from_text(GAME, &[("main.luau", BELLS)])];
    let other = |(id, needs, text): &(&str, &[&str], &str)| -> ModSource {
        mod_from_text(&manifest_needing(id, needs), &[("words.luau", text)])
    };
    all.extend(others.iter().map(other));
    load_order(all).unwrap()
}

fn load_problems(loaded: Result<Vm, Vec<Problem>>) -> String {
    match loaded {
        Ok(vm) => problems_text(vm.warnings()),
        Err(problems) => problems_text(&problems),
    }
}

#[test]
fn a_text_of_a_function_is_overridden_without_replacing_the_function() {
    let mut run = TestRun::of(&mods(&[("pigeons", &["game"], OTHER)]), 1).unwrap();
    let prompt = run.prompt().unwrap();
    let of = |at: usize| &prompt.choices[at];
    assert_eq!(prompt.text, "Well?");
    assert_eq!((&*of(0).label, &*of(0).note), ("Pull", "2 hands on the rope"));
    assert_eq!(of(1).disabled_because.as_deref(), Some("not now"));
    run.choose("go").unwrap();
    let events = format!("{:?}", run.world.events);
    for text in ["3 strokes, and the pigeons leave.", "Es ist spät.", "\"strokes\""] {
        assert!(events.contains(text), "no {text:?} in {events}");
    }
    let view = format!("{:?}", run.vm.view(&mut run.world, &Value::map()).unwrap());
    assert!(view.contains("Up there") && view.contains("A rope, and dust."), "{view}");
    // Without the mod the text is the original.
    let mut plain = TestRun::of(&mods(&[]), 1).unwrap();
    plain.choose("go").unwrap();
    let said = plain.world.events.iter().any(
        |event| matches!(event, StoryEvent::Say { text } if text == "The bell rings 3 times."),
    );
    assert!(said);
}

#[test]
fn a_word_filled_into_a_text_is_overridden_too() {
    let words = r#"
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
    let words = words.replace("{how}", "{how.often}");
    let other = r#"
override_text("in the tower", "on the stairs")
override_text("twice", "no more")
"#;
    let game = mod_from_text(GAME, &[("main.luau", &words)]);
    let other = mod_from_text(&manifest_needing("pigeons", &["game"]), &[("words.luau", other)]);
    let mut run = TestRun::of(&load_order(vec![game, other]).unwrap(), 1).unwrap();
    let prompt = run.prompt().unwrap();
    assert_eq!(prompt.text, "You stand on the stairs.");
    assert_eq!(&*prompt.choices[0].label, "Ring no more");
}

#[test]
fn a_third_mod_settles_two_overrides_of_one_text() {
    let says = |words: &str| format!("override_text(\"It is late.\", \"{words}\")\n");
    let (one, other, third) = (says("Late."), says("Too late."), says("Late, then."));
    let game: &[&str] = &["game"];
    let both = [("gulls", game, &*one), ("tide", game, &*other)];
    let clash = load_problems(Vm::load(&mods(&both), &Value::map()));
    let same = load_problems(Vm::load(&mods(&[both[0], ("tide", game, &*one)]), &Value::map()));
    assert_eq!(same, "", "two that agree do not conflict");
    let after = load_problems(Vm::load(
        &mods(&[both[0], ("tide", &["game", "gulls"], &other)]),
        &Value::map(),
    ));
    assert_eq!(after, "", "a later mod may override it again");
    let whole = mods(&[both[0], both[1], ("whole", &["game", "gulls", "tide"], &third)]);
    let mut run = TestRun::of(&whole, 1).unwrap();
    run.choose("go").unwrap();
    assert!(format!("{:?}", run.world.events).contains("Late, then."));
    let twice = format!("{one}{other}");
    let twice = load_problems(Vm::load(&mods(&[("gulls", game, &twice)]), &Value::map()));
    insta::assert_snapshot!([clash, twice].join("\n---\n"));
}

#[test]
fn an_unknown_mark_is_attributed_to_the_override() {
    let prompt = "override_text(\"with {hands} hands\", \"{feet} feet\")\n";
    let mut run = TestRun::of(&mods(&[("pigeons", &["game"], prompt)]), 1).unwrap();
    let asked = run.prompt().unwrap_err();
    let said = "override_text(\"The bell rings {times} times.\", \"{tims} strokes.\")\n";
    let mut run = TestRun::of(&mods(&[("pigeons", &["game"], said)]), 1).unwrap();
    let said = run.choose("go").unwrap_err();
    insta::assert_snapshot!(format!("{asked}\n---\n{said}"));
}

/// The folders of the game and of a mod, for the real program.
fn folders(words: &str) -> tempfile::TempDir {
    let folder = tempfile::tempdir().unwrap();
    let put = |path: &str, text: &str| {
        let path = folder.path().join(path);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, text).unwrap();
    };
    put("mods/game/mod.toml", GAME);
    put("mods/game/main.luau", BELLS);
    put("mods/pigeons/mod.toml", &manifest_needing("pigeons", &["game"]));
    put("mods/pigeons/words.luau", words);
    folder
}

fn run_command(folder: &tempfile::TempDir, arguments: &[&str]) -> String {
    let mods = folder.path().join("mods").to_string_lossy().into_owned();
    let data = folder.path().join("data").to_string_lossy().into_owned();
    let whole: Vec<&str> =
        arguments.iter().copied().chain(["--mods", &mods, "--data", &data]).collect();
    let output = run(program(&whole), "");
    text(&output.stdout) + &text(&output.stderr)
}

#[test]
fn check_reports_overrides_of_unused_texts_and_unknown_marks() {
    let told = run_command(&folders(OTHER), &["check", "pigeons"]);
    assert!(told.contains("no problems"), "{told}");
    let wrong = "override_text(\"The bell rings {times} time.\", \"Strokes.\")\n\
                 override_text(\"Quite something else\", \"Nothing\")\n\
                 override_text(\"with {hands} hands\", \"{hand} hands\")\n\
                 override_text(\"no time\", \"not {now}\")\n";
    insta::assert_snapshot!(run_command(&folders(wrong), &["check", "pigeons"]));
    insta::assert_snapshot!(run_command(
        &folders("override_text \"What now?\"\n"),
        &["check", "pigeons"]
    ));
    let same = "override_text(\"It is late.\", \"It is late.\")\n";
    insta::assert_snapshot!(run_command(&folders(same), &["check", "pigeons"]));
}

#[test]
fn why_finds_a_shown_text() {
    let folder = folders(OTHER);
    let why = |asked_for: &str| {
        run_command(&folder, &["why", asked_for, "--game", "game", "--with", "pigeons"])
    };
    insta::assert_snapshot!(
        [why("bell rings"), why("pigeons leave"), why("no such thing")].join("\n---\n")
    );
}
