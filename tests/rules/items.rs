//! Gear, consumables, finds and stored items, one row at a time (sections 6 and 7).

use engine::base::Value;
use engine::protocol::Input;

use super::harness::{GameSession, first_door, options, vm};
use super::scene::{
    SIXTH, WORKS, beat_the_boss, before_the_boss, choice, list, open, piece, relic, said, scene,
    worn,
};

/// SR-3.1, SR-3.6: a scroll teaches a caster its word once, and is burnt; others cannot use it.
#[test]
fn scrolls() {
    let vm = vm();
    let mut able = first_door(&vm, 2, WORKS, "eye", SIXTH);
    able.set("hero.scrolls", list(&["sub_rosa:quicklime"]));
    able.choose("read:quicklime");
    assert!(able.state_value("hero.scrolls").as_list().unwrap().is_empty());
    assert!(able.state_value("hero.words").to_json().contains("quicklime"));
    able.enter_room("wringing_shed");
    assert!(open(&mut able, "cast:quicklime"));
    for (build, experience) in [("blade", SIXTH), ("eye", 0)] {
        let mut unable = first_door(&vm, 2, WORKS, build, experience);
        unable.set("hero.scrolls", list(&["sub_rosa:quicklime"]));
        let closed = choice(&mut unable, "read:quicklime").unwrap().disabled_because;
        assert!(closed.unwrap().contains("paper"));
        unable.enter_room("wringing_shed");
        assert!(choice(&mut unable, "cast:cinder").is_none());
    }
}

/// SR-7.3, SR-7.4: relics are carried asleep, wake in a socket in a rest room, and stay with the
/// profile.
#[test]
fn relics_wake_in_sockets() {
    let vm = vm();
    let kept = (1..=5).map(|n| relic(&format!("relic {n}"))).collect();
    let profile = Value::map_of([("relics", Value::List(kept))]);
    let mut table = GameSession::begin(&vm, 1, options(WORKS, "even", false), profile);
    assert_eq!(scene(&mut table), "kit");
    let four: Vec<String> = (1..=4).map(|n| format!("relic:{n}")).collect();
    assert!(table.prompt().check_answer_input(&Input::Many(four)).is_err(), "three at most");
    table.answer(&Input::Many(vec!["relic:5".to_owned()]));
    let strikes = |table: &mut GameSession<'_>| {
        table.enter_room("counting_room");
        let label = choice(table, "strike").unwrap().odds.unwrap().label;
        table.choose("leave");
        label
    };
    table.set("hero.vigour", Value::Int(30));
    let asleep = strikes(&mut table);
    table.set("hero.worn.weapon.sockets", Value::Int(1));
    table.choose("gear");
    assert!(!open(&mut table, "place:1:weapon"), "not here");
    table.choose("back");
    table.set("hero.vigour", Value::Int(30));
    assert_eq!(strikes(&mut table), asleep, "it does nothing until it is placed");
    table.enter_room("rest_1");
    table.choose("gear");
    table.choose("place:1:weapon");
    table.choose("back");
    table.set("run.rooms.rest_1.doors", list(&["entrance"]));
    table.choose("door:entrance");
    table.set("hero.vigour", Value::Int(30));
    let attack = table.int("hero.stats.ATK") + worn(&table, "ATK");
    assert!(asleep.contains(&format!("ATK {attack} ")), "{asleep}");
    let awake = strikes(&mut table);
    assert!(awake.contains(&format!("ATK {} ", attack + 2)), "{awake}");
}

/// SR-7.1, SR-7.2: after a victory, found pieces may become relics, halved; legendaries may not.
#[test]
fn relics_are_claimed() {
    let vm = vm();
    let mut table = before_the_boss(&vm, 1, 0);
    let bag = [("plain", "common", 1), ("bright", "rare", 3), ("one of a kind", "legendary", 4)];
    let bag = bag.map(|(name, rarity, attack)| piece(name, rarity, attack));
    table.set("hero.bag", Value::List(bag.to_vec()));
    beat_the_boss(&mut table);
    assert_eq!(scene(&mut table), "claim");
    let prompt = table.prompt();
    let offered: Vec<&str> = prompt.choices.iter().map(|choice| &*choice.label).collect();
    assert_eq!(offered, ["bright"]);
    table.answer(&Input::Many(vec![prompt.choices[0].id.clone()]));
    let awarded = table.world.awards();
    let paid: Vec<&str> = awarded.as_map().unwrap().keys().map(|name| &**name).collect();
    assert_eq!(
        paid,
        ["descents", "experience", "places", "relics", "victory"],
        "SR-6.4: nothing else"
    );
    let relics = awarded.get("relics").cloned().unwrap();
    let stats = relics.as_list().unwrap()[0].get("stats").cloned().unwrap();
    assert_eq!(stats, Value::map_of([("ATK", Value::Int(1))]));
    let finished = table.world.run_outcome().unwrap();
    assert_eq!(finished.get("outcome"), Some(&Value::text("victory")));
}

