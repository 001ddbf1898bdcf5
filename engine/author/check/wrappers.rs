//! Checks functions that wrap another one: whether they use it, and return a result where it does.

use std::sync::Arc;

use super::call_graph::{CallGraph, FunctionNode};
use super::declaration_lookup::DeclarationLookup;
use super::definition_callbacks::DefinitionCallback;
use crate::analysis::FileSummary;
use base::{Code, Problem, SourceLocation};
use content::{FieldType, find_function_field};

/// Checks all wrappers.
pub(super) fn check_wrappers(
    lookup: &DeclarationLookup<'_>,
    graph: &CallGraph<'_>,
    checked: &[Arc<FileSummary>],
) -> Vec<Problem> {
    let missing_results =
        graph.functions().filter_map(|node| missing_result_problem(lookup, graph, node));
    let unused_originals = checked.iter().flat_map(|summary| {
        let lines = summary.uses.wraps_without_original.iter();
        lines.map(|line| unused_original_problem().at(summary.place(*line)))
    });
    missing_results.chain(unused_originals).collect()
}

fn unused_original_problem() -> Problem {
    let found = "this wrapper never uses `original`, which discards the function that it wraps";
    Problem::warning(Code::UndoneChange, found)
        .expected("a call of its first parameter: `original(…)`")
        .hint("without `wrap` the field is set, so that other mods that set it are found")
}

fn missing_result_problem(
    lookup: &DeclarationLookup<'_>,
    graph: &CallGraph<'_>,
    node: FunctionNode,
) -> Option<Problem> {
    let callback = graph.definition_callback(node)?;
    let wrapped = callback.wrapped?;
    let (summary, function) = graph.function(node);
    let line = function.flow.line_without_value?;
    let requires_result = match is_result_required(lookup, callback) {
        Some(requires_result) => requires_result,
        // Nothing is declared: a wrapper that never returns a value loses the result.
        None => {
            !function.flow.returns_value
                && graph.node_at(&wrapped.place).is_some_and(|original| {
                    let flow = &graph.function(original).1.flow;
                    flow.returns_value && flow.line_without_value.is_none()
                })
        }
    };
    if !requires_result {
        return None;
    }
    let definition = callback.definition;
    let found = format!(
        "this wrapper of the {} {} returns nothing on the path that ends here",
        definition.kind, definition.id
    );
    let problem = Problem::error(Code::WrapReturnsNothing, found)
        .at(summary.place(line))
        .expected("a result on every path, as the wrapped function gives")
        .hint("return the result of the original: `return original(…)`");
    Some(problem.add_related_location(SourceLocation::clone(&wrapped.place)))
}

/// Whether each call must have a result; `None` if nothing is declared.
fn is_result_required(
    lookup: &DeclarationLookup<'_>,
    callback: &DefinitionCallback<'_>,
) -> Option<bool> {
    let definition = callback.definition;
    if let ("scene", "prompt") | ("view", "show") = (&*definition.kind, callback.name_at(0)) {
        return Some(true);
    }
    let kind = lookup.vm.registry().kind(&definition.kind)?;
    let field = find_function_field(&kind.fields, &callback.path)?;
    if let Some(result) = field.function_schema.as_ref().and_then(|schema| schema.result.as_ref()) {
        return Some(!result.is_optional);
    }
    let signature = lookup.vm.function_doc(definition).signature?;
    if signature.result_annotation.is_empty() {
        return None;
    }
    let may_be_nil = |(ty, optional): &(FieldType, bool)| *optional || *ty == FieldType::Any;
    Some(signature.result.is_some_and(|result| !may_be_nil(&result)))
}
