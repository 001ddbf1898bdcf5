//! Regressions found by authors who wrote mods from the docs alone: text overrides, case ids, text
//! searches, packing and reloading.

use std::fs;

use engine::base::Value;
use engine::mods::load_order;
use engine::script::Vm;
use engine::session::{Content, Recorder, RunParameters, Session, option_specs};

use crate::cli::{program, run, text};
use crate::support::{GAME, MINIMAL_GAME, TestRun, game, manifest_needing, mod_from_text};

const HEAPS: &str = r#"
group "ways" { name = "Ways back", submenu = true, key = "w" }
achievement "first" { name = "First of all", text = "Begun." }
page "how" { title = "How it works", text = "By hand.", menu = 1 }
title "main" { name = "Heaps", text = "Many.", new = "Begin" }
kind "heap" { name = field.text }
heap "wool" { name = "the heap of wool" }
option "size" { type = "one_of", values = { "small", "large" }, label = "The size", ask = true }
option "which" { type = "ref", kind = "heap" }

local function capital(text)
  return string.upper(string.sub(text, 1, 1)) .. string.sub(text, 2)
end

scene "only" {
  prompt = function()
    local name = heap.wool.name
    return {
      text = fill("{Foe} looks up. {foe} waits.", { Foe = capital(name), foe = name }),
      choices = { { id = "go", label = "{Foe} goes", group = "ways", values = { Foe = capital(name) } } },
    }
  end,
  on = { go = function() note("{Foe} went.", { Foe = capital(heap.wool.name) }) end },
}
start(function() go "only" end)
"#;

const GERMAN: &str = r#"
override_text("Ways back", "Rückwege")
override_text("First of all", "Das Erste")
override_text("How it works", "Wie es geht")
override_text("Heaps", "Haufen")
override_text("Begin", "Los")
override_text("The size", "Die Größe")
override_text("large", "groß")
override_text("the heap of wool", "der Wollhaufen")
"#;

fn german(more: &str) -> engine::mods::ModSet {
    let game = mod_from_text(GAME, &[("main.luau", HEAPS)]);
    let words = format!("{GERMAN}{more}");
    load_order(vec![
        game,
        mod_from_text(&manifest_needing("de", &["game"]), &[("words.luau", &words)]),
    ])
    .unwrap()
}

#[test]
fn text_of_the_host_is_overridden_too() {
    let mut run = TestRun::of(&german(""), 1).unwrap();
    let prompt = run.prompt().unwrap();
    assert_eq!(prompt.choices[0].group.as_ref().map(|group| &*group.name), Some("Rückwege"));
    let shown = |kind: &str, id: &str, field: &str| {
        let definition = run.vm.registry().get(kind, id).unwrap();
        definition.get(field).and_then(|datum| datum.as_text()).unwrap().to_owned()
    };
    assert_eq!(shown("achievement", "game:first", "name"), "Das Erste");
    assert_eq!(shown("page", "game:how", "title"), "Wie es geht");
    assert_eq!(shown("title", "game:main", "name"), "Haufen");
    assert_eq!(shown("title", "game:main", "new"), "Los");
    let specs = format!("{:?}", option_specs(run.vm.registry()));
    for words in ["Die Größe", "groß", "der Wollhaufen"] {
        assert!(specs.contains(words), "{specs}");
    }
    // The ids do not change.
    assert!(specs.contains("\"large\""), "{specs}");
}

#[test]
fn an_overridden_word_keeps_the_capital_of_a_sentence() {
    let mut run = TestRun::of(&german(""), 1).unwrap();
    let prompt = run.prompt().unwrap();
    assert_eq!(prompt.text, "Der Wollhaufen looks up. der Wollhaufen waits.");
    assert_eq!(prompt.choices[0].label, "Der Wollhaufen goes");
    run.choose("go").unwrap();
    let told = format!("{:?}", run.world.events);
    assert!(told.contains("Der Wollhaufen went."), "{told}");
    // The word alone has its own override.
    let mut run =
        TestRun::of(&german("override_text(\"The heap of wool\", \"Ein Haufen\")\n"), 1).unwrap();
    assert!(run.prompt().unwrap().text.starts_with("Ein Haufen looks up."));
}

/// A mod: id, manifest and files.
type Written<'a> = (&'a str, &'a str, &'a [(&'a str, &'a str)]);

