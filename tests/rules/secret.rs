//! The secret, one row at a time: fragments, what they unlock, and the endings (section 8).

use engine::base::Value;
use engine::protocol::StoryEvent;
use engine::script::Vm;

use super::harness::{GameSession, first_door, vm};
use super::scene::{WORKS, before_the_boss, choice, open, piece, said, scene, until, worn};

/// In a room with a check and a fragment.
fn session_at_fragment(vm: &Vm, seed: u64) -> GameSession<'_> {
    let mut table = first_door(vm, seed, WORKS, "even", 0);
    table.set("run.rooms.books.fragment", Value::text("dye_works:dye_works_1"));
    table.set("run.rooms.books.keeper", Value::text("books_try"));
    table.enter_room("books");
    table
}

/// SR-8.2, SR-8.3: only a full success reveals the fragment; each check can be tried once; a
/// guttering causes the room's harshest outcome.
#[test]
fn fragments_surface() {
    let vm = vm();
    for wanted in ["full", "partial", "failure", "guttering"] {
        let (mut table, _) = until(wanted, |seed| session_at_fragment(&vm, seed), "books_try");
        let found = table.state_value("run.fragments").as_list().unwrap().len();
        assert_eq!(found, usize::from(wanted == "full"), "{wanted}");
        while scene(&mut table) != "room" {
            let id = table.prompt().choices[0].id.clone();
            table.choose(&id);
        }
        assert!(choice(&mut table, "books_try").is_none(), "tried once");
        let lost = 35 + worn(&table, "DEF") - table.int("hero.vigour");
        assert_eq!(lost, if ["failure", "guttering"].contains(&wanted) { 2 } else { 0 });
    }
}

/// SR-8.2, SR-8.3: a puzzle solved without a wrong step reveals the fragment; it can be retried.
#[test]
fn puzzles() {
    let vm = vm();
    let begin = || {
        let mut table = first_door(&vm, 1, WORKS, "even", 0);
        table.set("run.rooms.riddle_1.fragment", Value::text("dye_works:dye_works_1"));
        table.set("run.rooms.riddle_1.keeper", Value::text("set_1"));
        table.enter_room("riddle_1");
        table.choose("set_1");
        table
    };
    let known =
        |table: &GameSession<'_>| table.state_value("run.fragments").as_list().unwrap().len();
    let mut graceful = begin();
    graceful.choose("answer:1:1");
    graceful.choose("back");
    graceful.choose("set_1");
    graceful.choose("answer:2:2");
    assert_eq!(known(&graceful), 1);
    let mut clumsy = begin();
    clumsy.choose("answer:1:2");
    assert!(!open(&mut clumsy, "answer:1:2"));
    clumsy.choose("answer:1:1");
    clumsy.choose("answer:2:2");
    assert_eq!(known(&clumsy), 0, "grace is lost at the first wrong step");
    assert_eq!(clumsy.state_value("run.rooms.riddle_1.done.set_1"), Value::text("partial"));
    let mut broken = begin();
    broken.choose("answer:1:2");
    broken.choose("answer:1:3");
    assert_eq!(broken.state_value("run.rooms.riddle_1.done.set_1"), Value::text("failure"));
    assert!(choice(&mut broken, "set_1").is_none());
}

/// SR-8.2: if one choice of a room has the fragment, no other reveals it.
#[test]
fn one_choice_keeps_it() {
    let vm = vm();
    let elsewhere = |seed: u64| {
        let mut table = session_at_fragment(&vm, seed);
        table.set("run.rooms.books.keeper", Value::text("another"));
        table
    };
    let (table, _) = until("full", elsewhere, "books_try");
    assert!(table.state_value("run.fragments").as_list().unwrap().is_empty());
    let kept = (0..40).filter_map(|seed| {
        let table = first_door(&vm, seed, WORKS, "even", 0);
        let rooms = table.state_value("run.rooms");
        let room = rooms.as_map().unwrap().values().find(|room| room.get("keeper").is_some())?;
        let id = room.get("room").unwrap().as_text().unwrap();
        let choices = vm.registry().get("room", id)?.get("choices")?.as_list().unwrap();
        let keeper = room.get("keeper").unwrap().as_text().unwrap();
        let choice = choices.iter().find(|one| one.get("id").unwrap().as_text() == Some(keeper))?;
        assert!(room.get("fragment").is_some() && choice.get("reveals")?.as_bool()?);
        Some(())
    });
    assert!(kept.count() > 20);
}

/// SR-8.2: in larger places a failure removes the room's fragment, and says so.
#[test]
fn a_failure_puts_it_away() {
    let vm = vm();
    for (size, lost) in [("small", false), ("medium", false), ("large", true), ("epic", true)] {
        let set = |seed: u64| {
            let mut table = session_at_fragment(&vm, seed);
            table.set("run.size", Value::text(size));
            table
        };
        let (table, told) = until("failure", set, "books_try");
        let away = table.state_value("run.rooms.books").get("put_away") == Some(&Value::Bool(true));
        assert_eq!((away, said(&told).contains("will not show it now")), (lost, lost), "{size}");
    }
}

/// SR-8.4, SR-8.5, SR-8.6: two, three and four fragments each unlock something, and fewer do not.
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

/// SR-8.4: the value of the dialogue; it tells exactly what is known.
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
        table.set("hero.stats.ATK", Value::Int(6)); // a stronger arm never fails at it
        table.choose("draw");
        table
    };
    for (wanted, left) in [("full", 55), ("partial", 73), ("failure", 109)] {
        let (mut table, _) = until(wanted, set, "decisive");
        assert_eq!(table.int("run.rooms.first_vat.foe.vigour"), left, "{wanted} of 109");
        assert!(!open(&mut table, "decisive"), "spent either way");
    }
}

/// SR-8.6: peace needs no roll and gives the dungeon's own relic instead of the claim.
#[test]
fn peace() {
    let vm = vm();
    let mut table = before_the_boss(&vm, 1, 4);
    table.set("hero.bag", Value::List(vec![piece("bright", "rare", 3)]));
    let told = table.choose("peace");
    assert!(!told.iter().any(|event| matches!(event, StoryEvent::Roll(_))));
    let awarded = table.world.awards();
    let relics = awarded.get("relics").and_then(Value::as_list).unwrap();
    assert_eq!(relics.len(), 1);
    assert_eq!(relics[0].get("piece"), Some(&Value::text("dye_works:undyed_thread")));
    assert_eq!(relics[0].get("effect"), Some(&Value::text("sub_rosa:quilted")));
    let halved = Value::map_of([("CAR", Value::Int(1)), ("DEF", Value::Int(1))]);
    assert_eq!(relics[0].get("stats"), Some(&halved));
    let finished = table.world.run_outcome().unwrap();
    assert_eq!(finished.get("outcome"), Some(&Value::text("peace")));
}
