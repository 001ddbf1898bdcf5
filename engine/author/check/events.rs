//! Checks events as they are declared, emitted and used by hooks: whether each use fits the declaration.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use super::assignable::TypeCheck;
use super::declared_values::event_of;
use super::state_parts::state_path_text;
use crate::author::analysis::{Access, AccessPath, EventUse, FileSummary, Literal, TypeSource};
use crate::base::problem::nearest_name;
use crate::base::{Code, Problem, UndeclaredName};
use crate::content::{FieldType, Kind, Lookup, PathStep, lookup_path};
use crate::mods::ModSet;
use crate::script::{Vm, hint_need_mod, hint_reverse_need};

/// The check of events.
struct EventCheck<'t> {
    vm: &'t Vm,
    mods: &'t ModSet,
    types: TypeCheck<'t>,
    facts: &'t [Arc<FileSummary>],
    /// The declared events by name.
    declared_events: BTreeMap<&'t str, &'t Kind>,
    emitted_events: BTreeSet<&'t str>,
    /// Whether an event is emitted whose name is known only at run time.
    any: bool,
}

/// Checks hooks and emitted events.
pub(super) fn check_events(
    mods: &ModSet,
    vm: &Vm,
    declared: &[Kind],
    facts: &[Arc<FileSummary>],
) -> Vec<Problem> {
    let uses = || facts.iter().flat_map(|facts| &facts.uses.events);
    let emitted = || uses().filter(|one| one.verb == "emit");
    let look = EventCheck {
        vm,
        mods,
        types: TypeCheck { registry: vm.registry(), requires_fields: false },
        facts,
        declared_events: declared
            .iter()
            .map(|event_kind| (&*event_kind.name, event_kind))
            .collect(),
        emitted_events: emitted().filter_map(|one| one.name.as_deref()).collect(),
        any: emitted().any(|one| one.name.is_none()),
    };
    let each = look.facts.iter().flat_map(|facts| {
        let named = facts.uses.events.iter().flat_map(|one| look.check_event_use(facts, one));
        named.chain(facts.uses.accesses.iter().flat_map(|one| look.check_access(facts, one)))
    });
    each.collect()
}

