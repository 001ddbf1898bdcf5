//! Fights, blow by blow (section 23): initiative, hits and misses, fleeing, and breath.

use base::Value;
use protocol::{StoryEvent, story_event::RollEvent};
use script::Vm;

use super::harness::{
    GameSession, company_session, events_json, roll_events, run_lua, scene_name, set_flag,
    set_number, sovereign_vm,
};

/// A fight with this number of a creature in reach; nobody is hurt easily.
fn fight_session<'a>(
    vm: &'a Vm,
    seed: u64,
    creature: &str,
    foes: &[i64],
    distance_feet: i64,
) -> GameSession<'a> {
    let mut session = company_session(vm, seed, "in_the_cupboard");
    for member_number in 1..=4 {
        set_number(&mut session, &format!("members.{member_number}.hp_max"), 900);
        set_number(&mut session, &format!("members.{member_number}.hp"), 900);
    }
    let fight_value = Value::map_of([
        ("creature", Value::text(format!("sovereign:{creature}"))),
        ("foes", Value::List(foes.iter().copied().map(Value::Int).collect())),
        ("begun", Value::Int(i64::try_from(foes.len()).unwrap())),
        ("feet", Value::Int(distance_feet)),
        ("round", Value::Int(1)),
        ("surprised", Value::text("none")),
        ("at_home", Value::Bool(false)),
        ("nerve_tried", Value::Bool(false)),
        ("lulled", Value::Int(0)),
    ]);
    session.set("fight", fight_value);
    session.world.replace_top_scene("sovereign:fight").unwrap();
    session
}

fn roll_with_label<'r>(roll_list: &'r [RollEvent], label: &str) -> Option<&'r RollEvent> {
    roll_list.iter().find(|roll| roll.label.contains(label))
}

/// The modifier of a roll with that label.
fn modifier_value(roll: &RollEvent, label: &str) -> i64 {
    roll.modifiers
        .iter()
        .find(|roll_modifier| roll_modifier.label == label)
        .map_or(0, |roll_modifier| roll_modifier.value)
}

/// The number that a text says somebody lost, such as "Maud Tanner, arming sword: 7.".
fn number_in_text(events: &[StoryEvent], name: &str) -> Option<i64> {
    events.iter().find_map(|event| match event {
        StoryEvent::Note { text } | StoryEvent::Gain { text } if text.starts_with(name) => {
            let number_text = text.rsplit(": ").next()?;
            number_text.split(|character: char| !character.is_ascii_digit()).next()?.parse().ok()
        }
        _ => None,
    })
}

/// SV-23.1, SV-23.2: level, skill and modifier against armour; a hit is the weapon's dice and the
/// modifier; a miss in melee shocks armour that is no better than the weapon's mark.
#[test]
fn hits_deal_damage_and_melee_misses_deal_shock() {
    let vm = sovereign_vm();
    let (mut hit_count, mut shock_count, mut spared_count) = (0, 0, 0);
    for seed in 0..20 {
        for (creature, is_shocked) in [("gammer_tup", true), ("shield_man", false)] {
            let mut session = fight_session(&vm, seed, creature, &[900], 0);
            let events = session.choose("press");
            let roll_list = roll_events(&events);
            let Some(attack_roll) = roll_with_label(&roll_list, "Maud Tanner, arming sword") else {
                continue;
            };
            // Level 3, Stab 1, Strength 15.
            let modifiers =
                ["attack", "Stab", "STR"].map(|label| modifier_value(attack_roll, label));
            assert_eq!(modifiers, [3, 1, 1]);
            let armour_class = if is_shocked { 12 } else { 14 };
            assert_eq!(attack_roll.target, Some(armour_class));
            let roll_index = roll_list.iter().position(|roll| roll == attack_roll).unwrap();
            if attack_roll.outcome.as_deref() == Some("hit") {
                let damage_roll = &roll_list[roll_index + 1];
                assert_eq!(damage_roll.notation, "1d8");
                assert_eq!(damage_roll.modifiers.len(), 1);
                assert_eq!(modifier_value(damage_roll, "STR"), 1);
                assert_eq!(damage_roll.total, damage_roll.dice_total + 1);
                assert_eq!(
                    number_in_text(&events, "Maud Tanner, arming sword"),
                    Some(damage_roll.total)
                );
                hit_count += 1;
            } else if is_shocked {
                // Two, and STR 1, where armour is 13 or worse.
                assert_eq!(number_in_text(&events, "Maud Tanner misses; shock"), Some(3));
                shock_count += 1;
            } else {
                assert_eq!(number_in_text(&events, "Maud Tanner misses; shock"), None);
                spared_count += 1;
            }
        }
    }
    assert!(
        hit_count > 5 && shock_count > 1 && spared_count > 1,
        "{hit_count}, {shock_count}, {spared_count}"
    );
    // Half of a level for the untrained: Sister Ede, level 3.
    for seed in 0..4 {
        let mut session = fight_session(&vm, seed, "gammer_tup", &[900], 0);
        let roll_list = roll_events(&session.choose("press"));
        if let Some(attack_roll) = roll_with_label(&roll_list, "Sister Ede, quarterstaff") {
            assert_eq!(modifier_value(attack_roll, "attack"), 1);
        }
    }
}

