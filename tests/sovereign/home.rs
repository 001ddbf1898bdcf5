//! The company at home and on the road: nights, levels, loads and auto travel.

use engine::base::Value;

use super::harness::{
    GameSession, closed, company, number, odds, open, said, scene, set_flag, set_number, vm,
};

fn member(table: &GameSession<'_>, who: usize, field: &str) -> i64 {
    table.int(&format!("members.{who}.{field}"))
}

/// SV-1.1, SV-1.2, SV-3.2, SV-5.1: four members with rolled gold; hit points of a die; untrained
/// skills at -1.
#[test]
fn a_company_begins() {
    let vm = vm();
    for seed in 0..12 {
        let table = company(&vm, seed, "hearth");
        assert_eq!(table.state_value("members").as_list().unwrap().len(), 4);
        let gold = table.int("coins");
        assert!((120..=720).contains(&gold) && gold % 10 == 0, "{gold}");
        // Maud: a warrior's d8, CON +1, and two for dying hard.
        assert!((4..=11).contains(&member(&table, 1, "hp_max")));
        assert!((1..=4).contains(&member(&table, 4, "hp_max")), "d4, CON 0");
        assert_eq!(member(&table, 1, "skills.stab"), 1);
        assert_eq!(member(&table, 1, "skills.magic"), -1);
    }
}

/// SV-2.1, SV-2.3, SV-3.2: a custom company: rolled scores, one raised, a calling, a feat.
#[test]
fn four_of_your_own() {
    use engine::protocol::Input;
    let vm = vm();
    let options = Value::map_of([
        ("company", Value::text("own")),
        ("opening", Value::text("sovereign:hearth")),
    ]);
    let mut table = GameSession::begin(&vm, 3, options, Value::map());
    for at in 0..4 {
        assert_eq!(scene(&mut table), "make_name");
        table.answer(&Input::Text(format!("Body {at}")));
        let raise = open(&mut table).into_iter().find(|id| id.starts_with("raise:")).unwrap();
        table.choose(&raise);
        table.choose("scout");
        table.choose(if at == 0 { "die_hard" } else { "none" });
    }
    assert_eq!(scene(&mut table), "home");
    for who in 1..=4 {
        let scores = table.state_value(&format!("members.{who}.attributes"));
        let scores: Vec<i64> =
            scores.as_map().unwrap().values().filter_map(Value::as_int).collect();
        assert!(scores.len() == 5 && scores.iter().all(|score| (3..=18).contains(score)));
        assert!(scores.contains(&14), "one was raised: {scores:?}");
    }
    assert_eq!(table.state_value("members.1.feat"), Value::text("die_hard"));
}

/// SV-7.8, SV-7.11, SV-7.5, SV-8.2: a night in a bed heals; a barn does not; the frail do not heal.
#[test]
fn nights() {
    let vm = vm();
    let mut table = company(&vm, 1, "laden");
    set_number(&mut table, "members.2.level", 3);
    set_number(&mut table, "members.2.hp_max", 9);
    table.choose("night");
    assert_eq!(member(&table, 2, "hp"), 4, "its level");
    assert_eq!(member(&table, 1, "hp"), 1, "frail");
    assert_eq!(member(&table, 2, "strain"), 1);
    assert!(member(&table, 4, "held") > 0, "workings come back");
    let mut table = company(&vm, 1, "laden");
    table.choose("barn");
    assert_eq!((member(&table, 2, "hp"), member(&table, 2, "strain")), (1, 2));
    assert_eq!(member(&table, 4, "held"), 0);
    assert_eq!(table.int("day"), 8, "SV-6.3: days at home");
}

/// SV-7.6: a week in bed with a healer; an hour of one with Heal 1.
#[test]
fn frailty_is_mended() {
    let vm = vm();
    let mut table = company(&vm, 1, "laden");
    table.choose("nursed");
    assert_eq!(table.state_value("members.1.frail"), Value::Bool(false));
    let mut hours = [0, 0];
    for seed in 0..24 {
        let mut table = company(&vm, seed, "laden");
        let (bands, of) = odds(&mut table, "mend");
        // Sister Ede: Heal 1, INT +1: eight or more on 2d6.
        assert_eq!((bands[0].1, of), (15, 36));
        table.choose("mend");
        let whole = table.state_value("members.1.frail") == Value::Bool(false);
        hours[usize::from(whole)] += 1;
        if !whole {
            closed(&mut table, "mend");
        }
    }
    assert!(hours[0] > 3 && hours[1] > 3, "{hours:?}");
    let mut table = company(&vm, 1, "laden");
    set_number(&mut table, "members.3.skills.heal", 0);
    set_number(&mut table, "members.4.skills.heal", 0);
    closed(&mut table, "mend");
}

/// SV-7.7: without care, a save after a week; death within six days, or a month in bed.
#[test]
fn frailty_without_care() {
    let vm = vm();
    let mut ends = [0, 0];
    for seed in 0..16 {
        let mut table = company(&vm, seed, "laden");
        for who in 1..=4 {
            set_number(&mut table, &format!("members.{who}.skills.heal"), -1);
        }
        set_number(&mut table, "coins", 5000);
        table.choose("week");
        let dies_on = member(&table, 1, "dies_on");
        if dies_on > 0 {
            assert!((table.int("day") + 1..=table.int("day") + 6).contains(&dies_on));
            table.choose("week");
            assert_eq!(table.state_value("members.1.dead"), Value::Bool(true));
            ends[0] += 1;
            continue;
        }
        assert_eq!(table.state_value("members.1.long_bed"), Value::Bool(true));
        for _ in 0..4 {
            table.choose("week");
        }
        assert_eq!(table.state_value("members.1.frail"), Value::Bool(true), "28 nights");
        table.choose("week");
        assert_eq!(table.state_value("members.1.frail"), Value::Bool(false), "a month");
        ends[1] += 1;
    }
    assert!(ends[0] > 0 && ends[1] > 0, "{ends:?}");
}

