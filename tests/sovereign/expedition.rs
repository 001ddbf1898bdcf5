//! The company underground: turns, lights, loads, doors, traps, wounds, water (sections 7 to 17 and
//! 21).

use base::Value;

use super::harness::{
    GameSession, choice_odds, clear_value, company_session, disabled_reason, enabled_choice_ids,
    events_json, run_lua, scene_name, set_flag, set_number, sovereign_vm, stay_in_chamber,
};

fn member_value(session: &GameSession<'_>, member_number: usize, field: &str) -> i64 {
    session.int(&format!("members.{member_number}.{field}"))
}

fn current_turn(session: &GameSession<'_>) -> i64 {
    session.int("delve.turn")
}

/// SV-6.1, SV-14.2, SV-14.3: a move is a turn; each member may do one thing in a turn.
#[test]
fn each_member_acts_once_in_a_turn() {
    let vm = sovereign_vm();
    let mut session = company_session(&vm, 5, "in_the_cloister");
    let start_turn = current_turn(&session);
    for _ in 0..3 {
        session.choose("search");
        assert_eq!(current_turn(&session), start_turn, "three pairs of eyes, one turn");
    }
    session.choose("search");
    assert_eq!(current_turn(&session), start_turn + 1, "the fourth ends it");
    session.choose("search");
    session.choose("end_turn");
    assert_eq!(current_turn(&session), start_turn + 2);
    session.choose("search");
    session.choose("exit:13");
    assert_eq!(current_turn(&session), start_turn + 4, "the begun turn, and the move");
}

/// SV-14.3: a torch lasts six turns; nothing can be examined in the dark.
#[test]
fn a_torch_lasts_six_turns() {
    let vm = sovereign_vm();
    let mut session = company_session(&vm, 1, "at_the_slab");
    set_number(&mut session, "light.remaining", 0);
    assert!(disabled_reason(&mut session, "thing:look_at_carving").contains("cannot see"));
    session.choose("light_torch");
    assert_eq!(session.int("light.remaining"), 6);
    let mut turns = 0;
    while session.int("light.remaining") > 0 {
        session.set("delve.coming", Value::text(""));
        session.choose("search");
        session.choose("end_turn");
        turns += 1;
        if scene_name(&mut session) != "chamber" {
            session.set("meeting", Value::map());
            return;
        }
    }
    assert_eq!(turns, 6);
    session.choose("light_lantern");
    assert_eq!(session.int("light.remaining"), 24);
}

/// SV-18.3, SV-18.4, SV-18.5, SV-14.1: nobody comes to a place that nobody knows; elsewhere one in
/// six, as often as the watch sets.
#[test]
fn wanderers_are_checked_only_in_known_places() {
    let vm = sovereign_vm();
    let mut arrival_count = 0;
    for seed in 0..40 {
        let mut session = company_session(&vm, seed, "in_the_cupboard");
        stay_in_chamber(&mut session, "sleep");
        assert_eq!(scene_name(&mut session), "chamber", "unknown to the natives: no check");
        assert_eq!(current_turn(&session), 48);
        let mut session =
            move_company_to(company_session(&vm, seed, "in_the_cupboard"), "sovereign:answer_well");
        set_number(&mut session, "light.remaining", 24);
        // Sparse: turns 4 and 8 have a check; the others have none.
        for turn_number in 1..=8 {
            let events = events_json(&pass_turn(&mut session));
            let is_arrival = !events.contains("\"aside\"") && events.contains("\"say\"");
            assert!(
                !is_arrival || turn_number % 4 == 0,
                "seed {seed}, turn {turn_number}: {events}"
            );
            arrival_count += usize::from(is_arrival);
            if is_arrival {
                break;
            }
        }
    }
    // One in six, twice: 40 times 11 of 36.
    assert!((4..=22).contains(&arrival_count), "{arrival_count}");
}

/// One member searches, and the turn passes.
fn pass_turn(session: &mut GameSession<'_>) -> Vec<protocol::StoryEvent> {
    session.choose("search");
    session.choose("end_turn")
}

