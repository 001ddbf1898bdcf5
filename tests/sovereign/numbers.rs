//! The tables of the rules, cell by cell, against figures typed here from the rules' own text.

use serde_json::{Value, json};

use super::table::{cells, rule, vm};

/// SV-2.1, SV-2.2: five attributes; all scores from 3 to 18.
#[test]
fn attributes() {
    let vm = vm();
    let five = json!(["strength", "dexterity", "constitution", "intelligence", "wisdom"]);
    cells(&vm, "attributes", &[(json!([]), five)]);
    cells(&vm, "attribute_range", &[(json!([]), json!({ "least": 3, "most": 18 }))]);
    let modifiers = [-2, -1, -1, -1, -1, 0, 0, 0, 0, 0, 0, 1, 1, 1, 1, 2];
    for (score, modifier) in (3..=18).zip(modifiers) {
        cells(&vm, "modifier", &[(json!([score]), json!(modifier))]);
    }
    for (name, short) in [("strength", "STR"), ("intelligence", "INT"), ("wisdom", "WIS")] {
        cells(&vm, "short_name", &[(json!([name]), json!(short))]);
    }
    cells(&vm, "attribute_dice", &[(json!([]), json!("3d6"))]);
}

/// SV-3.2 to SV-3.4
#[test]
fn hit_points() {
    let vm = vm();
    for die in 1..=8 {
        for con in -2..=2 {
            let plain = (die + con).max(1);
            let hard = (die + con + 2).max(1);
            cells(&vm, "hit_points_of_die", &[(json!([die, con, false]), json!(plain)), (json!([die, con, true]), json!(hard))]);
        }
    }
    cells(&vm, "hit_points_after", &[(json!([7, 12]), json!(12)), (json!([12, 7]), json!(12))]);
    cells(&vm, "creature_hit_dice", &[(json!([0]), json!("1d4")), (json!([1]), json!("1d8")), (json!([9]), json!("9d8"))]);
}

/// SV-4.1 to SV-4.5
#[test]
fn saves() {
    let vm = vm();
    cells(&vm, "save_attributes", &[
        (json!(["physical"]), json!(["strength", "constitution"])),
        (json!(["evasion"]), json!(["dexterity", "intelligence"])),
        (json!(["mental"]), json!(["intelligence", "wisdom"])),
    ]);
    for level in 1..=10 {
        for (one, other, better) in [(-1, 2, 2), (1, 0, 1), (-2, -1, -1)] {
            cells(&vm, "save_target", &[(json!([level, one, other]), json!(16 - level - better))]);
        }
    }
    for (hd, target) in [(0, 15), (1, 15), (2, 14), (3, 14), (4, 13), (5, 13), (9, 11)] {
        cells(&vm, "creature_save_target", &[(json!([hd]), json!(target))]);
    }
    cells(&vm, "saved", &[
        (json!([1, 30, 10]), json!(false)),
        (json!([20, 2, 15]), json!(true)),
        (json!([9, 10, 10]), json!(true)),
        (json!([9, 9, 10]), json!(false)),
    ]);
}

/// SV-5.1 to SV-5.5
#[test]
fn skills() {
    let vm = vm();
    let nine = json!(["exert", "heal", "know", "magic", "notice", "sneak", "brawl", "shoot", "stab"]);
    cells(&vm, "skills", &[(json!([]), nine)]);
    cells(&vm, "skill_range", &[(json!([]), json!({ "least": -1, "most": 4 }))]);
    let words = ["untrained", "able", "a professional", "the best of a village", "the best of a city", "known everywhere"];
    for (level, word) in (-1..=4).zip(words) {
        cells(&vm, "skill_word", &[(json!([level]), json!(word))]);
    }
    cells(&vm, "check_target", &[(json!([]), json!(10))]);
    for other in -3..=6 {
        cells(&vm, "opposed_target", &[(json!([other]), json!(8 + other))]);
    }
    cells(&vm, "group_bonus", &[
        (json!([[2, 1, 0, -1]]), json!(1)),
        (json!([[3, 3, 3]]), json!(3)),
        (json!([[-1, -2, 0]]), json!(-2)),
    ]);
}

/// SV-6.1 to SV-6.3
#[test]
fn time() {
    let vm = vm();
    let time = json!({ "minutes_of_turn": 10, "seconds_of_round": 10, "turns_of_day": 144, "turns_of_hour": 6 });
    cells(&vm, "time", &[(json!([]), time)]);
    cells(&vm, "turns_of_rounds", &[(json!([]), json!(1))]);
}

