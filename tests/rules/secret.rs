//! The secret, one row at a time: fragments, what they unlock, and the endings (section 8).

use base::Value;
use protocol::StoryEvent;
use script::Vm;

use super::harness::{GameSession, begin_at_first_door, load_test_vm};
use super::scene::{
    DYE_WORKS, events_text, find_choice, gear_piece, is_choice_enabled, retry_until_outcome,
    scene_name, session_before_boss, worn_stat_bonus,
};

/// In a room with a check and a fragment.
fn session_at_fragment(vm: &Vm, seed: u64) -> GameSession<'_> {
    let mut session = begin_at_first_door(vm, seed, DYE_WORKS, "even", 0);
    session.set("run.rooms.books.fragment", Value::text("dye_works:dye_works_1"));
    session.set("run.rooms.books.keeper", Value::text("books_try"));
    session.enter_room("books");
    session
}

/// SR-8.2, SR-8.3: only a full success reveals the fragment; each check can be tried once; a
/// guttering causes the room's harshest outcome.
#[test]
fn only_a_full_success_reveals_the_fragment() {
    let vm = load_test_vm();
    for expected_outcome in ["full", "partial", "failure", "guttering"] {
        let (mut session, _) = retry_until_outcome(
            expected_outcome,
            |seed| session_at_fragment(&vm, seed),
            "books_try",
        );
        let fragment_count = session.state_value("run.fragments").as_list().unwrap().len();
        assert_eq!(fragment_count, usize::from(expected_outcome == "full"), "{expected_outcome}");
        while scene_name(&mut session) != "room" {
            let id = session.prompt().choices[0].id.clone();
            session.choose(&id);
        }
        assert!(find_choice(&mut session, "books_try").is_none(), "tried once");
        let vigour_lost = 35 + worn_stat_bonus(&session, "DEF") - session.int("hero.vigour");
        assert_eq!(
            vigour_lost,
            if ["failure", "guttering"].contains(&expected_outcome) { 2 } else { 0 }
        );
    }
}

/// SR-8.2, SR-8.3: a puzzle solved without a wrong step reveals the fragment; it can be retried.
#[test]
fn a_puzzle_solved_without_mistakes_reveals_the_fragment() {
    let vm = load_test_vm();
    let begin_puzzle = || {
        let mut session = begin_at_first_door(&vm, 1, DYE_WORKS, "even", 0);
        session.set("run.rooms.riddle_1.fragment", Value::text("dye_works:dye_works_1"));
        session.set("run.rooms.riddle_1.keeper", Value::text("set_1"));
        session.enter_room("riddle_1");
        session.choose("set_1");
        session
    };
    let known_fragment_count =
        |session: &GameSession<'_>| session.state_value("run.fragments").as_list().unwrap().len();
    let mut solved_session = begin_puzzle();
    solved_session.choose("answer:1:1");
    solved_session.choose("back");
    solved_session.choose("set_1");
    solved_session.choose("answer:2:2");
    assert_eq!(known_fragment_count(&solved_session), 1);
    let mut session_with_mistake = begin_puzzle();
    session_with_mistake.choose("answer:1:2");
    assert!(!is_choice_enabled(&mut session_with_mistake, "answer:1:2"));
    session_with_mistake.choose("answer:1:1");
    session_with_mistake.choose("answer:2:2");
    assert_eq!(
        known_fragment_count(&session_with_mistake),
        0,
        "grace is lost at the first wrong step"
    );
    assert_eq!(
        session_with_mistake.state_value("run.rooms.riddle_1.done.set_1"),
        Value::text("partial")
    );
    let mut failed_session = begin_puzzle();
    failed_session.choose("answer:1:2");
    failed_session.choose("answer:1:3");
    assert_eq!(failed_session.state_value("run.rooms.riddle_1.done.set_1"), Value::text("failure"));
    assert!(find_choice(&mut failed_session, "set_1").is_none());
}

/// SR-8.2: if one choice of a room has the fragment, no other reveals it.
#[test]
fn only_one_choice_of_a_room_reveals_its_fragment() {
    let vm = load_test_vm();
    let session_with_other_keeper = |seed: u64| {
        let mut session = session_at_fragment(&vm, seed);
        session.set("run.rooms.books.keeper", Value::text("another"));
        session
    };
    let (session, _) = retry_until_outcome("full", session_with_other_keeper, "books_try");
    assert!(session.state_value("run.fragments").as_list().unwrap().is_empty());
    let valid_rooms = (0..40).filter_map(|seed| {
        let session = begin_at_first_door(&vm, seed, DYE_WORKS, "even", 0);
        let rooms = session.state_value("run.rooms");
        let room = rooms.as_map().unwrap().values().find(|room| room.get("keeper").is_some())?;
        let id = room.get("room").unwrap().as_text().unwrap();
        let choices = vm.registry().get("room", id)?.get("choices")?.as_list().unwrap();
        let keeper = room.get("keeper").unwrap().as_text().unwrap();
        let choice = choices
            .iter()
            .find(|choice_value| choice_value.get("id").unwrap().as_text() == Some(keeper))?;
        assert!(room.get("fragment").is_some() && choice.get("reveals")?.as_bool()?);
        Some(())
    });
    assert!(valid_rooms.count() > 20);
}