/// SV-8.1, SV-8.3, SV-12.5, SV-12.6, SV-12.8: sleep on stone restores nothing, and costs food and
/// water.
#[test]
fn sleep_underground_restores_nothing() {
    let vm = sovereign_vm();
    let mut session = company_session(&vm, 3, "in_the_cupboard");
    set_number(&mut session, "members.1.hp", 1);
    set_number(&mut session, "members.1.strain", 2);
    stay_in_chamber(&mut session, "sleep");
    assert_eq!(
        (member_value(&session, 1, "hp"), member_value(&session, 1, "strain")),
        (1, 2),
        "no comfort"
    );
    assert_eq!(session.int("awake"), 0, "but slept");
    stay_in_chamber(&mut session, "sleep");
    assert_eq!(member_value(&session, 1, "strain"), 2, "they have eaten, that day");
    set_number(&mut session, "day", 2);
    stay_in_chamber(&mut session, "sleep");
    assert_eq!(member_value(&session, 1, "strain"), 6, "a day without food and water: 1 and 3");
    set_number(&mut session, "members.1.strain", 14);
    set_number(&mut session, "day", 3);
    let output = events_json(&stay_in_chamber(&mut session, "sleep"));
    assert_eq!(session.state_value("members.1.dead"), Value::Bool(true), "{output}");
    assert!(output.contains("hunger"));
}

/// Moves the company directly, without an encounter.
fn move_company_to<'a>(mut session: GameSession<'a>, id: &str) -> GameSession<'a> {
    for value_name in ["meeting", "fight", "chase", "parley"] {
        clear_value(&mut session, value_name);
    }
    let chamber_value =
        session.state_value("delve.chambers").as_map().unwrap().values().next().unwrap().clone();
    session.set(&format!("delve.chambers.{id}"), chamber_value);
    session.set("delve.here", Value::text(id));
    session.world.replace_top_scene("sovereign:chamber").unwrap();
    session
}

/// SV-12.7, SV-8.1: a day and a night without sleep is two strain.
#[test]
fn a_day_without_sleep_costs_two_strain() {
    let vm = sovereign_vm();
    let mut session = company_session(&vm, 3, "in_the_cupboard");
    set_number(&mut session, "awake", 143);
    session.choose("thing:take_the_casket");
    assert_eq!(member_value(&session, 1, "strain"), 2);
}

/// SV-7.9, SV-7.10: first aid heals and strains; members at their limit refuse it.
#[test]
fn first_aid_heals_and_strains() {
    let vm = sovereign_vm();
    let mut session = company_session(&vm, 3, "in_the_cupboard");
    set_number(&mut session, "members.1.hp_max", 12);
    set_number(&mut session, "members.1.hp", 5);
    session.choose("first_aid");
    let (hp, strain) = (member_value(&session, 1, "hp"), member_value(&session, 1, "strain"));
    assert!(hp > 5 && (1..=3).contains(&strain), "{hp}, {strain}");
    assert_eq!(current_turn(&session), 1, "one turn, however much");
    let mut session = company_session(&vm, 3, "in_the_cupboard");
    set_number(&mut session, "members.1.hp", 1);
    set_number(&mut session, "members.1.strain", 14);
    assert!(!enabled_choice_ids(&mut session).contains(&"first_aid".to_owned()), "SV-7.10");
}

