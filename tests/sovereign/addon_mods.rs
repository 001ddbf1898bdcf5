//! Mods for Sovereign: one written from its docs works, and one for Sub Rosa is disabled with a
//! reason.

use std::path::{Path, PathBuf};

use base::Value;
use mods::{SearchPaths, choose_enabled_mods, read_folder};

use script::Vm;

use super::harness::{GameSession, begin_encounter, enabled_choice_ids, events_json, scene_name};
use crate::rules::harness::load_vm;
use crate::support::{load_order_with_library, manifest_needing, mod_from_text};

fn mod_in_folder(folder: &str) -> mods::ModSource {
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
    let mut session = GameSession::begin(&vm, 4, options, Value::map());
    assert!(enabled_choice_ids(&mut session).contains(&"thing:dig_by_the_tenth_stone".to_owned()));
    let output = events_json(&session.choose("thing:dig_by_the_tenth_stone"));
    assert!(output.contains("spade"), "{output}");
    let members_json = session.state_value("members").to_json();
    assert!(members_json.contains("sexton_spade:true_spade"));
    session.choose("thing:go_down_the_new_door");
    assert!(session.state_value("delve.here").as_text().unwrap().starts_with("sexton_spade:"));
}

const MERCY_MOD: &str = r#"
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
fn a_queued_prompt_is_answered_before_the_scene_changes() {
    let mercy_mod =
        mod_from_text(&manifest_needing("mercy", &["sovereign"]), &[("asks.luau", MERCY_MOD)]);
    let mods = load_order_with_library(vec![mod_in_folder("mods/sovereign"), mercy_mod]).unwrap();
    let vm = Vm::load(&mods, &Value::map()).unwrap();
    for (answer, next_scene) in [("let_go", "chamber"), ("at_them", "fight")] {
        let mut session = begin_encounter(&vm, 1, "barn_rat", 3);
        session.choose("wait");
        assert_eq!(enabled_choice_ids(&mut session), ["let_go", "at_them"]);
        session.choose(answer);
        assert_eq!(scene_name(&mut session), next_scene);
    }
}

#[test]
fn a_mod_for_another_game_is_refused_with_a_reason() {
    let sources = vec![
        mod_in_folder("base_game"),
        mod_in_folder("mods/sovereign"),
        mod_in_folder("mods/ember_words"),
        mod_in_folder("mods/sexton_spade"),
        mod_in_folder("mods/parts"),
    ];
    for (game, id, made_for) in
        [("sovereign", "ember_words", "sub_rosa"), ("sub_rosa", "sexton_spade", "sovereign")]
    {
        let (chosen_mods, problems) = choose_enabled_mods(
            sources.clone(),
            &SearchPaths::default(),
            Some(game),
            &[id.to_owned()],
        );
        let ids: Vec<&str> = chosen_mods.iter().map(mods::ModSource::id).collect();
        assert_eq!(ids, [game, "parts"]);
        let messages: Vec<String> = problems.iter().map(ToString::to_string).collect();
        assert_eq!(messages.len(), 1);
        let expected_message = format!(
            "{id} is left out: it is made for the game {made_for}, and this start plays {game}"
        );
        assert!(messages[0].contains(&expected_message), "{messages:?}");
    }
}

#[test]
fn the_embedded_sovereign_is_listed_and_playable() {
    let folder = tempfile::TempDir::new().unwrap();
    let run_program = |words: &[&str]| {
        let mut command = std::process::Command::new(env!("CARGO_BIN_EXE_sub-rosa"));
        command.args(words).current_dir(folder.path()).env("XDG_DATA_HOME", folder.path());
        let output = command.output().unwrap();
        assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
        String::from_utf8(output.stdout).unwrap()
    };
    let mods_output = run_program(&["mods"]);
    assert!(
        mods_output.contains("game sovereign") && mods_output.contains("game sub_rosa"),
        "{mods_output}"
    );
    let simulate_output =
        run_program(&["simulate", "--game", "sovereign", "--runs", "2", "--seed", "1"]);
    assert!(simulate_output.contains("2 runs"), "{simulate_output}");
    let script = folder.path().join("script.txt");
    std::fs::write(&script, "quit\n").unwrap();
    let script = script.to_string_lossy().into_owned();
    let title_output = run_program(&["--script", &script]);
    assert!(title_output.contains("Another game"), "{title_output}");
}

/// The blocks of a language on the page for mod authors of Sovereign.
fn blocks_in_language<'p>(page: &'p str, language: &str) -> Vec<&'p str> {
    let fenced_texts = page.split("```").skip(1).step_by(2);
    fenced_texts.filter_map(|block| block.strip_prefix(&format!("{language}\n"))).collect()
}

#[test]
fn the_mod_of_the_docs_page_passes_check_and_its_test() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let page = std::fs::read_to_string(root.join("docs/modding/sovereign.md")).unwrap();
    let temp_folder = tempfile::TempDir::new().unwrap();
    let folder = temp_folder.path().join("cold_larder");
    std::fs::create_dir_all(folder.join("tests")).unwrap();
    std::fs::write(folder.join("mod.toml"), blocks_in_language(&page, "toml")[0]).unwrap();
    let lua_blocks = blocks_in_language(&page, "lua");
    let (case_script, script_parts) = lua_blocks.split_last().unwrap();
    for (number, script_part) in script_parts.iter().enumerate() {
        std::fs::write(folder.join(format!("part_{number}.luau")), script_part).unwrap();
    }
    std::fs::write(folder.join("tests/first.luau"), case_script).unwrap();
    let run_program = |words: &[&str]| {
        let mut command = std::process::Command::new(env!("CARGO_BIN_EXE_sub-rosa"));
        command.args(words).args(["--game", "sovereign", "--mods"]).arg(temp_folder.path());
        command.current_dir(root).env("XDG_DATA_HOME", "/no/such/folder");
        String::from_utf8(command.output().unwrap().stdout).unwrap()
    };
    let check_output = run_program(&["check", "cold_larder", "sovereign"]);
    assert!(check_output.ends_with("no problems\n"), "{check_output}");
    let test_output = run_program(&["test", "cold_larder"]);
    assert!(test_output.ends_with("1 passed\n"), "{test_output}");
    // Without its two sure ways, the third is not enough.
    let script = std::fs::read_to_string(folder.join("part_0.luau")).unwrap();
    let (cut_start, cut_end) =
        (script.find("    way \"lever").unwrap(), script.find("    risk").unwrap());
    std::fs::write(folder.join("part_0.luau"), [&script[..cut_start], &script[cut_end..]].concat())
        .unwrap();
    let check_output = run_program(&["check", "cold_larder"]);
    assert!(check_output.contains("nothing lifts \"grating_up\" without a die"), "{check_output}");
    assert!(
        check_output.contains("at cold_larder/part_0.luau"),
        "reported at the patch: {check_output}"
    );
}
