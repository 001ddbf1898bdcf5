//! `odds`: counts exactly in how many cases a roll has each outcome.
//!
//! It counts by totals where that is enough, and by single dice where the judge reads them. It
//! includes changes that may be made to the roll; the player then takes the best option.

mod push_counts;
mod roll_changes;

use push_counts::{greatest_common_divisor, push_counts};
use std::cmp::Ordering;
use std::collections::{BTreeMap, BTreeSet};
use std::rc::Rc;

pub(super) use roll_changes::unknown_roll_change_problem;

use super::dice::{OpenRollNumber, find_open_roll, parse_notation};
use super::host_fn::{HostCall, PushedValueCount};
use super::judge::{Judge, JudgedRoll, RollOptions};
use crate::host::call_scope;
use base::{Code, Problem, limits, meter, quote};
use dice::enumerate_face_combinations;
use luau::{CallError, LuaType, StackIndex};

/// One possible result of a roll, before it is judged.
struct PossibleRoll {
    total: i64,
    natural: Option<i64>,
    faces: Option<Vec<u32>>,
    case_count: u64,
}

impl PossibleRoll {
    fn judged_roll(&self) -> JudgedRoll<'_> {
        JudgedRoll { total: self.total, natural: self.natural, dice: self.faces.as_deref() }
    }
}

/// The number of cases by the number of the outcome's name.
type CasesByOutcome = BTreeMap<usize, u128>;

/// Counts in how many cases a roll has each outcome: `{ of = 20, full = 6, … }`.
pub(super) fn count_odds(
    call: &HostCall<'_>,
    roll: StackIndex,
    judge: StackIndex,
    roll_options: RollOptions,
) -> Result<PushedValueCount, CallError> {
    let judge = match call.stack.lua_type(judge) {
        LuaType::Nil => roll_options.judge.clone(),
        _ => Some(Judge::read_judge(call, judge)?),
    };
    let Some(judge) = judge else {
        return Err(Problem::error(Code::BadArgument, "odds got no judge")
            .expected("thresholds such as { full = 18, partial = 13 }, or a function(total, parts)")
            .into());
    };
    let (names, numbers) = (Vec::new(), BTreeMap::new());
    let mut counter = OddsCounter {
        call,
        roll_options: &roll_options,
        judge: &judge,
        outcome_names: names,
        outcome_numbers_by_name: numbers,
        judged_throws: 0,
    };
    let cases_by_outcome = match counter.count_outcomes(roll, false)? {
        Some(cases_by_outcome) => cases_by_outcome,
        None => counter.count_outcomes(roll, true)?.expect("the judge received the dice"),
    };
    let names = counter.outcome_names;
    store_ranking(call, &roll_options, &judge, &names);
    let mut cases_by_name: BTreeMap<&str, u128> = match &judge {
        Judge::Thresholds(thresholds) => thresholds.iter().map(|(_, name)| (&**name, 0)).collect(),
        Judge::Function(_) => BTreeMap::new(),
    };
    for (name_number, cases) in &cases_by_outcome {
        *cases_by_name.entry(&names[*name_number]).or_default() += cases;
    }
    push_counts(call, &cases_by_name)
}

/// Stores the order of the names, best first, for a prompt that shows these odds: the order of the
/// judge, or else by totals, which were counted from the lowest up.
fn store_ranking(call: &HostCall<'_>, options: &RollOptions, judge: &Judge, names: &[String]) {
    // The order of a judge has all names: thresholds name nothing else.
    let ranking = judge.list_outcomes_best_first(options.rolls_under).unwrap_or_else(|| {
        let mut ranking = as_str_slices(&options.best_outcomes);
        let ranked_names: BTreeSet<&str> = ranking.iter().copied().collect();
        let mut unranked_names = as_str_slices(names);
        unranked_names.retain(|name| !ranked_names.contains(name));
        if options.best_outcomes.is_empty() && !options.rolls_under {
            unranked_names.reverse();
        }
        ranking.extend(unranked_names);
        ranking
    });
    let mut stored_rankings = call.host.call_scope.odds_rankings.borrow_mut();
    meter::charge_table_entries(ranking.len() + stored_rankings.len());
    let is_stored = stored_rankings.iter().any(|stored| *stored == ranking);
    if !is_stored && stored_rankings.len() < limits::MAX_STORED_RANKINGS {
        let bytes = ranking.iter().map(|name| name.len() + limits::NAME_COST_HOST_BYTES).sum();
        meter::count_host_bytes(bytes);
        stored_rankings.push(ranking.into_iter().map(str::to_owned).collect());
    }
}

fn as_str_slices(names: &[String]) -> Vec<&str> {
    names.iter().map(|name| &**name).collect()
}

struct OddsCounter<'c, 'a> {
    call: &'a HostCall<'c>,
    roll_options: &'a RollOptions,
    judge: &'a Judge,
    outcome_names: Vec<String>,
    /// The numbers of the names.
    outcome_numbers_by_name: BTreeMap<String, usize>,
    judged_throws: usize,
}

