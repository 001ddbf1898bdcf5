//! Real files under the real program: a saved change reaches the run at once, whatever the editor
//! does, and a broken save costs nothing.

use std::fs;
use std::io::Write;

use super::live_session::{LiveSession, WELL_GAME, WELL_MANIFEST, save_by_renaming};

fn well_with_rope_length(rope_length: i64) -> String {
    WELL_GAME.replace("length = 3", &format!("length = {rope_length}"))
}

#[test]
fn a_saved_change_is_applied_and_reported_by_field() {
    let mut live_session = LiveSession::open_well_game(&["--dev"]);
    live_session.type_line("draw");
    live_session.wait_for("You have drawn 3.");
    live_session.save_script(&well_with_rope_length(5));
    let output = live_session.wait_for("How far down? 5 is there.");
    assert!(output.contains("1 definition changed: well:old (length 3 → 5)"), "{output}");
    live_session.type_line("draw");
    live_session.wait_for("You have drawn 8.");
    save_by_renaming(&live_session.script_path(), &well_with_rope_length(6));
    live_session.wait_for("How far down? 6 is there.");
    live_session.quit();
}

#[test]
fn a_saved_translation_is_shown_at_once() {
    let mut live_session = LiveSession::open_well_game(&["--dev", "--language", "de"]);
    let path = live_session.folder.join("locale/de.po");
    fs::create_dir(path.parent().unwrap()).unwrap();
    for word in ["Wie tief?", "Wie weit hinab?"] {
        let entry = format!("msgid \"How far down? {{n}} is there.\"\nmsgstr \"{word} {{n}}.\"\n");
        fs::write(&path, entry).unwrap();
        let output = live_session.wait_for(&format!("{word} 3."));
        assert!(output.contains("The translation was read again."), "{output}");
    }
    live_session.quit();
}

#[test]
fn steps_that_are_undone_tell_a_reload_once() {
    let mut live_session = LiveSession::open_well_game(&["--dev"]);
    live_session.type_line("draw");
    live_session.wait_for("You have drawn 3.");
    live_session.save_script(&well_with_rope_length(5));
    live_session.wait_for("How far down? 5 is there.");
    live_session.type_line("draw");
    live_session.wait_for("You have drawn 8.");
    for undo_count in 1..3 {
        live_session.type_line(":back to 1");
        let output = live_session.wait_for("Back at step 1.");
        assert_eq!(output.matches("definition changed").count(), 1, "{undo_count}: {output}");
    }
    live_session.quit();
}

/// Editor files are written at the start and after a reload, and are no change of the mod.
#[test]
fn dev_mode_keeps_editor_files_up_to_date() {
    let mut live_session = LiveSession::open_well_game(&["--dev"]);
    let types_path = live_session.folder.join(".editor/well.d.luau");
    let types = fs::read_to_string(&types_path).unwrap();
    assert!(types.contains("export type RopeId = \"well:old\""), "{types}");
    live_session.save_script(
        &WELL_GAME.replace("rope \"old\"", "rope \"new\" { length = 9 }\nrope \"old\""),
    );
    let output = live_session.wait_for("How far down? 3 is there.");
    assert!(output.contains("1 definition added: well:new"), "{output}");
    live_session.type_line("draw");
    let output = live_session.wait_for("You have drawn 3.");
    assert!(!output.contains("definition"), "only one reload: {output}");
    let types = fs::read_to_string(&types_path).unwrap();
    assert!(types.contains("export type RopeId = \"well:new\" | \"well:old\""), "{types}");
    live_session.quit();
}

#[test]
fn a_broken_save_keeps_the_old_content_until_repaired() {
    let mut live_session = LiveSession::open_well_game(&["--dev"]);
    live_session.save_script(&WELL_GAME.replace("length = 3", "lenght = 3"));
    let output = live_session.wait_for("How far down? 3 is there.");
    assert!(output.contains("well/play/well.luau:3"), "{output}");
    assert!(output.contains("rope \"old\" { lenght = 3 }"), "the excerpt: {output}");
    assert!(output.contains("[stale: well/play/well.luau:3"), "{output}");
    live_session.type_line("draw");
    live_session.wait_for("You have drawn 3.");
    let output = live_session.wait_for("How far down?");
    assert!(output.contains("[stale: "), "it stays: {output}");
    live_session.save_script(&well_with_rope_length(4));
    let output = live_session.wait_for("How far down? 4 is there.");
    assert!(!output.contains("[stale: "), "{output}");
    live_session.save_script(&WELL_GAME.replace("kind", "kind kind"));
    live_session.wait_for("[stale: ");
    live_session.wait_for("> ");
    live_session.save_script(&well_with_rope_length(4));
    let output = live_session.wait_for("How far down?");
    assert!(output.contains("match the run again") && !output.contains("[stale: "), "{output}");
    live_session.quit();
}

