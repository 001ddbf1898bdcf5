//! One row at a time: a scene is set by hand, and what the game makes of it is looked at.

use engine::kit::Value;
use engine::play::{Choice, Event, Input};
use engine::script::Vm;

use super::table::{Table, first_door, options, vm};

const WORKS: &str = "dye_works:dye_works";
/// Experience of the sixth standing: casts, and has a skill.
const SIXTH: i64 = 900;

fn choice(table: &mut Table<'_>, id: &str) -> Option<Choice> {
    table.prompt().choice(id).cloned()
}

/// Whether a choice is offered and open.
fn open(table: &mut Table<'_>, id: &str) -> bool {
    choice(table, id).is_some_and(|choice| choice.closed.is_none())
}

fn scene(table: &mut Table<'_>) -> String {
    table.prompt().scene.trim_start_matches("sub_rosa:").to_owned()
}

fn list(texts: &[&str]) -> Value {
    Value::List(texts.iter().map(Value::text).collect())
}

fn said(told: &[Event]) -> String {
    told.iter().map(|event| event.to_value().to_json()).collect()
}

/// What a throw came to, as it was told.
fn outcome(told: &[Event]) -> String {
    let thrown = told.iter().find_map(|event| match event {
        Event::Roll(roll) => roll.outcome.clone(),
        _ => None,
    });
    thrown.expect("something was thrown")
}

/// Sets the scene again with one seed after another until the throw comes to this.
fn until<'a>(wanted: &str, set: impl Fn(u64) -> Table<'a>, id: &str) -> (Table<'a>, Vec<Event>) {
    for seed in 0..400 {
        let mut table = set(seed);
        let told = table.choose(id);
        if outcome(&told) == wanted {
            return (table, told);
        }
    }
    panic!("no seed of 400 gives {wanted} for {id}");
}

/// Before the boss, knowing so many fragments.
fn before_the_boss(vm: &Vm, seed: u64, fragments: usize) -> Table<'_> {
    let mut table = first_door(vm, seed, WORKS, "blade", 0);
    let known: Vec<String> = (1..=fragments).map(|n| format!("dye_works:dye_works_{n}")).collect();
    let known: Vec<&str> = known.iter().map(String::as_str).collect();
    table.set("run.fragments", list(&known));
    table.step_into("first_vat");
    table
}

/// SR-1.3: a level gives a point to place, even past thirteen.
#[test]
fn a_level_is_a_point() {
    let vm = vm();
    let mut table = first_door(&vm, 1, WORKS, "eye", 0);
    table.set("hero.stats.ATK", Value::Int(13));
    table.set("hero.pending", Value::Int(1));
    table.step_into("rest_1");
    assert_eq!(scene(&mut table), "level");
    table.choose("ATK");
    assert_eq!(table.int("hero.stats.ATK"), 14);
    assert_eq!(scene(&mut table), "room");
}

/// SR-2.12: a foe that is left answers once and keeps its wounds.
#[test]
fn a_foe_can_be_left() {
    let vm = vm();
    let mut table = first_door(&vm, 3, WORKS, "even", 0);
    table.step_into("wringing_shed");
    table.set("run.rooms.wringing_shed.foe.vigour", Value::Int(7));
    let before = table.int("hero.vigour");
    let told = table.choose("leave");
    assert_eq!(told.iter().filter(|event| matches!(event, Event::Roll(_))).count(), 1);
    assert!(table.int("hero.vigour") < before);
    assert_eq!(table.at("run.here"), Value::text("entrance"));
    table.choose("door:wringing_shed");
    assert_eq!(table.int("run.rooms.wringing_shed.foe.vigour"), 7);
}

/// SR-2.12: a boss cannot be left.
#[test]
fn a_boss_cannot_be_left() {
    let vm = vm();
    let mut table = before_the_boss(&vm, 1, 0);
    table.choose("draw");
    let leave = choice(&mut table, "leave").unwrap();
    assert!(leave.closed.is_some());
}

