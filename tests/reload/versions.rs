//! Mods that are downgraded and upgraded, settings that no longer fit, and scenes that an update
//! removed and restored.

use base::Value;
use mods::sort_into_load_order;
use session::{RunContent, migrate_profile};

use super::harness::*;
use crate::support::{GAME_MANIFEST, manifest_needing, mod_from_text};

fn far_mod(version: &str) -> mods::ModSource {
    let text = "migrate(\"0.2.0\", function(state) state.v = (state.v or 1) * 10 end)\n\
                migrate(\"0.3.0\", function(state) state.v = (state.v or 1) + 1 end)\n";
    mod_source("far", version, &[("far.luau", text)])
}

fn content_with_far_mod(version: &str) -> RunContent {
    hall_content(HALL_GAME, vec![far_mod(version)])
}

fn resume_texts_and_value(
    data_dir: &save::DataDir,
    run_id: &str,
    content: &RunContent,
) -> (Vec<String>, Option<Value>) {
    let resumed_run = session::resume_run(data_dir, run_id, Some(content)).unwrap();
    let texts_and_value = (
        say_and_note_texts(&resumed_run.step_outcome.events),
        state_value(&resumed_run.session, "v"),
    );
    close_run(data_dir, resumed_run);
    texts_and_value
}

#[test]
fn a_run_is_migrated_once_over_downgrades_and_upgrades() {
    let data_dir = memory_data_dir();
    let active_run = begin_run(&mut lock_profile_of_ada(&data_dir), content_with_far_mod("0.1.0"));
    let run_id = close_run(&data_dir, active_run);
    let resume_with =
        |version: &str| resume_texts_and_value(&data_dir, &run_id, &content_with_far_mod(version));
    let expected_value = Some(Value::Int(10));
    assert_eq!(resume_with("0.2.0").1, expected_value);
    let (story_texts, value) = resume_with("0.1.0");
    assert_eq!(value, expected_value);
    assert!(
        story_texts.iter().any(|line| line.contains("far was 0.2.0 and is now 0.1.0")),
        "{story_texts:?}"
    );
    let (story_texts, value) = resume_with("0.2.0");
    assert_eq!(
        (value, story_texts.iter().any(|line| line.contains("and is now"))),
        (expected_value.clone(), false)
    );
    // Removed at a low version, back at a high one.
    resume_with("0.1.0");
    assert_eq!(
        resume_texts_and_value(&data_dir, &run_id, &hall_content(HALL_GAME, Vec::new())).1,
        expected_value
    );
    let (story_texts, value) = resume_with("0.1.5");
    assert!(
        story_texts.iter().any(|line| line.contains("far was 0.2.0 and is now 0.1.5")),
        "{story_texts:?}"
    );
    assert_eq!(value, expected_value);
    assert_eq!(resume_with("0.3.0").1, Some(Value::Int(11)), "only the part above the highest");
    let mut resumed_run =
        session::resume_run(&data_dir, &run_id, Some(&content_with_far_mod("0.3.0"))).unwrap();
    choose(&mut resumed_run.session, "strike");
    close_run(&data_dir, resumed_run);
    assert_eq!(session::replay_and_verify(&data_dir, &run_id, &mut |_, _| {}).unwrap(), 1);
}

#[test]
fn a_profile_is_migrated_once_over_downgrades_and_upgrades() {
    let data_dir = memory_data_dir();
    let mut profile = lock_profile_of_ada(&data_dir);
    let mut migrate_to = |version: &str| {
        let migration = "migrate_profile(\"0.2.0\", function(profile) profile.gold = (profile.gold or 0) + 100 end)\n";
        let files = [("hall.luau", HALL_GAME), ("migrate.luau", migration)];
        let game = mod_from_text(&GAME_MANIFEST.replace("0.1.0", version), &files);
        let content =
            RunContent { mods: sort_into_load_order(vec![game]).unwrap(), settings: Value::map() };
        let notes = migrate_profile(&mut profile, &content, &content.load_vm().unwrap()).unwrap();
        let gold =
            profile.profile().game_profile("game").award_data.get("gold").and_then(Value::as_int);
        (gold, notes.iter().map(|note| note.code.to_string()).collect::<Vec<_>>())
    };
    assert_eq!(migrate_to("0.1.0"), (None, vec![]));
    assert_eq!(migrate_to("0.2.0"), (Some(100), vec![]));
    for _ in 0..2 {
        assert_eq!(migrate_to("0.1.0"), (Some(100), vec!["older-version".to_owned()]));
    }
    assert_eq!(migrate_to("0.2.0"), (Some(100), vec![]));
    assert_eq!(migrate_to("0.2.1"), (Some(100), vec![]));
}

