//! The developer console: each command is a step, is recorded in the journal, and marks the run.

use engine::base::Value;
use engine::save::{ConsoleCommand, ReadExtent, RunStatus};
use engine::session;

use super::harness::*;
use super::live_session::LiveSession;
use crate::support::memory_runs::without_answers;

fn lua(line: &str) -> ConsoleCommand {
    ConsoleCommand::Lua(line.to_owned())
}

#[test]
fn a_line_reads_writes_and_is_walked_again() {
    let data_dir = data_dir();
    let mut in_hand = begin(&mut lock_ada(&data_dir), content(HALL, Vec::new()));
    let session = &mut in_hand.session;
    assert_eq!(
        texts(&session.run_console(lua("state.blows = 40")).unwrap().events),
        Vec::<String>::new()
    );
    assert_eq!(texts(&session.run_console(lua("state.blows + 2")).unwrap().events), ["42"]);
    let told = session.run_console(lua("state.known")).unwrap();
    assert_eq!(texts(&told.events), ["[\"game:ash\"]"]);
    let before = session.digest();
    let refused = session.run_console(lua("state.blows = nothing.there")).unwrap().refused.unwrap();
    assert!(refused.message.contains("nothing"), "{refused}");
    assert!(session.run_console(lua("state.blows = 1 error \"no\"")).unwrap().refused.is_some());
    assert!(session.run_console(lua("while true do end")).unwrap().refused.is_some());
    assert!(session.run_console(lua("((")).unwrap().refused.is_some());
    assert_eq!(session.digest(), before, "a line that fails leaves no trace");
    choose(session, "strike");
    let digest = session.digest();
    let run_id = close_run(&data_dir, in_hand);
    let again = session::resume(&data_dir, &run_id, None).unwrap();
    let mut session = again.session;
    assert_eq!(session.digest(), digest);
    drop(session);
    assert_eq!(session::replay(&data_dir, &run_id, &mut |_, _| {}).unwrap(), 8);
    assert!(data_dir.open(&run_id, ReadExtent::All).unwrap().run_state.marks.contains("console"));
}

#[test]
fn a_run_that_was_helped_along_earns_nothing_and_still_stands_in_the_way() {
    let data_dir = data_dir();
    let mut profile = lock_ada(&data_dir);
    let mut in_hand = begin(&mut profile, content(HALL, Vec::new()));
    in_hand.session.run_console(lua("state.blows = 1000")).unwrap();
    assert!(
        profile.newest_counted_unfinished_run("game").unwrap().is_some(),
        "no new dice by way of the console"
    );
    choose(&mut in_hand.session, "end");
    session::pay_run(&mut in_hand.session, &mut profile).unwrap();
    assert_eq!(profile.profile().game("game").data, Value::map());
    assert!(!profile.profile().game("game").history[0].earned);
}

#[test]
fn a_scene_and_a_seed_can_be_ordered() {
    let more = format!(
        "{HALL}\nscene \"loft\" {{ prompt = function() return {{ text = \"Up?\", choices = {{ {{ id = \
         \"down\", label = \"Down\" }} }} }} end, on = {{ down = function() go \"hall\" end }} }}\n"
    );
    let data_dir = data_dir();
    let mut in_hand = begin(&mut lock_ada(&data_dir), content(&more, Vec::new()));
    let session = &mut in_hand.session;
    session.run_console(ConsoleCommand::Goto("loft".to_owned())).unwrap();
    assert_eq!(session.prompt().scene, "game:loft");
    let wrong =
        session.run_console(ConsoleCommand::Goto("lofd".to_owned())).unwrap().refused.unwrap();
    assert!(wrong.hint.unwrap().contains("game:loft"));
    choose(session, "down");
    let mut rolls = |seed: u64| {
        session.run_console(ConsoleCommand::Seed(seed)).unwrap();
        session.run_console(lua("state.blows = 0")).unwrap();
        (0..8).map(|_| texts(&choose(session, "strike").events)).collect::<Vec<_>>()
    };
    let (first, second, third) = (rolls(1), rolls(2), rolls(1));
    assert_eq!(first, third);
    assert_ne!(first, second);
    let digest = session.digest();
    let run_id = close_run(&data_dir, in_hand);
    assert_eq!(session::resume(&data_dir, &run_id, None).unwrap().session.digest(), digest);
}

#[test]
fn going_back_loses_nothing_and_goes_on_from_there() {
    let data_dir = data_dir();
    let mut in_hand = begin(&mut lock_ada(&data_dir), content(HALL, Vec::new()));
    let mut digests = vec![in_hand.session.digest()];
    let mut told = Vec::new();
    for _ in 0..40 {
        told.extend(texts(&choose(&mut in_hand.session, "strike").events));
        digests.push(in_hand.session.digest());
    }
    let session = &mut in_hand.session;
    assert_eq!(session::undo_to(&data_dir, session, 41).unwrap_err().code, "no-such-step");
    let story = session::undo_to(&data_dir, session, 10).unwrap();
    assert_eq!(texts(&without_answers(&story)), told[..10]);
    assert_eq!((session.step_number(), session.digest()), (10, digests[10]));
    let again = texts(&choose(session, "strike").events);
    assert_eq!(again, told[10..11], "the same dice");
    session::undo_to(&data_dir, session, 0).unwrap();
    assert_eq!(session.digest(), digests[0]);
    choose(session, "strike");
    assert_eq!(session.digest(), digests[1]);
    let run_id = close_run(&data_dir, in_hand);
    let mut in_hand = session::resume(&data_dir, &run_id, None).unwrap();
    assert_eq!(in_hand.session.digest(), digests[1]);
    assert_eq!(texts(&without_answers(&in_hand.earlier_story)), told[..1]);
    drop(in_hand);
    let path = data_dir.root().join("runs").join(&run_id).join("checkpoint.json");
    data_dir.disk().rename(&path, &path.with_extension("aside")).unwrap();
    in_hand = session::resume(&data_dir, &run_id, None).unwrap();
    assert_eq!(in_hand.session.digest(), digests[1], "with no checkpoint either");
    drop(in_hand);
    assert_eq!(session::replay(&data_dir, &run_id, &mut |_, _| {}).unwrap(), 1);
    let journal = data_dir.root().join("runs").join(&run_id).join("journal.jsonl");
    let bytes = data_dir.disk().read(&journal, 1 << 24).unwrap();
    assert!(String::from_utf8(bytes).unwrap().contains("\"step\":40"), "nothing is lost");
}

