//! A run of the bundled game is saved with four example mods and opened with other sets: one is
//! gone, one has changed, one is new. The run continues, and removed content works again when its
//! mod is back.

use std::path::Path;
use std::sync::Arc;

use base::Value;
use mods::{ModSource, read_folder};
use protocol::Input;
use save::{ConsoleCommand, DataDir, MemoryDisk};
use session::{
    self, Bot, RANDOM_BOT_ID, RunContent, RunRequest, Session, complete_options, option_specs,
};

use super::harness::{lock_profile_of_ada, put_down_game, say_and_note_texts};

const PROJECT_ROOT: &str = env!("CARGO_MANIFEST_DIR");

fn example_mod(id: &str) -> ModSource {
    read_folder(&Path::new(PROJECT_ROOT).join("mods").join(id)).unwrap()
}

/// A mod with a text in one of its files changed.
fn with_changed_text(source: &ModSource, file: &str, from: &str, to: &str) -> ModSource {
    let mut stored_json: serde_json::Value =
        serde_json::from_str(&source.serialize_for_store()).unwrap();
    let text = stored_json["files"][file].as_str().unwrap().to_owned();
    assert!(text.contains(from), "{file} has no {from}");
    stored_json["files"][file] = text.replace(from, to).into();
    ModSource::deserialize_from_store(&stored_json.to_string()).unwrap()
}

pub fn base_game_with_mods(mods: Vec<ModSource>) -> RunContent {
    let game = read_folder(&Path::new(PROJECT_ROOT).join("base_game")).unwrap();
    let sources = std::iter::once(game).chain(mods);
    RunContent {
        mods: crate::support::load_order_with_library(sources.collect()).unwrap(),
        settings: Value::map(),
    }
}

fn four_example_mods() -> Vec<ModSource> {
    ["ember_words", "low_light", "signal_house", "_template"].map(example_mod).to_vec()
}

/// One removed, one changed, one added.
fn changed_example_mods() -> Vec<ModSource> {
    let changed_words = with_changed_text(
        &example_mod("ember_words"),
        "words/kindle.luau",
        "bonus = 1",
        "bonus = 5",
    );
    vec![
        changed_words,
        example_mod("low_light"),
        example_mod("_template"),
        example_mod("second_thoughts"),
    ]
}

pub fn start_run_in_dungeon(
    data_dir: &DataDir,
    content: RunContent,
    dungeon: &str,
) -> session::ActiveRun {
    let specs = option_specs(content.load_vm().unwrap().registry());
    let option_texts = [("dungeon", dungeon), ("build", "eye")];
    let option_values =
        option_texts.map(|(name, value)| (name.to_owned(), Value::text(value))).into();
    let options = complete_options(&specs, &option_values).unwrap();
    let run_request = RunRequest { content, options, seed: Some(11), is_practice: false };
    session::start_run(&mut lock_profile_of_ada(data_dir), run_request, &mut || 11).unwrap()
}

fn run_lua(session: &mut Session, line: &str) -> String {
    let step_outcome = session.run_console_step(ConsoleCommand::Lua(line.to_owned())).unwrap();
    assert!(step_outcome.refusal.is_none(), "{line}: {}", step_outcome.refusal.unwrap());
    say_and_note_texts(&step_outcome.events).join("\n")
}

/// Continues at random as long as possible, without giving up.
fn play_random_steps(session: &mut Session, steps: usize) {
    let mut bot = Bot::new(RANDOM_BOT_ID, 7);
    let mut last_events = Vec::new();
    for _ in 0..steps {
        if session.run_outcome().is_some() {
            return;
        }
        let mut input = bot.choose_input(session, &last_events).unwrap();
        while matches!(&*input, Input::Choice(id) if id == "abandon") {
            input = bot.choose_input(session, &last_events).unwrap();
        }
        let step = session.answer_prompt(&input).unwrap();
        assert!(step.refusal.is_none(), "{}", step.refusal.unwrap());
        last_events = step.events;
    }
}

