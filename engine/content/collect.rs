//! Collects all kinds and ids before any definition is checked, so the order of declarations does
//! not matter.

use std::collections::BTreeMap;
use std::sync::Arc;

use super::builtin::EXPORT;
use super::change::{ChangeKind, DefinitionChange};
use super::check::{DatumChecker, Ids};
use super::error_path::{ErrorPath, ErrorPathStep};
use super::schema::{Field, FieldType, Kind};
use super::sources::Sources;
use crate::base::id::{check_word, suggest_word};
use crate::base::problem::nearest;
use crate::base::{Code, Id, Problem};

/// Collects the kinds by name. A duplicate name is a Problem.
pub(super) fn collect_kinds(
    kinds: Vec<Kind>,
    sources: &Sources,
    problems: &mut Vec<Problem>,
) -> BTreeMap<Arc<str>, Kind> {
    let mut by_name: BTreeMap<Arc<str>, Kind> = BTreeMap::new();
    for kind in kinds {
        let place = sources.with_excerpt(&kind.place);
        if let Err(why) = check_word(&kind.name) {
            let message = format!("{:?} cannot be the name of a kind: {why}", kind.name);
            problems.push(Problem::error(Code::BadId, message).at(place));
            continue;
        }
        let Some(other) = by_name.get(&kind.name) else {
            by_name.insert(kind.name.clone(), kind);
            continue;
        };
        let message = format!("there are two kinds \"{}\"", kind.name);
        let problem = Problem::error(Code::DuplicateKind, message).at(place);
        problems.push(match other.builtin {
            true => problem.hint("the host has a kind of this name; choose another"),
            false => {
                problem.hint("choose another name").called_from(sources.with_excerpt(&other.place))
            }
        });
    }
    by_name
}

/// Collects the ids of all declarations. A duplicate id, or one of another mod, is a Problem.
pub(super) fn collect_ids<'p>(
    changes: impl Iterator<Item = &'p DefinitionChange>,
    kinds: &BTreeMap<Arc<str>, Kind>,
    sources: &Sources,
    problems: &mut Vec<Problem>,
) -> Ids<'p> {
    let mut ids = Ids::new();
    for change in changes {
        let DefinitionChange { kind, id, place, verb: ChangeKind::Declare(_), .. } = change else {
            continue;
        };
        let shown = || sources.with_excerpt(place);
        let Some(kind) = kinds.get(kind.as_str()) else {
            problems.push(unknown_kind(kind, kinds).at(shown()));
            continue;
        };
        let name = &kind.name;
        let id = match id_in(kind, id, &place.owner) {
            Ok(id) => id,
            Err(why) => {
                let problem = Problem::error(Code::BadId, format!("{name}: {why}")).at(shown());
                problems.push(problem.did_you_mean(suggest_word(id).as_deref()));
                continue;
            }
        };
        if id.owner() != place.owner {
            let message = format!("{name} \"{id}\" is declared by the mod {}", place.owner);
            problems.push(
                Problem::error(Code::ForeignId, message)
                    .at(shown())
                    .expected(format!("an id of its own, \"{}\"", id.name()))
                    .hint(format!("to replace a definition of another mod, use replace.{name}")),
            );
            continue;
        }
        let known = ids.entry(name.clone()).or_default();
        if let Some(first) = known.get(id.as_str()) {
            problems.push(
                Problem::error(Code::DuplicateId, format!("{name} \"{id}\" is declared twice"))
                    .at(shown())
                    .hint("give one of them another id")
                    .called_from(sources.with_excerpt(first)),
            );
            continue;
        }
        known.insert(Arc::from(id.as_str()), place);
    }
    ids
}

/// Parses an id as a mod wrote it.
pub(super) fn id_in(kind: &Kind, text: &str, home: &str) -> Result<Id, String> {
    match &*kind.name {
        EXPORT => Id::parse_export(text, home),
        _ => Id::parse(text, home),
    }
}

pub(super) fn unknown_kind(kind: &str, kinds: &BTreeMap<Arc<str>, Kind>) -> Problem {
    let names = || kinds.keys().map(|name| &**name);
    let problem = Problem::error(Code::UnknownKind, format!("there is no kind \"{kind}\""))
        .expected(format!("one of {}", names().collect::<Vec<_>>().join(", ")));
    problem.did_you_mean(nearest(kind, names()))
}

/// Checks the kinds themselves: their defaults, and the kinds that they refer to.
pub(super) fn check_kinds(
    kinds: &mut BTreeMap<Arc<str>, Kind>,
    ids: &Ids<'_>,
    sources: &Sources,
    problems: &mut Vec<Problem>,
) {
    let known = kinds.clone();
    let mut checker = DatumChecker {
        kinds: &known,
        ids,
        sources,
        problems: std::mem::take(problems),
        defaults: Vec::new(),
    };
    for kind in kinds.values_mut() {
        let place = kind.place.clone();
        let mut spot = ErrorPath::new(format!("kind \"{}\"", kind.name), &place);
        if kind.field("id").is_some() {
            let problem = checker.refuse(&spot, Code::BadField, "a field cannot be called id");
            problem.hint = Some("every definition has its id already".to_owned());
        }
        for field in &mut kind.fields {
            prepare(&mut checker, field, &mut spot);
        }
    }
    *problems = checker.problems;
}

/// Checks a field's type and default. Inner fields come first, so that the defaults of a record are
/// ready when the record is checked.
fn prepare(checker: &mut DatumChecker<'_>, field: &mut Field, spot: &mut ErrorPath<'_>) {
    spot.inside(ErrorPathStep::Field(field.name.clone()), |spot| {
        prepare_type(checker, &mut field.ty, spot);
        if let Some(datum) = field.default.take() {
            // An invalid default stays, so that the field is not reported as missing everywhere.
            field.default = checker.check(&field.ty, datum.clone(), spot).or(Some(datum));
        }
    });
}

fn prepare_type(checker: &mut DatumChecker<'_>, ty: &mut FieldType, spot: &mut ErrorPath<'_>) {
    match ty {
        FieldType::Ref(kind) if !checker.kinds.contains_key(kind.as_str()) => {
            let problem = unknown_kind(kind, checker.kinds);
            let refused = checker.refuse(spot, problem.code, &problem.message);
            (refused.expected, refused.hint) = (problem.expected, problem.hint);
        }
        FieldType::List(inner) | FieldType::Map(inner) => prepare_type(checker, inner, spot),
        FieldType::Either(types) => {
            types.iter_mut().for_each(|ty| prepare_type(checker, ty, spot));
        }
        FieldType::Record(fields) => {
            fields.iter_mut().for_each(|field| prepare(checker, field, spot));
        }
        _ => {}
    }
}
