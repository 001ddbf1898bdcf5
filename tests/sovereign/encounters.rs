//! Encounters: shown odds, talk with leverage, fights, chases (sections 10, 18 to 20 and 23).

use base::Value;

use super::harness::{
    GameSession, begin_encounter, choice_odds, clear_value, company_session, disabled_reason,
    enabled_choice_ids, events_json, scene_name, set_flag, set_number, sovereign_vm,
};

/// SV-19.1: creatures without wits attack at once and cannot be talked to.
#[test]
fn beasts_attack_and_cannot_be_talked_to() {
    let vm = sovereign_vm();
    for seed in 0..8 {
        let mut session = begin_encounter(&vm, seed, "barn_rat", 3);
        assert!(disabled_reason(&mut session, "talk").contains("no creature that talks"));
        session.choose("wait");
        assert_eq!(scene_name(&mut session), "fight");
    }
}

/// SV-1.6, SV-20.1: their known want begins the talk without a roll; beasts are fed.
#[test]
fn a_known_want_or_food_avoids_rolls() {
    let vm = sovereign_vm();
    let mut session = begin_encounter(&vm, 1, "tollman", 4);
    set_number(&mut session, "coins", 100);
    assert!(
        !enabled_choice_ids(&mut session).iter().any(|id| id.starts_with("open:")),
        "their want is unknown"
    );
    set_flag(&mut session, "heard_toll");
    let output = events_json(&session.choose("open:toll"));
    assert!(!output.contains("2d6"));
    assert_eq!((scene_name(&mut session), session.int("coins")), ("parley".to_owned(), 60));
    session.choose("ask:through");
    session.choose("leave");
    assert_eq!(session.state_value("delve.stance.sovereign:tollmen"), Value::text("friend"));
    assert_eq!(scene_name(&mut session), "chamber");
    let mut session = begin_encounter(&vm, 1, "barn_rat", 3);
    let output = events_json(&session.choose("soothe:feed"));
    assert!(!output.contains("d6") && scene_name(&mut session) == "chamber");
}

/// SV-20.1, SV-20.2: offered leverage buys its worth, and is spent; each can be offered once.
#[test]
fn offered_leverage_is_spent_and_counts_once() {
    let vm = sovereign_vm();
    let mut session = begin_encounter(&vm, 1, "brock", 2);
    set_flag(&mut session, "heard_sett");
    set_flag(&mut session, "cubs_mended");
    assert!(
        !enabled_choice_ids(&mut session).contains(&"open:honey".to_owned()),
        "there is none to give"
    );
    session.choose("open:cubs");
    assert_eq!(session.int("parley.weight"), 5);
    session.choose("ask:crawl");
    assert_eq!(
        (session.int("parley.weight"), session.state_value("flags.sett_way")),
        (2, Value::Bool(true))
    );
    session.choose("ask:through");
    assert!(
        disabled_reason(&mut session, "ask:bed").contains("worth 2 to them, and 0 is on the table")
    );
    assert!(
        !enabled_choice_ids(&mut session).contains(&"lay:cubs".to_owned()),
        "gratitude is not counted twice"
    );
    set_number(&mut session, "members.1.hp", 0);
    for member_number in 1..=4 {
        session.set(
            &format!("members.{member_number}.helpless"),
            Value::Int(i64::from(member_number > 3)),
        );
    }
    assert!(
        !enabled_choice_ids(&mut session).contains(&"lay:smoke".to_owned()),
        "a threat wants people to make it"
    );
}

/// SV-19.4: fleeing creatures may be chased; SV-19.5: and fetch others.
#[test]
fn fleeing_creatures_can_be_chased_and_raise_the_alarm() {
    let vm = sovereign_vm();
    let mut fight_counts = [0, 0];
    for seed in 0..16 {
        let mut session = begin_encounter(&vm, seed, "tollman", 2);
        session.choose("fight");
        if scene_name(&mut session) != "meeting" {
            continue;
        }
        assert_eq!(session.state_value("delve.alarm.sovereign:tollmen"), Value::Bool(true));
        session.choose("give_chase");
        fight_counts[usize::from(scene_name(&mut session) == "fight")] += 1;
    }
    assert!(fight_counts[0] > 0 && fight_counts[1] > 0, "{fight_counts:?}");
}

fn chase_session<'a>(vm: &'a script::Vm, seed: u64, creature: &str) -> GameSession<'a> {
    let mut session = company_session(vm, seed, "in_the_cloister");
    session.choose("exit:13");
    for value_name in ["meeting", "parley", "fight"] {
        clear_value(&mut session, value_name);
    }
    let chase_value = Value::map_of([
        ("creature", Value::text(format!("sovereign:{creature}"))),
        ("number", Value::Int(2)),
        ("feet", Value::Int(40)),
        ("at_home", Value::Bool(false)),
        ("gold", Value::Int(20)),
    ]);
    session.set("chase", chase_value);
    session.world.replace_top_scene("sovereign:chase").unwrap();
    session
}

