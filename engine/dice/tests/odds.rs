//! Exact odds, compared with arithmetic, known tables, and an enumeration of every case.

use std::collections::BTreeMap;

use dice::notation::{Dice, Faces, KeepRule};
use dice::{
    Expr, RollResult, count_roll_outcomes, enumerate_face_combinations, faces_in_notation_order,
    parse_roll, roll,
};
use rand_chacha::ChaCha8Rng;
use rand_chacha::rand_core::{Rng, SeedableRng};

/// Enumerates every fall of the dice of a roll: the number of `case_count` cases for each key.
fn count_falls_by_key<K: Ord>(
    expr: &Expr,
    case_count: u64,
    key: impl Fn(&RollResult) -> K,
) -> BTreeMap<K, u64> {
    let mut counts = BTreeMap::new();
    let mut path: Vec<(u32, u32)> = Vec::new();
    loop {
        let mut depth = 0;
        let roll_result = roll(expr, &mut |sides| {
            if depth == path.len() {
                path.push((1, sides));
            }
            depth += 1;
            path[depth - 1].0
        });
        path.truncate(depth);
        let case_share = path.iter().fold(case_count, |share, (_, sides)| {
            assert_eq!(share % u64::from(*sides), 0, "the whole divides into all falls");
            share / u64::from(*sides)
        });
        *counts.entry(key(&roll_result)).or_insert(0) += case_share;
        while path.last().is_some_and(|(face, sides)| face == sides) {
            path.pop();
        }
        let Some(last_die) = path.last_mut() else { return counts };
        last_die.0 += 1;
    }
}

/// The result of each fall: (natural, total).
fn count_falls_by_result(expr: &Expr, case_count: u64) -> BTreeMap<(Option<i64>, i64), u64> {
    count_falls_by_key(expr, case_count, |roll_result| (roll_result.natural, roll_result.total))
}

/// The same with the faces of the dice, in the order of `throws`.
fn count_falls_by_faces(
    expr: &Expr,
    case_count: u64,
) -> BTreeMap<(Vec<u32>, Option<i64>, i64), u64> {
    count_falls_by_key(expr, case_count, |roll_result| {
        (faces_in_notation_order(expr, &roll_result.dice), roll_result.natural, roll_result.total)
    })
}

#[test]
fn throws_equal_every_fall_of_the_dice() {
    let mut random = ChaCha8Rng::seed_from_u64(11);
    for _ in 0..400 {
        let (expr, case_count) = random_roll(&mut random, 2);
        let Ok(throws) = enumerate_face_combinations(&expr, 5_000) else { continue };
        let mut throw_counts = BTreeMap::new();
        for throw in throws {
            *throw_counts.entry((throw.faces, throw.natural, throw.total)).or_insert(0) +=
                throw.case_count;
        }
        assert_eq!(throw_counts, count_falls_by_faces(&expr, case_count), "{expr}");
    }
    for (notation, throw_count) in
        [("d20", 20), ("2d20kh1", 210), ("4d6", 126), ("d20+d6", 120), ("d6!2", 16)]
    {
        assert_eq!(
            enumerate_face_combinations(&parse_roll(notation).unwrap(), 1_000).unwrap().len(),
            throw_count,
            "{notation}"
        );
    }
}

#[test]
fn too_many_throws_are_refused() {
    for notation in ["10d10", "d1000000", "500d2", "3d100", "20d6+20d6"] {
        assert!(
            enumerate_face_combinations(&parse_roll(notation).unwrap(), 20_000).is_err(),
            "{notation}"
        );
    }
}

fn outcome_cases(notation: &str) -> Vec<(Option<i64>, i64, u64)> {
    let outcomes = count_roll_outcomes(&parse_roll(notation).unwrap()).unwrap();
    outcomes
        .into_iter()
        .map(|outcome| (outcome.natural, outcome.total, outcome.case_count))
        .collect()
}