/// SR-3.1, SR-3.6: a scroll adds its word for a caster, once, and is burnt; for others it is paper.
#[test]
fn scrolls() {
    let vm = vm();
    let mut able = first_door(&vm, 2, WORKS, "eye", SIXTH);
    able.set("hero.scrolls", list(&["sub_rosa:quicklime"]));
    able.choose("read:quicklime");
    assert!(able.at("hero.scrolls").as_list().unwrap().is_empty());
    assert!(able.at("hero.words").to_json().contains("quicklime"));
    able.step_into("wringing_shed");
    assert!(open(&mut able, "cast:quicklime"));
    for (build, experience) in [("blade", SIXTH), ("eye", 0)] {
        let mut unable = first_door(&vm, 2, WORKS, build, experience);
        unable.set("hero.scrolls", list(&["sub_rosa:quicklime"]));
        let closed = choice(&mut unable, "read:quicklime").unwrap().closed;
        assert!(closed.unwrap().contains("paper"));
        unable.step_into("wringing_shed");
        assert!(choice(&mut unable, "cast:cinder").is_none());
    }
}

/// SR-3.7: mend is cast outside combat where no rest is at hand; attack words are not.
#[test]
fn mend_outside_combat() {
    let vm = vm();
    let mut table = first_door(&vm, 2, WORKS, "eye", SIXTH);
    table.set("hero.vigour", Value::Int(5));
    let mp = table.int("hero.mp");
    assert!(choice(&mut table, "cast:cinder").is_none());
    table.choose("mend:mend");
    assert!(table.int("hero.vigour") > 5);
    assert_eq!(table.int("hero.mp"), mp - 1);
    table.step_into("rest_1");
    assert!(!open(&mut table, "mend:mend"));
    table.choose("rest");
    table.set("hero.vigour", Value::Int(5));
    assert!(open(&mut table, "mend:mend"));
}

/// SR-3.2, SR-4.2, SR-9.4: a rest gives vigour and mp once, and no skill back.
#[test]
fn rest() {
    let vm = vm();
    let mut table = first_door(&vm, 2, WORKS, "eye", SIXTH);
    table.set("hero.vigour", Value::Int(1));
    table.set("hero.mp", Value::Int(0));
    table.set("hero.skills.1.left", Value::Int(0));
    table.step_into("rest_1");
    table.choose("rest");
    let level = table.int("hero.standing") + table.int("hero.gained");
    let def = 7 + worn(&table, "DEF");
    assert_eq!(table.int("hero.vigour"), 20 + 2 * def + 2 * (level - 1));
    assert_eq!(table.int("hero.mp"), 12 + worn(&table, "INT") - 5);
    assert_eq!(table.int("hero.skills.1.left"), 0);
    assert!(!open(&mut table, "rest"));
}

fn worn(table: &Table<'_>, stat: &str) -> i64 {
    let grants = |slot: &str| table.at("hero.worn").get(slot)?.get("stats")?.get(stat)?.as_int();
    ["weapon", "armor", "accessory"].into_iter().filter_map(grants).sum()
}

/// SR-2.9, SR-4.2: a skill throws no die, lands, is used up; the foe answers.
#[test]
fn skills() {
    let vm = vm();
    let mut table = first_door(&vm, 2, WORKS, "blade", SIXTH);
    let known = Value::of([("id", Value::text("sub_rosa:seventh_stair")), ("left", Value::Int(1))]);
    table.set("hero.skills", Value::List(vec![known]));
    table.step_into("counting_room");
    let (foe, hero) = (table.int("run.rooms.counting_room.foe.vigour"), table.int("hero.vigour"));
    let told = table.choose("skill:seventh_stair");
    let dealt = table.int("hero.stats.ATK") + worn(&table, "ATK") + 4;
    assert_eq!(table.int("run.rooms.counting_room.foe.vigour"), foe - dealt);
    assert!(table.int("hero.vigour") < hero);
    let thrown = told.iter().filter(|event| matches!(event, Event::Roll(_))).count();
    assert_eq!(thrown, 1, "only the answer");
    assert!(!open(&mut table, "skill:seventh_stair"));
}

