//! Files that the first format wrote are read for ever: played on, watched, paid for.

use engine::save::{DataDir, ReadExtent, RunStatus};
use engine::session;

use super::first_format_data;

#[test]
fn files_of_the_first_format_are_read() {
    let folder = first_format_data();
    let data_dir = DataDir::new(folder.path());
    let (locked_profile, notes) = data_dir.lock_profile("Ada").unwrap();
    assert_eq!(notes, []);
    let game = locked_profile.profile().game("ferry");
    assert_eq!((game.runs_started, game.history.len()), (2, 1));
    assert_eq!(
        locked_profile.newest_counted_unfinished_run("ferry").unwrap().as_deref(),
        Some("ada-0002")
    );
    let lines = data_dir.list_runs().unwrap();
    assert!(matches!(lines[0].status, RunStatus::Ended(_)));
    assert!(matches!(lines[1].status, RunStatus::Unfinished { next_step: 19 }));
    let opened_run = data_dir.open("ada-0002", ReadExtent::AfterCheckpoint).unwrap();
    assert!(
        opened_run.notes.is_empty()
            && opened_run.damage.is_none()
            && opened_run.torn_line_note.is_none()
    );
    assert_eq!(opened_run.checkpoint.map(|checkpoint| checkpoint.step), Some(16));
}

#[test]
fn runs_of_the_first_format_replay_and_continue() {
    let folder = first_format_data();
    let data_dir = DataDir::new(folder.path());
    for (id, steps) in [("ada-0001", 6), ("ada-0002", 18)] {
        let last_step = session::replay(&data_dir, id, &mut |_, _| {})
            .unwrap_or_else(|problem| panic!("{id}: {problem}"));
        assert_eq!(last_step, steps, "{id}");
    }
    let resumed_run = session::resume(&data_dir, "ada-0002", None).unwrap();
    assert_eq!(resumed_run.session.step_number(), 18);
    assert_eq!(resumed_run.session.prompt().scene, "ferry:water");
}

#[test]
fn an_older_run_without_content_is_reported_and_abandoned() {
    let folder = first_format_data();
    let data_dir = DataDir::new(folder.path());
    // What its content asks for is no more.
    for file in std::fs::read_dir(folder.path().join("content")).unwrap() {
        std::fs::remove_file(file.unwrap().path()).unwrap();
    }
    let journal = data_dir.journal_path("ada-0002").unwrap();
    let original = std::fs::read(&journal).unwrap();
    // A damaged file is told of as such, and can be mended.
    let mut damaged_bytes = original.clone();
    damaged_bytes[original.len() / 2] ^= 1;
    std::fs::write(&journal, damaged_bytes).unwrap();
    let problem = session::resume(&data_dir, "ada-0002", None).map(drop).unwrap_err();
    assert_eq!(problem.code, "journal-damaged", "{problem}");
    std::fs::write(&journal, &original).unwrap();
    let problem = session::resume(&data_dir, "ada-0002", None).map(drop).unwrap_err();
    assert_eq!(problem.code, "older-run", "{problem}");
    assert_eq!(std::fs::read(&journal).unwrap(), original, "nothing has happened to it");
    let opened_run = data_dir.open("ada-0002", ReadExtent::AfterCheckpoint).unwrap();
    assert!(!opened_run.story().is_empty(), "its story is read without its content");

    let (mut locked_profile, _) = data_dir.lock_profile("Ada").unwrap();
    session::abandon_unreadable(&mut locked_profile, "ada-0002").unwrap();
    assert!(std::fs::read(&journal).unwrap().starts_with(&original), "its lines are as they were");
    assert_eq!(locked_profile.newest_counted_unfinished_run("ferry").unwrap(), None);
    let game = locked_profile.profile().game("ferry");
    assert_eq!(game.history.len(), 2);
    assert!(game.history[1].abandoned && game.history[1].earned);
    session::abandon_unreadable(&mut locked_profile, "ada-0002").unwrap();
    assert_eq!(locked_profile.profile().game("ferry").history.len(), 2, "a run ends once");
}
