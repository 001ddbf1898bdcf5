//! An editor that truncates a file and writes it later causes no loss for the player.

// Real files and slow editors.
#![allow(clippy::disallowed_methods)]

use std::fs;
use std::io::Write;
use std::sync::Arc;
use std::thread::sleep;
use std::time::Duration;

use crate::reload::live_session::{LiveSession, MANIFEST, WELL};

const PUSHED_SCENE: &str = r#"scene "deep" {
  prompt = function()
    return { text = "It is dark.", choices = { { id = "up", label = "Up" } } }
  end,
  on = { up = function() pop() end },
}
"#;

/// In a pushed scene of a file of its own.
fn session_in_pushed_scene() -> LiveSession {
    let kept = Arc::new(tempfile::tempdir().unwrap());
    let folder = kept.path().join("mods/well");
    fs::create_dir_all(folder.join("play")).unwrap();
    fs::write(folder.join("mod.toml"), MANIFEST).unwrap();
    let well = WELL.replace("state.drawn += rope.old.length\n", "push \"deep\"\n");
    fs::write(folder.join("play/well.luau"), well).unwrap();
    fs::write(folder.join("play/deep.luau"), PUSHED_SCENE).unwrap();
    let mut table = LiveSession::open(kept, &["--dev"]);
    table.wait_for("> ");
    table.answer("new");
    table.wait_for("How far down?");
    table.answer("draw");
    table.wait_for("It is dark.");
    table
}

#[test]
fn what_is_emptied_first_is_waited_for() {
    for gap_ms in [50, 300] {
        let mut table = session_in_pushed_scene();
        let file = table.folder.join("play/deep.luau");
        // One slow write, and an editor that opens the file twice.
        let mut open = fs::File::create(&file).unwrap();
        open.flush().unwrap();
        sleep(Duration::from_millis(gap_ms));
        open.write_all(PUSHED_SCENE.replace("dark", "cold").as_bytes()).unwrap();
        drop(open);
        table.wait_for("It is cold.");
        fs::write(&file, "").unwrap();
        sleep(Duration::from_millis(gap_ms));
        fs::write(&file, PUSHED_SCENE.replace("dark", "wet")).unwrap();
        table.wait_for("It is wet.");
        let said = table.leave();
        assert!(!said.contains("gone"), "{said}");
    }
}

#[test]
fn what_was_away_for_long_is_returned_to() {
    let mut table = session_in_pushed_scene();
    let file = table.folder.join("play/deep.luau");
    fs::remove_file(&file).unwrap();
    table.wait_for("How far down?");
    fs::write(&file, PUSHED_SCENE).unwrap();
    table.wait_for("It is dark.");
    table.leave();
}
