//! Rolling dice. The caller supplies the random numbers: a stream, or a list in a test.
//!
//! The order of draws is frozen, because runs are replayed from it: terms from left to right, dice
//! one after another; a die that explodes is thrown again before the next die.

use super::notation::{Dice, Expr};

/// The result of a roll.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct RollResult {
    /// Dice and constants together.
    pub total: i64,
    /// The face of the one die that counts, if exactly one of the first dice of the notation
    /// counts; for an exploded die its first face.
    pub natural: Option<i64>,
    /// Every die in the order thrown.
    pub dice: Vec<RolledDie>,
}

/// One rolled die.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct RolledDie {
    /// Its number of faces.
    pub sides: u32,
    /// The face that came up.
    pub face: u32,
    /// Whether it counts.
    pub is_kept: bool,
}

/// Rolls the dice. `draw` returns a number from 1 to its argument.
pub fn roll(expr: &Expr, draw: &mut dyn FnMut(u32) -> u32) -> RollResult {
    let mut result = RollResult::default();
    let mut first = true;
    result.total = roll_expression(expr, draw, &mut result, &mut first);
    result
}

/// The numbers 0 to `count` - 1 in random order (Fisher-Yates). Frozen: from the last position
/// down, each position is swapped with a drawn one at or below it.
pub fn shuffled_indices(count: usize, draw: &mut dyn FnMut(u32) -> u32) -> Vec<usize> {
    let mut order: Vec<usize> = (0..count).collect();
    for place in (1..count).rev() {
        let sides = u32::try_from(place + 1).expect("lists are far shorter than 2^32");
        order.swap(place, draw(sides) as usize - 1);
    }
    order
}

fn roll_expression(
    expr: &Expr,
    draw: &mut dyn FnMut(u32) -> u32,
    result: &mut RollResult,
    first: &mut bool,
) -> i64 {
    match expr {
        Expr::Number(number) => *number,
        Expr::Sum(parts) => parts
            .iter()
            .map(|(minus, part)| {
                let total = roll_expression(part, draw, result, first);
                if *minus { -total } else { total }
            })
            .sum(),
        Expr::Product(parts) => {
            parts.iter().map(|part| roll_expression(part, draw, result, first)).product()
        }
        Expr::Dice(dice) => {
            let (total, natural) = roll_equal_dice(dice, draw, &mut result.dice);
            if std::mem::take(first) {
                result.natural = natural;
            }
            total
        }
    }
}

/// One die with all its explosions.
struct ExplodedDie {
    /// The index of its first face among all dice.
    first_index: usize,
    total: i64,
    face: u32,
}

/// Throws one die, and throws it again as long as it explodes.
fn roll_one_die(
    dice: &Dice,
    draw: &mut dyn FnMut(u32) -> u32,
    rolled_dice: &mut Vec<RolledDie>,
    is_counted: bool,
) -> i64 {
    let sides = dice.faces.face_count();
    let mut value = 0;
    for _ in 0..=dice.max_explosions {
        let face = dice.faces.face_for_draw(draw(sides));
        rolled_dice.push(RolledDie { sides, face, is_kept: is_counted });
        value += i64::from(face);
        if face != dice.faces.highest_face() {
            break;
        }
    }
    value
}

fn roll_equal_dice(
    dice: &Dice,
    draw: &mut dyn FnMut(u32) -> u32,
    rolled_dice: &mut Vec<RolledDie>,
) -> (i64, Option<i64>) {
    if dice.keep_rule.is_none() {
        let first = rolled_dice.len();
        let total = (0..dice.dice_count).map(|_| roll_one_die(dice, draw, rolled_dice, true)).sum();
        return (total, (dice.dice_count == 1).then(|| i64::from(rolled_dice[first].face)));
    }
    let mut exploded_dice = Vec::with_capacity(dice.dice_count as usize);
    for _ in 0..dice.dice_count {
        let at = rolled_dice.len();
        let value = roll_one_die(dice, draw, rolled_dice, false);
        exploded_dice.push(ExplodedDie {
            first_index: at,
            total: value,
            face: rolled_dice[at].face,
        });
    }
    // The sort is stable: of equal dice the one thrown first is kept.
    let end = rolled_dice.len();
    let ends: Vec<usize> =
        exploded_dice.iter().skip(1).map(|die| die.first_index).chain([end]).collect();
    let mut order: Vec<usize> = (0..exploded_dice.len()).collect();
    match dice.keep_rule {
        Some(keep) if keep.keeps_highest => order.sort_by_key(|die| -exploded_dice[*die].total),
        _ => order.sort_by_key(|die| exploded_dice[*die].total),
    }
    order.truncate(dice.dice_count_after_keep() as usize);
    let mut total = 0;
    for die in &order {
        total += exploded_dice[*die].total;
        rolled_dice[exploded_dice[*die].first_index..ends[*die]]
            .iter_mut()
            .for_each(|die| die.is_kept = true);
    }
    let natural = match order.as_slice() {
        [single] => Some(i64::from(exploded_dice[*single].face)),
        _ => None,
    };
    (total, natural)
}
