//! Fights, blow by blow (section 23): initiative, hits and misses, fleeing, and breath.

use engine::base::Value;
use engine::protocol::{StoryEvent, story_event::RollEvent};
use engine::script::Vm;

use super::harness::{GameSession, company, lua, rolls, said, scene, set_flag, set_number, vm};

/// A fight with this number of a creature in reach; nobody is hurt easily.
fn fight<'a>(vm: &'a Vm, seed: u64, creature: &str, foes: &[i64], feet: i64) -> GameSession<'a> {
    let mut table = company(vm, seed, "in_the_cupboard");
    for who in 1..=4 {
        set_number(&mut table, &format!("members.{who}.hp_max"), 900);
        set_number(&mut table, &format!("members.{who}.hp"), 900);
    }
    let fight = Value::map_of([
        ("creature", Value::text(format!("sovereign:{creature}"))),
        ("foes", Value::List(foes.iter().copied().map(Value::Int).collect())),
        ("begun", Value::Int(i64::try_from(foes.len()).unwrap())),
        ("feet", Value::Int(feet)),
        ("round", Value::Int(1)),
        ("surprised", Value::text("none")),
        ("at_home", Value::Bool(false)),
        ("nerve_tried", Value::Bool(false)),
        ("lulled", Value::Int(0)),
    ]);
    table.set("fight", fight);
    table.world.replace_top_scene("sovereign:fight").unwrap();
    table
}

fn labelled<'r>(rolls: &'r [RollEvent], label: &str) -> Option<&'r RollEvent> {
    rolls.iter().find(|roll| roll.label.contains(label))
}

/// The modifier of a roll with that label.
fn modifier(roll: &RollEvent, label: &str) -> i64 {
    roll.modifiers.iter().find(|one| one.label == label).map_or(0, |one| one.value)
}

/// The number that a text says somebody lost, such as "Maud Tanner, arming sword: 7.".
fn reported_number(told: &[StoryEvent], name: &str) -> Option<i64> {
    told.iter().find_map(|event| match event {
        StoryEvent::Note { text } | StoryEvent::Gain { text } if text.starts_with(name) => {
            let after = text.rsplit(": ").next()?;
            after.split(|sign: char| !sign.is_ascii_digit()).next()?.parse().ok()
        }
        _ => None,
    })
}

/// SV-23.1, SV-23.2: level, skill and modifier against armour; a hit is the weapon's dice and the
/// modifier; a miss in melee shocks armour that is no better than the weapon's mark.
#[test]
fn hits_harm_and_misses_shock() {
    let vm = vm();
    let (mut hits, mut shocks, mut spared) = (0, 0, 0);
    for seed in 0..20 {
        for (creature, shocked) in [("gammer_tup", true), ("shield_man", false)] {
            let mut table = fight(&vm, seed, creature, &[900], 0);
            let told = table.choose("press");
            let rolls = rolls(&told);
            let Some(blow) = labelled(&rolls, "Maud Tanner, arming sword") else { continue };
            // Level 3, Stab 1, Strength 15.
            let given = ["attack", "Stab", "STR"].map(|label| modifier(blow, label));
            assert_eq!(given, [3, 1, 1]);
            let armour = if shocked { 12 } else { 14 };
            assert_eq!(blow.against, Some(armour));
            let at = rolls.iter().position(|roll| roll == blow).unwrap();
            if blow.outcome.as_deref() == Some("hit") {
                let harm = &rolls[at + 1];
                assert_eq!(harm.notation, "1d8");
                assert_eq!(
                    reported_number(&told, "Maud Tanner, arming sword"),
                    Some(harm.total + 1)
                );
                hits += 1;
            } else if shocked {
                // Two, and STR 1, where armour is 13 or worse.
                assert_eq!(reported_number(&told, "Maud Tanner is close enough"), Some(3));
                shocks += 1;
            } else {
                assert_eq!(reported_number(&told, "Maud Tanner is close enough"), None);
                spared += 1;
            }
        }
    }
    assert!(hits > 5 && shocks > 1 && spared > 1, "{hits}, {shocks}, {spared}");
    // Half of a level for the untrained: Sister Ede, level 3.
    for seed in 0..4 {
        let mut table = fight(&vm, seed, "gammer_tup", &[900], 0);
        let told = rolls(&table.choose("press"));
        if let Some(blow) = labelled(&told, "Sister Ede, quarterstaff") {
            assert_eq!(modifier(blow, "attack"), 1);
        }
    }
}

/// SV-23.2: damage is at least one with any arm; a bow does not shock.
#[test]
fn harm_is_at_least_one() {
    let vm = vm();
    let mut least = i64::MAX;
    for seed in 0..40 {
        let mut table = fight(&vm, seed, "barn_rat", &[900], 0);
        for who in 1..=4 {
            set_number(&mut table, &format!("members.{who}.attributes.strength"), 3);
        }
        let told = table.choose("press");
        if let Some(harm) = reported_number(&told, "Maud Tanner, arming sword") {
            least = least.min(harm);
        }
        let mut table = fight(&vm, seed, "barn_rat", &[900], 60);
        let told = said(&table.choose("hold"));
        assert!(!told.contains("close enough"), "{told}");
    }
    assert_eq!(least, 1, "a die of 1 or 2, less 2");
}

