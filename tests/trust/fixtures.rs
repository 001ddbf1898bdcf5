//! Files that the first format wrote are read for ever: played on, watched, paid for.

use engine::save::{DataDir, ReadExtent, RunStatus};
use engine::session;

use super::first_format;

#[test]
fn files_of_the_first_format_are_read() {
    let folder = first_format();
    let data_dir = DataDir::new(folder.path());
    let (held, told) = data_dir.lock_profile("Ada").unwrap();
    assert_eq!(told, []);
    let game = held.profile().game("ferry");
    assert_eq!((game.runs_started, game.history.len()), (2, 1));
    assert_eq!(held.newest_counted_unfinished_run("ferry").unwrap().as_deref(), Some("ada-0002"));
    let lines = data_dir.list_runs().unwrap();
    assert!(matches!(lines[0].status, RunStatus::Ended(_)));
    assert!(matches!(lines[1].status, RunStatus::Unfinished { next_step: 19 }));
    let opened = data_dir.open("ada-0002", ReadExtent::AfterCheckpoint).unwrap();
    assert!(opened.notes.is_empty() && opened.damage.is_none() && opened.torn_line_note.is_none());
    assert_eq!(opened.checkpoint.map(|found| found.step), Some(16));
}

#[test]
fn runs_of_the_first_format_replay_to_their_last_digest_and_go_on() {
    let folder = first_format();
    let data_dir = DataDir::new(folder.path());
    for (id, steps) in [("ada-0001", 6), ("ada-0002", 18)] {
        let last =
            session::replay(&data_dir, id, &mut |_, _| {}).unwrap_or_else(|p| panic!("{id}: {p}"));
        assert_eq!(last, steps, "{id}");
    }
    let again = session::resume(&data_dir, "ada-0002", None).unwrap();
    assert_eq!(again.session.step_number(), 18);
    assert_eq!(again.session.prompt().scene, "ferry:water");
}

#[test]
fn an_older_run_that_cannot_be_played_says_so_stays_whole_and_can_be_given_up() {
    let folder = first_format();
    let data_dir = DataDir::new(folder.path());
    // What its content asks for is no more.
    for file in std::fs::read_dir(folder.path().join("content")).unwrap() {
        std::fs::remove_file(file.unwrap().path()).unwrap();
    }
    let journal = data_dir.journal_path("ada-0002").unwrap();
    let before = std::fs::read(&journal).unwrap();
    // A damaged file is told of as such, and can be mended.
    let mut damaged = before.clone();
    damaged[before.len() / 2] ^= 1;
    std::fs::write(&journal, damaged).unwrap();
    let problem = session::resume(&data_dir, "ada-0002", None).map(drop).unwrap_err();
    assert_eq!(problem.code, "journal-damaged", "{problem}");
    std::fs::write(&journal, &before).unwrap();
    let problem = session::resume(&data_dir, "ada-0002", None).map(drop).unwrap_err();
    assert_eq!(problem.code, "older-run", "{problem}");
    assert_eq!(std::fs::read(&journal).unwrap(), before, "nothing has happened to it");
    let opened = data_dir.open("ada-0002", ReadExtent::AfterCheckpoint).unwrap();
    assert!(!opened.story().is_empty(), "its story is read without its content");

    let (mut held, _) = data_dir.lock_profile("Ada").unwrap();
    session::abandon_unreadable(&mut held, "ada-0002").unwrap();
    assert!(std::fs::read(&journal).unwrap().starts_with(&before), "its lines are as they were");
    assert_eq!(held.newest_counted_unfinished_run("ferry").unwrap(), None);
    let game = held.profile().game("ferry");
    assert_eq!(game.history.len(), 2);
    assert!(game.history[1].abandoned && game.history[1].earned);
    session::abandon_unreadable(&mut held, "ada-0002").unwrap();
    assert_eq!(held.profile().game("ferry").history.len(), 2, "a run ends once");
}
