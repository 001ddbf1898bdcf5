//! Stored content beside the runs: each save of a file stores only that file, and a broken save
//! stores nothing.

use base::Value;
use mods::{ModSource, sort_into_load_order};
use session::RunContent;

use crate::reload::harness::{
    HALL_GAME, begin_run, choose, close_run, lock_profile_of_ada, memory_data_dir,
};
use crate::support::{GAME_MANIFEST, mod_from_text};

/// A game with a long file and a file that changes.
fn game_with_changing_file(changing_line: &str) -> RunContent {
    let long_file = "-- a long story\n".repeat(10_000);
    let files =
        [("hall.luau", HALL_GAME), ("long.luau", &*long_file), ("short.luau", changing_line)];
    RunContent {
        mods: sort_into_load_order(vec![mod_from_text(GAME_MANIFEST, &files)]).unwrap(),
        settings: Value::map(),
    }
}

fn stored_file_and_byte_counts(data_dir: &save::DataDir) -> (usize, usize) {
    let folder = data_dir.root().join("content");
    let names = data_dir.disk().list_folder(&folder).unwrap();
    let bytes =
        |name: &String| data_dir.disk().read_file(&folder.join(name), 1 << 30).unwrap().len();
    (names.len(), names.iter().map(bytes).sum())
}

#[test]
fn each_save_stores_only_the_changed_file() {
    let data_dir = memory_data_dir();
    let mut active_run =
        begin_run(&mut lock_profile_of_ada(&data_dir), game_with_changing_file("-- 0\n"));
    let (_, first_bytes) = stored_file_and_byte_counts(&data_dir);
    for number in 1..=15 {
        let content = game_with_changing_file(&format!("-- {number}\n"));
        session::reload_if_content_differs(&data_dir, &mut active_run.session, content)
            .unwrap()
            .unwrap();
        choose(&mut active_run.session, "strike");
    }
    let (files, bytes) = stored_file_and_byte_counts(&data_dir);
    assert_eq!(files, 16);
    assert!(bytes < first_bytes + first_bytes / 10, "{first_bytes} bytes became {bytes}");
    let run_id = close_run(&data_dir, active_run);
    assert_eq!(session::replay_and_verify(&data_dir, &run_id, &mut |_, _| {}).unwrap(), 15);
    // After a resume, the complete stored mod is the base again.
    let mut resumed_run = session::resume_run(&data_dir, &run_id, None).unwrap();
    let is_stored = |source: &ModSource| source.files["short.luau"].contains("15");
    assert!(resumed_run.session.content().mods.mods.iter().all(is_stored));
    session::reload_if_content_differs(
        &data_dir,
        &mut resumed_run.session,
        game_with_changing_file("-- 16\n"),
    )
    .unwrap()
    .unwrap();
    let run_id = close_run(&data_dir, resumed_run);
    let current_content = game_with_changing_file("-- 17\n");
    let resumed_run = session::resume_run(&data_dir, &run_id, Some(&current_content)).unwrap();
    assert!(resumed_run.session.content().mods.mods[0].files["short.luau"].contains("17"));
    let (files, bytes) = stored_file_and_byte_counts(&data_dir);
    assert!(
        files == 18 && bytes < first_bytes + first_bytes / 10,
        "{first_bytes} bytes became {bytes}"
    );
}

#[test]
fn a_damaged_base_of_a_content_delta_is_reported() {
    let data_dir = memory_data_dir();
    let mut active_run =
        begin_run(&mut lock_profile_of_ada(&data_dir), game_with_changing_file("-- 0\n"));
    let first_digest = active_run.session.content().mods.mods[0].digest;
    session::reload_if_content_differs(
        &data_dir,
        &mut active_run.session,
        game_with_changing_file("-- 1\n"),
    )
    .unwrap()
    .unwrap();
    let second_digest = active_run.session.content().mods.mods[0].digest;
    let folder = data_dir.root().join("content");
    data_dir.disk().write_file(&folder.join(format!("{first_digest}.json")), b"{").unwrap();
    let problem = data_dir.load_content_or_fallback(second_digest).unwrap_err();
    assert_eq!(problem.code, "content-damaged", "{problem}");
    // A delta whose base is itself must not keep the program busy.
    let self_referring_delta =
        format!("{{\"base\":\"{first_digest}\",\"files\":{{}},\"gone\":[]}}");
    data_dir
        .disk()
        .write_file(&folder.join(format!("{first_digest}.json")), self_referring_delta.as_bytes())
        .unwrap();
    assert!(
        data_dir.load_content_or_fallback(second_digest).is_err()
            && data_dir.load_content_or_fallback(first_digest).is_err()
    );
}

#[test]
fn a_broken_save_stores_nothing() {
    let data_dir = memory_data_dir();
    let mut active_run =
        begin_run(&mut lock_profile_of_ada(&data_dir), game_with_changing_file("-- 0\n"));
    let counts_before = stored_file_and_byte_counts(&data_dir);
    for broken_line in [
        "word \"x\" {\n",
        "word \"x\" { nmae = 1 }\n",
        "patch.scene \"game:hall\" { prompt = function() error \"no\" end }\n",
    ] {
        assert!(
            session::reload_if_content_differs(
                &data_dir,
                &mut active_run.session,
                game_with_changing_file(broken_line)
            )
            .is_err()
        );
        assert_eq!(stored_file_and_byte_counts(&data_dir), counts_before, "{broken_line}");
    }
}

#[test]
fn content_that_no_run_uses_is_removed() {
    let folder = tempfile::tempdir().unwrap();
    let data_dir = save::DataDir::new(folder.path());
    let mut profile = lock_profile_of_ada(&data_dir);
    let mut active_run = begin_run(&mut profile, game_with_changing_file("-- 0\n"));
    for number in 1..=3 {
        let content = game_with_changing_file(&format!("-- {number}\n"));
        session::reload_if_content_differs(&data_dir, &mut active_run.session, content)
            .unwrap()
            .unwrap();
    }
    data_dir
        .store_content(&game_with_changing_file("-- of a run that never began\n").mods.mods[0])
        .unwrap();
    let count_files = || std::fs::read_dir(folder.path().join("content")).unwrap().count();
    assert_eq!(count_files(), 5);
    // While somebody else plays, nothing is removed.
    let other_profile = data_dir.lock_profile("Bea").unwrap().0;
    drop(other_profile);
    data_dir.lock_profile("Bea").unwrap().0.update_profile(|_| {}).unwrap();
    let other_profile = data_dir.lock_profile("Bea").unwrap().0;
    assert!(profile.collect_garbage().is_err() && count_files() == 5);
    drop(other_profile);
    assert_eq!((profile.collect_garbage().unwrap(), count_files()), (1, 4));
    drop(active_run);
    let run_id = profile.newest_unfinished_original_run("game").unwrap().unwrap();
    assert_eq!(session::replay_and_verify(&data_dir, &run_id, &mut |_, _| {}).unwrap(), 0);
    std::fs::remove_dir_all(folder.path().join("runs").join(run_id)).unwrap();
    assert_eq!((profile.collect_garbage().unwrap(), count_files()), (4, 0));
}
