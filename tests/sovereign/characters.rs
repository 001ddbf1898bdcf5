//! Characters: scores that change, harm, poison and the healer's kit, and a hill that is restocked
//! (sections 2, 3, 8 and 9).

use base::Value;

use super::harness::{
    answer_number, company_session, events_json, roll_events, run_lua, scene_name, set_number,
    sovereign_vm,
};

/// SV-4.2 to SV-4.4: the better of two modifiers, by the kind of save.
#[test]
fn saves_use_the_better_of_two_modifiers() {
    let vm = sovereign_vm();
    for (kind, attribute, other) in [
        ("physical", "strength", "constitution"),
        ("evasion", "dexterity", "intelligence"),
        ("mental", "intelligence", "wisdom"),
    ] {
        for raised_attribute in ["strength", "dexterity", "constitution", "intelligence", "wisdom"]
        {
            let mut session = company_session(&vm, 3, "in_the_cloister");
            for name in ["strength", "dexterity", "constitution", "intelligence", "wisdom"] {
                let score = if name == raised_attribute { 18 } else { 4 };
                set_number(&mut session, &format!("members.1.attributes.{name}"), score);
            }
            let events = run_lua(&mut session, &format!("checks.save(1, \"{kind}\", \"a trial\")"));
            let target = roll_events(&events)[0].target.unwrap();
            let is_better_attribute = raised_attribute == attribute || raised_attribute == other;
            assert_eq!(
                target,
                if is_better_attribute { 13 } else { 16 },
                "{kind}, {raised_attribute}"
            );
        }
    }
}

/// SV-3.3: at a level all dice of the level are rolled again, with CON, and hit points never fall.
#[test]
fn a_new_level_rerolls_all_hit_dice() {
    let vm = sovereign_vm();
    for seed in 0..12 {
        let begin_session = || {
            let mut session = company_session(&vm, seed, "hearth");
            set_number(&mut session, "members.2.level", 2);
            set_number(&mut session, "members.2.hp_max", 7);
            set_number(&mut session, "members.2.hp", 7);
            set_number(&mut session, "members.2.attributes.constitution", 14);
            session
        };
        // The dice of a level are silent, so the same three are thrown in a second session, and
        // the next one in both shows that the level took three.
        let throw_die = "roll(\"1d6\", \"hit_points\", { label = \"one die\" })";
        let mut session_of_dice = begin_session();
        let dice: Vec<i64> = (0..4)
            .map(|_| roll_events(&run_lua(&mut session_of_dice, throw_die))[0].total)
            .collect();
        let mut session = begin_session();
        let events = run_lua(&mut session, "members.level_up(2)");
        assert!(roll_events(&events).is_empty());
        assert_eq!(roll_events(&run_lua(&mut session, throw_die))[0].total, dice[3]);
        let sum: i64 = dice[..3].iter().map(|die| die + 1).sum();
        let told = if sum > 7 {
            format!("is of level 3: 3 hit dice rolled again, {sum} hit points (was 7).")
        } else {
            "is of level 3: 3 hit dice rolled again gave no more, still 7 hit points.".to_owned()
        };
        let output = events_json(&events);
        assert!(output.contains(&told), "{told}: {output}");
        assert_eq!(session.int("members.2.hp_max"), sum.max(7));
        assert_eq!(session.int("members.2.hp"), sum.max(7), "and the difference is there at once");
    }
}

