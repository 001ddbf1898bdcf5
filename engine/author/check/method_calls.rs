//! Checks calls with a colon: `vitals:mend(3)` gives `vitals` to the function as its first argument.
//! Only texts have functions that are called like this.

use super::access_paths::format_access_path;
use super::call_graph::CallGraph;
use super::calls::value_categories;
use super::declaration_lookup::DeclarationLookup;
use super::value_types::type_of_path;
use crate::analysis::{FileSummary, MethodCall, PathRoot};
use base::{Code, Problem};
use content::StatePathStep;

/// Checks the calls with a colon in all files.
pub(super) fn check_method_calls(
    lookup: &DeclarationLookup<'_>,
    graph: &CallGraph<'_>,
) -> Vec<Problem> {
    let files = graph.summaries.iter().enumerate();
    let calls = files.flat_map(|(file, summary)| {
        summary.uses.method_calls.iter().map(move |call| (file, &**summary, call))
    });
    let problems = calls.filter_map(|(file, summary, call)| {
        function_problem(lookup, summary, call)
            .or_else(|| value_problem(lookup, graph, file, call))
            .map(|problem| problem.at(summary.place(call.line)))
    });
    problems.collect()
}

/// A function of a mod or of the host that is called with a colon.
fn function_problem(
    lookup: &DeclarationLookup<'_>,
    summary: &FileSummary,
    call: &MethodCall,
) -> Option<Problem> {
    let PathRoot::Global(global) = &call.receiver.root else { return None };
    let mut receiver = global.clone();
    for step in &call.receiver.path {
        let StatePathStep::Name(name) = step else { return None };
        receiver = format!("{receiver}.{name}");
    }
    let name = &call.name;
    let is_declared =
        lookup.find_declared_function(summary, &format!("{receiver}.{name}"), None).is_some();
    // Everything that a global name stands for is a table or a function.
    if !is_declared && !call.receiver.path.is_empty() {
        return None;
    }
    let found = format!("`{receiver}:{name}(…)` passes `{receiver}` as the first argument");
    let problem = Problem::error(Code::WrongType, found);
    Some(problem.expected(format!("a dot: `{receiver}.{name}(…)`")))
}

/// A value that has no functions.
fn value_problem(
    lookup: &DeclarationLookup<'_>,
    graph: &CallGraph<'_>,
    file: usize,
    call: &MethodCall,
) -> Option<Problem> {
    let receiver = &call.receiver;
    let is_event = lookup.callbacks.event_of_root(&receiver.root).is_some();
    let is_table = receiver.path.is_empty()
        && (is_event
            || matches!(
                receiver.root,
                PathRoot::State
                    | PathRoot::HandlerInput(_)
                    | PathRoot::StartOptions
                    | PathRoot::BotArgument(_)
            ));
    let what = if is_table {
        if is_event { "the event".to_owned() } else { "this table".to_owned() }
    } else {
        let categories = value_categories(&type_of_path(lookup, graph, file, receiver)?)?;
        if categories.contains(&"text") {
            return None;
        }
        format_access_path(&lookup.callbacks, receiver)
    };
    let name = &call.name;
    let found = format!("`:{name}(…)` calls a function of {what}, which has none");
    let problem = Problem::error(Code::WrongType, found);
    Some(problem.expected(format!("a function, called with a dot: `module.{name}(…)`")))
}
