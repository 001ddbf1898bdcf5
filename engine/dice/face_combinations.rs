//! Enumerates every combination of faces, die by die, for rules that judge single dice and not only
//! the total. Equal dice are listed highest first, in a throw as in the odds, so that the result
//! cannot depend on the order of dice. Each combination of faces is then judged only once.

use super::notation::{Dice, Expr, Faces, KeepRule};
use super::odds::{count_cases, greatest_common_divisor};
use super::roll::RolledDie;

/// One combination of faces.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FaceCombination {
    /// The faces, for each part of the notation in turn; equal dice highest first.
    pub faces: Vec<u32>,
    /// As in `RollResult`.
    pub natural: Option<i64>,
    /// As in `RollResult`.
    pub total: i64,
    /// Its number of cases.
    pub case_count: u64,
}

/// All combinations of a roll; refused if there are more than `most`.
pub fn enumerate_face_combinations(
    expr: &Expr,
    most: usize,
) -> Result<Vec<FaceCombination>, String> {
    if count_cases(expr).is_none_or(|cases| cases > u128::from(u64::MAX)) {
        return Err("the roll has more cases than can be counted die by die".to_owned());
    }
    let mut terms = Vec::new();
    collect_dice(expr, &mut terms);
    let too_many =
        || format!("its dice have more than {most} combinations, too many to judge each");
    let mut partial_throws = vec![(Vec::new(), Vec::new(), None, 1_u128)];
    for (at, dice) in terms.iter().enumerate() {
        let combinations = equal_dice_combinations(dice, most).ok_or_else(too_many)?;
        if partial_throws.len().saturating_mul(combinations.len()) > most {
            return Err(too_many());
        }
        let extend_by_combinations =
            |(faces, totals, natural, ways): &(Vec<u32>, Vec<i64>, Option<i64>, u128)| {
                let partial_throw = (faces.clone(), totals.clone(), *natural, *ways);
                combinations.iter().map(move |dice_throw| {
                    let (mut faces, mut totals, natural, ways) = partial_throw.clone();
                    faces.extend(&dice_throw.faces);
                    totals.push(dice_throw.total);
                    let natural = if at == 0 { dice_throw.natural } else { natural };
                    (faces, totals, natural, ways * dice_throw.case_count)
                })
            };
        partial_throws = partial_throws.iter().flat_map(extend_by_combinations).collect();
    }
    let all: u128 = partial_throws.iter().map(|(.., ways)| ways).sum();
    let common_divisor =
        partial_throws.iter().fold(0, |shared, (.., ways)| greatest_common_divisor(shared, *ways));
    let divisor = if all > 1 << 53 { common_divisor } else { 1 };
    if all / divisor > 1 << 53 {
        return Err(format!("the roll has {all} cases; at most 2^53 are counted exactly"));
    }
    let build_throw =
        |(faces, totals, natural, ways): (Vec<u32>, Vec<i64>, Option<i64>, u128)| FaceCombination {
            faces,
            natural,
            total: evaluate_total(expr, &mut totals.into_iter()),
            case_count: u64::try_from(ways / divisor).expect("a part of at most 2^53"),
        };
    Ok(partial_throws.into_iter().map(build_throw).collect())
}

/// The faces of rolled dice, in the order of [`Throw::faces`].
pub fn faces_in_notation_order(expr: &Expr, rolled_dice: &[RolledDie]) -> Vec<u32> {
    let mut terms = Vec::new();
    collect_dice(expr, &mut terms);
    let mut left = rolled_dice.iter().map(|die| die.face);
    let mut faces = Vec::with_capacity(rolled_dice.len());
    for dice in terms {
        let mut die_throws: Vec<Vec<u32>> =
            (0..dice.dice_count).map(|_| take_exploded_faces(dice, &mut left)).collect();
        die_throws.sort_by_key(|die_faces| std::cmp::Reverse(sum_faces(die_faces)));
        faces.extend(die_throws.into_iter().flatten());
    }
    faces
}

/// One die with all its explosions.
fn take_exploded_faces(dice: &Dice, left: &mut impl Iterator<Item = u32>) -> Vec<u32> {
    let mut faces = Vec::with_capacity(1);
    for face in left.take(dice.max_explosions as usize + 1) {
        faces.push(face);
        if face != dice.faces.highest_face() {
            break;
        }
    }
    faces
}

fn sum_faces(faces: &[u32]) -> i64 {
    faces.iter().map(|face| i64::from(*face)).sum()
}

/// Collects the dice of a notation, in its order.
fn collect_dice<'e>(expr: &'e Expr, into: &mut Vec<&'e Dice>) {
    match expr {
        Expr::Number(_) => {}
        Expr::Dice(dice) => into.push(dice),
        Expr::Sum(parts) => parts.iter().for_each(|(_, part)| collect_dice(part, into)),
        Expr::Product(parts) => parts.iter().for_each(|part| collect_dice(part, into)),
    }
}

