//! Changes that may be made to a roll after it: dice added, removed or rolled again.

use super::{OddsCounter, OutcomeCounts, RollCase};
use crate::base::{Code, Problem, meter};
use crate::luau::CallError;

/// A change that may be made to a roll.
pub(super) enum RollChange {
    /// Dice are added or removed.
    Add(i64, Vec<RollCase>),
    /// It is rolled again, and the second roll counts.
    Reroll,
    /// It is rolled again, and the better roll counts.
    RerollForBetter,
}

impl OddsCounter<'_, '_> {
    /// Reads the changes that may be made.
    pub(super) fn read_changes(&self, dice: bool) -> Result<Vec<RollChange>, CallError> {
        let read = |word: &String| -> Result<RollChange, CallError> {
            let sign = match word.as_str() {
                "again" => return Ok(RollChange::Reroll),
                "better" => return Ok(RollChange::RerollForBetter),
                word if word.starts_with('+') => 1,
                word if word.starts_with('-') => -1,
                other => return Err(unknown_change(self.call.name, other).into()),
            };
            Ok(RollChange::Add(sign, self.read_cases(&word[1..], dice, |total| total)?))
        };
        self.about.changes.iter().map(read).collect()
    }

    /// The outcomes after a change of one case.
    pub(super) fn apply_change(
        &mut self,
        may: &RollChange,
        (case, name): (&RollCase, usize),
        (again, names): &(&[RollCase], Vec<usize>),
        dice: bool,
    ) -> Result<Option<OutcomeCounts>, CallError> {
        let mut counted = OutcomeCounts::new();
        match may {
            RollChange::Add(sign, added) => {
                for more in added {
                    let faces = case.faces.iter().chain(&more.faces).flatten().copied().collect();
                    let both = RollCase {
                        total: case.total.saturating_add(sign * more.total),
                        natural: case.natural,
                        faces: dice.then_some(faces),
                        cases: 1,
                    };
                    let Some(name) = self.judge_case(both.judged_roll(), dice)? else {
                        return Ok(None);
                    };
                    *counted.entry(name).or_default() += u128::from(more.cases);
                }
            }
            RollChange::Reroll | RollChange::RerollForBetter => {
                meter::charge_entries(again.len());
                self.call.host.check_budget()?;
                for (other, its) in again.iter().zip(names) {
                    let better = match self.about.rolls_under {
                        true => other.total < case.total,
                        false => other.total > case.total,
                    };
                    let stands =
                        if matches!(may, RollChange::Reroll) || better { *its } else { name };
                    *counted.entry(stands).or_default() += u128::from(other.cases);
                }
            }
        }
        Ok(Some(counted))
    }
}

/// The Problem of an unknown change.
pub(in super::super) fn unknown_change(name: &str, word: &str) -> Problem {
    Problem::error(Code::BadArgument, format!("{name} got the unknown change {word:?}"))
        .expected("\"+1d6\" or \"-1d6\" (any dice), a whole number, \"again\" (the second roll counts) or \"better\" (the better roll counts)")
}
