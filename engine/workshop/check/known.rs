//! Checks values whose type is declared elsewhere: arguments of functions in definitions, annotated
//! parameters, results of exports and host functions. Checks that a field exists and that a written
//! value fits. Also reports hooks whose return value is ignored.

use std::collections::BTreeMap;
use std::sync::Arc;

use super::calls::Look;
use super::moments::{inner, named};
use crate::content::{Come, FieldType, Given, Registry, Way, function_at};
use crate::kit::Problem;
use crate::workshop::lua::{Called, Facts, From, PartUse, Required, Whole};

/// The event that a value is, if it is one.
pub(super) fn event_of<'w>(registry: &'w Registry, of: &'w Whole) -> Option<&'w str> {
    match of {
        Whole::Event(name) => Some(name),
        Whole::Content(kind, way) => {
            match function_at(&registry.kind(kind)?.fields, way)?.given()? {
                Given::Event(name) => Some(name),
                Given::Fields(_) => None,
            }
        }
        _ => None,
    }
}

/// The types of all values that are used, if they are declared.
pub(super) fn types(look: &Look<'_>, facts: &[Arc<Facts>]) -> BTreeMap<Whole, FieldType> {
    let mut types = BTreeMap::new();
    for facts in facts {
        let uses = &facts.uses;
        let calls = uses.calls.iter().flat_map(|call| &call.from).flatten();
        let handed = calls.filter_map(|from| match from {
            From::Part(part) => Some(&part.of),
            From::Call(..) => None,
        });
        let parts = uses.parts.iter().map(|one| &one.part.of);
        let compared = uses.compared.iter().map(|one| &one.part.of);
        for whole in parts.chain(compared).chain(handed) {
            if !types.contains_key(whole)
                && let Some(ty) = declared(look, facts, whole)
            {
                types.insert(whole.clone(), ty);
            }
        }
    }
    types
}

fn declared(look: &Look<'_>, facts: &Facts, whole: &Whole) -> Option<FieldType> {
    let named = |name: &str| look.vm.type_named(&facts.owner, &facts.file, name);
    match whole {
        Whole::Content(kind, way) => {
            let kind = look.vm.registry().kind(kind)?;
            match function_at(&kind.fields, way)?.given()? {
                Given::Fields(fields) => Some(FieldType::Record(fields.clone())),
                Given::Event(_) => None,
            }
        }
        Whole::Typed(_, name) => named(name),
        Whole::Roll(words) => {
            let FieldType::Record(mut fields) = named("RollParts")? else { return None };
            let outcome = fields.iter_mut().find(|field| &*field.name == "outcome")?;
            outcome.ty = FieldType::OneOf(words.clone().into());
            Some(FieldType::Record(fields))
        }
        Whole::Gives(_, called, at) => gives(look, facts, called, *at),
        _ => None,
    }
}

/// The type of one result of a function.
fn gives(look: &Look<'_>, facts: &Facts, (name, path): &Called, at: usize) -> Option<FieldType> {
    let of = path.as_deref().map(Required::of);
    let (signature, place) = &*look.told(facts, name, of.as_ref())?;
    let named = |name: &str| look.vm.type_named(&place.owner, &place.file, name);
    signature.gives_in_turn(&named).into_iter().nth(at).map(|(ty, _)| ty)
}

/// Checks the accesses to such values, and what hooks return.
pub(super) fn look(look: &Look<'_>, facts: &[Arc<Facts>]) -> Vec<Problem> {
    let mut problems = Vec::new();
    for facts in facts {
        let parts = facts.uses.parts.iter().flat_map(|one| part(look, facts, one));
        let back = facts.uses.given_back.iter().map(|one| {
            let found = format!("a hook on {:?} returns a value", one.moment);
            Problem::warning("given-back", found)
                .at(facts.place(one.line))
                .expected("no return value: it is ignored")
                .hint("a `before` hook changes the event itself: `event.x = …`")
        });
        problems.extend(parts.chain(back));
    }
    problems
}

fn part(look: &Look<'_>, facts: &Facts, one: &PartUse) -> Vec<Problem> {
    let of = &one.part.of;
    if !matches!(of, Whole::Content(..) | Whole::Typed(..) | Whole::Gives(..) | Whole::Roll(_))
        || event_of(look.vm.registry(), of).is_some()
    {
        return Vec::new();
    }
    let problems = match look.follow(of, &one.part.path) {
        Some(Come::Unknown(at, fields)) => {
            let Some(Way::Name(last)) = one.part.path.get(at) else { return Vec::new() };
            let mut way = one.part.clone();
            way.path.truncate(at);
            let found = format!("{} has no field `{last}`", named(&way));
            let problem = Problem::error("unknown-name", found).at(facts.place(one.line));
            vec![problem.one_of_names(last, fields.iter().map(|field| &*field.name))]
        }
        Some(Come::To(ty)) => {
            let suits = super::suits::Suits { registry: look.vm.registry(), whole: false };
            let said = one.given.iter().flat_map(|said| suits.look(ty, said, one.line));
            let problems = said.map(|wrong| {
                let name = format!("{}{}", inner(&one.part.path), wrong.way);
                let found = wrong.found.unwrap_or_else(|| "an undeclared field".to_owned());
                let problem = Problem::error("wrong-type", format!("`{name}` is given {found}"));
                let problem = problem.at(facts.place(wrong.line)).expected(wrong.expected);
                problem.maybe_hint(wrong.hint)
            });
            problems.collect()
        }
        _ => Vec::new(),
    };
    let declared = match of {
        Whole::Content(kind, _) => look.vm.registry().kind(kind).map(|kind| kind.place.clone()),
        Whole::Gives(_, (name, path), _) => {
            let of = path.as_deref().map(Required::of);
            let told = look.told(facts, name, of.as_ref());
            told.map(|told| told.1.clone()).filter(|place| place.line > 0)
        }
        _ => None,
    };
    problems.into_iter().map(|one| one.through(declared.clone())).collect()
}