impl OddsCounter<'_, '_> {
    /// Counts the outcomes; `None` if the judge needs the dice and they were not passed.
    fn count_outcomes(
        &mut self,
        roll: StackIndex,
        with_dice: bool,
    ) -> Result<Option<CasesByOutcome>, CallError> {
        self.judged_throws = 0;
        let (base_cases, reroll_cases) = self.list_possible_rolls(roll, with_dice)?;
        let Some(base_outcomes) = self.judge_possible_rolls(&base_cases, with_dice)? else {
            return Ok(None);
        };
        if self.roll_options.possible_changes.is_empty() {
            let mut cases_by_outcome = CasesByOutcome::new();
            for (case, outcome) in base_cases.iter().zip(base_outcomes) {
                *cases_by_outcome.entry(outcome).or_default() += u128::from(case.case_count);
            }
            return Ok(Some(cases_by_outcome));
        }
        let changes = self.read_changes(with_dice)?;
        let reroll_outcomes = match &reroll_cases {
            None => Some((&base_cases[..], base_outcomes.clone())),
            Some(reroll_cases) => self
                .judge_possible_rolls(reroll_cases, with_dice)?
                .map(|outcomes| (&reroll_cases[..], outcomes)),
        };
        let Some(reroll_outcomes) = reroll_outcomes else { return Ok(None) };
        let mut best_counts_by_case = Vec::with_capacity(base_cases.len());
        for (case, outcome) in base_cases.iter().zip(&base_outcomes) {
            let mut option_counts = vec![CasesByOutcome::from([(*outcome, 1)])];
            for change in &changes {
                let Some(changed_counts) = self.count_outcomes_after_change(
                    change,
                    (case, *outcome),
                    &reroll_outcomes,
                    with_dice,
                )?
                else {
                    return Ok(None);
                };
                option_counts.push(changed_counts);
            }
            best_counts_by_case.push((case.case_count, self.choose_best_counts(option_counts)?));
        }
        self.sum_counts(best_counts_by_case).map(Some)
    }

    /// The possible results of the roll. For an open roll: its present result, and the results of
    /// rolling it again.
    fn list_possible_rolls(
        &self,
        roll: StackIndex,
        with_dice: bool,
    ) -> Result<(Vec<PossibleRoll>, Option<Vec<PossibleRoll>>), CallError> {
        if self.call.stack.lua_type(roll) == LuaType::Number {
            let open_roll =
                find_open_roll(self.call, self.call.read_argument::<OpenRollNumber>(roll)?)?;
            let faces = with_dice.then(|| open_roll.all_faces());
            let present_case = PossibleRoll {
                total: open_roll.event.total,
                natural: open_roll.natural,
                faces,
                case_count: 1,
            };
            let added_total = open_roll.event.total - open_roll.event.dice_total;
            let mut reroll_cases =
                self.enumerate_rolls(&open_roll.event.notation, with_dice, |total| {
                    total.saturating_add(added_total)
                })?;
            for case_faces in reroll_cases.iter_mut().filter_map(|case| case.faces.as_mut()) {
                case_faces.extend(&open_roll.added_faces);
            }
            return Ok((vec![present_case], Some(reroll_cases)));
        }
        let Some(notation) = self.call.stack.text(roll) else {
            return Err(self.call.wrong_argument_error(roll, "a roll, such as \"d20+3\"").into());
        };
        Ok((
            self.enumerate_rolls(notation, with_dice, |total| {
                self.roll_options.total_with_modifiers(total)
            })?,
            None,
        ))
    }

    fn enumerate_rolls(
        &self,
        notation: &str,
        with_dice: bool,
        adjust_total: impl Fn(i64) -> i64,
    ) -> Result<Vec<PossibleRoll>, CallError> {
        let parsed_notation = parse_notation(self.call, notation)?;
        let refuse_roll = |reason| {
            Problem::error(Code::BadRoll, format!("the odds of {}: {reason}", quote(notation)))
                .hint("use fewer dice, or fewer exploding dice")
        };
        if !with_dice {
            let (outcomes, addition_count) = parsed_notation.weighted_outcomes();
            self.call.host.charge_fuel(addition_count as usize / 2)?;
            let outcomes = outcomes.map_err(refuse_roll)?;
            self.call.host.charge_fuel(outcomes.len() / 8)?;
            let to_case = |outcome: &dice::WeightedOutcome| PossibleRoll {
                total: adjust_total(outcome.total),
                natural: outcome.natural,
                faces: None,
                case_count: outcome.case_count,
            };
            return Ok(outcomes.iter().map(to_case).collect());
        }
        let throws = self.list_possible_throws(&parsed_notation).map_err(refuse_roll)?;
        self.call.host.charge_fuel(throws.len() / 2)?;
        Ok(throws
            .into_iter()
            .map(|throw_case| PossibleRoll { total: adjust_total(throw_case.total), ..throw_case })
            .collect())
    }

    fn list_possible_throws(
        &self,
        parsed_notation: &Rc<call_scope::ParsedNotation>,
    ) -> Result<Vec<PossibleRoll>, String> {
        let to_case = |throw: dice::FaceCombination| PossibleRoll {
            total: throw.total,
            natural: throw.natural,
            faces: Some(throw.faces),
            case_count: throw.case_count,
        };
        Ok(enumerate_face_combinations(&parsed_notation.expr, limits::MAX_JUDGED_THROWS)?
            .into_iter()
            .map(to_case)
            .collect())
    }

