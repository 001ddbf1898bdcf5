//! Checks functions that may not change anything. Reports changes that would fail at run time: those
//! of the function itself, and those of the functions that it calls.

use std::collections::BTreeSet;

use super::call_graph::{CallEdge, CallGraph, Change, FunctionNode};
use crate::analysis::FileSummary;
use base::Problem;
use script::{call_in_read_only_problem, write_in_read_only_problem};

/// Checks the changes that functions make.
pub(super) fn check_read_only_code(graph: &CallGraph<'_>) -> Vec<Problem> {
    let read_only = graph.functions().filter_map(|node| {
        let what = graph.read_only_description(node)?;
        Some(
            ReadOnlyFunction { graph, what, seen: BTreeSet::new(), problems: Vec::new() }
                .check(node),
        )
    });
    read_only.flatten().collect()
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
