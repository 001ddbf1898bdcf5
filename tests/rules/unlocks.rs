//! Progress between descents and what it unlocks: the page of standings, the tally of a descent,
//! and achievements (SR-1.4, SR-6.4).

use std::collections::{BTreeMap, BTreeSet};

use base::Value;
use protocol::view::Widget;
use script::Vm;

use super::harness::{GameSession, begin_at_first_door, load_test_vm, run_options};
use super::odds_player::plays_to_victory;

/// SR-1.4: every standing up to the twentieth lists its unlock, and no two are equal.
#[test]
fn every_standing_unlocks_something_different() {
    let vm = load_test_vm();
    let profile = Value::map_of([("experience", Value::Int(200))]);
    let page = vm.compute_page("sub_rosa:standing", &profile).unwrap();
    let list = page.widgets.iter().find_map(|placed_widget| match &placed_widget.widget {
        Widget::List { items, .. } => Some(items),
        _ => None,
    });
    let items = list.unwrap();
    assert_eq!(items.len(), 20);
    let notes: Vec<&str> = items.iter().map(|item| &*item.note).collect();
    let unlocking_notes = notes.iter().filter(|note| !note.contains("as at every one"));
    assert!(unlocking_notes.count() >= 15, "{notes:#?}");
    assert!(items[2].label.contains("yours") && notes[2].contains("casting"));
    assert!(notes[4].contains("half moon") && notes[3].contains("hush"));
    assert!(!notes.join(" ").contains("quicklime"), "what must be read is opened by no standing");
}

/// The counts of words and skills, and the range of standings that unlock them.
#[test]
fn words_and_skills_have_required_counts_and_standings() {
    let vm = load_test_vm();
    let standings_of_kind = |kind: &str| -> Vec<i64> {
        let definitions = vm.registry().active_definitions(kind);
        definitions
            .filter_map(|definition| definition.get("standing").and_then(|field| field.as_int()))
            .collect()
    };
    let mut words_by_column = BTreeMap::<String, usize>::new();
    let mut scroll_count = 0;
    for word in vm.registry().active_definitions("spell") {
        let column = word.get("column").and_then(|field| field.as_text()).unwrap();
        *words_by_column.entry(column.to_owned()).or_default() += 1;
        let is_scroll_only = word.get("scroll_only").and_then(|field| field.as_bool()).unwrap();
        scroll_count += usize::from(is_scroll_only);
    }
    assert!(
        words_by_column["attack"] >= 16 && words_by_column["defense"] >= 16,
        "{words_by_column:?}"
    );
    assert!(scroll_count >= 8, "{scroll_count}");
    let (words, skills) = (standings_of_kind("spell"), standings_of_kind("skill"));
    assert_eq!((words.iter().min(), words.iter().max()), (Some(&3), Some(&12)));
    assert!(skills.len() >= 20);
    assert_eq!((skills.iter().min(), skills.iter().max()), (Some(&5), Some(&15)));
}

fn earned_achievements(vm: &Vm, outcome: Value, profile: &Value) -> BTreeSet<String> {
    let run_facts = Value::map_of([("outcome", outcome), ("profile", profile.clone())]);
    let (achieved_ids, problems) = vm.list_achieved(&run_facts, profile);
    assert!(problems.is_empty(), "{}", problems[0]);
    achieved_ids.into_iter().map(|id| id.trim_start_matches("sub_rosa:").to_owned()).collect()
}

/// Facts of an ending, and the tally: ("study", 2) belongs to the tally.
fn ending_value(
    text_facts: &[(&str, &str)],
    number_facts: &[(&str, i64)],
    tally_entries: &[(&str, i64)],
) -> Value {
    let tally =
        tally_entries.iter().map(|(name, tally_count)| ((*name).into(), Value::Int(*tally_count)));
    let mut table = BTreeMap::from([("what_was_done".into(), Value::Map(tally.collect()))]);
    table.extend(text_facts.iter().map(|(name, fact)| ((*name).into(), Value::text(*fact))));
    table.extend(number_facts.iter().map(|(name, number)| ((*name).into(), Value::Int(*number))));
    Value::Map(table)
}

fn profile_with_outcome_everywhere(vm: &Vm, outcome: &str) -> Value {
    let place_record = Value::map_of([(outcome, Value::Int(1))]);
    let place_entries = vm
        .registry()
        .active_definitions("dungeon")
        .map(|place| (place.id.as_str().into(), place_record.clone()));
    Value::map_of([("places", Value::Map(place_entries.collect()))])
}