/// The total of a notation for given totals of its dice.
fn evaluate_total(expr: &Expr, dice_totals: &mut impl Iterator<Item = i64>) -> i64 {
    match expr {
        Expr::Number(number) => *number,
        Expr::Dice(_) => dice_totals.next().unwrap_or(0),
        Expr::Sum(parts) => {
            let mut sum = 0;
            for (minus, part) in parts {
                let part = evaluate_total(part, dice_totals);
                sum += if *minus { -part } else { part };
            }
            sum
        }
        Expr::Product(parts) => {
            let mut product = 1;
            for part in parts {
                product *= evaluate_total(part, dice_totals);
            }
            product
        }
    }
}

/// One combination of faces of equal dice.
struct EqualDiceCombination {
    faces: Vec<u32>,
    natural: Option<i64>,
    total: i64,
    case_count: u128,
}

/// The possible throws of one die: faces, and the number of ways; highest first.
fn one_die_combinations(dice: &Dice) -> Vec<(Vec<u32>, u128)> {
    let (sides, highest) = (dice.faces.face_count(), dice.faces.highest_face());
    let mut all: Vec<(Vec<u32>, u128)> = Vec::new();
    let mut before = Vec::new();
    let mut exploding_ways = 1_u128;
    for exploded in 0..=dice.max_explosions {
        let ways = exploding_ways * u128::from(sides).pow(dice.max_explosions - exploded);
        let mut exploding_faces = 0;
        for face in (1..=sides).map(|drawn| dice.faces.face_for_draw(drawn)) {
            if face == highest && exploded < dice.max_explosions {
                exploding_faces += 1;
                continue;
            }
            let faces: Vec<u32> = before.iter().copied().chain([face]).collect();
            // Only explicitly listed faces may be equal, and there are few of those.
            let has_listed_faces = matches!(dice.faces, Faces::Listed(_));
            match all.iter_mut().find(|(known, _)| has_listed_faces && *known == faces) {
                Some((_, sum)) => *sum += ways,
                None => all.push((faces, ways)),
            }
        }
        before.push(highest);
        exploding_ways *= exploding_faces;
    }
    all.sort_by_key(|(faces, _)| std::cmp::Reverse(sum_faces(faces)));
    all
}

/// All combinations of equal dice; none if there are more than `most`.
fn equal_dice_combinations(dice: &Dice, most: usize) -> Option<Vec<EqualDiceCombination>> {
    if (dice.faces.face_count() as usize).saturating_mul(dice.max_explosions as usize + 1) > most {
        return None;
    }
    let die_throws = one_die_combinations(dice);
    let mut combinations = Vec::new();
    if dice.dice_count == 1 {
        let one = |(at, (_, ways)): (usize, &(_, u128))| {
            build_dice_combination(dice, &die_throws, &[at], *ways)
        };
        return Some(die_throws.iter().enumerate().map(one).collect());
    }
    let mut combination_count = 1_u128;
    for more in 1..=u128::from(dice.dice_count) {
        combination_count = combination_count * (die_throws.len() as u128 - 1 + more) / more;
        if combination_count > most as u128 {
            return None;
        }
    }
    let mut shown = Vec::with_capacity(dice.dice_count as usize);
    assign_remaining_dice(
        dice,
        &die_throws,
        (0, dice.dice_count),
        (&mut shown, 1),
        &mut combinations,
    );
    Some(combinations)
}

/// Assigns the throws from index `at` on to the remaining dice.
fn assign_remaining_dice(
    dice: &Dice,
    die_throws: &[(Vec<u32>, u128)],
    (at, left): (usize, u32),
    (shown, ways): (&mut Vec<usize>, u128),
    combinations: &mut Vec<EqualDiceCombination>,
) {
    if left == 0 {
        combinations.push(build_dice_combination(dice, die_throws, shown, ways));
        return;
    }
    let Some((_, die_ways)) = die_throws.get(at) else { return };
    let mut choices = ways;
    let before = shown.len();
    // As many dice as may show this throw; the rest shows less. Ways to choose them, times the ways
    // in which it comes up.
    let mut all = vec![choices];
    for dice_showing_throw in 0..left {
        choices = choices * die_ways * u128::from(left - dice_showing_throw)
            / u128::from(dice_showing_throw + 1);
        all.push(choices);
    }
    for dice_showing_throw in (0..=left).rev() {
        shown.extend(std::iter::repeat_n(at, dice_showing_throw as usize));
        let next = (at + 1, left - dice_showing_throw);
        assign_remaining_dice(
            dice,
            die_throws,
            next,
            (shown, all[dice_showing_throw as usize]),
            combinations,
        );
        shown.truncate(before);
    }
}

fn build_dice_combination(
    dice: &Dice,
    die_throws: &[(Vec<u32>, u128)],
    shown: &[usize],
    ways: u128,
) -> EqualDiceCombination {
    let faces = shown.iter().flat_map(|at| die_throws[*at].0.iter().copied()).collect();
    let kept = match dice.keep_rule {
        None => shown,
        Some(KeepRule { keeps_highest: true, kept_count: dice }) => &shown[..dice as usize],
        Some(KeepRule { keeps_highest: false, kept_count: dice }) => {
            &shown[shown.len() - dice as usize..]
        }
    };
    let natural = match kept {
        [only] => Some(i64::from(die_throws[*only].0[0])),
        _ => None,
    };
    EqualDiceCombination {
        faces,
        natural,
        total: kept.iter().map(|at| sum_faces(&die_throws[*at].0)).sum(),
        case_count: ways,
    }
}