/// SV-7.1 to SV-7.11
#[test]
fn injury() {
    let vm = vm();
    cells(&vm, "mortal_rounds", &[(json!([]), json!(6))]);
    for rounds in 0..6 {
        cells(&vm, "stabilise_penalty", &[(json!([rounds]), json!(-rounds))]);
    }
    cells(&vm, "stabilised", &[(json!([]), json!({ "turns": 1, "hp": 1, "frail": true }))]);
    cells(&vm, "at_nought", &[
        (json!([true, false]), json!("falls")),
        (json!([true, true]), json!("dies")),
        (json!([false, false]), json!("dies")),
    ]);
    cells(&vm, "frail_days", &[(json!([true]), json!(7)), (json!([false]), json!(30))]);
    cells(&vm, "frail_death", &[(json!([]), json!({ "after_days": 7, "dice": "1d6" }))]);
    for (heal, nurse, mend) in [(-1, false, false), (0, true, false), (1, true, true), (4, true, true)] {
        cells(&vm, "can_nurse", &[(json!([heal, true]), json!(nurse)), (json!([heal, false]), json!(false))]);
        cells(&vm, "can_mend_frailty", &[(json!([heal, true]), json!(mend)), (json!([heal, false]), json!(false))]);
    }
    for level in 1..=10 {
        cells(&vm, "natural_healing", &[
            (json!([level, false, true]), json!(level)),
            (json!([level, true, true]), json!(0)),
            (json!([level, false, false]), json!(0)),
        ]);
    }
    cells(&vm, "first_aid", &[(json!([]), json!({ "dice": "1d6", "strain": 1 }))]);
    cells(&vm, "first_aid_healed", &[(json!([4, 2]), json!(6)), (json!([1, -1]), json!(1))]);
    cells(&vm, "strain", &[
        (json!([0, 1, 10, false]), json!("taken")),
        (json!([9, 1, 10, false]), json!("taken")),
        (json!([10, 1, 10, false]), json!("refused")),
        (json!([8, 3, 10, true]), json!("senseless")),
    ]);
    cells(&vm, "senseless_turns", &[(json!([]), json!(6))]);
    cells(&vm, "strain_lost", &[(json!([true]), json!(1)), (json!([false]), json!(0))]);
}

/// SV-8.1, SV-8.2
#[test]
fn rest() {
    let vm = vm();
    cells(&vm, "sleep_hours", &[(json!([]), json!(8))]);
    for mask in 0..8 {
        let (one, two, three) = (mask & 1 > 0, mask & 2 > 0, mask & 4 > 0);
        cells(&vm, "comfortable", &[(json!([one, two, three]), json!(mask == 7))]);
    }
}

/// SV-9.1, SV-9.3, SV-9.4
#[test]
fn banes() {
    let vm = vm();
    cells(&vm, "bane_range", &[(json!([]), json!({ "least": -4, "most": 4 }))]);
    for (heal, bonus) in [(-1, 0), (0, 1), (1, 2), (2, 4), (3, 6), (4, 8)] {
        cells(&vm, "medic_bonus", &[(json!([heal]), json!(bonus))]);
    }
    cells(&vm, "deadly_turns", &[(json!([]), json!("1d4"))]);
}

/// SV-10.1 to SV-10.5
#[test]
fn chases() {
    let vm = vm();
    cells(&vm, "pursuit_feet", &[(json!([]), json!(90))]);
    for (way, cases) in [("corner", 2), ("door", 2), ("stairs", 2), ("open", 6)] {
        cells(&vm, "follows", &[(json!([way]), json!(cases))]);
    }
    cells(&vm, "oil_stops", &[(json!([]), json!(5))]);
    for (wits, food, treasure) in [("intelligent", 1, 5), ("half", 3, 3), ("none", 5, 1)] {
        cells(&vm, "food_stops", &[(json!([wits]), json!(food))]);
        cells(&vm, "treasure_stops", &[(json!([wits]), json!(treasure))]);
    }
}