#[test]
fn a_setting_made_invalid_by_an_update_is_reported_in_the_run() {
    let content_with_max = |max: u32| {
        let manifest = manifest_needing("far", &["game"])
            + &format!("[settings.pace]\ntype = \"integer\"\ndefault = 1\nmin = 0\nmax = {max}\n");
        let mods = vec![
            mod_from_text(GAME_MANIFEST, &[("hall.luau", HALL_GAME)]),
            mod_from_text(&manifest, &[]),
        ];
        let settings = Value::map_of([("far", Value::map_of([("pace", Value::Int(7))]))]);
        RunContent { mods: sort_into_load_order(mods).unwrap(), settings }
    };
    let data_dir = memory_data_dir();
    let mut active_run = begin_run(&mut lock_profile_of_ada(&data_dir), content_with_max(9));
    let reloaded =
        session::reload_if_content_differs(&data_dir, &mut active_run.session, content_with_max(3))
            .unwrap()
            .unwrap();
    let output = say_and_note_texts(&reloaded.events).join("\n");
    assert!(output.contains("your setting pace of far is 7"), "{output}");
    let reload_outcome =
        session::reload_if_content_differs(&data_dir, &mut active_run.session, content_with_max(8))
            .unwrap()
            .unwrap();
    assert!(
        !say_and_note_texts(&reload_outcome.events).join("\n").contains("pace"),
        "it fits again"
    );
}

#[test]
fn a_scene_removed_by_a_reload_is_resumed_when_restored() {
    let camp_script = "scene \"camp\" { prompt = function() return { text = \"Camp?\", choices = { { id = \
                \"rest\", label = \"Rest\" } } } end, on = { rest = function() pop() end } }\n\
                after(\"blow\", function() push \"camp\" end)\n";
    let content_with_camp = |text: &str| {
        hall_content(HALL_GAME, vec![mod_source("camp", "0.1.0", &[("camp.luau", text)])])
    };
    let data_dir = memory_data_dir();
    let mut active_run =
        begin_run(&mut lock_profile_of_ada(&data_dir), content_with_camp(camp_script));
    let session = &mut active_run.session;
    choose(session, "strike");
    assert_eq!(session.prompt().scene, "camp:camp");
    for _ in 0..2 {
        session::reload_if_content_differs(&data_dir, session, content_with_camp(""))
            .unwrap()
            .unwrap();
        assert_eq!(session.prompt().scene, "game:hall");
        session::reload_if_content_differs(&data_dir, session, content_with_camp(camp_script))
            .unwrap()
            .unwrap();
        assert_eq!(session.prompt().scene, "camp:camp");
    }
    // Also when the program ended in between.
    session::reload_if_content_differs(&data_dir, session, content_with_camp("")).unwrap().unwrap();
    let run_id = close_run(&data_dir, active_run);
    let mut resumed_run =
        session::resume_run(&data_dir, &run_id, Some(&content_with_camp(camp_script))).unwrap();
    assert_eq!(resumed_run.session.prompt().scene, "camp:camp");
    // A player who left it is not brought back.
    choose(&mut resumed_run.session, "rest");
    session::reload_if_content_differs(&data_dir, &mut resumed_run.session, content_with_camp(""))
        .unwrap()
        .unwrap();
    session::reload_if_content_differs(
        &data_dir,
        &mut resumed_run.session,
        content_with_camp(camp_script),
    )
    .unwrap()
    .unwrap();
    assert_eq!(resumed_run.session.prompt().scene, "game:hall");
    let run_id = close_run(&data_dir, resumed_run);
    assert_eq!(session::replay_and_verify(&data_dir, &run_id, &mut |_, _| {}).unwrap(), 2);
}