#[test]
fn going_back_over_a_change_of_content_goes_on_with_the_content_of_today() {
    let data_dir = data_dir();
    let mut in_hand = begin(&mut lock_ada(&data_dir), content(HALL, Vec::new()));
    choose(&mut in_hand.session, "strike");
    let now = content(&HALL.replace("Well?", "Well now?"), Vec::new());
    session::reload_if_changed(&data_dir, &mut in_hand.session, now).unwrap().unwrap();
    choose(&mut in_hand.session, "strike");
    session::undo_to(&data_dir, &mut in_hand.session, 0).unwrap();
    assert_eq!(in_hand.session.prompt().text, "Well now?");
    choose(&mut in_hand.session, "strike");
    let digest = in_hand.session.digest();
    let run_id = close_run(&data_dir, in_hand);
    let mut again = session::resume(&data_dir, &run_id, None).unwrap();
    assert_eq!(again.session.prompt().text, "Well now?");
    assert_eq!(again.session.digest(), digest);
    drop(again);
    session::replay(&data_dir, &run_id, &mut |_, _| {}).unwrap();
}

#[test]
fn a_fork_is_a_file_of_its_own_that_names_its_parent() {
    let data_dir = data_dir();
    let mut profile = lock_ada(&data_dir);
    let mut in_hand = begin(&mut profile, content(HALL, Vec::new()));
    for _ in 0..5 {
        choose(&mut in_hand.session, "strike");
    }
    session::undo_to(&data_dir, &mut in_hand.session, 3).unwrap();
    let parent = in_hand.session.run_id().unwrap();
    let blows = state(&in_hand.session, "blows");
    let mut forked = session::fork(&mut profile, &mut in_hand.session, &mut || 99).unwrap();
    let id = forked.session.run_id().unwrap();
    assert_ne!(id, parent);
    assert_eq!(state(&forked.session, "blows"), blows);
    let header = data_dir.open(&id, ReadExtent::All).unwrap().header;
    let from = header.parent.unwrap();
    assert_eq!((from.run_id.as_str(), from.step), (parent.as_str(), 3));
    let fate = |session: &mut session::Session| {
        (0..6).map(|_| texts(&choose(session, "strike").events)).collect::<Vec<_>>()
    };
    assert_ne!(fate(&mut forked.session), fate(&mut in_hand.session), "it has dice of its own");
    choose(&mut forked.session, "end");
    session::pay_run(&mut forked.session, &mut profile).unwrap();
    assert_eq!(profile.profile().game("game").data, Value::map(), "it earns nothing");
    drop(forked);
    session::replay(&data_dir, &id, &mut |_, _| {}).unwrap();
    let lines = data_dir.list_runs().unwrap();
    let over = lines.iter().filter(|line| matches!(line.status, RunStatus::Ended(_)));
    assert_eq!(over.count(), 1, "the parent continues");
}

#[test]
fn lines_behind_a_colon_are_for_the_console() {
    let mut table = LiveSession::open_well_game(&["--dev"]);
    table.answer(":state.drawn = 40");
    table.wait_for("How far down?");
    table.answer("draw");
    table.wait_for("You have drawn 43.");
    table.answer(":back");
    table.wait_for("Back at step 1.");
    table.answer(":state.drawn");
    table.wait_for("(40)");
    table.answer(":goto nowhere");
    table.wait_for("there is no scene \"well:nowhere\"");
    table.answer(":seed 12");
    table.wait_for("How far down?");
    table.answer(":fork");
    table.wait_for("This is now the run player-0002");
    table.answer(":console");
    table.wait_for("goto SCENE");
    table.leave();
}

#[test]
fn a_fork_is_gone_on_with_from_the_history() {
    let mut table = LiveSession::open_well_game(&["--dev"]);
    table.answer("draw");
    table.wait_for("You have drawn 3.");
    table.answer(":fork");
    table.wait_for("This is now the run player-0002");
    table.answer("draw");
    table.wait_for("You have drawn 6.");
    let kept = table.kept.clone();
    table.leave();
    let mut again = LiveSession::open(kept, &[]);
    again.wait_for("> ");
    again.answer("history");
    again.wait_for("player-0002");
    again.wait_for("practice, unfinished");
    again.answer("practice:player-0002");
    again.wait_for("How far down?");
    again.answer("draw");
    again.wait_for("You have drawn 9.");
    again.leave();
}

#[test]
fn without_dev_there_is_no_console() {
    let mut table = LiveSession::open_well_game(&[]);
    table.answer(":state.drawn = 40");
    table.wait_for("is not a command");
    table.leave();
}
