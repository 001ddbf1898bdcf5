//! Checks events as they are declared, emitted and used by hooks: whether each use fits the
//! declaration.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use super::access_paths::event_path_text;
use super::declaration_lookup::DeclarationLookup;
use super::definition_callbacks::DefinitionCallbacks;
use super::missing_schemas::example_field_type;
use super::type_check::LiteralTypeChecker;
use crate::analysis::{EventUse, FileSummary, Literal, PathAccess};
use base::problem::nearest_name;
use base::{Code, Problem, UndeclaredName};
use content::{FieldType, Kind, PathLookupResult, StatePathStep, lookup_path};
use mods::ModSet;
use script::{Vm, hint_need_mod, reverse_dependency_hint};

/// The check of events.
struct EventCheck<'t> {
    vm: &'t Vm,
    callbacks: &'t DefinitionCallbacks<'t>,
    mods: &'t ModSet,
    type_check: LiteralTypeChecker<'t>,
    summaries: &'t [Arc<FileSummary>],
    /// The declared events by name.
    declared_events: BTreeMap<&'t str, &'t Kind>,
    emitted_events: BTreeSet<&'t str>,
    /// Whether an event may be emitted whose name is known only at run time.
    has_dynamic_emit: bool,
}

/// Checks hooks and emitted events.
pub(super) fn check_events(
    mods: &ModSet,
    lookup: &DeclarationLookup<'_>,
    declared: &[Kind],
    summaries: &[Arc<FileSummary>],
) -> Vec<Problem> {
    let vm = lookup.vm;
    let uses = || summaries.iter().flat_map(|facts| &facts.uses.events);
    let emitted = || uses().filter(|one| one.host_function == "emit");
    let check = EventCheck {
        vm,
        callbacks: &lookup.callbacks,
        mods,
        type_check: LiteralTypeChecker { registry: vm.registry(), reports_missing_fields: false },
        summaries,
        declared_events: declared
            .iter()
            .map(|event_kind| (&*event_kind.name, event_kind))
            .collect(),
        emitted_events: emitted().filter_map(|one| one.name.as_deref()).collect(),
        has_dynamic_emit: emitted().any(|one| one.name.is_none())
            || summaries.iter().any(|file| file.uses.functions_used_as_values.contains("emit")),
    };
    let each = check.summaries.iter().flat_map(|facts| {
        let named = facts.uses.events.iter().flat_map(|one| check.check_event_use(facts, one));
        named.chain(facts.uses.accesses.iter().flat_map(|one| check.check_access(facts, one)))
    });
    each.collect()
}

