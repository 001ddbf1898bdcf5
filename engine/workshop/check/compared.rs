//! Checks comparisons of state and event fields with a text that they can never have.

use std::sync::Arc;

use super::calls::Look;
use super::moments::named;
use crate::content::{Come, FieldType};
use crate::kit::Problem;
use crate::kit::problem::nearest;
use crate::workshop::lua::Facts;

/// Checks the comparisons in all files.
pub(super) fn look(look: &Look<'_>, facts: &[Arc<Facts>]) -> Vec<Problem> {
    let each =
        facts.iter().flat_map(|facts| facts.uses.compared.iter().map(move |one| (facts, one)));
    let problems = each.filter_map(|(facts, one)| {
        let Come::To(ty) = look.follow(&one.part.of, &one.part.path)? else { return None };
        let FieldType::OneOf(words) = ty else { return None };
        if words.contains(&one.with) {
            return None;
        }
        let found =
            format!("{} is compared with {:?}, which it can never be", named(&one.part), one.with);
        let problem = Problem::error("wrong-type", found)
            .at(facts.place(one.line))
            .expected(ty.to_string())
            .did_you_mean(nearest(&one.with, words.iter().map(String::as_str)));
        Some(problem)
    });
    problems.collect()
}
