//! Checks functions that may not change anything, and `after` hooks, whose events are final.
//! Reports writes and calls directly inside them that would fail at run time.

use std::collections::BTreeSet;
use std::sync::Arc;

use super::access_paths::state_path_text;
use crate::analysis::{CallSite, FileSummary, PathRoot};
use base::{Code, Problem};
use content::StatePathStep;
use script::{Availability, call_in_read_only_problem, host_functions, write_in_read_only_problem};

/// Checks calls and writes.
pub(super) fn check_read_only_code(summaries: &[Arc<FileSummary>]) -> Vec<Problem> {
    let acting =
        host_functions().into_iter().filter(|row| row.availability == Availability::Writing);
    let acting: BTreeSet<&str> = acting.map(|row| row.name).collect();
    let mut problems = Vec::new();
    let own = |call: &&CallSite| call.required_file.is_none() && acting.contains(&*call.name);
    for summary in summaries {
        for call in summary.uses.calls.iter().filter(own) {
            let call_problem = call
                .enclosing_read_only_function
                .map(|what| call_in_read_only_problem(&call.name, what));
            problems.extend(call_problem.map(|problem| problem.at(summary.place(call.line))));
        }
        for one in summary.uses.accesses.iter().filter(|one| one.written_value.is_some()) {
            let problem = match (
                &one.path.root,
                one.enclosing_read_only_function,
                one.path.path.as_slice(),
            ) {
                (PathRoot::State, Some(what), path) => {
                    Some(write_in_read_only_problem(&format!("`{}`", state_path_text(path)), what))
                }
                (PathRoot::Event(event_name), _, [StatePathStep::Name(name)])
                    if one.is_in_final_event =>
                {
                    Some(final_event_write_problem(event_name, name))
                }
                _ => None,
            };
            problems.extend(problem.map(|problem| problem.at(summary.place(one.line))));
        }
    }
    problems
}

/// The Problem of an event that is changed where it is final.
fn final_event_write_problem(event_name: &str, name: &str) -> Problem {
    let found = format!("`{name}` of the event of {event_name:?} is written in an `after` hook");
    Problem::error(Code::FrozenTable, found)
        .expected("no change: in an `after` hook the event is final")
        .hint(format!("change it in a `before` hook: `before({event_name:?}, …)`"))
}