/// SV-7.1, SV-7.2, SV-7.3, SV-7.5: six rounds; a growing penalty; saved and frail; dead the next
/// time.
#[test]
fn mortal_wounds_kill_after_six_rounds_unless_treated() {
    let vm = sovereign_vm();
    let mut session = company_session(&vm, 3, "in_the_cupboard");
    set_number(&mut session, "members.1.hp", 0);
    session.set("members.1.fallen", Value::Bool(true));
    session.choose("search");
    assert_eq!(scene_name(&mut session), "aid");
    // Sister Ede: INT +1, Heal 1; each round costs one. Piers, free and of use (INT +1, Heal 0),
    // helps; Wat and Maud do not.
    for cases in [21, 15, 10, 6, 3, 1, 0] {
        let (bands, total_cases) = choice_odds(&mut session, "tend:1");
        assert_eq!((bands[0].1, total_cases), (cases, 36));
        let rounds_down = member_value(&session, 1, "rounds_down");
        set_number(&mut session, "members.1.rounds_down", rounds_down + 1);
    }
    let note = session.prompt().choice("tend:1").unwrap().note.clone();
    assert!(!note.contains("last round"), "{note}");
    set_number(&mut session, "members.1.rounds_down", 6);
    assert_eq!(session.prompt().choice("tend:1").unwrap().note, "this is the last round");
    set_number(&mut session, "members.1.rounds_down", 5);
    run_lua(&mut session, "injury.bleed_round()");
    assert_eq!(
        session.state_value("members.1.dead"),
        Value::Bool(false),
        "the sixth has only begun"
    );
    set_number(&mut session, "members.4.helpless", 1);
    assert_eq!(choice_odds(&mut session, "tend:1").0[0].1, 0);
    set_number(&mut session, "members.1.rounds_down", 0);
    assert_eq!(choice_odds(&mut session, "tend:1").0[0].1, 15, "no helper is there");
    set_number(&mut session, "members.4.helpless", 0);
    session.choose("let_be");
    assert_eq!(session.state_value("members.1.dead"), Value::Bool(true));
    let mut saved_count = 0;
    for seed in 0..30 {
        let mut session = company_session(&vm, seed, "in_the_cupboard");
        set_number(&mut session, "members.1.hp", 0);
        session.set("members.1.fallen", Value::Bool(true));
        session.choose("search");
        while scene_name(&mut session) == "aid" {
            let is_hopeless = session.prompt().choice("tend:1").unwrap().disabled_because.is_some();
            session.choose(if is_hopeless { "let_be" } else { "tend:1" });
        }
        if session.state_value("members.1.dead") == Value::Bool(false) {
            saved_count += 1;
            assert_eq!(
                (member_value(&session, 1, "hp"), member_value(&session, 1, "helpless")),
                (1, 1)
            );
            assert_eq!(session.state_value("members.1.frail"), Value::Bool(true));
        }
    }
    assert!((20..30).contains(&saved_count), "{saved_count}");
}

/// SV-9.4: the deadly kind gives turns to live, and no more.
#[test]
fn deadly_poison_kills_when_its_turns_end() {
    let vm = sovereign_vm();
    let mut session = company_session(&vm, 3, "in_the_cupboard");
    let bane =
        Value::map_of([("id", Value::text("sovereign:viper_bite")), ("turns", Value::Int(1))]);
    session.set("members.4.banes", Value::List(vec![bane]));
    let output = events_json(&session.choose("thing:take_the_casket"));
    assert_eq!(session.state_value("members.4.dead"), Value::Bool(true), "{output}");
}

/// SV-9.2: a disease acts with the next night.
#[test]
fn diseases_take_effect_in_the_next_night() {
    let vm = sovereign_vm();
    let mut session = company_session(&vm, 3, "in_the_cupboard");
    let disease_list = Value::List(vec![Value::text("sovereign:bin_lung")]);
    session.set("members.1.incubating", disease_list);
    session.choose("thing:take_the_casket");
    assert_eq!(member_value(&session, 1, "strain"), 0);
    let output = events_json(&stay_in_chamber(&mut session, "sleep"));
    assert!(
        output.contains("wakes coughing grey") && member_value(&session, 1, "strain") == 2,
        "{output}"
    );
}

