//! One row at a time: the test builds a scene by hand and checks the result.

use base::Value;

use super::harness::{GameSession, begin_at_first_door, load_test_vm, run_options};
use super::scene::{
    DYE_WORKS, defeat_boss, find_choice, is_choice_enabled, scene_name, session_before_boss,
    text_list,
};

/// SR-1.3: a level gives a point to place, even past thirteen.
#[test]
fn a_level_gives_one_stat_point() {
    let vm = load_test_vm();
    let mut session = begin_at_first_door(&vm, 1, DYE_WORKS, "eye", 0);
    session.set("hero.stats.ATK", Value::Int(13));
    session.set("hero.pending", Value::Int(1));
    session.enter_room("rest_1");
    assert_eq!(scene_name(&mut session), "level");
    session.choose("ATK");
    assert_eq!(session.int("hero.stats.ATK"), 14);
    assert_eq!(scene_name(&mut session), "room");
}

/// SR-5.1, SR-5.2, SR-5.3: zero vigour spends a breath; after the last one the descent has failed.
#[test]
fn zero_vigour_spends_a_breath_and_the_last_ends_the_run() {
    let vm = load_test_vm();
    let mut session = begin_at_first_door(&vm, 5, DYE_WORKS, "even", 0);
    assert_eq!(session.int("run.breaths"), 2);
    session.set("hero.satchel", text_list(&["sub_rosa:candle_stub", "sub_rosa:lavender"]));
    session.enter_room("rest_1");
    session.set("run.rooms.rest_1.doors", text_list(&["counting_room"]));
    session.choose("door:counting_room");
    session.set("run.rooms.counting_room.foe.vigour", Value::Int(3));
    session.set("hero.stats.ATK", Value::Int(0));
    session.set("hero.vigour", Value::Int(1));
    session.clear_intent();
    session.choose("leave");
    assert_eq!(session.int("run.breaths"), 1);
    assert_eq!(session.state_value("run.here"), Value::text("rest_1"));
    assert!(session.int("hero.vigour") > 20);
    assert_eq!(session.state_value("hero.satchel").as_list().unwrap().len(), 1);
    assert_eq!(session.int("run.rooms.counting_room.foe.vigour"), 53, "whole again");
    session.choose("door:counting_room");
    session.set("hero.vigour", Value::Int(1));
    session.clear_intent();
    session.choose("leave");
    let run_outcome = session.world.run_outcome().expect("the last breath is spent");
    assert_eq!(run_outcome.get("outcome"), Some(&Value::text("failure")));
    assert!(session.world.award_so_far().get("relics").is_none(), "SR-7.4");
}

/// SR-5.1, SR-5.4: ironman is one breath, offered from medium up.
#[test]
fn ironman_gives_one_breath_from_medium_up() {
    let vm = load_test_vm();
    let begin_ironman = |dungeon: &str| {
        GameSession::begin(&vm, 1, run_options(dungeon, "even", true), Value::map())
    };
    let medium_session = begin_ironman(DYE_WORKS);
    assert_eq!([medium_session.int("run.breaths"), medium_session.int("run.breaths_max")], [1, 1]);
    assert_eq!(medium_session.state_value("run.ironman"), Value::Bool(true));
    assert_eq!(begin_ironman("sub_rosa:ice_house").state_value("run.ironman"), Value::Bool(false));
    let begin_build_scene =
        |dungeon: &str| GameSession::begin(&vm, 1, run_options(dungeon, "", false), Value::map());
    assert!(find_choice(&mut begin_build_scene("sub_rosa:ice_house"), "ironman").is_none());
    let mut build_session = begin_build_scene(DYE_WORKS);
    build_session.choose("ironman");
    build_session.choose("ready:blade");
    build_session.choose("done");
    assert_eq!(build_session.int("run.breaths"), 1);
}

/// SR-1.2: the build scene places the points and rejects any other total.
#[test]
fn the_build_scene_enforces_point_limits() {
    let vm = load_test_vm();
    let mut session = GameSession::begin(&vm, 1, run_options(DYE_WORKS, "", false), Value::map());
    assert!(is_choice_enabled(&mut session, "done"), "a ready build is there at first");
    session.choose("reset");
    assert!(!is_choice_enabled(&mut session, "done"));
    for _ in 0..8 {
        session.choose("raise:ATK");
    }
    assert!(
        !is_choice_enabled(&mut session, "raise:ATK")
            && !is_choice_enabled(&mut session, "raise:DEF")
    );
    session.choose("lower:CAR");
    assert!(!is_choice_enabled(&mut session, "raise:ATK"), "13 is the most");
    session.choose("raise:DEF");
    for _ in 0..3 {
        session.choose("lower:CAR");
    }
    assert!(!is_choice_enabled(&mut session, "lower:CAR"), "1 is the least");
    assert!(!is_choice_enabled(&mut session, "done"));
    session.choose("reset");
    for build in ["blade", "breath", "tongue", "eye", "even"] {
        session.choose(&format!("ready:{build}"));
        assert!(is_choice_enabled(&mut session, "done"), "{build} may enter");
    }
    session.choose("done");
    assert_eq!(scene_name(&mut session), "room");
}

/// SR-1.5: earned experience stays; the completion reward is paid only for coming out.
#[test]
fn completion_reward_is_paid_only_for_leaving_alive() {
    let vm = load_test_vm();
    let earned_experience = |session: &GameSession<'_>| {
        session.world.award_so_far().get("experience").and_then(Value::as_int).unwrap_or(0)
    };
    let mut won_session = session_before_boss(&vm, 1, 0);
    defeat_boss(&mut won_session);
    assert_eq!(earned_experience(&won_session), 50 + 110, "the boss, and a medium dungeon");
    let mut peace_session = session_before_boss(&vm, 1, 4);
    peace_session.choose("peace");
    assert_eq!(earned_experience(&peace_session), 55, "half of it in peace");
    let mut abandoned_session = begin_at_first_door(&vm, 1, DYE_WORKS, "blade", 0);
    abandoned_session.enter_room("wringing_shed");
    abandoned_session.set("run.rooms.wringing_shed.foe.vigour", Value::Int(1));
    while scene_name(&mut abandoned_session) == "round" {
        abandoned_session.set("hero.vigour", Value::Int(30));
        abandoned_session.choose("strike");
    }
    while scene_name(&mut abandoned_session) == "pickup" {
        let id = abandoned_session.prompt().choices[0].id.clone();
        abandoned_session.choose(&id);
    }
    assert_eq!(earned_experience(&abandoned_session), 10, "a foe of the first tier");
    abandoned_session.set("run.rooms.wringing_shed.doors", text_list(&["entrance"]));
    abandoned_session.choose("door:entrance");
    abandoned_session.choose("abandon");
    abandoned_session.choose("leave");
    assert_eq!(earned_experience(&abandoned_session), 10, "kept, without the completion reward");
    let run_outcome = abandoned_session.world.run_outcome().unwrap();
    assert_eq!(run_outcome.get("outcome"), Some(&Value::text("abandoned")));
}
