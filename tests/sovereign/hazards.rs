//! Hazards in play: falls, breath, battered doors, dawn, and ambushes (sections 8, 12, 14, 17, 18
//! and 21).

use base::Value;
use protocol::{StoryEvent, story_event::RollEvent};

use super::harness::{
    GameSession, choice_odds, company_session, disabled_reason, enabled_choice_ids, events_json,
    roll_events, run_lua, scene_name, set_flag, set_number, sovereign_vm,
};

fn member_value(session: &GameSession<'_>, member_number: usize, field: &str) -> i64 {
    session.int(&format!("members.{member_number}.{field}"))
}

fn rolls_of_stream(events: &[StoryEvent], stream: &str) -> Vec<RollEvent> {
    roll_events(events)
        .into_iter()
        .filter(|roll| roll.stream == format!("sovereign:{stream}"))
        .collect()
}

/// A character that survives the test.
fn hardy_company<'a>(vm: &'a script::Vm, seed: u64, opening: &str) -> GameSession<'a> {
    let mut session = company_session(vm, seed, opening);
    for member_number in 1..=4 {
        set_number(&mut session, &format!("members.{member_number}.hp_max"), 900);
        set_number(&mut session, &format!("members.{member_number}.hp"), 900);
    }
    session
}

/// SV-12.1, SV-12.2, SV-12.3: a die per ten feet, at most twenty, one more on spikes; half of it
/// for a successful leap.
#[test]
fn falls_roll_a_die_per_ten_feet() {
    let vm = sovereign_vm();
    for (feet, spikes, dice) in
        [(9, false, 0), (10, false, 1), (20, true, 3), (250, false, 20), (250, true, 21)]
    {
        let mut session = hardy_company(&vm, 1, "in_the_cupboard");
        let events = run_lua(&mut session, &format!("injury.fall(2, {feet}, {spikes})"));
        let roll_list = rolls_of_stream(&events, "falls");
        let dice_count: usize = roll_list.iter().map(|roll| roll.dice.len()).sum();
        assert_eq!(dice_count, dice, "{feet} feet");
        assert!(roll_list.iter().all(|roll| roll.dice.iter().all(|die| die.sides == 6)));
        let lost_hit_points: i64 = roll_list.iter().map(|roll| roll.total).sum();
        assert_eq!(member_value(&session, 2, "hp"), 900 - lost_hit_points);
    }
    let mut outcomes_seen = [false, false];
    for seed in 0..12 {
        let mut session = hardy_company(&vm, seed, "at_the_pit");
        let events = session.choose("thing:slide_down");
        let is_jump_made = session.state_value("flags").get("pit").is_some();
        // Ten feet of it, or twenty and the spikes.
        let notation = if is_jump_made { "1d6" } else { "3d6" };
        assert_eq!(
            rolls_of_stream(&events, "falls")[0].notation,
            notation,
            "{}",
            events_json(&events)
        );
        let mut session = hardy_company(&vm, seed, "at_the_pit");
        let events = session.choose("thing:jump_it");
        let fall_rolls = rolls_of_stream(&events, "falls");
        assert!(fall_rolls.is_empty() || fall_rolls[0].notation == "3d6");
        outcomes_seen[usize::from(is_jump_made)] = true;
    }
    assert_eq!(outcomes_seen, [true, true]);
}

/// SV-12.4: a round per point of Constitution; then a save in each round, or a hit point for each
/// level.
#[test]
fn without_air_each_round_past_constitution_needs_a_save() {
    let vm = sovereign_vm();
    for (constitution, rounds, saves) in [(14, 14, 0), (14, 16, 2), (9, 16, 7)] {
        for seed in 0..6 {
            let mut session = hardy_company(&vm, seed, "in_the_cupboard");
            set_number(&mut session, "members.1.attributes.constitution", constitution);
            let events = run_lua(&mut session, &format!("injury.airless(1, {rounds})"));
            let roll_list = rolls_of_stream(&events, "saves");
            assert_eq!(roll_list.len(), saves);
            let failed_saves =
                roll_list.iter().filter(|roll| roll.outcome.as_deref() == Some("not saved"));
            let lost_hit_points = 3 * i64::try_from(failed_saves.count()).unwrap();
            assert_eq!(member_value(&session, 1, "hp"), 900 - lost_hit_points, "of level 3");
        }
    }
    // The bins: sixteen rounds for whoever wades in and sinks.
    let mut sunk_count = 0;
    for seed in 0..10 {
        let mut session = hardy_company(&vm, seed, "in_the_bins");
        let events = session.choose("thing:wade_in");
        let save_rolls = rolls_of_stream(&events, "saves");
        if !save_rolls.iter().any(|roll| roll.label.ends_with("no air")) {
            continue;
        }
        sunk_count += 1;
        let constitution = member_value(&session, 1, "attributes.constitution");
        let airless_saves = save_rolls.iter().filter(|roll| roll.label.ends_with("no air")).count();
        assert_eq!(i64::try_from(airless_saves).unwrap(), 16 - constitution);
    }
    assert!(sunk_count > 1, "{sunk_count}");
}

