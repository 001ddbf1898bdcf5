//! The company underground: turns, lights, loads, doors, traps, wounds, water (sections 7 to 17 and
//! 21).

use engine::base::Value;

use super::harness::{
    GameSession, clear_value, closed, company, lua, odds, open, said, scene, set_flag, set_number,
    stay_in_chamber, vm,
};

fn member(table: &GameSession<'_>, who: usize, field: &str) -> i64 {
    table.int(&format!("members.{who}.{field}"))
}

fn turn(table: &GameSession<'_>) -> i64 {
    table.int("delve.turn")
}

/// SV-6.1, SV-14.2, SV-14.3: a move is a turn; each member may do one thing in a turn.
#[test]
fn turns() {
    let vm = vm();
    let mut table = company(&vm, 5, "in_the_cloister");
    let start = turn(&table);
    for _ in 0..3 {
        table.choose("search");
        assert_eq!(turn(&table), start, "three pairs of eyes, one turn");
    }
    table.choose("search");
    assert_eq!(turn(&table), start + 1, "the fourth ends it");
    table.choose("search");
    table.choose("end_turn");
    assert_eq!(turn(&table), start + 2);
    table.choose("search");
    table.choose("exit:13");
    assert_eq!(turn(&table), start + 4, "the begun turn, and the move");
}

/// SV-14.3: a torch lasts six turns; nothing can be examined in the dark.
#[test]
fn torches_burn_out() {
    let vm = vm();
    let mut table = company(&vm, 1, "at_the_slab");
    set_number(&mut table, "light.remaining", 0);
    assert!(closed(&mut table, "thing:look_at_carving").contains("cannot see"));
    table.choose("light_torch");
    assert_eq!(table.int("light.remaining"), 6);
    let mut turns = 0;
    while table.int("light.remaining") > 0 {
        table.set("delve.coming", Value::text(""));
        table.choose("search");
        table.choose("end_turn");
        turns += 1;
        if scene(&mut table) != "chamber" {
            table.set("meeting", Value::map());
            return;
        }
    }
    assert_eq!(turns, 6);
    table.choose("light_lantern");
    assert_eq!(table.int("light.remaining"), 24);
}

/// SV-18.3, SV-18.4, SV-18.5, SV-14.1: nobody comes to a place that nobody knows; elsewhere one in
/// six, as often as the watch sets.
#[test]
fn who_comes_by() {
    let vm = vm();
    let mut came = 0;
    for seed in 0..40 {
        let mut table = company(&vm, seed, "in_the_cupboard");
        stay_in_chamber(&mut table, "sleep");
        assert_eq!(scene(&mut table), "chamber", "unknown to the natives: no check");
        assert_eq!(turn(&table), 48);
        let mut table = company_at(company(&vm, seed, "in_the_cupboard"), "sovereign:answer_well");
        set_number(&mut table, "light.remaining", 24);
        // Sparse: turns 4 and 8 have a check; the others have none.
        for turns in 1..=8 {
            let events = said(&pass_turn(&mut table));
            let something = !events.contains("\"aside\"") && events.contains("\"say\"");
            assert!(!something || turns % 4 == 0, "seed {seed}, turn {turns}: {events}");
            came += usize::from(something);
            if something {
                break;
            }
        }
    }
    // One in six, twice: 40 times 11 of 36.
    assert!((4..=22).contains(&came), "{came}");
}

/// One member searches, and the turn passes.
fn pass_turn(table: &mut GameSession<'_>) -> Vec<engine::protocol::StoryEvent> {
    table.choose("search");
    table.choose("end_turn")
}

/// SV-8.1, SV-8.3, SV-12.5, SV-12.6, SV-12.8: sleep on stone restores nothing, and costs food and
/// water.
#[test]
fn sleeping_below() {
    let vm = vm();
    let mut table = company(&vm, 3, "in_the_cupboard");
    set_number(&mut table, "members.1.hp", 1);
    set_number(&mut table, "members.1.strain", 2);
    stay_in_chamber(&mut table, "sleep");
    assert_eq!((member(&table, 1, "hp"), member(&table, 1, "strain")), (1, 2), "no comfort");
    assert_eq!(table.int("awake"), 0, "but slept");
    stay_in_chamber(&mut table, "sleep");
    assert_eq!(member(&table, 1, "strain"), 2, "they have eaten, that day");
    set_number(&mut table, "day", 2);
    stay_in_chamber(&mut table, "sleep");
    assert_eq!(member(&table, 1, "strain"), 6, "a day without food and water: 1 and 3");
    set_number(&mut table, "members.1.strain", 14);
    set_number(&mut table, "day", 3);
    let told = said(&stay_in_chamber(&mut table, "sleep"));
    assert_eq!(table.state_value("members.1.dead"), Value::Bool(true), "{told}");
    assert!(told.contains("hunger"));
}

