//! Events held to what their moments declare: what a `before` hook put there, and where more is asked
//! for, what was announced.

use super::events::Left;
use crate::content::{Field, FieldType, Kind as Declared};
use crate::kit::Problem;
use crate::luau::{At, Kind, Stack};
use crate::script::fits::{self, Misfit, OF_EVENTS};
use crate::script::host::Host;

/// Whether what stands at two places is of one sort. Parts of the state and tables are not told apart.
pub(super) fn same_sort(stack: Stack<'_>, one: At, other: At) -> bool {
    let sort = |at| match stack.kind(at) {
        Kind::Host => Kind::Table,
        kind => kind,
    };
    sort(one) == sort(other)
}

/// The Problem of what a hook left, if it is not as declared.
pub(super) fn of_hook(
    host: &Host,
    stack: Stack<'_>,
    moment: &Declared,
    left: &Left,
) -> Option<Problem> {
    let (key, now) = match *left {
        Left::Changed { key, now } => (key, now),
        Left::Grown { key, .. } | Left::New { key } => (key, key + 1),
    };
    // What is not named by a text is nobody's field.
    let name = stack.bytes(key)?;
    let field = moment.fields.iter().find(|field| field.name.as_bytes() == name);
    let misfit = match (field, left) {
        (Some(field), Left::Grown { from, .. }) => grown(host, stack, field, now, *from)?,
        (Some(field), _) => host.misfit(stack, now, &field.ty, true)?,
        (None, Left::New { .. }) => {
            let name = stack.text(key)?;
            let made = format!("a before-hook on {:?} made", &*moment.name);
            return Some(unknown(moment, name, &made).by_way_of(moment.place.clone()));
        }
        (None, _) => return None,
    };
    let made = format!("a before-hook on {:?} made", &*moment.name);
    let problem = misfit.problem(OF_EVENTS, &made, &format!("event.{}", stack.text(key)?));
    Some(problem.by_way_of(moment.place.clone()))
}

/// The Problem of a whole event, if it is not as declared; `made` says who made it so. What is declared of
/// a moment is looked for by its name, since most have no hooks.
#[cold]
pub(super) fn of_event(
    host: &Host,
    stack: Stack<'_>,
    event: At,
    name: &str,
    made: &str,
) -> Option<Problem> {
    let moments = host.heard.moments.borrow();
    let moment = moments.iter().find(|moment| &*moment.name == name)?;
    stack.room(8);
    let top = stack.top();
    let mut next = stack.next(event, 0);
    while next >= 0 {
        let problem = stack.text(top + 1).and_then(|field| match moment.field(field) {
            Some(declared) => {
                let misfit = host.misfit(stack, top + 2, &declared.ty, true)?;
                Some(misfit.problem(OF_EVENTS, made, &format!("event.{field}")))
            }
            None => Some(unknown(moment, field, made)),
        });
        stack.set_top(top);
        if let Some(problem) = problem {
            return Some(problem.by_way_of(moment.place.clone()));
        }
        next = stack.next(event, next);
    }
    let missing = moment.fields.iter().filter(|field| !field.optional).find(|field| {
        stack.push_text(&*field.name);
        let lacks = stack.raw_get(event) == Kind::Nil;
        stack.set_top(top);
        lacks
    })?;
    let found = format!("{made} the event without `{}`", missing.name);
    let problem = Problem::error("missing-event-field", found)
        .expected(format!("`{}`, {}", missing.name, missing.ty))
        .hint("give it, or declare it `optional = true`");
    Some(problem.by_way_of(moment.place.clone()))
}

/// What does not fit among what was added to a list.
fn grown(host: &Host, stack: Stack<'_>, field: &Field, list: At, from: u32) -> Option<Misfit> {
    let FieldType::List(one) = &field.ty else {
        return host.misfit(stack, list, &field.ty, true);
    };
    let top = stack.top();
    stack.room(8);
    (from as usize + 1..=stack.length(list)).find_map(|at| {
        stack.raw_get_at(list, at as At);
        let misfit = host.misfit(stack, top + 1, one, true);
        stack.set_top(top);
        misfit.map(|misfit| misfit.under(&format!("[{at}]")))
    })
}

/// The Problem of a field that its moment does not declare.
#[cold]
fn unknown(moment: &Declared, name: &str, made: &str) -> Problem {
    let misfit = fits::unknown(&moment.fields, name);
    let found = format!("{made} event.{name}, which is no field of it");
    let problem = Problem::error("unknown-event-field", found).expected(misfit.expected);
    problem.hint(misfit.hint.unwrap_or_else(|| {
        format!(
            "a mark of your own is declared: `moment {:?} {{ {name} = field.any {{ optional = true }} }}`",
            &*moment.name
        )
    }))
}
