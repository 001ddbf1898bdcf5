//! The page's own words in the language of the player.

use std::fs;
use std::path::Path;
use std::process::Command;

use translation::parse_po;

use super::client::Server;

const ROOT: &str = env!("CARGO_MANIFEST_DIR");

/// A translation of two words of the page reaches it, and nothing else does.
#[test]
fn the_page_speaks_the_language_of_the_player() {
    let folder = tempfile::tempdir().unwrap();
    let game = folder.path().join("ferry");
    for part in ["kinds", "play", "locale"] {
        fs::create_dir_all(game.join(part)).unwrap();
    }
    for file in ["mod.toml", "kinds/state.luau", "play/crossing.luau"] {
        fs::copy(Path::new(ROOT).join("tests/games/ferry").join(file), game.join(file)).unwrap();
    }
    let entries = [
        ("Page settings", "<b>Seite</b>"),
        ("not now: {why}", "jetzt nicht: {why}"),
        ("Row", "Rudern"),
    ];
    let text: String =
        entries.iter().map(|(from, to)| format!("msgid \"{from}\"\nmsgstr \"{to}\"\n\n")).collect();
    let head = "msgid \"\"\nmsgstr \"Content-Type: text/plain; charset=UTF-8\\n\"\n\n";
    fs::write(game.join("locale/de.po"), head.to_owned() + &text).unwrap();
    let mods = game.to_str().unwrap();
    let arguments = ["--game", "ferry", "--mods", mods, "--language", "de"];
    let server = Server::start(&folder.path().join("data"), &arguments);
    let mut page = server.open_page("");
    let message = page.read_until("words");
    assert_eq!(message["language"], "de", "{message}");
    let expected = serde_json::json!({
        "Page settings": "<b>Seite</b>",
        "not now: {why}": "jetzt nicht: {why}",
    });
    assert_eq!(message["words"], expected, "{message}");
}

/// Each word is a plain literal, so that `texts` lists what the page asks for.
#[test]
fn texts_lists_the_words_of_the_page() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("de.po");
    let output = Command::new(env!("CARGO_BIN_EXE_sub-rosa"))
        .args(["texts", "ferry", "--game", "ferry", "--mods", "tests/games/ferry", "--to"])
        .arg(&file)
        .arg("--data")
        .arg(folder.path())
        .current_dir(ROOT)
        .output()
        .unwrap();
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    let listed = parse_po(&fs::read_to_string(&file).unwrap()).unwrap();
    let is_listed = |word: &str| listed.entries.iter().any(|entry| entry.id == word);
    let scripts = Path::new(ROOT).join("engine/serve/page");
    let mut count = 0;
    for entry in fs::read_dir(scripts).unwrap() {
        let path = entry.unwrap().path();
        let text = fs::read_to_string(&path).unwrap();
        for call in text.split("word(").skip(1).filter(|rest| !rest.starts_with("text, ")) {
            let name = path.display();
            let literal = call.strip_prefix('"').and_then(|rest| rest.split('"').next());
            let literal = literal.unwrap_or_else(|| panic!("{name}: no literal: {call:.40}"));
            assert!(!literal.contains('\\'), "{name}: {literal}");
            assert!(is_listed(literal), "{name}: {literal}");
            count += 1;
        }
    }
    assert!(count > 100, "{count} words");
}
