//! Checks fields that scripts read of definitions, and of values that are texts or numbers: an id has
//! no fields, the definition that it names has.

use std::sync::Arc;

use super::access_paths::format_access_path;
use super::call_graph::CallGraph;
use super::declaration_lookup::DeclarationLookup;
use super::value_types::type_of_path;
use crate::analysis::{AccessPath, FileSummary, PathAccess, PathRoot};
use base::{Code, Problem};
use content::{FieldType, PathLookupResult, StatePathStep, lookup_path};

/// Checks the fields in some files.
pub(super) fn check_definition_fields(
    lookup: &DeclarationLookup<'_>,
    graph: &CallGraph<'_>,
    checked: &[Arc<FileSummary>],
) -> Vec<Problem> {
    let mut problems = Vec::new();
    for (file, summary) in graph.summaries.iter().enumerate() {
        if !checked.iter().any(|one| Arc::ptr_eq(one, summary)) {
            continue;
        }
        for access in &summary.uses.accesses {
            let problem = unknown_field_problem(lookup, summary, access)
                .or_else(|| field_of_plain_value_problem(lookup, graph, (file, summary), access));
            problems.extend(problem.map(|problem| problem.at(summary.place(access.line))));
        }
    }
    problems
}

/// A field that a kind does not have: `boat.low.nmae`, `boat[id].nmae`.
fn unknown_field_problem(
    lookup: &DeclarationLookup<'_>,
    summary: &FileSummary,
    access: &PathAccess,
) -> Option<Problem> {
    let (PathRoot::Global(name), None) = (&access.path.root, &access.written_value) else {
        return None;
    };
    let kind = lookup.vm.registry().kind(name)?;
    let path = access.path.path.get(1..)?;
    // A definition has an id, and `gone` if its mod is no longer loaded.
    if matches!(path.first(), Some(StatePathStep::Name(name)) if name == "id" || name == "gone")
        || !lookup.vm.can_see(&summary.owner, &kind.place.owner)
    {
        return None;
    }
    let PathLookupResult::UnknownName(at, fields) = lookup_path(&kind.fields, path) else {
        return None;
    };
    let StatePathStep::Name(field) = &path[at] else { return None };
    let found = match at {
        0 => format!(
            "a script reads the field `{field}` of a definition, but the kind `{name}` has no such field"
        ),
        _ => {
            let path = access.path.path[..=at].to_vec();
            let parent = format_access_path(&lookup.callbacks, &access.path.with_steps(path));
            format!("{parent} has no field `{field}`")
        }
    };
    let id = ["id"].into_iter().filter(|_| at == 0);
    let names = fields.iter().map(|field| &*field.name).chain(id);
    let problem = Problem::error(Code::UnknownField, found);
    Some(problem.expect_one_of_names(field, names).add_related_location(kind.place.clone()))
}

/// A field of a value that has none: `options.boat.name`, where the option is an id.
fn field_of_plain_value_problem(
    lookup: &DeclarationLookup<'_>,
    graph: &CallGraph<'_>,
    (file, summary): (usize, &FileSummary),
    access: &PathAccess,
) -> Option<Problem> {
    let steps = &access.path.path;
    for (at, step) in steps.iter().enumerate().skip(1) {
        let parent: AccessPath = access.path.with_steps(steps[..at].to_vec());
        let Some(ty) = type_of_path(lookup, graph, file, &parent) else { continue };
        let (StatePathStep::Name(field), true) = (step, is_plain(&ty)) else { continue };
        let parent = format_access_path(&lookup.callbacks, &parent);
        let problem = Problem::error(
            Code::UnknownField,
            format!("{parent} is {}, which has no field `{field}`", describe_plain(&ty)),
        )
        .expected("a value with fields");
        return Some(match &ty {
            FieldType::Ref(kind) if lookup.vm.can_see(&summary.owner, kind_owner(lookup, kind)) => {
                let id = parent.trim_matches('`');
                problem.hint(format!("the definition has them: `{kind}[{id}].{field}`"))
            }
            _ => problem,
        });
    }
    None
}

fn kind_owner<'t>(lookup: &'t DeclarationLookup<'_>, kind: &str) -> &'t str {
    lookup.vm.registry().kind(kind).map_or("", |kind| &kind.place.owner)
}

fn is_plain(ty: &FieldType) -> bool {
    match ty {
        FieldType::Text
        | FieldType::SingleLineText(_)
        | FieldType::Ref(_)
        | FieldType::OneOf(_)
        | FieldType::Int { .. }
        | FieldType::Number
        | FieldType::Bool => true,
        FieldType::Either(types) => types.iter().all(is_plain),
        _ => false,
    }
}

fn describe_plain(ty: &FieldType) -> String {
    match ty {
        FieldType::Ref(kind) => format!("the id of a {kind}"),
        FieldType::OneOf(_) | FieldType::Text | FieldType::SingleLineText(_) => "a text".to_owned(),
        ty => ty.to_string(),
    }
}