#[test]
fn added_renamed_and_removed_files_are_reloaded() {
    let mut live_session = LiveSession::open_well_game(&["--dev"]);
    let second_path = live_session.folder.join("play/yard.luau");
    fs::write(&second_path, "rope \"new\" { length = 9 }\n").unwrap();
    live_session.wait_for("1 definition added: well:new");
    live_session.wait_for("> ");
    fs::rename(&second_path, live_session.folder.join("ropes.luau")).unwrap();
    live_session.wait_for("2 files changed: well/play/yard.luau, well/ropes.luau");
    live_session.wait_for("> ");
    fs::remove_file(live_session.folder.join("ropes.luau")).unwrap();
    live_session.wait_for("1 definition removed: well:new");
    live_session.wait_for("> ");
    fs::create_dir(live_session.folder.join("rows")).unwrap();
    fs::write(live_session.folder.join("rows/third.luau"), "rope \"third\" { length = 2 }\n")
        .unwrap();
    live_session.wait_for("1 definition added: well:third");
    live_session.quit();
}

#[test]
fn a_half_written_file_is_reloaded_when_complete() {
    let mut live_session = LiveSession::open_well_game(&["--dev"]);
    let complete_text = well_with_rope_length(7);
    let (first_half, second_half) = complete_text.split_at(complete_text.len() / 2);
    let mut file = fs::File::create(live_session.script_path()).unwrap();
    file.write_all(first_half.as_bytes()).unwrap();
    file.flush().unwrap();
    // The editor stops in the middle of its write: that is a broken save like any other.
    live_session.wait_for("[stale: ");
    live_session.wait_for("> ");
    file.write_all(second_half.as_bytes()).unwrap();
    drop(file);
    live_session.wait_for("How far down? 7 is there.");
    live_session.quit();
}

#[test]
fn a_folder_moved_away_and_back_is_watched_again() {
    let mut live_session = LiveSession::open_well_game(&["--dev"]);
    let moved_folder = live_session.folder.with_file_name("aside");
    fs::rename(&live_session.folder, &moved_folder).unwrap();
    live_session.wait_for("[stale: ");
    live_session.wait_for("> ");
    fs::rename(&moved_folder, &live_session.folder).unwrap();
    live_session.wait_for("match the run again");
    live_session.wait_for("> ");
    live_session.save_script(&well_with_rope_length(8));
    live_session.wait_for("How far down? 8 is there.");
    fs::write(live_session.folder.join("mod.toml"), WELL_MANIFEST.replace("\"well\"", "\"pond\""))
        .unwrap();
    live_session.wait_for("has the id pond now");
    live_session.quit();
}

#[test]
fn without_dev_mods_are_reloaded_on_request() {
    let mut live_session = LiveSession::open_well_game(&[]);
    live_session.save_script(&well_with_rope_length(5));
    live_session.type_line("draw");
    live_session.wait_for("You have drawn 3.");
    live_session.type_line("reload");
    live_session.wait_for("How far down? 5 is there.");
    live_session.type_line("reload");
    live_session.wait_for("How far down? 5 is there.");
    let output = live_session.quit();
    assert_eq!(output.matches("1 definition changed").count(), 1, "{output}");
}

#[test]
fn a_run_whose_mods_changed_is_reported_before_it_is_opened() {
    let mut live_session = LiveSession::open_well_game(&[]);
    live_session.type_line("draw");
    live_session.wait_for("You have drawn 3.");
    let (base_folder, file) = (live_session.base_folder.clone(), live_session.script_path());
    live_session.quit();
    fs::write(file, well_with_rope_length(5)).unwrap();
    let mut live_session = LiveSession::open(base_folder, &[]);
    live_session.wait_for("> ");
    live_session.type_line("resume");
    let output = live_session.wait_for("> ");
    assert!(output.contains("changed: well 0.1.0"), "{output}");
    live_session.type_line("leave");
    live_session.wait_for("Continue");
    live_session.type_line("resume");
    live_session.type_line("kept");
    live_session.wait_for("How far down? 3 is there.");
    live_session.type_line("leave");
    live_session.type_line("resume");
    live_session.type_line("today");
    live_session.wait_for("How far down? 5 is there.");
    live_session.quit();
}
