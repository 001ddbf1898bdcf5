//! Checks for shadowing, such as `local roll = roll(…)` followed by `roll(…)`. Reported if the
//! local cannot be used in this way and something else of that name can.

use std::sync::Arc;

use super::calls::{CheckContext, value_sorts};
use crate::author::analysis::{FileSummary, Literal, LocalValue, MisusedLocal, ValueSource};
use crate::base::{Code, Problem};
use crate::content::{Lookup, PathStep};

/// Checks the locals that are used.
pub(super) fn check_shadowing(look: &CheckContext<'_>, facts: &[Arc<FileSummary>]) -> Vec<Problem> {
    let each = facts.iter().flat_map(|facts| {
        facts
            .uses
            .misused_locals
            .iter()
            .filter_map(|one| shadowing_problem(look, facts, one))
            .collect::<Vec<_>>()
    });
    each.collect()
}

fn shadowing_problem(
    look: &CheckContext<'_>,
    facts: &FileSummary,
    one: &MisusedLocal,
) -> Option<Problem> {
    let MisusedLocal { name, field, line, declared_line: declared, .. } = one;
    let what = look.vm.describe_visible(&facts.owner, name, field.as_deref())?;
    if !is_misused(look, facts, one) {
        return None;
    }
    let (lacks, used) = match field {
        Some(field) => (format!("has no `{field}`"), format!("`{name}.{field}`")),
        None => ("is not a function".to_owned(), format!("`{name}(…)`")),
    };
    let found = format!("the local `{name}` shadows {what}; its value {lacks}");
    let problem = Problem::error(Code::HiddenName, found)
        .at(facts.place(*line))
        .expected(format!("a local that does not hide {used}"))
        .hint(format!("rename the local of line {declared}"))
        .called_from(facts.place(*declared));
    Some(problem)
}

/// Whether the value of a local cannot be called, or has no such field.
fn is_misused(look: &CheckContext<'_>, facts: &FileSummary, one: &MisusedLocal) -> bool {
    match (&one.value, &one.field) {
        (LocalValue::Literal(Literal::Table(table)), Some(field)) => {
            !table.open && !table.named.iter().any(|(name, ..)| name == field)
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
            path.push(PathStep::Name(field.clone()));
            matches!(look.follow_path(&part.source, &path), Some(Lookup::Unknown(at, _)) if at + 1 == path.len())
        }
        (LocalValue::Source(from), None) => {
            returns_only(look, facts, from, &["number", "text", "truth", "table"])
        }
        (LocalValue::Source(from @ ValueSource::Call(..)), Some(_)) => {
            returns_only(look, facts, from, &["number", "truth"])
        }
    }
}

/// Whether a value from elsewhere has only these sorts of types.
fn returns_only(
    look: &CheckContext<'_>,
    facts: &FileSummary,
    from: &ValueSource,
    sorts_of: &[&str],
) -> bool {
    if let Some((_, ty)) = look.value_type(facts, from) {
        return value_sorts(&ty).is_some_and(|all| all.iter().all(|sort| sorts_of.contains(sort)));
    }
    // A local gets the first result of a function.
    let ValueSource::Call(name, of) = from else { return false };
    let Some(told) = look.function_for(facts, name, of.as_ref()) else { return false };
    let first = told.0.written.strip_prefix('(').and_then(|rest| rest.split([',', ')']).next());
    first.is_some_and(|first| first == "number" && sorts_of.contains(&first))
}
