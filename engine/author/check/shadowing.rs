//! Checks for shadowing, such as `local roll = roll(…)` followed by `roll(…)`. Reported if the
//! local cannot be used in this way and something else of that name can.

use std::sync::Arc;

use super::calls::value_categories;
use super::declaration_lookup::DeclarationLookup;
use crate::analysis::{FileSummary, Literal, LocalValue, MisusedLocal, ValueSource};
use base::{Code, Problem};
use content::{PathLookupResult, StatePathStep};

/// Checks the locals that are used.
pub(super) fn check_shadowing(
    context: &DeclarationLookup<'_>,
    summaries: &[Arc<FileSummary>],
) -> Vec<Problem> {
    let locals = summaries
        .iter()
        .flat_map(|file| file.uses.misused_locals.iter().map(move |local| (file, local)));
    locals.filter_map(|(file, local)| shadowing_problem(context, file, local)).collect()
}

fn shadowing_problem(
    context: &DeclarationLookup<'_>,
    summary: &FileSummary,
    misused_local: &MisusedLocal,
) -> Option<Problem> {
    let MisusedLocal { name, field, line, declared_line: declared, .. } = misused_local;
    let what = context.vm.describe_visible(&summary.owner, name, field.as_deref())?;
    if !is_misused(context, summary, misused_local) {
        return None;
    }
    let (lacks, usage) = match field {
        Some(field) => (format!("has no `{field}`"), format!("`{name}.{field}`")),
        None => ("is not a function".to_owned(), format!("`{name}(…)`")),
    };
    let found = format!("the local `{name}` shadows {what}; its value {lacks}");
    let problem = Problem::error(Code::HiddenName, found)
        .at(summary.place(*line))
        .expected(format!("a local that does not hide {usage}"))
        .hint(format!("rename the local of line {declared}"))
        .add_related_location(summary.place(*declared));
    Some(problem)
}

/// Whether the value of a local cannot be called, or has no such field.
fn is_misused(
    context: &DeclarationLookup<'_>,
    summary: &FileSummary,
    misused_local: &MisusedLocal,
) -> bool {
    match (&misused_local.value, &misused_local.field) {
        (LocalValue::Literal(Literal::Table(table)), Some(field)) => {
            !table.may_have_more_fields
                && !table.named_fields.iter().any(|(name, ..)| name == field)
        }
        // A text has the functions of the string library.
        (LocalValue::Literal(said), Some(_)) => {
            matches!(said, Literal::Number(_) | Literal::Bool(_))
        }
        (LocalValue::Literal(said), None) => {
            matches!(
                said,
                Literal::Number(_) | Literal::Bool(_) | Literal::Text(_) | Literal::Table(_)
            )
        }
        (LocalValue::Source(ValueSource::Path(part)), Some(field)) => {
            let mut path = part.path.clone();
            path.push(StatePathStep::Name(field.clone()));
            matches!(context.follow_path(&part.root, &path), Some(PathLookupResult::UnknownName(at, _)) if at + 1 == path.len())
        }
        (LocalValue::Source(from), None) => {
            has_only_categories(context, summary, from, &["number", "text", "truth", "table"])
        }
        (LocalValue::Source(from @ ValueSource::Call(..)), Some(_)) => {
            has_only_categories(context, summary, from, &["number", "truth"])
        }
    }
}

/// Whether a value from elsewhere has only these categories.
fn has_only_categories(
    context: &DeclarationLookup<'_>,
    summary: &FileSummary,
    source: &ValueSource,
    categories: &[&str],
) -> bool {
    if let Some((_, ty)) = context.value_type(summary, source) {
        return value_categories(&ty)
            .is_some_and(|all| all.iter().all(|sort| categories.contains(sort)));
    }
    // A local gets the first result of a function.
    let ValueSource::Call(name, of) = source else { return false };
    let Some(declared_function) = context.find_declared_function(summary, name, of.as_ref()) else {
        return false;
    };
    let first = declared_function
        .0
        .result_annotation
        .strip_prefix('(')
        .and_then(|rest| rest.split([',', ')']).next());
    first.is_some_and(|first| first == "number" && categories.contains(&first))
}