/// SR-8.2: in larger places a failure removes the room's fragment, and says so.
#[test]
fn a_failure_in_a_large_place_removes_the_fragment() {
    let vm = load_test_vm();
    for (size, is_removed) in [("small", false), ("medium", false), ("large", true), ("epic", true)]
    {
        let build_session = |seed: u64| {
            let mut session = session_at_fragment(&vm, seed);
            session.set("run.size", Value::text(size));
            session
        };
        let (session, events) = retry_until_outcome("failure", build_session, "books_try");
        let is_put_away =
            session.state_value("run.rooms.books").get("put_away") == Some(&Value::Bool(true));
        assert_eq!(
            (is_put_away, events_text(&events).contains("will not show it now")),
            (is_removed, is_removed),
            "{size}"
        );
    }
}

/// SR-8.4, SR-8.5, SR-8.6: two, three and four fragments each unlock something, and fewer do not.
#[test]
fn two_three_and_four_fragments_each_unlock_something() {
    let vm = load_test_vm();
    for known_count in 0..=6 {
        let mut session = session_before_boss(&vm, 1, known_count);
        assert_eq!(
            is_choice_enabled(&mut session, "parley"),
            known_count >= 2,
            "{known_count} known"
        );
        assert_eq!(
            is_choice_enabled(&mut session, "peace"),
            known_count >= 4,
            "{known_count} known"
        );
        session.choose("draw");
        assert_eq!(
            is_choice_enabled(&mut session, "decisive"),
            known_count >= 3,
            "{known_count} known"
        );
    }
}

/// SR-8.4: the value of the dialogue; it tells exactly what is known.
#[test]
fn dialogue_uses_known_fragments_and_helps_in_the_fight() {
    let vm = load_test_vm();
    for (expected_outcome, eased_count, wait_count) in
        [("full", 1, 1), ("partial", 1, 0), ("failure", 0, 0)]
    {
        let (mut session, events) = retry_until_outcome(
            expected_outcome,
            |seed| session_before_boss(&vm, seed, 3),
            "parley",
        );
        assert!(
            events_text(&events).contains("nailed it to the church door"),
            "the third is known"
        );
        assert!(!events_text(&events).contains("on the cup"), "the sixth is not");
        while scene_name(&mut session) == "level" {
            session.choose("CAR");
        }
        assert!(!is_choice_enabled(&mut session, "parley"), "once");
        session.choose("draw");
        let level = session.int("hero.standing") + session.int("hero.gained");
        let label = find_choice(&mut session, "strike").unwrap().odds.unwrap().label;
        let difficulty_class = 10 + 4 - eased_count + level / 3;
        assert!(
            label.ends_with(&format!("against {difficulty_class}")),
            "{expected_outcome}: {label}"
        );
        let decisive_label = find_choice(&mut session, "decisive").unwrap().odds.unwrap().label;
        assert!(
            decisive_label.ends_with(&format!("against {difficulty_class}")),
            "{expected_outcome}: {decisive_label}"
        );
        assert_eq!(session.int("fight.waits"), wait_count);
    }
}

/// SR-8.5: half of the whole, or a third, once.
#[test]
fn the_decisive_strike_removes_a_half_or_a_third_once() {
    let vm = load_test_vm();
    let build_session = |seed: u64| {
        let mut session = session_before_boss(&vm, seed, 3);
        session.set("hero.stats.ATK", Value::Int(6)); // a stronger arm never fails at it
        session.choose("draw");
        session
    };
    for (expected_outcome, vigour_left) in [("full", 55), ("partial", 73), ("failure", 109)] {
        let (mut session, _) = retry_until_outcome(expected_outcome, build_session, "decisive");
        assert_eq!(
            session.int("run.rooms.first_vat.foe.vigour"),
            vigour_left,
            "{expected_outcome} of 109"
        );
        assert!(!is_choice_enabled(&mut session, "decisive"), "spent either way");
    }
}

/// SR-8.6: peace needs no roll and gives the dungeon's own relic instead of the claim.
#[test]
fn peace_needs_no_roll_and_gives_the_dungeon_relic() {
    let vm = load_test_vm();
    let mut session = session_before_boss(&vm, 1, 4);
    session.set("hero.bag", Value::List(vec![gear_piece("bright", "rare", 3)]));
    let events = session.choose("peace");
    assert!(!events.iter().any(|event| matches!(event, StoryEvent::Roll(_))));
    let awards = session.world.award_so_far();
    let relics = awards.get("relics").and_then(Value::as_list).unwrap();
    assert_eq!(relics.len(), 1);
    assert_eq!(relics[0].get("piece"), Some(&Value::text("dye_works:undyed_thread")));
    assert_eq!(relics[0].get("effect"), Some(&Value::text("sub_rosa:quilted")));
    let expected_stats = Value::map_of([("CAR", Value::Int(1)), ("DEF", Value::Int(1))]);
    assert_eq!(relics[0].get("stats"), Some(&expected_stats));
    let run_outcome = session.world.run_outcome().unwrap();
    assert_eq!(run_outcome.get("outcome"), Some(&Value::text("peace")));
}
