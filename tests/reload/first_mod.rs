//! Follows `docs/modding/first-mod.md` exactly: writes its files, runs its commands with the real
//! program, and compares the output.

use std::fs;
use std::path::Path;
use std::process::Command;
use std::sync::Arc;

use super::live_session::LiveSession;
use crate::support::copy;

const ROOT: &str = env!("CARGO_MANIFEST_DIR");

/// The blocks of the page in order: language and text.
fn blocks() -> Vec<(String, String)> {
    let page = fs::read_to_string(Path::new(ROOT).join("docs/modding/first-mod.md")).unwrap();
    let mut blocks = Vec::new();
    let mut parts = page.split("```");
    parts.next();
    while let (Some(block), Some(_)) = (parts.next(), parts.next()) {
        let (language, text) = block.split_once('\n').unwrap();
        blocks.push((language.to_owned(), text.to_owned()));
    }
    blocks
}

/// A command of the page: the words after `cargo run --release --`.
fn words(command: &str) -> Vec<String> {
    let rest = command.trim().strip_prefix("cargo run --release -- ").unwrap();
    rest.split(' ').map(str::to_owned).collect()
}

#[test]
fn the_page_of_the_first_mod_is_true_word_for_word() {
    let blocks = blocks();
    let of = |wanted: &'static str| blocks.iter().filter(move |(language, _)| language == wanted);
    let (toml, lua) = (of("toml").next().unwrap(), of("lua").collect::<Vec<_>>());
    let shell: Vec<&str> = of("sh").map(|(_, text)| text.trim()).collect();
    let texts: Vec<&str> = of("text").map(|(_, text)| text.as_str()).collect();
    assert_eq!((lua.len(), shell.len(), texts.len()), (2, 4, 8), "the page has another shape");
    assert_eq!(shell[0], "cargo build --release");

    // A clone, with the files that the program reads.
    let clone = Arc::new(tempfile::tempdir().unwrap());
    copy(&Path::new(ROOT).join("base_game"), &clone.path().join("base_game"));
    fs::write(clone.path().join("Cargo.toml"), "").unwrap();
    let own = clone.path().join("mods/my_words");
    fs::create_dir_all(own.join("words")).unwrap();
    fs::write(own.join("mod.toml"), &toml.1).unwrap();
    let glint = own.join("words/glint.luau");
    fs::write(&glint, &lua[0].1).unwrap();

    let run = |command: &str| {
        let mut program = Command::new(env!("CARGO_BIN_EXE_sub-rosa"));
        program.args(words(command)).current_dir(clone.path());
        let output = program.env("XDG_DATA_HOME", clone.path().join("home")).output().unwrap();
        String::from_utf8(output.stdout).unwrap()
    };
    assert_eq!(run(shell[1]), texts[0], "check");

    let mut arguments = words(shell[2]);
    assert_eq!(arguments.remove(0), "play");
    let mut table = LiveSession::open_project(clone.clone(), &arguments);
    table.wait_for("> ");
    table.answer("1");
    table.wait_for("> ");
    for line in texts[1].lines() {
        table.answer(line);
        table.wait_for("> ");
    }
    table.answer("1");
    table.wait_for("Words: 7. Cast glint (costs 1 mp) 90/5/0/5%.");
    table.wait_for("> ");
    table.answer("why 7");
    table.wait_for(texts[2].trim_end());
    table.wait_for("> ");
    fs::write(&glint, lua[0].1.replace("bonus = 1", "bonus = 4")).unwrap();
    table.wait_for(texts[3].trim_end());
    table.wait_for("> ");
    table.answer("why 7");
    table.wait_for("full: 10 to 15; partial: 9");
    table.wait_for("> ");
    fs::write(&glint, lua[0].1.replace("bonus = 1", "bonos = 4")).unwrap();
    table.wait_for(texts[4].trim_end());
    let with_doing = |bonus: &str| {
        let text = lua[0].1.replace("bonus = 1", bonus);
        let (body, _) = text.rsplit_once('}').unwrap();
        format!("{body}{}}}\n", lua[1].1)
    };
    fs::write(&glint, lua[0].1.replace("bonus = 1", "bonus = 4")).unwrap();
    table.wait_for("> ");
    table.answer("7");
    table.wait_for(texts[5].trim_end());
    fs::write(&glint, with_doing("bonus = 4")).unwrap();
    table.wait_for("my_words:glint (on_cast");
    for line in texts[6].lines() {
        table.wait_for("> ");
        table.answer(line);
    }
    table.wait_for(texts[7].trim_end());
    drop(table);
    let on = run(shell[3]);
    assert!(on.contains("my_words"), "{on}");
}