impl EventCheck<'_> {
    /// Checks a use of an event by name.
    fn check_event_use(&self, facts: &FileSummary, one: &EventUse) -> Vec<Problem> {
        let Some(name) = one.name.as_deref() else { return Vec::new() };
        match (self.declared_events.get(name), one.verb.as_str()) {
            (Some(event_kind), "emit" | "preview") => {
                self.check_event_fields(facts, event_kind, one)
            }
            (None, "emit") => vec![self.undeclared_event(facts, name, one)],
            (_, "before" | "after") => {
                self.unknown_event(facts, name, one.line).into_iter().collect()
            }
            _ => Vec::new(),
        }
    }

    /// A hook on an event that no mod emits.
    fn unknown_event(&self, facts: &FileSummary, name: &str, line: u32) -> Option<Problem> {
        // A mod that is not loaded may emit it.
        let source = self.mods.get(&facts.owner)?;
        let waits = source.manifest.after.iter().any(|id| self.mods.get(id).is_none());
        let strange = self.declared_events.get(name).filter(|event_kind| {
            let owner = &event_kind.place.owner;
            !self.vm.can_see(&facts.owner, owner) && !source.manifest.after.contains(owner)
        });
        if let Some(event_kind) = strange {
            let owner = &event_kind.place.owner;
            let found = format!("the event {name:?} belongs to `{owner}`, which may be missing");
            let problem = Problem::error(Code::UnknownEvent, found).at(facts.place(line));
            let hint = match self.vm.can_see(owner, &facts.owner) {
                true => hint_reverse_need(owner, "it", &facts.owner),
                false => hint_need_mod(owner, "it"),
            };
            return Some(problem.hint(hint).called_from(event_kind.place.clone()));
        }
        if self.any
            || waits
            || self.declared_events.contains_key(name)
            || self.emitted_events.contains(name)
        {
            return None;
        }
        let found = format!("no mod emits the event \"{name}\", so this hook is never called");
        let problem = Problem::error(Code::UnknownEvent, found).at(facts.place(line));
        let known = self.emitted_events.iter().chain(self.declared_events.keys()).copied();
        let problem = problem.expected("an event that a mod declares; the reference lists them");
        Some(match nearest_event(name, known) {
            Some(near) => problem.hint(format!("did you mean \"{near}\"?")),
            None => problem.undeclared(UndeclaredName::Event(name.to_owned())),
        })
    }

    /// An event that is emitted but not declared.
    fn undeclared_event(&self, facts: &FileSummary, name: &str, one: &EventUse) -> Problem {
        let found = format!("the event \"{name}\" is emitted but not declared");
        let fields = one.event.iter().flat_map(|event| &event.named);
        let fields: Vec<String> =
            fields.map(|(field, _, said)| format!("{field} = {}", field_example(said))).collect();
        let declared = format!("event \"{name}\" {{ {} }}", fields.join(", "));
        let hint = match nearest_event(name, self.declared_events.keys().copied()) {
            Some(near) => format!("did you mean \"{near}\"? Otherwise declare it: {declared}"),
            None => declared,
        };
        Problem::error(Code::UndeclaredEvent, found)
            .at(facts.place(one.line))
            .expected("a declaration under kinds/, so that other mods know its fields")
            .hint(hint)
    }

    /// Checks an event literal against the declaration.
    fn check_event_fields(
        &self,
        facts: &FileSummary,
        event_kind: &Kind,
        one: &EventUse,
    ) -> Vec<Problem> {
        let Some(event) = &one.event else { return Vec::new() };
        let mut problems = Vec::new();
        for (name, line, said) in &event.named {
            match event_kind.field(name) {
                None => problems.push(self.no_field_problem(facts, event_kind, name, *line)),
                Some(field) => problems.extend(
                    self.mismatch_problems(facts, event_kind, &field.ty, name, said, *line),
                ),
            }
        }
        let given = |name: &str| event.named.iter().any(|(known, _, _)| known == name);
        let missing = event_kind.fields.iter();
        let missing = missing.filter(|field| !event.open && !field.optional && !given(&field.name));
        problems.extend(missing.map(|field| {
            let name = &event_kind.name;
            let found = format!("\"{name}\" is emitted without `{}`", field.name);
            Problem::error(Code::MissingEventField, found)
                .at(facts.place(one.line))
                .expected(format!("`{}`, {}", field.name, field.ty))
                .hint("add it, or declare it `optional = true`")
                .called_from(event_kind.place.clone())
        }));
        problems
    }

    /// Checks an access to a field of an event in a hook.
    fn check_access(&self, facts: &FileSummary, one: &Access) -> Vec<Problem> {
        let Some(name) = event_of(self.vm.registry(), &one.path.source) else { return Vec::new() };
        let Some(event_kind) = self.declared_events.get(name) else { return Vec::new() };
        match lookup_path(&event_kind.fields, &one.path.path) {
            Lookup::Untyped => Vec::new(),
            Lookup::Found(ty) => {
                let Some(said) = &one.value else { return Vec::new() };
                self.mismatch_problems(
                    facts,
                    event_kind,
                    ty,
                    &event_path_text(&one.path.path),
                    said,
                    one.line,
                )
            }
            Lookup::Unknown(0, _) => {
                self.unknown_field(facts, event_kind, one).into_iter().collect()
            }
            Lookup::Unknown(at, fields) => {
                let Some(PathStep::Name(last)) = one.path.path.get(at) else { return Vec::new() };
                let of = event_path_text(&one.path.path[..at]);
                let found = format!("`{of}` of \"{name}\" has no field `{last}`");
                let problem = Problem::error(Code::UnknownEventField, found)
                    .at(facts.place(one.line))
                    .expect_one_of_names(last, fields.iter().map(|field| &*field.name))
                    .called_from(event_kind.place.clone());
                vec![problem]
            }
        }
    }

    /// A field that the event does not have.
    fn unknown_field(
        &self,
        facts: &FileSummary,
        event_kind: &Kind,
        one: &Access,
    ) -> Option<Problem> {
        let Some(PathStep::Name(name)) = one.path.path.first() else { return None };
        let mut problem = self.no_field_problem(facts, event_kind, name, one.line);
        if one.value.is_some() && problem.hint.is_none() {
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
        facts: &FileSummary,
        event_kind: &Kind,
        ty: &FieldType,
        name: &str,
        said: &Literal,
        line: u32,
    ) -> Vec<Problem> {
        let wrong = self.types.mismatches(ty, said, line).into_iter();
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
                Problem::error(code, found).at(facts.place(wrong.line)).expected(wrong.expected);
            problem.called_from(event_kind.place.clone()).maybe_hint(wrong.hint)
        });
        problems.collect()
    }

    fn no_field_problem(
        &self,
        facts: &FileSummary,
        event_kind: &Kind,
        name: &str,
        line: u32,
    ) -> Problem {
        let found = format!("\"{}\" has no field `{name}`", event_kind.name);
        Problem::error(Code::UnknownEventField, found)
            .at(facts.place(line))
            .expect_one_of_names(name, event_kind.fields.iter().map(|field| &*field.name))
            .called_from(event_kind.place.clone())
    }
}

