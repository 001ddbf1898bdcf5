//! Checks events as they are declared, emitted and used by hooks: whether each use fits the declaration.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use super::known::event_of;
use super::parts::name_of;
use super::suits::Suits;
use crate::content::{Come, FieldType, Kind, Way, follow};
use crate::kit::problem::nearest;
use crate::kit::{Problem, Undeclared};
use crate::mods::ModSet;
use crate::script::{Vm, needed_back, to_be_needed};
use crate::workshop::lua::{Facts, MomentUse, Part, PartUse, Said, Whole};

/// The check of events.
struct Look<'t> {
    vm: &'t Vm,
    mods: &'t ModSet,
    suits: Suits<'t>,
    facts: &'t [Arc<Facts>],
    /// The declared events by name.
    declared: BTreeMap<&'t str, &'t Kind>,
    announced: BTreeSet<&'t str>,
    /// Whether an event is emitted whose name is known only at run time.
    any: bool,
}

/// Checks hooks and emitted events.
pub(super) fn look(
    mods: &ModSet,
    vm: &Vm,
    declared: &[Kind],
    facts: &[Arc<Facts>],
) -> Vec<Problem> {
    let uses = || facts.iter().flat_map(|facts| &facts.uses.moments);
    let emitted = || uses().filter(|one| one.verb == "emit");
    let look = Look {
        vm,
        mods,
        suits: Suits { registry: vm.registry(), whole: false },
        facts,
        declared: declared.iter().map(|moment| (&*moment.name, moment)).collect(),
        announced: emitted().filter_map(|one| one.name.as_deref()).collect(),
        any: emitted().any(|one| one.name.is_none()),
    };
    let each = look.facts.iter().flat_map(|facts| {
        let named = facts.uses.moments.iter().flat_map(|one| look.named(facts, one));
        named.chain(facts.uses.parts.iter().flat_map(|one| look.part(facts, one)))
    });
    each.collect()
}

impl Look<'_> {
    /// Checks a use of an event by name.
    fn named(&self, facts: &Facts, one: &MomentUse) -> Vec<Problem> {
        let Some(name) = one.name.as_deref() else { return Vec::new() };
        match (self.declared.get(name), one.verb.as_str()) {
            (Some(moment), "emit" | "preview") => self.event(facts, moment, one),
            (None, "emit") => vec![self.undeclared(facts, name, one)],
            (_, "before" | "after") => self.unknown(facts, name, one.line).into_iter().collect(),
            _ => Vec::new(),
        }
    }

    /// A hook on an event that no mod emits.
    fn unknown(&self, facts: &Facts, name: &str, line: u32) -> Option<Problem> {
        // A mod that is not loaded may emit it.
        let source = self.mods.get(&facts.owner)?;
        let waits = source.manifest.after.iter().any(|id| self.mods.get(id).is_none());
        let strange = self.declared.get(name).filter(|moment| {
            let owner = &moment.place.owner;
            !self.vm.sees(&facts.owner, owner) && !source.manifest.after.contains(owner)
        });
        if let Some(moment) = strange {
            let owner = &moment.place.owner;
            let found = format!("the event {name:?} belongs to `{owner}`, which may be missing");
            let problem = Problem::error("unknown-event", found).at(facts.place(line));
            let hint = match self.vm.sees(owner, &facts.owner) {
                true => needed_back(owner, "it", &facts.owner),
                false => to_be_needed(owner, "it"),
            };
            return Some(problem.hint(hint).by_way_of(moment.place.clone()));
        }
        if self.any || waits || self.declared.contains_key(name) || self.announced.contains(name) {
            return None;
        }
        let found = format!("no mod emits the event \"{name}\", so this hook is never called");
        let problem = Problem::error("unknown-event", found).at(facts.place(line));
        let known = self.announced.iter().chain(self.declared.keys()).copied();
        let problem = problem.expected("an event that a mod declares; the reference lists them");
        Some(match near_moment(name, known) {
            Some(near) => problem.hint(format!("did you mean \"{near}\"?")),
            None => problem.undeclared(Undeclared::Moment(name.to_owned())),
        })
    }

    /// An event that is emitted but not declared.
    fn undeclared(&self, facts: &Facts, name: &str, one: &MomentUse) -> Problem {
        let found = format!("the event \"{name}\" is emitted but not declared");
        let fields = one.event.iter().flat_map(|event| &event.named);
        let fields: Vec<String> =
            fields.map(|(field, _, said)| format!("{field} = {}", field_for(said))).collect();
        let declared = format!("event \"{name}\" {{ {} }}", fields.join(", "));
        let hint = match near_moment(name, self.declared.keys().copied()) {
            Some(near) => format!("did you mean \"{near}\"? Otherwise declare it: {declared}"),
            None => declared,
        };
        Problem::error("undeclared-event", found)
            .at(facts.place(one.line))
            .expected("a declaration under kinds/, so that other mods know its fields")
            .hint(hint)
    }

    /// Checks an event literal against the declaration.
    fn event(&self, facts: &Facts, moment: &Kind, one: &MomentUse) -> Vec<Problem> {
        let Some(event) = &one.event else { return Vec::new() };
        let mut problems = Vec::new();
        for (name, line, said) in &event.named {
            match moment.field(name) {
                None => problems.push(self.no_field(facts, moment, name, *line)),
                Some(field) => {
                    problems.extend(self.wrong(facts, moment, &field.ty, name, said, *line))
                }
            }
        }
        let given = |name: &str| event.named.iter().any(|(known, _, _)| known == name);
        let missing = moment.fields.iter();
        let missing = missing.filter(|field| !event.open && !field.optional && !given(&field.name));
        problems.extend(missing.map(|field| {
            let name = &moment.name;
            let found = format!("\"{name}\" is emitted without `{}`", field.name);
            Problem::error("missing-event-field", found)
                .at(facts.place(one.line))
                .expected(format!("`{}`, {}", field.name, field.ty))
                .hint("add it, or declare it `optional = true`")
                .by_way_of(moment.place.clone())
        }));
        problems
    }

    /// Checks an access to a field of an event in a hook.
    fn part(&self, facts: &Facts, one: &PartUse) -> Vec<Problem> {
        let Some(name) = event_of(self.vm.registry(), &one.part.of) else { return Vec::new() };
        let Some(moment) = self.declared.get(name) else { return Vec::new() };
        match follow(&moment.fields, &one.part.path) {
            Come::Untold => Vec::new(),
            Come::To(ty) => {
                let Some(said) = &one.given else { return Vec::new() };
                self.wrong(facts, moment, ty, &inner(&one.part.path), said, one.line)
            }
            Come::Unknown(0, _) => self.field(facts, moment, one).into_iter().collect(),
            Come::Unknown(at, fields) => {
                let Some(Way::Name(last)) = one.part.path.get(at) else { return Vec::new() };
                let of = inner(&one.part.path[..at]);
                let found = format!("`{of}` of \"{name}\" has no field `{last}`");
                let problem = Problem::error("unknown-event-field", found)
                    .at(facts.place(one.line))
                    .one_of_names(last, fields.iter().map(|field| &*field.name))
                    .by_way_of(moment.place.clone());
                vec![problem]
            }
        }
    }

    /// A field that the event does not have.
    fn field(&self, facts: &Facts, moment: &Kind, one: &PartUse) -> Option<Problem> {
        let Some(Way::Name(name)) = one.part.path.first() else { return None };
        let mut problem = self.no_field(facts, moment, name, one.line);
        if one.given.is_some() && problem.hint.is_none() {
            problem.hint = Some(format!(
                "declare a field of your own: `event {:?} {{ {name} = field.… }}`",
                &*moment.name
            ));
        }
        Some(problem)
    }

    /// The mismatches of a value and the type of a field.
    fn wrong(
        &self,
        facts: &Facts,
        moment: &Kind,
        ty: &FieldType,
        name: &str,
        said: &Said,
        line: u32,
    ) -> Vec<Problem> {
        let wrong = self.suits.look(ty, said, line).into_iter();
        let problems = wrong.map(|wrong| {
            let name = format!("{name}{}", wrong.way);
            let (code, found) = match &wrong.found {
                Some(found) => (
                    "event-wrong-value",
                    format!("`{name}` of {:?} is given {found}", &*moment.name),
                ),
                None => {
                    ("unknown-event-field", format!("{:?} has no field `{name}`", &*moment.name))
                }
            };
            let problem =
                Problem::error(code, found).at(facts.place(wrong.line)).expected(wrong.expected);
            problem.by_way_of(moment.place.clone()).maybe_hint(wrong.hint)
        });
        problems.collect()
    }

    fn no_field(&self, facts: &Facts, moment: &Kind, name: &str, line: u32) -> Problem {
        let found = format!("\"{}\" has no field `{name}`", moment.name);
        Problem::error("unknown-event-field", found)
            .at(facts.place(line))
            .one_of_names(name, moment.fields.iter().map(|field| &*field.name))
            .by_way_of(moment.place.clone())
    }
}

