//! Characters: scores that change, harm, poison and the healer's kit, and a hill that is restocked
//! (sections 2, 3, 8 and 9).

use engine::base::Value;

use super::harness::{company, lua, number, rolls, said, scene, set_number, vm};

/// SV-4.2 to SV-4.4: the better of two modifiers, by the kind of save.
#[test]
fn saves_take_the_better_of_two() {
    let vm = vm();
    for (kind, one, other) in [
        ("physical", "strength", "constitution"),
        ("evasion", "dexterity", "intelligence"),
        ("mental", "intelligence", "wisdom"),
    ] {
        for raised in ["strength", "dexterity", "constitution", "intelligence", "wisdom"] {
            let mut table = company(&vm, 3, "in_the_cloister");
            for name in ["strength", "dexterity", "constitution", "intelligence", "wisdom"] {
                let score = if name == raised { 18 } else { 4 };
                set_number(&mut table, &format!("members.1.attributes.{name}"), score);
            }
            let told = lua(&mut table, &format!("checks.save(1, \"{kind}\", \"a trial\")"));
            let against = rolls(&told)[0].against.unwrap();
            let helps = raised == one || raised == other;
            assert_eq!(against, if helps { 13 } else { 16 }, "{kind}, {raised}");
        }
    }
}

/// SV-3.3: at a level all dice of the level are rolled again, with CON, and hit points never fall.
#[test]
fn levels_throw_all_dice_again() {
    let vm = vm();
    for seed in 0..12 {
        let mut table = company(&vm, seed, "hearth");
        set_number(&mut table, "members.2.level", 2);
        set_number(&mut table, "members.2.hp_max", 7);
        set_number(&mut table, "members.2.hp", 7);
        set_number(&mut table, "members.2.attributes.constitution", 14);
        let told = rolls(&lua(&mut table, "members.level_up(2)"));
        assert_eq!(told.len(), 3);
        assert!(told.iter().all(|roll| roll.notation == "1d6"));
        let sum: i64 = told.iter().map(|roll| roll.total + 1).sum();
        assert_eq!(table.int("members.2.hp_max"), sum.max(7));
        assert_eq!(table.int("members.2.hp"), sum.max(7), "and the difference is there at once");
    }
}

/// SV-9.1, SV-9.3: a save against a bane gets its bonus and twice the medic's Heal; without a kit,
/// nothing.
#[test]
fn a_bane_meets_a_body() {
    let vm = vm();
    let against = |bane: &str, prepare: &str| {
        let mut table = company(&vm, 3, "in_the_cupboard");
        lua(&mut table, prepare);
        let told = rolls(&lua(&mut table, &format!("injury.expose(1, \"{bane}\")")));
        let save = told.into_iter().find(|roll| roll.stream == "sovereign:saves").unwrap();
        save.modifiers.iter().map(|one| (one.label.clone(), one.value)).collect::<Vec<_>>()
    };
    let seen = |list: &[(&str, i64)]| {
        list.iter().map(|(label, value)| ((*label).to_owned(), *value)).collect::<Vec<_>>()
    };
    assert_eq!(against("bin_lung", ""), seen(&[("bin lung", 4), ("Sister Ede", 2)]));
    assert_eq!(against("barrow_rot", ""), seen(&[("barrow rot", -4), ("Sister Ede", 2)]));
    let able = "state.members[3].skills.heal = 0";
    assert_eq!(against("viper_bite", able), seen(&[("Sister Ede", 1)]), "SV-9.1: 0 says nothing");
    let no_kit = "for _, one in ipairs(state.members) do one.gear = {} end";
    assert_eq!(against("bin_lung", no_kit), seen(&[("bin lung", 4)]));
}

/// SV-9.2, SV-9.4: poison acts at once, and the deadly kind leaves 1d4 turns.
#[test]
fn poison_acts_at_once() {
    let vm = vm();
    let mut taken = 0;
    for seed in 0..12 {
        let mut table = company(&vm, seed, "in_the_cupboard");
        let told = rolls(&lua(&mut table, "injury.expose(1, \"viper_bite\")"));
        let banes = table.state_value("members.1.banes");
        let banes = banes.as_list().unwrap();
        let failed = told[0].outcome.as_deref() == Some("not saved");
        assert_eq!(banes.len(), usize::from(failed));
        if failed {
            taken += 1;
            assert_eq!((told[1].notation.as_str(), told.len()), ("1d4", 2));
            assert_eq!(banes[0].get("turns"), Some(&Value::Int(told[1].total)));
        }
    }
    assert!(taken > 1, "{taken}");
}

/// SV-8.3: emptied places are full again when the company returns, except those that do not refill.
#[test]
fn the_hill_fills_again() {
    let vm = vm();
    let mut table = company(&vm, 3, "hearth");
    set_number(&mut table, "coins", 900);
    for chamber in ["ox_stalls", "dovecote"] {
        lua(&mut table, &format!("walking.arrive(\"{chamber}\")"));
        set_number(&mut table, &format!("delve.chambers.sovereign:{chamber}.dwellers"), 0);
    }
    table.set("delve.here", Value::text(""));
    table.world.replace_top_scene("sovereign:home").unwrap();
    table.choose("board");
    table.choose("water");
    number(&mut table, 0);
    let dwellers = |at: &str| table.int(&format!("delve.chambers.sovereign:{at}.dwellers"));
    assert!((2..=8).contains(&dwellers("ox_stalls")), "2d4 rats");
    assert_eq!(dwellers("dovecote"), 0, "the spiders were all there were");
}

/// SV-18.4: every arrival is reported; some are encounters, some only events.
#[test]
fn not_all_that_comes_by_is_hostile() {
    let vm = vm();
    for (wanderer, told_of, met) in [
        ("goat", "collar of plaited straw", false),
        ("draught", "takes a turn off whatever", false),
        ("purse_on_a_nail", "nobody has come back for", false),
        ("rats_in_the_straw", "The straw hisses", true),
        ("toll_round", "singing round it", true),
        ("sweating_wall", "smells of bread", false),
        ("dropped_tally", "notched stick", false),
        ("forage", "trundling a barrow", true),
        ("the_turn_of_the_worm", "The whole floor shifts", false),
        ("asked_in_passing", "which of you it is", false),
        ("watch_relieved", "in step, on stone", true),
    ] {
        let mut table = company(&vm, 3, "in_the_cloister");
        let (gold, light) = (table.int("coins"), table.int("light.remaining"));
        let line = format!("state.delve.coming = \"sovereign:{wanderer}\" flow.next()");
        let told = said(&lua(&mut table, &line));
        assert!(told.contains(told_of), "{wanderer}: {told}");
        assert_eq!(scene(&mut table), if met { "meeting" } else { "chamber" }, "{wanderer}");
        match wanderer {
            "purse_on_a_nail" => assert!(table.int("coins") > gold),
            "draught" => assert_eq!(table.int("light.remaining"), light - 1),
            "dropped_tally" => {
                assert_eq!(table.state_value("flags.learn_tithe"), Value::Bool(true))
            }
            _ => {}
        }
    }
}
