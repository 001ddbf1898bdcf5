//! Pushes the counts of cases to a script.

use std::collections::BTreeMap;

use crate::from_lua::host_fn::{HostCall, PushedValueCount};
use crate::from_lua::judge::TOTAL_CASES_KEY;
use base::{Code, Problem};
use luau::CallError;

/// Pushes the counts as exact numbers.
pub(super) fn push_counts(
    call: &HostCall<'_>,
    cases_by_name: &BTreeMap<&str, u128>,
) -> Result<PushedValueCount, CallError> {
    let total_cases: u128 = cases_by_name.values().sum();
    let common_divisor =
        cases_by_name.values().fold(0, |shared, cases| greatest_common_divisor(shared, *cases));
    let divisor = if total_cases > 1 << 53 { common_divisor } else { 1 };
    if total_cases / divisor > 1 << 53 {
        let message = format!("the odds have {total_cases} cases");
        return Err(Problem::error(Code::BadRoll, message)
            .expected("at most 2^53, which are counted exactly")
            .hint("use fewer dice, or fewer exploding dice")
            .into());
    }
    let stack = call.stack;
    stack.push_table(0, cases_by_name.len() + 1);
    let table = stack.top();
    for (name, cases) in cases_by_name
        .iter()
        .map(|(name, cases)| (*name, *cases))
        .chain([(TOTAL_CASES_KEY, total_cases)])
    {
        stack.push_number((cases / divisor) as f64);
        stack.set_field(table, name);
    }
    Ok(PushedValueCount(1))
}

pub(super) fn greatest_common_divisor(a: u128, b: u128) -> u128 {
    if b == 0 { a } else { greatest_common_divisor(b, a % b) }
}
