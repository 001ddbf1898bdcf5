//! The tables of the road and of what is below, cell by cell, against figures typed here.

use serde_json::{Value, json};

use super::table::{cells, rule, vm};

/// SV-13.1, SV-13.2
#[test]
fn the_road() {
    let vm = vm();
    cells(&vm, "miles_of_day", &[(json!([]), json!(18))]);
    cells(
        &vm,
        "days_of_miles",
        &[(json!([54]), json!(3)), (json!([55]), json!(4)), (json!([1]), json!(1))],
    );
    let costs = [10, 20, 40, 80, 160, 320, 640, 1250, 2500, 5000];
    for (weeks, cost) in (1..=10).zip(costs) {
        cells(&vm, "travel_cost", &[(json!([weeks]), json!(cost))]);
    }
}

/// SV-14.2, SV-14.3
#[test]
fn activities() {
    let vm = vm();
    let table = [
        ("move", 1),
        ("pick_lock", 1),
        ("disarm", 1),
        ("fight", 1),
        ("first_aid", 1),
        ("search", 1),
        ("torch", 6),
        ("lantern", 24),
    ];
    for (activity, turns) in table {
        cells(&vm, "activity_turns", &[(json!([activity]), json!(turns))]);
    }
    cells(&vm, "actions_of_turn", &[(json!([]), json!(1))]);
}

/// SV-15.2, SV-15.3, SV-16.1
#[test]
fn hidden_things_and_traps() {
    let vm = vm();
    cells(
        &vm,
        "notice",
        &[
            (json!([false]), json!({ "feet": 10, "bonus": 0 })),
            (json!([true]), json!({ "feet": 10, "bonus": 2 })),
        ],
    );
    cells(&vm, "trap_springs", &[(json!([]), json!(2))]);
}

