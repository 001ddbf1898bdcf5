//! Stored content beside the runs: each save of a file stores only that file, and a broken save
//! stores nothing.

use engine::base::Value;
use engine::mods::{ModSource, load_order};
use engine::session::{self, Content};

use crate::reload::harness::{HALL, begin, choose, close_run, data_dir, lock_ada};
use crate::support::{GAME, mod_from_text};

/// A game with a long file and a file that changes.
fn game(line: &str) -> Content {
    let long = "-- a long story\n".repeat(10_000);
    let files = [("hall.luau", HALL), ("long.luau", &*long), ("short.luau", line)];
    Content { mods: load_order(vec![mod_from_text(GAME, &files)]).unwrap(), settings: Value::map() }
}

fn stored_counts(data_dir: &engine::save::DataDir) -> (usize, usize) {
    let folder = data_dir.root().join("content");
    let names = data_dir.disk().list(&folder).unwrap();
    let bytes = |name: &String| data_dir.disk().read(&folder.join(name), 1 << 30).unwrap().len();
    (names.len(), names.iter().map(bytes).sum())
}

#[test]
fn each_save_keeps_what_changed() {
    let data_dir = data_dir();
    let mut in_hand = begin(&mut lock_ada(&data_dir), game("-- 0\n"));
    let (_, first) = stored_counts(&data_dir);
    for number in 1..=15 {
        let content = game(&format!("-- {number}\n"));
        session::reload_if_changed(&data_dir, &mut in_hand.session, content).unwrap().unwrap();
        choose(&mut in_hand.session, "strike");
    }
    let (files, bytes) = stored_counts(&data_dir);
    assert_eq!(files, 16);
    assert!(bytes < first + first / 10, "{first} bytes became {bytes}");
    let run_id = close_run(&data_dir, in_hand);
    assert_eq!(session::replay(&data_dir, &run_id, &mut |_, _| {}).unwrap(), 15);
    // After a resume, the complete stored mod is the base again.
    let mut again = session::resume(&data_dir, &run_id, None).unwrap();
    let is_stored = |source: &ModSource| source.files["short.luau"].contains("15");
    assert!(again.session.content().mods.mods.iter().all(is_stored));
    session::reload_if_changed(&data_dir, &mut again.session, game("-- 16\n")).unwrap().unwrap();
    let run_id = close_run(&data_dir, again);
    let now = game("-- 17\n");
    let again = session::resume(&data_dir, &run_id, Some(&now)).unwrap();
    assert!(again.session.content().mods.mods[0].files["short.luau"].contains("17"));
    let (files, bytes) = stored_counts(&data_dir);
    assert!(files == 18 && bytes < first + first / 10, "{first} bytes became {bytes}");
}

#[test]
fn what_the_change_is_held_against_and_is_damaged_is_told() {
    let data_dir = data_dir();
    let mut in_hand = begin(&mut lock_ada(&data_dir), game("-- 0\n"));
    let first = in_hand.session.content().mods.mods[0].digest;
    session::reload_if_changed(&data_dir, &mut in_hand.session, game("-- 1\n")).unwrap().unwrap();
    let second = in_hand.session.content().mods.mods[0].digest;
    let folder = data_dir.root().join("content");
    data_dir.disk().write(&folder.join(format!("{first}.json")), b"{").unwrap();
    let problem = data_dir.load_content(second).unwrap_err();
    assert_eq!(problem.code, "content-damaged", "{problem}");
    // A delta whose base is itself must not keep the program busy.
    let round = format!("{{\"base\":\"{first}\",\"files\":{{}},\"gone\":[]}}");
    data_dir.disk().write(&folder.join(format!("{first}.json")), round.as_bytes()).unwrap();
    assert!(data_dir.load_content(second).is_err() && data_dir.load_content(first).is_err());
}

#[test]
fn a_save_that_is_no_good_keeps_nothing() {
    let data_dir = data_dir();
    let mut in_hand = begin(&mut lock_ada(&data_dir), game("-- 0\n"));
    let before = stored_counts(&data_dir);
    for bad in [
        "word \"x\" {\n",
        "word \"x\" { nmae = 1 }\n",
        "patch.scene \"game:hall\" { prompt = function() error \"no\" end }\n",
    ] {
        assert!(session::reload_if_changed(&data_dir, &mut in_hand.session, game(bad)).is_err());
        assert_eq!(stored_counts(&data_dir), before, "{bad}");
    }
}

#[test]
fn what_no_run_names_any_more_is_removed() {
    let folder = tempfile::tempdir().unwrap();
    let data_dir = engine::save::DataDir::new(folder.path());
    let mut profile = lock_ada(&data_dir);
    let mut in_hand = begin(&mut profile, game("-- 0\n"));
    for number in 1..=3 {
        let content = game(&format!("-- {number}\n"));
        session::reload_if_changed(&data_dir, &mut in_hand.session, content).unwrap().unwrap();
    }
    data_dir.store_content(&game("-- of a run that never began\n").mods.mods[0]).unwrap();
    let files = || std::fs::read_dir(folder.path().join("content")).unwrap().count();
    assert_eq!(files(), 5);
    // While somebody else plays, nothing is removed.
    let other = data_dir.lock_profile("Bea").unwrap().0;
    drop(other);
    data_dir.lock_profile("Bea").unwrap().0.update_profile(|_| {}).unwrap();
    let other = data_dir.lock_profile("Bea").unwrap().0;
    assert!(profile.collect_garbage().is_err() && files() == 5);
    drop(other);
    assert_eq!((profile.collect_garbage().unwrap(), files()), (1, 4));
    drop(in_hand);
    let run_id = profile.newest_counted_unfinished_run("game").unwrap().unwrap();
    assert_eq!(session::replay(&data_dir, &run_id, &mut |_, _| {}).unwrap(), 0);
    std::fs::remove_dir_all(folder.path().join("runs").join(run_id)).unwrap();
    assert_eq!((profile.collect_garbage().unwrap(), files()), (4, 0));
}