/// SV-17.3, SV-17.4: a number of turns, each with one check more than the watch of the place.
#[test]
fn battering_a_door_attracts_wanderers() {
    let vm = sovereign_vm();
    let (mut arrival_count, mut turns) = (0, 0);
    for seed in 0..60 {
        // Disused: a check every sixth turn by itself, and the door takes twelve.
        let mut session = company_session(&vm, seed, "in_the_cloister");
        session.choose("exit:2");
        let turn_before = session.int("delve.turn");
        let output = events_json(&session.choose("batter"));
        let turns_taken = session.int("delve.turn") - turn_before;
        turns += turns_taken;
        if output.contains("You stop, and hear why") {
            arrival_count += 1;
        } else {
            assert!(
                turns_taken == 12 && output.contains("the whole hill"),
                "{turns_taken}: {output}"
            );
            assert_eq!(session.state_value("delve.alarm.sovereign:brethren"), Value::Bool(true));
        }
    }
    // Twelve turns with one check each, and two more: nine doors of ten bring somebody before they
    // give. With the two alone it would be three of ten.
    assert!((44..=60).contains(&arrival_count), "{arrival_count} of 60 in {turns} turns");
    let mut session = company_session(&vm, 1, "among_the_shields");
    clear_shield_hall(&mut session);
    session.choose("exit:27");
    assert!(disabled_reason(&mut session, "batter").contains("break that"), "bronze");
}

fn clear_shield_hall(session: &mut GameSession<'_>) {
    set_number(session, "delve.chambers.sovereign:shield_hall.dwellers", 0);
}

/// SV-18.2: an ambush may see them first: a group DEX/Sneak against 8 and their wits.
#[test]
fn an_ambush_may_surprise_the_arrivals() {
    let vm = sovereign_vm();
    let (mut arrival_count, mut surprised_count, mut turns_waited) = (0, 0, 0);
    for seed in 0..100 {
        let mut session = company_session(&vm, seed, "in_the_barn");
        // Wat adds 2, each of the others takes 1: ten or more of 2d6 against 9.
        session.choose("stay");
        assert_eq!(choice_odds(&mut session, "lie_in_wait").0[0].1, 6);
        let turn_before = session.int("delve.turn");
        let events = session.choose("lie_in_wait");
        turns_waited += session.int("delve.turn") - turn_before;
        if scene_name(&mut session) != "meeting" {
            assert!(session.int("delve.turn") - turn_before <= 6, "an hour at most");
            continue;
        }
        arrival_count += 1;
        let ambush_roll =
            roll_events(&events).into_iter().find(|roll| roll.label.ends_with("lying in wait"));
        let ambush_roll = ambush_roll.unwrap_or_else(|| panic!("{}", events_json(&events)));
        let is_rats = events_json(&events).contains("it is rats");
        assert_eq!(ambush_roll.target, Some(if is_rats { 8 } else { 9 }));
        let are_surprised = session.state_value("meeting.surprised") == Value::text("them");
        assert_eq!(are_surprised, ambush_roll.outcome.as_deref() == Some("success"));
        surprised_count += usize::from(are_surprised);
    }
    assert!(
        arrival_count > 15 && surprised_count > 0 && surprised_count < arrival_count,
        "{arrival_count}, {surprised_count}, {turns_waited}"
    );
}

/// SV-14.3, SV-7.9: first aid and looting together take one turn.
#[test]
fn looting_and_first_aid_are_one_turn() {
    let vm = sovereign_vm();
    let mut session = company_session(&vm, 2, "in_the_cupboard");
    let purse_value =
        Value::map_of([("creature", Value::text("sovereign:tollman")), ("fallen", Value::Int(3))]);
    session.set("delve.chambers.sovereign:priests_hole.purses", Value::List(vec![purse_value]));
    let (coins_before, turn_before) = (session.int("coins"), session.int("delve.turn"));
    set_number(&mut session, "members.1.hp", 1);
    let events = session.choose("first_aid");
    assert_eq!(session.int("delve.turn"), turn_before + 1);
    let treasure_roll = &rolls_of_stream(&events, "treasure")[0];
    assert_eq!(
        (treasure_roll.notation.as_str(), session.int("coins") - coins_before),
        ("3d6", treasure_roll.total)
    );
    assert!(member_value(&session, 1, "hp") > 1);
    assert!(!enabled_choice_ids(&mut session).contains(&"loot".to_owned()), "once");
}

