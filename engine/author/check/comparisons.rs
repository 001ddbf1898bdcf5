//! Checks comparisons of state and event fields with a text that they can never have.

use std::sync::Arc;

use super::access_paths::format_access_path;
use super::declaration_lookup::DeclarationLookup;
use crate::analysis::FileSummary;
use base::problem::nearest_name;
use base::{Code, Problem};
use content::{FieldType, PathLookupResult};

/// Checks the comparisons in all files.
pub(super) fn check_comparisons(
    context: &DeclarationLookup<'_>,
    summaries: &[Arc<FileSummary>],
) -> Vec<Problem> {
    let each = summaries
        .iter()
        .flat_map(|facts| facts.uses.comparisons.iter().map(move |one| (facts, one)));
    let problems = each.filter_map(|(facts, one)| {
        let PathLookupResult::Found(ty) = context.follow_path(&one.path.root, &one.path.path)?
        else {
            return None;
        };
        let FieldType::OneOf(words) = ty else { return None };
        if words.contains(&one.text) {
            return None;
        }
        let found = format!(
            "{} is compared with {:?}, a value that it never has",
            format_access_path(&context.callbacks, &one.path),
            one.text
        );
        let problem = Problem::error(Code::WrongType, found)
            .at(facts.place(one.line))
            .expected(ty.to_string())
            .suggest_name(nearest_name(&one.text, words.iter().map(String::as_str)));
        Some(problem)
    });
    problems.collect()
}
