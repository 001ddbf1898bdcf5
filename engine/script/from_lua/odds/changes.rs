//! Changes that may be made to a roll after it: dice added, removed or rolled again.

use super::{CasesByOutcome, OddsCounter, RollCase};
use crate::base::{Code, Problem, meter};
use crate::luau::CallError;

/// A change that may be made to a roll.
pub(super) enum RollChange {
    /// Dice are added or removed.
    AddDice(i64, Vec<RollCase>),
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
                other => return Err(unknown_roll_change_problem(self.call.name, other).into()),
            };
            Ok(RollChange::AddDice(
                sign,
                self.enumerate_roll_cases(&word[1..], dice, |total| total)?,
            ))
        };
        self.about.changes.iter().map(read).collect()
    }

    /// The outcomes after a change of one case.
    pub(super) fn count_outcomes_after_change(
        &mut self,
        roll_change: &RollChange,
        (case, name): (&RollCase, usize),
        (again, names): &(&[RollCase], Vec<usize>),
        dice: bool,
    ) -> Result<Option<CasesByOutcome>, CallError> {
        let mut outcome_counts = CasesByOutcome::new();
        match roll_change {
            RollChange::AddDice(sign, added) => {
                for more in added {
                    let faces = case.faces.iter().chain(&more.faces).flatten().copied().collect();
                    let both = RollCase {
                        total: case.total.saturating_add(sign * more.total),
                        natural: case.natural,
                        faces: dice.then_some(faces),
                        case_count: 1,
                    };
                    let Some(name) = self.find_outcome_number(both.judged_roll(), dice)? else {
                        return Ok(None);
                    };
                    *outcome_counts.entry(name).or_default() += u128::from(more.case_count);
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
                    let stands = if matches!(roll_change, RollChange::Reroll) || better {
                        *its
                    } else {
                        name
                    };
                    *outcome_counts.entry(stands).or_default() += u128::from(other.case_count);
                }
            }
        }
        Ok(Some(outcome_counts))
    }
}

/// The Problem of an unknown change.
pub(in super::super) fn unknown_roll_change_problem(name: &str, word: &str) -> Problem {
    Problem::error(Code::BadArgument, format!("{name} got the unknown change {word:?}"))
        .expected("\"+1d6\" or \"-1d6\" (any dice), a whole number, \"again\" (the second roll counts) or \"better\" (the better roll counts)")
}