/// SV-21.1, SV-21.3, SV-21.4: the swim costs breath; fire goes out, a working does not; nobody
/// swims for ever.
#[test]
fn swimming_costs_breath_and_puts_out_fire() {
    let vm = sovereign_vm();
    let mut checks = [0, 0];
    for seed in 0..4 {
        let mut session = company_session(&vm, seed, "by_the_leat");
        set_number(&mut session, "light.remaining", 10);
        let events = session.choose("exit:21");
        checks[0] += rolls_of_stream(&events, "swimming").len();
        assert_eq!(session.int("light.remaining"), 0, "a lantern");
        let mut session = company_session(&vm, seed, "in_the_drain");
        session.set("light.name", Value::text("glow"));
        set_number(&mut session, "delve.chambers.sovereign:drain.dwellers", 0);
        let events = session.choose("exit:21");
        checks[1] += rolls_of_stream(&events, "swimming").len();
        assert!(session.int("light.remaining") > 0, "the glow");
        if scene_name(&mut session) == "meeting" {
            assert_eq!(session.int("meeting.feet"), 15, "half of thirty: it is dim");
        }
    }
    // Forty-five feet are three rounds, sixty are four: one check for each of four members, four
    // times.
    assert_eq!(checks, [0, 16]);
    let mut session = company_session(&vm, 1, "in_the_lower_hall");
    session.choose("stay");
    assert!(disabled_reason(&mut session, "sleep").contains("nobody"));
    session.choose("back");
    // Piers, Constitution 11: two hours. Maud, 14: three.
    set_number(&mut session, "swum", 12);
    run_lua(&mut session, "injury.tread_water()");
    assert_eq!((member_value(&session, 4, "strain"), member_value(&session, 1, "strain")), (1, 0));
    set_flag(&mut session, "drained");
    assert!(
        !enabled_choice_ids(&mut session).contains(&"thing:dive_for_ring".to_owned()),
        "it is dry"
    );
}

/// SV-21.4: sound carries twice as far under water: checks are due twice as often.
#[test]
fn wanderers_are_checked_twice_as_often_under_water() {
    let vm = sovereign_vm();
    let mut arrival_counts = [0, 0];
    for seed in 0..80 {
        for (index, is_drained) in [(0, false), (1, true)] {
            let mut session = company_session(&vm, seed, "in_the_lower_hall");
            set_number(&mut session, "delve.chambers.sovereign:lower_hall.dwellers", 0);
            set_number(&mut session, "delve.turn", 2);
            if is_drained {
                set_flag(&mut session, "drained");
            }
            run_lua(&mut session, "time.pass_turn()");
            arrival_counts[index] +=
                usize::from(session.state_value("delve.coming") != Value::text(""));
        }
    }
    // Disused: every sixth turn; under water every third, and this was the third.
    assert!(arrival_counts[0] > 4 && arrival_counts[1] == 0, "{arrival_counts:?}");
}

/// SV-15.3: a search rolls for one member, with +2; the others do not roll.
#[test]
fn a_search_rolls_for_one_member() {
    let vm = sovereign_vm();
    let mut found_counts = [0, 0];
    for seed in 0..120 {
        let mut session = company_session(&vm, seed, "in_the_cloister");
        // Nobody sees it on the way in, because they come in the dark.
        set_number(&mut session, "light.remaining", 1);
        session.choose("exit:12");
        session.choose("soft");
        if scene_name(&mut session) != "chamber" {
            continue;
        }
        set_number(&mut session, "light.remaining", 9);
        let sees_chimney = |session: &mut GameSession<'_>| {
            enabled_choice_ids(session).contains(&"thing:look_up_chimney".to_owned())
        };
        if !sees_chimney(&mut session) {
            session.choose("search");
            found_counts[usize::from(sees_chimney(&mut session))] += 1;
        }
    }
    // WIS and Notice are +1 together, and +2 for searching: 21 of 36. All four at once would miss
    // one in six.
    let share = found_counts[1] * 36 / (found_counts[0] + found_counts[1]);
    assert!((16..=26).contains(&share), "{found_counts:?}");
}
