//! Checks what functions return whose result is declared: rules, exports, and functions in fields of
//! definitions. A function that replaces another one gives the result that the other declares.

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
        return Vec::new();
    };
    let type_check =
        LiteralTypeChecker { registry: lookup.vm.registry(), reports_missing_fields: false };
    let mut problems = Vec::new();
    for (line, literal) in &function.returned_literals {
        // `nil` may be the second operand of `or`.
        if *literal == Literal::Nil {
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
    let line = function
        .flow
        .line_without_value
        .filter(|_| declared.is_replacement && !declared.is_optional && callback.wrapped.is_none());
    problems.extend(line.map(|line| {
        let found =
            format!("{} returns nothing on the path that ends here", declared.function_text);
        Problem::error(Code::WrongResult, found)
            .at(summary.place(line))
            .expected(format!("a result on every path: {}", declared.ty))
            .add_related_location(declared.place.clone())
    }));
    problems
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