/// SV-23.2: damage is at least one with any arm; a bow does not shock.
#[test]
fn damage_is_at_least_one() {
    let vm = sovereign_vm();
    let mut least_damage = i64::MAX;
    for seed in 0..40 {
        let mut session = fight_session(&vm, seed, "barn_rat", &[900], 0);
        for member_number in 1..=4 {
            set_number(&mut session, &format!("members.{member_number}.attributes.strength"), 3);
        }
        let events = session.choose("press");
        if let Some(damage) = number_in_text(&events, "Maud Tanner, arming sword") {
            least_damage = least_damage.min(damage);
        }
        let mut session = fight_session(&vm, seed, "barn_rat", &[900], 60);
        let output = events_json(&session.choose("hold"));
        assert!(!output.contains("misses; shock"), "{output}");
    }
    assert_eq!(least_damage, 1, "a die of 1 or 2, less 2");
}

/// SV-23.3: each side rolls a d8, ours with the best DEX; ties go to the party; the first side
/// strikes first.
#[test]
fn initiative_is_a_d8_per_side_with_ties_to_the_company() {
    let vm = sovereign_vm();
    let mut outcome_counts = [0, 0, 0];
    for seed in 0..40 {
        let mut session = fight_session(&vm, seed, "gammer_tup", &[900], 0);
        let roll_list = roll_events(&session.choose("press"));
        let (our_roll, their_roll) = (
            roll_with_label(&roll_list, "initiative").unwrap(),
            roll_with_label(&roll_list, "theirs").unwrap(),
        );
        assert_eq!((our_roll.notation.as_str(), their_roll.notation.as_str()), ("1d8", "1d8"));
        assert_eq!(modifier_value(our_roll, "DEX"), 1, "Wat's");
        let index_of =
            |label: &str| roll_list.iter().position(|roll| roll.label.contains(label)).unwrap();
        let is_company_first = index_of("Maud Tanner, arming sword") < index_of("Gammer Tup at");
        assert_eq!(
            is_company_first,
            our_roll.total >= their_roll.total,
            "{} to {}",
            our_roll.total,
            their_roll.total
        );
        outcome_counts
            [usize::from(is_company_first) + usize::from(our_roll.total == their_roll.total)] += 1;
    }
    assert!(outcome_counts.iter().all(|count| *count > 0), "{outcome_counts:?}");
}