fn cases_by_total(notation: &str) -> BTreeMap<i64, u64> {
    let mut totals = BTreeMap::new();
    for (_, total, cases) in outcome_cases(notation) {
        *totals.entry(total).or_insert(0) += cases;
    }
    totals
}

/// A roll of arbitrary parts, small enough to enumerate. Also returns its number of cases.
fn random_roll(random: &mut ChaCha8Rng, depth: u32) -> (Expr, u64) {
    let mut below = |bound: u32| random.next_u32() % bound;
    match below(if depth == 0 { 3 } else { 5 }) {
        0 => (Expr::Number(i64::from(below(7)) - 3), 1),
        1 | 2 => {
            let faces = match below(3) {
                0 => Faces::Listed((0..2 + below(3)).map(|_| below(5)).chain([7]).collect()),
                _ => Faces::Sides(2 + below(4)),
            };
            let count = 1 + below(3);
            let explode = below(6).saturating_sub(3).min(3 - count);
            let keep = match below(2) {
                0 => None,
                _ => Some(KeepRule { keeps_highest: below(2) == 0, kept_count: 1 + below(count) }),
            };
            let cases = u64::from(faces.face_count()).pow((explode + 1) * count);
            (
                Expr::Dice(Dice {
                    dice_count: count,
                    faces,
                    keep_rule: keep,
                    max_explosions: explode,
                }),
                cases,
            )
        }
        3 => {
            let parts: Vec<_> = (0..2).map(|_| random_roll(random, depth - 1)).collect();
            let cases = parts.iter().map(|(_, cases)| cases).product();
            let is_negative = random.next_u32().is_multiple_of(2);
            (Expr::Sum(parts.into_iter().map(|(part, _)| (is_negative, part)).collect()), cases)
        }
        _ => {
            let parts: Vec<_> = (0..2).map(|_| random_roll(random, depth - 1)).collect();
            let cases = parts.iter().map(|(_, cases)| cases).product();
            (Expr::Product(parts.into_iter().map(|(part, _)| part).collect()), cases)
        }
    }
}

#[test]
fn odds_equal_enumeration_of_every_case() {
    let mut random = ChaCha8Rng::seed_from_u64(7);
    let mut compared_count = 0;
    while compared_count < 400 {
        let (expr, cases) = random_roll(&mut random, 2);
        if cases > 20_000 {
            continue;
        }
        compared_count += 1;
        let outcome_counts = count_roll_outcomes(&expr).unwrap();
        let outcome_counts: BTreeMap<_, _> = outcome_counts
            .into_iter()
            .map(|outcome| ((outcome.natural, outcome.total), outcome.case_count))
            .collect();
        assert_eq!(outcome_counts.values().sum::<u64>(), cases, "{expr}");
        assert_eq!(outcome_counts, count_falls_by_result(&expr, cases), "{expr}");
    }
}

#[test]
fn odds_of_a_d20_match_arithmetic_for_any_target() {
    for modifier in -5..=25_i64 {
        let outcomes = outcome_cases(&format!("d20+{modifier}").replace("+-", "-"));
        let expected: Vec<_> = (1..=20).map(|face| (Some(face), face + modifier, 1)).collect();
        assert_eq!(outcomes, expected);
        for target in -10..=50_i64 {
            let success_cases: u64 = outcomes
                .iter()
                .filter(|(_, total, _)| *total >= target)
                .map(|(.., cases)| cases)
                .sum();
            assert_eq!(success_cases as i64, (21 - target + modifier).clamp(0, 20));
        }
    }
}

