//! A run of the bundled game is saved with four example mods and opened with other sets: one is
//! gone, one has changed, one is new. The run continues, and removed content works again when its
//! mod is back.

use std::path::Path;
use std::sync::Arc;

use engine::base::Value;
use engine::mods::{ModSource, read_folder};
use engine::protocol::Input;
use engine::save::{ConsoleCommand, DataDir, MemoryDisk};
use engine::session::{
    self, Bot, Content, RANDOM_BOT_ID, RunRequest, Session, complete_options, option_specs,
};

use super::harness::{lock_ada, put_down_game, texts};

const ROOT: &str = env!("CARGO_MANIFEST_DIR");

fn example(id: &str) -> ModSource {
    read_folder(&Path::new(ROOT).join("mods").join(id)).unwrap()
}

/// A mod with a text in one of its files changed.
fn changed(source: &ModSource, file: &str, from: &str, to: &str) -> ModSource {
    let mut stored: serde_json::Value =
        serde_json::from_str(&source.serialize_for_store()).unwrap();
    let text = stored["files"][file].as_str().unwrap().to_owned();
    assert!(text.contains(from), "{file} has no {from}");
    stored["files"][file] = text.replace(from, to).into();
    ModSource::deserialize_from_store(&stored.to_string()).unwrap()
}

fn content(mods: Vec<ModSource>) -> Content {
    let game = read_folder(&Path::new(ROOT).join("base_game")).unwrap();
    let all = std::iter::once(game).chain(mods);
    Content { mods: crate::support::ordered(all.collect()).unwrap(), settings: Value::map() }
}

fn four() -> Vec<ModSource> {
    ["ember_words", "low_light", "signal_house", "_template"].map(example).to_vec()
}

/// One removed, one changed, one added.
fn other_three() -> Vec<ModSource> {
    let words = changed(&example("ember_words"), "words/kindle.luau", "bonus = 1", "bonus = 5");
    vec![words, example("low_light"), example("_template"), example("second_thoughts")]
}

fn begin(data_dir: &DataDir, content: Content, dungeon: &str) -> session::ActiveRun {
    let specs = option_specs(content.load().unwrap().registry());
    let given = [("dungeon", dungeon), ("build", "eye")];
    let given = given.map(|(name, value)| (name.to_owned(), Value::text(value))).into();
    let options = complete_options(&specs, &given).unwrap();
    let wish = RunRequest { content, options, seed: Some(11), practice: false };
    session::start_run(&mut lock_ada(data_dir), wish, &mut || 11).unwrap()
}

fn lua(session: &mut Session, line: &str) -> String {
    let told = session.run_console(ConsoleCommand::Lua(line.to_owned())).unwrap();
    assert!(told.refused.is_none(), "{line}: {}", told.refused.unwrap());
    texts(&told.events).join("\n")
}

/// Continues at random as long as possible, without giving up.
fn play_on(session: &mut Session, steps: usize) {
    let mut bot = Bot::new(RANDOM_BOT_ID, 3);
    let mut told = Vec::new();
    for _ in 0..steps {
        if session.run_outcome().is_some() {
            return;
        }
        let mut input = bot.choose(session, &told).unwrap();
        while matches!(&input, Input::Choice(id) if id == "abandon") {
            input = bot.choose(session, &told).unwrap();
        }
        let step = session.answer(&input).unwrap();
        assert!(step.refused.is_none(), "{}", step.refused.unwrap());
        told = step.events;
    }
}