type AchievementCase<'a> =
    (&'a str, &'a [(&'a str, &'a str)], &'a [(&'a str, i64)], &'a [(&'a str, i64)]);

const VICTORY_FACTS: &[(&str, &str)] = &[("outcome", "victory")];
const PEACE_FACTS: &[(&str, &str)] = &[("outcome", "peace")];

/// Each achievement, and an ending that just earns it.
const ACHIEVEMENT_CASES: &[AchievementCase<'_>] = &[
    ("second_landing", &[("outcome", "victory"), ("size", "medium")], &[], &[]),
    ("long_way_down", &[("outcome", "peace"), ("size", "large")], &[], &[]),
    ("bottom_of_it", &[("outcome", "victory"), ("size", "epic")], &[], &[]),
    ("unread", VICTORY_FACTS, &[], &[("strike", 9)]),
    ("nothing_to_say", VICTORY_FACTS, &[], &[("study", 1)]),
    ("long_conversation", PEACE_FACTS, &[], &[("speak", 10)]),
    ("deep_breath", VICTORY_FACTS, &[], &[("brace", 10)]),
    ("by_heart", VICTORY_FACTS, &[], &[("cast", 12)]),
    (
        "every_way",
        VICTORY_FACTS,
        &[],
        &[
            ("strike", 1),
            ("brace", 1),
            ("speak", 1),
            ("study", 1),
            ("cast", 1),
            ("skill", 1),
            ("item", 1),
        ],
    ),
    ("plain_steel", VICTORY_FACTS, &[], &[("strike", 20), ("room", 3)]),
    ("no_rest", VICTORY_FACTS, &[], &[]),
    ("nobody_at_all", PEACE_FACTS, &[], &[]),
    ("last_inch", VICTORY_FACTS, &[("vigour_left", 3)], &[]),
    ("in_a_draught", VICTORY_FACTS, &[], &[("guttering", 5)]),
    ("whole_casebook", PEACE_FACTS, &[("fragments", 5), ("fragments_hidden", 5)], &[]),
    ("word_then_blade", VICTORY_FACTS, &[], &[("parley", 1), ("decisive", 1)]),
    ("knowing_better", VICTORY_FACTS, &[("fragments", 4)], &[]),
    ("down_to_the_stub", VICTORY_FACTS, &[("breaths_at_first", 2), ("breaths_left", 1)], &[]),
    ("nothing_else_does", VICTORY_FACTS, &[], &[("legendary", 1)]),
    ("three_awake", &[("outcome", "failure")], &[], &[("relic_woken", 3)]),
    ("nothing_used", VICTORY_FACTS, &[], &[("strike", 2)]),
    ("a_reader", &[("outcome", "failure")], &[], &[("scroll", 3)]),
    ("told_by_lamplight", VICTORY_FACTS, &[("standing", 20)], &[]),
    ("first_light", VICTORY_FACTS, &[], &[]),
    ("under_the_rose", PEACE_FACTS, &[], &[]),
    ("every_word", &[("outcome", "failure")], &[("fragments", 4)], &[]),
    ("first_candle", VICTORY_FACTS, &[("breaths_at_first", 2), ("breaths_left", 2)], &[]),
    ("remembered", VICTORY_FACTS, &[("standing", 5)], &[]),
    ("nothing_kept", VICTORY_FACTS, &[("fragments", 0)], &[]),
];