#[test]
fn odds_of_best_and_worst_of_many_d20_match_arithmetic() {
    for extra_dice in 1..=8_u32 {
        let all_cases = 20_u64.pow(extra_dice + 1);
        for target in 1..=20_u64 {
            let cases_reaching_target = |notation: &str| -> u64 {
                let outcomes = outcome_cases(&format!("{notation}{extra_dice}"));
                assert!(outcomes.iter().all(|(natural, total, _)| *natural == Some(*total)));
                outcomes
                    .iter()
                    .filter(|(_, total, _)| *total >= target as i64)
                    .map(|(.., cases)| cases)
                    .sum()
            };
            assert_eq!(
                cases_reaching_target("d20adv"),
                all_cases - (target - 1).pow(extra_dice + 1)
            );
            assert_eq!(cases_reaching_target("d20dis"), (21 - target).pow(extra_dice + 1));
        }
    }
}

#[test]
fn odds_match_published_tables() {
    let cases_of_3d6 = [1, 3, 6, 10, 15, 21, 25, 27, 27, 25, 21, 15, 10, 6, 3, 1];
    assert_eq!(
        cases_by_total("3d6").into_iter().collect::<Vec<_>>(),
        (3..=18).zip(cases_of_3d6).collect::<Vec<_>>()
    );
    let cases_of_4d6kh3 = [1, 4, 10, 21, 38, 62, 91, 122, 148, 167, 172, 160, 131, 94, 54, 21];
    let outcomes: Vec<_> = cases_by_total("4d6kh3").into_iter().collect();
    assert_eq!(outcomes, (3..=18).zip(cases_of_4d6kh3).collect::<Vec<_>>());
    // Twenty dice have too many cases to enumerate; the tails are known.
    let cases_of_20d6 = cases_by_total("20d6");
    assert_eq!(cases_of_20d6.values().sum::<u64>(), 6_u64.pow(20));
    assert_eq!(
        (cases_of_20d6[&20], cases_of_20d6[&21], cases_of_20d6[&22], cases_of_20d6[&120]),
        (1, 20, 210, 1)
    );
    assert_eq!(cases_by_total("d6!1")[&7], 1);
    assert_eq!(cases_by_total("d6!1")[&5], 6);
    assert_eq!(
        cases_by_total("2d6*10").keys().copied().collect::<Vec<_>>(),
        (2..=12).map(|n| n * 10).collect::<Vec<_>>()
    );
}

#[test]
fn odds_with_too_many_cases_are_refused_with_a_reason() {
    let mut report = String::new();
    for notation in ["21d6", "100d6", "d1000000", "3d1000", "d20!20", "(40d2)*(40d2)", "30d100kh15"]
    {
        let refusal = count_roll_outcomes(&parse_roll(notation).unwrap()).expect_err(notation);
        report += &format!("{notation}: {refusal}\n");
    }
    insta::with_settings!({ omit_expression => true }, {
        insta::assert_snapshot!(report);
    });
}

#[test]
fn equal_faces_are_merged_only_if_cases_are_too_many() {
    assert_eq!(cases_by_total("d{1,1,2,2}"), BTreeMap::from([(1, 2), (2, 2)]));
    let cases_of_30_dice = cases_by_total("30d{1,1,2,2}");
    assert_eq!(cases_of_30_dice.values().sum::<u64>(), 1 << 30);
    assert_eq!(cases_of_30_dice[&30], 1);
}

#[test]
fn keep_highest_of_many_dice_does_not_overflow() {
    // One case in all, with intermediate counts of C(248, 124): more than 128 bits hold.
    assert_eq!(outcome_cases("248d1k"), [(Some(1), 1, 1)]);
    assert_eq!(outcome_cases("200d{7}kl150"), [(None, 1050, 1)]);
    // 2^100 cases, and 2^50 when equal ones are counted together.
    assert_eq!(cases_by_total("50d{1,1,2,2}k").values().sum::<u64>(), 1 << 50);
    for (notation, cases) in [("108d2k", "2^53"), ("69d3kl2", "2^53"), ("36d8kl30", "2^53")] {
        let refusal = count_roll_outcomes(&parse_roll(notation).unwrap()).expect_err(notation);
        assert!(refusal.contains(cases), "{notation}: {refusal}");
    }
}
