//! Content drawn before the first door: maps, fragments, gear, words, skills (SR-3.5, SR-4.1,
//! SR-6.1, SR-8.1, SR-9.1, SR-9.2, SR-9.5).

use std::collections::{BTreeMap, BTreeSet};

use engine::base::Value;

use super::harness::{GameSession, first_door, vm};

const DUNGEONS: [(&str, usize, usize); 2] =
    [("sub_rosa:ice_house", 12, 5), ("dye_works:dye_works", 18, 6)];

fn text<'a>(value: &'a Value, name: &str) -> &'a str {
    value.get(name).and_then(Value::as_text).unwrap()
}

fn doors(room: &Value) -> Vec<&str> {
    room.get("doors").unwrap().as_list().unwrap().iter().filter_map(Value::as_text).collect()
}

/// The rooms reachable without entering `barred`.
fn reachable_rooms<'a>(
    rooms: &BTreeMap<&'a str, &'a Value>,
    barred: &dyn Fn(&Value) -> bool,
) -> BTreeSet<&'a str> {
    let (mut seen, mut open) = (BTreeSet::from(["entrance"]), vec!["entrance"]);
    while let Some(here) = open.pop() {
        if barred(rooms[here]) {
            continue;
        }
        for door in doors(rooms[here]) {
            let (door, _) = rooms.get_key_value(door).unwrap();
            if seen.insert(*door) {
                open.push(door);
            }
        }
    }
    seen
}

/// SR-9.1, SR-9.2, SR-8.1
#[test]
fn maps_hold_together() {
    let vm = vm();
    for (dungeon, size, fragments) in DUNGEONS {
        let mut shapes = BTreeSet::new();
        for seed in 0..60 {
            let table = first_door(&vm, seed, dungeon, "even", 0);
            let run = table.state_value("run");
            let whole = run.get("rooms").unwrap().as_map().unwrap();
            let rooms: BTreeMap<&str, &Value> =
                whole.iter().map(|(id, room)| (&**id, room)).collect();
            assert_eq!(rooms.len(), size + 1, "the entrance is no room");
            assert_eq!(
                reachable_rooms(&rooms, &|_| false).len(),
                size + 1,
                "every room can be reached"
            );
            let kinds: Vec<&str> = rooms.values().map(|room| text(room, "kind")).collect();
            let count = |kind: &str| kinds.iter().filter(|other| **other == kind).count();
            assert_eq!(count("boss"), 1);
            assert!(count("rest") >= size / 9);
            for kind in ["foe", "check", "puzzle", "treasure", "gift"] {
                assert!(count(kind) >= 1, "{dungeon}, seed {seed}: no {kind}");
            }
            // Every way to the boss passes a rest room.
            let without_rest = reachable_rooms(&rooms, &|room| text(room, "kind") == "rest");
            let boss = rooms.iter().find(|(_, room)| text(room, "kind") == "boss").unwrap();
            assert!(!without_rest.contains(boss.0), "a rest before the boss");
            // Real choice: at the entrance, and in most rooms on the way down.
            assert!(doors(rooms["entrance"]).len() >= 2);
            let depth = |room: &Value| room.get("depth").and_then(Value::as_int).unwrap();
            let onward = |room: &Value| {
                doors(room).iter().filter(|door| depth(rooms[*door]) > depth(room)).count()
            };
            let choices = rooms.values().filter(|room| onward(room) >= 2).count();
            assert!(choices >= 3, "{dungeon}, seed {seed}: {choices} rooms offer a choice onward");
            for (id, room) in &rooms {
                for door in doors(room) {
                    assert!(doors(rooms[door]).contains(id), "doors go both ways");
                }
            }
            let held: Vec<&str> =
                rooms.values().filter_map(|room| room.get("fragment")?.as_text()).collect();
            assert_eq!(held.len(), fragments);
            assert_eq!(held.iter().collect::<BTreeSet<_>>().len(), fragments, "each once");
            shapes.insert(run.get("rooms").unwrap().to_json());
        }
        assert!(shapes.len() > 50, "{} maps of 60 seeds differ", shapes.len());
    }
}

/// SR-8.1: over many runs, every fragment of the larger pool is hidden somewhere.
#[test]
fn the_pool_is_larger() {
    let vm = vm();
    for (dungeon, _, fragments) in DUNGEONS {
        let mut met = BTreeSet::new();
        for seed in 0..60 {
            let table = first_door(&vm, seed, dungeon, "even", 0);
            let rooms = table.state_value("run.rooms");
            let held =
                rooms.as_map().unwrap().values().filter_map(|r| r.get("fragment")?.as_text());
            met.extend(held.map(str::to_owned));
        }
        assert!(met.len() > fragments, "{dungeon}: {met:?}");
    }
}

