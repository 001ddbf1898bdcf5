//! Content drawn before the first door: maps, fragments, gear, words, skills (SR-3.5, SR-4.1,
//! SR-6.1, SR-8.1, SR-9.1, SR-9.2, SR-9.5).

use std::collections::{BTreeMap, BTreeSet};

use base::Value;

use super::harness::{GameSession, begin_at_first_door, load_test_vm};

const DUNGEONS: [(&str, usize, usize); 2] =
    [("sub_rosa:ice_house", 12, 5), ("dye_works:dye_works", 18, 6)];

fn text_field<'a>(value: &'a Value, name: &str) -> &'a str {
    value.get(name).and_then(Value::as_text).unwrap()
}

fn door_ids(room: &Value) -> Vec<&str> {
    room.get("doors").unwrap().as_list().unwrap().iter().filter_map(Value::as_text).collect()
}

/// The rooms reachable without entering `is_barred`.
fn reachable_rooms<'a>(
    rooms: &BTreeMap<&'a str, &'a Value>,
    is_barred: &dyn Fn(&Value) -> bool,
) -> BTreeSet<&'a str> {
    let (mut visited_ids, mut open_rooms) = (BTreeSet::from(["entrance"]), vec!["entrance"]);
    while let Some(room_id) = open_rooms.pop() {
        if is_barred(rooms[room_id]) {
            continue;
        }
        for door in door_ids(rooms[room_id]) {
            let (door, _) = rooms.get_key_value(door).unwrap();
            if visited_ids.insert(*door) {
                open_rooms.push(door);
            }
        }
    }
    visited_ids
}

/// SR-9.1, SR-9.2, SR-8.1
#[test]
fn maps_are_connected_with_required_rooms() {
    let vm = load_test_vm();
    for (dungeon, room_count, fragment_count) in DUNGEONS {
        let mut map_texts = BTreeSet::new();
        for seed in 0..60 {
            let session = begin_at_first_door(&vm, seed, dungeon, "even", 0);
            let run = session.state_value("run");
            let rooms_map = run.get("rooms").unwrap().as_map().unwrap();
            let rooms: BTreeMap<&str, &Value> =
                rooms_map.iter().map(|(id, room)| (&**id, room)).collect();
            assert_eq!(rooms.len(), room_count + 1, "the entrance is no room");
            assert_eq!(
                reachable_rooms(&rooms, &|_| false).len(),
                room_count + 1,
                "every room can be reached"
            );
            let kinds: Vec<&str> = rooms.values().map(|room| text_field(room, "kind")).collect();
            let count_kind =
                |kind: &str| kinds.iter().filter(|room_kind| **room_kind == kind).count();
            assert_eq!(count_kind("boss"), 1);
            assert!(count_kind("rest") >= room_count / 9);
            for kind in ["foe", "check", "puzzle", "treasure", "gift"] {
                assert!(count_kind(kind) >= 1, "{dungeon}, seed {seed}: no {kind}");
            }
            // Every way to the boss passes a rest room.
            let without_rest = reachable_rooms(&rooms, &|room| text_field(room, "kind") == "rest");
            let boss = rooms.iter().find(|(_, room)| text_field(room, "kind") == "boss").unwrap();
            assert!(!without_rest.contains(boss.0), "a rest before the boss");
            // Real choice: at the entrance, and in most rooms on the way down.
            assert!(door_ids(rooms["entrance"]).len() >= 2);
            let depth = |room: &Value| room.get("depth").and_then(Value::as_int).unwrap();
            let onward_door_count = |room: &Value| {
                door_ids(room).iter().filter(|door| depth(rooms[*door]) > depth(room)).count()
            };
            let rooms_with_choice =
                rooms.values().filter(|room| onward_door_count(room) >= 2).count();
            assert!(
                rooms_with_choice >= 3,
                "{dungeon}, seed {seed}: {rooms_with_choice} rooms offer a choice onward"
            );
            for (id, room) in &rooms {
                for door in door_ids(room) {
                    assert!(door_ids(rooms[door]).contains(id), "doors go both ways");
                }
            }
            let fragment_ids: Vec<&str> =
                rooms.values().filter_map(|room| room.get("fragment")?.as_text()).collect();
            assert_eq!(fragment_ids.len(), fragment_count);
            assert_eq!(
                fragment_ids.iter().collect::<BTreeSet<_>>().len(),
                fragment_count,
                "each once"
            );
            map_texts.insert(run.get("rooms").unwrap().to_json());
        }
        assert!(map_texts.len() > 50, "{} maps of 60 seeds differ", map_texts.len());
    }
}

/// SR-8.1: over many runs, every fragment of the larger pool is hidden somewhere.
#[test]
fn every_fragment_of_the_larger_pool_is_used() {
    let vm = load_test_vm();
    for (dungeon, _, fragment_count) in DUNGEONS {
        let mut found_fragments = BTreeSet::new();
        for seed in 0..60 {
            let session = begin_at_first_door(&vm, seed, dungeon, "even", 0);
            let rooms = session.state_value("run.rooms");
            let fragment_ids =
                rooms.as_map().unwrap().values().filter_map(|room| room.get("fragment")?.as_text());
            found_fragments.extend(fragment_ids.map(str::to_owned));
        }
        assert!(found_fragments.len() > fragment_count, "{dungeon}: {found_fragments:?}");
    }
}

