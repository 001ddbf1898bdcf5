//! Throwing dice. Where the numbers come from is the caller's: a stream, or a list that a test wrote.
//!
//! The order of draws is frozen, since runs are replayed from it: terms from left to right, dice
//! one after another, and a die that explodes is thrown again before the next.

use super::notation::{Dice, Expr};

/// What a roll came to.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Rolled {
    /// Dice and numbers together.
    pub total: i64,
    /// The face of the one die that counts, if the first dice of the notation come down to one; of a
    /// die that exploded, its first face.
    pub natural: Option<i64>,
    /// Every die in the order thrown.
    pub dice: Vec<Die>,
}

/// One die that fell.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Die {
    /// How many faces it has.
    pub sides: u32,
    /// The face that came up.
    pub face: u32,
    /// Whether it counts.
    pub kept: bool,
}

/// Throws the dice of a roll. `draw` gives a number from 1 to what it is asked for.
pub fn roll(expr: &Expr, draw: &mut dyn FnMut(u32) -> u32) -> Rolled {
    let mut rolled = Rolled::default();
    let mut first = true;
    rolled.total = throw(expr, draw, &mut rolled, &mut first);
    rolled
}

/// The numbers 0 to `count` - 1 in an order drawn by chance. Frozen: from the last place down,
/// each place changes with one drawn from those up to itself.
pub fn shuffled(count: usize, draw: &mut dyn FnMut(u32) -> u32) -> Vec<usize> {
    let mut order: Vec<usize> = (0..count).collect();
    for place in (1..count).rev() {
        let sides = u32::try_from(place + 1).expect("lists are far shorter than 2^32");
        order.swap(place, draw(sides) as usize - 1);
    }
    order
}

fn throw(
    expr: &Expr,
    draw: &mut dyn FnMut(u32) -> u32,
    rolled: &mut Rolled,
    first: &mut bool,
) -> i64 {
    match expr {
        Expr::Number(number) => *number,
        Expr::Sum(parts) => parts
            .iter()
            .map(|(minus, part)| {
                let total = throw(part, draw, rolled, first);
                if *minus { -total } else { total }
            })
            .sum(),
        Expr::Product(parts) => parts.iter().map(|part| throw(part, draw, rolled, first)).product(),
        Expr::Dice(dice) => {
            let (total, natural) = throw_dice(dice, draw, &mut rolled.dice);
            if std::mem::take(first) {
                rolled.natural = natural;
            }
            total
        }
    }
}

/// One die with everything it threw by exploding.
struct Thrown {
    /// Where its first face lies among all dice.
    at: usize,
    value: i64,
    face: u32,
}

/// Throws one die, and again as long as it explodes.
fn throw_one(
    dice: &Dice,
    draw: &mut dyn FnMut(u32) -> u32,
    fallen: &mut Vec<Die>,
    kept: bool,
) -> i64 {
    let sides = dice.faces.count();
    let mut value = 0;
    for _ in 0..=dice.explode {
        let face = dice.faces.face(draw(sides));
        fallen.push(Die { sides, face, kept });
        value += i64::from(face);
        if face != dice.faces.highest() {
            break;
        }
    }
    value
}

fn throw_dice(
    dice: &Dice,
    draw: &mut dyn FnMut(u32) -> u32,
    fallen: &mut Vec<Die>,
) -> (i64, Option<i64>) {
    if dice.keep.is_none() {
        let first = fallen.len();
        let total = (0..dice.count).map(|_| throw_one(dice, draw, fallen, true)).sum();
        return (total, (dice.count == 1).then(|| i64::from(fallen[first].face)));
    }
    let mut thrown = Vec::with_capacity(dice.count as usize);
    for _ in 0..dice.count {
        let at = fallen.len();
        let value = throw_one(dice, draw, fallen, false);
        thrown.push(Thrown { at, value, face: fallen[at].face });
    }
    // The sort is stable: of equal dice the one thrown first is kept.
    let end = fallen.len();
    let ends: Vec<usize> = thrown.iter().skip(1).map(|die| die.at).chain([end]).collect();
    let mut order: Vec<usize> = (0..thrown.len()).collect();
    match dice.keep {
        Some(keep) if keep.highest => order.sort_by_key(|die| -thrown[*die].value),
        _ => order.sort_by_key(|die| thrown[*die].value),
    }
    order.truncate(dice.kept() as usize);
    let mut total = 0;
    for die in &order {
        total += thrown[*die].value;
        fallen[thrown[*die].at..ends[*die]].iter_mut().for_each(|die| die.kept = true);
    }
    let natural = match order.as_slice() {
        [only] => Some(i64::from(thrown[*only].face)),
        _ => None,
    };
    (total, natural)
}
