//! Enumerates every combination of faces, die by die, for rules that judge single dice and not only
//! the total. Equal dice are listed highest first, in a throw as in the odds, so that the result
//! cannot depend on the order of dice. Each combination of faces is then judged only once.

use super::notation::{Dice, Expr, Faces, Keep};
use super::odds::{cases, divisor};
use super::roll::RolledDie;

/// One combination of faces.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Throw {
    /// The faces, for each part of the notation in turn; equal dice highest first.
    pub faces: Vec<u32>,
    /// As in `RollResult`.
    pub natural: Option<i64>,
    /// As in `RollResult`.
    pub total: i64,
    /// Its number of cases.
    pub cases: u64,
}

/// All combinations of a roll; refused if there are more than `most`.
pub fn throws(expr: &Expr, most: usize) -> Result<Vec<Throw>, String> {
    if cases(expr).is_none_or(|cases| cases > u128::from(u64::MAX)) {
        return Err("the roll has more cases than can be counted die by die".to_owned());
    }
    let mut terms = Vec::new();
    gather(expr, &mut terms);
    let too_many =
        || format!("its dice have more than {most} combinations, too many to judge each");
    let mut open = vec![(Vec::new(), Vec::new(), None, 1_u128)];
    for (at, dice) in terms.iter().enumerate() {
        let falls = dice_throws(dice, most).ok_or_else(too_many)?;
        if open.len().saturating_mul(falls.len()) > most {
            return Err(too_many());
        }
        let both = |(faces, totals, natural, ways): &(Vec<u32>, Vec<i64>, Option<i64>, u128)| {
            let so_far = (faces.clone(), totals.clone(), *natural, *ways);
            falls.iter().map(move |fall| {
                let (mut faces, mut totals, natural, ways) = so_far.clone();
                faces.extend(&fall.faces);
                totals.push(fall.total);
                let natural = if at == 0 { fall.natural } else { natural };
                (faces, totals, natural, ways * fall.ways)
            })
        };
        open = open.iter().flat_map(both).collect();
    }
    let all: u128 = open.iter().map(|(.., ways)| ways).sum();
    let shared = open.iter().fold(0, |shared, (.., ways)| divisor(shared, *ways));
    let by = if all > 1 << 53 { shared } else { 1 };
    if all / by > 1 << 53 {
        return Err(format!("the roll has {all} cases; at most 2^53 are counted exactly"));
    }
    let made = |(faces, totals, natural, ways): (Vec<u32>, Vec<i64>, Option<i64>, u128)| Throw {
        faces,
        natural,
        total: total(expr, &mut totals.into_iter()),
        cases: u64::try_from(ways / by).expect("a part of at most 2^53"),
    };
    Ok(open.into_iter().map(made).collect())
}

/// The faces of rolled dice, in the order of [`Throw::faces`].
pub fn in_order(expr: &Expr, fallen: &[RolledDie]) -> Vec<u32> {
    let mut terms = Vec::new();
    gather(expr, &mut terms);
    let mut left = fallen.iter().map(|die| die.face);
    let mut faces = Vec::with_capacity(fallen.len());
    for dice in terms {
        let mut flights: Vec<Vec<u32>> =
            (0..dice.count).map(|_| exploded_faces(dice, &mut left)).collect();
        flights.sort_by_key(|flight| std::cmp::Reverse(sum(flight)));
        faces.extend(flights.into_iter().flatten());
    }
    faces
}

/// One die with all its explosions.
fn exploded_faces(dice: &Dice, left: &mut impl Iterator<Item = u32>) -> Vec<u32> {
    let mut faces = Vec::with_capacity(1);
    for face in left.take(dice.explode as usize + 1) {
        faces.push(face);
        if face != dice.faces.highest() {
            break;
        }
    }
    faces
}

fn sum(faces: &[u32]) -> i64 {
    faces.iter().map(|face| i64::from(*face)).sum()
}

/// Collects the dice of a notation, in its order.
fn gather<'e>(expr: &'e Expr, into: &mut Vec<&'e Dice>) {
    match expr {
        Expr::Number(_) => {}
        Expr::Dice(dice) => into.push(dice),
        Expr::Sum(parts) => parts.iter().for_each(|(_, part)| gather(part, into)),
        Expr::Product(parts) => parts.iter().for_each(|part| gather(part, into)),
    }
}

