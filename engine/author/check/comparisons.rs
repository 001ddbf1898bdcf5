//! Checks comparisons of state and event fields, and of options, with a text that they never have.

use std::sync::Arc;

use super::access_paths::format_access_path;
use super::calls::value_categories;
use super::declaration_lookup::DeclarationLookup;
use crate::analysis::{AccessPath, FileSummary, PathRoot};
use base::problem::nearest_name;
use base::{Code, Problem};
use content::{Datum, FieldType, PathLookupResult, StatePathStep};

/// Checks the comparisons in all files.
pub(super) fn check_comparisons(
    context: &DeclarationLookup<'_>,
    summaries: &[Arc<FileSummary>],
) -> Vec<Problem> {
    let each = summaries
        .iter()
        .flat_map(|facts| facts.uses.comparisons.iter().map(move |one| (facts, one)));
    let problems = each.filter_map(|(facts, one)| {
        let ty = compared_type(context, &one.path)?;
        let words: &[String] = match &ty {
            FieldType::OneOf(words) => words,
            ty if value_categories(ty).is_some_and(|all| !all.contains(&"text")) => &[],
            _ => return None,
        };
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

/// The type of a value, if it is declared.
fn compared_type(context: &DeclarationLookup<'_>, path: &AccessPath) -> Option<FieldType> {
    let is_option = match &path.root {
        PathRoot::StartOptions => true,
        PathRoot::Global(name) => name == "options",
        _ => false,
    };
    match &*path.path {
        [StatePathStep::Name(name)] if is_option => option_type(context, name),
        _ => match context.follow_path(&path.root, &path.path)? {
            PathLookupResult::Found(ty) => Some(ty.clone()),
            _ => None,
        },
    }
}

/// The type of an option whose values are written out.
fn option_type(context: &DeclarationLookup<'_>, name: &str) -> Option<FieldType> {
    let registry = context.vm.registry();
    let option = registry.active_definitions("option").find(|one| one.id.name() == name)?;
    match option.get("type")?.as_text()? {
        "one_of" => {
            let values = option.get("values").and_then(Datum::as_list)?.iter();
            let texts = values.filter_map(Datum::as_text).map(str::to_owned);
            Some(FieldType::one_of(texts.collect()))
        }
        "bool" => Some(FieldType::Bool),
        _ => None,
    }
}
