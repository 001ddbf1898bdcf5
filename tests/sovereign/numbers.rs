//! The tables of the rules, cell by cell, against figures typed here from the rules' own text.

use serde_json::json;

use super::table::{cells, vm};

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
            cells(
                &vm,
                "hit_points_of_die",
                &[(json!([die, con, false]), json!(plain)), (json!([die, con, true]), json!(hard))],
            );
        }
    }
    cells(&vm, "hit_points_after", &[(json!([7, 12]), json!(12)), (json!([12, 7]), json!(12))]);
    cells(
        &vm,
        "creature_hit_dice",
        &[(json!([0]), json!("1d4")), (json!([1]), json!("1d8")), (json!([9]), json!("9d8"))],
    );
}

/// SV-4.1 to SV-4.5
#[test]
fn saves() {
    let vm = vm();
    cells(
        &vm,
        "save_attributes",
        &[
            (json!(["physical"]), json!(["strength", "constitution"])),
            (json!(["evasion"]), json!(["dexterity", "intelligence"])),
            (json!(["mental"]), json!(["intelligence", "wisdom"])),
        ],
    );
    for level in 1..=10 {
        for (one, other, better) in [(-1, 2, 2), (1, 0, 1), (-2, -1, -1)] {
            cells(&vm, "save_target", &[(json!([level, one, other]), json!(16 - level - better))]);
        }
    }
    for (hd, target) in [(0, 15), (1, 15), (2, 14), (3, 14), (4, 13), (5, 13), (9, 11)] {
        cells(&vm, "creature_save_target", &[(json!([hd]), json!(target))]);
    }
    cells(
        &vm,
        "saved",
        &[
            (json!([1, 30, 10]), json!(false)),
            (json!([20, 2, 15]), json!(true)),
            (json!([9, 10, 10]), json!(true)),
            (json!([9, 9, 10]), json!(false)),
        ],
    );
}