/// SV-17.1 to SV-17.8
#[test]
fn doors() {
    let vm = vm();
    cells(
        &vm,
        "may_pick",
        &[(json!([1]), json!(true)), (json!([1, 1]), json!(false)), (json!([2, 1]), json!(true))],
    );
    for (strength, exert, wood) in [(0, 0, 6), (1, 1, 4), (2, 4, 1), (-1, -1, 7), (0, -1, 6)] {
        cells(
            &vm,
            "batter_turns",
            &[
                (json!(["wood", strength, exert]), json!(wood)),
                (json!(["banded", strength, exert]), json!(3 * wood)),
                (json!(["stone", strength, exert]), Value::Null),
                (json!(["metal", strength, exert]), Value::Null),
            ],
        );
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
    let table = [
        ("alerted", json!(1)),
        ("organised", json!(2)),
        ("unorganised", json!(3)),
        ("sparse", json!(4)),
        ("disused", json!(6)),
        ("unknown", Value::Null),
    ];
    for (watch, every) in table {
        cells(&vm, "wandering_every", &[(json!([watch]), every.clone())]);
        for turn in 1..=12 {
            let due = every.as_i64().is_some_and(|every| turn % every == 0);
            cells(&vm, "wandering_due", &[(json!([watch, turn]), json!(due))]);
        }
    }
    cells(&vm, "wandering_faces", &[(json!([]), json!(1))]);
    cells(
        &vm,
        "surprise_check",
        &[
            (json!(["burst"]), json!({ "attribute": "strength", "skill": "exert" })),
            (json!(["ambush"]), json!({ "attribute": "dexterity", "skill": "sneak" })),
        ],
    );
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
                cells(
                    &vm,
                    "reaction_of",
                    &[
                        (json!([throw, action, "intelligent", 12, 4]), json!(strong)),
                        (json!([throw, action, "intelligent", 11, 4]), json!(weak)),
                        (json!([throw, action, "half", 11, 4]), json!(weak)),
                        (json!([throw, action, "none", 1, 40]), json!(mindless)),
                    ],
                );
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
    cells(
        &vm,
        "wants",
        &[
            (json!(["dragon"]), json!(["food", "territory", "treasure", "domination"])),
            (
                json!(["humanoid"]),
                json!([
                    "territory",
                    "treasure",
                    "domination",
                    "fairness",
                    "kindness",
                    "loyalty",
                    "obedience",
                    "sanctity"
                ]),
            ),
            (json!(["giant"]), json!(["standing"])),
            (json!(["fiend"]), json!(["suffering"])),
            (json!(["aberration"]), json!({})),
            (
                json!(["fey"]),
                json!(["gluttony", "lust", "greed", "sorrow", "wrath", "sloth", "pride"]),
            ),
        ],
    );
}

/// SV-21.1 to SV-21.4
#[test]
fn water() {
    let vm = vm();
    for (constitution, hours) in [(3, 0), (4, 1), (11, 2), (18, 4)] {
        cells(&vm, "swim", &[(json!([constitution]), json!({ "feet": 15, "hours": hours }))]);
    }
    for (armour, sinks) in [("leather", false), ("shield", false), ("chain", true), ("plate", true)]
    {
        cells(&vm, "sinks", &[(json!([armour]), json!(sinks))]);
    }
    cells(&vm, "breath", &[(json!([]), json!({ "rounds": 3, "strain": 1 }))]);
    cells(
        &vm,
        "under_water",
        &[
            (json!(["thrust"]), json!({ "attack": -4, "harm_over": 1, "range_over": 1 })),
            (json!(["slash"]), json!({ "attack": -4, "harm_over": 2, "range_over": 1 })),
            (json!(["crush"]), json!({ "attack": -4, "harm_over": 2, "range_over": 1 })),
            (json!(["bow"]), Value::Null),
            (json!(["crossbow"]), json!({ "attack": 0, "harm_over": 1, "range_over": 2 })),
        ],
    );
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
    cells(
        &vm,
        "experience_share",
        &[
            (json!([1000, 4, 0, false]), json!(250)),
            (json!([1000, 4, 2, false]), json!(200)),
            (json!([1000, 4, 2, true]), json!(100)),
            (json!([1000, 0, 0, false]), json!(0)),
        ],
    );
    for (level, threshold) in [(1, 0), (2, 500), (3, 1500), (4, 3000), (5, 5000), (10, 22500)] {
        cells(&vm, "level_threshold", &[(json!([level]), json!(threshold))]);
        cells(&vm, "level_of", &[(json!([threshold]), json!(level))]);
    }
    cells(
        &vm,
        "level_of",
        &[(json!([499]), json!(1)), (json!([1499]), json!(2)), (json!([99999]), json!(10))],
    );
    for (level, most) in [(1, 1), (2, 2), (3, 2), (4, 3), (5, 3), (6, 4), (10, 4)] {
        cells(&vm, "skill_ceiling", &[(json!([level]), json!(most))]);
    }
}

/// SV-23.1 to SV-23.8, SV-1.1, SV-1.2
#[test]
fn rulings() {
    let vm = vm();
    cells(&vm, "attack_bonus", &[(json!([true, 5]), json!(5)), (json!([false, 5]), json!(2))]);
    cells(
        &vm,
        "hits",
        &[
            (json!([1, 40, 10]), json!(false)),
            (json!([20, 1, 30]), json!(true)),
            (json!([11, 14, 14]), json!(true)),
            (json!([11, 13, 14]), json!(false)),
        ],
    );
    cells(
        &vm,
        "shock",
        &[
            (json!([2, 13, 1, 13]), json!(3)),
            (json!([2, 13, 1, 14]), json!(0)),
            (json!([0, 13, 2, 10]), json!(0)),
        ],
    );
    cells(
        &vm,
        "harm",
        &[(json!([7, -2, 2]), json!(2)), (json!([1, -2, 1]), json!(1)), (json!([6, 1]), json!(7))],
    );
    cells(&vm, "initiative", &[(json!([]), json!("1d8"))]);
    cells(&vm, "party_first", &[(json!([4, 4]), json!(true)), (json!([3, 4]), json!(false))]);
    cells(&vm, "nerve_fails", &[(json!([8, 8]), json!(false)), (json!([9, 8]), json!(true))]);
    cells(
        &vm,
        "pace",
        &[(json!([10, 20]), json!(30)), (json!([20, 20]), json!(20)), (json!([21, 20]), json!(10))],
    );
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
