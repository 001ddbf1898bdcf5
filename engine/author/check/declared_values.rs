//! Checks values whose type is declared elsewhere: arguments of functions in definitions, annotated
//! parameters, results of exports and host functions. Checks that a field exists and that a written
//! value fits. Also reports hooks whose return value is ignored.

use std::collections::BTreeMap;
use std::sync::Arc;

use super::access_paths::{event_path_text, format_access_path};
use super::declaration_lookup::DeclarationLookup;
use crate::analysis::{
    CalledFunction, FileSummary, PathAccess, PathRoot, RequiredFile, ValueSource,
};
use base::{Code, Problem};
use content::{FieldType, FirstParameter, PathLookupResult, StatePathStep};

/// The types of all values that are used, if they are declared.
pub(super) fn collect_root_types(
    context: &DeclarationLookup<'_>,
    summaries: &[Arc<FileSummary>],
) -> BTreeMap<PathRoot, FieldType> {
    let mut types = BTreeMap::new();
    for summary in summaries {
        let uses = &summary.uses;
        let calls = uses.calls.iter().flat_map(|call| &call.argument_sources).flatten();
        let argument_sources = calls.filter_map(|from| match from {
            ValueSource::Path(part) => Some(&part.root),
            ValueSource::Call(..) => None,
        });
        let parts = uses.accesses.iter().map(|one| &one.path.root);
        let compared = uses.comparisons.iter().map(|one| &one.path.root);
        for whole in parts.chain(compared).chain(argument_sources) {
            if !types.contains_key(whole)
                && let Some(ty) = declared_root_type(context, summary, whole)
            {
                types.insert(whole.clone(), ty);
            }
        }
    }
    types
}

fn declared_root_type(
    context: &DeclarationLookup<'_>,
    summary: &FileSummary,
    source: &PathRoot,
) -> Option<FieldType> {
    let resolve_type = |name: &str| context.vm.resolve_type(&summary.owner, &summary.file, name);
    match source {
        PathRoot::DefinitionCallback(..) | PathRoot::FunctionArgument(..) => {
            match context.callbacks.declaring_field(source)?.2.first_parameter()? {
                FirstParameter::Fields(fields) => Some(FieldType::Record(fields.clone())),
                FirstParameter::Event(_) => None,
            }
        }
        PathRoot::AnnotatedType(_, name) => resolve_type(name),
        PathRoot::RollParts(words) => {
            let FieldType::Record(mut fields) = resolve_type("RollParts")? else { return None };
            let outcome =
                Arc::make_mut(&mut fields).iter_mut().find(|field| &*field.name == "outcome")?;
            outcome.ty = FieldType::one_of(words.clone());
            Some(FieldType::Record(fields))
        }
        PathRoot::CallResult(_, called, at) => return_type(context, summary, called, *at),
        _ => None,
    }
}

/// The type of one result of a function.
fn return_type(
    context: &DeclarationLookup<'_>,
    summary: &FileSummary,
    (name, path): &CalledFunction,
    at: usize,
) -> Option<FieldType> {
    let required_file = path.as_deref().map(RequiredFile::from_path);
    let (signature, place) =
        &*context.find_declared_function(summary, name, required_file.as_ref())?;
    let resolve_type = |name: &str| context.vm.resolve_type(&place.owner, &place.file, name);
    signature.return_types(&resolve_type).into_iter().nth(at).map(|(ty, _)| ty)
}

/// Checks the accesses to such values, and what hooks return.
pub(super) fn check_declared_values(
    context: &DeclarationLookup<'_>,
    summaries: &[Arc<FileSummary>],
) -> Vec<Problem> {
    let mut problems = Vec::new();
    for summary in summaries {
        let parts =
            summary.uses.accesses.iter().flat_map(|one| check_access(context, summary, one));
        let return_warnings = summary.uses.hook_returns.iter().map(|one| {
            let found = format!("a hook on {:?} returns a value", one.event);
            Problem::warning(Code::HookReturnsValue, found)
                .at(summary.place(one.line))
                .expected("no return value: it is ignored")
                .hint("a `before` hook changes the event itself: `event.x = …`")
        });
        problems.extend(parts.chain(return_warnings));
    }
    problems
}

fn check_access(
    context: &DeclarationLookup<'_>,
    summary: &FileSummary,
    access: &PathAccess,
) -> Vec<Problem> {
    let source = &access.path.root;
    if !matches!(
        source,
        PathRoot::DefinitionCallback(..)
            | PathRoot::FunctionArgument(..)
            | PathRoot::AnnotatedType(..)
            | PathRoot::CallResult(..)
            | PathRoot::RollParts(_)
    ) || context.callbacks.event_of_root(source).is_some()
    {
        return Vec::new();
    }
    let problems = match context.follow_path(source, &access.path.path) {
        Some(PathLookupResult::UnknownName(at, fields)) => {
            let Some(StatePathStep::Name(last)) = access.path.path.get(at) else {
                return Vec::new();
            };
            let mut known_path = access.path.clone();
            known_path.path.truncate(at);
            let found = format!(
                "{} has no field `{last}`",
                format_access_path(&context.callbacks, &known_path)
            );
            let problem = Problem::error(Code::UnknownName, found).at(summary.place(access.line));
            vec![problem.expect_one_of_names(last, fields.iter().map(|field| &*field.name))]
        }
        Some(PathLookupResult::Found(ty)) => {
            let type_check = super::type_check::LiteralTypeChecker {
                registry: context.vm.registry(),
                reports_missing_fields: false,
            };
            let mismatches = access
                .written_value
                .iter()
                .flat_map(|said| type_check.mismatches(ty, said, access.line));
            let problems = mismatches.map(|wrong| {
                let name = format!("{}{}", event_path_text(&access.path.path), wrong.path);
                let found = wrong.found_text();
                let problem = Problem::error(Code::WrongType, format!("`{name}` is given {found}"));
                let problem = problem.at(summary.place(wrong.line)).expected(wrong.expected);
                problem.with_optional_hint(wrong.hint)
            });
            problems.collect()
        }
        _ => Vec::new(),
    };
    let declared = match source {
        PathRoot::DefinitionCallback(..) | PathRoot::FunctionArgument(..) => {
            let declared = context.callbacks.declaring_field(source);
            let kind = declared.and_then(|(kind, ..)| context.vm.registry().kind(kind));
            kind.map(|kind| kind.place.clone())
        }
        PathRoot::CallResult(_, (name, path), _) => {
            let required_file = path.as_deref().map(RequiredFile::from_path);
            let declared_function =
                context.find_declared_function(summary, name, required_file.as_ref());
            declared_function.map(|told| told.1.clone()).filter(|place| place.line > 0)
        }
        _ => None,
    };
    problems.into_iter().map(|one| one.add_related_locations(declared.clone())).collect()
}
