//! Mods change between sessions of a run: removed content is stored by name and restored, the state
//! is migrated to a newer version, and after a refusal the file is unchanged.

use base::Value;
use mods::{ModSource, sort_into_load_order};
use session::{RunContent, describe_changes_since_run, migrate_profile};

use super::harness::*;
use crate::support::{GAME_MANIFEST, mod_from_text};

const OAK_SCRIPT: &str = "word \"oak\" { name = \"oaken word\", bonus = 4 }\nafter(\"blow\", function()\n  \
                   state.known[2] = word.oak.id\nend)\n";
/// Names every word that the run knows, from any mod.
const SINGER_SCRIPT: &str = r#"
after("blow", function()
  local names, bonus = {}, 0
  for _, id in state.known do
    table.insert(names, word[id].name .. (word[id].gone and " (gone)" or ""))
    bonus += word[id].bonus
  end
  say("You know {names}: {bonus}.", { names = table.concat(names, ", "), bonus = bonus })
end)
"#;

fn oak_mod() -> ModSource {
    mod_source("oak", "0.1.0", &[("oak.luau", OAK_SCRIPT)])
}

fn singer_mod() -> ModSource {
    mod_source("singer", "0.1.0", &[("sing.luau", SINGER_SCRIPT)])
}

fn heavy_mod(factor: &str) -> ModSource {
    let patch_script = format!(
        "patch.rule \"game:weight\"(wrap(function(original, n) return original(n) * {factor} end))\n"
    );
    mod_source("heavy", "0.1.0", &[("heavy.luau", &patch_script)])
}

fn loud_mod() -> ModSource {
    mod_source("loud", "0.1.0", &[("loud.luau", "after(\"blow\", function() say \"BANG\" end)\n")])
}

#[test]
fn a_run_continues_with_removed_changed_and_added_mods() {
    let data_dir = memory_data_dir();
    let original_content = hall_content(HALL_GAME, vec![oak_mod(), singer_mod(), heavy_mod("10")]);
    let mut active_run = begin_run(&mut lock_profile_of_ada(&data_dir), original_content.clone());
    choose(&mut active_run.session, "strike");
    let step_outcome = choose(&mut active_run.session, "strike");
    assert_eq!(say_and_note_texts(&step_outcome.events)[0], "You know ash, oaken word: 5.");
    let run_id = close_run(&data_dir, active_run);

    let changed_content = hall_content(HALL_GAME, vec![singer_mod(), heavy_mod("100"), loud_mod()]);
    assert_eq!(
        describe_changes_since_run(&data_dir, &run_id, &changed_content).unwrap(),
        ["changed: heavy 0.1.0", "added: loud 0.1.0", "missing: oak 0.1.0"]
    );
    let mut resumed_run = session::resume_run(&data_dir, &run_id, Some(&changed_content)).unwrap();
    let story_texts = say_and_note_texts(&resumed_run.step_outcome.events);
    assert!(
        story_texts.contains(&"Removed, but remembered by name: oaken word.".to_owned()),
        "{story_texts:?}"
    );
    let story_texts = say_and_note_texts(&choose(&mut resumed_run.session, "strike").events);
    assert!(
        story_texts.contains(&"You know ash, oaken word (gone): 1.".to_owned()),
        "{story_texts:?}"
    );
    assert!(story_texts.contains(&"BANG".to_owned()), "{story_texts:?}");
    assert!(
        state_value(&resumed_run.session, "blows").and_then(|value| value.as_int()).unwrap() >= 100
    );
    let digest = resumed_run.session.digest();
    let run_id = close_run(&data_dir, resumed_run);
    let mut resumed_again =
        session::resume_run(&data_dir, &run_id, Some(&changed_content)).unwrap();
    assert_eq!(resumed_again.session.digest(), digest);
    assert!(describe_changes_since_run(&data_dir, &run_id, &changed_content).unwrap().is_empty());
    choose(&mut resumed_again.session, "strike");
    let run_id = close_run(&data_dir, resumed_again);

    let mut restored_run =
        session::resume_run(&data_dir, &run_id, Some(&original_content)).unwrap();
    assert!(
        say_and_note_texts(&restored_run.step_outcome.events)
            .contains(&"Restored: oaken word.".to_owned())
    );
    let story_texts = say_and_note_texts(&choose(&mut restored_run.session, "strike").events);
    assert!(story_texts.contains(&"You know ash, oaken word: 5.".to_owned()), "{story_texts:?}");
    let run_id = close_run(&data_dir, restored_run);
    assert_eq!(session::replay_and_verify(&data_dir, &run_id, &mut |_, _| {}).unwrap(), 5);
}