#[test]
fn what_was_gone_is_alive_when_its_mod_is_back() {
    let data_dir = DataDir::on_disk(Arc::new(MemoryDisk::new()), "data");
    let mut in_hand = begin(&data_dir, content(four()), "sub_rosa:ice_house");
    let session = &mut in_hand.session;
    lua(session, "pieces.find 'signal_house:pilot_coat' flow.next()");
    lua(session, "consumables.find 'template:crust' state.hero.vigour = 30");
    lua(session, "table.insert(state.hero.words, 'ember_words:kindle')");
    if session.prompt().choices.iter().any(|choice| choice.id == "wear") {
        session.answer(&Input::Choice("wear".to_owned())).unwrap();
    }
    assert!(lua(session, "vitals.worn_effects()[1].id").contains("signal_house:weather_eye"));
    let run_id = put_down_game(&data_dir, in_hand, "sub_rosa");

    let other = content(other_three());
    let since = session::diff_since_run(&data_dir, &run_id, &other).unwrap();
    assert_eq!(
        since,
        [
            "changed: ember_words 0.1.0",
            "added: second_thoughts 0.1.0",
            "missing: signal_house 0.1.0"
        ]
    );
    let mut opened = session::resume(&data_dir, &run_id, Some(&other)).unwrap();
    assert!(opened.notes.iter().all(|note| note.code != "content-kept"), "{:?}", opened.notes);
    let told = texts(&opened.output.events).join("\n");
    assert!(told.contains("Removed, but remembered by name: Weather eye, pilot's coat"), "{told}");
    let session = &mut opened.session;
    assert!(session.content().mods.get("signal_house").is_none());
    assert_eq!(lua(session, "piece['signal_house:pilot_coat'].gone"), "true");
    assert_eq!(lua(session, "spell['ember_words:kindle'].bonus"), "2", "changed, and set again");
    assert_eq!(lua(session, "rules['low_light:darkness'](0)"), "-1", "by the one that came");
    play_on(session, 12);
    assert!(session.run_outcome().is_none(), "it is not over");
    let run_id = put_down_game(&data_dir, opened, "sub_rosa");

    let mut back = session::resume(&data_dir, &run_id, Some(&content(four()))).unwrap();
    let told = texts(&back.output.events).join("\n");
    assert!(told.contains("Restored: ") && told.contains("pilot's coat"), "{told}");
    let session = &mut back.session;
    assert_eq!(lua(session, "piece['signal_house:pilot_coat'].gone"), "nil");
    assert_eq!(lua(session, "spell['ember_words:kindle'].bonus"), "1");
    assert!(lua(session, "vitals.worn_effects()[1].id").contains("signal_house:weather_eye"));
    play_on(session, 12);
    let run_id = put_down_game(&data_dir, back, "sub_rosa");
    assert!(
        session::replay(&data_dir, &run_id, &mut |_, _| {}).unwrap() > 24,
        "and it is walked again"
    );
}

#[test]
fn a_run_in_a_place_whose_mod_is_gone_still_opens() {
    let data_dir = DataDir::on_disk(Arc::new(MemoryDisk::new()), "data");
    let mut in_hand = begin(&data_dir, content(four()), "signal_house:hurst_down");
    // One heavy blow would end a random run; this test is about the place.
    lua(&mut in_hand.session, "state.hero.vigour = 300");
    play_on(&mut in_hand.session, 6);
    assert!(in_hand.session.run_outcome().is_none(), "it is not over");
    let before = in_hand.session.digest();
    let run_id = put_down_game(&data_dir, in_hand, "sub_rosa");
    let mut opened = session::resume(&data_dir, &run_id, Some(&content(other_three()))).unwrap();
    assert!(!opened.session.prompt().choices.is_empty());
    let kept = opened.session.content().mods.get("signal_house").is_some();
    let told = opened.notes.iter().any(|note| note.code == "content-kept");
    assert_eq!(kept, told, "it continues with its original content only where it says so");
    play_on(&mut opened.session, 6);
    assert!(opened.session.run_outcome().is_none(), "it is not over");
    let run_id = put_down_game(&data_dir, opened, "sub_rosa");
    let mut back = session::resume(&data_dir, &run_id, Some(&content(four()))).unwrap();
    assert_ne!(back.session.digest(), before);
    play_on(&mut back.session, 6);
    assert!(back.session.run_outcome().is_none(), "it is not over");
}