/// SR-5.1, SR-5.2, SR-5.3: zero vigour spends a breath; after the last one the descent has failed.
#[test]
fn breaths() {
    let vm = vm();
    let mut table = first_door(&vm, 5, WORKS, "even", 0);
    assert_eq!(table.int("run.breaths"), 2);
    table.set("hero.satchel", list(&["sub_rosa:candle_stub", "sub_rosa:lavender"]));
    table.step_into("rest_1");
    table.set("run.rooms.rest_1.doors", list(&["counting_room"]));
    table.choose("door:counting_room");
    table.set("run.rooms.counting_room.foe.vigour", Value::Int(3));
    table.set("hero.stats.ATK", Value::Int(0));
    table.set("hero.vigour", Value::Int(1));
    table.choose("leave");
    assert_eq!(table.int("run.breaths"), 1);
    assert_eq!(table.at("run.here"), Value::text("rest_1"));
    assert!(table.int("hero.vigour") > 20);
    assert_eq!(table.at("hero.satchel").as_list().unwrap().len(), 1);
    assert_eq!(table.int("run.rooms.counting_room.foe.vigour"), 20, "whole again");
    table.choose("door:counting_room");
    table.set("hero.vigour", Value::Int(1));
    table.choose("leave");
    let finished = table.world.finished().expect("the last breath is spent");
    assert_eq!(finished.get("outcome"), Some(&Value::text("failure")));
    assert!(table.world.awarded().get("relics").is_none(), "SR-7.4");
}

/// SR-5.1, SR-5.4: ironman is one breath, offered from medium up.
#[test]
fn ironman() {
    let vm = vm();
    let begin = |dungeon: &str| Table::begin(&vm, 1, options(dungeon, "even", true), Value::map());
    let medium = begin(WORKS);
    assert_eq!([medium.int("run.breaths"), medium.int("run.breaths_most")], [1, 1]);
    assert_eq!(medium.at("run.ironman"), Value::Bool(true));
    assert_eq!(begin("sub_rosa:ice_house").at("run.ironman"), Value::Bool(false));
    let hand = |dungeon: &str| Table::begin(&vm, 1, options(dungeon, "", false), Value::map());
    assert!(choice(&mut hand("sub_rosa:ice_house"), "ironman").is_none());
    let mut by_hand = hand(WORKS);
    by_hand.choose("ironman");
    by_hand.choose("hands");
    by_hand.choose("ready:blade");
    by_hand.choose("done");
    assert_eq!(by_hand.int("run.breaths"), 1);
}

/// SR-1.2: the build scene places the points and lets nobody in with another total.
#[test]
fn point_buy() {
    let vm = vm();
    let mut table = Table::begin(&vm, 1, options(WORKS, "", false), Value::map());
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
        table.choose("hands");
        table.choose(&format!("ready:{build}"));
        assert!(open(&mut table, "done"), "{build} may enter");
    }
    table.choose("done");
    assert_eq!(scene(&mut table), "room");
}

fn relic(name: &str) -> Value {
    Value::of([("name", Value::text(name)), ("stats", Value::of([("ATK", Value::Int(2))]))])
}

