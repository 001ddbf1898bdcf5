//! Checks functions that may not change anything, and `after` hooks, whose events are final.
//! Reports writes and calls directly inside them that would fail at run time.

use std::collections::BTreeSet;
use std::sync::Arc;

use super::parts::name_of;
use crate::content::Way;
use crate::kit::Problem;
use crate::script::{When, only_looking, surface, written_while_looking};
use crate::workshop::lua::{Calling, Facts, Whole};

/// Checks calls and writes.
pub(super) fn look(facts: &[Arc<Facts>]) -> Vec<Problem> {
    let acting = surface().into_iter().filter(|row| row.when == When::Acting);
    let acting: BTreeSet<&str> = acting.map(|row| row.name).collect();
    let mut problems = Vec::new();
    let own = |call: &&Calling| call.of.is_none() && acting.contains(&*call.name);
    for facts in facts {
        for call in facts.uses.calls.iter().filter(own) {
            let looks = call.looks.map(|what| only_looking(&call.name, what));
            problems.extend(looks.map(|problem| problem.at(facts.place(call.line))));
        }
        for one in facts.uses.parts.iter().filter(|one| one.given.is_some()) {
            let problem = match (&one.part.of, one.looks, one.part.path.as_slice()) {
                (Whole::State, Some(what), path) => {
                    Some(written_while_looking(&format!("`{}`", name_of(path)), what))
                }
                (Whole::Event(moment), _, [Way::Name(name)]) if one.is_final => {
                    Some(written_too_late(moment, name))
                }
                _ => None,
            };
            problems.extend(problem.map(|problem| problem.at(facts.place(one.line))));
        }
    }
    problems
}

/// The Problem of an event that is changed where it is final.
fn written_too_late(moment: &str, name: &str) -> Problem {
    let found = format!("`{name}` of the event of {moment:?} is written in an `after` hook");
    Problem::error("frozen-table", found)
        .expected("no change: in an `after` hook the event is final")
        .hint(format!("change it in a `before` hook: `before({moment:?}, …)`"))
}
