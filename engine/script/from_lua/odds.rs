//! `odds`: counts exactly in how many cases a roll has each outcome.
//!
//! It counts by totals where that is enough, and by single dice where the judge reads them. It includes changes that
//! may be made to the roll; the player then takes the best option.

mod changes;

use std::cmp::Ordering;
use std::collections::{BTreeMap, BTreeSet};
use std::rc::Rc;

pub(super) use changes::unknown_roll_change_problem;

use super::super::call_scope;
use super::super::host_fn::{HostCall, PushedValues};
use super::dice::{find_open_roll, parse_notation};
use super::judge::{Judge, JudgedRoll, RollOptions, TOTAL_CASES_KEY};
use crate::base::{Code, Problem, limits, meter};
use crate::dice::enumerate_throws;
use crate::luau::{CallError, LuaKind, StackIndex};

/// Maximum number of judged throws in one count, where they are enumerated.
const MAX_JUDGED_THROWS: usize = 20_000;

/// Maximum number of rankings that are stored in one call.
const MAX_RANKINGS: usize = 64;

/// One possible result of a roll, before it is judged.
struct RollCase {
    total: i64,
    natural: Option<i64>,
    faces: Option<Vec<u32>>,
    case_count: u64,
}

impl RollCase {
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
    about: RollOptions,
) -> Result<PushedValues, CallError> {
    let judge = match call.stack.kind(judge) {
        LuaKind::Nil => about.judge.clone(),
        _ => Some(Judge::read(call, judge)?),
    };
    let Some(judge) = judge else {
        return Err(Problem::error(Code::BadArgument, "odds got no judge")
            .expected("thresholds such as { full = 18, partial = 13 }, or a function(total, parts)")
            .into());
    };
    let (names, numbers) = (Vec::new(), BTreeMap::new());
    let mut counter = OddsCounter {
        call,
        about: &about,
        judge: &judge,
        outcome_names: names,
        numbers_by_name: numbers,
        judged_throws: 0,
    };
    let counted = match counter.count_outcomes(roll, false)? {
        Some(counted) => counted,
        None => counter.count_outcomes(roll, true)?.expect("the judge received the dice"),
    };
    let names = counter.outcome_names;
    store_ranking(call, &about, &judge, &names);
    let mut all: BTreeMap<&str, u128> = BTreeMap::new();
    if let Judge::Thresholds(thresholds) = &judge {
        all.extend(thresholds.iter().map(|(_, name)| (&**name, 0)));
    }
    for (name, cases) in &counted {
        *all.entry(&names[*name]).or_default() += cases;
    }
    push_counts(call, &all)
}

/// Stores the order of the names, best first, for a prompt that shows these odds: the order of the judge, or else by
/// totals, which were counted from the lowest up.
fn store_ranking(call: &HostCall<'_>, about: &RollOptions, judge: &Judge, names: &[String]) {
    let by_totals = || match about.rolls_under {
        true => names.to_vec(),
        false => names.iter().rev().cloned().collect(),
    };
    let mut ranking = match judge.list_outcomes_best_first(about.rolls_under) {
        Some(ranking) => ranking,
        None if about.best_outcomes.is_empty() => by_totals(),
        None => about.best_outcomes.clone(),
    };
    let ranked: BTreeSet<&String> = ranking.iter().collect();
    let left: Vec<String> = names.iter().filter(|name| !ranked.contains(name)).cloned().collect();
    ranking.extend(left);
    let mut stored_rankings = call.host.scope.odds_rankings.borrow_mut();
    meter::charge_entries(ranking.len() + stored_rankings.len());
    if !stored_rankings.contains(&ranking) && stored_rankings.len() < MAX_RANKINGS {
        meter::reserve_host_bytes(
            ranking.iter().map(|name| name.len() + limits::HOST_BYTES_PER_NAME).sum(),
        );
        stored_rankings.push(ranking);
    }
}

/// Pushes the counts as exact numbers.
fn push_counts(call: &HostCall<'_>, all: &BTreeMap<&str, u128>) -> Result<PushedValues, CallError> {
    let of: u128 = all.values().sum();
    let shared = all.values().fold(0, |shared, cases| greatest_divisor(shared, *cases));
    let by = if of > 1 << 53 { shared } else { 1 };
    if of / by > 1 << 53 {
        let found = format!("the odds have {of} cases");
        return Err(Problem::error(Code::BadRoll, found)
            .expected("at most 2^53, which are counted exactly")
            .hint("use fewer dice, or fewer exploding dice")
            .into());
    }
    let stack = call.stack;
    stack.push_table(0, all.len() + 1);
    let made = stack.top();
    for (name, cases) in
        all.iter().map(|(name, cases)| (*name, *cases)).chain([(TOTAL_CASES_KEY, of)])
    {
        stack.push_number((cases / by) as f64);
        stack.set_field(made, name);
    }
    Ok(PushedValues(1))
}