/// Moves the company directly, without an encounter.
fn company_at<'a>(mut table: GameSession<'a>, id: &str) -> GameSession<'a> {
    for gone in ["meeting", "fight", "chase", "parley"] {
        clear_value(&mut table, gone);
    }
    let kept =
        table.state_value("delve.chambers").as_map().unwrap().values().next().unwrap().clone();
    table.set(&format!("delve.chambers.{id}"), kept);
    table.set("delve.here", Value::text(id));
    table.world.replace_top_scene("sovereign:chamber").unwrap();
    table
}

/// SV-12.7, SV-8.1: a day and a night without sleep is two strain.
#[test]
fn without_sleep() {
    let vm = vm();
    let mut table = company(&vm, 3, "in_the_cupboard");
    set_number(&mut table, "awake", 143);
    table.choose("thing:take_the_casket");
    assert_eq!(member(&table, 1, "strain"), 2);
}

/// SV-7.9, SV-7.10: first aid heals and strains; members at their limit refuse it.
#[test]
fn first_aid() {
    let vm = vm();
    let mut table = company(&vm, 3, "in_the_cupboard");
    set_number(&mut table, "members.1.hp_max", 12);
    set_number(&mut table, "members.1.hp", 5);
    table.choose("first_aid");
    let (hp, strain) = (member(&table, 1, "hp"), member(&table, 1, "strain"));
    assert!(hp > 5 && (1..=3).contains(&strain), "{hp}, {strain}");
    assert_eq!(turn(&table), 1, "one turn, however much");
    let mut table = company(&vm, 3, "in_the_cupboard");
    set_number(&mut table, "members.1.hp", 1);
    set_number(&mut table, "members.1.strain", 14);
    assert!(!open(&mut table).contains(&"first_aid".to_owned()), "SV-7.10");
}

/// SV-7.1, SV-7.2, SV-7.3, SV-7.5: six rounds; a growing penalty; saved and frail; dead the next
/// time.
#[test]
fn mortal_wounds() {
    let vm = vm();
    let mut table = company(&vm, 3, "in_the_cupboard");
    set_number(&mut table, "members.1.hp", 0);
    table.set("members.1.fallen", Value::Bool(true));
    table.choose("search");
    assert_eq!(scene(&mut table), "aid");
    // Sister Ede: INT +1, Heal 1; each round costs one. Piers, free and of use (INT +1, Heal 0),
    // helps; Wat and Maud do not.
    for cases in [21, 15, 10, 6, 3, 1, 0] {
        let (bands, of) = odds(&mut table, "tend:1");
        assert_eq!((bands[0].1, of), (cases, 36));
        let round = member(&table, 1, "rounds_down");
        set_number(&mut table, "members.1.rounds_down", round + 1);
    }
    let note = table.prompt().choice("tend:1").unwrap().note.clone();
    assert!(!note.contains("last round"), "{note}");
    set_number(&mut table, "members.1.rounds_down", 6);
    assert_eq!(table.prompt().choice("tend:1").unwrap().note, "this is the last round");
    set_number(&mut table, "members.1.rounds_down", 5);
    lua(&mut table, "injury.bleed_round()");
    assert_eq!(table.state_value("members.1.dead"), Value::Bool(false), "the sixth has only begun");
    set_number(&mut table, "members.4.helpless", 1);
    assert_eq!(odds(&mut table, "tend:1").0[0].1, 0);
    set_number(&mut table, "members.1.rounds_down", 0);
    assert_eq!(odds(&mut table, "tend:1").0[0].1, 15, "no helper is there");
    set_number(&mut table, "members.4.helpless", 0);
    table.choose("let_be");
    assert_eq!(table.state_value("members.1.dead"), Value::Bool(true));
    let mut saved = 0;
    for seed in 0..30 {
        let mut table = company(&vm, seed, "in_the_cupboard");
        set_number(&mut table, "members.1.hp", 0);
        table.set("members.1.fallen", Value::Bool(true));
        table.choose("search");
        while scene(&mut table) == "aid" {
            let hopeless = table.prompt().choice("tend:1").unwrap().disabled_because.is_some();
            table.choose(if hopeless { "let_be" } else { "tend:1" });
        }
        if table.state_value("members.1.dead") == Value::Bool(false) {
            saved += 1;
            assert_eq!((member(&table, 1, "hp"), member(&table, 1, "helpless")), (1, 1));
            assert_eq!(table.state_value("members.1.frail"), Value::Bool(true));
        }
    }
    assert!((20..30).contains(&saved), "{saved}");
}

