//! Checks what functions return whose result is declared: rules, exports, and functions in fields of
//! definitions. A function that replaces another one gives the result that the other declares. A
//! rule returns something in any case.

use super::call_graph::{CallGraph, FunctionNode};
use super::declaration_lookup::DeclarationLookup;
use super::definition_callbacks::DefinitionCallback;
use super::type_check::LiteralTypeChecker;
use crate::analysis::Literal;
use base::{Code, Problem, SourceLocation};
use content::{EXPORT_KIND, FieldType, find_function_field};

/// A declared result.
struct DeclaredResult {
    ty: FieldType,
    is_optional: bool,
    place: SourceLocation,
    /// The function, for messages.
    function_text: String,
    /// Whether the function is another one than the one that declares it.
    is_replacement: bool,
}

/// Checks the results of all functions.
pub(super) fn check_function_results(
    lookup: &DeclarationLookup<'_>,
    graph: &CallGraph<'_>,
) -> Vec<Problem> {
    graph.functions().flat_map(|node| check_results(lookup, graph, node)).collect()
}

fn check_results(
    lookup: &DeclarationLookup<'_>,
    graph: &CallGraph<'_>,
    node: FunctionNode,
) -> Vec<Problem> {
    let Some(callback) = graph.definition_callback(node) else { return Vec::new() };
    let (summary, function) = graph.function(node);
    let Some(declared) = declared_result(lookup, callback, &summary.place(function.line)) else {
        return empty_rule_problem(lookup, graph, node).into_iter().collect();
    };
    let type_check =
        LiteralTypeChecker { registry: lookup.vm.registry(), reports_missing_fields: false };
    let mut problems = Vec::new();
    for (line, literal) in &function.returned_literals {
        if *literal == Literal::Nil {
            // `return nil` behind a search that always finds something is no mistake of the author.
            if !declared.is_replacement {
                continue;
            }
            let problem = missing_result_problem(&declared, "returns nothing");
            problems.extend(problem.map(|problem| problem.at(summary.place(*line))));
            continue;
        }
        let wrong = type_check.mismatches(&declared.ty, literal, *line).into_iter();
        problems.extend(wrong.map(|wrong| {
            let found = wrong.found_text();
            let found = match wrong.path.is_empty() {
                true => format!("{} returns {found}", declared.function_text),
                false => format!("{} returns {found} as `{}`", declared.function_text, wrong.path),
            };
            Problem::error(Code::WrongResult, found)
                .at(summary.place(wrong.line))
                .expected(match declared.is_optional && wrong.path.is_empty() {
                    true => format!("{}, or nothing", wrong.expected),
                    false => wrong.expected,
                })
                .with_optional_hint(wrong.hint)
                .add_related_location(declared.place.clone())
        }));
    }
    // Wrappers have a check of their own.
    let line = function.flow.line_without_value.filter(|_| callback.wrapped.is_none());
    problems.extend(line.and_then(|line| {
        let problem =
            missing_result_problem(&declared, "returns nothing on the path that ends here")?;
        Some(problem.at(summary.place(line)))
    }));
    problems
}

/// A rule without a declared result that returns nothing: its callers get nothing.
fn empty_rule_problem(
    lookup: &DeclarationLookup<'_>,
    graph: &CallGraph<'_>,
    node: FunctionNode,
) -> Option<Problem> {
    let callback = graph.definition_callback(node)?;
    let definition = callback.definition;
    let (summary, function) = graph.function(node);
    // An empty function on one line stands for one that is still to be written.
    let line = function.flow.line_without_value.filter(|line| *line > function.line)?;
    let signature = lookup.vm.signature_at(&definition.place);
    let is_declared = signature.is_some_and(|it| !it.result_annotation.is_empty());
    let returns_value = function.flow.returns_value;
    if &*definition.kind != "rule" || is_declared || returns_value || callback.wrapped.is_some() {
        return None;
    }
    let found = format!("this function of the rule {} returns nothing", definition.id);
    let problem = Problem::error(Code::WrongResult, found).at(summary.place(line));
    Some(problem.expected("a result: `return …`").hint("an `export` may return nothing: `(): ()`"))
}

/// A path that returns nothing where a result is declared.
fn missing_result_problem(declared: &DeclaredResult, what: &str) -> Option<Problem> {
    if declared.is_optional || declared.ty == FieldType::Any {
        return None;
    }
    let found = format!("{} {what}", declared.function_text);
    let problem = Problem::error(Code::WrongResult, found);
    let problem = problem.expected(format!("a result on every path: {}", declared.ty));
    Some(problem.add_related_location(declared.place.clone()))
}

/// The result that a function in a field of a definition has to give.
fn declared_result(
    lookup: &DeclarationLookup<'_>,
    callback: &DefinitionCallback<'_>,
    place: &SourceLocation,
) -> Option<DeclaredResult> {
    let definition = callback.definition;
    let (kind, id) = (&*definition.kind, &definition.id);
    if ["rule", EXPORT_KIND].contains(&kind) && callback.name_at(0) == "run" {
        let (ty, is_optional) = lookup.vm.signature_at(&definition.place)?.result?;
        let is_at_declaration = (&place.owner, &place.file, place.line)
            == (&definition.place.owner, &definition.place.file, definition.place.line);
        return Some(DeclaredResult {
            ty,
            is_optional,
            place: lookup.vm.sources().with_excerpt(&definition.place),
            function_text: format!("this function of the {kind} {id}"),
            is_replacement: !is_at_declaration,
        });
    }
    let schema = lookup.vm.registry().kind(kind)?;
    let field = find_function_field(&schema.fields, &callback.path)?;
    let result = field.function_schema.as_ref()?.result.as_ref()?;
    Some(DeclaredResult {
        ty: result.ty.clone(),
        is_optional: result.is_optional,
        place: schema.place.clone(),
        function_text: format!("`{}` of the {kind} {id}", field.name),
        is_replacement: true,
    })
}
