//! Builds the frozen registry from the collected changes: first the kinds, then every declaration,
//! then every change in the order of mods, then the check for conflicts.

use std::cmp::Reverse;
use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use super::collect_declarations::{check_kinds, collect_ids, collect_kinds, parse_definition_id};
use super::conflict;
use super::content_builder::{ContentBuilder, DependencyMap};
use super::datum::Datum;
use super::datum_checker::DatumChecker;
use super::datum_map::DatumMap;
use super::definition_change::{ChangeKind, DefinitionChange};
use super::error_path::ErrorPath;
use super::file_declarations::{
    CheckedDeclarations, DeclaredDefinitions, FileDeclarations, share_kinds,
};
use super::option_checks::check_options;
use super::patch::DefinitionPatcher;
use super::registry::{
    ChangeAction, Definition, DefinitionsOfKind, ProvenanceRecord, Registry, suggest_id,
};
use super::schema::Kind;
use super::unknown_kind::unknown_kind_problem;
use base::{Code, Id, Problem, Severity, SourceLocation};

/// See [`ContentBuilder::build_registry`].
pub(super) fn assemble_registry(
    draft: ContentBuilder,
    order: &[String],
    dependencies: &DependencyMap,
) -> (Option<Registry>, Vec<Problem>) {
    let ContentBuilder { kinds, file_declarations: mut parts, changes, sources } = draft;
    if !changes.is_empty() {
        parts.push(Arc::new(FileDeclarations::new(changes)));
    }
    let mut changes = index_changes(&parts);
    let load_position = |owner: &str| order.iter().position(|id| id == owner).unwrap_or(usize::MAX);
    changes.sort_by_cached_key(|said| {
        let place = &said.change.place;
        let first = Reverse(place.file.starts_with("kinds/"));
        (load_position(&place.owner), first, &*place.file, place.line)
    });
    let mut problems = Vec::new();
    let mut kinds = collect_kinds(kinds, &sources, &mut problems);
    let ids = collect_ids(changes.iter().map(|said| said.change), &kinds, &sources, &mut problems);
    check_kinds(&mut kinds, &ids, &sources, &mut problems);
    let mut assembly = RegistryAssembler {
        load_order: order,
        checker: DatumChecker {
            kinds: &kinds,
            declared_ids: &ids,
            sources: &sources,
            problems,
            defaulted_paths: Vec::new(),
            lookups: Vec::new(),
        },
        definitions_by_kind: BTreeMap::new(),
        invalid_definitions: BTreeSet::new(),
    };
    let (declared, changed): (Vec<_>, Vec<_>) = changes
        .into_iter()
        .partition(|said| matches!(said.change.change_kind, ChangeKind::Declare(_)));
    assembly.declare_definitions(&parts, &declared);
    changed.into_iter().for_each(|said| assembly.apply_change(said.change));
    let RegistryAssembler {
        checker: DatumChecker { mut problems, .. },
        definitions_by_kind: tables,
        ..
    } = assembly;
    for definition in tables.values().flat_map(|table| &table.definitions) {
        conflict::find_conflicts(definition, dependencies, &mut problems);
    }
    let is_error = |problem: &Problem| problem.severity == Severity::Error;
    let registry = Registry { kinds, definitions_by_kind: tables, ..Registry::default() };
    if !problems.iter().any(is_error) {
        problems.extend(check_options(&registry, &sources).into_iter().filter(is_error));
    }
    problems.sort_by_cached_key(|problem| {
        problem
            .place
            .as_ref()
            .map(|place| (load_position(&place.owner), place.file.clone(), place.line))
    });
    ((!problems.iter().any(is_error)).then_some(registry), problems)
}

/// A change with the index of its file's declarations and its own index in them.
#[derive(Clone, Copy)]
struct IndexedChange<'p> {
    file_index: usize,
    change_index: usize,
    change: &'p DefinitionChange,
}

fn index_changes(parts: &[Arc<FileDeclarations>]) -> Vec<IndexedChange<'_>> {
    let change_count =
        |(part, said): (usize, &'_ Arc<FileDeclarations>)| (part, said.changes.len());
    let counts: Vec<_> = parts.iter().enumerate().map(change_count).collect();
    let index_pairs =
        counts.into_iter().flat_map(|(part, count)| (0..count).map(move |at| (part, at)));
    index_pairs
        .map(|(part, number)| IndexedChange {
            file_index: part,
            change_index: number,
            change: &parts[part].changes[number],
        })
        .collect()
}

/// The definitions built so far.
struct RegistryAssembler<'t> {
    load_order: &'t [String],
    checker: DatumChecker<'t>,
    definitions_by_kind: BTreeMap<Arc<str>, DefinitionsOfKind>,
    /// Definitions that failed their check. They stay in the tables, empty; their changes are
    /// skipped, and no registry is built.
    invalid_definitions: BTreeSet<(Arc<str>, Id)>,
}