/// SV-9.4: the deadly kind gives turns to live, and no more.
#[test]
fn deadly_poison() {
    let vm = vm();
    let mut table = company(&vm, 3, "in_the_cupboard");
    let bane =
        Value::map_of([("id", Value::text("sovereign:viper_bite")), ("turns", Value::Int(1))]);
    table.set("members.4.banes", Value::List(vec![bane]));
    let told = said(&table.choose("thing:take_the_casket"));
    assert_eq!(table.state_value("members.4.dead"), Value::Bool(true), "{told}");
}

/// SV-9.2: a disease acts with the next night.
#[test]
fn diseases_come_with_the_night() {
    let vm = vm();
    let mut table = company(&vm, 3, "in_the_cupboard");
    let caught = Value::List(vec![Value::text("sovereign:bin_lung")]);
    table.set("members.1.incubating", caught);
    table.choose("thing:take_the_casket");
    assert_eq!(member(&table, 1, "strain"), 0);
    let told = said(&stay_in_chamber(&mut table, "sleep"));
    assert!(told.contains("wakes coughing grey") && member(&table, 1, "strain") == 2, "{told}");
}

/// SV-11.1 to SV-11.5: gold has weight; too much of it stops the company.
#[test]
fn gold_weighs() {
    let vm = vm();
    let mut table = company(&vm, 3, "in_the_cupboard");
    set_number(&mut table, "coins", 9_000);
    assert!(closed(&mut table, "exit:20").contains("carry more"));
    table.choose("drop_coins");
    assert!(open(&mut table).contains(&"exit:20".to_owned()));
    let carried = table.int("coins");
    assert!(carried < 9_000 && carried > 1_000, "{carried}");
    assert_eq!(carried + table.int("delve.chambers.sovereign:priests_hole.pile"), 9_000);
}

/// SV-11.2, SV-11.3: half of Strength is ready.
#[test]
fn packs() {
    let vm = vm();
    let mut table = company(&vm, 3, "hearth");
    table.choose("packs");
    let prompt = table.prompt();
    let note = &prompt.choice("pack:1").unwrap().note;
    assert!(note.contains("of 7") && note.contains("of 15"), "Strength 15: {note}");
    table.choose("pack:1");
    let put_away = open(&mut table).into_iter().find(|id| id.starts_with("stow:")).unwrap();
    table.choose(&put_away);
}

/// SV-16.1, SV-12.1: an unseen trap, each who passes, two in six; planked, never.
#[test]
fn traps() {
    let vm = vm();
    let mut sprung = 0;
    for seed in 0..40 {
        let mut table = company_at(company(&vm, seed, "in_the_cloister"), "sovereign:kiln");
        table.choose("exit:5");
        sprung += usize::from(table.int("delve.chambers.sovereign:kiln.sprung") > 0);
        let mut table = company_at(company(&vm, seed, "in_the_cloister"), "sovereign:kiln");
        set_flag(&mut table, "kiln_planked");
        table.choose("exit:5");
        assert_eq!(table.int("delve.chambers.sovereign:kiln.sprung"), 0);
    }
    // Four members: at least once in all but (2/3)^4 of the times.
    assert!((25..=38).contains(&sprung), "{sprung} of 40");
}

