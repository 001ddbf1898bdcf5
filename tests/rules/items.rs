//! Gear, consumables, finds and stored items, one row at a time (sections 6 and 7).

use base::Value;
use protocol::{AnswerType, Input};

use super::harness::{GameSession, begin_at_first_door, load_test_vm, run_options};
use super::scene::{
    DYE_WORKS, SIXTH_STANDING_EXPERIENCE, defeat_boss, events_text, find_choice, gear_piece,
    is_choice_enabled, relic_value, scene_name, session_before_boss, text_list, worn_stat_bonus,
};

/// SR-3.1, SR-3.6: a scroll teaches a caster its word once, and is burnt; others cannot use it.
#[test]
fn scrolls_teach_casters_a_word_once() {
    let vm = load_test_vm();
    let mut caster = begin_at_first_door(&vm, 2, DYE_WORKS, "eye", SIXTH_STANDING_EXPERIENCE);
    caster.set("hero.scrolls", text_list(&["sub_rosa:quicklime"]));
    caster.choose("read:quicklime");
    assert!(caster.state_value("hero.scrolls").as_list().unwrap().is_empty());
    assert!(caster.state_value("hero.words").to_json().contains("quicklime"));
    caster.enter_room("wringing_shed");
    assert!(is_choice_enabled(&mut caster, "cast:quicklime"));
    for (build, experience) in [("blade", SIXTH_STANDING_EXPERIENCE), ("eye", 0)] {
        let mut non_caster = begin_at_first_door(&vm, 2, DYE_WORKS, build, experience);
        non_caster.set("hero.scrolls", text_list(&["sub_rosa:quicklime"]));
        let disabled_because =
            find_choice(&mut non_caster, "read:quicklime").unwrap().disabled_because;
        assert!(disabled_because.unwrap().contains("paper"));
        non_caster.enter_room("wringing_shed");
        assert!(find_choice(&mut non_caster, "cast:cinder").is_none());
    }
}

/// SR-7.3, SR-7.4: relics are carried asleep, wake in a socket in a rest room, and stay with the
/// profile.
#[test]
fn relics_work_only_in_a_socket_set_in_a_rest_room() {
    let vm = load_test_vm();
    let relics = (1..=5).map(|number| relic_value(&format!("relic {number}"))).collect();
    let profile = Value::map_of([("relics", Value::List(relics))]);
    let mut session = GameSession::begin(&vm, 1, run_options(DYE_WORKS, "even", false), profile);
    assert_eq!(scene_name(&mut session), "kit");
    let four_relic_ids: Vec<String> = (1..=4).map(|number| format!("relic:{number}")).collect();
    assert!(session.prompt().accept(Input::Choices(four_relic_ids)).is_err(), "three at most");
    session.answer(&Input::Choices(vec!["relic:5".to_owned()]));
    let strike_odds_label = |session: &mut GameSession<'_>| {
        session.enter_room("counting_room");
        let label = find_choice(session, "strike").unwrap().odds.unwrap().label;
        session.choose("leave");
        label
    };
    session.set("hero.vigour", Value::Int(30));
    let label_before = strike_odds_label(&mut session);
    session.set("hero.worn.weapon.sockets", Value::Int(1));
    session.choose("gear");
    assert!(!is_choice_enabled(&mut session, "place:1:weapon"), "not here");
    session.choose("back");
    session.set("hero.vigour", Value::Int(30));
    assert_eq!(strike_odds_label(&mut session), label_before, "it does nothing until it is placed");
    session.enter_room("rest_1");
    session.choose("gear");
    session.choose("place:1:weapon");
    session.choose("back");
    session.set("run.rooms.rest_1.doors", text_list(&["entrance"]));
    session.choose("door:entrance");
    session.set("hero.vigour", Value::Int(30));
    let attack = session.int("hero.stats.ATK") + worn_stat_bonus(&session, "ATK");
    assert!(label_before.contains(&format!("ATK {attack} ")), "{label_before}");
    let label_after = strike_odds_label(&mut session);
    assert!(label_after.contains(&format!("ATK {} ", attack + 2)), "{label_after}");
}

/// SR-7.1, SR-7.2: after a victory, found pieces may become relics, halved; legendaries may not.
#[test]
fn a_victory_lets_found_pieces_become_relics() {
    let vm = load_test_vm();
    let mut session = session_before_boss(&vm, 1, 0);
    let bag_pieces =
        [("plain", "common", 1), ("bright", "rare", 3), ("one of a kind", "legendary", 4)];
    let bag_pieces = bag_pieces.map(|(name, rarity, attack)| gear_piece(name, rarity, attack));
    session.set("hero.bag", Value::List(bag_pieces.to_vec()));
    defeat_boss(&mut session);
    assert_eq!(scene_name(&mut session), "claim");
    let prompt = session.prompt();
    let offered_labels: Vec<&str> = prompt.choices.iter().map(|choice| &*choice.label).collect();
    assert_eq!(offered_labels, ["bright", "Take nothing home"]);
    let one_choice = AnswerType::MultipleChoice { min: 1, max: 1 };
    assert_eq!(prompt.answer_type, one_choice, "nothing is taken only where that is said");
    session.answer(&Input::Choices(vec![prompt.choices[0].id.clone()]));
    let awards = session.world.award_so_far();
    let award_names: Vec<&str> = awards.as_map().unwrap().keys().map(|name| &**name).collect();
    assert_eq!(
        award_names,
        ["descents", "experience", "places", "relics", "victory"],
        "SR-6.4: nothing else"
    );
    let relics = awards.get("relics").cloned().unwrap();
    let stats = relics.as_list().unwrap()[0].get("stats").cloned().unwrap();
    assert_eq!(stats, Value::map_of([("ATK", Value::Int(1))]));
    let run_outcome = session.world.run_outcome().unwrap();
    assert_eq!(run_outcome.get("outcome"), Some(&Value::text("victory")));
}