/// SV-11.1 to SV-11.6
#[test]
fn loads() {
    let vm = vm();
    for (handling, points) in [("pocket", 0), ("one_hand", 1), ("two_hands", 2), ("whole_body", 5), ("teammate", 12)] {
        cells(&vm, "enc_of", &[(json!([handling]), json!(points))]);
    }
    for strength in 3..=18 {
        cells(&vm, "stowed_most", &[(json!([strength]), json!(strength))]);
        cells(&vm, "readied_most", &[(json!([strength]), json!(strength / 2))]);
    }
    cells(&vm, "draw_cost", &[(json!([true]), json!("none")), (json!([false]), json!("main action"))]);
    for (pounds, points) in [(0, 0), (5, 1), (50, 10), (100, 20), (60, 12)] {
        cells(&vm, "enc_of_pounds", &[(json!([pounds]), json!(points))]);
    }
    for (coins, points) in [(0, 0), (99, 0), (100, 1), (1250, 12)] {
        cells(&vm, "enc_of_coins", &[(json!([coins]), json!(points))]);
    }
    cells(&vm, "bearer", &[
        (json!(["horse"]), json!({ "cost": 40, "daily": false, "enc": 30 })),
        (json!(["mule"]), json!({ "cost": 20, "daily": false, "enc": 15 })),
        (json!(["porter"]), json!({ "cost": 2, "daily": true, "enc": 12 })),
        (json!(["cart"]), json!({ "cost": 25, "daily": false, "enc": 300, "beasts": 2 })),
    ]);
}

/// SV-12.1 to SV-12.4
#[test]
fn falling_and_air() {
    let vm = vm();
    for (feet, dice) in [(5, 0), (10, 1), (25, 2), (100, 10), (200, 20), (900, 20)] {
        cells(&vm, "fall_dice", &[(json!([feet, false]), json!(dice)), (json!([feet, true]), json!(dice + 1))]);
    }
    for feet in [10, 20, 50] {
        cells(&vm, "leap_target", &[(json!([feet]), json!(7 + feet / 10))]);
        cells(&vm, "leap_feet", &[(json!([feet, true]), json!(feet / 2)), (json!([feet, false]), json!(feet))]);
    }
    cells(&vm, "air_rounds", &[
        (json!([13, false]), json!(13)),
        (json!([13, true]), json!(52)),
        (json!([null, false]), json!(10)),
    ]);
    cells(&vm, "airless_harm", &[(json!([3]), json!(3))]);
}

/// SV-12.5 to SV-12.8
#[test]
fn want() {
    let vm = vm();
    for (what, strain) in [("food", 1), ("water", 3), ("sleep", 2)] {
        cells(&vm, "want_strain", &[(json!([what]), json!(strain))]);
        let dies = what != "sleep";
        cells(&vm, "want_kills", &[(json!([what, 12, 12]), json!(dies)), (json!([what, 11, 12]), json!(false))]);
    }
    cells(&vm, "want_counts", &[
        (json!([false, 5, 9]), json!(false)),
        (json!([true, 5, 9]), json!(true)),
        (json!([false, 10, 9]), json!(true)),
    ]);
}

/// SV-13.1, SV-13.2
#[test]
fn the_road() {
    let vm = vm();
    cells(&vm, "miles_of_day", &[(json!([]), json!(18))]);
    cells(&vm, "days_of_miles", &[(json!([54]), json!(3)), (json!([55]), json!(4)), (json!([1]), json!(1))]);
    let costs = [10, 20, 40, 80, 160, 320, 640, 1250, 2500, 5000];
    for (weeks, cost) in (1..=10).zip(costs) {
        cells(&vm, "travel_cost", &[(json!([weeks]), json!(cost))]);
    }
}

/// SV-14.2, SV-14.3
#[test]
fn activities() {
    let vm = vm();
    let table = [("move", 1), ("pick_lock", 1), ("disarm", 1), ("fight", 1), ("first_aid", 1), ("search", 1), ("torch", 6), ("lantern", 24)];
    for (activity, turns) in table {
        cells(&vm, "activity_turns", &[(json!([activity]), json!(turns))]);
    }
    cells(&vm, "actions_of_turn", &[(json!([]), json!(1))]);
}

/// SV-15.2, SV-15.3, SV-16.1
#[test]
fn hidden_things_and_traps() {
    let vm = vm();
    cells(&vm, "notice", &[
        (json!([false]), json!({ "feet": 10, "bonus": 0 })),
        (json!([true]), json!({ "feet": 10, "bonus": 2 })),
    ]);
    cells(&vm, "trap_springs", &[(json!([]), json!(2))]);
}