/// SV-17.1 to SV-17.4: a lock can be tried once per level; battering takes turns; a key opens at
/// once.
#[test]
fn locked_doors() {
    let vm = vm();
    let mut failed = 0;
    for seed in 0..12 {
        let mut table = company(&vm, seed, "in_the_cloister");
        table.choose("exit:2");
        assert_eq!(scene(&mut table), "door");
        // Wat: DEX +1, Sneak 1.
        assert_eq!(
            odds(&mut table, "pick"),
            (vec![("success".into(), 15), ("failure".into(), 21)], 36)
        );
        table.choose("pick");
        if open(&mut table).contains(&"soft".to_owned()) {
            continue;
        }
        failed += 1;
        table.choose("back");
        table.choose("end_turn");
        if scene(&mut table) == "chamber" {
            table.choose("exit:2");
            assert!(closed(&mut table, "pick").contains("beaten by this lock"));
            set_number(&mut table, "members.2.level", 2);
            assert!(open(&mut table).contains(&"pick".to_owned()));
        }
    }
    assert!(failed > 2);
    let mut table = company(&vm, 1, "in_the_cloister");
    table.choose("exit:2");
    let note = table.prompt().choice("batter").unwrap().note.clone();
    assert!(note.starts_with("12 turns"), "banded: three times six less 1 and 1: {note}");
    set_flag(&mut table, "cloister_key");
    table.choose("key");
    assert!(open(&mut table).contains(&"soft".to_owned()));
}

/// SV-17.5, SV-17.6: stuck doors, forced at once or in up to three turns, eased without a roll;
/// listening.
#[test]
fn stuck_doors() {
    let vm = vm();
    for seed in 0..10 {
        let mut table = company(&vm, seed, "at_the_gate");
        table.choose("exit:5");
        let told = said(&table.choose("listen"));
        assert!(told.contains("offering terms to a knot"), "talk is heard without a throw");
        assert!(closed(&mut table, "listen").contains("this turn"));
        let before = turn(&table);
        let told = said(&table.choose("force"));
        let took = turn(&table) - before;
        assert_eq!(took == 0, told.contains("It jumps open"), "{told}");
        assert!((0..=3).contains(&took));
    }
    let mut table = company(&vm, 1, "at_the_gate");
    table.choose("exit:5");
    let told = said(&table.choose("ease"));
    assert!(!told.contains("2d6"), "nothing is thrown");
}

/// SV-12.2, SV-12.3, SV-1.6: the pit: jumped, slid into, or filled without a roll.
#[test]
fn the_pit() {
    let vm = vm();
    let mut table = company(&vm, 1, "at_the_pit");
    assert!(closed(&mut table, "exit:22").contains("spikes"));
    let label = table.prompt().choice("thing:slide_down").unwrap().odds.clone().unwrap().label;
    assert!(label.ends_with("against 9"), "7 and 1 for every 10 of 20 feet: {label}");
    table.choose("thing:look_at_boxes");
    let told = said(&table.choose("thing:fill_the_pit"));
    assert!(!told.contains("2d6") && turn(&table) >= 3);
    assert_eq!(table.state_value("flags.pit"), Value::Bool(true));
}

/// SV-21.2, SV-21.3: metal sinks; the sluice drains it; one breath is three rounds.
#[test]
fn water() {
    let vm = vm();
    let mut table = company(&vm, 1, "by_the_leat");
    assert!(open(&mut table).contains(&"exit:21".to_owned()));
    let mail = Value::map_of([
        ("ware", Value::text("sovereign:chain_shirt")),
        ("ready", Value::Bool(true)),
    ]);
    table.set("members.1.gear", Value::List(vec![mail]));
    assert!(closed(&mut table, "exit:21").contains("sink"));
    set_flag(&mut table, "drained");
    assert!(open(&mut table).contains(&"exit:21".to_owned()));
    let mut checks = 0;
    for seed in 0..8 {
        let mut table = company(&vm, seed, "by_the_leat");
        let told = said(&table.choose("thing:feel_the_culvert"));
        checks += told.matches("one breath").count();
        set_number(&mut table, "breathing", 6);
    }
    // 45 feet are three rounds, 60 feet four: a check for each round past the third.
    assert!((1..=8).contains(&checks), "{checks}");
}

/// SV-15.2, SV-15.3: hidden things are noticed by secret rolls, more often when searched for;
/// always when named.
#[test]
fn hidden_things() {
    let vm = vm();
    let mut noticed = [0, 0];
    for seed in 0..30 {
        let mut table = company(&vm, seed, "in_the_cloister");
        table.choose("exit:12");
        let told = said(&table.choose("soft"));
        assert!(!told.contains("WIS/Notice"), "the roll is secret");
        let found = open(&mut table).contains(&"thing:look_up_chimney".to_owned());
        noticed[0] += usize::from(found);
        if !found && scene(&mut table) == "chamber" {
            table.choose("search");
            noticed[1] +=
                usize::from(open(&mut table).contains(&"thing:look_up_chimney".to_owned()));
        }
    }
    assert!(noticed[0] > 2 && noticed[0] < 28 && noticed[1] > 0, "{noticed:?}");
}