impl<'t> RegistryAssembler<'t> {
    /// Creates all definitions. Cached results of a file are reused where their dependencies are
    /// unchanged; new results without an error are cached.
    fn declare_definitions(
        &mut self,
        parts: &[Arc<FileDeclarations>],
        declared: &[IndexedChange<'_>],
    ) {
        let kinds = share_kinds(self.checker.kinds);
        let before: Vec<Option<DeclaredDefinitions>> = parts
            .iter()
            .map(|part| part.cached_definitions(&kinds, self.checker.declared_ids))
            .collect();
        let mut new_declarations: Vec<Option<CheckedDeclarations>> = parts
            .iter()
            .map(|part| {
                let definitions = vec![None; part.changes.len()];
                Some(CheckedDeclarations { kinds: kinds.clone(), lookups: Vec::new(), definitions })
            })
            .collect();
        for indexed_change in declared {
            let cached_definition = before[indexed_change.file_index]
                .as_ref()
                .and_then(|made| made[indexed_change.change_index].clone());
            let problems = self.checker.problems.len();
            self.checker.lookups.clear();
            let definition = self.declare_definition(indexed_change.change, cached_definition);
            if self.checker.problems.len() > problems {
                new_declarations[indexed_change.file_index] = None;
            } else if let Some(made) = &mut new_declarations[indexed_change.file_index] {
                made.definitions[indexed_change.change_index] = definition;
                made.lookups.append(&mut self.checker.lookups);
            }
        }
        for ((part, before), made) in parts.iter().zip(before).zip(new_declarations) {
            if let (None, Some(made)) = (before, made) {
                part.store_definitions(made);
            }
        }
    }

    /// Declarations without a kind or id were reported when the ids were collected.
    fn declare_definition(
        &mut self,
        change: &DefinitionChange,
        cached_definition: Option<Arc<Definition>>,
    ) -> Option<Arc<Definition>> {
        let DefinitionChange { kind, id, place, change_kind: ChangeKind::Declare(body), .. } =
            change
        else {
            return None;
        };
        let kind = self.checker.kinds.get(kind.as_str())?;
        let id = parse_definition_id(kind, id, &place.owner).ok()?;
        let first = self.checker.declared_ids.get(&kind.name).and_then(|ids| ids.get(id.as_str()));
        let table = self.definitions_by_kind.entry(kind.name.clone()).or_default();
        if first.is_none_or(|first| *first != place) || table.index_by_id.contains_key(id.as_str())
        {
            return None;
        }
        let definition = cached_definition.unwrap_or_else(|| {
            let (definition, fits) =
                self.checker.build_definition(kind, id.clone(), body.clone(), place);
            if !fits {
                self.invalid_definitions.insert((kind.name.clone(), id.clone()));
            }
            Arc::new(definition)
        });
        table.index_by_id.insert(Arc::from(id.as_str()), table.definitions.len());
        table.definitions.push(definition.clone());
        Some(definition)
    }

    fn apply_change(&mut self, change: &DefinitionChange) {
        let Some((kind, id)) = self.find_target_definition(change) else { return };
        if self.invalid_definitions.contains(&(kind.name.clone(), id.clone())) {
            return;
        }
        let subject = format!("{} \"{id}\"", kind.name);
        let place = &change.place;
        let table =
            self.definitions_by_kind.get_mut(&kind.name).expect("the target was found in it");
        let definition = Arc::make_mut(&mut table.definitions[table.index_by_id[id.as_str()]]);
        let mut error_path = ErrorPath::new(subject, place);
        let new_origin = |what, before, checker: &DatumChecker<'_>| ProvenanceRecord {
            path: String::new(),
            owner: place.owner.clone(),
            place: checker.sources.with_excerpt(place),
            action: what,
            previous_value: before,
            is_optional: change.is_optional,
        };
        match &change.change_kind {
            ChangeKind::Declare(_) => {}
            ChangeKind::Patch(Some(edit)) => {
                let before = definition.changes.len();
                DefinitionPatcher::new(&mut self.checker).patch_definition(
                    definition,
                    kind,
                    edit.clone(),
                    &mut error_path,
                );
                for origin in &mut definition.changes[before..] {
                    origin.is_optional = change.is_optional;
                    if change.settles_conflict {
                        origin.action = ChangeAction::SettledConflict;
                    }
                }
            }
            ChangeKind::Patch(None) => {
                let verb = if change.settles_conflict { "settle_conflict." } else { "patch." };
                self.checker.report_missing_body(kind, verb, &error_path);
            }
            ChangeKind::Replace(body) => {
                self.checker.defaulted_paths.clear();
                if let Some(fields) = self.checker.check_body(kind, body.clone(), &mut error_path) {
                    definition.defaulted_paths = std::mem::take(&mut self.checker.defaulted_paths);
                    let before = std::mem::replace(&mut definition.fields, fields);
                    let before = Some(Datum::Map(before));
                    definition.changes.push(new_origin(
                        ChangeAction::Replaced,
                        before,
                        &self.checker,
                    ));
                }
            }
            ChangeKind::Retire => {
                definition.is_retired = true;
                definition.changes.push(new_origin(ChangeAction::Retired, None, &self.checker));
            }
        }
    }

