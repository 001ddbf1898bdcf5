//! Encounters: shown odds, talk with leverage, fights, chases (sections 10, 18 to 20 and 23).

use engine::base::Value;

use super::harness::{
    GameSession, begin_encounter, clear_value, closed, company, odds, open, said, scene, set_flag,
    set_number, vm,
};

/// SV-19.1: creatures without wits attack at once and cannot be talked to.
#[test]
fn beasts_attack() {
    let vm = vm();
    for seed in 0..8 {
        let mut table = begin_encounter(&vm, seed, "barn_rat", 3);
        assert!(closed(&mut table, "talk").contains("nothing in it to talk to"));
        table.choose("wait");
        assert_eq!(scene(&mut table), "fight");
    }
}

/// SV-1.6, SV-20.1: their known want begins the talk without a roll; beasts are fed.
#[test]
fn nothing_need_be_thrown() {
    let vm = vm();
    let mut table = begin_encounter(&vm, 1, "tollman", 4);
    set_number(&mut table, "coins", 100);
    assert!(!open(&mut table).iter().any(|id| id.starts_with("open:")), "their want is unknown");
    set_flag(&mut table, "heard_toll");
    let told = said(&table.choose("open:toll"));
    assert!(!told.contains("2d6"));
    assert_eq!((scene(&mut table), table.int("coins")), ("parley".to_owned(), 60));
    table.choose("ask:through");
    table.choose("leave");
    assert_eq!(table.state_value("delve.stance.sovereign:tollmen"), Value::text("friend"));
    assert_eq!(scene(&mut table), "chamber");
    let mut table = begin_encounter(&vm, 1, "barn_rat", 3);
    let told = said(&table.choose("soothe:feed"));
    assert!(!told.contains("d6") && scene(&mut table) == "chamber");
}

/// SV-20.1, SV-20.2: offered leverage buys its worth, and is spent; each can be offered once.
#[test]
fn leverage() {
    let vm = vm();
    let mut table = begin_encounter(&vm, 1, "brock", 2);
    set_flag(&mut table, "heard_sett");
    set_flag(&mut table, "cubs_mended");
    assert!(!open(&mut table).contains(&"open:honey".to_owned()), "there is none to give");
    table.choose("open:cubs");
    assert_eq!(table.int("parley.weight"), 5);
    table.choose("ask:crawl");
    assert_eq!(
        (table.int("parley.weight"), table.state_value("flags.sett_way")),
        (2, Value::Bool(true))
    );
    table.choose("ask:through");
    assert!(closed(&mut table, "ask:bed").contains("worth 2 to them, and 0 is on the table"));
    assert!(!open(&mut table).contains(&"lay:cubs".to_owned()), "gratitude is not counted twice");
    set_number(&mut table, "members.1.hp", 0);
    for who in 1..=4 {
        table.set(&format!("members.{who}.helpless"), Value::Int(i64::from(who > 3)));
    }
    assert!(
        !open(&mut table).contains(&"lay:smoke".to_owned()),
        "a threat wants people to make it"
    );
}

/// SV-19.4: fleeing creatures may be chased; SV-19.5: and fetch others.
#[test]
fn those_who_run() {
    let vm = vm();
    let mut caught = [0, 0];
    for seed in 0..16 {
        let mut table = begin_encounter(&vm, seed, "tollman", 2);
        table.choose("fight");
        if scene(&mut table) != "meeting" {
            continue;
        }
        assert_eq!(table.state_value("delve.alarm.sovereign:tollmen"), Value::Bool(true));
        table.choose("give_chase");
        caught[usize::from(scene(&mut table) == "fight")] += 1;
    }
    assert!(caught[0] > 0 && caught[1] > 0, "{caught:?}");
}

fn chase<'a>(vm: &'a engine::script::Vm, seed: u64, creature: &str) -> GameSession<'a> {
    let mut table = company(vm, seed, "in_the_cloister");
    table.choose("exit:13");
    for gone in ["meeting", "parley", "fight"] {
        clear_value(&mut table, gone);
    }
    let chase = Value::map_of([
        ("creature", Value::text(format!("sovereign:{creature}"))),
        ("number", Value::Int(2)),
        ("feet", Value::Int(40)),
        ("at_home", Value::Bool(false)),
        ("gold", Value::Int(20)),
    ]);
    table.set("chase", chase);
    table.world.replace_top_scene("sovereign:chase").unwrap();
    table
}

