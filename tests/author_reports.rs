//! Regressions found by authors who wrote mods from the docs alone: text overrides, case ids, text
//! searches, packing and reloading.

use std::fs;

use base::Value;
use mods::sort_into_load_order;
use script::Vm;
use session::{RunContent, RunParameters, Session, StepRecorder, option_specs};

use crate::cli::{program_command, run_with_input, utf8_text};
use crate::support::{
    GAME_MANIFEST, MINIMAL_GAME, TestRun, game_from_files, manifest_needing, mod_from_text,
};

const HEAPS_GAME: &str = r#"
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

const GERMAN_OVERRIDES: &str = r#"
override_text("Ways back", "Rückwege")
override_text("First of all", "Das Erste")
override_text("How it works", "Wie es geht")
override_text("Heaps", "Haufen")
override_text("Begin", "Los")
override_text("The size", "Die Größe")
override_text("large", "groß")
override_text("the heap of wool", "der Wollhaufen")
"#;

fn mods_with_german_overrides(extra_overrides: &str) -> mods::ModSet {
    let game = mod_from_text(GAME_MANIFEST, &[("main.luau", HEAPS_GAME)]);
    let override_script = format!("{GERMAN_OVERRIDES}{extra_overrides}");
    sort_into_load_order(vec![
        game,
        mod_from_text(&manifest_needing("de", &["game"]), &[("words.luau", &override_script)]),
    ])
    .unwrap()
}

#[test]
fn text_of_the_host_is_overridden_too() {
    let mut run = TestRun::start(&mods_with_german_overrides(""), 1).unwrap();
    let prompt = run.prompt().unwrap();
    assert_eq!(prompt.choices[0].group.as_ref().map(|group| &*group.name), Some("Rückwege"));
    let text_of = |kind: &str, id: &str, field: &str| {
        let definition = run.vm.registry().get(kind, id).unwrap();
        definition.get(field).and_then(|datum| datum.as_text()).unwrap().to_owned()
    };
    assert_eq!(text_of("achievement", "game:first", "name"), "Das Erste");
    assert_eq!(text_of("page", "game:how", "title"), "Wie es geht");
    assert_eq!(text_of("title", "game:main", "name"), "Haufen");
    assert_eq!(text_of("title", "game:main", "new"), "Los");
    let specs = format!("{:?}", option_specs(run.vm.registry()));
    for words in ["Die Größe", "groß", "der Wollhaufen"] {
        assert!(specs.contains(words), "{specs}");
    }
    // The ids do not change.
    assert!(specs.contains("\"large\""), "{specs}");
}

#[test]
fn an_overridden_word_keeps_the_capital_of_a_sentence() {
    let mut run = TestRun::start(&mods_with_german_overrides(""), 1).unwrap();
    let prompt = run.prompt().unwrap();
    assert_eq!(prompt.text, "Der Wollhaufen looks up. der Wollhaufen waits.");
    assert_eq!(prompt.choices[0].label, "Der Wollhaufen goes");
    run.choose("go").unwrap();
    let events = format!("{:?}", run.take_events());
    assert!(events.contains("Der Wollhaufen went."), "{events}");
    // The word alone has its own override.
    let mut run = TestRun::start(
        &mods_with_german_overrides("override_text(\"The heap of wool\", \"Ein Haufen\")\n"),
        1,
    )
    .unwrap();
    assert!(run.prompt().unwrap().text.starts_with("Ein Haufen looks up."));
}

/// A mod: id, manifest and files.
type ModFiles<'a> = (&'a str, &'a str, &'a [(&'a str, &'a str)]);

