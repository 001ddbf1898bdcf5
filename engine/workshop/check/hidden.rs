//! Checks for shadowing, such as `local roll = roll(…)` followed by `roll(…)`. Reported if the
//! local cannot be used in this way and something else of that name can.

use std::sync::Arc;

use super::calls::{Look, sorts};
use crate::content::{Come, Way};
use crate::kit::Problem;
use crate::workshop::lua::{Facts, From, Hidden, Holds, Said};

/// Checks the locals that are used.
pub(super) fn look(look: &Look<'_>, facts: &[Arc<Facts>]) -> Vec<Problem> {
    let each = facts.iter().flat_map(|facts| {
        facts.uses.hidden.iter().filter_map(|one| hidden(look, facts, one)).collect::<Vec<_>>()
    });
    each.collect()
}

fn hidden(look: &Look<'_>, facts: &Facts, one: &Hidden) -> Option<Problem> {
    let Hidden { name, field, line, declared, .. } = one;
    let what = look.vm.visible(&facts.owner, name, field.as_deref())?;
    if !lacks(look, facts, one) {
        return None;
    }
    let (lacks, used) = match field {
        Some(field) => (format!("has no `{field}`"), format!("`{name}.{field}`")),
        None => ("is not a function".to_owned(), format!("`{name}(…)`")),
    };
    let found = format!("the local `{name}` shadows {what}; its value {lacks}");
    let problem = Problem::error("hidden-name", found)
        .at(facts.place(*line))
        .expected(format!("{used} as it is outside this function, or a use that fits the local"))
        .hint(format!("rename the local of line {declared}"))
        .by_way_of(facts.place(*declared));
    Some(problem)
}

/// Whether the value of a local cannot be called, or has no such field.
fn lacks(look: &Look<'_>, facts: &Facts, one: &Hidden) -> bool {
    match (&one.holds, &one.field) {
        (Holds::Said(Said::Table(table)), Some(field)) => {
            !table.open && !table.named.iter().any(|(name, ..)| name == field)
        }
        // A text has the functions of the string library.
        (Holds::Said(said), Some(_)) => matches!(said, Said::Number(_) | Said::Truth(_)),
        (Holds::Said(said), None) => {
            matches!(said, Said::Number(_) | Said::Truth(_) | Said::Text(_) | Said::Table(_))
        }
        (Holds::From(From::Part(part)), Some(field)) => {
            let mut path = part.path.clone();
            path.push(Way::Name(field.clone()));
            matches!(look.follow(&part.of, &path), Some(Come::Unknown(at, _)) if at + 1 == path.len())
        }
        (Holds::From(from), None) => {
            gives_plainly(look, facts, from, &["number", "text", "truth", "table"])
        }
        (Holds::From(from @ From::Call(..)), Some(_)) => {
            gives_plainly(look, facts, from, &["number", "truth"])
        }
    }
}

/// Whether a value from elsewhere has only these sorts of types.
fn gives_plainly(look: &Look<'_>, facts: &Facts, from: &From, sorts_of: &[&str]) -> bool {
    if let Some((_, ty)) = look.come_from(facts, from) {
        return sorts(&ty).is_some_and(|all| all.iter().all(|sort| sorts_of.contains(sort)));
    }
    // A local gets the first result of a function.
    let From::Call(name, of) = from else { return false };
    let Some(told) = look.told(facts, name, of.as_ref()) else { return false };
    let first = told.0.written.strip_prefix('(').and_then(|rest| rest.split([',', ')']).next());
    first.is_some_and(|first| first == "number" && sorts_of.contains(&first))
}
