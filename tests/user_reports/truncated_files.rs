//! An editor that truncates a file and writes it later causes no loss for the player.

// Real files and slow editors.
#![allow(clippy::disallowed_methods)]

use std::fs;
use std::io::Write;
use std::sync::Arc;
use std::thread::sleep;
use std::time::Duration;

use crate::reload::live_session::{LiveSession, WELL_GAME, WELL_MANIFEST};

const PUSHED_SCENE: &str = r#"scene "deep" {
  prompt = function()
    return { text = "It is dark.", choices = { { id = "up", label = "Up" } } }
  end,
  on = { up = function() pop() end },
}
"#;

/// In a pushed scene of a file of its own.
fn session_in_pushed_scene() -> LiveSession {
    let base_folder = Arc::new(tempfile::tempdir().unwrap());
    let folder = base_folder.path().join("mods/well");
    fs::create_dir_all(folder.join("play")).unwrap();
    fs::write(folder.join("mod.toml"), WELL_MANIFEST).unwrap();
    let well = WELL_GAME.replace("state.drawn += rope.old.length\n", "push \"deep\"\n");
    fs::write(folder.join("play/well.luau"), well).unwrap();
    fs::write(folder.join("play/deep.luau"), PUSHED_SCENE).unwrap();
    let mut live_session = LiveSession::open(base_folder, &["--dev"]);
    live_session.wait_for("> ");
    live_session.type_line("new");
    live_session.wait_for("How far down?");
    live_session.type_line("draw");
    live_session.wait_for("It is dark.");
    live_session
}

#[test]
fn a_file_truncated_before_its_write_is_waited_for() {
    for gap_ms in [50, 300] {
        let mut live_session = session_in_pushed_scene();
        let file = live_session.folder.join("play/deep.luau");
        // One slow write, and an editor that opens the file twice.
        let mut open_file = fs::File::create(&file).unwrap();
        open_file.flush().unwrap();
        sleep(Duration::from_millis(gap_ms));
        open_file.write_all(PUSHED_SCENE.replace("dark", "cold").as_bytes()).unwrap();
        drop(open_file);
        live_session.wait_for("It is cold.");
        fs::write(&file, "").unwrap();
        sleep(Duration::from_millis(gap_ms));
        fs::write(&file, PUSHED_SCENE.replace("dark", "wet")).unwrap();
        live_session.wait_for("It is wet.");
        let output = live_session.quit();
        assert!(!output.contains("gone"), "{output}");
    }
}

#[test]
fn a_scene_of_a_restored_file_is_resumed() {
    let mut live_session = session_in_pushed_scene();
    let file = live_session.folder.join("play/deep.luau");
    fs::remove_file(&file).unwrap();
    live_session.wait_for("How far down?");
    fs::write(&file, PUSHED_SCENE).unwrap();
    live_session.wait_for("It is dark.");
    live_session.quit();
}
