//! Checks functions that may not change anything, and `after` hooks, whose events are final.
//! Reports changes that would fail at run time: those of the function itself, and those of the
//! functions that it calls.

use std::collections::BTreeSet;
use std::sync::Arc;

use super::call_graph::{CallEdge, CallGraph, Change, FunctionNode};
use crate::analysis::{FileSummary, PathRoot};
use base::{Code, Problem};
use content::StatePathStep;
use script::{call_in_read_only_problem, write_in_read_only_problem};

/// Checks the changes that functions make.
pub(super) fn check_read_only_code(
    graph: &CallGraph<'_>,
    summaries: &[Arc<FileSummary>],
) -> Vec<Problem> {
    let read_only = graph.functions().filter_map(|node| {
        let what = graph.read_only_description(node)?;
        Some(
            ReadOnlyFunction { graph, what, seen: BTreeSet::new(), problems: Vec::new() }
                .check(node),
        )
    });
    let final_events = summaries.iter().flat_map(|summary| final_event_problems(summary));
    read_only.flatten().chain(final_events).collect()
}

/// A function that may not change anything.
struct ReadOnlyFunction<'g, 't> {
    graph: &'g CallGraph<'t>,
    /// Its description.
    what: &'static str,
    /// The functions that were looked at.
    seen: BTreeSet<FunctionNode>,
    problems: Vec<Problem>,
}

impl ReadOnlyFunction<'_, '_> {
    fn check(mut self, node: FunctionNode) -> Vec<Problem> {
        self.check_function(node);
        self.problems
    }

    /// Checks the function, or a function that is an argument of a call in it.
    fn check_function(&mut self, node: FunctionNode) {
        let (summary, _) = self.graph.function(node);
        for effect in self.graph.effects(node) {
            let problem = match &effect.change {
                Change::State(path) => write_in_read_only_problem(&format!("`{path}`"), self.what),
                Change::Call(name) => call_in_read_only_problem(name, self.what),
            };
            self.problems.push(problem.at(summary.place(effect.line)));
        }
        for call in self.graph.calls(node) {
            if !self.seen.insert(call.callee)
                || self.graph.read_only_description(call.callee).is_some()
            {
                continue;
            }
            match call.name.is_empty() {
                true => self.check_function(call.callee),
                false => self.check_call(summary, call),
            }
        }
    }

    /// Checks a call of a function that may change something.
    fn check_call(&mut self, summary: &FileSummary, call: &CallEdge) {
        let Some((change, place)) = self.graph.change_of(call.callee) else { return };
        let problem = call_in_read_only_problem(&call.name, self.what);
        let does = match change {
            Change::State(path) => format!("writes `{path}`"),
            Change::Call(name) => format!("calls `{name}`"),
        };
        let message = format!("{}; it {does}", problem.message);
        let problem = Problem { message, ..problem }.at(summary.place(call.line));
        self.problems.push(problem.add_related_location(place));
    }
}

/// Writes to an event in `after` hooks.
fn final_event_problems(summary: &FileSummary) -> impl Iterator<Item = Problem> + '_ {
    let written = summary.uses.accesses.iter().filter(|one| one.written_value.is_some());
    written.filter(|one| one.is_in_final_event).filter_map(|one| {
        match (&one.path.root, &*one.path.path) {
            (PathRoot::Event(event), [StatePathStep::Name(name)]) => {
                Some(final_event_write_problem(event, name).at(summary.place(one.line)))
            }
            _ => None,
        }
    })
}

/// The Problem of an event that is changed where it is final.
fn final_event_write_problem(event_name: &str, name: &str) -> Problem {
    let found = format!("`{name}` of the event of {event_name:?} is written in an `after` hook");
    Problem::error(Code::FrozenTable, found)
        .expected("no change: in an `after` hook the event is final")
        .hint(format!("change it in a `before` hook: `before({event_name:?}, …)`"))
}
