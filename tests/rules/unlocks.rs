//! Progress between descents and what it unlocks: the page of standings, the tally of a descent,
//! and achievements (SR-1.4, SR-6.4).

use std::collections::{BTreeMap, BTreeSet};

use engine::base::Value;
use engine::protocol::view::Widget;
use engine::script::Vm;

use super::harness::{GameSession, first_door, options, vm};
use super::odds_player::plays_to_victory;

/// SR-1.4: every standing up to the twentieth lists its unlock, and no two are equal.
#[test]
fn every_standing_opens_something() {
    let vm = vm();
    let kept = Value::map_of([("experience", Value::Int(200))]);
    let page = vm.page("sub_rosa:standing", &kept).unwrap();
    let list = page.widgets.iter().find_map(|placed| match &placed.widget {
        Widget::List { items, .. } => Some(items),
        _ => None,
    });
    let items = list.unwrap();
    assert_eq!(items.len(), 20);
    let notes: Vec<&str> = items.iter().map(|item| &*item.note).collect();
    let opening = notes.iter().filter(|note| !note.contains("as at every one"));
    assert!(opening.count() >= 15, "{notes:#?}");
    assert!(items[2].label.contains("yours") && notes[2].contains("casting"));
    assert!(notes[4].contains("half moon") && notes[3].contains("hush"));
    assert!(!notes.join(" ").contains("quicklime"), "what must be read is opened by no standing");
}

/// The counts of words and skills, and the range of standings that unlock them.
#[test]
fn words_and_skills_are_many() {
    let vm = vm();
    let standings = |kind: &str| -> Vec<i64> {
        let all = vm.registry().active_definitions(kind);
        all.filter_map(|one| one.get("standing").and_then(|field| field.as_int())).collect()
    };
    let mut columns = BTreeMap::<String, usize>::new();
    let mut scrolls = 0;
    for word in vm.registry().active_definitions("spell") {
        let column = word.get("column").and_then(|field| field.as_text()).unwrap();
        *columns.entry(column.to_owned()).or_default() += 1;
        let only = word.get("scroll_only").and_then(|field| field.as_bool()).unwrap();
        scrolls += usize::from(only);
    }
    assert!(columns["attack"] >= 16 && columns["defense"] >= 16, "{columns:?}");
    assert!(scrolls >= 8, "{scrolls}");
    let (words, skills) = (standings("spell"), standings("skill"));
    assert_eq!((words.iter().min(), words.iter().max()), (Some(&3), Some(&12)));
    assert!(skills.len() >= 20);
    assert_eq!((skills.iter().min(), skills.iter().max()), (Some(&5), Some(&15)));
}

fn earned(vm: &Vm, outcome: Value, kept: &Value) -> BTreeSet<String> {
    let seen = Value::map_of([("outcome", outcome), ("profile", kept.clone())]);
    let (done, problems) = vm.list_achieved(&seen, kept);
    assert!(problems.is_empty(), "{}", problems[0]);
    done.into_iter().map(|id| id.trim_start_matches("sub_rosa:").to_owned()).collect()
}

/// Facts of an ending, and the tally: ("study", 2) belongs to the tally.
fn ending(facts: &[(&str, &str)], numbers: &[(&str, i64)], done: &[(&str, i64)]) -> Value {
    let tally = done.iter().map(|(name, count)| ((*name).into(), Value::Int(*count)));
    let mut table = BTreeMap::from([("what_was_done".into(), Value::Map(tally.collect()))]);
    table.extend(facts.iter().map(|(name, fact)| ((*name).into(), Value::text(*fact))));
    table.extend(numbers.iter().map(|(name, number)| ((*name).into(), Value::Int(*number))));
    Value::Map(table)
}

fn places(vm: &Vm, outcome: &str) -> Value {
    let once = Value::map_of([(outcome, Value::Int(1))]);
    let each = vm
        .registry()
        .active_definitions("dungeon")
        .map(|place| (place.id.as_str().into(), once.clone()));
    Value::map_of([("places", Value::Map(each.collect()))])
}

