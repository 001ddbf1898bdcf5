//! Exact odds: the number of equally likely cases for each outcome.
//!
//! Cases are counted in 128 bits and are never enumerated: equal dice are added by convolution, and
//! dice of which only the best or worst count are counted face by face, by how many dice show it. A
//! count that would take too much work or exceed 2^53 cases (beyond which Lua's numbers are not
//! exact) is refused with a reason.

use std::collections::BTreeMap;

use super::notation::{Dice, Expr, KeepRule};

/// Most distinct intermediate results.
const MAX_INTERMEDIATE_RESULTS: usize = 100_000;
/// Most additions in one count.
const MAX_ADDITIONS: u64 = 2_000_000;
/// Most cases while counting; leaves room for a factor of all dice of a roll.
const MAX_CASES: u128 = 1 << 110;

/// One outcome of a roll, and its number of cases.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct WeightedOutcome {
    /// As in `RollResult`.
    pub natural: Option<i64>,
    /// As in `RollResult`.
    pub total: i64,
    /// Its number of cases. All cases are equally likely; their total is the sum over all outcomes.
    pub case_count: u64,
}

type CaseCounts = BTreeMap<(Option<i64>, i64), u128>;

/// All outcomes of a roll, ordered by natural and total.
pub fn count_roll_outcomes(expr: &Expr) -> Result<Vec<WeightedOutcome>, String> {
    count_roll_outcomes_with_cost(expr).0
}

/// As [`count_roll_outcomes`], with the number of additions that it took, also for a refused roll.
pub fn count_roll_outcomes_with_cost(expr: &Expr) -> (Result<Vec<WeightedOutcome>, String>, u64) {
    let mut counter = OutcomeCounter { addition_count: 0, is_first_dice_pending: true };
    (counter.count_outcomes(expr), counter.addition_count)
}

/// The number of equally likely cases of a roll.
pub(super) fn count_cases(expr: &Expr) -> Option<u128> {
    match expr {
        Expr::Number(_) => Some(1),
        Expr::Dice(dice) => {
            let one = u128::from(dice.faces.face_count()).checked_pow(dice.max_explosions + 1)?;
            one.checked_pow(dice.dice_count)
        }
        Expr::Sum(parts) => {
            parts.iter().try_fold(1_u128, |all, (_, part)| all.checked_mul(count_cases(part)?))
        }
        Expr::Product(parts) => {
            parts.iter().try_fold(1_u128, |all, part| all.checked_mul(count_cases(part)?))
        }
    }
}

pub(super) fn greatest_common_divisor(a: u128, b: u128) -> u128 {
    if b == 0 { a } else { greatest_common_divisor(b, a % b) }
}

struct OutcomeCounter {
    addition_count: u64,
    /// Whether the first dice are still to come; they give the natural.
    is_first_dice_pending: bool,
}

impl OutcomeCounter {
    fn count_outcomes(&mut self, expr: &Expr) -> Result<Vec<WeightedOutcome>, String> {
        if count_cases(expr).is_none_or(|cases| cases > MAX_CASES) {
            return Err("the roll has more cases than can be counted".to_owned());
        }
        let count = self.count_expression(expr)?;
        let common_divisor =
            count.values().fold(0, |shared, cases| greatest_common_divisor(shared, *cases));
        let all: u128 = count.values().sum();
        // Counts are reduced only where they are too large: 36 cases of 2d6 should read as 36.
        let divisor = if all > 1 << 53 { common_divisor } else { 1 };
        if all / divisor > 1 << 53 {
            return Err(format!("the roll has {all} cases; at most 2^53 are counted exactly"));
        }
        let outcome = |((natural, total), cases): ((Option<i64>, i64), u128)| {
            let cases = u64::try_from(cases / divisor).expect("a part of at most 2^53");
            WeightedOutcome { natural, total, case_count: cases }
        };
        Ok(count.into_iter().map(outcome).collect())
    }