/// SV-23.3: each side rolls a d8, ours with the best DEX; ties go to the party; the first side
/// strikes first.
#[test]
fn initiative() {
    let vm = vm();
    let mut seen = [0, 0, 0];
    for seed in 0..40 {
        let mut table = fight(&vm, seed, "gammer_tup", &[900], 0);
        let rolls = rolls(&table.choose("press"));
        let (ours, theirs) =
            (labelled(&rolls, "initiative").unwrap(), labelled(&rolls, "theirs").unwrap());
        assert_eq!((ours.notation.as_str(), theirs.notation.as_str()), ("1d8", "1d8"));
        assert_eq!(modifier(ours, "DEX"), 1, "Wat's");
        let at = |label: &str| rolls.iter().position(|roll| roll.label.contains(label)).unwrap();
        let first = at("Maud Tanner, arming sword") < at("Gammer Tup at");
        assert_eq!(first, ours.total >= theirs.total, "{} to {}", ours.total, theirs.total);
        seen[usize::from(first) + usize::from(ours.total == theirs.total)] += 1;
    }
    assert!(seen.iter().all(|count| *count > 0), "{seen:?}");
}

/// SV-23.4: nobody flees before half of them are down; then 2d6 over their nerve, once.
#[test]
fn nerve() {
    let vm = vm();
    let mut ends = [0, 0];
    for seed in 0..40 {
        let mut table = fight(&vm, seed, "tollman", &[900, 900, 900], 0);
        set_number(&mut table, "fight.begun", 4);
        assert!(labelled(&rolls(&table.choose("guard")), "nerve").is_none(), "three of four stand");
        let mut table = fight(&vm, seed, "tollman", &[900, 900], 0);
        set_number(&mut table, "fight.begun", 4);
        let told = rolls(&table.choose("guard"));
        let thrown = labelled(&told, "nerve").unwrap();
        assert_eq!((thrown.notation.as_str(), thrown.against), ("2d6", Some(8)));
        let broken = thrown.total > 7;
        assert_eq!(scene(&mut table) != "fight", broken, "nerve 7: {}", thrown.total);
        ends[usize::from(broken)] += 1;
        if !broken {
            assert!(labelled(&rolls(&table.choose("guard")), "nerve").is_none(), "once");
        }
        // Creatures of nerve 12 never flee.
        let mut table = fight(&vm, seed, "shield_man", &[900], 0);
        set_number(&mut table, "fight.begun", 4);
        assert!(labelled(&rolls(&table.choose("guard")), "nerve").is_none());
    }
    assert!(ends[0] > 5 && ends[1] > 5, "{ends:?}");
}

/// SV-21.3: under water breath lasts three rounds of a fight; then a check in each, or strain; not
/// with a breath of its own.
#[test]
fn breath_lasts_three_rounds_of_a_fight_under_water() {
    let vm = vm();
    for (round, breathing, checks) in [(1, 0, 0), (3, 0, 0), (4, 0, 4), (9, 0, 4), (9, 6, 0)] {
        let mut table = company(&vm, 3, "in_the_lower_hall");
        set_number(&mut table, "breathing", breathing);
        let told = rolls(&lua(&mut table, &format!("injury.hold_breath({round})")));
        assert_eq!(told.len(), checks, "round {round}");
        assert!(told.iter().all(|roll| roll.label.contains("one breath")));
        let strain: i64 = (1..=4).map(|who| table.int(&format!("members.{who}.strain"))).sum();
        let failed = told.iter().filter(|roll| roll.outcome.as_deref() == Some("failure")).count();
        assert_eq!(strain, i64::try_from(failed).unwrap());
    }
    let mut table = fight(&vm, 3, "nix", &[900], 0);
    table.set("delve.here", Value::text("sovereign:lower_hall"));
    lua(&mut table, "walking.arrive(\"lower_hall\")");
    for round in 1..=5 {
        let told = rolls(&table.choose("guard"));
        let checks = told.iter().filter(|roll| roll.label.contains("one breath")).count();
        assert_eq!(checks > 0, round > 3, "round {round}");
    }
    set_flag(&mut table, "drained");
    let told = rolls(&table.choose("guard"));
    assert!(labelled(&told, "one breath").is_none(), "there is air");
}

/// SV-7.2: in a fight nobody has a hand free to help, and the kit must be got out first.
#[test]
fn a_healer_in_a_fight_is_alone() {
    let vm = vm();
    let mut table = fight(&vm, 3, "gammer_tup", &[900], 0);
    set_number(&mut table, "members.1.hp", 0);
    table.set("members.1.fallen", Value::Bool(true));
    let odds = table.prompt().choice("tend:1").unwrap().odds.clone().unwrap();
    // INT 1 and Heal 1: eight or more.
    assert_eq!((odds.bands[0].cases, odds.total_cases), (15, 36));
}