fn greatest_divisor(a: u128, b: u128) -> u128 {
    if b == 0 { a } else { greatest_divisor(b, a % b) }
}

struct OddsCounter<'c, 'a> {
    call: &'a HostCall<'c>,
    about: &'a RollOptions,
    judge: &'a Judge,
    outcome_names: Vec<String>,
    /// The numbers of the names.
    numbers_by_name: BTreeMap<String, usize>,
    judged_throws: usize,
}

impl OddsCounter<'_, '_> {
    /// Counts the outcomes; `None` if the judge needs the dice and they were not passed.
    fn count_outcomes(
        &mut self,
        roll: StackIndex,
        dice: bool,
    ) -> Result<Option<CasesByOutcome>, CallError> {
        self.judged_throws = 0;
        let (base, again) = self.list_base_cases(roll, dice)?;
        let Some(plain) = self.judge_cases(&base, dice)? else { return Ok(None) };
        if self.about.changes.is_empty() {
            let mut counted = CasesByOutcome::new();
            for (case, name) in base.iter().zip(plain) {
                *counted.entry(name).or_default() += u128::from(case.case_count);
            }
            return Ok(Some(counted));
        }
        let may = self.read_changes(dice)?;
        let anew = match &again {
            None => Some((&base[..], plain.clone())),
            Some(again) => self.judge_cases(again, dice)?.map(|names| (&again[..], names)),
        };
        let Some(anew) = anew else { return Ok(None) };
        let mut best_counts_by_case = Vec::with_capacity(base.len());
        for (case, name) in base.iter().zip(&plain) {
            let mut options = vec![CasesByOutcome::from([(*name, 1)])];
            for may in &may {
                let Some(counted) =
                    self.count_outcomes_after_change(may, (case, *name), &anew, dice)?
                else {
                    return Ok(None);
                };
                options.push(counted);
            }
            best_counts_by_case.push((case.case_count, self.choose_best(options)?));
        }
        self.sum_counts(best_counts_by_case).map(Some)
    }

    /// The possible results of the roll. For an open roll: its present result, and the results of rolling it again.
    fn list_base_cases(
        &self,
        roll: StackIndex,
        dice: bool,
    ) -> Result<(Vec<RollCase>, Option<Vec<RollCase>>), CallError> {
        if self.call.stack.kind(roll) == LuaKind::Number {
            let open = find_open_roll(self.call, roll)?;
            let faces = dice.then(|| open.all_faces());
            let stands =
                RollCase { total: open.roll.total, natural: open.natural, faces, case_count: 1 };
            let rest = open.roll.total - open.roll.dice_total;
            let mut again = self.enumerate_roll_cases(&open.roll.notation, dice, |total| {
                total.saturating_add(rest)
            })?;
            for case in again.iter_mut().filter_map(|case| case.faces.as_mut()) {
                case.extend(&open.more);
            }
            return Ok((vec![stands], Some(again)));
        }
        let Some(notation) = self.call.stack.text(roll) else {
            return Err(self.call.wrong_argument(roll, "a roll, such as \"d20+3\"").into());
        };
        Ok((
            self.enumerate_roll_cases(notation, dice, |total| {
                self.about.total_with_modifiers(total)
            })?,
            None,
        ))
    }

    fn enumerate_roll_cases(
        &self,
        notation: &str,
        dice: bool,
        total: impl Fn(i64) -> i64,
    ) -> Result<Vec<RollCase>, CallError> {
        let parsed_notation = parse_notation(self.call, notation)?;
        let refused = |why| {
            Problem::error(Code::BadRoll, format!("the odds of {notation:?}: {why}"))
                .hint("use fewer dice, or fewer exploding dice")
        };
        if !dice {
            let (outcomes, work) = parsed_notation.outcomes();
            self.call.host.charge(work as usize / 2)?;
            let outcomes = outcomes.map_err(refused)?;
            self.call.host.charge(outcomes.len() / 8)?;
            let case = |one: &crate::dice::WeightedOutcome| RollCase {
                total: total(one.total),
                natural: one.natural,
                faces: None,
                case_count: one.cases,
            };
            return Ok(outcomes.iter().map(case).collect());
        }
        let throws = self.list_throw_cases(&parsed_notation).map_err(refused)?;
        self.call.host.charge(throws.len() / 2)?;
        Ok(throws.into_iter().map(|one| RollCase { total: total(one.total), ..one }).collect())
    }