/// SV-23.4: nobody flees before half of them are down; then 2d6 over their nerve, once.
#[test]
fn foes_check_nerve_once_when_half_are_down() {
    let vm = sovereign_vm();
    let mut outcome_counts = [0, 0];
    for seed in 0..40 {
        let mut session = fight_session(&vm, seed, "tollman", &[900, 900, 900], 0);
        set_number(&mut session, "fight.begun", 4);
        assert!(
            roll_with_label(&roll_events(&session.choose("guard")), "nerve").is_none(),
            "three of four stand"
        );
        let mut session = fight_session(&vm, seed, "tollman", &[900, 900], 0);
        set_number(&mut session, "fight.begun", 4);
        let roll_list = roll_events(&session.choose("guard"));
        let nerve_roll = roll_with_label(&roll_list, "nerve").unwrap();
        assert_eq!((nerve_roll.notation.as_str(), nerve_roll.target), ("2d6", Some(8)));
        let is_broken = nerve_roll.total > 7;
        assert_eq!(scene_name(&mut session) != "fight", is_broken, "nerve 7: {}", nerve_roll.total);
        outcome_counts[usize::from(is_broken)] += 1;
        if !is_broken {
            assert!(
                roll_with_label(&roll_events(&session.choose("guard")), "nerve").is_none(),
                "once"
            );
        }
        // Creatures of nerve 12 never flee.
        let mut session = fight_session(&vm, seed, "shield_man", &[900], 0);
        set_number(&mut session, "fight.begun", 4);
        assert!(roll_with_label(&roll_events(&session.choose("guard")), "nerve").is_none());
    }
    assert!(outcome_counts[0] > 5 && outcome_counts[1] > 5, "{outcome_counts:?}");
}

/// SV-21.3: under water breath lasts three rounds of a fight; then a check in each, or strain; not
/// with a breath of its own.
#[test]
fn breath_lasts_three_rounds_under_water() {
    let vm = sovereign_vm();
    for (round, breathing, check_count) in [(1, 0, 0), (3, 0, 0), (4, 0, 4), (9, 0, 4), (9, 6, 0)] {
        let mut session = company_session(&vm, 3, "in_the_lower_hall");
        set_number(&mut session, "breathing", breathing);
        let roll_list =
            roll_events(&run_lua(&mut session, &format!("injury.hold_breath({round})")));
        assert_eq!(roll_list.len(), check_count, "round {round}");
        assert!(roll_list.iter().all(|roll| roll.label.contains("one breath")));
        let strain_sum: i64 = (1..=4)
            .map(|member_number| session.int(&format!("members.{member_number}.strain")))
            .sum();
        let failure_count =
            roll_list.iter().filter(|roll| roll.outcome.as_deref() == Some("failure")).count();
        assert_eq!(strain_sum, i64::try_from(failure_count).unwrap());
    }
    let mut session = fight_session(&vm, 3, "nix", &[900], 0);
    session.set("delve.here", Value::text("sovereign:lower_hall"));
    run_lua(&mut session, "walking.arrive(\"lower_hall\")");
    for round in 1..=5 {
        let roll_list = roll_events(&session.choose("guard"));
        let breath_checks =
            roll_list.iter().filter(|roll| roll.label.contains("one breath")).count();
        assert_eq!(breath_checks > 0, round > 3, "round {round}");
    }
    set_flag(&mut session, "drained");
    let roll_list = roll_events(&session.choose("guard"));
    assert!(roll_with_label(&roll_list, "one breath").is_none(), "there is air");
}

/// SV-7.2: in a fight nobody has a hand free to help, and the kit must be got out first.
#[test]
fn a_healer_in_a_fight_has_no_helper() {
    let vm = sovereign_vm();
    let mut session = fight_session(&vm, 3, "gammer_tup", &[900], 0);
    set_number(&mut session, "members.1.hp", 0);
    session.set("members.1.fallen", Value::Bool(true));
    let odds = session.prompt().choice("tend:1").unwrap().odds.clone().unwrap();
    // INT 1 and Heal 1: eight or more.
    assert_eq!((odds.bands[0].case_count, odds.total_cases), (15, 36));
}