#[test]
fn comparing_mods_does_not_write_to_the_journal() {
    let data_dir = memory_data_dir();
    let old_content = hall_content(HALL_GAME, vec![heavy_mod("10")]);
    let mut active_run = begin_run(&mut lock_profile_of_ada(&data_dir), old_content.clone());
    choose(&mut active_run.session, "strike");
    let digest = active_run.session.digest();
    let run_id = close_run(&data_dir, active_run);
    let path = data_dir.root().join("runs").join(&run_id).join("journal.jsonl");
    let read_journal = || data_dir.disk().read_file(&path, 1 << 20).unwrap();
    let journal_before = read_journal();
    let current_content = hall_content(HALL_GAME, Vec::new());
    assert_eq!(
        describe_changes_since_run(&data_dir, &run_id, &current_content).unwrap(),
        ["missing: heavy 0.1.0"]
    );
    assert_eq!(read_journal(), journal_before, "asking changes nothing");
    let mut resumed_run = session::resume_run(&data_dir, &run_id, None).unwrap();
    assert_eq!(resumed_run.session.digest(), digest);
    assert!(resumed_run.session.content().mods.get("heavy").is_some());
    assert_eq!(read_journal(), journal_before, "and neither does the set it was made on");
    choose(&mut resumed_run.session, "strike");
}

/// A later version of the game, with its migrations.
fn game_of_version(version: &str, migrations: &str) -> session::RunContent {
    let manifest = crate::support::GAME_MANIFEST.replace("0.1.0", version);
    let files = [("hall.luau", HALL_GAME), ("migrate.luau", migrations)];
    let game = crate::support::mod_from_text(&manifest, &files);
    session::RunContent {
        mods: mods::sort_into_load_order(vec![game]).unwrap(),
        settings: Value::map(),
    }
}

#[test]
fn a_state_is_migrated_in_version_order_or_not_at_all() {
    let data_dir = memory_data_dir();
    let mut active_run =
        begin_run(&mut lock_profile_of_ada(&data_dir), hall_content(HALL_GAME, Vec::new()));
    choose(&mut active_run.session, "strike");
    let digest = active_run.session.digest();
    let run_id = close_run(&data_dir, active_run);

    let migrations = "migrate(\"0.3.0\", function(state) state.log = state.log .. \"3\" end)\n\
                 migrate(\"0.2.0\", function(state) state.log = \"2\" end)\n\
                 migrate(\"0.1.0\", function(state) state.log = \"1\" end)\n\
                 migrate(\"0.4.0\", function(state) state.log = \"4\" end)\n";
    let failing_migrations =
        format!("{migrations}migrate(\"0.2.5\", function(state) error \"no such thing\" end)\n");
    let resumed_run = session::resume_run(
        &data_dir,
        &run_id,
        Some(&game_of_version("0.3.0", &failing_migrations)),
    )
    .unwrap();
    let failure_note =
        resumed_run.notes.iter().find(|note| note.message.contains("no such thing")).unwrap();
    assert_eq!(failure_note.place.as_ref().unwrap().file, "migrate.luau");
    let session = resumed_run.session;
    assert_eq!(session.digest(), digest, "nothing has changed");
    assert_eq!(state_value(&session, "log"), None);
    drop(session);

    let mut migrated_run =
        session::resume_run(&data_dir, &run_id, Some(&game_of_version("0.3.0", migrations)))
            .unwrap();
    assert_eq!(state_value(&migrated_run.session, "log"), Some(Value::text("23")));
    let digest = migrated_run.session.digest();
    choose(&mut migrated_run.session, "strike");
    let run_id = close_run(&data_dir, migrated_run);
    assert_eq!(session::replay_and_verify(&data_dir, &run_id, &mut |_, _| {}).unwrap(), 2);
    let resumed_again =
        session::resume_run(&data_dir, &run_id, Some(&game_of_version("0.3.0", migrations)))
            .unwrap();
    assert_eq!(
        state_value(&resumed_again.session, "log"),
        Some(Value::text("23")),
        "once and no more"
    );
    assert_ne!(digest, base::Digest::default());
}