    fn count_expression(&mut self, expr: &Expr) -> Result<CaseCounts, String> {
        match expr {
            Expr::Number(number) => Ok(CaseCounts::from([((None, *number), 1)])),
            Expr::Dice(dice) => {
                let first = std::mem::take(&mut self.is_first_dice_pending);
                let count = self.count_dice(dice)?;
                if first {
                    return Ok(count);
                }
                let mut without_natural = CaseCounts::new();
                for ((_, total), cases) in count {
                    *without_natural.entry((None, total)).or_default() += cases;
                }
                Ok(without_natural)
            }
            Expr::Sum(parts) => {
                let mut sum: Option<CaseCounts> = None;
                for (minus, part) in parts {
                    let mut part = self.count_expression(part)?;
                    if *minus {
                        part = part.into_iter().map(|((n, t), cases)| ((n, -t), cases)).collect();
                    }
                    sum = Some(match sum {
                        None => part,
                        Some(sum) => self.combine_counts(&sum, &part, |a, b| a + b)?,
                    });
                }
                Ok(sum.unwrap_or_else(|| CaseCounts::from([((None, 0), 1)])))
            }
            Expr::Product(parts) => {
                let mut product = CaseCounts::from([((None, 1), 1)]);
                for part in parts {
                    let part = self.count_expression(part)?;
                    product = self.combine_counts(&product, &part, |a, b| a * b)?;
                }
                Ok(product)
            }
        }
    }

    fn combine_counts(
        &mut self,
        left: &CaseCounts,
        right: &CaseCounts,
        total: impl Fn(i64, i64) -> i64,
    ) -> Result<CaseCounts, String> {
        self.charge_additions(left.len() as u64 * right.len() as u64)?;
        let mut combined = CaseCounts::new();
        for ((natural, a), ways) in left {
            for ((other, b), other_ways) in right {
                *combined.entry((natural.or(*other), total(*a, *b))).or_default() +=
                    ways * other_ways;
            }
        }
        check_result_count(combined.len())?;
        Ok(combined)
    }

    /// The sum of equal dice that all count. Totals are dense here, so an array is far faster than
    /// a map.
    fn count_dice_sum(&mut self, dice: u32, die_counts: &CaseCounts) -> Result<CaseCounts, String> {
        let least = die_counts.keys().map(|(_, total)| *total).min().unwrap_or(0);
        let faces: Vec<(usize, u128)> =
            die_counts.iter().map(|((_, total), ways)| ((total - least) as usize, *ways)).collect();
        let largest_offset = faces.iter().map(|(face, _)| *face).max().unwrap_or(0);
        check_result_count(largest_offset.saturating_mul(dice as usize))?;
        let mut ways_by_sum = vec![1_u128];
        for _ in 0..dice {
            self.charge_additions((ways_by_sum.len() * faces.len()) as u64)?;
            let mut next = vec![0; ways_by_sum.len() + largest_offset];
            for (sum, ways) in ways_by_sum.iter().enumerate().filter(|(_, ways)| **ways > 0) {
                for (face, other_ways) in &faces {
                    next[sum + face] += ways * other_ways;
                }
            }
            ways_by_sum = next;
        }
        let least = least * i64::from(dice);
        let totals = ways_by_sum.into_iter().enumerate().filter(|(_, ways)| *ways > 0);
        Ok(totals.map(|(sum, ways)| ((None, least + sum as i64), ways)).collect())
    }

    fn count_dice(&mut self, dice: &Dice) -> Result<CaseCounts, String> {
        let one = self.count_one_die(dice)?;
        if dice.dice_count == 1 {
            return Ok(one);
        }
        if let Some(keep) = dice.keep_rule {
            return self.count_dice_with_keep(dice.dice_count, keep, &one);
        }
        self.count_dice_sum(dice.dice_count, &one)
    }

