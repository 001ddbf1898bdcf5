//! The page on a whole game from nothing: the game that it shows passes `check` and its tests,
//! plays and packs.

use std::path::Path;
use std::process::Command;

#[test]
fn the_game_of_the_docs_page_passes_check_tests_and_play() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let page = std::fs::read_to_string(root.join("docs/modding/whole-game.md")).unwrap();
    let mods_folder = tempfile::TempDir::new().unwrap();
    let blocks = page.split("```").skip(1).step_by(2);
    let texts = blocks.filter_map(|block| {
        let (language, text) = block.split_once('\n')?;
        ["toml", "lua"].contains(&language).then_some(text)
    });
    let names = ["mod.toml", "kinds/cup.luau", "play.luau", "tests/first.luau"];
    let texts: Vec<&str> = texts.collect();
    assert_eq!(texts.len(), names.len());
    for (name, text) in names.iter().zip(texts) {
        assert!(page.contains(&format!("`{name}`:")), "the page names {name}");
        let file = mods_folder.path().join("sunk_cups").join(name);
        std::fs::create_dir_all(file.parent().unwrap()).unwrap();
        std::fs::write(file, text).unwrap();
    }
    let run_program = |words: &[&str]| {
        let mut command = Command::new(env!("CARGO_BIN_EXE_sub-rosa"));
        command.args(words).args(["--game", "sunk_cups", "--mods"]).arg(mods_folder.path());
        command.current_dir(mods_folder.path()).env("XDG_DATA_HOME", "/no/such/folder");
        String::from_utf8(command.output().unwrap().stdout).unwrap()
    };
    let check_output = run_program(&["check", "sunk_cups"]);
    assert!(check_output.ends_with("no problems\n"), "{check_output}");
    let test_output = run_program(&["test", "sunk_cups"]);
    assert!(test_output.ends_with("1 passed\n"), "{test_output}");
    let simulate_output = run_program(&["simulate", "--set", "air=3,9", "--runs", "60", "--json"]);
    let report_json: serde_json::Value = serde_json::from_str(&simulate_output).unwrap();
    let up_share =
        |group: usize| report_json["groups"][group]["outcomes"]["up"]["share"].as_f64().unwrap();
    assert!(up_share(0) < up_share(1), "more air, more cups: {simulate_output}");
    let output_folder = tempfile::TempDir::new().unwrap();
    let archive_path = output_folder.path().join("sunk_cups.zip");
    let pack_output =
        run_program(&["mods", "pack", "sunk_cups", "--out", &archive_path.to_string_lossy()]);
    assert!(pack_output.contains("sunk_cups 0.1.0 is packed: 4 files"), "{pack_output}");
}