/// SV-13.1, SV-13.2, SV-1.4: ten gold each for a week; three days; arrival where the errand begins.
#[test]
fn setting_out() {
    let vm = vm();
    let mut table = company(&vm, 2, "hearth");
    set_number(&mut table, "coins", 500);
    table.choose("board");
    table.choose("water");
    number(&mut table, 100);
    assert_eq!(table.int("coins"), 100);
    assert_eq!(table.int("chest"), 360, "four heads at ten");
    assert_eq!(table.int("day"), 4);
    assert_eq!(table.int("paid_until"), 11);
    assert_eq!(table.state_value("delve.here"), Value::text("sovereign:leat"));
}

/// SV-22.1, SV-22.2, SV-22.3, SV-22.4, SV-3.3: gold brought home is experience; shares; a level; a
/// skill.
#[test]
fn coming_home() {
    let vm = vm();
    let mut table = company(&vm, 2, "at_the_gate");
    let before = member(&table, 1, "hp_max");
    let gold = table.int("coins");
    set_number(&mut table, "coins", gold + 1900);
    set_number(&mut table, "outdone", 180);
    set_number(&mut table, "set_out_with", gold);
    table.set("prizes", Value::List(vec![Value::text("sovereign:bone_comb")]));
    table.choose("home");
    for who in 1..=4 {
        assert_eq!(member(&table, who, "experience"), (1900 + 40 + 180) / 4);
        assert_eq!(member(&table, who, "level"), 2);
    }
    assert!(member(&table, 1, "hp_max") >= before);
    assert_eq!(scene(&mut table), "level");
    table.choose("stab");
    assert_eq!(member(&table, 1, "skills.stab"), 2, "a trade of hers, at the second level");
    set_number(&mut table, "members.2.skills.sneak", 2);
    closed(&mut table, "sneak");
    table.choose("know");
    assert_eq!(member(&table, 2, "skills.know"), 0);
    for _ in 0..2 {
        table.choose("none");
    }
    assert_eq!(scene(&mut table), "home");
}

/// SV-11.6, SV-23.7, SV-22.2: beasts, porters and henchmen, at their prices; a henchman's half
/// share.
#[test]
fn hiring() {
    let vm = vm();
    let mut table = company(&vm, 2, "hearth");
    set_number(&mut table, "coins", 1000);
    table.choose("hire");
    let mut left = 1000;
    for (id, cost) in [("porter", 14), ("mule", 20), ("horse", 40), ("cart", 25), ("take_on:1", 10)]
    {
        table.choose(id);
        left -= cost;
        assert_eq!(table.int("coins"), left, "{id}");
    }
    table.choose("back");
    assert_eq!(table.state_value("members.5.kind"), Value::text("henchman"));
    set_number(&mut table, "outdone", 900);
    table.choose("board");
    table.choose("water");
    number(&mut table, 0);
    table.choose("home");
    assert_eq!(member(&table, 1, "experience"), 200);
    assert_eq!(member(&table, 5, "experience"), 100);
}

/// SV-23.8, SV-13.2: prizes sell for half here, for all of it five weeks away, at a hundred and
/// sixty each.
#[test]
fn markets() {
    let vm = vm();
    let mut table = company(&vm, 2, "laden");
    let gold = table.int("coins");
    table.choose("sell");
    table.choose("sell:abbots_plate");
    assert_eq!(table.int("coins"), gold + 160, "the plate, at half of 320");
    table.choose("back");
    set_number(&mut table, "coins", 700);
    table.choose("far");
    table.choose("wexcombe");
    assert_eq!(table.int("coins"), 60);
    table.choose("sell:psalter");
    assert_eq!(table.int("coins"), 310, "the psalter, whole");
}

/// SV-6.3: a campaign has a year; a company without members is lost; one that parts gets a report.
#[test]
fn campaigns_end() {
    let vm = vm();
    let outcome = |table: &GameSession<'_>| {
        table
            .world
            .run_outcome()
            .unwrap()
            .get("outcome")
            .and_then(Value::as_text)
            .unwrap()
            .to_owned()
    };
    let mut table = company(&vm, 2, "laden");
    set_number(&mut table, "day", 362);
    table.choose("barn");
    assert_eq!(outcome(&table), "winter");
    let mut table = company(&vm, 2, "laden");
    table.choose("disband");
    table.choose("part");
    assert_eq!(outcome(&table), "retired");
    let mut table = company(&vm, 2, "hearth");
    table.choose("disband");
    table.choose("part");
    assert_eq!(outcome(&table), "given_up");
}

/// SV-1.6: rumours at the inn unlock ways without a roll.
#[test]
fn rumours_are_leverage() {
    let vm = vm();
    let mut table = company(&vm, 2, "hearth");
    let mut told = String::new();
    for _ in 0..6 {
        told += &said(&table.choose("talk"));
    }
    closed(&mut table, "talk");
    for flag in
        ["heard_toll", "heard_sett", "heard_sluice", "heard_bell", "heard_scales", "heard_giant"]
    {
        assert_eq!(table.state_value(&format!("flags.{flag}")), Value::Bool(true));
    }
    assert!(told.contains("Forty, and you walk through"));
    set_flag(&mut table, "anything");
}