#[test]
fn removed_content_works_again_when_its_mod_returns() {
    let data_dir = DataDir::with_disk(Arc::new(MemoryDisk::new()), "data");
    let mut active_run = start_run_in_dungeon(
        &data_dir,
        base_game_with_mods(four_example_mods()),
        "sub_rosa:ice_house",
    );
    let session = &mut active_run.session;
    run_lua(session, "pieces.find 'signal_house:pilot_coat' flow.next()");
    run_lua(session, "consumables.find 'template:crust' state.hero.vigour = 30");
    run_lua(session, "table.insert(state.hero.words, 'ember_words:kindle')");
    if session.prompt().choices.iter().any(|choice| choice.id == "wear") {
        session.answer_prompt(&Input::Choice("wear".to_owned())).unwrap();
    }
    assert!(run_lua(session, "vitals.worn_effects()[1].id").contains("signal_house:weather_eye"));
    let run_id = put_down_game(&data_dir, active_run, "sub_rosa");

    let other_content = base_game_with_mods(changed_example_mods());
    let changes = session::describe_changes_since_run(&data_dir, &run_id, &other_content).unwrap();
    assert_eq!(
        changes,
        [
            "changed: ember_words 0.1.0",
            "added: second_thoughts 0.1.0",
            "missing: signal_house 0.1.0"
        ]
    );
    let mut resumed_run = session::resume_run(&data_dir, &run_id, Some(&other_content)).unwrap();
    assert!(
        resumed_run.notes.iter().all(|note| note.code != "content-kept"),
        "{:?}",
        resumed_run.notes
    );
    let output = say_and_note_texts(&resumed_run.step_outcome.events).join("\n");
    assert!(
        output.contains("Removed, but remembered by name: Weather eye, pilot's coat"),
        "{output}"
    );
    let session = &mut resumed_run.session;
    assert!(session.content().mods.get("signal_house").is_none());
    assert_eq!(run_lua(session, "piece['signal_house:pilot_coat'].gone"), "true");
    assert_eq!(
        run_lua(session, "spell['ember_words:kindle'].bonus"),
        "2",
        "changed, and set again"
    );
    assert_eq!(run_lua(session, "rules['low_light:darkness'](0)"), "-1", "by the one that came");
    play_random_steps(session, 12);
    assert!(session.run_outcome().is_none(), "it is not over");
    let run_id = put_down_game(&data_dir, resumed_run, "sub_rosa");

    let mut restored_run =
        session::resume_run(&data_dir, &run_id, Some(&base_game_with_mods(four_example_mods())))
            .unwrap();
    let output = say_and_note_texts(&restored_run.step_outcome.events).join("\n");
    assert!(output.contains("Restored: ") && output.contains("pilot's coat"), "{output}");
    let session = &mut restored_run.session;
    assert_eq!(run_lua(session, "piece['signal_house:pilot_coat'].gone"), "nil");
    assert_eq!(run_lua(session, "spell['ember_words:kindle'].bonus"), "1");
    assert!(run_lua(session, "vitals.worn_effects()[1].id").contains("signal_house:weather_eye"));
    play_random_steps(session, 12);
    let run_id = put_down_game(&data_dir, restored_run, "sub_rosa");
    assert!(
        session::replay_and_verify(&data_dir, &run_id, &mut |_, _| {}).unwrap() > 24,
        "and it is walked again"
    );
}

#[test]
fn a_run_in_a_dungeon_of_a_missing_mod_still_resumes() {
    let data_dir = DataDir::with_disk(Arc::new(MemoryDisk::new()), "data");
    let mut active_run = start_run_in_dungeon(
        &data_dir,
        base_game_with_mods(four_example_mods()),
        "signal_house:hurst_down",
    );
    // One heavy blow would end a random run; this test is about the place.
    run_lua(&mut active_run.session, "state.hero.vigour = 300");
    play_random_steps(&mut active_run.session, 6);
    assert!(active_run.session.run_outcome().is_none(), "it is not over");
    let digest_before = active_run.session.digest();
    let run_id = put_down_game(&data_dir, active_run, "sub_rosa");
    let mut resumed_run =
        session::resume_run(&data_dir, &run_id, Some(&base_game_with_mods(changed_example_mods())))
            .unwrap();
    assert!(!resumed_run.session.prompt().choices.is_empty());
    let has_old_mod = resumed_run.session.content().mods.get("signal_house").is_some();
    let is_reported = resumed_run.notes.iter().any(|note| note.code == "content-kept");
    assert_eq!(
        has_old_mod, is_reported,
        "it continues with its original content only where it says so"
    );
    play_random_steps(&mut resumed_run.session, 6);
    assert!(resumed_run.session.run_outcome().is_none(), "it is not over");
    let run_id = put_down_game(&data_dir, resumed_run, "sub_rosa");
    let mut restored_run =
        session::resume_run(&data_dir, &run_id, Some(&base_game_with_mods(four_example_mods())))
            .unwrap();
    assert_ne!(restored_run.session.digest(), digest_before);
    play_random_steps(&mut restored_run.session, 6);
    assert!(restored_run.session.run_outcome().is_none(), "it is not over");
}
