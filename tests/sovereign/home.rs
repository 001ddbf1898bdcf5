//! The company at home and on the road: nights, levels, loads and auto travel.

use base::Value;

use super::harness::{
    GameSession, answer_number, choice_odds, company_session, disabled_reason, enabled_choice_ids,
    events_json, scene_name, set_flag, set_number, sovereign_vm,
};

fn member_value(session: &GameSession<'_>, member_number: usize, field: &str) -> i64 {
    session.int(&format!("members.{member_number}.{field}"))
}

/// SV-1.1, SV-1.2, SV-3.2, SV-5.1: four members with rolled gold; hit points of a die; untrained
/// skills at -1.
#[test]
fn a_company_begins_with_rolled_gold_and_hit_points() {
    let vm = sovereign_vm();
    for seed in 0..12 {
        let session = company_session(&vm, seed, "hearth");
        assert_eq!(session.state_value("members").as_list().unwrap().len(), 4);
        let coins_before = session.int("coins");
        assert!((120..=720).contains(&coins_before) && coins_before % 10 == 0, "{coins_before}");
        // Maud: a warrior's d8, CON +1, and two for dying hard.
        assert!((4..=11).contains(&member_value(&session, 1, "hp_max")));
        assert!((1..=4).contains(&member_value(&session, 4, "hp_max")), "d4, CON 0");
        assert_eq!(member_value(&session, 1, "skills.stab"), 1);
        assert_eq!(member_value(&session, 1, "skills.magic"), -1);
    }
}

/// SV-2.1, SV-2.3, SV-3.2: a custom company: rolled scores, one raised, a calling, a feat.
#[test]
fn a_custom_company_of_four_can_be_made() {
    use protocol::Input;
    let vm = sovereign_vm();
    let options = Value::map_of([
        ("company", Value::text("own")),
        ("opening", Value::text("sovereign:hearth")),
    ]);
    let mut session = GameSession::begin(&vm, 3, options, Value::map());
    for member_index in 0..4 {
        assert_eq!(scene_name(&mut session), "make_name");
        session.answer(&Input::Text(format!("Body {member_index}")));
        let raise_choice = enabled_choice_ids(&mut session)
            .into_iter()
            .find(|id| id.starts_with("raise:"))
            .unwrap();
        session.choose(&raise_choice);
        session.choose("scout");
        session.choose(if member_index == 0 { "die_hard" } else { "none" });
    }
    assert_eq!(scene_name(&mut session), "home");
    for member_number in 1..=4 {
        let scores = session.state_value(&format!("members.{member_number}.attributes"));
        let scores: Vec<i64> =
            scores.as_map().unwrap().values().filter_map(Value::as_int).collect();
        assert!(scores.len() == 5 && scores.iter().all(|score| (3..=18).contains(score)));
        assert!(scores.contains(&14), "one was raised: {scores:?}");
    }
    assert_eq!(session.state_value("members.1.feat"), Value::text("die_hard"));
}

/// SV-7.8, SV-7.11, SV-7.5, SV-8.2: a night in a bed heals; a barn does not; the frail do not heal.
#[test]
fn a_night_in_a_bed_heals_and_a_barn_does_not() {
    let vm = sovereign_vm();
    let mut session = company_session(&vm, 1, "laden");
    set_number(&mut session, "members.2.level", 3);
    set_number(&mut session, "members.2.hp_max", 9);
    session.choose("night");
    assert_eq!(member_value(&session, 2, "hp"), 4, "its level");
    assert_eq!(member_value(&session, 1, "hp"), 1, "frail");
    assert_eq!(member_value(&session, 2, "strain"), 1);
    assert!(member_value(&session, 4, "held") > 0, "workings come back");
    let mut session = company_session(&vm, 1, "laden");
    session.choose("barn");
    assert_eq!((member_value(&session, 2, "hp"), member_value(&session, 2, "strain")), (1, 2));
    assert_eq!(member_value(&session, 4, "held"), 0);
    assert_eq!(session.int("day"), 8, "SV-6.3: days at home");
}