    fn list_throw_cases(
        &self,
        written: &Rc<call_scope::ParsedNotation>,
    ) -> Result<Vec<RollCase>, String> {
        let case = |throw: crate::dice::Throw| RollCase {
            total: throw.total,
            natural: throw.natural,
            faces: Some(throw.faces),
            case_count: throw.cases,
        };
        Ok(enumerate_throws(&written.expr, MAX_JUDGED_THROWS)?.into_iter().map(case).collect())
    }

    /// The outcome of a roll, as the number of its name. Enumerated throws are counted.
    fn find_outcome_number(
        &mut self,
        judged_roll: JudgedRoll<'_>,
        dice: bool,
    ) -> Result<Option<usize>, CallError> {
        self.judged_throws += 1;
        let many = dice || !self.about.changes.is_empty();
        if many && self.judged_throws > MAX_JUDGED_THROWS {
            let found = format!("odds would have to judge more than {MAX_JUDGED_THROWS} throws");
            return Err(Problem::error(Code::BadRoll, found)
                .expected(format!("at most {MAX_JUDGED_THROWS} combinations of dice and changes"))
                .hint("fewer dice, or a judge that uses only the total")
                .into());
        }
        let Some(name) = self.judge.name_outcome(self.call, self.about.rolls_under, judged_roll)?
        else {
            return Ok(None);
        };
        if let Some(known) = self.numbers_by_name.get(&name) {
            return Ok(Some(*known));
        }
        self.numbers_by_name.insert(name.clone(), self.outcome_names.len());
        self.outcome_names.push(name);
        Ok(Some(self.outcome_names.len() - 1))
    }

    /// The outcomes of these cases; `None` if the judge needs the dice.
    fn judge_cases(
        &mut self,
        cases: &[RollCase],
        dice: bool,
    ) -> Result<Option<Vec<usize>>, CallError> {
        let names =
            cases.iter().map(|case| self.find_outcome_number(case.judged_roll(), dice).transpose());
        names.collect::<Option<Result<_, _>>>().transpose()
    }

    /// The best option: the one in which the best name is most likely; if equal, the next name decides, and so on. Of
    /// equal options, the first.
    fn choose_best(&self, options: Vec<CasesByOutcome>) -> Result<CasesByOutcome, CallError> {
        let ranking = match (
            self.about.best_outcomes.as_slice(),
            self.judge.list_outcomes_best_first(self.about.rolls_under),
        ) {
            ([], None) => {
                let found = "odds got changes of a roll, but no order of the outcomes";
                return Err(Problem::error(Code::BadArgument, found)
                    .expected(
                        "best_outcomes = { \"full\", \"partial\" }: the outcomes of the judge, best first",
                    )
                    .into());
            }
            ([], Some(ranking)) => ranking,
            (best, _) => best.to_vec(),
        };
        meter::charge_entries(ranking.len() * options.len());
        let order: Vec<Option<usize>> =
            ranking.iter().map(|name| self.numbers_by_name.get(name).copied()).collect();
        let better = |one: &CasesByOutcome, other: &CasesByOutcome| {
            let (of_one, of_other): (u128, u128) = (one.values().sum(), other.values().sum());
            let share = |counted: &CasesByOutcome, name| counted.get(&name).copied().unwrap_or(0);
            let compared = order
                .iter()
                .flatten()
                .map(|name| (share(one, *name) * of_other).cmp(&(share(other, *name) * of_one)));
            compared.fold(Ordering::Equal, Ordering::then) == Ordering::Greater
        };
        let best = options.into_iter().reduce(|best, next| match better(&next, &best) {
            true => next,
            false => best,
        });
        Ok(best.expect("no change is always an option"))
    }

    /// Sums all cases, each with its best option.
    fn sum_counts(&self, chosen: Vec<(u64, CasesByOutcome)>) -> Result<CasesByOutcome, CallError> {
        let too_many = || {
            Problem::error(Code::BadRoll, "the odds have more cases than can be counted exactly")
                .hint("use fewer dice, or fewer entries in `changes`")
        };
        let mut whole = 1_u128;
        for (_, counted) in &chosen {
            let of: u128 = counted.values().sum();
            whole = (whole / greatest_divisor(whole, of)).checked_mul(of).ok_or_else(too_many)?;
        }
        let mut all = CasesByOutcome::new();
        for (cases, counted) in chosen {
            let of: u128 = counted.values().sum();
            for (name, ways) in counted {
                let share = ways.checked_mul(whole / of).ok_or_else(too_many)?;
                let share = share.checked_mul(u128::from(cases)).ok_or_else(too_many)?;
                let sum = all.entry(name).or_default();
                *sum = u128::checked_add(*sum, share).ok_or_else(too_many)?;
            }
        }
        Ok(all)
    }
}
