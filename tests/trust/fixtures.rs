//! Files that the first format wrote are read for ever: played on, watched, paid for.

use engine::run;
use engine::save::{DataDir, Reach, RunStatus};

use super::first_format;

#[test]
fn files_of_the_first_format_are_read() {
    let folder = first_format();
    let data_dir = DataDir::new(folder.path());
    let (held, told) = data_dir.lock_profile("Ada").unwrap();
    assert_eq!(told, []);
    let game = held.profile().game("ferry");
    assert_eq!((game.runs_started, game.history.len()), (2, 1));
    assert_eq!(held.unfinished("ferry").unwrap().as_deref(), Some("ada-0002"));
    let lines = data_dir.runs_there().unwrap();
    assert!(matches!(lines[0].status, RunStatus::Ended(_)));
    assert!(matches!(lines[1].status, RunStatus::Unfinished { next_step: 19 }));
    let opened = data_dir.open("ada-0002", Reach::Tail).unwrap();
    assert!(opened.told.is_empty() && opened.damage.is_none() && opened.torn.is_none());
    assert_eq!(opened.checkpoint.map(|found| found.step), Some(16));
}

#[test]
fn runs_of_the_first_format_replay_to_their_last_digest_and_go_on() {
    let folder = first_format();
    let data_dir = DataDir::new(folder.path());
    for (id, steps) in [("ada-0001", 6), ("ada-0002", 18)] {
        let last =
            run::replay(&data_dir, id, &mut |_, _| {}).unwrap_or_else(|p| panic!("{id}: {p}"));
        assert_eq!(last, steps, "{id}");
    }
    let again = run::resume(&data_dir, "ada-0002", None).unwrap();
    assert_eq!(again.session.step_number(), 18);
    assert_eq!(again.session.prompt().scene, "ferry:water");
}
