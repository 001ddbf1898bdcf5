//! Mods for Sovereign: one written from its docs works, and one for Sub Rosa is disabled with a
//! reason.

use std::path::{Path, PathBuf};

use engine::base::Value;
use engine::mods::{SearchPaths, choose_enabled_mods, read_folder};

use engine::script::Vm;

use super::harness::{GameSession, begin_encounter, open, said, scene};
use crate::rules::harness::load_vm;
use crate::support::{manifest_needing, mod_from_text, ordered};

fn source(folder: &str) -> engine::mods::ModSource {
    let path: PathBuf = Path::new(env!("CARGO_MANIFEST_DIR")).join(folder);
    read_folder(&path).unwrap()
}

#[test]
fn a_mod_for_sovereign_works_beside_it() {
    let vm = load_vm(&["mods/sovereign", "mods/sexton_spade"]);
    let options = Value::map_of([
        ("company", Value::text("quick")),
        ("opening", Value::text("sovereign:in_the_cloister")),
    ]);
    let mut table = GameSession::begin(&vm, 4, options, Value::map());
    assert!(open(&mut table).contains(&"thing:dig_by_the_tenth_stone".to_owned()));
    let told = said(&table.choose("thing:dig_by_the_tenth_stone"));
    assert!(told.contains("spade"), "{told}");
    let carried = table.state_value("members").to_json();
    assert!(carried.contains("sexton_spade:true_spade"));
    table.choose("thing:go_down_the_new_door");
    assert!(table.state_value("delve.here").as_text().unwrap().starts_with("sexton_spade:"));
}

const ASKS: &str = r#"
after("fight_begun", function()
  ask("flinch", {})
end)

scene "flinch" {
  prompt = function()
    return {
      text = "They flinch.",
      choices = { { id = "let_go", label = "Let them go" }, { id = "at_them", label = "At them" } },
    }
  end,
  on = {
    let_go = function()
      fights.over "left"
    end,
    at_them = function() end,
  },
}
"#;

/// A mod's queued prompt is answered before the game resolves what comes next.
#[test]
fn a_question_is_answered_before_the_company_goes_anywhere() {
    let asks = mod_from_text(&manifest_needing("mercy", &["sovereign"]), &[("asks.luau", ASKS)]);
    let mods = ordered(vec![source("mods/sovereign"), asks]).unwrap();
    let vm = Vm::load(&mods, &Value::map()).unwrap();
    for (answer, then) in [("let_go", "chamber"), ("at_them", "fight")] {
        let mut table = begin_encounter(&vm, 1, "barn_rat", 3);
        table.choose("wait");
        assert_eq!(open(&mut table), ["let_go", "at_them"]);
        table.choose(answer);
        assert_eq!(scene(&mut table), then);
    }
}

#[test]
fn a_mod_for_another_game_is_refused_with_a_reason() {
    let found = vec![
        source("base_game"),
        source("mods/sovereign"),
        source("mods/ember_words"),
        source("mods/sexton_spade"),
        source("mods/parts"),
    ];
    for (game, id, other) in
        [("sovereign", "ember_words", "sub_rosa"), ("sub_rosa", "sexton_spade", "sovereign")]
    {
        let (chosen, problems) = choose_enabled_mods(
            found.clone(),
            &SearchPaths::default(),
            Some(game),
            &[id.to_owned()],
        );
        let ids: Vec<&str> = chosen.iter().map(engine::mods::ModSource::id).collect();
        assert_eq!(ids, [game, "parts"]);
        let told: Vec<String> = problems.iter().map(ToString::to_string).collect();
        assert_eq!(told.len(), 1);
        let why = format!(
            "{id} is left out: it is made for the game {other}, and this start plays {game}"
        );
        assert!(told[0].contains(&why), "{told:?}");
    }
}

#[test]
fn it_plays_from_the_program_alone() {
    let place = tempfile::TempDir::new().unwrap();
    let told = |words: &[&str]| {
        let mut command = std::process::Command::new(env!("CARGO_BIN_EXE_sub-rosa"));
        command.args(words).current_dir(place.path()).env("XDG_DATA_HOME", place.path());
        let output = command.output().unwrap();
        assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
        String::from_utf8(output.stdout).unwrap()
    };
    let listed = told(&["mods"]);
    assert!(listed.contains("game sovereign") && listed.contains("game sub_rosa"), "{listed}");
    let played = told(&["simulate", "--game", "sovereign", "--runs", "2", "--seed", "1"]);
    assert!(played.contains("2 runs"), "{played}");
    let script = place.path().join("script.txt");
    std::fs::write(&script, "quit\n").unwrap();
    let script = script.to_string_lossy().into_owned();
    let title = told(&["--script", &script]);
    assert!(title.contains("Another game"), "{title}");
}

/// The blocks of a language on the page for mod authors of Sovereign.
fn blocks<'p>(page: &'p str, language: &str) -> Vec<&'p str> {
    let opened = page.split("```").skip(1).step_by(2);
    opened.filter_map(|block| block.strip_prefix(&format!("{language}\n"))).collect()
}

#[test]
fn what_the_page_shows_is_a_mod_that_is_sound_and_passes() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let page = std::fs::read_to_string(root.join("docs/modding/sovereign.md")).unwrap();
    let place = tempfile::TempDir::new().unwrap();
    let folder = place.path().join("cold_larder");
    std::fs::create_dir_all(folder.join("tests")).unwrap();
    std::fs::write(folder.join("mod.toml"), blocks(&page, "toml")[0]).unwrap();
    let lua = blocks(&page, "lua");
    let (case, parts) = lua.split_last().unwrap();
    for (number, part) in parts.iter().enumerate() {
        std::fs::write(folder.join(format!("part_{number}.luau")), part).unwrap();
    }
    std::fs::write(folder.join("tests/first.luau"), case).unwrap();
    let told = |words: &[&str]| {
        let mut command = std::process::Command::new(env!("CARGO_BIN_EXE_sub-rosa"));
        command.args(words).args(["--game", "sovereign", "--mods"]).arg(place.path());
        command.current_dir(root).env("XDG_DATA_HOME", "/no/such/folder");
        String::from_utf8(command.output().unwrap().stdout).unwrap()
    };
    let checked = told(&["check", "cold_larder", "sovereign"]);
    assert!(checked.ends_with("no problems\n"), "{checked}");
    let tested = told(&["test", "cold_larder"]);
    assert!(tested.ends_with("1 passed\n"), "{tested}");
    // Without its two sure ways, the third is not enough.
    let patched = std::fs::read_to_string(folder.join("part_0.luau")).unwrap();
    let (from, to) = (patched.find("    way \"lever").unwrap(), patched.find("    risk").unwrap());
    std::fs::write(folder.join("part_0.luau"), [&patched[..from], &patched[to..]].concat())
        .unwrap();
    let checked = told(&["check", "cold_larder"]);
    assert!(checked.contains("nothing lifts \"grating_up\" without a die"), "{checked}");
    assert!(checked.contains("at cold_larder/part_0.luau"), "reported at the patch: {checked}");
}
