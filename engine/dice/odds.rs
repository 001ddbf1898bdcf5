//! Exact odds: how many of all equally likely cases come to what.
//!
//! Cases are counted in 128 bits and never thrown one by one: equal dice are added up by
//! convolution, and dice of which only the best or worst count are counted face by face, by how many
//! of them show it. What would be too much work, or come to more than 2^53 cases (past which Lua's
//! numbers are not exact), is refused with a reason.

use std::collections::BTreeMap;

use super::notation::{Dice, Expr, Keep};

/// The most different results on the way.
const RESULTS: usize = 100_000;
/// The most additions in one count.
const WORK: u64 = 2_000_000;
/// The most cases in all, while counting; with room for a factor of all dice of a roll.
const CASES: u128 = 1 << 110;

/// Something that a roll may come to, and in how many cases.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Outcome {
    /// As in `Rolled`.
    pub natural: Option<i64>,
    /// As in `Rolled`.
    pub total: i64,
    /// In how many of all cases. All cases are equally likely, and are the sum over all outcomes.
    pub cases: u64,
}

type Count = BTreeMap<(Option<i64>, i64), u128>;

/// Everything that a roll may come to, in the order of natural and total.
pub fn outcomes(expr: &Expr) -> Result<Vec<Outcome>, String> {
    counted(expr).0
}

/// The same, and how many additions it took to know it, also where it is refused.
pub(crate) fn counted(expr: &Expr) -> (Result<Vec<Outcome>, String>, u64) {
    let mut counter = Counter { work: 0, first: true };
    (counter.outcomes(expr), counter.work)
}

/// How many equally likely cases a roll has.
pub(super) fn cases(expr: &Expr) -> Option<u128> {
    match expr {
        Expr::Number(_) => Some(1),
        Expr::Dice(dice) => {
            let one = u128::from(dice.faces.count()).checked_pow(dice.explode + 1)?;
            one.checked_pow(dice.count)
        }
        Expr::Sum(parts) => {
            parts.iter().try_fold(1_u128, |all, (_, part)| all.checked_mul(cases(part)?))
        }
        Expr::Product(parts) => {
            parts.iter().try_fold(1_u128, |all, part| all.checked_mul(cases(part)?))
        }
    }
}

pub(super) fn divisor(a: u128, b: u128) -> u128 {
    if b == 0 { a } else { divisor(b, a % b) }
}

struct Counter {
    work: u64,
    /// Whether the first dice are still to come: theirs is the natural.
    first: bool,
}

impl Counter {
    fn outcomes(&mut self, expr: &Expr) -> Result<Vec<Outcome>, String> {
        if cases(expr).is_none_or(|cases| cases > CASES) {
            return Err("the roll has more cases than can be counted".to_owned());
        }
        let count = self.count(expr)?;
        let shared = count.values().fold(0, |shared, cases| divisor(shared, *cases));
        let all: u128 = count.values().sum();
        // Only counts that are too large are divided: 36 cases of 2d6 should read as 36.
        let by = if all > 1 << 53 { shared } else { 1 };
        if all / by > 1 << 53 {
            return Err(format!("the roll has {all} cases; at most 2^53 are counted exactly"));
        }
        let outcome = |((natural, total), cases): ((Option<i64>, i64), u128)| {
            let cases = u64::try_from(cases / by).expect("a part of at most 2^53");
            Outcome { natural, total, cases }
        };
        Ok(count.into_iter().map(outcome).collect())
    }

    fn count(&mut self, expr: &Expr) -> Result<Count, String> {
        match expr {
            Expr::Number(number) => Ok(Count::from([((None, *number), 1)])),
            Expr::Dice(dice) => {
                let first = std::mem::take(&mut self.first);
                let count = self.dice(dice)?;
                if first {
                    return Ok(count);
                }
                let mut without = Count::new();
                for ((_, total), cases) in count {
                    *without.entry((None, total)).or_default() += cases;
                }
                Ok(without)
            }
            Expr::Sum(parts) => {
                let mut sum: Option<Count> = None;
                for (minus, part) in parts {
                    let mut part = self.count(part)?;
                    if *minus {
                        part = part.into_iter().map(|((n, t), cases)| ((n, -t), cases)).collect();
                    }
                    sum = Some(match sum {
                        None => part,
                        Some(sum) => self.combine(&sum, &part, |a, b| a + b)?,
                    });
                }
                Ok(sum.unwrap_or_else(|| Count::from([((None, 0), 1)])))
            }
            Expr::Product(parts) => {
                let mut product = Count::from([((None, 1), 1)]);
                for part in parts {
                    let part = self.count(part)?;
                    product = self.combine(&product, &part, |a, b| a * b)?;
                }
                Ok(product)
            }
        }
    }

    fn combine(
        &mut self,
        left: &Count,
        right: &Count,
        total: impl Fn(i64, i64) -> i64,
    ) -> Result<Count, String> {
        self.spend(left.len() as u64 * right.len() as u64)?;
        let mut both = Count::new();
        for ((natural, a), ways) in left {
            for ((other, b), more) in right {
                *both.entry((natural.or(*other), total(*a, *b))).or_default() += ways * more;
            }
        }
        check_results(both.len())?;
        Ok(both)
    }