    /// One die with its explosions, by its first face and its total. Each total has exactly one
    /// first face: a total below the highest face did not explode, any other did.
    fn count_one_die(&mut self, dice: &Dice) -> Result<CaseCounts, String> {
        let faces = &dice.faces;
        let sides = faces.face_count();
        let highest = i64::from(faces.highest_face());
        check_result_count(sides as usize * (dice.max_explosions as usize + 1))?;
        let mut count = CaseCounts::new();
        // The number of ways in which the die still explodes after this many throws.
        let mut exploding_ways = 1_u128;
        for exploded in 0..=dice.max_explosions {
            self.charge_additions(u64::from(sides))?;
            let ways = exploding_ways * u128::from(sides).pow(dice.max_explosions - exploded);
            let before = highest * i64::from(exploded);
            let mut exploding_faces = 0;
            for face in (1..=sides).map(|drawn| i64::from(faces.face_for_draw(drawn))) {
                if face == highest && exploded < dice.max_explosions {
                    exploding_faces += 1;
                    continue;
                }
                let natural = if exploded > 0 { highest } else { face };
                *count.entry((Some(natural), before + face)).or_default() += ways;
            }
            exploding_ways *= exploding_faces;
        }
        Ok(count)
    }

    /// Counts by faces, beginning with the one that is kept first: how many of the remaining dice
    /// show it. Only the number of dice assigned so far and the sum of the kept ones matter; once
    /// all kept dice are assigned, the others may show any remaining face.
    fn count_dice_with_keep(
        &mut self,
        dice: u32,
        keep: KeepRule,
        die_counts: &CaseCounts,
    ) -> Result<CaseCounts, String> {
        let mut values: Vec<(Option<i64>, i64, u128)> =
            die_counts.iter().map(|((natural, total), ways)| (*natural, *total, *ways)).collect();
        values.sort_by_key(|(_, total, _)| if keep.keeps_highest { -total } else { *total });
        let mut partial_counts: BTreeMap<(u32, Option<i64>, i64), u128> =
            BTreeMap::from([((0, None, 0), 1)]);
        let mut done = CaseCounts::new();
        let last = values.len() - 1;
        let mut remaining_ways: u128 = values.iter().map(|(.., ways)| ways).sum();
        for (at, (natural, value, ways)) in values.into_iter().enumerate() {
            let mut next = BTreeMap::new();
            remaining_ways -= ways;
            for ((assigned, kept_natural, sum), cases_so_far) in partial_counts {
                let unassigned = dice - assigned;
                self.charge_additions(u64::from(unassigned) + 1)?;
                let mut add_outcome = |dice_showing_face: u32, cases: u128| {
                    let kept = dice_showing_face.min(keep.kept_count.saturating_sub(assigned));
                    let natural =
                        if keep.kept_count == 1 && kept == 1 { natural } else { kept_natural };
                    let (assigned, sum) =
                        (assigned + dice_showing_face, sum + value * i64::from(kept));
                    if assigned >= keep.kept_count.min(dice) {
                        let cases = cases * remaining_ways.pow(dice - assigned);
                        *done.entry((natural, sum)).or_default() += cases;
                    } else {
                        *next.entry((assigned, natural, sum)).or_default() += cases;
                    }
                };
                if at == last {
                    // All remaining dice show the last face. Fewer of them would be no case of the
                    // roll, and their count might overflow.
                    add_outcome(unassigned, cases_so_far * ways.pow(unassigned));
                    continue;
                }
                // Ways to choose which of the remaining dice show this face, times the ways in
                // which it comes up.
                let mut choices = cases_so_far;
                for showing in 0..=unassigned {
                    add_outcome(showing, choices);
                    let left = u128::from(unassigned - showing);
                    if left == 0 {
                        // The product is not needed and might overflow.
                        break;
                    }
                    choices = choices * ways * left / u128::from(showing + 1);
                }
            }
            check_result_count(next.len() + done.len())?;
            partial_counts = next;
        }
        Ok(done)
    }

    fn charge_additions(&mut self, work: u64) -> Result<(), String> {
        self.addition_count = self.addition_count.saturating_add(work);
        if self.addition_count > MAX_ADDITIONS {
            Err("the roll has too many results to count".to_owned())
        } else {
            Ok(())
        }
    }
}

fn check_result_count(results: usize) -> Result<(), String> {
    if results > MAX_INTERMEDIATE_RESULTS {
        return Err(format!(
            "the roll has more than {MAX_INTERMEDIATE_RESULTS} different intermediate results"
        ));
    }
    Ok(())
}
