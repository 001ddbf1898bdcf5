//! The files of the current save format, written once by
//! `SUB_ROSA_WRITE_FIXTURE=1 cargo test trust::fixtures` and read by all later programs. A change
//! of the format writes them again and says so. From 1.0 on they are frozen.

use std::fs;
use std::path::Path;

use crossterm::event::KeyCode;
use ui::full_screen::{KeyAction, Keymap};

use base::Value;
use mods::read_folder;
use protocol::Input;
use save::{DataDir, LockedProfile, ReadExtent, RunStatus};
use session::{RunContent, RunRequest, Session, restore_run};

use super::{FIXTURE_PATH, fixture_data};
use crate::cli::{FERRY_FOLDER, ferry_command, run_with_input, utf8_text};
use crate::support::load_order_with_library;

fn start_run(locked_profile: &mut LockedProfile, seed: u64, boat: &str, oil: i64) -> Session {
    let source = read_folder(Path::new(FERRY_FOLDER)).unwrap();
    let mods = load_order_with_library(vec![source]).unwrap();
    let content = RunContent { mods, settings: Value::map() };
    let options = Value::map_of([("boat", boat.into()), ("oil", oil.into())]);
    let request = RunRequest { content, options, seed: Some(seed), is_practice: false };
    session::start_run(locked_profile, request, &mut || seed).unwrap().session
}

fn answer_all(session: &mut Session, many: &[&str], name: &str, choices: &[&str]) {
    let many = many.iter().map(|id| (*id).to_owned()).collect();
    session.answer_prompt(&Input::Choices(many)).unwrap();
    session.answer_prompt(&Input::Text(name.to_owned())).unwrap();
    for id in choices {
        session.answer_prompt(&Input::Choice((*id).to_owned())).unwrap();
    }
}

/// The keys that a player set. `o` was the only key of another action.
const KEY_FILE: &str = r#"up      = ["w", "Up"]
down    = ["s", "Down"]
left    = ["a", "Left"]
right   = ["d", "Right"]
examine = "F5"
map     = ["o", "m"]
log     = "F6"
"#;

/// A run that is over, one that is not, a refused step in each, and a checkpoint.
fn write_fixture(folder: &Path) {
    let data_dir = DataDir::new(folder);
    let (mut locked_profile, _) = data_dir.lock_profile("Ada").unwrap();
    let mut over = start_run(&mut locked_profile, 1, "ferry:skiff", 3);
    answer_all(&mut over, &["rope", "letters"], "Ann", &["break", "row", "row", "row"]);
    assert!(over.run_outcome().is_some(), "the first run ends");
    session::pay_run(&mut over, &mut locked_profile).unwrap();
    drop(over);
    let mut unfinished = start_run(&mut locked_profile, 2, "ferry:barge", 9);
    let mut choices = vec!["wait"; 14];
    choices.extend(["break", "row"]);
    answer_all(&mut unfinished, &["bread"], "Grete", &choices);
    let keys = Value::map_of([("log", Value::List(vec!["l".into()]))]);
    let days = Value::map_of([("ferry", Value::List(vec!["2026-11-21".into()]))]);
    let preferences =
        [("palette", "light".into()), ("mouse", false.into()), ("keys", keys), ("days", days)];
    locked_profile
        .update_profile(|profile| profile.preferences = Value::map_of(preferences))
        .unwrap();
    fs::write(folder.join("keys.toml"), KEY_FILE).unwrap();
    drop((unfinished, locked_profile));
    for lock in ["profiles/ada.lock", "runs/ada-0001/lock", "runs/ada-0002/lock"] {
        fs::remove_file(folder.join(lock)).unwrap();
        fs::remove_file(folder.join(format!("{lock}.holder"))).unwrap();
    }
}

#[test]
#[allow(clippy::disallowed_methods)] // the command that writes the fixture
fn files_of_this_format_are_read() {
    if std::env::var_os("SUB_ROSA_WRITE_FIXTURE").is_some() {
        let _ = fs::remove_dir_all(FIXTURE_PATH);
        write_fixture(Path::new(FIXTURE_PATH));
    }
    let folder = fixture_data();
    let data_dir = DataDir::new(folder.path());
    let (locked_profile, notes) = data_dir.lock_profile("Ada").unwrap();
    assert_eq!(notes, []);
    let game = locked_profile.profile().game_profile("ferry");
    assert_eq!((game.runs_started, game.finished_runs.len()), (2, 1));
    assert_eq!(
        locked_profile.newest_unfinished_original_run("ferry").unwrap().as_deref(),
        Some("ada-0002")
    );
    let lines = data_dir.list_runs().unwrap();
    assert!(matches!(lines[0].status, RunStatus::Ended(_)));
    assert!(matches!(lines[1].status, RunStatus::Unfinished { next_step: 19 }));
    let opened_run = data_dir.open_run("ada-0002", ReadExtent::AfterCheckpoint).unwrap();
    assert!(
        opened_run.warnings.is_empty()
            && opened_run.damage.is_none()
            && opened_run.torn_line_note.is_none()
    );
    assert_eq!(opened_run.checkpoint.map(|checkpoint| checkpoint.step), Some(16));
}

fn play_ferry(arguments: &[&str], input: &str) -> String {
    let output = run_with_input(ferry_command(arguments), input);
    assert!(output.status.success(), "{}", utf8_text(&output.stderr));
    utf8_text(&output.stdout) + &utf8_text(&output.stderr)
}