    /// The outcome of a roll, as the number of its name. Enumerated throws are counted.
    fn find_outcome_number(
        &mut self,
        judged_roll: JudgedRoll<'_>,
        with_dice: bool,
    ) -> Result<Option<usize>, CallError> {
        self.judged_throws += 1;
        let is_limited = with_dice || !self.roll_options.possible_changes.is_empty();
        if is_limited && self.judged_throws > limits::MAX_JUDGED_THROWS {
            let max = limits::MAX_JUDGED_THROWS;
            let message = format!("odds would have to judge more than {max} throws");
            return Err(Problem::error(Code::BadRoll, message)
                .expected(format!("at most {max} combinations of dice and changes"))
                .hint("fewer dice, or a judge that uses only the total")
                .into());
        }
        let Some(name) =
            self.judge.name_outcome(self.call, self.roll_options.rolls_under, judged_roll)?
        else {
            return Ok(None);
        };
        if let Some(number) = self.outcome_numbers_by_name.get(&name) {
            return Ok(Some(*number));
        }
        self.outcome_numbers_by_name.insert(name.clone(), self.outcome_names.len());
        self.outcome_names.push(name);
        Ok(Some(self.outcome_names.len() - 1))
    }

    /// The outcomes of these cases; `None` if the judge needs the dice.
    fn judge_possible_rolls(
        &mut self,
        cases: &[PossibleRoll],
        with_dice: bool,
    ) -> Result<Option<Vec<usize>>, CallError> {
        let outcome_numbers = cases
            .iter()
            .map(|case| self.find_outcome_number(case.judged_roll(), with_dice).transpose());
        outcome_numbers.collect::<Option<Result<_, _>>>().transpose()
    }

    /// The best option: the one in which the best name is most likely; if equal, the next name
    /// decides, and so on. Of equal options, the first.
    fn choose_best_counts(
        &self,
        options: Vec<CasesByOutcome>,
    ) -> Result<CasesByOutcome, CallError> {
        let ranking = match (
            self.roll_options.best_outcomes.as_slice(),
            self.judge.list_outcomes_best_first(self.roll_options.rolls_under),
        ) {
            ([], None) => {
                let message = "odds got changes of a roll, but no order of the outcomes";
                return Err(Problem::error(Code::BadArgument, message)
                    .expected(
                        "best_outcomes = { \"full\", \"partial\" }: the outcomes of the judge, best first",
                    )
                    .into());
            }
            ([], Some(ranking)) => ranking,
            (best_outcomes, _) => as_str_slices(best_outcomes),
        };
        meter::charge_table_entries(ranking.len() * options.len());
        let ranked_numbers: Vec<Option<usize>> =
            ranking.iter().map(|name| self.outcome_numbers_by_name.get(*name).copied()).collect();
        let is_better = |first: &CasesByOutcome, second: &CasesByOutcome| {
            let (first_total, second_total): (u128, u128) =
                (first.values().sum(), second.values().sum());
            let cases_of =
                |counts: &CasesByOutcome, number| counts.get(&number).copied().unwrap_or(0);
            let comparisons = ranked_numbers.iter().flatten().map(|number| {
                (cases_of(first, *number) * second_total)
                    .cmp(&(cases_of(second, *number) * first_total))
            });
            comparisons.fold(Ordering::Equal, Ordering::then) == Ordering::Greater
        };
        let best_option =
            options.into_iter().reduce(|best, option| match is_better(&option, &best) {
                true => option,
                false => best,
            });
        Ok(best_option.expect("no change is always an option"))
    }

    /// Sums all cases, each with its best option.
    fn sum_counts(
        &self,
        counts_by_case: Vec<(u64, CasesByOutcome)>,
    ) -> Result<CasesByOutcome, CallError> {
        let too_many = || {
            Problem::error(Code::BadRoll, "the odds have more cases than can be counted exactly")
                .hint("use fewer dice, or fewer entries in `changes`")
        };
        let mut common_multiple = 1_u128;
        for (_, counts) in &counts_by_case {
            let case_total: u128 = counts.values().sum();
            common_multiple = (common_multiple
                / greatest_common_divisor(common_multiple, case_total))
            .checked_mul(case_total)
            .ok_or_else(too_many)?;
        }
        let mut summed_counts = CasesByOutcome::new();
        for (cases, counts) in counts_by_case {
            let case_total: u128 = counts.values().sum();
            for (outcome, outcome_cases) in counts {
                let scaled_cases =
                    outcome_cases.checked_mul(common_multiple / case_total).ok_or_else(too_many)?;
                let scaled_cases =
                    scaled_cases.checked_mul(u128::from(cases)).ok_or_else(too_many)?;
                let sum = summed_counts.entry(outcome).or_default();
                *sum = u128::checked_add(*sum, scaled_cases).ok_or_else(too_many)?;
            }
        }
        Ok(summed_counts)
    }
}