/// SV-7.6: a week in bed with a healer; an hour of one with Heal 1.
#[test]
fn frailty_is_cured_by_bed_rest_or_a_healer() {
    let vm = sovereign_vm();
    let mut session = company_session(&vm, 1, "laden");
    session.choose("nursed");
    assert_eq!(session.state_value("members.1.frail"), Value::Bool(false));
    let mut outcome_counts = [0, 0];
    for seed in 0..24 {
        let mut session = company_session(&vm, seed, "laden");
        let (bands, total_cases) = choice_odds(&mut session, "mend");
        // Sister Ede: Heal 1, INT +1: eight or more on 2d6.
        assert_eq!((bands[0].1, total_cases), (15, 36));
        session.choose("mend");
        let is_cured = session.state_value("members.1.frail") == Value::Bool(false);
        outcome_counts[usize::from(is_cured)] += 1;
        if !is_cured {
            disabled_reason(&mut session, "mend");
        }
    }
    assert!(outcome_counts[0] > 3 && outcome_counts[1] > 3, "{outcome_counts:?}");
    let mut session = company_session(&vm, 1, "laden");
    set_number(&mut session, "members.3.skills.heal", 0);
    set_number(&mut session, "members.4.skills.heal", 0);
    disabled_reason(&mut session, "mend");
}

/// SV-7.7: without care, a save after a week; death within six days, or a month in bed.
#[test]
fn frailty_without_care_ends_in_death_or_a_month_in_bed() {
    let vm = sovereign_vm();
    let mut outcome_counts = [0, 0];
    for seed in 0..16 {
        let mut session = company_session(&vm, seed, "laden");
        for member_number in 1..=4 {
            set_number(&mut session, &format!("members.{member_number}.skills.heal"), -1);
        }
        set_number(&mut session, "coins", 5000);
        session.choose("week");
        let death_day = member_value(&session, 1, "dies_on");
        if death_day > 0 {
            assert!((session.int("day") + 1..=session.int("day") + 6).contains(&death_day));
            session.choose("week");
            assert_eq!(session.state_value("members.1.dead"), Value::Bool(true));
            outcome_counts[0] += 1;
            continue;
        }
        assert_eq!(session.state_value("members.1.long_bed"), Value::Bool(true));
        for _ in 0..4 {
            session.choose("week");
        }
        assert_eq!(session.state_value("members.1.frail"), Value::Bool(true), "28 nights");
        session.choose("week");
        assert_eq!(session.state_value("members.1.frail"), Value::Bool(false), "a month");
        outcome_counts[1] += 1;
    }
    assert!(outcome_counts[0] > 0 && outcome_counts[1] > 0, "{outcome_counts:?}");
}

/// SV-13.1, SV-13.2, SV-1.4: ten gold each for a week; three days; arrival where the errand begins.
#[test]
fn setting_out_costs_ten_gold_each_and_three_days() {
    let vm = sovereign_vm();
    let mut session = company_session(&vm, 2, "hearth");
    set_number(&mut session, "coins", 500);
    session.choose("board");
    session.choose("water");
    answer_number(&mut session, 100);
    assert_eq!(session.int("coins"), 100);
    assert_eq!(session.int("chest"), 360, "four heads at ten");
    assert_eq!(session.int("day"), 4);
    assert_eq!(session.int("paid_until"), 11);
    assert_eq!(session.state_value("delve.here"), Value::text("sovereign:leat"));
}

/// SV-22.1, SV-22.2, SV-22.3, SV-22.4, SV-3.3: gold brought home is experience; shares; a level; a
/// skill.
#[test]
fn gold_brought_home_gives_experience_and_levels() {
    let vm = sovereign_vm();
    let mut session = company_session(&vm, 2, "at_the_gate");
    let hit_points_before = member_value(&session, 1, "hp_max");
    let coins_before = session.int("coins");
    set_number(&mut session, "coins", coins_before + 1900);
    set_number(&mut session, "outdone", 180);
    set_number(&mut session, "set_out_with", coins_before);
    session.set("prizes", Value::List(vec![Value::text("sovereign:bone_comb")]));
    session.choose("home");
    for member_number in 1..=4 {
        assert_eq!(member_value(&session, member_number, "experience"), (1900 + 40 + 180) / 4);
        assert_eq!(member_value(&session, member_number, "level"), 2);
    }
    assert!(member_value(&session, 1, "hp_max") >= hit_points_before);
    assert_eq!(scene_name(&mut session), "level");
    session.choose("stab");
    assert_eq!(member_value(&session, 1, "skills.stab"), 2, "a trade of hers, at the second level");
    set_number(&mut session, "members.2.skills.sneak", 2);
    disabled_reason(&mut session, "sneak");
    session.choose("know");
    assert_eq!(member_value(&session, 2, "skills.know"), 0);
    for _ in 0..2 {
        session.choose("none");
    }
    assert_eq!(scene_name(&mut session), "home");
}