/// SR-7.3, SR-7.4: relics are carried asleep, wake in a socket in a rest room, and stay one's own.
#[test]
fn relics_wake_in_sockets() {
    let vm = vm();
    let kept = (1..=5).map(|n| relic(&format!("relic {n}"))).collect();
    let profile = Value::of([("relics", Value::List(kept))]);
    let mut table = Table::begin(&vm, 1, options(WORKS, "even", false), profile);
    assert_eq!(scene(&mut table), "kit");
    let four: Vec<String> = (1..=4).map(|n| format!("relic:{n}")).collect();
    assert!(table.prompt().accepts(&Input::Many(four)).is_err(), "three at most");
    table.answer(&Input::Many(vec!["relic:5".to_owned()]));
    let strikes = |table: &mut Table<'_>| {
        table.step_into("counting_room");
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
    table.step_into("rest_1");
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

/// Falls the boss at one stroke.
fn beat_the_boss(table: &mut Table<'_>) {
    table.choose("draw");
    for _ in 0..60 {
        table.set("hero.vigour", Value::Int(30));
        table.set("run.rooms.first_vat.foe.vigour", Value::Int(1));
        if scene_or_end(table).as_deref() != Some("round") {
            break;
        }
        table.choose("strike");
    }
    while scene_or_end(table) == Some("level".to_owned()) {
        table.choose("ATK");
    }
}

fn scene_or_end(table: &mut Table<'_>) -> Option<String> {
    if table.world.finished().is_some() { None } else { Some(scene(table)) }
}

fn piece(name: &str, rarity: &str, attack: i64) -> Value {
    Value::of([
        ("name", Value::text(name)),
        ("slot", Value::text("weapon")),
        ("rarity", Value::text(rarity)),
        ("stats", Value::of([("ATK", Value::Int(attack))])),
        ("power", Value::Int(1)),
        ("sockets", Value::Int(0)),
        ("set", Value::List(Vec::new())),
        ("found", Value::Bool(true)),
    ])
}

/// SR-7.1, SR-7.2: after a victory gathered pieces may become relics, halved; legendaries may not.
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
    let awarded = table.world.awarded();
    let paid: Vec<&str> = awarded.as_map().unwrap().keys().map(|name| &**name).collect();
    assert_eq!(paid, ["descents", "experience", "relics", "victory"], "SR-6.4: nothing else");
    let relics = awarded.get("relics").cloned().unwrap();
    let stats = relics.as_list().unwrap()[0].get("stats").cloned().unwrap();
    assert_eq!(stats, Value::of([("ATK", Value::Int(1))]));
    let finished = table.world.finished().unwrap();
    assert_eq!(finished.get("outcome"), Some(&Value::text("victory")));
}

/// SR-1.5: what was earned stays earned; the completion reward is paid for coming out only.
#[test]
fn rewards() {
    let vm = vm();
    let earned = |table: &Table<'_>| {
        table.world.awarded().get("experience").and_then(Value::as_int).unwrap_or(0)
    };
    let mut won = before_the_boss(&vm, 1, 0);
    beat_the_boss(&mut won);
    assert_eq!(earned(&won), 50 + 110, "the boss, and a medium dungeon");
    let mut peace = before_the_boss(&vm, 1, 4);
    peace.choose("peace");
    assert_eq!(earned(&peace), 55, "half of it in peace");
    let mut lost = first_door(&vm, 1, WORKS, "blade", 0);
    lost.step_into("wringing_shed");
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
    assert_eq!(earned(&lost), 10, "kept, and nothing for the way out");
    let finished = lost.world.finished().unwrap();
    assert_eq!(finished.get("outcome"), Some(&Value::text("abandoned")));
}

/// In a room with a check and a fragment to find.
fn by_the_books(vm: &Vm, seed: u64) -> Table<'_> {
    let mut table = first_door(vm, seed, WORKS, "even", 0);
    table.set("run.rooms.books.fragment", Value::text("dye_works:dye_works_1"));
    table.step_into("books");
    table
}

/// SR-8.2, SR-8.3: only a full success surfaces the fragment; each check is tried once; on a guttering
/// the harshest outcome of the room falls.
#[test]
fn fragments_surface() {
    let vm = vm();
    for wanted in ["full", "partial", "failure", "guttering"] {
        let (mut table, _) = until(wanted, |seed| by_the_books(&vm, seed), "books_try");
        let found = table.at("run.fragments").as_list().unwrap().len();
        assert_eq!(found, usize::from(wanted == "full"), "{wanted}");
        while scene(&mut table) != "room" {
            let id = table.prompt().choices[0].id.clone();
            table.choose(&id);
        }
        assert!(choice(&mut table, "books_try").is_none(), "tried once");
        let lost = 34 + 2 * worn(&table, "DEF") - table.int("hero.vigour");
        assert_eq!(lost, if ["failure", "guttering"].contains(&wanted) { 2 } else { 0 });
    }
}

