//! Follows `docs/modding/first-mod.md` exactly: writes its files, runs its commands with the real
//! program, and compares the output.

use std::fs;
use std::path::Path;
use std::process::Command;
use std::sync::Arc;

use super::live_session::LiveSession;
use crate::support::copy_folder;

const PROJECT_ROOT: &str = env!("CARGO_MANIFEST_DIR");

/// The blocks of the page in order: language and text.
fn page_blocks() -> Vec<(String, String)> {
    let page =
        fs::read_to_string(Path::new(PROJECT_ROOT).join("docs/modding/first-mod.md")).unwrap();
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
fn command_words(command: &str) -> Vec<String> {
    let arguments = command.trim().strip_prefix("cargo run --release -- ").unwrap();
    arguments.split(' ').map(str::to_owned).collect()
}

#[test]
fn the_first_mod_page_matches_the_program_output() {
    let blocks = page_blocks();
    let blocks_in = |wanted_language: &'static str| {
        blocks.iter().filter(move |(language, _)| language == wanted_language)
    };
    let lua_blocks: Vec<_> = blocks_in("lua").collect();
    let commands: Vec<&str> = blocks_in("sh").map(|(_, text)| text.trim()).collect();
    let expected_outputs: Vec<&str> = blocks_in("text").map(|(_, text)| text.as_str()).collect();
    assert_eq!(
        (lua_blocks.len(), commands.len(), expected_outputs.len()),
        (1, 5, 8),
        "the page has another shape"
    );
    assert_eq!(commands[0], "cargo build --release");

    // A clone, with the files that the program reads.
    let project_folder = Arc::new(tempfile::tempdir().unwrap());
    copy_folder(
        &Path::new(PROJECT_ROOT).join("base_game"),
        &project_folder.path().join("base_game"),
    );
    fs::write(project_folder.path().join("Cargo.toml"), "").unwrap();
    let run_command = |command: &str| {
        let mut program = Command::new(env!("CARGO_BIN_EXE_sub-rosa"));
        program.args(command_words(command)).current_dir(project_folder.path());
        let output =
            program.env("XDG_DATA_HOME", project_folder.path().join("home")).output().unwrap();
        String::from_utf8(output.stdout).unwrap()
    };
    let created = run_command(commands[1]);
    let word_path = project_folder.path().join("mods/my_words/words.luau");
    let word_text = fs::read_to_string(&word_path).unwrap_or_else(|_| panic!("{created}"));
    for file in ["mod.toml", "words.luau", "tests/first.luau", ".luaurc"] {
        assert!(created.contains(&format!("  {file}\n")), "{created}");
    }
    assert_eq!(run_command(commands[2]), expected_outputs[0], "check");

    let mut arguments = command_words(commands[3]);
    assert_eq!(arguments.remove(0), "play");
    let mut live_session = LiveSession::start_in_project_folder(project_folder.clone(), &arguments);
    live_session.wait_for("> ");
    live_session.type_line("1");
    live_session.wait_for("> ");
    for line in expected_outputs[1].lines() {
        live_session.type_line(line);
        live_session.wait_for("> ");
    }
    live_session.type_line("1");
    live_session.wait_for("Spells: 7. Cast lantern (costs 1 mp) 90/5/0/5%.");
    live_session.wait_for("> ");
    live_session.type_line("why 7");
    live_session.wait_for(expected_outputs[2].trim_end());
    live_session.wait_for("> ");
    fs::write(&word_path, word_text.replace("bonus = 1", "bonus = 4")).unwrap();
    live_session.wait_for(expected_outputs[3].trim_end());
    live_session.wait_for("> ");
    live_session.type_line("why 7");
    live_session.wait_for("full: 10 to 15; partial: 9");
    live_session.wait_for("> ");
    fs::write(&word_path, word_text.replace("bonus = 1", "bonos = 4")).unwrap();
    live_session.wait_for(expected_outputs[4].trim_end());
    fs::write(&word_path, word_text.replace("bonus = 1", "bonus = 4")).unwrap();
    live_session.wait_for("> ");
    live_session.type_line("7");
    live_session.wait_for(expected_outputs[5].trim_end());
    let with_other_effect =
        word_text.replace("bonus = 1", "bonus = 4").replace("enemies.stun(1)\n", &lua_blocks[0].1);
    fs::write(&word_path, with_other_effect).unwrap();
    live_session.wait_for("my_words:my_words (on_cast");
    for line in expected_outputs[6].lines() {
        live_session.wait_for("> ");
        live_session.type_line(line);
    }
    live_session.wait_for(expected_outputs[7].trim_end());
    drop(live_session);
    let mods_on_output = run_command(commands[4]);
    assert!(mods_on_output.contains("my_words"), "{mods_on_output}");
}