#[test]
fn a_returning_mod_is_migrated_from_its_last_version() {
    let far_mod = |version: &str| {
        let text = "migrate(\"0.2.0\", function(state) state.seen = (state.seen or 0) + 1 end)\n";
        mod_source("far", version, &[("far.luau", text)])
    };
    let data_dir = memory_data_dir();
    let active_run = begin_run(
        &mut lock_profile_of_ada(&data_dir),
        hall_content(HALL_GAME, vec![far_mod("0.1.0")]),
    );
    let run_id = close_run(&data_dir, active_run);
    let run_without_mod =
        session::resume_run(&data_dir, &run_id, Some(&hall_content(HALL_GAME, Vec::new())))
            .unwrap();
    let run_id = close_run(&data_dir, run_without_mod);
    let newer_content = hall_content(HALL_GAME, vec![far_mod("0.2.0")]);
    let restored_run = session::resume_run(&data_dir, &run_id, Some(&newer_content)).unwrap();
    assert_eq!(state_value(&restored_run.session, "seen"), Some(Value::Int(1)));
}

#[test]
fn a_profile_is_migrated_once() {
    let data_dir = memory_data_dir();
    let mut profile = lock_profile_of_ada(&data_dir);
    let migrate_with = |profile: &mut save::LockedProfile, content: &session::RunContent| {
        migrate_profile(profile, content, &content.load_vm().unwrap())
    };
    migrate_with(&mut profile, &game_of_version("0.1.0", "-- none\n")).unwrap();
    let data = Value::map_of([("gold", Value::Int(3))]);
    profile
        .update_profile(|profile| profile.game_profile_mut("game").award_data = data.clone())
        .unwrap();
    let failing_migration =
        "migrate_profile(\"0.2.0\", function(profile) profile.gold = state.x end)\n";
    assert!(
        migrate_with(
            &mut profile,
            &game_of_version("0.2.0", &failing_migration.replace("state.x", "nil + 1"))
        )
        .is_err()
    );
    assert_eq!(profile.profile().game_profile("game").award_data, data);
    let working_migration =
        "migrate_profile(\"0.2.0\", function(profile) profile.gold *= 100 end)\n";
    for _ in 0..2 {
        migrate_with(&mut profile, &game_of_version("0.2.0", working_migration)).unwrap();
        let gold =
            profile.profile().game_profile("game").award_data.get("gold").and_then(Value::as_int);
        assert_eq!(gold, Some(300));
    }
}

#[test]
fn a_removed_scene_is_left_for_the_scene_below() {
    let camp_script = "scene \"camp\" { prompt = function() return { text = \"Camp?\", choices = { { id = \
                \"rest\", label = \"Rest\" } } } end, on = { rest = function() pop() end } }\n\
                after(\"blow\", function() push \"camp\" end)\n";
    let data_dir = memory_data_dir();
    let content_with_camp =
        hall_content(HALL_GAME, vec![mod_source("camp", "0.1.0", &[("camp.luau", camp_script)])]);
    let mut active_run = begin_run(&mut lock_profile_of_ada(&data_dir), content_with_camp);
    choose(&mut active_run.session, "strike");
    assert_eq!(active_run.session.prompt().scene, "camp:camp");
    let run_id = close_run(&data_dir, active_run);
    let resumed_run =
        session::resume_run(&data_dir, &run_id, Some(&hall_content(HALL_GAME, Vec::new())))
            .unwrap();
    assert_eq!(resumed_run.session.prompt().scene, "game:hall");
}