/// SR-6.5: six fit; one more asks which to leave. They are used outside combat or in place of a
/// path.
#[test]
fn the_satchel_holds_six_consumables() {
    let vm = load_test_vm();
    let mut session = begin_at_first_door(&vm, 1, DYE_WORKS, "even", 0);
    session.set("hero.satchel", text_list(&["sub_rosa:candle_stub"; 6]));
    session.enter_room("kindness_1");
    session.choose("accept_1");
    assert_eq!(scene_name(&mut session), "pickup");
    session.choose("swap:candle_stub");
    assert_eq!(session.state_value("hero.satchel").as_list().unwrap().len(), 6);
    session.set("hero.satchel", text_list(&["sub_rosa:lamp_oil", "sub_rosa:black_bread"]));
    session.set("hero.vigour", Value::Int(20));
    assert!(
        !is_choice_enabled(&mut session, "item:lamp_oil")
            && is_choice_enabled(&mut session, "item:black_bread")
    );
    session.set("run.rooms.kindness_1.doors", text_list(&["counting_room"]));
    session.choose("door:counting_room");
    assert!(
        is_choice_enabled(&mut session, "item:lamp_oil")
            && !is_choice_enabled(&mut session, "item:black_bread")
    );
    session.clear_intent();
    let events = session.choose("item:lamp_oil");
    assert_eq!(session.int("run.rooms.counting_room.foe.vigour"), 53 - 7);
    assert!(events_text(&events).contains("answers"), "in place of a path: the foe answers");
    assert_eq!(session.state_value("hero.satchel").as_list().unwrap().len(), 1);
}

/// SR-6.2, SR-7.3: the pickup screen: a find can be worn, and a relic set in it at once.
#[test]
fn a_find_can_be_worn_with_a_relic_set_in_it() {
    let vm = load_test_vm();
    let profile = Value::map_of([("relics", Value::List(vec![relic_value("old nail")]))]);
    let mut session = GameSession::begin(&vm, 1, run_options(DYE_WORKS, "even", false), profile);
    session.answer(&Input::Choices(vec!["relic:1".to_owned()]));
    session.enter_room("hoard_1");
    session.choose("take_1");
    assert_eq!(scene_name(&mut session), "pickup");
    session.choose("place:1:found");
    session.choose("wear");
    assert_eq!(session.state_value("hero.worn.weapon.name"), Value::text("mordant knife"));
    assert_eq!(session.int("hero.worn.weapon.sockets"), 2, "SR-6.3: rare");
    session.set("run.rooms.hoard_1.doors", text_list(&["counting_room"]));
    session.choose("door:counting_room");
    let attack = session.int("hero.stats.ATK") + 2 + 2 + attack_bonus_besides_weapon(&session);
    let label = find_choice(&mut session, "strike").unwrap().odds.unwrap().label;
    assert!(label.contains(&format!("ATK {attack} ")), "{label}");
}

fn attack_bonus_besides_weapon(session: &GameSession<'_>) -> i64 {
    let slot_bonus =
        |slot: &str| session.state_value("hero.worn").get(slot)?.get("stats")?.get("ATK")?.as_int();
    ["armor", "accessory"].into_iter().filter_map(slot_bonus).sum()
}

/// SR-6.2, SR-9.2: treasure and defeated foes give pieces of the dungeon or general ones, none
/// twice.
#[test]
fn found_gear_belongs_to_its_dungeon_or_to_all() {
    let vm = load_test_vm();
    let mut rarities = std::collections::BTreeSet::new();
    for seed in 0..40 {
        let mut session = begin_at_first_door(&vm, seed, DYE_WORKS, "even", 0);
        session.enter_room("hoard_2");
        session.choose("take_2");
        let piece_value = session.state_value("run.found.1");
        rarities.insert(piece_value.get("rarity").and_then(Value::as_text).unwrap().to_owned());
        let id = piece_value.get("piece").and_then(Value::as_text).unwrap().to_owned();
        let piece = vm.registry().get("piece", &id).unwrap();
        let home_dungeon = piece.get("dungeon").and_then(|home| home.as_text());
        assert!(
            home_dungeon.is_none_or(|home_dungeon| home_dungeon == DYE_WORKS),
            "{id} belongs elsewhere"
        );
        assert_ne!(id, "dye_works:undyed_thread", "the dungeon's own relic is never drawn");
        session.choose("carry");
        assert_eq!(session.state_value("hero.bag").as_list().unwrap().len(), 1);
    }
    assert!(rarities.len() >= 3, "{rarities:?}");
}