/// SV-11.6, SV-23.7, SV-22.2: beasts, porters and henchmen, at their prices; a henchman's half
/// share.
#[test]
fn animals_porters_and_henchmen_have_their_prices() {
    let vm = sovereign_vm();
    let mut session = company_session(&vm, 2, "hearth");
    set_number(&mut session, "coins", 1000);
    session.choose("hire");
    let mut coins_left = 1000;
    for (id, cost) in [("porter", 14), ("mule", 20), ("horse", 40), ("cart", 25), ("take_on:1", 10)]
    {
        session.choose(id);
        coins_left -= cost;
        assert_eq!(session.int("coins"), coins_left, "{id}");
    }
    session.choose("back");
    assert_eq!(session.state_value("members.5.kind"), Value::text("henchman"));
    set_number(&mut session, "outdone", 900);
    session.choose("board");
    session.choose("water");
    answer_number(&mut session, 0);
    session.choose("home");
    assert_eq!(member_value(&session, 1, "experience"), 200);
    assert_eq!(member_value(&session, 5, "experience"), 100);
}

/// SV-23.8, SV-13.2: prizes sell for half here, for all of it five weeks away, at a hundred and
/// sixty each.
#[test]
fn prizes_sell_for_half_here_and_in_full_far_away() {
    let vm = sovereign_vm();
    let mut session = company_session(&vm, 2, "laden");
    let coins_before = session.int("coins");
    session.choose("sell");
    session.choose("sell:abbots_plate");
    assert_eq!(session.int("coins"), coins_before + 160, "the plate, at half of 320");
    session.choose("back");
    set_number(&mut session, "coins", 700);
    session.choose("far");
    session.choose("wexcombe");
    assert_eq!(session.int("coins"), 60);
    session.choose("sell:psalter");
    assert_eq!(session.int("coins"), 310, "the psalter, whole");
}

/// SV-6.3: a campaign has a year; a company without members is lost; one that parts gets a report.
#[test]
fn campaigns_end_by_winter_retirement_or_giving_up() {
    let vm = sovereign_vm();
    let outcome_of = |session: &GameSession<'_>| {
        session
            .world
            .run_outcome()
            .unwrap()
            .get("outcome")
            .and_then(Value::as_text)
            .unwrap()
            .to_owned()
    };
    let mut session = company_session(&vm, 2, "laden");
    set_number(&mut session, "day", 362);
    session.choose("barn");
    assert_eq!(outcome_of(&session), "winter");
    let mut session = company_session(&vm, 2, "laden");
    session.choose("disband");
    session.choose("part");
    assert_eq!(outcome_of(&session), "retired");
    let mut session = company_session(&vm, 2, "hearth");
    session.choose("disband");
    session.choose("part");
    assert_eq!(outcome_of(&session), "given_up");
}

/// SV-1.6: rumours at the inn unlock ways without a roll.
#[test]
fn rumours_at_the_inn_set_their_flags() {
    let vm = sovereign_vm();
    let mut session = company_session(&vm, 2, "hearth");
    let mut output = String::new();
    for _ in 0..6 {
        output += &events_json(&session.choose("talk"));
    }
    disabled_reason(&mut session, "talk");
    for flag in
        ["heard_toll", "heard_sett", "heard_sluice", "heard_bell", "heard_scales", "heard_giant"]
    {
        assert_eq!(session.state_value(&format!("flags.{flag}")), Value::Bool(true));
    }
    assert!(output.contains("Forty, and you walk through"));
    set_flag(&mut session, "anything");
}