/// SV-17.1 to SV-17.8
#[test]
fn doors() {
    let vm = vm();
    cells(&vm, "may_pick", &[(json!([1, null]), json!(true)), (json!([1, 1]), json!(false)), (json!([2, 1]), json!(true))]);
    for (strength, exert, wood) in [(0, 0, 6), (1, 1, 4), (2, 4, 1), (-1, -1, 7), (0, -1, 6)] {
        cells(&vm, "batter_turns", &[
            (json!(["wood", strength, exert]), json!(wood)),
            (json!(["banded", strength, exert]), json!(3 * wood)),
            (json!(["stone", strength, exert]), Value::Null),
        ]);
    }
    cells(&vm, "batter_checks", &[(json!([]), json!(1))]);
    cells(&vm, "stuck_turns", &[(json!([]), json!("1d3"))]);
    for (loudness, heard) in [("quiet", false), ("talking", true), ("loud", true)] {
        cells(&vm, "heard", &[(json!([loudness]), json!(heard))]);
    }
    let hard = json!({ "springs": true, "hostile": true, "may_surprise": true, "looks": false });
    let soft = json!({ "springs": false, "hostile": false, "may_surprise": false, "looks": true });
    cells(&vm, "entry", &[(json!(["hard"]), hard), (json!(["soft"]), soft)]);
}

/// SV-18.2, SV-18.3, SV-18.5
#[test]
fn encounters() {
    let vm = vm();
    let table = [("alerted", json!(1)), ("organised", json!(2)), ("unorganised", json!(3)), ("sparse", json!(4)), ("disused", json!(6)), ("unknown", Value::Null)];
    for (watch, every) in table {
        cells(&vm, "wandering_every", &[(json!([watch]), every.clone())]);
        for turn in 1..=12 {
            let due = every.as_i64().is_some_and(|every| turn % every == 0);
            cells(&vm, "wandering_due", &[(json!([watch, turn]), json!(due))]);
        }
    }
    cells(&vm, "wandering_faces", &[(json!([]), json!(1))]);
    cells(&vm, "surprise_check", &[
        (json!(["burst"]), json!({ "attribute": "strength", "skill": "exert" })),
        (json!(["ambush"]), json!({ "attribute": "dexterity", "skill": "sneak" })),
    ]);
}

/// SV-19.1 to SV-19.4: every throw against every action.
#[test]
fn reactions() {
    let vm = vm();
    let rows = [
        (2..=5, ["combat", "odds", "chase", "odds"]),
        (6..=8, ["odds", "parley", "ignore", "ignore"]),
        (9..=12, ["run", "parley", "ignore", "ignore"]),
    ];
    for (throws, row) in rows {
        for throw in throws {
            for (action, word) in ["fight", "talk", "run", "wait"].into_iter().zip(row) {
                cells(&vm, "reaction", &[(json!([throw, action]), json!(word))]);
                let strong = if word == "odds" { "combat" } else { word };
                let weak = if word == "odds" { "run" } else { word };
                let mindless = if action == "run" { "chase" } else { "combat" };
                cells(&vm, "reaction_of", &[
                    (json!([throw, action, "intelligent", 12, 4]), json!(strong)),
                    (json!([throw, action, "intelligent", 11, 4]), json!(weak)),
                    (json!([throw, action, "half", 11, 4]), json!(weak)),
                    (json!([throw, action, "none", 1, 40]), json!(mindless)),
                ]);
            }
        }
    }
    cells(&vm, "could_win", &[(json!([12, 4]), json!(true)), (json!([11, 4]), json!(false))]);
}

/// SV-20.1 to SV-20.3
#[test]
fn parley() {
    let vm = vm();
    let sorts = json!(["exchange", "promise", "gratitude", "threat"]);
    cells(&vm, "leverage_sorts", &[(json!([]), sorts)]);
    cells(&vm, "parley_gives", &[(json!([2, 3]), json!(false)), (json!([3, 3]), json!(true))]);
    cells(&vm, "wants", &[
        (json!(["dragon"]), json!(["food", "territory", "treasure", "domination"])),
        (json!(["humanoid"]), json!(["territory", "treasure", "domination", "fairness", "kindness", "loyalty", "obedience", "sanctity"])),
        (json!(["giant"]), json!(["standing"])),
        (json!(["fiend"]), json!(["suffering"])),
        (json!(["aberration"]), json!([])),
        (json!(["fey"]), json!(["gluttony", "lust", "greed", "sorrow", "wrath", "sloth", "pride"])),
    ]);
}

