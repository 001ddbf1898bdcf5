//! Effects of gear beside its numbers (SR-6.2, SR-6.3). Effects that change an event appear in the
//! note or the odds before the player commits (SR-2.11). Effects that act do so when they say.

use base::Value;

use super::harness::{GameSession, begin_at_first_door, load_test_vm};
use super::scene::{DYE_WORKS, SIXTH_STANDING_EXPERIENCE, events_text, find_choice, text_list};

/// A fight in which exactly one effect is worn.
fn fight_with_effect<'a>(vm: &'a script::Vm, effect: &str) -> GameSession<'a> {
    let mut session =
        begin_at_first_door(vm, 4, DYE_WORKS, "4/7/5/12", 10 * SIXTH_STANDING_EXPERIENCE);
    session.set("hero.words", text_list(&["sub_rosa:cinder"]));
    let skill_fields = [("id", Value::text("sub_rosa:half_moon")), ("remaining", Value::Int(2))];
    session.set("hero.skills", Value::List(vec![Value::map_of(skill_fields)]));
    session.set("hero.vigour", Value::Int(40));
    session.set("hero.worn.weapon.power", Value::Int(2));
    if !effect.is_empty() {
        session.set("hero.worn.armor.effect", Value::text(format!("sub_rosa:{effect}")));
    }
    session.enter_room("wringing_shed");
    session
}

/// The note and odds of a choice, after the fight is set.
fn note_and_odds(session: &mut GameSession<'_>, id: &str, fight_fields: &[(&str, i64)]) -> String {
    for (name, value) in fight_fields {
        session.set(&format!("fight.{name}"), Value::Int(*value));
    }
    let choice = find_choice(session, id).unwrap();
    let odds = choice.odds.map(|odds| odds.label).unwrap_or_default();
    format!("{} {odds}", choice.note)
}

/// An effect, the choice that it changes, the fight it needs, and the expected note.
type EffectCase<'a> = (&'a str, &'a str, &'a [(&'a str, i64)], &'a str);

/// SR-2.11
#[test]
fn an_effect_is_shown_in_the_note_before_the_choice() {
    let vm = load_test_vm();
    let cases: [EffectCase<'_>; 8] = [
        ("opening_move", "strike", &[("round", 1)], "opening move 3"),
        ("long_evening", "brace", &[("round", 5)], "long evening 2"),
        ("soft_answer", "strike", &[("waits", 1)], "soft answer 2"),
        ("heavy_word", "cast:cinder", &[], "full: 9 to 14; partial: 8"),
        ("named_aloud", "strike", &[("marks", 2)], "full: 20"),
        ("kept_strike", "skill:half_moon", &[], "lands: 9"),
        ("small_game", "strike", &[], "full: 7"),
        ("no_hand_but_mine", "strike", &[], "full: 7"),
    ];
    for (effect, id, fight_fields, expected) in cases {
        let note_with_effect = note_and_odds(&mut fight_with_effect(&vm, effect), id, fight_fields);
        assert!(note_with_effect.contains(expected), "{effect}: {note_with_effect}");
        let note_without_effect = note_and_odds(&mut fight_with_effect(&vm, ""), id, fight_fields);
        assert!(!note_without_effect.contains(expected), "without {effect}: {note_without_effect}");
    }
}

fn prompt_text(session: &mut GameSession<'_>) -> String {
    session.prompt().text
}

/// SR-2.10: reductions of a blow appear in the prompt of the round.
#[test]
fn reduced_blows_are_shown_and_applied() {
    let vm = load_test_vm();
    let prompt_text_with_effect = |effect: &str| prompt_text(&mut fight_with_effect(&vm, effect));
    assert_ne!(prompt_text_with_effect("first_refusal"), prompt_text_with_effect(""));
    let mut session_with_refusal = fight_with_effect(&vm, "first_refusal");
    session_with_refusal.choose("strike");
    assert_eq!(session_with_refusal.int("fight.lasting.refused"), 1, "only the first");
    let boss_prompt_with_effect = |effect: &str| {
        let mut session = begin_at_first_door(&vm, 4, DYE_WORKS, "blade", 0);
        session.set("hero.stats.DEF", Value::Int(1));
        session.set("hero.worn.armor.effect", Value::text(format!("sub_rosa:{effect}")));
        session.enter_room("first_vat");
        session.choose("draw");
        session.clear_intent();
        prompt_text(&mut session)
    };
    assert!(
        boss_prompt_with_effect("warm_wax").contains("Coming on: a blow of 8 to 18, at worst 27."),
        "{}",
        boss_prompt_with_effect("warm_wax")
    );
    assert!(
        boss_prompt_with_effect("river_in_it").contains("Coming on: a blow of 8, at worst 8."),
        "{}",
        boss_prompt_with_effect("river_in_it")
    );
    let mut half_crown_session = fight_with_effect(&vm, "half_a_crown");
    assert!(
        prompt_text(&mut half_crown_session).contains("Waiting"),
        "{}",
        prompt_text(&mut half_crown_session)
    );
}

/// SR-6.3: effects that act.
#[test]
fn legendary_effects_take_effect() {
    let vm = load_test_vm();
    let mut inheritance_session = fight_with_effect(&vm, "inheritance");
    inheritance_session.set("run.fallen", Value::Int(5));
    assert!(
        note_and_odds(&mut inheritance_session, "strike", &[]).contains("full: 8"),
        "three at most"
    );
    let mut door_session = fight_with_effect(&vm, "both_sides_of_the_door");
    let output = events_text(&door_session.choose("leave"));
    assert!(output.contains("8 from the wringer"), "{output}");
    let mut face_session = fight_with_effect(&vm, "borrowed_face");
    face_session.set("fight.waits", Value::Int(1));
    face_session.set("fight.stilled", Value::Bool(true));
    face_session.choose("study");
    assert_eq!(face_session.state_value("fight.stilled"), Value::Bool(false));
    let mut hours_session = fight_with_effect(&vm, "hours_returned");
    hours_session.set("hero.vigour", Value::Int(1));
    while hours_session.state_value("run.breaths") == Value::Int(2) {
        hours_session.choose("study");
        hours_session.set("hero.vigour", Value::Int(1));
    }
    assert_eq!(
        hours_session.int("run.rooms.wringing_shed.foe.vigour"),
        hours_session.int("run.rooms.wringing_shed.foe.max") / 2
    );
}

/// SR-6.3: the effect of a legendary piece is unique; relics have thirty natures.
#[test]
fn a_legendary_effect_is_on_no_other_piece() {
    let vm = load_test_vm();
    let mut relic_effects = std::collections::BTreeSet::new();
    let (mut legendary_effects, mut general_piece_count) = (Vec::new(), 0);
    for piece in vm.registry().active_definitions("piece") {
        let text_field =
            |name: &str| piece.get(name).and_then(|field| field.as_text()).map(str::to_owned);
        general_piece_count += usize::from(text_field("dungeon").is_none());
        let Some(effect) = text_field("effect") else { continue };
        if text_field("rarity").as_deref() == Some("legendary") {
            legendary_effects.push(effect);
        } else {
            relic_effects.insert(effect);
        }
    }
    assert!(
        legendary_effects.len() >= 12 && relic_effects.len() >= 30,
        "{} and {}",
        legendary_effects.len(),
        relic_effects.len()
    );
    let distinct_effects: std::collections::BTreeSet<_> = legendary_effects.iter().collect();
    assert_eq!(distinct_effects.len(), legendary_effects.len());
    assert!(distinct_effects.iter().all(|effect| !relic_effects.contains(*effect)));
    assert!(general_piece_count >= 50, "{general_piece_count}");
}
