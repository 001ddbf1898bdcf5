//! Real files under the real program: a saved change reaches the run at once, whatever the editor
//! does, and a broken save costs nothing.

use std::fs;
use std::io::Write;

use super::live_session::{LiveSession, MANIFEST, WELL, save_by_renaming};

fn longer(by: i64) -> String {
    WELL.replace("length = 3", &format!("length = {by}"))
}

#[test]
fn what_is_saved_is_in_the_run_and_told_field_by_field() {
    let mut table = LiveSession::open_well_game(&["--dev"]);
    table.answer("draw");
    table.wait_for("You have drawn 3.");
    table.save(&longer(5));
    let told = table.wait_for("How far down? 5 is there.");
    assert!(told.contains("1 definition changed: well:old (length 3 → 5)"), "{told}");
    table.answer("draw");
    table.wait_for("You have drawn 8.");
    save_by_renaming(&table.file(), &longer(6));
    table.wait_for("How far down? 6 is there.");
    table.leave();
}

#[test]
fn a_bad_save_keeps_the_last_good_content_and_says_so_until_it_is_mended() {
    let mut table = LiveSession::open_well_game(&["--dev"]);
    table.save(&WELL.replace("length = 3", "lenght = 3"));
    let told = table.wait_for("How far down? 3 is there.");
    assert!(told.contains("well/play/well.luau:3"), "{told}");
    assert!(told.contains("rope \"old\" { lenght = 3 }"), "the excerpt: {told}");
    assert!(told.contains("[stale: well/play/well.luau:3"), "{told}");
    table.answer("draw");
    table.wait_for("You have drawn 3.");
    let told = table.wait_for("How far down?");
    assert!(told.contains("[stale: "), "it stays: {told}");
    table.save(&longer(4));
    let told = table.wait_for("How far down? 4 is there.");
    assert!(!told.contains("[stale: "), "{told}");
    table.save(&WELL.replace("kind", "kind kind"));
    table.wait_for("[stale: ");
    table.wait_for("> ");
    table.save(&longer(4));
    let told = table.wait_for("How far down?");
    assert!(told.contains("match the run again") && !told.contains("[stale: "), "{told}");
    table.leave();
}

#[test]
fn files_come_go_and_change_their_names() {
    let mut table = LiveSession::open_well_game(&["--dev"]);
    let second = table.folder.join("play/yard.luau");
    fs::write(&second, "rope \"new\" { length = 9 }\n").unwrap();
    table.wait_for("1 definition added: well:new");
    table.wait_for("> ");
    fs::rename(&second, table.folder.join("ropes.luau")).unwrap();
    table.wait_for("2 files changed: well/play/yard.luau, well/ropes.luau");
    table.wait_for("> ");
    fs::remove_file(table.folder.join("ropes.luau")).unwrap();
    table.wait_for("1 definition removed: well:new");
    table.wait_for("> ");
    fs::create_dir(table.folder.join("rows")).unwrap();
    fs::write(table.folder.join("rows/third.luau"), "rope \"third\" { length = 2 }\n").unwrap();
    table.wait_for("1 definition added: well:third");
    table.leave();
}

#[test]
fn half_a_file_is_no_more_than_a_moment() {
    let mut table = LiveSession::open_well_game(&["--dev"]);
    let whole = longer(7);
    let (half, rest) = whole.split_at(whole.len() / 2);
    let mut file = fs::File::create(table.file()).unwrap();
    file.write_all(half.as_bytes()).unwrap();
    file.flush().unwrap();
    // The editor stops in the middle of its write: that is a broken save like any other.
    table.wait_for("[stale: ");
    table.wait_for("> ");
    file.write_all(rest.as_bytes()).unwrap();
    drop(file);
    table.wait_for("How far down? 7 is there.");
    table.leave();
}

#[test]
fn a_folder_that_goes_away_and_comes_back_is_watched_again() {
    let mut table = LiveSession::open_well_game(&["--dev"]);
    let aside = table.folder.with_file_name("aside");
    fs::rename(&table.folder, &aside).unwrap();
    table.wait_for("[stale: ");
    table.wait_for("> ");
    fs::rename(&aside, &table.folder).unwrap();
    table.wait_for("match the run again");
    table.wait_for("> ");
    table.save(&longer(8));
    table.wait_for("How far down? 8 is there.");
    fs::write(table.folder.join("mod.toml"), MANIFEST.replace("\"well\"", "\"pond\"")).unwrap();
    table.wait_for("has the id pond now");
    table.leave();
}

#[test]
fn without_dev_the_mods_are_read_again_when_asked_for() {
    let mut table = LiveSession::open_well_game(&[]);
    table.save(&longer(5));
    table.answer("draw");
    table.wait_for("You have drawn 3.");
    table.answer("reload");
    table.wait_for("How far down? 5 is there.");
    table.answer("reload");
    table.wait_for("How far down? 5 is there.");
    let said = table.leave();
    assert_eq!(said.matches("1 definition changed").count(), 1, "{said}");
}

#[test]
fn a_run_whose_mods_changed_is_reported_before_it_is_opened() {
    let mut table = LiveSession::open_well_game(&[]);
    table.answer("draw");
    table.wait_for("You have drawn 3.");
    let (kept, file) = (table.kept.clone(), table.file());
    table.leave();
    fs::write(file, longer(5)).unwrap();
    let mut table = LiveSession::open(kept, &[]);
    table.wait_for("> ");
    table.answer("resume");
    let told = table.wait_for("> ");
    assert!(told.contains("changed: well 0.1.0"), "{told}");
    table.answer("leave");
    table.wait_for("Continue the run");
    table.answer("resume");
    table.answer("kept");
    table.wait_for("How far down? 3 is there.");
    table.answer("leave");
    table.answer("resume");
    table.answer("today");
    table.wait_for("How far down? 5 is there.");
    table.leave();
}
