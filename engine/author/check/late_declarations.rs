//! Checks declarations in functions that run in play, where they are refused: `spell "x" { … }` in
//! a hook.

use super::call_graph::{CallGraph, FunctionNode};
use super::declaration_lookup::DeclarationLookup;
use crate::analysis::{CallSite, FileSummary, changed_kind};
use base::Problem;
use script::{Availability, not_loading_problem};

/// Checks the functions that run in play, and the functions that they call.
pub(super) fn check_late_declarations(
    lookup: &DeclarationLookup<'_>,
    graph: &CallGraph<'_>,
) -> Vec<Problem> {
    let runs_in_play = |node: &FunctionNode| {
        let is_callback =
            || graph.definition_callback(*node).is_some_and(|callback| callback.runs_in_play());
        graph.function(*node).1.runs_in_play || is_callback()
    };
    let in_play = graph.reachable_from(graph.functions().filter(runs_in_play));
    let mut problems = Vec::new();
    for (file, summary) in graph.summaries.iter().enumerate() {
        let calls = summary.uses.calls.iter().filter(|call| {
            call.function.is_some_and(|function| in_play.contains(&(file, function)))
        });
        let late = calls.filter(|call| is_declaration(lookup, summary, call));
        problems
            .extend(late.map(|call| not_loading_problem(&call.name).at(summary.place(call.line))));
    }
    problems
}

/// Whether a call declares something.
fn is_declaration(lookup: &DeclarationLookup<'_>, summary: &FileSummary, call: &CallSite) -> bool {
    if call.required_file.is_some() {
        return false;
    }
    let kind = lookup.vm.registry().kind(changed_kind(&call.name).unwrap_or(&call.name));
    let can_see = |owner: &str| lookup.vm.can_see(&summary.owner, owner);
    kind.is_some_and(|kind| kind.is_builtin || can_see(&kind.owner))
        || lookup.availability(&call.name) == Some(Availability::Loading)
}