/// SV-11.1 to SV-11.5: gold has weight; too much of it stops the company.
#[test]
fn too_much_gold_stops_the_company() {
    let vm = sovereign_vm();
    let mut session = company_session(&vm, 3, "in_the_cupboard");
    set_number(&mut session, "coins", 9_000);
    assert!(disabled_reason(&mut session, "exit:20").contains("carry more"));
    session.choose("drop_coins");
    assert!(enabled_choice_ids(&mut session).contains(&"exit:20".to_owned()));
    let coins_carried = session.int("coins");
    assert!(coins_carried < 9_000 && coins_carried > 1_000, "{coins_carried}");
    assert_eq!(coins_carried + session.int("delve.chambers.sovereign:priests_hole.pile"), 9_000);
}

/// SV-11.2, SV-11.3: half of Strength is ready.
#[test]
fn half_of_strength_is_ready_to_hand() {
    let vm = sovereign_vm();
    let mut session = company_session(&vm, 3, "hearth");
    session.choose("packs");
    let prompt = session.prompt();
    let note = &prompt.choice("pack:1").unwrap().note;
    assert!(note.contains("of 7") && note.contains("of 15"), "Strength 15: {note}");
    session.choose("pack:1");
    let stow_choice =
        enabled_choice_ids(&mut session).into_iter().find(|id| id.starts_with("stow:")).unwrap();
    session.choose(&stow_choice);
}

/// SV-16.1, SV-12.1: an unseen trap, each who passes, two in six; planked, never.
#[test]
fn an_unseen_trap_springs_two_times_in_six() {
    let vm = sovereign_vm();
    let mut sprung_count = 0;
    for seed in 0..40 {
        let mut session =
            move_company_to(company_session(&vm, seed, "in_the_cloister"), "sovereign:kiln");
        session.choose("exit:5");
        sprung_count += usize::from(session.int("delve.chambers.sovereign:kiln.sprung") > 0);
        let mut session =
            move_company_to(company_session(&vm, seed, "in_the_cloister"), "sovereign:kiln");
        set_flag(&mut session, "kiln_planked");
        session.choose("exit:5");
        assert_eq!(session.int("delve.chambers.sovereign:kiln.sprung"), 0);
    }
    // Four members: at least once in all but (2/3)^4 of the times.
    assert!((25..=38).contains(&sprung_count), "{sprung_count} of 40");
}

/// SV-17.1 to SV-17.4: a lock can be tried once per level; battering takes turns; a key opens at
/// once.
#[test]
fn a_lock_can_be_picked_once_per_level() {
    let vm = sovereign_vm();
    let mut failed_count = 0;
    for seed in 0..12 {
        let mut session = company_session(&vm, seed, "in_the_cloister");
        session.choose("exit:2");
        assert_eq!(scene_name(&mut session), "door");
        // Wat: DEX +1, Sneak 1.
        assert_eq!(
            choice_odds(&mut session, "pick"),
            (vec![("success".into(), 15), ("failure".into(), 21)], 36)
        );
        session.choose("pick");
        if enabled_choice_ids(&mut session).contains(&"soft".to_owned()) {
            continue;
        }
        failed_count += 1;
        session.choose("back");
        session.choose("end_turn");
        if scene_name(&mut session) == "chamber" {
            session.choose("exit:2");
            assert!(disabled_reason(&mut session, "pick").contains("beaten by this lock"));
            set_number(&mut session, "members.2.level", 2);
            assert!(enabled_choice_ids(&mut session).contains(&"pick".to_owned()));
        }
    }
    assert!(failed_count > 2);
    let mut session = company_session(&vm, 1, "in_the_cloister");
    session.choose("exit:2");
    let note = session.prompt().choice("batter").unwrap().note.clone();
    assert!(note.starts_with("12 turns"), "banded: three times six less 1 and 1: {note}");
    set_flag(&mut session, "cloister_key");
    session.choose("key");
    assert!(enabled_choice_ids(&mut session).contains(&"soft".to_owned()));
}