/// SR-9.5: the map depends on the seed and the dungeon only, not on the build, the standing, the
/// relics, or later rolls.
#[test]
fn the_map_depends_on_seed_and_dungeon_only() {
    let vm = load_test_vm();
    for seed in 0..12 {
        let map_text = |build: &str, experience: i64| {
            begin_at_first_door(&vm, seed, "sub_rosa:ice_house", build, experience)
                .state_value("run.rooms")
                .to_json()
        };
        let even_build_map = map_text("even", 0);
        assert_eq!(even_build_map, map_text("eye", 0));
        assert_eq!(even_build_map, map_text("blade", 9_000));
        let worn_gear_text = |experience: i64| {
            begin_at_first_door(&vm, seed, "sub_rosa:ice_house", "even", experience)
                .state_value("hero.worn")
                .to_json()
        };
        assert_eq!(worn_gear_text(0), worn_gear_text(9_000));
        let digests = [0, 1].map(|_| {
            let session = begin_at_first_door(&vm, seed, "sub_rosa:ice_house", "even", 9_000);
            session.world.digest()
        });
        assert_eq!(digests[0], digests[1]);
    }
}

/// SR-6.1: three pieces, named from the dungeon's own words, with one point or none.
#[test]
fn starting_gear_has_dungeon_words_and_few_points() {
    let vm = load_test_vm();
    let mut gear_by_points = BTreeMap::<i64, usize>::new();
    for (seed, (dungeon, _, _)) in
        (0..40).flat_map(|seed| DUNGEONS.map(|dungeon_case| (seed, dungeon_case)))
    {
        let session = begin_at_first_door(&vm, seed, dungeon, "even", 0);
        let dungeon_definition = vm.registry().get("dungeon", dungeon).unwrap();
        for slot in ["weapon", "armor", "accessory"] {
            let gear = session.state_value(&format!("hero.worn.{slot}"));
            let slot_words =
                dungeon_definition.get("gear_words").unwrap().get(slot).unwrap().as_list().unwrap();
            assert!(
                slot_words.iter().any(|word| word.as_text() == Some(text_field(&gear, "name")))
            );
            assert_eq!([text_field(&gear, "slot"), text_field(&gear, "rarity")], [slot, "common"]);
            assert_eq!(gear.get("sockets"), Some(&Value::Int(0)));
            let stats = gear.get("stats").unwrap().as_map().unwrap();
            *gear_by_points.entry(stats.values().filter_map(Value::as_int).sum()).or_default() += 1;
            assert!(stats.len() <= 1);
        }
    }
    assert_eq!(gear_by_points.keys().copied().collect::<Vec<_>>(), [0, 1]);
    assert!(gear_by_points[&0] > 40 && gear_by_points[&1] > 40, "{gear_by_points:?}");
}

fn ids_at_path(session: &GameSession<'_>, path: &str) -> Vec<String> {
    let list = session.state_value(path);
    let entry_id =
        |value: &Value| value.as_text().or_else(|| value.get("id")?.as_text()).map(str::to_owned);
    list.as_list().unwrap().iter().filter_map(entry_id).collect()
}

/// SR-3.1, SR-3.5, SR-4.1: the initial words and skills.
#[test]
fn initial_words_and_skills_match_the_standing() {
    let vm = load_test_vm();
    // Experience at which a standing is reached: SR-1.4.
    for standing in [1, 2, 3, 4, 5, 6, 8, 11, 14] {
        let experience = 30 * (standing - 1) * standing;
        let (mut drawn_words, mut drawn_skills) = (BTreeSet::new(), BTreeSet::new());
        for seed in 0..12 {
            let caster = begin_at_first_door(&vm, seed, "sub_rosa:ice_house", "eye", experience);
            let non_caster =
                begin_at_first_door(&vm, seed, "sub_rosa:ice_house", "blade", experience);
            assert!(ids_at_path(&non_caster, "hero.words").is_empty(), "INT 2 casts nothing");
            assert_eq!(non_caster.int("hero.mp"), 0);
            let words = ids_at_path(&caster, "hero.words");
            if standing < 3 {
                assert!(words.is_empty(), "standing {standing}");
            } else {
                assert_eq!(words[..2], ["sub_rosa:cinder", "sub_rosa:mend"]);
                assert_eq!(words.len() as i64, 2 + (1 + (standing - 3) / 3).min(5));
                let spell_definition =
                    |spell_id: &&str| vm.registry().get("spell", spell_id).unwrap();
                for word in words.iter().map(String::as_str).skip(2) {
                    let spell_number =
                        |name: &str| spell_definition(&word).get(name).unwrap().as_int().unwrap();
                    assert!(spell_number("standing") <= standing && spell_number("int") <= 10);
                    assert_eq!(
                        spell_definition(&word).get("scroll_only").unwrap().as_bool(),
                        Some(false)
                    );
                }
                let int = caster.int("hero.stats.INT") + worn_stat_bonus(&caster, "INT");
                assert_eq!(caster.int("hero.mp"), int / 3, "SR-3.2: a third");
            }
            let skills = ids_at_path(&caster, "hero.skills");
            let expected_skill_count =
                if standing < 5 { 0 } else { (1 + (standing - 5) / 3).min(4) };
            assert_eq!(skills.len() as i64, expected_skill_count, "standing {standing}");
            drawn_words.extend(words);
            drawn_skills.extend(skills);
        }
        assert!(standing < 3 || drawn_words.len() > 3, "drawn by chance: {drawn_words:?}");
        assert!(standing < 5 || drawn_skills.len() > 2, "drawn by chance: {drawn_skills:?}");
    }
}

fn worn_stat_bonus(session: &GameSession<'_>, stat: &str) -> i64 {
    let slot_bonus =
        |slot: &str| session.state_value("hero.worn").get(slot)?.get("stats")?.get(stat)?.as_int();
    ["weapon", "armor", "accessory"].into_iter().filter_map(slot_bonus).sum()
}