/// The event that was probably meant: one with a similar name, or the only one with this prefix.
fn near_moment<'n>(name: &str, known: impl Iterator<Item = &'n str> + Clone) -> Option<&'n str> {
    nearest(name, known.clone()).or_else(|| {
        let mut begin = known.filter(|known| name.len() > 2 && known.starts_with(name));
        begin.next().filter(|only| begin.all(|other| other == *only))
    })
}

/// A path into an event as a script writes it, without the event.
pub(super) fn inner(path: &[Way]) -> String {
    let mut name = String::new();
    for step in path {
        match step {
            Way::Name(step) if name.is_empty() => name.push_str(step),
            Way::Name(step) => name.push_str(&format!(".{step}")),
            Way::Each => name.push_str("[…]"),
        }
    }
    name
}

/// An access path as a script writes it.
pub(super) fn named(part: &Part) -> String {
    match &part.of {
        Whole::State => format!("`{}`", name_of(&part.path)),
        Whole::Gives(_, (name, _), _) if part.path.is_empty() => format!("the result of `{name}`"),
        Whole::Gives(_, (name, _), _) => {
            format!("`{}` of the result of `{name}`", inner(&part.path))
        }
        Whole::Roll(_) if part.path.is_empty() => "the second result of `roll`".to_owned(),
        Whole::Roll(_) => format!("`{}` of the second result of `roll`", inner(&part.path)),
        Whole::Typed(_, name) if part.path.is_empty() => format!("a `{name}`"),
        Whole::Typed(_, name) => format!("`{}` of a `{name}`", inner(&part.path)),
        Whole::Content(kind, way) => {
            let given = match way.last() {
                Some(Way::Name(name)) => format!("the argument of `{name}` of a {kind}"),
                _ => format!("the argument of a function of a {kind}"),
            };
            match part.path.is_empty() {
                true => given,
                false => format!("`{}` of {given}", inner(&part.path)),
            }
        }
        _ => format!("`{}` of the event", inner(&part.path)),
    }
}

/// An example of a field type that fits a literal.
fn field_for(said: &Said) -> &'static str {
    match said {
        Said::Text(_) => "field.text",
        Said::Number(_) => "field.int",
        Said::Truth(_) => "field.bool",
        _ => "field.any",
    }
}