    /// The definition that a change targets. Its absence is a Problem unless the change is
    /// optional.
    fn find_target_definition(&mut self, change: &DefinitionChange) -> Option<(&'t Kind, Id)> {
        let DefinitionChange { place, is_optional: optional, .. } = change;
        let shown = self.checker.sources.with_excerpt(place);
        let Some(kind) = self.checker.kinds.get(change.kind.as_str()) else {
            if !optional {
                let problem = unknown_kind_problem(&change.kind, self.checker.kinds.values());
                let owner = change.id.split_once(':').map_or("", |(owner, _)| owner);
                let hint = self.absent_mod_hint(owner).filter(|_| !owner.is_empty());
                let problem = hint.into_iter().fold(problem, Problem::hint);
                self.checker.problems.push(problem.at(shown));
            }
            return None;
        };
        let id = match parse_definition_id(kind, &change.id, &place.owner) {
            Ok(id) => id,
            Err(why) => {
                let message = format!("{}: {why}", kind.name);
                self.checker.problems.push(Problem::error(Code::BadId, message).at(shown));
                return None;
            }
        };
        let table = self.definitions_by_kind.get(&kind.name);
        if table.is_some_and(|table| table.index_by_id.contains_key(id.as_str())) {
            return Some((kind, id));
        }
        if *optional {
            return None;
        }
        let message = format!("there is no {} \"{id}\" to change", kind.name);
        let problem = Problem::error(Code::AbsentTarget, message).at(shown);
        let none = BTreeMap::new();
        let known = self.checker.declared_ids.get(&kind.name).unwrap_or(&none);
        let problem = match suggest_id(id.as_str(), known.keys().map(|id| &**id)) {
            meant @ Some(_) => problem.suggest_name(meant),
            None => problem.hint(
                self.absent_mod_hint(id.mod_id())
                    .unwrap_or_else(|| "write optional = true if it may be absent".to_owned()),
            ),
        };
        self.checker.problems.push(problem);
        None
    }

    /// The hint for a change of a definition of a mod that is not loaded.
    fn absent_mod_hint(&self, owner: &str) -> Option<String> {
        let is_loaded = self.load_order.iter().any(|one| one == owner);
        (!is_loaded).then(|| {
            format!("the mod {owner} is not loaded; add it to needs, or write optional = true")
        })
    }
}

impl DatumChecker<'_> {
    /// A definition as it was declared, and whether it is valid.
    fn build_definition(
        &mut self,
        kind: &Kind,
        id: Id,
        body: Option<Datum>,
        place: &SourceLocation,
    ) -> (Definition, bool) {
        let mut error_path = ErrorPath::new(format!("{} \"{id}\"", kind.name), place);
        self.defaulted_paths.clear();
        let fields = self.check_body(kind, body, &mut error_path);
        let defaults = std::mem::take(&mut self.defaulted_paths);
        let (kind, place) = (kind.name.clone(), self.sources.with_excerpt(place));
        let fits = fields.is_some();
        let fields = fields.unwrap_or_default();
        let changes = Vec::new();
        (
            Definition {
                id,
                kind,
                fields,
                is_retired: false,
                place,
                defaulted_paths: defaults,
                changes,
            },
            fits,
        )
    }

    /// Checks the body that follows `boat "x"` as the fields of the kind.
    fn check_body(
        &mut self,
        kind: &Kind,
        body: Option<Datum>,
        error_path: &mut ErrorPath<'_>,
    ) -> Option<DatumMap> {
        let map = match (body, &kind.body_field) {
            (None, _) => {
                self.report_missing_body(kind, "", error_path);
                return None;
            }
            (Some(Datum::Map(map)), _) => map,
            (Some(Datum::List(list)), _) if list.is_empty() => DatumMap::new(),
            (Some(other), Some(field)) => DatumMap::from_iter([(field.clone(), other)]),
            (Some(other), None) => {
                let problem = self.report_problem(
                    error_path,
                    Code::WrongType,
                    &format!("found {}", other.describe_for_problem()),
                );
                problem.expected = Some("a table of fields".to_owned());
                return None;
            }
        };
        match self.check_record(&kind.fields, map, error_path)? {
            Datum::Map(fields) => Some(fields),
            _ => None,
        }
    }

    fn report_missing_body(&mut self, kind: &Kind, verb: &str, error_path: &ErrorPath<'_>) {
        let body = if kind.body_field.is_some() { "(function … end)" } else { "{ … }" };
        let problem = self.report_problem(error_path, Code::MissingBody, "nothing follows the id");
        problem.expected = Some(format!("{verb}{} \"…\" {body}", kind.name));
        let hint = "write the fields directly after the id, without parentheses or a comma, or remove the line";
        problem.hint = Some(hint.to_owned());
    }
}