type Case<'a> = (&'a str, &'a [(&'a str, &'a str)], &'a [(&'a str, i64)], &'a [(&'a str, i64)]);

const WON: &[(&str, &str)] = &[("outcome", "victory")];
const PEACE: &[(&str, &str)] = &[("outcome", "peace")];

/// Each achievement, and an ending that just earns it.
const ENOUGH: &[Case<'_>] = &[
    ("second_landing", &[("outcome", "victory"), ("size", "medium")], &[], &[]),
    ("long_way_down", &[("outcome", "peace"), ("size", "large")], &[], &[]),
    ("bottom_of_it", &[("outcome", "victory"), ("size", "epic")], &[], &[]),
    ("unread", WON, &[], &[("strike", 9)]),
    ("nothing_to_say", WON, &[], &[("study", 1)]),
    ("long_conversation", PEACE, &[], &[("speak", 10)]),
    ("deep_breath", WON, &[], &[("brace", 10)]),
    ("by_heart", WON, &[], &[("cast", 12)]),
    (
        "every_way",
        WON,
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
    ("plain_steel", WON, &[], &[("strike", 20), ("room", 3)]),
    ("no_rest", WON, &[], &[]),
    ("nobody_at_all", PEACE, &[], &[]),
    ("last_inch", WON, &[("vigour_left", 3)], &[]),
    ("in_a_draught", WON, &[], &[("guttering", 5)]),
    ("whole_casebook", PEACE, &[("fragments", 5), ("fragments_hidden", 5)], &[]),
    ("word_then_blade", WON, &[], &[("parley", 1), ("decisive", 1)]),
    ("knowing_better", WON, &[("fragments", 4)], &[]),
    ("down_to_the_stub", WON, &[("breaths_at_first", 2), ("breaths_left", 1)], &[]),
    ("nothing_else_does", WON, &[], &[("legendary", 1)]),
    ("three_awake", &[("outcome", "failure")], &[], &[("relic_woken", 3)]),
    ("nothing_used", WON, &[], &[("strike", 2)]),
    ("a_reader", &[("outcome", "failure")], &[], &[("scroll", 3)]),
    ("told_by_lamplight", WON, &[("standing", 20)], &[]),
    ("first_light", WON, &[], &[]),
    ("under_the_rose", PEACE, &[], &[]),
    ("every_word", &[("outcome", "failure")], &[("fragments", 4)], &[]),
    ("first_candle", WON, &[("breaths_at_first", 2), ("breaths_left", 2)], &[]),
    ("remembered", WON, &[("standing", 5)], &[]),
    ("nothing_kept", WON, &[("fragments", 0)], &[]),
];

/// There are at least thirty achievements; each can be earned, and a first failure earns none.
#[test]
fn what_is_worth_having_done_can_be_done() {
    let vm = vm();
    let nothing = Value::map_of([("descents", Value::Int(1)), ("failure", Value::Int(1))]);
    let failed = ending(&[("outcome", "failure")], &[("standing", 1)], &[("strike", 3)]);
    assert_eq!(earned(&vm, failed, &nothing), BTreeSet::new());
    let mut shown = BTreeSet::new();
    for (id, facts, numbers, done) in ENOUGH {
        let earned = earned(&vm, ending(facts, numbers, done), &nothing);
        assert!(earned.contains(*id), "{id}: {earned:?}");
        shown.insert((*id).to_owned());
    }
    let ironman = |outcome: &str| {
        let Value::Map(mut table) = ending(&[("outcome", outcome), ("size", "epic")], &[], &[])
        else {
            unreachable!("an ending is a table")
        };
        table.insert("ironman".into(), Value::Bool(true));
        earned(&vm, Value::Map(table), &nothing)
    };
    let (won, peace) = (ironman("victory"), ironman("peace"));
    assert!(won.contains("one_breath") && won.contains("one_candle_down"), "{won:?}");
    assert!(peace.contains("not_one_too_many"), "{peace:?}");
    let of_places = |outcome: &str| earned(&vm, ending(&[], &[], &[]), &places(&vm, outcome));
    assert!(of_places("victory").contains("every_door"));
    assert!(of_places("peace").contains("nothing_repeated"));
    let kept = Value::map_of([
        ("relics", Value::List(vec![Value::map(); 10])),
        ("failure", Value::Int(3)),
        ("descents", Value::Int(4)),
    ]);
    let long = earned(&vm, ending(&[("outcome", "failure")], &[], &[]), &kept);
    assert!(long.contains("drawer_of_its_own") && long.contains("taught_by_the_stairs"));
    shown.extend(won.into_iter().chain(peace).chain(long));
    shown.extend(of_places("victory").into_iter().chain(of_places("peace")));
    // Achievements of places are tested below.
    let all = vm
        .registry()
        .active_definitions("achievement")
        .filter(|one| !one.place.file.contains("dungeons/"));
    let all: BTreeSet<String> =
        all.map(|one| one.id.as_str().trim_start_matches("sub_rosa:").to_owned()).collect();
    assert!(all.len() >= 30, "{}", all.len());
    assert_eq!(shown, all, "each of them is shown here");
}

/// Achievements of a place: the place, an ending there that just earns it, the foes that must have
/// fallen, and an ending that falls short.
type OfPlace<'a> = (&'a str, &'a str, (&'a str, i64), &'a [&'a str], (&'a str, i64));

const ACHIEVEMENTS_OF_PLACES: &[OfPlace<'_>] = &[
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
fn what_is_worth_having_done_in_one_place_is_earned_there_only() {
    let vm = vm();
    let text = |kind: &str, id: &str| -> String {
        let found = vm.registry().get(kind, &format!("sub_rosa:{id}")).unwrap();
        found.get("name").and_then(|name| name.as_text()).unwrap().to_owned()
    };
    let end = |place: &str, (outcome, found): (&str, i64), foes: &[&str]| {
        let facts = [("outcome", outcome), ("dungeon", place)];
        let Value::Map(mut table) = ending(&facts, &[("fragments", found)], &[]) else {
            unreachable!("an ending is a table")
        };
        let fallen = foes.iter().map(|name| Value::text(*name)).collect();
        table.insert("foes_fallen".into(), Value::List(fallen));
        earned(&vm, Value::Map(table), &Value::map())
    };
    for (id, place, enough, foes, short) in ACHIEVEMENTS_OF_PLACES {
        let name = text("dungeon", place);
        assert!(end(&name, *enough, foes).contains(*id), "{id}");
        assert!(!end(&text("dungeon", "ice_house"), *enough, foes).contains(*id), "{id}");
        let fewer = &foes[..foes.len().saturating_sub(1)];
        assert!(!end(&name, *short, fewer).contains(*id), "{id} for less than it says");
        for foe in *foes {
            let file = format!("dungeons/{place}/");
            let of_place = vm
                .registry()
                .active_definitions("foe")
                .filter(|one| one.place.file.contains(&file));
            let names = of_place.filter_map(|one| one.get("name").and_then(|name| name.as_text()));
            assert!(names.into_iter().any(|name| name == *foe), "{foe} is no foe of {name}");
        }
    }
    let all = vm
        .registry()
        .active_definitions("achievement")
        .filter(|one| one.place.file.contains("dungeons/"));
    let all: BTreeSet<&str> =
        all.map(|one| one.id.as_str().trim_start_matches("sub_rosa:")).collect();
    let shown = ACHIEVEMENTS_OF_PLACES.iter().map(|(id, ..)| *id).collect();
    assert_eq!(all, shown, "each of them is shown here");
}

/// Played descents record enough for them.
#[test]
fn descents_are_counted_as_they_are_played() {
    let vm = vm();
    let mut met = BTreeSet::new();
    for seed in 0..6 {
        let build = ["blade", "eye"][seed as usize % 2];
        let profile = Value::map_of([("experience", Value::Int(4_000))]);
        let place = ["sub_rosa:ice_house", "dye_works:dye_works"][seed as usize % 2];
        let mut table = GameSession::begin(&vm, seed, options(place, build, false), profile);
        plays_to_victory(&mut table);
        let outcome = table.world.run_outcome().unwrap().clone();
        let tally = outcome.get("what_was_done").unwrap();
        let count = |name: &str| tally.get(name).and_then(Value::as_int).unwrap_or(0);
        let rolls = table.told.iter().filter(
            |event| matches!(event, engine::protocol::StoryEvent::Roll(roll) if roll.label == "strike"),
        );
        assert_eq!(count("strike"), rolls.count() as i64, "each strike once");
        let places = table.world.awards().get("places").cloned().unwrap();
        assert!(places.to_json().contains(place));
        met.extend(earned(&vm, outcome, &Value::map()));
    }
    assert!(met.contains("first_light") && met.contains("remembered"), "{met:?}");
    assert!(met.len() >= 6, "{met:?}");
}

/// "Nobody at all" is possible: some maps lead from the first door to the last past four fragments
/// without a foe that must fall.
#[test]
fn some_maps_can_be_crossed_with_nobody_struck() {
    let vm = vm();
    let found = (0..200).find(|seed| {
        let table = first_door(&vm, *seed, "sub_rosa:ice_house", "even", 0);
        let rooms = table.state_value("run.rooms");
        let text = |room: &Value, name: &str| {
            room.get(name).and_then(Value::as_text).unwrap_or_default().to_owned()
        };
        let (mut seen, mut open) =
            (BTreeSet::from(["entrance".to_owned()]), vec!["entrance".to_owned()]);
        let mut fragments = 0;
        while let Some(here) = open.pop() {
            let room = rooms.get(&here).unwrap();
            fragments += usize::from(room.get("fragment").is_some());
            for door in room.get("doors").unwrap().as_list().unwrap() {
                let door = door.as_text().unwrap().to_owned();
                if text(rooms.get(&door).unwrap(), "kind") != "foe" && seen.insert(door.clone()) {
                    open.push(door);
                }
            }
        }
        let last = rooms.as_map().unwrap().iter().find(|(_, room)| text(room, "kind") == "boss");
        fragments >= 4 && seen.contains(&*last.unwrap().0.to_string())
    });
    assert!(found.is_some(), "no map of two hundred");
}
