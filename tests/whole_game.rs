//! The page on a whole game from nothing: the game that it shows passes `check` and its tests,
//! plays and packs.

use std::path::Path;
use std::process::Command;

#[test]
fn what_the_page_shows_is_a_game_that_is_sound_and_plays() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let page = std::fs::read_to_string(root.join("docs/modding/whole-game.md")).unwrap();
    let place = tempfile::TempDir::new().unwrap();
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
        let file = place.path().join("sunk_cups").join(name);
        std::fs::create_dir_all(file.parent().unwrap()).unwrap();
        std::fs::write(file, text).unwrap();
    }
    let told = |words: &[&str]| {
        let mut command = Command::new(env!("CARGO_BIN_EXE_sub-rosa"));
        command.args(words).args(["--game", "sunk_cups", "--mods"]).arg(place.path());
        command.current_dir(place.path()).env("XDG_DATA_HOME", "/no/such/folder");
        String::from_utf8(command.output().unwrap().stdout).unwrap()
    };
    let checked = told(&["check", "sunk_cups"]);
    assert!(checked.ends_with("no problems\n"), "{checked}");
    let tested = told(&["test", "sunk_cups"]);
    assert!(tested.ends_with("1 passed\n"), "{tested}");
    let played = told(&["simulate", "--set", "air=3,9", "--runs", "60", "--json"]);
    let read: serde_json::Value = serde_json::from_str(&played).unwrap();
    let up = |group: usize| read["groups"][group]["outcomes"]["up"]["share"].as_f64().unwrap();
    assert!(up(0) < up(1), "more air, more cups: {played}");
    let elsewhere = tempfile::TempDir::new().unwrap();
    let out = elsewhere.path().join("sunk_cups.zip");
    let packed = told(&["mods", "pack", "sunk_cups", "--out", &out.to_string_lossy()]);
    assert!(packed.contains("sunk_cups 0.1.0 is packed: 4 files"), "{packed}");
}