/// SR-8.2, SR-8.3: a puzzle reveals when it is solved without a wrong step; it can be taken up again.
#[test]
fn puzzles() {
    let vm = vm();
    let begin = || {
        let mut table = first_door(&vm, 1, WORKS, "even", 0);
        table.set("run.rooms.riddle_1.fragment", Value::text("dye_works:dye_works_1"));
        table.step_into("riddle_1");
        table.choose("set_1");
        table
    };
    let known = |table: &Table<'_>| table.at("run.fragments").as_list().unwrap().len();
    let mut graceful = begin();
    graceful.choose("answer:1");
    graceful.choose("back");
    graceful.choose("set_1");
    graceful.choose("answer:2");
    assert_eq!(known(&graceful), 1);
    let mut clumsy = begin();
    clumsy.choose("answer:2");
    assert!(!open(&mut clumsy, "answer:2"));
    clumsy.choose("answer:1");
    clumsy.choose("answer:2");
    assert_eq!(known(&clumsy), 0, "grace is lost at the first wrong step");
    assert_eq!(clumsy.at("run.rooms.riddle_1.done.set_1"), Value::text("partial"));
    let mut broken = begin();
    broken.choose("answer:2");
    broken.choose("answer:3");
    assert_eq!(broken.at("run.rooms.riddle_1.done.set_1"), Value::text("failure"));
    assert!(choice(&mut broken, "set_1").is_none());
}

/// SR-8.4, SR-8.5, SR-8.6: what two, three and four fragments open, and nothing before.
#[test]
fn thresholds() {
    let vm = vm();
    for known in 0..=6 {
        let mut table = before_the_boss(&vm, 1, known);
        assert_eq!(open(&mut table, "parley"), known >= 2, "{known} known");
        assert_eq!(open(&mut table, "peace"), known >= 4, "{known} known");
        table.choose("draw");
        assert_eq!(open(&mut table, "decisive"), known >= 3, "{known} known");
    }
}

/// SR-8.4: what the dialogue is worth, and that it says what is known and no more.
#[test]
fn dialogue() {
    let vm = vm();
    for (wanted, eased, waits) in [("full", 1, 1), ("partial", 1, 0), ("failure", 0, 0)] {
        let (mut table, told) = until(wanted, |seed| before_the_boss(&vm, seed, 3), "parley");
        assert!(said(&told).contains("nailed it to the church door"), "the third is known");
        assert!(!said(&told).contains("on the cup"), "the sixth is not");
        while scene(&mut table) == "level" {
            table.choose("CAR");
        }
        assert!(!open(&mut table, "parley"), "once");
        table.choose("draw");
        let level = table.int("hero.standing") + table.int("hero.gained");
        let label = choice(&mut table, "strike").unwrap().odds.unwrap().label;
        let dc = 10 + 4 - eased + level / 3;
        assert!(label.ends_with(&format!("against {dc}")), "{wanted}: {label}");
        let decisive = choice(&mut table, "decisive").unwrap().odds.unwrap().label;
        assert!(decisive.ends_with(&format!("against {dc}")), "{wanted}: {decisive}");
        assert_eq!(table.int("fight.waits"), waits);
    }
}

/// SR-8.5: half of the whole, or a third, once.
#[test]
fn the_decisive_strike() {
    let vm = vm();
    let set = |seed: u64| {
        let mut table = before_the_boss(&vm, seed, 3);
        table.choose("draw");
        table
    };
    for (wanted, left) in [("full", 23), ("partial", 31), ("failure", 46)] {
        let (mut table, _) = until(wanted, set, "decisive");
        assert_eq!(table.int("run.rooms.first_vat.foe.vigour"), left, "{wanted} of 46");
        assert!(!open(&mut table, "decisive"), "spent either way");
    }
}

/// SR-8.6: peace throws no die and gives the dungeon's own relic instead of the claim.
#[test]
fn peace() {
    let vm = vm();
    let mut table = before_the_boss(&vm, 1, 4);
    table.set("hero.bag", Value::List(vec![piece("bright", "rare", 3)]));
    let told = table.choose("peace");
    assert!(!told.iter().any(|event| matches!(event, Event::Roll(_))));
    let awarded = table.world.awarded();
    let relics = awarded.get("relics").and_then(Value::as_list).unwrap();
    assert_eq!(relics.len(), 1);
    assert_eq!(relics[0].get("piece"), Some(&Value::text("dye_works:undyed_thread")));
    assert_eq!(relics[0].get("effect"), Some(&Value::text("sub_rosa:quilted")));
    let halved = Value::of([("CAR", Value::Int(1)), ("DEF", Value::Int(1))]);
    assert_eq!(relics[0].get("stats"), Some(&halved));
    let finished = table.world.finished().unwrap();
    assert_eq!(finished.get("outcome"), Some(&Value::text("peace")));
}