/// Settings, played days and keys, as the program shows them.
#[test]
fn settings_and_keys_of_this_format_are_read() {
    let folder = fixture_data();
    let data = folder.path().to_string_lossy();
    let arguments = ["--data", &data, "--profile", "Ada"];
    let output = play_ferry(&arguments, "history\nback\nsettings\nback\nquit\n");
    assert!(!output.contains("error:") && !output.contains("warning:"), "{output}");
    for words in ["ada-0001, seed 1", "Colours: light", "Mouse: off"] {
        assert!(output.contains(words), "{words}:\n{output}");
    }
    let output = play_ferry(&arguments, "settings\nkeys\nback\nback\nquit\n");
    for words in ["Reset all keys", "log: l"] {
        assert!(output.contains(words), "{words}:\n{output}");
    }
    // A played day counts as played.
    let output = play_ferry(
        &[&arguments[..], &["--daily", "2026-11-21"]].concat(),
        "2\n2\n1\n1\n1\nAnn\nquit\n",
    );
    assert!(output.contains("played before, so this is practice"), "{output}");
    let key_file = fs::read_to_string(folder.path().join("keys.toml")).unwrap();
    let (keymap, problems) = Keymap::parse(&key_file, "keys.toml");
    // A key that is another action's default stays the player's own; only that is reported.
    let problem_texts: Vec<String> = problems.iter().map(ToString::to_string).collect();
    assert!(
        problem_texts.len() == 1 && problem_texts[0].contains("o was the only key of explore"),
        "{problem_texts:?}"
    );
    let action_of = |character| keymap.action_of_key(KeyCode::Char(character));
    assert_eq!((action_of('o'), action_of('w')), (Some(KeyAction::Map), Some(KeyAction::Up)));
}

#[test]
fn runs_of_this_format_are_restored_replayed_and_continued() {
    let folder = fixture_data();
    let data_dir = DataDir::new(folder.path());
    for (id, steps) in [("ada-0001", 6), ("ada-0002", 18)] {
        let restored_run = restore_run(&data_dir, id, None).unwrap();
        assert_eq!(restored_run.step(), steps, "{id}");
        // The changes of all lines lead to the state of the checkpoint.
        let checkpoint = data_dir.journal_path(id).unwrap().with_file_name("checkpoint.json");
        let hidden_checkpoint = checkpoint.with_extension("away");
        fs::rename(&checkpoint, &hidden_checkpoint).unwrap();
        let from_first_line = restore_run(&data_dir, id, None).unwrap();
        assert_eq!(from_first_line.world.digest(), restored_run.world.digest(), "{id}");
        fs::rename(&hidden_checkpoint, &checkpoint).unwrap();
        let last_step = session::replay_and_verify(&data_dir, id, &mut |_, _| {})
            .unwrap_or_else(|problem| panic!("{id}: {problem}"));
        assert_eq!(last_step, steps, "{id}");
    }
    let resumed_run = session::resume_run(&data_dir, "ada-0002", None).unwrap();
    assert_eq!(resumed_run.session.step_number(), 18);
    assert_eq!(resumed_run.session.prompt().scene, "ferry:water");
}

#[test]
fn a_run_whose_content_is_gone_can_be_abandoned_and_is_paid_what_it_earned() {
    let folder = fixture_data();
    let data_dir = DataDir::new(folder.path());
    for file in fs::read_dir(folder.path().join("content")).unwrap() {
        fs::remove_file(file.unwrap().path()).unwrap();
    }
    let journal = data_dir.journal_path("ada-0002").unwrap();
    let original = fs::read(&journal).unwrap();
    let problem = session::resume_run(&data_dir, "ada-0002", None).map(drop).unwrap_err();
    assert_eq!(problem.code, "content-missing", "{problem}");
    assert_eq!(fs::read(&journal).unwrap(), original, "nothing has happened to it");
    let opened_run = data_dir.open_run("ada-0002", ReadExtent::AfterCheckpoint).unwrap();
    assert!(
        !opened_run.recent_story(&Default::default()).unwrap().is_empty(),
        "its story is read without its content"
    );

    let (mut locked_profile, _) = data_dir.lock_profile("Ada").unwrap();
    session::abandon_unplayable_run(&mut locked_profile, "ada-0002").unwrap();
    assert!(fs::read(&journal).unwrap().starts_with(&original), "its lines are as they were");
    assert_eq!(locked_profile.newest_unfinished_original_run("ferry").unwrap(), None);
    let game = locked_profile.profile().game_profile("ferry");
    assert_eq!(game.finished_runs.len(), 2);
    assert!(game.finished_runs[1].was_abandoned && game.finished_runs[1].was_paid);
    session::abandon_unplayable_run(&mut locked_profile, "ada-0002").unwrap();
    assert_eq!(
        locked_profile.profile().game_profile("ferry").finished_runs.len(),
        2,
        "a run ends once"
    );
}

#[test]
fn a_run_of_another_format_is_told_and_left_as_it_is() {
    let folder = fixture_data();
    let data_dir = DataDir::new(folder.path());
    let journal = data_dir.journal_path("ada-0002").unwrap();
    let text = fs::read_to_string(&journal).unwrap();
    let format = format!("\"format\":{}", save::JOURNAL_FORMAT);
    for other in ["\"format\":2", "\"format\":99"] {
        fs::write(&journal, text.replacen(&format, other, 1)).unwrap();
        let problem = session::resume_run(&data_dir, "ada-0002", None).map(drop).unwrap_err();
        assert_eq!(problem.code, "journal-damaged", "{problem}");
    }
}