/// SR-9.5: the map depends on the seed and the dungeon only, not on the build, the standing, the
/// relics, or later rolls.
#[test]
fn what_is_drawn_stands_apart() {
    let vm = vm();
    for seed in 0..12 {
        let shape = |build: &str, experience: i64| {
            first_door(&vm, seed, "sub_rosa:ice_house", build, experience)
                .state_value("run.rooms")
                .to_json()
        };
        let map = shape("even", 0);
        assert_eq!(map, shape("eye", 0));
        assert_eq!(map, shape("blade", 9_000));
        let worn = |experience: i64| {
            first_door(&vm, seed, "sub_rosa:ice_house", "even", experience)
                .state_value("hero.worn")
                .to_json()
        };
        assert_eq!(worn(0), worn(9_000));
        let twice = [0, 1].map(|_| {
            let mut table = first_door(&vm, seed, "sub_rosa:ice_house", "even", 9_000);
            table.world.digest()
        });
        assert_eq!(twice[0], twice[1]);
    }
}

/// SR-6.1: three pieces, named from the dungeon's own words, with one point or none.
#[test]
fn gear_is_given() {
    let vm = vm();
    let mut granted = BTreeMap::<i64, usize>::new();
    for (seed, (dungeon, _, _)) in (0..40).flat_map(|seed| DUNGEONS.map(|d| (seed, d))) {
        let table = first_door(&vm, seed, dungeon, "even", 0);
        let words = vm.registry().get("dungeon", dungeon).unwrap();
        for slot in ["weapon", "armor", "accessory"] {
            let worn = table.state_value(&format!("hero.worn.{slot}"));
            let listed = words.get("gear_words").unwrap().get(slot).unwrap().as_list().unwrap();
            assert!(listed.iter().any(|word| word.as_text() == Some(text(&worn, "name"))));
            assert_eq!([text(&worn, "slot"), text(&worn, "rarity")], [slot, "common"]);
            assert_eq!(worn.get("sockets"), Some(&Value::Int(0)));
            let stats = worn.get("stats").unwrap().as_map().unwrap();
            *granted.entry(stats.values().filter_map(Value::as_int).sum()).or_default() += 1;
            assert!(stats.len() <= 1);
        }
    }
    assert_eq!(granted.keys().copied().collect::<Vec<_>>(), [0, 1]);
    assert!(granted[&0] > 40 && granted[&1] > 40, "{granted:?}");
}

fn ids(table: &GameSession<'_>, path: &str) -> Vec<String> {
    let list = table.state_value(path);
    let id =
        |value: &Value| value.as_text().or_else(|| value.get("id")?.as_text()).map(str::to_owned);
    list.as_list().unwrap().iter().filter_map(id).collect()
}

/// SR-3.1, SR-3.5, SR-4.1: the initial words and skills.
#[test]
fn words_and_skills_are_drawn() {
    let vm = vm();
    // Experience at which a standing is reached: SR-1.4.
    for standing in [1, 2, 3, 4, 5, 6, 8, 11, 14] {
        let experience = 30 * (standing - 1) * standing;
        let (mut drawn, mut learnt) = (BTreeSet::new(), BTreeSet::new());
        for seed in 0..12 {
            let able = first_door(&vm, seed, "sub_rosa:ice_house", "eye", experience);
            let unable = first_door(&vm, seed, "sub_rosa:ice_house", "blade", experience);
            assert!(ids(&unable, "hero.words").is_empty(), "INT 2 casts nothing");
            assert_eq!(unable.int("hero.mp"), 0);
            let words = ids(&able, "hero.words");
            if standing < 3 {
                assert!(words.is_empty(), "standing {standing}");
            } else {
                assert_eq!(words[..2], ["sub_rosa:cinder", "sub_rosa:mend"]);
                assert_eq!(words.len() as i64, 2 + (1 + (standing - 3) / 3).min(5));
                let own = |id: &&str| vm.registry().get("spell", id).unwrap();
                for word in words.iter().map(String::as_str).skip(2) {
                    let number = |name: &str| own(&word).get(name).unwrap().as_int().unwrap();
                    assert!(number("standing") <= standing && number("int") <= 10);
                    assert_eq!(own(&word).get("scroll_only").unwrap().as_bool(), Some(false));
                }
                let int = able.int("hero.stats.INT") + worn(&able, "INT");
                assert_eq!(able.int("hero.mp"), int / 3, "SR-3.2: a third");
            }
            let skills = ids(&able, "hero.skills");
            let due = if standing < 5 { 0 } else { (1 + (standing - 5) / 3).min(4) };
            assert_eq!(skills.len() as i64, due, "standing {standing}");
            drawn.extend(words);
            learnt.extend(skills);
        }
        assert!(standing < 3 || drawn.len() > 3, "drawn by chance: {drawn:?}");
        assert!(standing < 5 || learnt.len() > 2, "drawn by chance: {learnt:?}");
    }
}

fn worn(table: &GameSession<'_>, stat: &str) -> i64 {
    let grants =
        |slot: &str| table.state_value("hero.worn").get(slot)?.get("stats")?.get(stat)?.as_int();
    ["weapon", "armor", "accessory"].into_iter().filter_map(grants).sum()
}