/// SV-9.1, SV-9.3: a save against a bane gets its bonus and twice the medic's Heal; without a kit,
/// nothing.
#[test]
fn a_save_against_a_bane_gets_bane_and_healer_modifiers() {
    let vm = sovereign_vm();
    let save_modifiers = |bane: &str, setup_line: &str| {
        let mut session = company_session(&vm, 3, "in_the_cupboard");
        run_lua(&mut session, setup_line);
        let roll_list =
            roll_events(&run_lua(&mut session, &format!("injury.expose(1, \"{bane}\")")));
        let save = roll_list.into_iter().find(|roll| roll.stream == "sovereign:saves").unwrap();
        save.modifiers
            .iter()
            .map(|modifier| (modifier.label.clone(), modifier.value))
            .collect::<Vec<_>>()
    };
    let expected = |list: &[(&str, i64)]| {
        list.iter().map(|(label, value)| ((*label).to_owned(), *value)).collect::<Vec<_>>()
    };
    assert_eq!(save_modifiers("bin_lung", ""), expected(&[("this disease", 4), ("Ede's kit", 2)]));
    assert_eq!(
        save_modifiers("barrow_rot", ""),
        expected(&[("this disease", -4), ("Ede's kit", 2)])
    );
    let unskilled_line = "state.members[3].skills.heal = 0";
    assert_eq!(
        save_modifiers("viper_bite", unskilled_line),
        expected(&[("Ede's kit", 1)]),
        "SV-9.1: 0 says nothing"
    );
    let no_kit_line = "for _, one in ipairs(state.members) do one.gear = {} end";
    assert_eq!(save_modifiers("bin_lung", no_kit_line), expected(&[("this disease", 4)]));
}

/// SV-9.2, SV-9.4: poison acts at once, and the deadly kind leaves 1d4 turns.
#[test]
fn poison_acts_at_once() {
    let vm = sovereign_vm();
    let mut poisoned_count = 0;
    for seed in 0..12 {
        let mut session = company_session(&vm, seed, "in_the_cupboard");
        let roll_list = roll_events(&run_lua(&mut session, "injury.expose(1, \"viper_bite\")"));
        let bane_list = session.state_value("members.1.banes");
        let bane_list = bane_list.as_list().unwrap();
        let is_failed = roll_list[0].outcome.as_deref() == Some("not saved");
        assert_eq!(bane_list.len(), usize::from(is_failed));
        if is_failed {
            poisoned_count += 1;
            assert_eq!((roll_list[1].notation.as_str(), roll_list.len()), ("1d4", 2));
            assert_eq!(bane_list[0].get("turns"), Some(&Value::Int(roll_list[1].total)));
        }
    }
    assert!(poisoned_count > 1, "{poisoned_count}");
}

/// SV-8.3: emptied places are full again when the company returns, except those that do not refill.
#[test]
fn emptied_chambers_refill_when_the_company_returns() {
    let vm = sovereign_vm();
    let mut session = company_session(&vm, 3, "hearth");
    set_number(&mut session, "coins", 900);
    for chamber in ["ox_stalls", "dovecote"] {
        run_lua(&mut session, &format!("walking.arrive(\"{chamber}\")"));
        set_number(&mut session, &format!("delve.chambers.sovereign:{chamber}.dwellers"), 0);
    }
    session.set("delve.here", Value::text(""));
    session.world.replace_top_scene("sovereign:home").unwrap();
    session.choose("board");
    session.choose("water");
    answer_number(&mut session, 0);
    let dwellers = |chamber_name: &str| {
        session.int(&format!("delve.chambers.sovereign:{chamber_name}.dwellers"))
    };
    assert!((2..=8).contains(&dwellers("ox_stalls")), "2d4 rats");
    assert_eq!(dwellers("dovecote"), 0, "the spiders were all there were");
}

/// SV-18.4: every arrival is reported; some are encounters, some only events.
#[test]
fn only_some_wanderers_start_an_encounter() {
    let vm = sovereign_vm();
    for (wanderer_id, expected_text, is_encounter) in [
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
        let mut session = company_session(&vm, 3, "in_the_cloister");
        let (coins_before, light_before) = (session.int("coins"), session.int("light.remaining"));
        let line = format!("state.delve.coming = \"sovereign:{wanderer_id}\" flow.next()");
        let output = events_json(&run_lua(&mut session, &line));
        assert!(output.contains(expected_text), "{wanderer_id}: {output}");
        assert_eq!(
            scene_name(&mut session),
            if is_encounter { "meeting" } else { "chamber" },
            "{wanderer_id}"
        );
        match wanderer_id {
            "purse_on_a_nail" => assert!(session.int("coins") > coins_before),
            "draught" => assert_eq!(session.int("light.remaining"), light_before - 1),
            "dropped_tally" => {
                assert_eq!(session.state_value("flags.learn_tithe"), Value::Bool(true))
            }
            _ => {}
        }
    }
}