/// SV-10.1 to SV-10.5: stairs, oil, food by wits, gold the other way about; distance.
#[test]
fn chases() {
    let vm = vm();
    for (creature, food, gold) in [("tollman", 1, 5), ("barn_rat", 5, 1)] {
        let mut table = chase(&vm, 1, creature);
        assert_eq!(odds(&mut table, "exit:10").0[0].1, 4, "stairs: they follow on two");
        assert_eq!(odds(&mut table, "oil").0[0].1, 5);
        assert_eq!(odds(&mut table, "food").0[0].1, food);
        assert_eq!(odds(&mut table, "gold").0[0].1, gold);
    }
    let mut table = chase(&vm, 1, "tollman");
    set_number(&mut table, "chase.feet", 101);
    table.choose("round");
    assert_ne!(scene(&mut table), "chase", "more than ninety feet");
    let mut table = chase(&vm, 1, "drain_centipede");
    set_number(&mut table, "coins", 6_000);
    set_number(&mut table, "chase.feet", 15);
    table.choose("round");
    assert_eq!(scene(&mut table), "fight", "laden, they are caught");
    let mut lost = 0;
    for seed in 0..30 {
        let mut table = chase(&vm, seed, "tollman");
        table.choose("exit:10");
        lost += usize::from(scene(&mut table) != "chase");
    }
    assert!((13..=27).contains(&lost), "four of six: {lost} of 30");
}

/// SV-6.2, SV-7.4, SV-23.1 to SV-23.3: a fight has rounds and takes one turn; nameless foes die; it
/// gives experience.
#[test]
fn a_fight_is_a_turn() {
    let vm = vm();
    for seed in 0..10 {
        let mut table = begin_encounter(&vm, seed, "barn_rat", 2);
        let before = table.int("delve.turn");
        table.choose("wait");
        let mut rounds = 0;
        while scene(&mut table) == "fight" && rounds < 40 {
            table.choose("press");
            rounds += 1;
        }
        if table.world.run_outcome().is_some() || scene(&mut table) != "chamber" {
            continue;
        }
        assert_eq!(table.int("delve.turn"), before + 1, "{rounds} rounds");
        assert!(table.int("outdone") >= 10 && table.int("outdone") <= 20);
    }
}

/// SV-11.2: stowed items take a round to get out.
#[test]
fn oil_is_got_out_first() {
    let vm = vm();
    let mut table = begin_encounter(&vm, 2, "gammer_tup", 1);
    table.choose("fight");
    let mut tries = 0;
    while scene(&mut table) != "fight" && tries < 12 {
        tries += 1;
        table = begin_encounter(&vm, 2 + tries, "gammer_tup", 1);
        table.choose("fight");
    }
    let label = table.prompt().choice("oil").unwrap().label.clone();
    assert!(label.contains("gets out"), "{label}");
    table.choose("oil");
    if scene(&mut table) == "fight" && open(&mut table).contains(&"oil".to_owned()) {
        let label = table.prompt().choice("oil").unwrap().label.clone();
        assert!(label.contains("throws"), "{label}");
    }
}

/// SV-21.4: under water neither fire nor bows nor words work.
#[test]
fn fights_under_water() {
    let vm = vm();
    let mut table = company(&vm, 1, "in_the_lower_hall");
    let fight = Value::map_of([
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
    for gone in ["meeting", "parley"] {
        clear_value(&mut table, gone);
    }
    table.set("fight", fight);
    table.world.replace_top_scene("sovereign:fight").unwrap();
    assert!(closed(&mut table, "oil").contains("nothing burns"));
    assert!(closed(&mut table, "working:thumb_spark").contains("nothing burns"));
    assert!(closed(&mut table, "working:haste").contains("speak"));
    assert!(open(&mut table).contains(&"working:healing_touch".to_owned()), "it needs no words");
    let told = said(&table.choose("press"));
    assert!(told.contains("\"water\"") && told.contains("-4"), "{told}");
}

/// SV-18.2, SV-17.7, SV-17.8: bursting in may stun them, and looks hostile; a quiet entry does
/// neither.
#[test]
fn hard_and_soft() {
    let vm = vm();
    let mut stunned = 0;
    for seed in 0..12 {
        let mut table = company(&vm, seed, "at_the_gate");
        table.choose("exit:2");
        let told = said(&table.choose("hard"));
        assert!(
            told.contains("bursting in")
                && table.state_value("meeting.hostile") == Value::Bool(true)
        );
        stunned += usize::from(table.state_value("meeting.surprised") == Value::text("them"));
        let mut table = company(&vm, seed, "at_the_gate");
        table.choose("exit:2");
        table.choose("soft");
        assert_eq!(table.state_value("meeting.hostile"), Value::Bool(false));
        assert_eq!(table.state_value("meeting.surprised"), Value::text("none"));
    }
    assert!(stunned > 0 && stunned < 12, "{stunned}");
}