/// The state of [`HALL_GAME`].
const HALL_SCHEMA: &str =
    "schema \"known\"(field.list { field.ref { \"word\" } })\nschema \"blows\"(field.int {})\n";

/// A game with a state schema that writes back a whole list of references at each step. With
/// `with_stray_reference`, one of them is undefined.
fn content_writing_references(with_stray_reference: bool) -> RunContent {
    let stray_line = if with_stray_reference { "table.insert(known, \"oak:elm\")\n" } else { "" };
    let handler_start = format!(
        "on = {{\nstrike = function()\nlocal known = copy(state.known)\n{stray_line}state.known = known\n"
    );
    let hall = HALL_SCHEMA.to_owned()
        + &HALL_GAME.replacen("on = {\n    strike = function()\n", &handler_start, 1);
    let game = mod_from_text(GAME_MANIFEST, &[("hall.luau", &hall)]);
    RunContent { mods: sort_into_load_order(vec![game]).unwrap(), settings: Value::map() }
}

#[test]
fn removed_content_may_be_written_back_in_strict_mode() {
    let data_dir = memory_data_dir();
    let mods = content_writing_references(false).mods.mods.into_iter().chain([oak_mod()]).collect();
    let content_with_oak =
        RunContent { mods: sort_into_load_order(mods).unwrap(), settings: Value::map() };
    let mut active_run = begin_run(&mut lock_profile_of_ada(&data_dir), content_with_oak);
    choose(&mut active_run.session, "strike");
    let run_id = close_run(&data_dir, active_run);

    let mut resumed_run =
        session::resume_run(&data_dir, &run_id, Some(&content_writing_references(false))).unwrap();
    resumed_run.session.enable_strict_mode();
    let step_outcome = choose(&mut resumed_run.session, "strike");
    assert!(step_outcome.refusal.is_none(), "{:?}", step_outcome.refusal);
    let run_id = close_run(&data_dir, resumed_run);

    let mut stray_run =
        session::resume_run(&data_dir, &run_id, Some(&content_writing_references(true))).unwrap();
    stray_run.session.enable_strict_mode();
    let message = choose(&mut stray_run.session, "strike").refusal.unwrap().to_string();
    assert!(message.contains("\"oak:elm\", and there is no such word"), "{message}");
}

/// A game whose event and rule take a word that the run knows, from any mod.
const LEARNING_GAME: &str = r#"
event "learn" { word = field.ref { "word" } }
rule "spelling"(function(id: WordId): WordId return id end)
before("learn", function(event) event.word = state.known[#state.known] end)
after("blow", function()
  local id = state.known[#state.known]
  local seen = preview("learn", { word = rules.spelling(id) })
  emit("learn", { word = seen.word })
end)
"#;

#[test]
fn removed_content_may_be_passed_to_events_and_rules() {
    let content =
        |others| hall_content(&format!("{HALL_SCHEMA}{HALL_GAME}{LEARNING_GAME}"), others);
    for is_strict in [false, true] {
        let data_dir = memory_data_dir();
        let mut active_run =
            begin_run(&mut lock_profile_of_ada(&data_dir), content(vec![oak_mod()]));
        choose(&mut active_run.session, "strike");
        let run_id = close_run(&data_dir, active_run);

        let mut resumed_run =
            session::resume_run(&data_dir, &run_id, Some(&content(Vec::new()))).unwrap();
        if is_strict {
            resumed_run.session.enable_strict_mode();
        }
        let step_outcome = choose(&mut resumed_run.session, "strike");
        assert!(step_outcome.refusal.is_none(), "{is_strict}: {:?}", step_outcome.refusal);
    }
}
