//! Changes that may be made to a roll after it: dice added, removed or rolled again.

use crate::from_lua::count_odds::{CasesByOutcome, OddsCounter, PossibleRoll};
use base::{Code, Problem, meter, quote};
use luau::CallError;

/// A change that may be made to a roll.
pub(super) enum RollChange {
    /// Dice are added or removed.
    AddDice(i64, Vec<PossibleRoll>),
    /// It is rolled again, and the second roll counts.
    Reroll,
    /// It is rolled again, and the better roll counts.
    RerollForBetter,
}

impl OddsCounter<'_, '_> {
    /// Reads the changes that may be made.
    pub(super) fn read_changes(&self, with_dice: bool) -> Result<Vec<RollChange>, CallError> {
        let read_change = |word: &String| -> Result<RollChange, CallError> {
            let sign = match word.as_str() {
                "again" => return Ok(RollChange::Reroll),
                "better" => return Ok(RollChange::RerollForBetter),
                word if word.starts_with('+') => 1,
                word if word.starts_with('-') => -1,
                other => return Err(unknown_roll_change_problem(self.call.name, other).into()),
            };
            Ok(RollChange::AddDice(
                sign,
                self.enumerate_rolls(&word[1..], with_dice, |total| total)?,
            ))
        };
        self.roll_options.possible_changes.iter().map(read_change).collect()
    }

    /// The outcomes after a change of one case.
    pub(super) fn count_outcomes_after_change(
        &mut self,
        roll_change: &RollChange,
        (case, outcome): (&PossibleRoll, usize),
        (reroll_cases, reroll_outcomes): &(&[PossibleRoll], Vec<usize>),
        with_dice: bool,
    ) -> Result<Option<CasesByOutcome>, CallError> {
        let mut outcome_counts = CasesByOutcome::new();
        match roll_change {
            RollChange::AddDice(sign, added_cases) => {
                for added_case in added_cases {
                    let faces =
                        case.faces.iter().chain(&added_case.faces).flatten().copied().collect();
                    let combined_case = PossibleRoll {
                        total: case.total.saturating_add(sign * added_case.total),
                        natural: case.natural,
                        faces: with_dice.then_some(faces),
                        case_count: 1,
                    };
                    let Some(combined_outcome) =
                        self.find_outcome_number(combined_case.judged_roll(), with_dice)?
                    else {
                        return Ok(None);
                    };
                    *outcome_counts.entry(combined_outcome).or_default() +=
                        u128::from(added_case.case_count);
                }
            }
            RollChange::Reroll | RollChange::RerollForBetter => {
                meter::charge_table_entries(reroll_cases.len());
                self.call.host.check_fuel_budget()?;
                for (reroll_case, reroll_outcome) in reroll_cases.iter().zip(reroll_outcomes) {
                    let is_better = match self.roll_options.rolls_under {
                        true => reroll_case.total < case.total,
                        false => reroll_case.total > case.total,
                    };
                    let final_outcome = if matches!(roll_change, RollChange::Reroll) || is_better {
                        *reroll_outcome
                    } else {
                        outcome
                    };
                    *outcome_counts.entry(final_outcome).or_default() +=
                        u128::from(reroll_case.case_count);
                }
            }
        }
        Ok(Some(outcome_counts))
    }
}

/// The Problem of an unknown change.
pub(in crate::from_lua) fn unknown_roll_change_problem(function_name: &str, word: &str) -> Problem {
    let message = format!("{function_name} got the unknown change {}", quote(word));
    Problem::error(Code::BadArgument, message)
        .expected("\"+1d6\" or \"-1d6\" (any dice), a whole number, \"again\" (the second roll counts) or \"better\" (the better roll counts)")
}