/// A folder of mods for the real program.
fn write_mods_folder(mods: &[ModFiles<'_>]) -> tempfile::TempDir {
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
    let all_arguments: Vec<&str> =
        arguments.iter().copied().chain(["--mods", &mods, "--data", &data]).collect();
    let mut command = program_command(&all_arguments);
    command.current_dir(folder.path().join("mods"));
    let output = run_with_input(command, "");
    utf8_text(&output.stdout) + &utf8_text(&output.stderr)
}

#[test]
fn check_accepts_capitalized_overrides_and_why_finds_a_word() {
    let german = format!("{GERMAN_OVERRIDES}override_text(\"The heap of wool\", \"Ein Haufen\")\n");
    let manifest = manifest_needing("de", &["game"]);
    let folder = write_mods_folder(&[
        ("game", GAME_MANIFEST, &[("main.luau", HEAPS_GAME)]),
        ("de", &manifest, &[("words.luau", &german)]),
    ]);
    let output = run_command(&folder, &["check", "de"]);
    assert!(output.contains("no problems"), "{output}");
    for word in ["Begun.", "Begin", "small"] {
        let output = run_command(&folder, &["why", word, "--game", "game"]);
        assert!(
            output.contains(&format!("text {word:?}")) && output.contains("main.luau:"),
            "{output}"
        );
    }
    let output = run_command(&folder, &["why", "Begi", "--game", "game"]);
    assert!(output.contains("no-such-definition"), "{output}");
}

#[test]
fn a_mod_is_not_packed_into_the_mods_folder() {
    let folder = write_mods_folder(&[("game", GAME_MANIFEST, &[("main.luau", MINIMAL_GAME)])]);
    let output = run_command(&folder, &["mods", "pack", "game"]);
    assert!(output.contains("among-mods") && output.contains("--out"), "{output}");
    assert!(!folder.path().join("mods/game-0.1.0.zip").exists());
    let output = run_command(&folder, &["mods", "pack", "game", "--out", ".."]);
    assert!(folder.path().join("game-0.1.0.zip").exists(), "{output}");
    let output = run_command(&folder, &["check", "game"]);
    assert!(output.contains("no problems"), "{output}");
}

#[test]
fn ids_of_long_case_names_end_at_whole_words_and_stay_distinct() {
    let sentence_start = "a caster who has walked the whole of the cistern without a light finds";
    let cases = format!(
        "case \"{sentence_start} no door\"(function() end)\ncase \"{sentence_start} no doors\"(function() end)\n"
    );
    let vm = Vm::load(
        &game_from_files(&[("main.luau", &format!("{MINIMAL_GAME}{cases}"))]),
        &Value::map(),
    )
    .unwrap();
    let ids: Vec<&str> =
        vm.registry().active_definitions("case").map(|case| case.id.name()).collect();
    assert_eq!(ids.len(), 2, "{ids:?}");
    for id in ids {
        let (words, digits) = id.rsplit_once('_').unwrap();
        assert!(id.len() <= 64 && digits.len() == 4, "{id}");
        let expected_prefix = sentence_start.replace(' ', "_");
        assert!(
            expected_prefix.strip_prefix(words).is_some_and(|rest| rest.starts_with('_')),
            "{id}"
        );
    }
}

const HEAP_SCHEMA: &str =
    "schema \"heap\" { doc = \"h\", high = field.int { doc = \"h\", optional = true } }\n";
const HEAP_SCENE: &str = "scene \"only\" { prompt = function() return { text = \"?\", choices = { { id = \"go\", label = \"Go\" } } } end,
on = { go = function() state.heap = state.heap or {} state.heap.high = 1 end } }
start(function() state.heap = { high = 0 } go \"only\" end)\n";

fn content_with_heaps(schema: &str, other_script: &str) -> RunContent {
    let mods = game_from_files(&[("a.luau", schema), ("b.luau", other_script)]);
    RunContent { mods, settings: Value::map() }
}

#[test]
fn a_reload_that_removes_used_content_is_refused_with_location() {
    let content = content_with_heaps(HEAP_SCHEMA, HEAP_SCENE);
    let vm = content.load_strict_vm().unwrap();
    let run_parameters = RunParameters { seed: 1, options: Value::map(), profile: Value::map() };
    let start_result =
        Session::start(content.clone(), vm, &run_parameters, StepRecorder::without_journal());
    let mut session = start_result.unwrap().0;
    // A schema is removed while the run uses the field.
    let problems = session.reload(content_with_heaps("", HEAP_SCENE)).map(drop).unwrap_err();
    assert_eq!(problems[0].code, "unknown-state-field", "{problems:#?}");
    let location = problems[0].place.clone().unwrap();
    assert_eq!((&*location.file, location.line), ("a.luau", 1));
    // One field of it.
    let other_schema =
        "schema \"heap\" { doc = \"h\", wide = field.int { doc = \"w\", optional = true } }\n";
    let problems =
        session.reload(content_with_heaps(other_schema, HEAP_SCENE)).map(drop).unwrap_err();
    assert_eq!(problems[0].code, "unknown-state-field", "{problems:#?}");
    assert!(problems[0].message.contains("state.heap.high"), "{problems:#?}");
    // A scene has another name: the report says where it was used.
    let problems = session
        .reload(content_with_heaps(HEAP_SCHEMA, &HEAP_SCENE.replace("\"only\"", "\"other\"")));
    let problems = problems.map(drop).unwrap_err();
    assert_eq!(problems[0].code, "unknown-scene", "{problems:#?}");
    let location = problems[0].place.clone().unwrap();
    assert_eq!((&*location.file, location.line), ("b.luau", 1), "{problems:#?}");
    // Data that is no longer used may be removed, and a migration may remove it.
    session.reload(content).unwrap();
}

/// The docs of fields begin with the rules that they implement. A hint does not: the ids are for
/// the ledger.
#[test]
fn a_hint_of_a_missing_field_names_no_rule_ids() {
    let hint_with_doc = |doc: &str| {
        let script = format!(
            "kind \"spell\" {{ column = field.text {{ doc = \"{doc}\" }} }}\nspell \"briar\" {{}}\n{MINIMAL_GAME}"
        );
        let problems = Vm::load(&game_from_files(&[("main.luau", &script)]), &Value::map());
        problems.map(drop).unwrap_err()[0].hint.clone().unwrap()
    };
    for (doc, expected) in [
        ("SR-3.3, SR-3.4: in place of strike", "in place of strike"),
        ("SR-2.9: added", "added"),
        ("one of two: a or b", "one of two: a or b"),
        ("SR-9.6; 5 is a boss", "SR-9.6; 5 is a boss"),
    ] {
        assert_eq!(hint_with_doc(doc), format!("add `column = …`: {expected}"));
    }
}
