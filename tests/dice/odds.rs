//! Exact odds, compared with arithmetic, known tables, and an enumeration of every case.

use std::collections::BTreeMap;

use engine::dice::notation::{Dice, Faces, KeepRule};
use engine::dice::{
    Expr, RollResult, count_roll_outcomes, enumerate_throws, faces_in_notation_order, parse_roll,
    roll,
};
use rand_chacha::ChaCha8Rng;
use rand_chacha::rand_core::{Rng, SeedableRng};

/// Enumerates every fall of the dice of a roll: the number of `whole` cases for each key.
fn falls_by<K: Ord>(expr: &Expr, whole: u64, key: impl Fn(&RollResult) -> K) -> BTreeMap<K, u64> {
    let mut found = BTreeMap::new();
    let mut path: Vec<(u32, u32)> = Vec::new();
    loop {
        let mut at = 0;
        let rolled = roll(expr, &mut |sides| {
            if at == path.len() {
                path.push((1, sides));
            }
            at += 1;
            path[at - 1].0
        });
        path.truncate(at);
        let share = path.iter().fold(whole, |share, (_, sides)| {
            assert_eq!(share % u64::from(*sides), 0, "the whole divides into all falls");
            share / u64::from(*sides)
        });
        *found.entry(key(&rolled)).or_insert(0) += share;
        while path.last().is_some_and(|(face, sides)| face == sides) {
            path.pop();
        }
        let Some(last) = path.last_mut() else { return found };
        last.0 += 1;
    }
}

/// The result of each fall: (natural, total).
fn every_fall(expr: &Expr, whole: u64) -> BTreeMap<(Option<i64>, i64), u64> {
    falls_by(expr, whole, |rolled| (rolled.natural, rolled.total))
}

/// The same with the faces of the dice, in the order of `throws`.
fn every_throw(expr: &Expr, whole: u64) -> BTreeMap<(Vec<u32>, Option<i64>, i64), u64> {
    falls_by(expr, whole, |rolled| {
        (faces_in_notation_order(expr, &rolled.dice), rolled.natural, rolled.total)
    })
}

#[test]
fn throws_are_every_fall_of_the_dice() {
    let mut whim = ChaCha8Rng::seed_from_u64(11);
    for _ in 0..400 {
        let (expr, whole) = some_roll(&mut whim, 2);
        let Ok(found) = enumerate_throws(&expr, 5_000) else { continue };
        let mut counted = BTreeMap::new();
        for throw in found {
            *counted.entry((throw.faces, throw.natural, throw.total)).or_insert(0) += throw.cases;
        }
        assert_eq!(counted, every_throw(&expr, whole), "{expr}");
    }
    for (notation, ways) in
        [("d20", 20), ("2d20kh1", 210), ("4d6", 126), ("d20+d6", 120), ("d6!2", 16)]
    {
        assert_eq!(
            enumerate_throws(&parse_roll(notation).unwrap(), 1_000).unwrap().len(),
            ways,
            "{notation}"
        );
    }
}

#[test]
fn more_throws_than_can_be_looked_at_are_refused() {
    for notation in ["10d10", "d1000000", "500d2", "3d100", "20d6+20d6"] {
        assert!(enumerate_throws(&parse_roll(notation).unwrap(), 20_000).is_err(), "{notation}");
    }
}

fn odds(notation: &str) -> Vec<(Option<i64>, i64, u64)> {
    let found = count_roll_outcomes(&parse_roll(notation).unwrap()).unwrap();
    found.into_iter().map(|outcome| (outcome.natural, outcome.total, outcome.cases)).collect()
}

fn by_total(notation: &str) -> BTreeMap<i64, u64> {
    let mut totals = BTreeMap::new();
    for (_, total, cases) in odds(notation) {
        *totals.entry(total).or_insert(0) += cases;
    }
    totals
}

/// A roll of arbitrary parts, small enough to enumerate. Also returns its number of cases.
fn some_roll(whim: &mut ChaCha8Rng, depth: u32) -> (Expr, u64) {
    let mut below = |bound: u32| whim.next_u32() % bound;
    match below(if depth == 0 { 3 } else { 5 }) {
        0 => (Expr::Number(i64::from(below(7)) - 3), 1),
        1 | 2 => {
            let faces = match below(3) {
                0 => Faces::Set((0..2 + below(3)).map(|_| below(5)).chain([7]).collect()),
                _ => Faces::Sides(2 + below(4)),
            };
            let count = 1 + below(3);
            let explode = below(6).saturating_sub(3).min(3 - count);
            let keep = match below(2) {
                0 => None,
                _ => Some(KeepRule { highest: below(2) == 0, dice: 1 + below(count) }),
            };
            let cases = u64::from(faces.count()).pow((explode + 1) * count);
            (Expr::Dice(Dice { count, faces, keep, max_explosions: explode }), cases)
        }
        3 => {
            let parts: Vec<_> = (0..2).map(|_| some_roll(whim, depth - 1)).collect();
            let cases = parts.iter().map(|(_, cases)| cases).product();
            let minus = whim.next_u32().is_multiple_of(2);
            (Expr::Sum(parts.into_iter().map(|(part, _)| (minus, part)).collect()), cases)
        }
        _ => {
            let parts: Vec<_> = (0..2).map(|_| some_roll(whim, depth - 1)).collect();
            let cases = parts.iter().map(|(_, cases)| cases).product();
            (Expr::Product(parts.into_iter().map(|(part, _)| part).collect()), cases)
        }
    }
}

