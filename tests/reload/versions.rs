//! Mods that are downgraded and upgraded, settings that no longer fit, and scenes that an update
//! removed and restored.

use engine::base::Value;
use engine::mods::load_order;
use engine::session::{self, Content, migrate_profile};

use super::harness::*;
use crate::support::{GAME, manifest_needing, mod_from_text};

fn far_mod(version: &str) -> engine::mods::ModSource {
    let text = "migrate(\"0.2.0\", function(state) state.v = (state.v or 1) * 10 end)\n\
                migrate(\"0.3.0\", function(state) state.v = (state.v or 1) + 1 end)\n";
    mod_source("far", version, &[("far.luau", text)])
}

fn content_with(version: &str) -> Content {
    content(HALL, vec![far_mod(version)])
}

fn reported_at(
    data_dir: &engine::save::DataDir,
    run_id: &str,
    now: &Content,
) -> (Vec<String>, Option<Value>) {
    let opened = session::resume(data_dir, run_id, Some(now)).unwrap();
    let told = (texts(&opened.output.events), state(&opened.session, "v"));
    close_run(data_dir, opened);
    told
}

#[test]
fn a_run_is_migrated_once_however_often_the_version_goes_down_and_up() {
    let data_dir = data_dir();
    let in_hand = begin(&mut lock_ada(&data_dir), content_with("0.1.0"));
    let run_id = close_run(&data_dir, in_hand);
    let at = |version: &str| reported_at(&data_dir, &run_id, &content_with(version));
    let ten = Some(Value::Int(10));
    assert_eq!(at("0.2.0").1, ten);
    let (told, v) = at("0.1.0");
    assert_eq!(v, ten);
    assert!(told.iter().any(|line| line.contains("far was 0.2.0 and is now 0.1.0")), "{told:?}");
    let (told, v) = at("0.2.0");
    assert_eq!((v, told.iter().any(|line| line.contains("and is now"))), (ten.clone(), false));
    // Removed at a low version, back at a high one.
    at("0.1.0");
    assert_eq!(reported_at(&data_dir, &run_id, &content(HALL, Vec::new())).1, ten);
    let (told, v) = at("0.1.5");
    assert!(told.iter().any(|line| line.contains("far was 0.2.0 and is now 0.1.5")), "{told:?}");
    assert_eq!(v, ten);
    assert_eq!(at("0.3.0").1, Some(Value::Int(11)), "only the part above the highest");
    let mut opened = session::resume(&data_dir, &run_id, Some(&content_with("0.3.0"))).unwrap();
    choose(&mut opened.session, "strike");
    close_run(&data_dir, opened);
    assert_eq!(session::replay(&data_dir, &run_id, &mut |_, _| {}).unwrap(), 1);
}

#[test]
fn a_profile_is_migrated_once_however_often_the_version_goes_down_and_up() {
    let data_dir = data_dir();
    let mut profile = lock_ada(&data_dir);
    let mut at = |version: &str| {
        let adds = "migrate_profile(\"0.2.0\", function(profile) profile.gold = (profile.gold or 0) + 100 end)\n";
        let files = [("hall.luau", HALL), ("migrate.luau", adds)];
        let game = mod_from_text(&GAME.replace("0.1.0", version), &files);
        let content = Content { mods: load_order(vec![game]).unwrap(), settings: Value::map() };
        let told = migrate_profile(&mut profile, &content, &content.load().unwrap()).unwrap();
        let gold = profile.profile().game("game").data.get("gold").and_then(Value::as_int);
        (gold, told.iter().map(|one| one.code.to_string()).collect::<Vec<_>>())
    };
    assert_eq!(at("0.1.0"), (None, vec![]));
    assert_eq!(at("0.2.0"), (Some(100), vec![]));
    for _ in 0..2 {
        assert_eq!(at("0.1.0"), (Some(100), vec!["older-version".to_owned()]));
    }
    assert_eq!(at("0.2.0"), (Some(100), vec![]));
    assert_eq!(at("0.2.1"), (Some(100), vec![]));
}

#[test]
fn a_setting_that_an_update_does_not_take_is_told_of_in_the_running_run() {
    let set = |max: u32| {
        let manifest = manifest_needing("far", &["game"])
            + &format!("[settings.pace]\ntype = \"integer\"\ndefault = 1\nmin = 0\nmax = {max}\n");
        let mods = vec![mod_from_text(GAME, &[("hall.luau", HALL)]), mod_from_text(&manifest, &[])];
        let pace = Value::map_of([("far", Value::map_of([("pace", Value::Int(7))]))]);
        Content { mods: load_order(mods).unwrap(), settings: pace }
    };
    let data_dir = data_dir();
    let mut in_hand = begin(&mut lock_ada(&data_dir), set(9));
    let reloaded =
        session::reload_if_changed(&data_dir, &mut in_hand.session, set(3)).unwrap().unwrap();
    let told = texts(&reloaded.events).join("\n");
    assert!(told.contains("your setting pace of far is 7"), "{told}");
    let back =
        session::reload_if_changed(&data_dir, &mut in_hand.session, set(8)).unwrap().unwrap();
    assert!(!texts(&back.events).join("\n").contains("pace"), "it fits again");
}

#[test]
fn a_scene_that_a_reload_took_away_is_returned_to_when_it_is_there_again() {
    let camp = "scene \"camp\" { prompt = function() return { text = \"Camp?\", choices = { { id = \
                \"rest\", label = \"Rest\" } } } end, on = { rest = function() pop() end } }\n\
                after(\"blow\", function() push \"camp\" end)\n";
    let with =
        |text: &str| content(HALL, vec![mod_source("camp", "0.1.0", &[("camp.luau", text)])]);
    let data_dir = data_dir();
    let mut in_hand = begin(&mut lock_ada(&data_dir), with(camp));
    let session = &mut in_hand.session;
    choose(session, "strike");
    assert_eq!(session.prompt().scene, "camp:camp");
    for _ in 0..2 {
        session::reload_if_changed(&data_dir, session, with("")).unwrap().unwrap();
        assert_eq!(session.prompt().scene, "game:hall");
        session::reload_if_changed(&data_dir, session, with(camp)).unwrap().unwrap();
        assert_eq!(session.prompt().scene, "camp:camp");
    }
    // Also when the program ended in between.
    session::reload_if_changed(&data_dir, session, with("")).unwrap().unwrap();
    let run_id = close_run(&data_dir, in_hand);
    let mut again = session::resume(&data_dir, &run_id, Some(&with(camp))).unwrap();
    assert_eq!(again.session.prompt().scene, "camp:camp");
    // A player who left it is not brought back.
    choose(&mut again.session, "rest");
    session::reload_if_changed(&data_dir, &mut again.session, with("")).unwrap().unwrap();
    session::reload_if_changed(&data_dir, &mut again.session, with(camp)).unwrap().unwrap();
    assert_eq!(again.session.prompt().scene, "game:hall");
    let run_id = close_run(&data_dir, again);
    assert_eq!(session::replay(&data_dir, &run_id, &mut |_, _| {}).unwrap(), 2);
}
