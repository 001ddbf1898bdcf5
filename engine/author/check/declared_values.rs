//! Checks values whose type is declared elsewhere: arguments of functions in definitions, annotated
//! parameters, results of exports and host functions. Checks that a field exists and that a written
//! value fits. Also reports hooks whose return value is ignored.

use std::collections::BTreeMap;
use std::sync::Arc;

use super::calls::CheckContext;
use super::events::{access_text, event_path_text};
use crate::author::analysis::{
    Access, CalledFunction, FileSummary, RequiredFile, TypeSource, ValueSource,
};
use crate::base::{Code, Problem};
use crate::content::{FieldType, FirstParameter, Lookup, PathStep, Registry, function_at};

/// The event that a value is, if it is one.
pub(super) fn event_of<'w>(registry: &'w Registry, of: &'w TypeSource) -> Option<&'w str> {
    match of {
        TypeSource::Event(name) => Some(name),
        TypeSource::DefinitionCallback(kind, way) => {
            match function_at(&registry.kind(kind)?.fields, way)?.first_parameter()? {
                FirstParameter::Event(name) => Some(name),
                FirstParameter::Fields(_) => None,
            }
        }
        _ => None,
    }
}

/// The types of all values that are used, if they are declared.
pub(super) fn source_types(
    look: &CheckContext<'_>,
    facts: &[Arc<FileSummary>],
) -> BTreeMap<TypeSource, FieldType> {
    let mut types = BTreeMap::new();
    for facts in facts {
        let uses = &facts.uses;
        let calls = uses.calls.iter().flat_map(|call| &call.sources).flatten();
        let handed = calls.filter_map(|from| match from {
            ValueSource::Path(part) => Some(&part.source),
            ValueSource::Call(..) => None,
        });
        let parts = uses.accesses.iter().map(|one| &one.path.source);
        let compared = uses.comparisons.iter().map(|one| &one.path.source);
        for whole in parts.chain(compared).chain(handed) {
            if !types.contains_key(whole)
                && let Some(ty) = declared_type(look, facts, whole)
            {
                types.insert(whole.clone(), ty);
            }
        }
    }
    types
}

fn declared_type(
    look: &CheckContext<'_>,
    facts: &FileSummary,
    whole: &TypeSource,
) -> Option<FieldType> {
    let named = |name: &str| look.vm.resolve_type(&facts.owner, &facts.file, name);
    match whole {
        TypeSource::DefinitionCallback(kind, way) => {
            let kind = look.vm.registry().kind(kind)?;
            match function_at(&kind.fields, way)?.first_parameter()? {
                FirstParameter::Fields(fields) => Some(FieldType::Record(fields.clone())),
                FirstParameter::Event(_) => None,
            }
        }
        TypeSource::Annotated(_, name) => named(name),
        TypeSource::Roll(words) => {
            let FieldType::Record(mut fields) = named("RollParts")? else { return None };
            let outcome = fields.iter_mut().find(|field| &*field.name == "outcome")?;
            outcome.ty = FieldType::OneOf(words.clone().into());
            Some(FieldType::Record(fields))
        }
        TypeSource::CallResult(_, called, at) => return_type(look, facts, called, *at),
        _ => None,
    }
}

/// The type of one result of a function.
fn return_type(
    look: &CheckContext<'_>,
    facts: &FileSummary,
    (name, path): &CalledFunction,
    at: usize,
) -> Option<FieldType> {
    let of = path.as_deref().map(RequiredFile::of);
    let (signature, place) = &*look.function_for(facts, name, of.as_ref())?;
    let named = |name: &str| look.vm.resolve_type(&place.owner, &place.file, name);
    signature.return_types(&named).into_iter().nth(at).map(|(ty, _)| ty)
}

/// Checks the accesses to such values, and what hooks return.
pub(super) fn check_declared_values(
    look: &CheckContext<'_>,
    facts: &[Arc<FileSummary>],
) -> Vec<Problem> {
    let mut problems = Vec::new();
    for facts in facts {
        let parts = facts.uses.accesses.iter().flat_map(|one| check_access(look, facts, one));
        let back = facts.uses.hook_returns.iter().map(|one| {
            let found = format!("a hook on {:?} returns a value", one.event);
            Problem::warning(Code::HookReturnsValue, found)
                .at(facts.place(one.line))
                .expected("no return value: it is ignored")
                .hint("a `before` hook changes the event itself: `event.x = …`")
        });
        problems.extend(parts.chain(back));
    }
    problems
}

fn check_access(look: &CheckContext<'_>, facts: &FileSummary, one: &Access) -> Vec<Problem> {
    let of = &one.path.source;
    if !matches!(
        of,
        TypeSource::DefinitionCallback(..)
            | TypeSource::Annotated(..)
            | TypeSource::CallResult(..)
            | TypeSource::Roll(_)
    ) || event_of(look.vm.registry(), of).is_some()
    {
        return Vec::new();
    }
    let problems = match look.follow_path(of, &one.path.path) {
        Some(Lookup::Unknown(at, fields)) => {
            let Some(PathStep::Name(last)) = one.path.path.get(at) else { return Vec::new() };
            let mut way = one.path.clone();
            way.path.truncate(at);
            let found = format!("{} has no field `{last}`", access_text(&way));
            let problem = Problem::error(Code::UnknownName, found).at(facts.place(one.line));
            vec![problem.expect_one_of_names(last, fields.iter().map(|field| &*field.name))]
        }
        Some(Lookup::Found(ty)) => {
            let suits = super::assignable::TypeCheck {
                registry: look.vm.registry(),
                requires_fields: false,
            };
            let said = one.value.iter().flat_map(|said| suits.mismatches(ty, said, one.line));
            let problems = said.map(|wrong| {
                let name = format!("{}{}", event_path_text(&one.path.path), wrong.path);
                let found = wrong.found.unwrap_or_else(|| "an undeclared field".to_owned());
                let problem = Problem::error(Code::WrongType, format!("`{name}` is given {found}"));
                let problem = problem.at(facts.place(wrong.line)).expected(wrong.expected);
                problem.maybe_hint(wrong.hint)
            });
            problems.collect()
        }
        _ => Vec::new(),
    };
    let declared = match of {
        TypeSource::DefinitionCallback(kind, _) => {
            look.vm.registry().kind(kind).map(|kind| kind.place.clone())
        }
        TypeSource::CallResult(_, (name, path), _) => {
            let of = path.as_deref().map(RequiredFile::of);
            let told = look.function_for(facts, name, of.as_ref());
            told.map(|told| told.1.clone()).filter(|place| place.line > 0)
        }
        _ => None,
    };
    problems.into_iter().map(|one| one.called_through(declared.clone())).collect()
}