/// There are at least thirty achievements; each can be earned, and a first failure earns none.
#[test]
fn every_achievement_can_be_earned() {
    let vm = load_test_vm();
    let first_run_profile =
        Value::map_of([("descents", Value::Int(1)), ("failure", Value::Int(1))]);
    let failed_ending =
        ending_value(&[("outcome", "failure")], &[("standing", 1)], &[("strike", 3)]);
    assert_eq!(earned_achievements(&vm, failed_ending, &first_run_profile), BTreeSet::new());
    let mut covered_ids = BTreeSet::new();
    for (id, text_facts, number_facts, tally_entries) in ACHIEVEMENT_CASES {
        let earned_ids = earned_achievements(
            &vm,
            ending_value(text_facts, number_facts, tally_entries),
            &first_run_profile,
        );
        assert!(earned_ids.contains(*id), "{id}: {earned_ids:?}");
        covered_ids.insert((*id).to_owned());
    }
    let ironman_achievements = |outcome: &str| {
        let Value::Map(mut table) =
            ending_value(&[("outcome", outcome), ("size", "epic")], &[], &[])
        else {
            unreachable!("an ending is a table")
        };
        table.insert("ironman".into(), Value::Bool(true));
        earned_achievements(&vm, Value::Map(table), &first_run_profile)
    };
    let (won_ids, peace_ids) = (ironman_achievements("victory"), ironman_achievements("peace"));
    assert!(won_ids.contains("one_breath") && won_ids.contains("one_candle_down"), "{won_ids:?}");
    assert!(peace_ids.contains("not_one_too_many"), "{peace_ids:?}");
    let place_achievements = |outcome: &str| {
        earned_achievements(
            &vm,
            ending_value(&[], &[], &[]),
            &profile_with_outcome_everywhere(&vm, outcome),
        )
    };
    assert!(place_achievements("victory").contains("every_door"));
    assert!(place_achievements("peace").contains("nothing_repeated"));
    let long_profile = Value::map_of([
        ("relics", Value::List(vec![Value::map(); 10])),
        ("failure", Value::Int(3)),
        ("descents", Value::Int(4)),
    ]);
    let long_profile_ids =
        earned_achievements(&vm, ending_value(&[("outcome", "failure")], &[], &[]), &long_profile);
    assert!(
        long_profile_ids.contains("drawer_of_its_own")
            && long_profile_ids.contains("taught_by_the_stairs")
    );
    covered_ids.extend(won_ids.into_iter().chain(peace_ids).chain(long_profile_ids));
    covered_ids
        .extend(place_achievements("victory").into_iter().chain(place_achievements("peace")));
    // Achievements of places are tested below.
    let achievements = vm
        .registry()
        .active_definitions("achievement")
        .filter(|definition| !definition.place.file.contains("dungeons/"));
    let achievement_ids: BTreeSet<String> = achievements
        .map(|definition| definition.id.as_str().trim_start_matches("sub_rosa:").to_owned())
        .collect();
    assert!(achievement_ids.len() >= 30, "{}", achievement_ids.len());
    assert_eq!(covered_ids, achievement_ids, "each of them is shown here");
}

