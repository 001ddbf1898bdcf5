//! One row at a time: the test builds a scene by hand and checks the result.

use engine::base::Value;

use super::harness::{GameSession, first_door, options, vm};
use super::scene::{WORKS, beat_the_boss, before_the_boss, choice, list, open, scene};

/// SR-1.3: a level gives a point to place, even past thirteen.
#[test]
fn a_level_is_a_point() {
    let vm = vm();
    let mut table = first_door(&vm, 1, WORKS, "eye", 0);
    table.set("hero.stats.ATK", Value::Int(13));
    table.set("hero.pending", Value::Int(1));
    table.enter_room("rest_1");
    assert_eq!(scene(&mut table), "level");
    table.choose("ATK");
    assert_eq!(table.int("hero.stats.ATK"), 14);
    assert_eq!(scene(&mut table), "room");
}

/// SR-5.1, SR-5.2, SR-5.3: zero vigour spends a breath; after the last one the descent has failed.
#[test]
fn breaths() {
    let vm = vm();
    let mut table = first_door(&vm, 5, WORKS, "even", 0);
    assert_eq!(table.int("run.breaths"), 2);
    table.set("hero.satchel", list(&["sub_rosa:candle_stub", "sub_rosa:lavender"]));
    table.enter_room("rest_1");
    table.set("run.rooms.rest_1.doors", list(&["counting_room"]));
    table.choose("door:counting_room");
    table.set("run.rooms.counting_room.foe.vigour", Value::Int(3));
    table.set("hero.stats.ATK", Value::Int(0));
    table.set("hero.vigour", Value::Int(1));
    table.clear_intent();
    table.choose("leave");
    assert_eq!(table.int("run.breaths"), 1);
    assert_eq!(table.state_value("run.here"), Value::text("rest_1"));
    assert!(table.int("hero.vigour") > 20);
    assert_eq!(table.state_value("hero.satchel").as_list().unwrap().len(), 1);
    assert_eq!(table.int("run.rooms.counting_room.foe.vigour"), 53, "whole again");
    table.choose("door:counting_room");
    table.set("hero.vigour", Value::Int(1));
    table.clear_intent();
    table.choose("leave");
    let finished = table.world.run_outcome().expect("the last breath is spent");
    assert_eq!(finished.get("outcome"), Some(&Value::text("failure")));
    assert!(table.world.awards().get("relics").is_none(), "SR-7.4");
}

/// SR-5.1, SR-5.4: ironman is one breath, offered from medium up.
#[test]
fn ironman() {
    let vm = vm();
    let begin =
        |dungeon: &str| GameSession::begin(&vm, 1, options(dungeon, "even", true), Value::map());
    let medium = begin(WORKS);
    assert_eq!([medium.int("run.breaths"), medium.int("run.breaths_max")], [1, 1]);
    assert_eq!(medium.state_value("run.ironman"), Value::Bool(true));
    assert_eq!(begin("sub_rosa:ice_house").state_value("run.ironman"), Value::Bool(false));
    let hand =
        |dungeon: &str| GameSession::begin(&vm, 1, options(dungeon, "", false), Value::map());
    assert!(choice(&mut hand("sub_rosa:ice_house"), "ironman").is_none());
    let mut by_hand = hand(WORKS);
    by_hand.choose("ironman");
    by_hand.choose("ready:blade");
    by_hand.choose("done");
    assert_eq!(by_hand.int("run.breaths"), 1);
}

/// SR-1.2: the build scene places the points and rejects any other total.
#[test]
fn point_buy() {
    let vm = vm();
    let mut table = GameSession::begin(&vm, 1, options(WORKS, "", false), Value::map());
    assert!(!open(&mut table, "done"));
    for _ in 0..8 {
        table.choose("raise:ATK");
    }
    assert!(!open(&mut table, "raise:ATK") && !open(&mut table, "raise:DEF"));
    table.choose("lower:CAR");
    assert!(!open(&mut table, "raise:ATK"), "13 is the most");
    table.choose("raise:DEF");
    for _ in 0..3 {
        table.choose("lower:CAR");
    }
    assert!(!open(&mut table, "lower:CAR"), "1 is the least");
    assert!(!open(&mut table, "done"));
    table.choose("reset");
    for build in ["blade", "breath", "tongue", "eye", "even"] {
        table.choose(&format!("ready:{build}"));
        assert!(open(&mut table, "done"), "{build} may enter");
    }
    table.choose("done");
    assert_eq!(scene(&mut table), "room");
}

/// SR-1.5: earned experience stays; the completion reward is paid only for coming out.
#[test]
fn rewards() {
    let vm = vm();
    let earned = |table: &GameSession<'_>| {
        table.world.awards().get("experience").and_then(Value::as_int).unwrap_or(0)
    };
    let mut won = before_the_boss(&vm, 1, 0);
    beat_the_boss(&mut won);
    assert_eq!(earned(&won), 50 + 110, "the boss, and a medium dungeon");
    let mut peace = before_the_boss(&vm, 1, 4);
    peace.choose("peace");
    assert_eq!(earned(&peace), 55, "half of it in peace");
    let mut lost = first_door(&vm, 1, WORKS, "blade", 0);
    lost.enter_room("wringing_shed");
    lost.set("run.rooms.wringing_shed.foe.vigour", Value::Int(1));
    while scene(&mut lost) == "round" {
        lost.set("hero.vigour", Value::Int(30));
        lost.choose("strike");
    }
    while scene(&mut lost) == "pickup" {
        let id = lost.prompt().choices[0].id.clone();
        lost.choose(&id);
    }
    assert_eq!(earned(&lost), 10, "a foe of the first tier");
    lost.set("run.rooms.wringing_shed.doors", list(&["entrance"]));
    lost.choose("door:entrance");
    lost.choose("abandon");
    lost.choose("leave");
    assert_eq!(earned(&lost), 10, "kept, without the completion reward");
    let finished = lost.world.run_outcome().unwrap();
    assert_eq!(finished.get("outcome"), Some(&Value::text("abandoned")));
}