/// SV-10.1 to SV-10.5: stairs, oil, food by wits, gold the other way about; distance.
#[test]
fn chase_odds_depend_on_stairs_bait_and_distance() {
    let vm = sovereign_vm();
    for (creature, food_cases, gold_cases) in [("tollman", 1, 5), ("barn_rat", 5, 1)] {
        let mut session = chase_session(&vm, 1, creature);
        assert_eq!(choice_odds(&mut session, "exit:10").0[0].1, 4, "stairs: they follow on two");
        assert_eq!(choice_odds(&mut session, "oil").0[0].1, 5);
        assert_eq!(choice_odds(&mut session, "food").0[0].1, food_cases);
        assert_eq!(choice_odds(&mut session, "gold").0[0].1, gold_cases);
    }
    let mut session = chase_session(&vm, 1, "tollman");
    set_number(&mut session, "chase.feet", 101);
    session.choose("round");
    assert_ne!(scene_name(&mut session), "chase", "more than ninety feet");
    let mut session = chase_session(&vm, 1, "drain_centipede");
    set_number(&mut session, "coins", 6_000);
    set_number(&mut session, "chase.feet", 15);
    session.choose("round");
    assert_eq!(scene_name(&mut session), "fight", "laden, they are caught");
    let mut escaped_count = 0;
    for seed in 0..30 {
        let mut session = chase_session(&vm, seed, "tollman");
        session.choose("exit:10");
        escaped_count += usize::from(scene_name(&mut session) != "chase");
    }
    assert!((13..=27).contains(&escaped_count), "four of six: {escaped_count} of 30");
}

/// SV-6.2, SV-7.4, SV-23.1 to SV-23.3: a fight has rounds and takes one turn; nameless foes die; it
/// gives experience.
#[test]
fn a_fight_takes_one_turn_and_gives_experience() {
    let vm = sovereign_vm();
    for seed in 0..10 {
        let mut session = begin_encounter(&vm, seed, "barn_rat", 2);
        let turn_before = session.int("delve.turn");
        session.choose("wait");
        let mut rounds = 0;
        while scene_name(&mut session) == "fight" && rounds < 40 {
            session.choose("press");
            rounds += 1;
        }
        if session.world.run_outcome().is_some() || scene_name(&mut session) != "chamber" {
            continue;
        }
        assert_eq!(session.int("delve.turn"), turn_before + 1, "{rounds} rounds");
        assert!(session.int("outdone") >= 10 && session.int("outdone") <= 20);
    }
}

/// SV-11.2: stowed items take a round to get out.
#[test]
fn stowed_oil_takes_a_round_to_ready() {
    let vm = sovereign_vm();
    let mut session = begin_encounter(&vm, 2, "gammer_tup", 1);
    session.choose("fight");
    let mut try_count = 0;
    while scene_name(&mut session) != "fight" && try_count < 12 {
        try_count += 1;
        session = begin_encounter(&vm, 2 + try_count, "gammer_tup", 1);
        session.choose("fight");
    }
    let label = session.prompt().choice("oil").unwrap().label.clone();
    assert!(label.contains("gets out"), "{label}");
    session.choose("oil");
    if scene_name(&mut session) == "fight"
        && enabled_choice_ids(&mut session).contains(&"oil".to_owned())
    {
        let label = session.prompt().choice("oil").unwrap().label.clone();
        assert!(label.contains("throws"), "{label}");
    }
}

/// SV-21.4: under water neither fire nor bows nor words work.
#[test]
fn fire_and_spoken_workings_fail_under_water() {
    let vm = sovereign_vm();
    let mut session = company_session(&vm, 1, "in_the_lower_hall");
    let fight_value = Value::map_of([
        ("creature", Value::text("sovereign:nix")),
        ("foes", Value::List(vec![Value::Int(60)])),
        ("begun", Value::Int(1)),
        ("feet", Value::Int(0)),
        ("round", Value::Int(1)),
        ("surprised", Value::text("none")),
        ("at_home", Value::Bool(true)),
        ("nerve_tried", Value::Bool(false)),
        ("lulled", Value::Int(0)),
    ]);
    for value_name in ["meeting", "parley"] {
        clear_value(&mut session, value_name);
    }
    session.set("fight", fight_value);
    session.world.replace_top_scene("sovereign:fight").unwrap();
    assert!(disabled_reason(&mut session, "oil").contains("nothing burns"));
    assert!(disabled_reason(&mut session, "working:thumb_spark").contains("nothing burns"));
    assert!(disabled_reason(&mut session, "working:haste").contains("speak"));
    assert!(
        enabled_choice_ids(&mut session).contains(&"working:healing_touch".to_owned()),
        "it needs no words"
    );
    let output = events_json(&session.choose("press"));
    assert!(output.contains("\"water\"") && output.contains("-4"), "{output}");
}

/// SV-18.2, SV-17.7, SV-17.8: bursting in may stun them, and looks hostile; a quiet entry does
/// neither.
#[test]
fn a_hard_entry_is_hostile_and_may_stun_unlike_a_soft_one() {
    let vm = sovereign_vm();
    let mut surprised_count = 0;
    for seed in 0..12 {
        let mut session = company_session(&vm, seed, "at_the_gate");
        session.choose("exit:2");
        let output = events_json(&session.choose("hard"));
        assert!(
            output.contains("bursting in")
                && session.state_value("meeting.hostile") == Value::Bool(true)
        );
        surprised_count +=
            usize::from(session.state_value("meeting.surprised") == Value::text("them"));
        let mut session = company_session(&vm, seed, "at_the_gate");
        session.choose("exit:2");
        session.choose("soft");
        assert_eq!(session.state_value("meeting.hostile"), Value::Bool(false));
        assert_eq!(session.state_value("meeting.surprised"), Value::text("none"));
    }
    assert!(surprised_count > 0 && surprised_count < 12, "{surprised_count}");
}