/// SR-6.5: six fit; one more asks which to leave. They are used outside combat or in place of a
/// path.
#[test]
fn the_satchel() {
    let vm = vm();
    let mut table = first_door(&vm, 1, WORKS, "even", 0);
    table.set("hero.satchel", list(&["sub_rosa:candle_stub"; 6]));
    table.enter_room("kindness_1");
    table.choose("accept_1");
    assert_eq!(scene(&mut table), "pickup");
    table.choose("swap:candle_stub");
    assert_eq!(table.state_value("hero.satchel").as_list().unwrap().len(), 6);
    table.set("hero.satchel", list(&["sub_rosa:lamp_oil", "sub_rosa:black_bread"]));
    table.set("hero.vigour", Value::Int(20));
    assert!(!open(&mut table, "item:lamp_oil") && open(&mut table, "item:black_bread"));
    table.set("run.rooms.kindness_1.doors", list(&["counting_room"]));
    table.choose("door:counting_room");
    assert!(open(&mut table, "item:lamp_oil") && !open(&mut table, "item:black_bread"));
    table.clear_intent();
    let told = table.choose("item:lamp_oil");
    assert_eq!(table.int("run.rooms.counting_room.foe.vigour"), 53 - 7);
    assert!(said(&told).contains("answers"), "in place of a path: the foe answers");
    assert_eq!(table.state_value("hero.satchel").as_list().unwrap().len(), 1);
}

/// SR-6.2, SR-7.3: the pickup screen: a find can be worn, and a relic set in it at once.
#[test]
fn the_pickup_screen() {
    let vm = vm();
    let profile = Value::map_of([("relics", Value::List(vec![relic("old nail")]))]);
    let mut table = GameSession::begin(&vm, 1, options(WORKS, "even", false), profile);
    table.answer(&Input::Many(vec!["relic:1".to_owned()]));
    table.enter_room("hoard_1");
    table.choose("take_1");
    assert_eq!(scene(&mut table), "pickup");
    table.choose("place:1:found");
    table.choose("wear");
    assert_eq!(table.state_value("hero.worn.weapon.name"), Value::text("mordant knife"));
    assert_eq!(table.int("hero.worn.weapon.sockets"), 2, "SR-6.3: rare");
    table.set("run.rooms.hoard_1.doors", list(&["counting_room"]));
    table.choose("door:counting_room");
    let attack = table.int("hero.stats.ATK") + 2 + 2 + worn_beside_weapon(&table);
    let label = choice(&mut table, "strike").unwrap().odds.unwrap().label;
    assert!(label.contains(&format!("ATK {attack} ")), "{label}");
}

fn worn_beside_weapon(table: &GameSession<'_>) -> i64 {
    let grants =
        |slot: &str| table.state_value("hero.worn").get(slot)?.get("stats")?.get("ATK")?.as_int();
    ["armor", "accessory"].into_iter().filter_map(grants).sum()
}

/// SR-6.2, SR-9.2: treasure and defeated foes give pieces of the dungeon or general ones, none
/// twice.
#[test]
fn found_gear() {
    let vm = vm();
    let mut rarities = std::collections::BTreeSet::new();
    for seed in 0..40 {
        let mut table = first_door(&vm, seed, WORKS, "even", 0);
        table.enter_room("hoard_2");
        table.choose("take_2");
        let found = table.state_value("run.found.1");
        rarities.insert(found.get("rarity").and_then(Value::as_text).unwrap().to_owned());
        let id = found.get("piece").and_then(Value::as_text).unwrap().to_owned();
        let piece = vm.registry().get("piece", &id).unwrap();
        let home = piece.get("dungeon").and_then(|home| home.as_text());
        assert!(home.is_none_or(|home| home == WORKS), "{id} belongs elsewhere");
        assert_ne!(id, "dye_works:undyed_thread", "the dungeon's own relic is never drawn");
        table.choose("carry");
        assert_eq!(table.state_value("hero.bag").as_list().unwrap().len(), 1);
    }
    assert!(rarities.len() >= 3, "{rarities:?}");
}