/// The event that was probably meant: one with a similar name, or the only one with this prefix.
fn nearest_event<'n>(name: &str, known: impl Iterator<Item = &'n str> + Clone) -> Option<&'n str> {
    nearest_name(name, known.clone()).or_else(|| {
        let mut begin = known.filter(|known| name.len() > 2 && known.starts_with(name));
        begin.next().filter(|only| begin.all(|other| other == *only))
    })
}

/// A path into an event as a script writes it, without the event.
pub(super) fn event_path_text(path: &[PathStep]) -> String {
    let mut name = String::new();
    for step in path {
        match step {
            PathStep::Name(step) if name.is_empty() => name.push_str(step),
            PathStep::Name(step) => name.push_str(&format!(".{step}")),
            PathStep::Each => name.push_str("[…]"),
        }
    }
    name
}

/// An access path as a script writes it.
pub(super) fn access_text(part: &AccessPath) -> String {
    match &part.source {
        TypeSource::State => format!("`{}`", state_path_text(&part.path)),
        TypeSource::CallResult(_, (name, _), _) if part.path.is_empty() => {
            format!("the result of `{name}`")
        }
        TypeSource::CallResult(_, (name, _), _) => {
            format!("`{}` of the result of `{name}`", event_path_text(&part.path))
        }
        TypeSource::Roll(_) if part.path.is_empty() => "the second result of `roll`".to_owned(),
        TypeSource::Roll(_) => {
            format!("`{}` of the second result of `roll`", event_path_text(&part.path))
        }
        TypeSource::Annotated(_, name) if part.path.is_empty() => format!("a `{name}`"),
        TypeSource::Annotated(_, name) => {
            format!("`{}` of a `{name}`", event_path_text(&part.path))
        }
        TypeSource::DefinitionCallback(kind, way) => {
            let given = match way.last() {
                Some(PathStep::Name(name)) => format!("the argument of `{name}` of a {kind}"),
                _ => format!("the argument of a function of a {kind}"),
            };
            match part.path.is_empty() {
                true => given,
                false => format!("`{}` of {given}", event_path_text(&part.path)),
            }
        }
        _ => format!("`{}` of the event", event_path_text(&part.path)),
    }
}

/// An example of a field type that fits a literal.
fn field_example(said: &Literal) -> &'static str {
    match said {
        Literal::Text(_) => "field.text",
        Literal::Number(_) => "field.int",
        Literal::Bool(_) => "field.bool",
        _ => "field.any",
    }
}
