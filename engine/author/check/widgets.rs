//! Checks widgets that functions of a view or of a page make: those that a patch adds, and those
//! that other functions make for them.

use std::collections::BTreeSet;

use super::call_graph::{CallGraph, FunctionNode};
use super::declaration_lookup::DeclarationLookup;
use super::prompts_and_views::ui_table_mismatch_problem;
use super::type_check::LiteralTypeChecker;
use crate::analysis::{FunctionTable, Literal, TableLiteral, UiTableKind};
use base::{Problem, SourceLocation};

/// The field of a view that holds functions which return widgets.
const WIDGETS_FIELD: &str = "widgets";

/// Checks the widgets of all views. `reported` has the Problems of views that are written out.
pub(super) fn check_widgets(
    lookup: &DeclarationLookup<'_>,
    graph: &CallGraph<'_>,
    reported: &[Problem],
) -> Vec<Problem> {
    let Some(ty) = lookup.vm.resolve_type("", "", "Widget") else { return Vec::new() };
    let registry = lookup.vm.registry();
    let type_check = LiteralTypeChecker { registry, reports_missing_fields: true };
    let (makes_widgets, may_make_widgets) = view_functions(graph);
    let known: Vec<Option<&SourceLocation>> =
        reported.iter().map(|problem| problem.place.as_ref()).collect();
    let mut problems: Vec<Problem> = Vec::new();
    for (file, summary) in graph.summaries.iter().enumerate() {
        for table in &summary.uses.function_tables {
            let node = (file, table.function);
            let widgets = match table.is_returned && makes_widgets.contains(&node) {
                true => returned_widgets(table),
                false if may_make_widgets.contains(&node) && !table.is_returned => {
                    vec![(table.line, &table.table)]
                }
                false => Vec::new(),
            };
            for (line, widget) in widgets {
                let literal = Literal::Table(widget.clone());
                for wrong in type_check.mismatches(&ty, &literal, line) {
                    let problem = ui_table_mismatch_problem(UiTableKind::Widget, &wrong)
                        .at(summary.place(wrong.line));
                    if !known.contains(&problem.place.as_ref()) && !problems.contains(&problem) {
                        problems.push(problem);
                    }
                }
            }
        }
    }
    problems
}

/// The functions whose result is a widget or a list of widgets, and all functions that a view runs.
fn view_functions(graph: &CallGraph<'_>) -> (BTreeSet<FunctionNode>, BTreeSet<FunctionNode>) {
    let view_callback = |node: FunctionNode| {
        let callback = graph.definition_callback(node)?;
        ["view", "page"].contains(&&*callback.definition.kind).then_some(callback)
    };
    let makes_widgets = |node: &FunctionNode| {
        view_callback(*node).is_some_and(|callback| callback.name_at(0) == WIDGETS_FIELD)
    };
    let is_in_view = |node: &FunctionNode| {
        view_callback(*node).is_some() || graph.read_only_description(*node) == Some("a view")
    };
    let reachable = graph.reachable_from(graph.functions().filter(is_in_view));
    (graph.functions().filter(makes_widgets).collect(), reachable)
}

/// The widgets in a returned table: itself, or the items of a list.
fn returned_widgets(table: &FunctionTable) -> Vec<(u32, &TableLiteral)> {
    if !table.table.named_fields.is_empty() {
        return vec![(table.line, &table.table)];
    }
    let items = table.table.items.iter().filter_map(|(line, item)| match item {
        Literal::Table(widget) => Some((*line, widget)),
        _ => None,
    });
    items.collect()
}