impl EventCheck<'_> {
    /// Checks a use of an event by name.
    fn check_event_use(&self, summary: &FileSummary, event_use: &EventUse) -> Vec<Problem> {
        let Some(name) = event_use.name.as_deref() else { return Vec::new() };
        match (self.declared_events.get(name), event_use.host_function.as_str()) {
            (Some(event_kind), "emit" | "preview") => {
                self.check_event_fields(summary, event_kind, event_use)
            }
            (None, "emit") => vec![self.undeclared_event_problem(summary, name, event_use)],
            (_, "before" | "after") => {
                self.unknown_event_problem(summary, name, event_use.line).into_iter().collect()
            }
            _ => Vec::new(),
        }
    }

    /// A hook on an event that no mod emits.
    fn unknown_event_problem(
        &self,
        summary: &FileSummary,
        name: &str,
        line: u32,
    ) -> Option<Problem> {
        // A mod that is not loaded may emit it.
        let source = self.mods.get(&summary.owner)?;
        let may_be_emitted_elsewhere =
            source.manifest.loads_after.iter().any(|id| self.mods.get(id).is_none());
        let invisible_event = self.declared_events.get(name).filter(|event_kind| {
            let owner = &event_kind.place.owner;
            !self.vm.can_see(&summary.owner, owner) && !source.manifest.loads_after.contains(owner)
        });
        if let Some(event_kind) = invisible_event {
            let owner = &event_kind.place.owner;
            let found = format!("the event {name:?} belongs to `{owner}`, which may be missing");
            let problem = Problem::error(Code::UnknownEvent, found).at(summary.place(line));
            let hint = match self.vm.can_see(owner, &summary.owner) {
                true => reverse_dependency_hint(owner, "it", &summary.owner),
                false => hint_need_mod(owner, "it"),
            };
            return Some(problem.hint(hint).add_related_location(event_kind.place.clone()));
        }
        if self.has_dynamic_emit
            || may_be_emitted_elsewhere
            || self.declared_events.contains_key(name)
            || self.emitted_events.contains(name)
        {
            return None;
        }
        let found = format!("no mod emits the event \"{name}\", so this hook is never called");
        let problem = Problem::error(Code::UnknownEvent, found).at(summary.place(line));
        let known = self.emitted_events.iter().chain(self.declared_events.keys()).copied();
        let problem = problem.expected("an event that a mod declares; the reference lists them");
        Some(match nearest_event(name, known) {
            near @ Some(_) => problem.suggest_name(near),
            None => problem.with_undeclared_name(UndeclaredName::Event(name.to_owned())),
        })
    }

    /// An event that is emitted but not declared.
    fn undeclared_event_problem(
        &self,
        summary: &FileSummary,
        name: &str,
        event_use: &EventUse,
    ) -> Problem {
        let found = format!("the event \"{name}\" is emitted but not declared");
        let fields = event_use.event_table.iter().flat_map(|event| &event.named_fields);
        let fields: Vec<String> = fields
            .map(|(field, _, said)| format!("{field} = {}", example_field_type(said)))
            .collect();
        let declared = format!("event \"{name}\" {{ {} }}", fields.join(", "));
        let hint = match nearest_event(name, self.declared_events.keys().copied()) {
            Some(near) => format!("did you mean \"{near}\"? Otherwise declare it: {declared}"),
            None => declared,
        };
        Problem::error(Code::UndeclaredEvent, found)
            .at(summary.place(event_use.line))
            .expected("a declaration under kinds/, so that other mods know its fields")
            .hint(hint)
    }

    /// Checks an event literal against the declaration.
    fn check_event_fields(
        &self,
        summary: &FileSummary,
        event_kind: &Kind,
        event_use: &EventUse,
    ) -> Vec<Problem> {
        let Some(event) = &event_use.event_table else { return Vec::new() };
        let mut problems = Vec::new();
        for (name, line, said) in &event.named_fields {
            match event_kind.field(name) {
                None => problems.push(self.no_field_problem(summary, event_kind, name, *line)),
                Some(field) => problems.extend(
                    self.mismatch_problems(summary, event_kind, &field.ty, name, said, *line),
                ),
            }
        }
        let has_field = |name: &str| event.named_fields.iter().any(|(known, _, _)| known == name);
        let missing = event_kind.fields.iter();
        let missing = missing.filter(|field| {
            !event.may_have_more_fields && !field.is_optional && !has_field(&field.name)
        });
        problems.extend(missing.map(|field| {
            let name = &event_kind.name;
            let found = format!("\"{name}\" is emitted without `{}`", field.name);
            Problem::error(Code::MissingEventField, found)
                .at(summary.place(event_use.line))
                .expected(format!("`{}`, {}", field.name, field.ty))
                .hint("add it, or declare it `optional = true`")
                .add_related_location(event_kind.place.clone())
        }));
        problems
    }

    /// Checks an access to a field of an event in a hook.
    fn check_access(&self, summary: &FileSummary, access: &PathAccess) -> Vec<Problem> {
        let Some(name) = self.callbacks.event_of_root(&access.path.root) else {
            return Vec::new();
        };
        let Some(event_kind) = self.declared_events.get(name) else { return Vec::new() };
        match lookup_path(&event_kind.fields, &access.path.path) {
            PathLookupResult::Untyped | PathLookupResult::NameInList(_) => Vec::new(),
            PathLookupResult::Found(ty) => {
                let Some(literal) = &access.written_value else { return Vec::new() };
                self.mismatch_problems(
                    summary,
                    event_kind,
                    ty,
                    &event_path_text(&access.path.path),
                    literal,
                    access.line,
                )
            }
            PathLookupResult::UnknownName(0, _) => {
                self.unknown_field_problem(summary, event_kind, access).into_iter().collect()
            }
            PathLookupResult::UnknownName(at, fields) => {
                let Some(StatePathStep::Name(last)) = access.path.path.get(at) else {
                    return Vec::new();
                };
                let parent_path = event_path_text(&access.path.path[..at]);
                let found = format!("`{parent_path}` of \"{name}\" has no field `{last}`");
                let problem = Problem::error(Code::UnknownEventField, found)
                    .at(summary.place(access.line))
                    .expect_one_of_names(last, fields.iter().map(|field| &*field.name))
                    .add_related_location(event_kind.place.clone());
                vec![problem]
            }
        }
    }

    /// A field that the event does not have.
    fn unknown_field_problem(
        &self,
        summary: &FileSummary,
        event_kind: &Kind,
        access: &PathAccess,
    ) -> Option<Problem> {
        let Some(StatePathStep::Name(name)) = access.path.path.first() else { return None };
        let mut problem = self.no_field_problem(summary, event_kind, name, access.line);
        if access.written_value.is_some() && problem.hint.is_none() {
            problem.hint = Some(format!(
                "declare a field of your own: `event {:?} {{ {name} = field.… }}`",
                &*event_kind.name
            ));
        }
        Some(problem)
    }

    /// The mismatches of a value and the type of a field.
    fn mismatch_problems(
        &self,
        summary: &FileSummary,
        event_kind: &Kind,
        ty: &FieldType,
        name: &str,
        literal: &Literal,
        line: u32,
    ) -> Vec<Problem> {
        let wrong = self.type_check.mismatches(ty, literal, line).into_iter();
        let problems = wrong.map(|wrong| {
            let name = format!("{name}{}", wrong.path);
            let (code, found) = match &wrong.found {
                Some(found) => (
                    Code::EventWrongValue,
                    format!("`{name}` of {:?} is given {found}", &*event_kind.name),
                ),
                None => (
                    Code::UnknownEventField,
                    format!("{:?} has no field `{name}`", &*event_kind.name),
                ),
            };
            let problem =
                Problem::error(code, found).at(summary.place(wrong.line)).expected(wrong.expected);
            problem.add_related_location(event_kind.place.clone()).with_optional_hint(wrong.hint)
        });
        problems.collect()
    }

    fn no_field_problem(
        &self,
        summary: &FileSummary,
        event_kind: &Kind,
        name: &str,
        line: u32,
    ) -> Problem {
        let found = format!("\"{}\" has no field `{name}`", event_kind.name);
        Problem::error(Code::UnknownEventField, found)
            .at(summary.place(line))
            .expect_one_of_names(name, event_kind.fields.iter().map(|field| &*field.name))
            .add_related_location(event_kind.place.clone())
    }
}

/// The event that was probably meant: one with a similar name, or the only one with this prefix.
fn nearest_event<'n>(name: &str, known: impl Iterator<Item = &'n str> + Clone) -> Option<&'n str> {
    nearest_name(name, known.clone()).or_else(|| {
        let mut begin = known.filter(|known| name.len() > 2 && known.starts_with(name));
        begin.next().filter(|only| begin.all(|other| other == *only))
    })
}