/// Achievements of a place: the place, an ending there that just earns it, the foes that must have
/// fallen, and an ending that falls short.
type PlaceAchievementCase<'a> = (&'a str, &'a str, (&'a str, i64), &'a [&'a str], (&'a str, i64));

const PLACE_ACHIEVEMENT_CASES: &[PlaceAchievementCase<'_>] = &[
    ("by_hand", "pledge_house", ("peace", 4), &[], ("victory", 4)),
    ("nothing_mislaid", "pledge_house", ("failure", 5), &[], ("peace", 4)),
    ("no_performance", "playhouse", ("peace", 4), &[], ("victory", 9)),
    (
        "stalls_and_gallery",
        "playhouse",
        ("failure", 0),
        &["the gallery", "the man from the Courier"],
        ("victory", 9),
    ),
];

/// Achievements of a place are earned only there; their names exist in its rooms.
#[test]
fn a_place_achievement_is_earned_only_at_that_place() {
    let vm = load_test_vm();
    let definition_name = |kind: &str, id: &str| -> String {
        let definition = vm.registry().get(kind, &format!("sub_rosa:{id}")).unwrap();
        definition.get("name").and_then(|name| name.as_text()).unwrap().to_owned()
    };
    let earned_at_place = |place: &str, (outcome, fragment_count): (&str, i64), foes: &[&str]| {
        let facts = [("outcome", outcome), ("dungeon", place)];
        let Value::Map(mut table) = ending_value(&facts, &[("fragments", fragment_count)], &[])
        else {
            unreachable!("an ending is a table")
        };
        let fallen_foes = foes.iter().map(|name| Value::text(*name)).collect();
        table.insert("foes_fallen".into(), Value::List(fallen_foes));
        earned_achievements(&vm, Value::Map(table), &Value::map())
    };
    for (id, place, sufficient_ending, foes, insufficient_ending) in PLACE_ACHIEVEMENT_CASES {
        let name = definition_name("dungeon", place);
        assert!(earned_at_place(&name, *sufficient_ending, foes).contains(*id), "{id}");
        assert!(
            !earned_at_place(&definition_name("dungeon", "ice_house"), *sufficient_ending, foes)
                .contains(*id),
            "{id}"
        );
        let fewer_foes = &foes[..foes.len().saturating_sub(1)];
        assert!(
            !earned_at_place(&name, *insufficient_ending, fewer_foes).contains(*id),
            "{id} for less than it says"
        );
        for foe in *foes {
            let file = format!("dungeons/{place}/");
            let place_foes = vm
                .registry()
                .active_definitions("foe")
                .filter(|definition| definition.place.file.contains(&file));
            let names = place_foes
                .filter_map(|definition| definition.get("name").and_then(|name| name.as_text()));
            assert!(names.into_iter().any(|name| name == *foe), "{foe} is no foe of {name}");
        }
    }
    let achievements = vm
        .registry()
        .active_definitions("achievement")
        .filter(|definition| definition.place.file.contains("dungeons/"));
    let achievement_ids: BTreeSet<&str> = achievements
        .map(|definition| definition.id.as_str().trim_start_matches("sub_rosa:"))
        .collect();
    let covered_ids = PLACE_ACHIEVEMENT_CASES.iter().map(|(id, ..)| *id).collect();
    assert_eq!(achievement_ids, covered_ids, "each of them is shown here");
}

/// Played descents record enough for them.
#[test]
fn played_descents_record_tallies_for_achievements() {
    let vm = load_test_vm();
    let mut earned_ids = BTreeSet::new();
    for seed in 0..6 {
        let build = ["blade", "eye"][seed as usize % 2];
        let profile = Value::map_of([("experience", Value::Int(4_000))]);
        let place = ["sub_rosa:ice_house", "dye_works:dye_works"][seed as usize % 2];
        let mut session = GameSession::begin(&vm, seed, run_options(place, build, false), profile);
        plays_to_victory(&mut session);
        let outcome = session.world.run_outcome().unwrap().clone();
        let tally = outcome.get("what_was_done").unwrap();
        let tally_count = |name: &str| tally.get(name).and_then(Value::as_int).unwrap_or(0);
        let rolls = session.events.iter().filter(
            |event| matches!(event, protocol::StoryEvent::Roll(roll) if roll.label == "strike"),
        );
        assert_eq!(tally_count("strike"), rolls.count() as i64, "each strike once");
        let place_awards = session.world.award_so_far().get("places").cloned().unwrap();
        assert!(place_awards.to_json().contains(place));
        earned_ids.extend(earned_achievements(&vm, outcome, &Value::map()));
    }
    assert!(
        earned_ids.contains("first_light") && earned_ids.contains("remembered"),
        "{earned_ids:?}"
    );
    assert!(earned_ids.len() >= 6, "{earned_ids:?}");
}

/// "Nobody at all" is possible: some maps lead from the first door to the last past four fragments
/// without a foe that must fall.
#[test]
fn some_maps_can_be_crossed_without_a_fight() {
    let vm = load_test_vm();
    let seed_without_fight = (0..200).find(|seed| {
        let session = begin_at_first_door(&vm, *seed, "sub_rosa:ice_house", "even", 0);
        let rooms = session.state_value("run.rooms");
        let text_field = |room: &Value, name: &str| {
            room.get(name).and_then(Value::as_text).unwrap_or_default().to_owned()
        };
        let (mut visited_ids, mut open_rooms) =
            (BTreeSet::from(["entrance".to_owned()]), vec!["entrance".to_owned()]);
        let mut fragments = 0;
        while let Some(room_id) = open_rooms.pop() {
            let room = rooms.get(&room_id).unwrap();
            fragments += usize::from(room.get("fragment").is_some());
            for door in room.get("doors").unwrap().as_list().unwrap() {
                let door = door.as_text().unwrap().to_owned();
                if text_field(rooms.get(&door).unwrap(), "kind") != "foe"
                    && visited_ids.insert(door.clone())
                {
                    open_rooms.push(door);
                }
            }
        }
        let boss_room =
            rooms.as_map().unwrap().iter().find(|(_, room)| text_field(room, "kind") == "boss");
        fragments >= 4 && visited_ids.contains(&*boss_room.unwrap().0.to_string())
    });
    assert!(seed_without_fight.is_some(), "no map of two hundred");
}