#[test]
fn odds_are_those_of_throwing_every_case() {
    let mut whim = ChaCha8Rng::seed_from_u64(7);
    let mut compared = 0;
    while compared < 400 {
        let (expr, cases) = some_roll(&mut whim, 2);
        if cases > 20_000 {
            continue;
        }
        compared += 1;
        let counted = count_roll_outcomes(&expr).unwrap();
        let counted: BTreeMap<_, _> =
            counted.into_iter().map(|o| ((o.natural, o.total), o.cases)).collect();
        assert_eq!(counted.values().sum::<u64>(), cases, "{expr}");
        assert_eq!(counted, every_fall(&expr, cases), "{expr}");
    }
}

#[test]
fn odds_of_a_d20_are_what_arithmetic_says_over_the_whole_range() {
    for modifier in -5..=25_i64 {
        let found = odds(&format!("d20+{modifier}").replace("+-", "-"));
        let expected: Vec<_> = (1..=20).map(|face| (Some(face), face + modifier, 1)).collect();
        assert_eq!(found, expected);
        for target in -10..=50_i64 {
            let reached: u64 = found
                .iter()
                .filter(|(_, total, _)| *total >= target)
                .map(|(.., cases)| cases)
                .sum();
            assert_eq!(reached as i64, (21 - target + modifier).clamp(0, 20));
        }
    }
}

#[test]
fn odds_of_the_best_and_worst_of_many_d20_are_what_arithmetic_says() {
    for more in 1..=8_u32 {
        let all = 20_u64.pow(more + 1);
        for target in 1..=20_u64 {
            let reached = |notation: &str| -> u64 {
                let found = odds(&format!("{notation}{more}"));
                assert!(found.iter().all(|(natural, total, _)| *natural == Some(*total)));
                found.iter().filter(|(_, t, _)| *t >= target as i64).map(|(.., c)| c).sum()
            };
            assert_eq!(reached("d20adv"), all - (target - 1).pow(more + 1));
            assert_eq!(reached("d20dis"), (21 - target).pow(more + 1));
        }
    }
}

#[test]
fn odds_agree_with_tables_that_are_known() {
    let three = [1, 3, 6, 10, 15, 21, 25, 27, 27, 25, 21, 15, 10, 6, 3, 1];
    assert_eq!(
        by_total("3d6").into_iter().collect::<Vec<_>>(),
        (3..=18).zip(three).collect::<Vec<_>>()
    );
    let best_three = [1, 4, 10, 21, 38, 62, 91, 122, 148, 167, 172, 160, 131, 94, 54, 21];
    let found: Vec<_> = by_total("4d6kh3").into_iter().collect();
    assert_eq!(found, (3..=18).zip(best_three).collect::<Vec<_>>());
    // Twenty dice have too many cases to enumerate; the tails are known.
    let twenty = by_total("20d6");
    assert_eq!(twenty.values().sum::<u64>(), 6_u64.pow(20));
    assert_eq!((twenty[&20], twenty[&21], twenty[&22], twenty[&120]), (1, 20, 210, 1));
    assert_eq!(by_total("d6!1")[&7], 1);
    assert_eq!(by_total("d6!1")[&5], 6);
    assert_eq!(
        by_total("2d6*10").keys().copied().collect::<Vec<_>>(),
        (2..=12).map(|n| n * 10).collect::<Vec<_>>()
    );
}

#[test]
fn odds_that_are_too_much_are_refused_with_a_reason() {
    let mut told = String::new();
    for notation in ["21d6", "100d6", "d1000000", "3d1000", "d20!20", "(40d2)*(40d2)", "30d100kh15"]
    {
        let refusal = count_roll_outcomes(&parse_roll(notation).unwrap()).expect_err(notation);
        told += &format!("{notation}: {refusal}\n");
    }
    insta::with_settings!({ snapshot_path => "../snapshots", omit_expression => true }, {
        insta::assert_snapshot!(told);
    });
}

#[test]
fn equal_cases_are_counted_together_only_where_they_would_be_too_many() {
    assert_eq!(by_total("d{1,1,2,2}"), BTreeMap::from([(1, 2), (2, 2)]));
    let many = by_total("30d{1,1,2,2}");
    assert_eq!(many.values().sum::<u64>(), 1 << 30);
    assert_eq!(many[&30], 1);
}

#[test]
fn the_best_of_many_dice_are_counted_without_numbers_that_are_too_large_on_the_way() {
    // One case in all, with intermediate counts of C(248, 124): more than 128 bits hold.
    assert_eq!(odds("248d1k"), [(Some(1), 1, 1)]);
    assert_eq!(odds("200d{7}kl150"), [(None, 1050, 1)]);
    // 2^100 cases, and 2^50 when equal ones are counted together.
    assert_eq!(by_total("50d{1,1,2,2}k").values().sum::<u64>(), 1 << 50);
    for (notation, cases) in [("108d2k", "2^53"), ("69d3kl2", "2^53"), ("36d8kl30", "2^53")] {
        let refusal = count_roll_outcomes(&parse_roll(notation).unwrap()).expect_err(notation);
        assert!(refusal.contains(cases), "{notation}: {refusal}");
    }
}