/// SR-6.5: six fit; one more asks what to leave. They are used outside combat or in place of a path.
#[test]
fn the_satchel() {
    let vm = vm();
    let mut table = first_door(&vm, 1, WORKS, "even", 0);
    table.set("hero.satchel", list(&["sub_rosa:candle_stub"; 6]));
    table.step_into("kindness_1");
    table.choose("accept_1");
    assert_eq!(scene(&mut table), "pickup");
    table.choose("swap:1");
    assert_eq!(table.at("hero.satchel").as_list().unwrap().len(), 6);
    table.set("hero.satchel", list(&["sub_rosa:lamp_oil", "sub_rosa:black_bread"]));
    table.set("hero.vigour", Value::Int(20));
    assert!(!open(&mut table, "item:lamp_oil") && open(&mut table, "item:black_bread"));
    table.set("run.rooms.kindness_1.doors", list(&["counting_room"]));
    table.choose("door:counting_room");
    assert!(open(&mut table, "item:lamp_oil") && !open(&mut table, "item:black_bread"));
    let told = table.choose("item:lamp_oil");
    assert_eq!(table.int("run.rooms.counting_room.foe.vigour"), 13);
    assert!(said(&told).contains("answers"), "in place of a path: the foe answers");
    assert_eq!(table.at("hero.satchel").as_list().unwrap().len(), 1);
}

/// SR-6.2, SR-7.3: the pickup screen: what is found can be worn, and a relic set in it at once.
#[test]
fn the_pickup_screen() {
    let vm = vm();
    let profile = Value::of([("relics", Value::List(vec![relic("old nail")]))]);
    let mut table = Table::begin(&vm, 1, options(WORKS, "even", false), profile);
    table.answer(&Input::Many(vec!["relic:1".to_owned()]));
    table.step_into("hoard_1");
    table.choose("take_1");
    assert_eq!(scene(&mut table), "pickup");
    table.choose("place:1:found");
    table.choose("wear");
    assert_eq!(table.at("hero.worn.weapon.name"), Value::text("mordant knife"));
    assert_eq!(table.int("hero.worn.weapon.sockets"), 2, "SR-6.3: rare");
    table.set("run.rooms.hoard_1.doors", list(&["counting_room"]));
    table.choose("door:counting_room");
    let attack = table.int("hero.stats.ATK") + 2 + 2 + worn_beside_weapon(&table);
    let label = choice(&mut table, "strike").unwrap().odds.unwrap().label;
    assert!(label.contains(&format!("ATK {attack} ")), "{label}");
}

fn worn_beside_weapon(table: &Table<'_>) -> i64 {
    let grants = |slot: &str| table.at("hero.worn").get(slot)?.get("stats")?.get("ATK")?.as_int();
    ["armor", "accessory"].into_iter().filter_map(grants).sum()
}

/// SR-6.2, SR-9.2: treasure and fallen foes give pieces of the dungeon's own or of any, none twice.
#[test]
fn found_gear() {
    let vm = vm();
    let mut rarities = std::collections::BTreeSet::new();
    for seed in 0..40 {
        let mut table = first_door(&vm, seed, WORKS, "even", 0);
        table.step_into("hoard_2");
        table.choose("take_2");
        let found = table.at("run.found.1");
        rarities.insert(found.get("rarity").and_then(Value::as_text).unwrap().to_owned());
        let id = found.get("piece").and_then(Value::as_text).unwrap().to_owned();
        let piece = vm.registry().get("piece", &id).unwrap();
        let home = piece.get("dungeon").and_then(|home| home.as_text());
        assert!(home.is_none_or(|home| home == WORKS), "{id} belongs elsewhere");
        assert_ne!(id, "dye_works:undyed_thread", "the dungeon's own relic is never drawn");
        table.choose("carry");
        assert_eq!(table.at("hero.bag").as_list().unwrap().len(), 1);
    }
    assert!(rarities.len() >= 3, "{rarities:?}");
}
