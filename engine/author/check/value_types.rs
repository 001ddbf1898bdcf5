//! The declared type of what an access path leads to: a part of the state, a field of an event, of a
//! definition or of another typed value, or an option.

use super::call_graph::CallGraph;
use super::declaration_lookup::DeclarationLookup;
use crate::analysis::{AccessPath, PathRoot};
use content::{Datum, FieldType, Kind, PathLookupResult, StatePathStep, lookup_path};

/// The type of what a path in a file leads to, if it is declared.
pub(super) fn type_of_path(
    lookup: &DeclarationLookup<'_>,
    graph: &CallGraph<'_>,
    file: usize,
    path: &AccessPath,
) -> Option<FieldType> {
    declared_type(lookup, path).or_else(|| type_in_state(lookup, graph, file, path))
}

/// The type of a value that a function of the file, or of another one, takes out of the state.
fn type_in_state(
    lookup: &DeclarationLookup<'_>,
    graph: &CallGraph<'_>,
    file: usize,
    path: &AccessPath,
) -> Option<FieldType> {
    match lookup.follow_path(&PathRoot::State, &graph.state_path(file, path)?)? {
        PathLookupResult::Found(ty) => Some(ty.clone()),
        _ => None,
    }
}

/// The type of a value, if it is declared.
fn declared_type(context: &DeclarationLookup<'_>, path: &AccessPath) -> Option<FieldType> {
    let is_option = match &path.root {
        PathRoot::StartOptions => true,
        PathRoot::Global(name) => name == "options",
        _ => false,
    };
    match &*path.path {
        [StatePathStep::Name(name)] if is_option => option_type(context, name),
        [_, field @ ..] if let Some(kind) = kind_of_root(context, &path.root) => {
            definition_field_type(kind, field)
        }
        _ => match context.follow_path(&path.root, &path.path)? {
            PathLookupResult::Found(ty) => Some(ty.clone()),
            _ => None,
        },
    }
}

/// The kind whose definitions a global holds: `spell`.
fn kind_of_root<'t>(context: &'t DeclarationLookup<'_>, root: &PathRoot) -> Option<&'t Kind> {
    let PathRoot::Global(name) = root else { return None };
    context.vm.registry().kind(name)
}

/// The type of a field of a definition, or of its id.
fn definition_field_type(kind: &Kind, path: &[StatePathStep]) -> Option<FieldType> {
    match path {
        [] => None,
        [StatePathStep::Name(name)] if name == "id" && kind.field("id").is_none() => {
            Some(FieldType::Ref(kind.name.to_string()))
        }
        path => match lookup_path(&kind.fields, path) {
            PathLookupResult::Found(ty) => Some(ty.clone()),
            _ => None,
        },
    }
}

/// The type of an option whose values are written out, or are ids.
fn option_type(context: &DeclarationLookup<'_>, name: &str) -> Option<FieldType> {
    let registry = context.vm.registry();
    let option = registry.active_definitions("option").find(|one| one.id.name() == name)?;
    match option.get("type")?.as_text()? {
        "one_of" => {
            let values = option.get("values").and_then(Datum::as_list)?.iter();
            let texts = values.filter_map(Datum::as_text).map(str::to_owned);
            Some(FieldType::one_of(texts.collect()))
        }
        "ref" => Some(FieldType::Ref(option.get("kind")?.as_text()?.to_owned())),
        "bool" => Some(FieldType::Bool),
        _ => None,
    }
}