    /// Equal dice added up, all of which count. Totals lie close together here, so that they are
    /// counted in a row of numbers, which is far faster than a map.
    fn sum_of(&mut self, dice: u32, one: &Count) -> Result<Count, String> {
        let least = one.keys().map(|(_, total)| *total).min().unwrap_or(0);
        let faces: Vec<(usize, u128)> =
            one.iter().map(|((_, total), ways)| ((total - least) as usize, *ways)).collect();
        let span = faces.iter().map(|(face, _)| *face).max().unwrap_or(0);
        check_results(span.saturating_mul(dice as usize))?;
        let mut row = vec![1_u128];
        for _ in 0..dice {
            self.spend((row.len() * faces.len()) as u64)?;
            let mut next = vec![0; row.len() + span];
            for (sum, ways) in row.iter().enumerate().filter(|(_, ways)| **ways > 0) {
                for (face, more) in &faces {
                    next[sum + face] += ways * more;
                }
            }
            row = next;
        }
        let least = least * i64::from(dice);
        let totals = row.into_iter().enumerate().filter(|(_, ways)| *ways > 0);
        Ok(totals.map(|(sum, ways)| ((None, least + sum as i64), ways)).collect())
    }

    fn dice(&mut self, dice: &Dice) -> Result<Count, String> {
        let one = self.one_die(dice)?;
        if dice.count == 1 {
            return Ok(one);
        }
        if let Some(keep) = dice.keep {
            return self.best_of(dice.count, keep, &one);
        }
        self.sum_of(dice.count, &one)
    }

    /// One die with everything it may throw by exploding, by its first face and its total. A total
    /// has one first face only: what does not explode is less than the highest face, what does is not.
    fn one_die(&mut self, dice: &Dice) -> Result<Count, String> {
        let faces = &dice.faces;
        let sides = faces.count();
        let highest = i64::from(faces.highest());
        check_results(sides as usize * (dice.explode as usize + 1))?;
        let mut count = Count::new();
        // In how many ways the die is still flying after so many explosions.
        let mut flying = 1_u128;
        for exploded in 0..=dice.explode {
            self.spend(u64::from(sides))?;
            let ways = flying * u128::from(sides).pow(dice.explode - exploded);
            let before = highest * i64::from(exploded);
            let mut again = 0;
            for face in (1..=sides).map(|drawn| i64::from(faces.face(drawn))) {
                if face == highest && exploded < dice.explode {
                    again += 1;
                    continue;
                }
                let natural = if exploded > 0 { highest } else { face };
                *count.entry((Some(natural), before + face)).or_default() += ways;
            }
            flying *= again;
        }
        Ok(count)
    }

    /// Counts by faces from the one that is kept first: how many of the dice left show it. The
    /// dice settled so far and the sum of those kept are all that matters; once all that are kept are
    /// settled, the others may show any of the faces left.
    fn best_of(&mut self, dice: u32, keep: Keep, one: &Count) -> Result<Count, String> {
        let mut values: Vec<(Option<i64>, i64, u128)> =
            one.iter().map(|((natural, total), ways)| (*natural, *total, *ways)).collect();
        values.sort_by_key(|(_, total, _)| if keep.highest { -total } else { *total });
        let mut open: BTreeMap<(u32, Option<i64>, i64), u128> = BTreeMap::from([((0, None, 0), 1)]);
        let mut done = Count::new();
        let last = values.len() - 1;
        let mut rest: u128 = values.iter().map(|(.., ways)| ways).sum();
        for (at, (natural, value, ways)) in values.into_iter().enumerate() {
            let mut next = BTreeMap::new();
            rest -= ways;
            for ((settled, kept_natural, sum), so_far) in open {
                let unsettled = dice - settled;
                self.spend(u64::from(unsettled) + 1)?;
                let mut come = |showing: u32, cases: u128| {
                    let kept = showing.min(keep.dice.saturating_sub(settled));
                    let natural = if keep.dice == 1 && kept == 1 { natural } else { kept_natural };
                    let (settled, sum) = (settled + showing, sum + value * i64::from(kept));
                    if settled >= keep.dice.min(dice) {
                        let cases = cases * rest.pow(dice - settled);
                        *done.entry((natural, sum)).or_default() += cases;
                    } else {
                        *next.entry((settled, natural, sum)).or_default() += cases;
                    }
                };
                if at == last {
                    // All that are left show the last face. Fewer of them would be no case of the
                    // roll, and their count need not fit.
                    come(unsettled, so_far * ways.pow(unsettled));
                    continue;
                }
                // Ways to choose which of the dice left show this face, times the ways it can come.
                let mut choices = so_far;
                for showing in 0..=unsettled {
                    come(showing, choices);
                    let left = u128::from(unsettled - showing);
                    if left == 0 {
                        // There is no room for a product that nobody asks for.
                        break;
                    }
                    choices = choices * ways * left / u128::from(showing + 1);
                }
            }
            check_results(next.len() + done.len())?;
            open = next;
        }
        Ok(done)
    }

    fn spend(&mut self, work: u64) -> Result<(), String> {
        self.work = self.work.saturating_add(work);
        if self.work > WORK {
            Err("the roll has too many results to count".to_owned())
        } else {
            Ok(())
        }
    }
}

fn check_results(results: usize) -> Result<(), String> {
    if results > RESULTS {
        return Err(format!("the roll has more than {RESULTS} different results on the way"));
    }
    Ok(())
}