/// SV-21.1 to SV-21.4
#[test]
fn water() {
    let vm = vm();
    for (constitution, hours) in [(3, 0), (4, 1), (11, 2), (18, 4)] {
        cells(&vm, "swim", &[(json!([constitution]), json!({ "feet": 15, "hours": hours }))]);
    }
    for (armour, sinks) in [("leather", false), ("shield", false), ("chain", true), ("plate", true)] {
        cells(&vm, "sinks", &[(json!([armour]), json!(sinks))]);
    }
    cells(&vm, "breath", &[(json!([]), json!({ "rounds": 3, "strain": 1 }))]);
    cells(&vm, "under_water", &[
        (json!(["thrust"]), json!({ "attack": -4, "harm_over": 1, "range_over": 1 })),
        (json!(["slash"]), json!({ "attack": -4, "harm_over": 2, "range_over": 1 })),
        (json!(["crush"]), json!({ "attack": -4, "harm_over": 2, "range_over": 1 })),
        (json!(["bow"]), Value::Null),
        (json!(["crossbow"]), json!({ "attack": 0, "harm_over": 1, "range_over": 2 })),
    ]);
    let senses = json!({ "fire": false, "words": false, "light_over": 2, "sound_times": 2 });
    cells(&vm, "senses_under_water", &[(json!([]), senses)]);
}

/// SV-22.1 to SV-22.4
#[test]
fn experience() {
    let vm = vm();
    cells(&vm, "experience_of_treasure", &[(json!([340]), json!(340))]);
    for (hd, gives) in [(0, 10), (1, 20), (2, 80), (3, 180), (9, 1620)] {
        cells(&vm, "experience_of_creature", &[(json!([hd]), json!(gives))]);
    }
    cells(&vm, "experience_share", &[
        (json!([1000, 4, 0, false]), json!(250)),
        (json!([1000, 4, 2, false]), json!(200)),
        (json!([1000, 4, 2, true]), json!(100)),
        (json!([1000, 0, 0, false]), json!(0)),
    ]);
    for (level, threshold) in [(1, 0), (2, 500), (3, 1500), (4, 3000), (5, 5000), (10, 22500)] {
        cells(&vm, "level_threshold", &[(json!([level]), json!(threshold))]);
        cells(&vm, "level_of", &[(json!([threshold]), json!(level))]);
    }
    cells(&vm, "level_of", &[(json!([499]), json!(1)), (json!([1499]), json!(2)), (json!([99999]), json!(10))]);
    for (level, most) in [(1, 1), (2, 1), (3, 2), (6, 3), (9, 4), (10, 4)] {
        cells(&vm, "skill_ceiling", &[(json!([level]), json!(most))]);
    }
}

/// SV-23.1 to SV-23.8, SV-1.1, SV-1.2
#[test]
fn rulings() {
    let vm = vm();
    cells(&vm, "attack_bonus", &[(json!([true, 5]), json!(5)), (json!([false, 5]), json!(2))]);
    cells(&vm, "hits", &[
        (json!([1, 40, 10]), json!(false)),
        (json!([20, 1, 30]), json!(true)),
        (json!([11, 14, 14]), json!(true)),
        (json!([11, 13, 14]), json!(false)),
    ]);
    cells(&vm, "shock", &[(json!([2, 13, 1, 13]), json!(3)), (json!([2, 13, 1, 14]), json!(0)), (json!([0, 13, 2, 10]), json!(0))]);
    cells(&vm, "harm", &[(json!([7, -2, 2]), json!(2)), (json!([1, -2, 1]), json!(1)), (json!([6, 1]), json!(7))]);
    cells(&vm, "initiative", &[(json!([]), json!("1d8"))]);
    cells(&vm, "party_first", &[(json!([4, 4]), json!(true)), (json!([3, 4]), json!(false))]);
    cells(&vm, "nerve_fails", &[(json!([8, 8]), json!(false)), (json!([9, 8]), json!(true))]);
    cells(&vm, "pace", &[(json!([10, 20]), json!(30)), (json!([20, 20]), json!(20)), (json!([21, 20]), json!(10))]);
    cells(&vm, "workings_held", &[(json!([3, 1]), json!(4)), (json!([3, -1]), json!(0))]);
    cells(&vm, "henchman_wage", &[(json!([2]), json!(20))]);
    cells(&vm, "henchmen_most", &[(json!([]), json!(4))]);
    for (market, share) in [("village", 50), ("town", 80), ("city", 100)] {
        cells(&vm, "sale_share", &[(json!([market]), json!(share))]);
    }
    cells(&vm, "company_size", &[(json!([]), json!(4))]);
    cells(&vm, "first_gold", &[(json!([]), json!("3d6*10"))]);
    assert_eq!(rule(&vm, "bare_hands", &json!([true, 4]))["dice"], json!("1d6"));
    assert_eq!(rule(&vm, "bare_hands", &json!([false, 9]))["shock"], json!(0));
    cells(&vm, "dice_mean", &[(json!(["1d8"]), json!(9)), (json!(["2d6+1"]), json!(16))]);
}