/// A folder of mods for the real program.
fn folders(mods: &[Written<'_>]) -> tempfile::TempDir {
    let folder = tempfile::tempdir().unwrap();
    for (id, manifest, files) in mods {
        for (path, text) in files.iter().chain(&[("mod.toml", *manifest)]) {
            let path = folder.path().join("mods").join(id).join(path);
            fs::create_dir_all(path.parent().unwrap()).unwrap();
            fs::write(path, text).unwrap();
        }
    }
    folder
}

fn run_command(folder: &tempfile::TempDir, arguments: &[&str]) -> String {
    let mods = folder.path().join("mods").to_string_lossy().into_owned();
    let data = folder.path().join("data").to_string_lossy().into_owned();
    let whole: Vec<&str> =
        arguments.iter().copied().chain(["--mods", &mods, "--data", &data]).collect();
    let mut command = program(&whole);
    command.current_dir(folder.path().join("mods"));
    let output = run(command, "");
    text(&output.stdout) + &text(&output.stderr)
}

#[test]
fn check_takes_a_capital_for_a_text_and_why_finds_one_word() {
    let german = format!("{GERMAN}override_text(\"The heap of wool\", \"Ein Haufen\")\n");
    let manifest = manifest_needing("de", &["game"]);
    let folder = folders(&[
        ("game", GAME, &[("main.luau", HEAPS)]),
        ("de", &manifest, &[("words.luau", &german)]),
    ]);
    let told = run_command(&folder, &["check", "de"]);
    assert!(told.contains("no problems"), "{told}");
    for word in ["Begun.", "Begin", "small"] {
        let told = run_command(&folder, &["why", word, "--game", "game"]);
        assert!(told.contains(&format!("text {word:?}")) && told.contains("main.luau:"), "{told}");
    }
    let told = run_command(&folder, &["why", "Begi", "--game", "game"]);
    assert!(told.contains("no-such-definition"), "{told}");
}

#[test]
fn a_mod_is_not_packed_to_where_it_would_hide_itself() {
    let folder = folders(&[("game", GAME, &[("main.luau", MINIMAL_GAME)])]);
    let told = run_command(&folder, &["mods", "pack", "game"]);
    assert!(told.contains("among-mods") && told.contains("--out"), "{told}");
    assert!(!folder.path().join("mods/game-0.1.0.zip").exists());
    let told = run_command(&folder, &["mods", "pack", "game", "--out", ".."]);
    assert!(folder.path().join("game-0.1.0.zip").exists(), "{told}");
    let told = run_command(&folder, &["check", "game"]);
    assert!(told.contains("no problems"), "{told}");
}

#[test]
fn a_long_sentence_names_a_case_by_whole_words_and_two_that_begin_alike_stay_two() {
    let long = "a caster who has walked the whole of the cistern without a light finds";
    let cases = format!(
        "case \"{long} no door\"(function() end)\ncase \"{long} no doors\"(function() end)\n"
    );
    let vm = Vm::load(&game(&[("main.luau", &format!("{MINIMAL_GAME}{cases}"))]), &Value::map())
        .unwrap();
    let ids: Vec<&str> =
        vm.registry().active_definitions("case").map(|case| case.id.name()).collect();
    assert_eq!(ids.len(), 2, "{ids:?}");
    for id in ids {
        let (words, digits) = id.rsplit_once('_').unwrap();
        assert!(id.len() <= 64 && digits.len() == 4, "{id}");
        let spelt = long.replace(' ', "_");
        assert!(spelt.strip_prefix(words).is_some_and(|rest| rest.starts_with('_')), "{id}");
    }
}

const SHAPED: &str =
    "schema \"heap\" { doc = \"h\", high = field.int { doc = \"h\", optional = true } }\n";
const GROWS: &str = "scene \"only\" { prompt = function() return { text = \"?\", choices = { { id = \"go\", label = \"Go\" } } } end,
on = { go = function() state.heap = state.heap or {} state.heap.high = 1 end } }
start(function() state.heap = { high = 0 } go \"only\" end)\n";

fn content_with_heaps(shape: &str, rest: &str) -> Content {
    let mods = game(&[("a.luau", shape), ("b.luau", rest)]);
    Content { mods, settings: Value::map() }
}

#[test]
fn a_reload_that_removes_what_the_run_uses_is_refused_with_a_location() {
    let content = content_with_heaps(SHAPED, GROWS);
    let vm = content.load_strict().unwrap();
    let terms = RunParameters { seed: 1, options: Value::map(), profile: Value::map() };
    let begun = Session::start(content.clone(), vm, &terms, Recorder::null());
    let mut session = begun.unwrap().0;
    // A schema is removed while the run uses the field.
    let problems = session.reload(content_with_heaps("", GROWS)).map(drop).unwrap_err();
    assert_eq!(problems[0].code, "unknown-state-field", "{problems:#?}");
    let place = problems[0].place.clone().unwrap();
    assert_eq!((&*place.file, place.line), ("a.luau", 1));
    // One field of it.
    let other =
        "schema \"heap\" { doc = \"h\", wide = field.int { doc = \"w\", optional = true } }\n";
    let problems = session.reload(content_with_heaps(other, GROWS)).map(drop).unwrap_err();
    assert_eq!(problems[0].code, "unknown-state-field", "{problems:#?}");
    assert!(problems[0].message.contains("state.heap.high"), "{problems:#?}");
    // A scene has another name: the report says where it was used.
    let problems =
        session.reload(content_with_heaps(SHAPED, &GROWS.replace("\"only\"", "\"other\"")));
    let problems = problems.map(drop).unwrap_err();
    assert_eq!(problems[0].code, "unknown-scene", "{problems:#?}");
    let place = problems[0].place.clone().unwrap();
    assert_eq!((&*place.file, place.line), ("b.luau", 1), "{problems:#?}");
    // Data that is no longer used may be removed, and a migration may remove it.
    session.reload(content).unwrap();
}
