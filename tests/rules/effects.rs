//! Effects of gear beside its numbers (SR-6.2, SR-6.3). Effects that change an event appear in the
//! note or the odds before the player commits (SR-2.11). Effects that act do so when they say.

use engine::base::Value;

use super::harness::{GameSession, first_door, vm};
use super::scene::{SIXTH, WORKS, choice, list, said};

/// A fight in which exactly one effect is worn.
fn with_effect<'a>(vm: &'a engine::script::Vm, effect: &str) -> GameSession<'a> {
    let mut table = first_door(vm, 4, WORKS, "4/7/5/12", 10 * SIXTH);
    table.set("hero.words", list(&["sub_rosa:cinder"]));
    let kept = [("id", Value::text("sub_rosa:half_moon")), ("remaining", Value::Int(2))];
    table.set("hero.skills", Value::List(vec![Value::map_of(kept)]));
    table.set("hero.vigour", Value::Int(40));
    table.set("hero.worn.weapon.power", Value::Int(2));
    if !effect.is_empty() {
        table.set("hero.worn.armor.effect", Value::text(format!("sub_rosa:{effect}")));
    }
    table.enter_room("wringing_shed");
    table
}

/// The note and odds of a choice, after the fight is set.
fn beside(table: &mut GameSession<'_>, id: &str, fight: &[(&str, i64)]) -> String {
    for (name, value) in fight {
        table.set(&format!("fight.{name}"), Value::Int(*value));
    }
    let shown = choice(table, id).unwrap();
    let odds = shown.odds.map(|odds| odds.label).unwrap_or_default();
    format!("{} {odds}", shown.note)
}

/// An effect, the choice that it changes, the fight it needs, and the expected note.
type EffectCase<'a> = (&'a str, &'a str, &'a [(&'a str, i64)], &'a str);

/// SR-2.11
#[test]
fn what_an_effect_changes_is_shown_before() {
    let vm = vm();
    let shown: [EffectCase<'_>; 8] = [
        ("opening_move", "strike", &[("round", 1)], "opening move 3"),
        ("long_evening", "brace", &[("round", 5)], "long evening 2"),
        ("soft_answer", "strike", &[("waits", 1)], "soft answer 2"),
        ("heavy_word", "cast:cinder", &[], "full: 9 to 14; partial: 8"),
        ("named_aloud", "strike", &[("marks", 2)], "full: 20"),
        ("kept_strike", "skill:half_moon", &[], "lands: 9"),
        ("small_game", "strike", &[], "full: 7"),
        ("no_hand_but_mine", "strike", &[], "full: 7"),
    ];
    for (effect, id, fight, expected) in shown {
        let with = beside(&mut with_effect(&vm, effect), id, fight);
        assert!(with.contains(expected), "{effect}: {with}");
        let without = beside(&mut with_effect(&vm, ""), id, fight);
        assert!(!without.contains(expected), "without {effect}: {without}");
    }
}

fn prompt_text(table: &mut GameSession<'_>) -> String {
    table.prompt().text
}

/// SR-2.10: reductions of a blow appear in the prompt of the round.
#[test]
fn lighter_blows_are_shown_and_fall() {
    let vm = vm();
    let taking = |effect: &str| prompt_text(&mut with_effect(&vm, effect));
    assert_ne!(taking("first_refusal"), taking(""));
    let mut refused = with_effect(&vm, "first_refusal");
    refused.choose("strike");
    assert_eq!(refused.int("fight.lasting.refused"), 1, "only the first");
    let at_the_boss = |effect: &str| {
        let mut table = first_door(&vm, 4, WORKS, "blade", 0);
        table.set("hero.stats.DEF", Value::Int(1));
        table.set("hero.worn.armor.effect", Value::text(format!("sub_rosa:{effect}")));
        table.enter_room("first_vat");
        table.choose("draw");
        table.clear_intent();
        prompt_text(&mut table)
    };
    assert!(at_the_boss("warm_wax").contains(": 8 to 18 vigour"), "{}", at_the_boss("warm_wax"));
    assert!(at_the_boss("river_in_it").contains(": 8 vigour"));
    let mut half = with_effect(&vm, "half_a_crown");
    assert!(prompt_text(&mut half).contains("Waiting"), "{}", prompt_text(&mut half));
}

/// SR-6.3: effects that act.
#[test]
fn legendary_effects_act() {
    let vm = vm();
    let mut inheritance = with_effect(&vm, "inheritance");
    inheritance.set("run.fallen", Value::Int(5));
    assert!(beside(&mut inheritance, "strike", &[]).contains("full: 8"), "three at most");
    let mut doors = with_effect(&vm, "both_sides_of_the_door");
    let told = said(&doors.choose("leave"));
    assert!(told.contains("8 from the wringer"), "{told}");
    let mut face = with_effect(&vm, "borrowed_face");
    face.set("fight.waits", Value::Int(1));
    face.set("fight.stilled", Value::Bool(true));
    face.choose("study");
    assert_eq!(face.state_value("fight.stilled"), Value::Bool(false));
    let mut hours = with_effect(&vm, "hours_returned");
    hours.set("hero.vigour", Value::Int(1));
    while hours.state_value("run.breaths") == Value::Int(2) {
        hours.choose("study");
        hours.set("hero.vigour", Value::Int(1));
    }
    assert_eq!(
        hours.int("run.rooms.wringing_shed.foe.vigour"),
        hours.int("run.rooms.wringing_shed.foe.max") / 2
    );
}

/// SR-6.3: the effect of a legendary piece is unique; relics have thirty natures.
#[test]
fn a_legendary_effect_stands_on_nothing_else() {
    let vm = vm();
    let mut kept = std::collections::BTreeSet::new();
    let (mut legendary, mut common_to_all) = (Vec::new(), 0);
    for piece in vm.registry().active_definitions("piece") {
        let text =
            |name: &str| piece.get(name).and_then(|field| field.as_text()).map(str::to_owned);
        common_to_all += usize::from(text("dungeon").is_none());
        let Some(effect) = text("effect") else { continue };
        if text("rarity").as_deref() == Some("legendary") {
            legendary.push(effect);
        } else {
            kept.insert(effect);
        }
    }
    assert!(legendary.len() >= 12 && kept.len() >= 30, "{} and {}", legendary.len(), kept.len());
    let different: std::collections::BTreeSet<_> = legendary.iter().collect();
    assert_eq!(different.len(), legendary.len());
    assert!(different.iter().all(|effect| !kept.contains(*effect)));
    assert!(common_to_all >= 50, "{common_to_all}");
}