/// SV-5.1 to SV-5.5
#[test]
fn skills() {
    let vm = vm();
    let nine =
        json!(["exert", "heal", "know", "magic", "notice", "sneak", "brawl", "shoot", "stab"]);
    cells(&vm, "skills", &[(json!([]), nine)]);
    cells(&vm, "skill_range", &[(json!([]), json!({ "least": -1, "most": 4 }))]);
    let words = [
        "untrained",
        "able",
        "a professional",
        "the best of a village",
        "the best of a city",
        "known everywhere",
    ];
    for (level, word) in (-1..=4).zip(words) {
        cells(&vm, "skill_word", &[(json!([level]), json!(word))]);
    }
    cells(&vm, "check_target", &[(json!([]), json!(10))]);
    for other in -3..=6 {
        cells(&vm, "opposed_target", &[(json!([other]), json!(8 + other))]);
    }
    cells(
        &vm,
        "group_bonus",
        &[
            (json!([[2, 1, 0, -1]]), json!(1)),
            (json!([[3, 3, 3]]), json!(3)),
            (json!([[-1, -2, 0]]), json!(-2)),
        ],
    );
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
    cells(
        &vm,
        "at_nought",
        &[
            (json!([true, false]), json!("falls")),
            (json!([true, true]), json!("dies")),
            (json!([false, false]), json!("dies")),
        ],
    );
    cells(&vm, "frail_days", &[(json!([true]), json!(7)), (json!([false]), json!(30))]);
    cells(&vm, "frail_death", &[(json!([]), json!({ "after_days": 7, "dice": "1d6" }))]);
    for (heal, nurse, mend) in
        [(-1, false, false), (0, true, false), (1, true, true), (4, true, true)]
    {
        cells(
            &vm,
            "can_nurse",
            &[(json!([heal, true]), json!(nurse)), (json!([heal, false]), json!(false))],
        );
        cells(
            &vm,
            "can_mend_frailty",
            &[(json!([heal, true]), json!(mend)), (json!([heal, false]), json!(false))],
        );
    }
    for level in 1..=10 {
        cells(
            &vm,
            "natural_healing",
            &[
                (json!([level, false, true]), json!(level)),
                (json!([level, true, true]), json!(0)),
                (json!([level, false, false]), json!(0)),
            ],
        );
    }
    cells(&vm, "first_aid", &[(json!([]), json!({ "dice": "1d6", "strain": 1 }))]);
    cells(&vm, "first_aid_healed", &[(json!([4, 2]), json!(6)), (json!([1, -1]), json!(1))]);
    cells(
        &vm,
        "strain",
        &[
            (json!([0, 1, 10, false]), json!("taken")),
            (json!([9, 1, 10, false]), json!("taken")),
            (json!([10, 1, 10, false]), json!("refused")),
            (json!([8, 3, 10, true]), json!("senseless")),
        ],
    );
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
    for (handling, points) in
        [("pocket", 0), ("one_hand", 1), ("two_hands", 2), ("whole_body", 5), ("teammate", 12)]
    {
        cells(&vm, "enc_of", &[(json!([handling]), json!(points))]);
    }
    for strength in 3..=18 {
        cells(&vm, "stowed_most", &[(json!([strength]), json!(strength))]);
        cells(&vm, "readied_most", &[(json!([strength]), json!(strength / 2))]);
    }
    cells(
        &vm,
        "draw_cost",
        &[(json!([true]), json!("none")), (json!([false]), json!("main action"))],
    );
    for (pounds, points) in [(0, 0), (5, 1), (50, 10), (100, 20), (60, 12)] {
        cells(&vm, "enc_of_pounds", &[(json!([pounds]), json!(points))]);
    }
    for (coins, points) in [(0, 0), (99, 0), (100, 1), (1250, 12)] {
        cells(&vm, "enc_of_coins", &[(json!([coins]), json!(points))]);
    }
    cells(
        &vm,
        "bearer",
        &[
            (json!(["horse"]), json!({ "cost": 40, "daily": false, "enc": 30 })),
            (json!(["mule"]), json!({ "cost": 20, "daily": false, "enc": 15 })),
            (json!(["porter"]), json!({ "cost": 2, "daily": true, "enc": 12 })),
            (json!(["cart"]), json!({ "cost": 25, "daily": false, "enc": 300, "beasts": 2 })),
        ],
    );
}

/// SV-12.1 to SV-12.4
#[test]
fn falling_and_air() {
    let vm = vm();
    for (feet, dice) in [(5, 0), (10, 1), (25, 2), (100, 10), (200, 20), (900, 20)] {
        cells(
            &vm,
            "fall_dice",
            &[(json!([feet, false]), json!(dice)), (json!([feet, true]), json!(dice + 1))],
        );
    }
    for feet in [10, 20, 50] {
        cells(&vm, "leap_target", &[(json!([feet]), json!(7 + feet / 10))]);
        cells(
            &vm,
            "leap_feet",
            &[(json!([feet, true]), json!(feet / 2)), (json!([feet, false]), json!(feet))],
        );
    }
    cells(
        &vm,
        "air_rounds",
        &[
            (json!([false, 13]), json!(13)),
            (json!([true, 13]), json!(52)),
            (json!([false]), json!(10)),
        ],
    );
    cells(&vm, "airless_harm", &[(json!([3]), json!(3))]);
}

/// SV-12.5 to SV-12.8
#[test]
fn want() {
    let vm = vm();
    for (what, strain) in [("food", 1), ("water", 3), ("sleep", 2)] {
        cells(&vm, "want_strain", &[(json!([what]), json!(strain))]);
        let dies = what != "sleep";
        cells(
            &vm,
            "want_kills",
            &[(json!([what, 12, 12]), json!(dies)), (json!([what, 11, 12]), json!(false))],
        );
    }
    cells(
        &vm,
        "want_counts",
        &[
            (json!([false, 5, 9]), json!(false)),
            (json!([true, 5, 9]), json!(true)),
            (json!([false, 10, 9]), json!(true)),
        ],
    );
}
