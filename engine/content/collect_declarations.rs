//! Collects all kinds and ids before any definition is checked, so the order of declarations does
//! not matter.

use std::collections::BTreeMap;
use std::sync::Arc;

use super::builtin_kinds::EXPORT_KIND;
use super::datum_checker::{DatumChecker, DeclaredIds};
use super::definition_change::{ChangeKind, DefinitionChange};
use super::error_path::{ErrorPath, ErrorPathStep};
use super::schema::{Field, FieldType, Kind};
use super::source_files::SourceFiles;
use super::unknown_kind::unknown_kind_problem;
use base::id::{check_id_part, suggest_id_part};
use base::{Code, Id, Problem};

/// Collects the kinds by name. A duplicate name is a Problem.
pub(super) fn collect_kinds(
    kinds: Vec<Kind>,
    sources: &SourceFiles,
    problems: &mut Vec<Problem>,
) -> BTreeMap<Arc<str>, Kind> {
    let mut by_name: BTreeMap<Arc<str>, Kind> = BTreeMap::new();
    for kind in kinds {
        let place = sources.with_excerpt(&kind.place);
        if let Err(why) = check_id_part(&kind.name) {
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
        problems.push(match other.is_builtin {
            true => problem.hint("the host has a kind of this name; choose another"),
            false => problem
                .hint("choose another name")
                .add_related_location(sources.with_excerpt(&other.place)),
        });
    }
    by_name
}

/// Collects the ids of all declarations. A duplicate id, or one of another mod, is a Problem.
pub(super) fn collect_ids<'p>(
    changes: impl Iterator<Item = &'p DefinitionChange>,
    kinds: &BTreeMap<Arc<str>, Kind>,
    sources: &SourceFiles,
    problems: &mut Vec<Problem>,
) -> DeclaredIds<'p> {
    let mut ids = DeclaredIds::new();
    for change in changes {
        let DefinitionChange { kind, id, place, change_kind: ChangeKind::Declare(_), .. } = change
        else {
            continue;
        };
        let shown = || sources.with_excerpt(place);
        let Some(kind) = kinds.get(kind.as_str()) else {
            let problem = unknown_kind_problem(kind, kinds.values());
            problems.push(problem.at(shown()));
            continue;
        };
        let name = &kind.name;
        let id = match parse_definition_id(kind, id, &place.owner) {
            Ok(id) => id,
            Err(why) => {
                let problem = Problem::error(Code::BadId, format!("{name}: {why}")).at(shown());
                problems.push(problem.suggest_name(suggest_id_part(id).as_deref()));
                continue;
            }
        };
        if id.mod_id() != place.owner {
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
                    .add_related_location(sources.with_excerpt(first)),
            );
            continue;
        }
        known.insert(Arc::from(id.as_str()), place);
    }
    ids
}

/// Parses an id as a mod wrote it.
pub(super) fn parse_definition_id(kind: &Kind, text: &str, home: &str) -> Result<Id, String> {
    match &*kind.name {
        EXPORT_KIND => Id::parse_export(text, home),
        _ => Id::parse(text, home),
    }
}

/// Checks the kinds themselves: their defaults, and the kinds that they refer to.
pub(super) fn check_kinds(
    kinds: &mut BTreeMap<Arc<str>, Kind>,
    ids: &DeclaredIds<'_>,
    sources: &SourceFiles,
    problems: &mut Vec<Problem>,
) {
    let known = kinds.clone();
    let mut checker = DatumChecker {
        kinds: &known,
        declared_ids: ids,
        sources,
        problems: std::mem::take(problems),
        defaulted_paths: Vec::new(),
        lookups: Vec::new(),
    };
    for kind in kinds.values_mut() {
        let place = kind.place.clone();
        let mut error_path = ErrorPath::new(format!("kind \"{}\"", kind.name), &place);
        if kind.field("id").is_some() {
            let problem =
                checker.report_problem(&error_path, Code::BadField, "a field cannot be called id");
            problem.hint = Some("every definition has its id already".to_owned());
        }
        for field in Arc::make_mut(&mut kind.fields) {
            check_field_declaration(&mut checker, field, &mut error_path);
        }
    }
    *problems = checker.problems;
}

/// Checks a field's type and default. Inner fields come first, so that the defaults of a record are
/// ready when the record is checked.
fn check_field_declaration(
    checker: &mut DatumChecker<'_>,
    field: &mut Field,
    error_path: &mut ErrorPath<'_>,
) {
    error_path.with_step(ErrorPathStep::Field(field.name.clone()), |error_path| {
        check_type_declaration(checker, &mut field.ty, error_path);
        if let Some(datum) = field.default.take() {
            // An invalid default stays, so that the field is not reported as missing everywhere.
            field.default =
                checker.check_datum(&field.ty, datum.clone(), error_path).or(Some(datum));
        }
    });
}

fn check_type_declaration(
    checker: &mut DatumChecker<'_>,
    ty: &mut FieldType,
    error_path: &mut ErrorPath<'_>,
) {
    match ty {
        FieldType::Ref(kind) if !checker.kinds.contains_key(kind.as_str()) => {
            let problem = unknown_kind_problem(kind, checker.kinds.values());
            let refused = checker.report_problem(error_path, problem.code, &problem.message);
            (refused.expected, refused.hint) = (problem.expected, problem.hint);
        }
        FieldType::List(inner) | FieldType::Map(inner) => {
            check_type_declaration(checker, inner, error_path)
        }
        FieldType::Either(types) => {
            Arc::make_mut(types)
                .iter_mut()
                .for_each(|ty| check_type_declaration(checker, ty, error_path));
        }
        FieldType::Record(fields) => {
            Arc::make_mut(fields)
                .iter_mut()
                .for_each(|field| check_field_declaration(checker, field, error_path));
        }
        _ => {}
    }
}