/// SV-17.5, SV-17.6: stuck doors, forced at once or in up to three turns, eased without a roll;
/// listening.
#[test]
fn stuck_doors_can_be_forced_or_eased() {
    let vm = sovereign_vm();
    for seed in 0..10 {
        let mut session = company_session(&vm, seed, "at_the_gate");
        session.choose("exit:5");
        let output = events_json(&session.choose("listen"));
        assert!(output.contains("offering terms to a knot"), "talk is heard without a throw");
        assert!(disabled_reason(&mut session, "listen").contains("this turn"));
        let turn_before = current_turn(&session);
        let output = events_json(&session.choose("force"));
        let turns_taken = current_turn(&session) - turn_before;
        assert_eq!(turns_taken == 0, output.contains("It jumps open"), "{output}");
        assert!((0..=3).contains(&turns_taken));
    }
    let mut session = company_session(&vm, 1, "at_the_gate");
    session.choose("exit:5");
    let output = events_json(&session.choose("ease"));
    assert!(!output.contains("2d6"), "nothing is thrown");
}

/// SV-12.2, SV-12.3, SV-1.6: the pit: jumped, slid into, or filled without a roll.
#[test]
fn the_pit_can_be_filled_without_a_roll() {
    let vm = sovereign_vm();
    let mut session = company_session(&vm, 1, "at_the_pit");
    assert!(disabled_reason(&mut session, "exit:22").contains("spikes"));
    let label = session.prompt().choice("thing:slide_down").unwrap().odds.clone().unwrap().label;
    assert!(label.ends_with("against 9"), "7 and 1 for every 10 of 20 feet: {label}");
    session.choose("thing:look_at_boxes");
    let output = events_json(&session.choose("thing:fill_the_pit"));
    assert!(!output.contains("2d6") && current_turn(&session) >= 3);
    assert_eq!(session.state_value("flags.pit"), Value::Bool(true));
}

/// SV-21.2, SV-21.3: metal sinks; the sluice drains it; one breath is three rounds.
#[test]
fn metal_armour_sinks_and_draining_removes_the_water() {
    let vm = sovereign_vm();
    let mut session = company_session(&vm, 1, "by_the_leat");
    assert!(enabled_choice_ids(&mut session).contains(&"exit:21".to_owned()));
    let mail_item = Value::map_of([
        ("ware", Value::text("sovereign:chain_shirt")),
        ("ready", Value::Bool(true)),
    ]);
    session.set("members.1.gear", Value::List(vec![mail_item]));
    assert!(disabled_reason(&mut session, "exit:21").contains("sink"));
    set_flag(&mut session, "drained");
    assert!(enabled_choice_ids(&mut session).contains(&"exit:21".to_owned()));
    let mut breath_checks = 0;
    for seed in 0..8 {
        let mut session = company_session(&vm, seed, "by_the_leat");
        let output = events_json(&session.choose("thing:feel_the_culvert"));
        breath_checks += output.matches("one breath").count();
        set_number(&mut session, "breathing", 6);
    }
    // 45 feet are three rounds, 60 feet four: a check for each round past the third.
    assert!((1..=8).contains(&breath_checks), "{breath_checks}");
}

/// SV-15.2, SV-15.3: hidden things are noticed by secret rolls, more often when searched for;
/// always when named.
#[test]
fn hidden_things_are_noticed_by_secret_rolls() {
    let vm = sovereign_vm();
    let mut noticed_counts = [0, 0];
    for seed in 0..30 {
        let mut session = company_session(&vm, seed, "in_the_cloister");
        session.choose("exit:12");
        let output = events_json(&session.choose("soft"));
        assert!(!output.contains("WIS/Notice"), "the roll is secret");
        let is_found =
            enabled_choice_ids(&mut session).contains(&"thing:look_up_chimney".to_owned());
        noticed_counts[0] += usize::from(is_found);
        if !is_found && scene_name(&mut session) == "chamber" {
            session.choose("search");
            noticed_counts[1] += usize::from(
                enabled_choice_ids(&mut session).contains(&"thing:look_up_chimney".to_owned()),
            );
        }
    }
    assert!(
        noticed_counts[0] > 2 && noticed_counts[0] < 28 && noticed_counts[1] > 0,
        "{noticed_counts:?}"
    );
}