/// The total of a notation for given totals of its dice.
fn total(expr: &Expr, of_dice: &mut impl Iterator<Item = i64>) -> i64 {
    match expr {
        Expr::Number(number) => *number,
        Expr::Dice(_) => of_dice.next().unwrap_or(0),
        Expr::Sum(parts) => {
            let mut sum = 0;
            for (minus, part) in parts {
                let part = total(part, of_dice);
                sum += if *minus { -part } else { part };
            }
            sum
        }
        Expr::Product(parts) => {
            let mut product = 1;
            for part in parts {
                product *= total(part, of_dice);
            }
            product
        }
    }
}

/// One combination of faces of equal dice.
struct DiceThrow {
    faces: Vec<u32>,
    natural: Option<i64>,
    total: i64,
    ways: u128,
}

/// The possible throws of one die: faces, and the number of ways; highest first.
fn exploded_throws(dice: &Dice) -> Vec<(Vec<u32>, u128)> {
    let (sides, highest) = (dice.faces.count(), dice.faces.highest());
    let mut all: Vec<(Vec<u32>, u128)> = Vec::new();
    let mut before = Vec::new();
    let mut flying = 1_u128;
    for exploded in 0..=dice.explode {
        let ways = flying * u128::from(sides).pow(dice.explode - exploded);
        let mut again = 0;
        for face in (1..=sides).map(|drawn| dice.faces.face(drawn)) {
            if face == highest && exploded < dice.explode {
                again += 1;
                continue;
            }
            let faces: Vec<u32> = before.iter().copied().chain([face]).collect();
            // Only explicitly listed faces may be equal, and there are few of those.
            let set = matches!(dice.faces, Faces::Set(_));
            match all.iter_mut().find(|(known, _)| set && *known == faces) {
                Some((_, sum)) => *sum += ways,
                None => all.push((faces, ways)),
            }
        }
        before.push(highest);
        flying *= again;
    }
    all.sort_by_key(|(faces, _)| std::cmp::Reverse(sum(faces)));
    all
}

/// All combinations of equal dice; none if there are more than `most`.
fn dice_throws(dice: &Dice, most: usize) -> Option<Vec<DiceThrow>> {
    if (dice.faces.count() as usize).saturating_mul(dice.explode as usize + 1) > most {
        return None;
    }
    let flights = exploded_throws(dice);
    let mut falls = Vec::new();
    if dice.count == 1 {
        let one = |(at, (_, ways)): (usize, &(_, u128))| dice_throw(dice, &flights, &[at], *ways);
        return Some(flights.iter().enumerate().map(one).collect());
    }
    let mut sets = 1_u128;
    for more in 1..=u128::from(dice.count) {
        sets = sets * (flights.len() as u128 - 1 + more) / more;
        if sets > most as u128 {
            return None;
        }
    }
    let mut shown = Vec::with_capacity(dice.count as usize);
    dice_throws_from(dice, &flights, (0, dice.count), (&mut shown, 1), &mut falls);
    Some(falls)
}

/// Assigns the throws from index `at` on to the remaining dice.
fn dice_throws_from(
    dice: &Dice,
    flights: &[(Vec<u32>, u128)],
    (at, left): (usize, u32),
    (shown, ways): (&mut Vec<usize>, u128),
    falls: &mut Vec<DiceThrow>,
) {
    if left == 0 {
        falls.push(dice_throw(dice, flights, shown, ways));
        return;
    }
    let Some((_, of_one)) = flights.get(at) else { return };
    let mut choices = ways;
    let before = shown.len();
    // As many dice as may show this throw; the rest shows less. Ways to choose them, times the ways
    // in which it comes up.
    let mut all = vec![choices];
    for showing in 0..left {
        choices = choices * of_one * u128::from(left - showing) / u128::from(showing + 1);
        all.push(choices);
    }
    for showing in (0..=left).rev() {
        shown.extend(std::iter::repeat_n(at, showing as usize));
        let next = (at + 1, left - showing);
        dice_throws_from(dice, flights, next, (shown, all[showing as usize]), falls);
        shown.truncate(before);
    }
}

fn dice_throw(dice: &Dice, flights: &[(Vec<u32>, u128)], shown: &[usize], ways: u128) -> DiceThrow {
    let faces = shown.iter().flat_map(|at| flights[*at].0.iter().copied()).collect();
    let kept = match dice.keep {
        None => shown,
        Some(Keep { highest: true, dice }) => &shown[..dice as usize],
        Some(Keep { highest: false, dice }) => &shown[shown.len() - dice as usize..],
    };
    let natural = match kept {
        [only] => Some(i64::from(flights[*only].0[0])),
        _ => None,
    };
    DiceThrow { faces, natural, total: kept.iter().map(|at| sum(&flights[*at].0)).sum(), ways }
}
