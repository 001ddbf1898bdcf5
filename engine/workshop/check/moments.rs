//! Moments, as they are declared, announced and hung on: whether each side keeps to what is declared.
//! A mod of the second edition is refused where it does not; an older one is told.

use std::collections::{BTreeMap, BTreeSet};

use crate::content::Kind;
use crate::kit::problem::nearest;
use crate::kit::{Problem, Severity};
use crate::mods::{EDITION, ModSet};
use crate::workshop::lua::{EventField, Facts, MomentUse};

/// Everything that is said of moments.
struct Look<'t> {
    mods: &'t ModSet,
    facts: &'t [Facts],
    /// By name.
    declared: BTreeMap<&'t str, &'t Kind>,
    announced: BTreeSet<&'t str>,
    /// Whether a moment is announced whose name only running tells.
    any: bool,
    /// Fields that a mod's own `before` hooks put into events: mod, moment, field.
    own: BTreeSet<(&'t str, &'t str, &'t str)>,
}

/// Looks at hooks and at what is announced.
pub(super) fn look(mods: &ModSet, declared: &[Kind], facts: &[Facts]) -> Vec<Problem> {
    let uses = || facts.iter().flat_map(|facts| &facts.uses.moments);
    let emitted = || uses().filter(|one| one.verb == "emit");
    let fields = facts.iter().flat_map(|facts| {
        let own = facts.uses.event_fields.iter().filter(|field| field.assigned);
        own.map(|field| (facts.owner.as_str(), field.moment.as_str(), field.field.as_str()))
    });
    let look = Look {
        mods,
        facts,
        declared: declared.iter().map(|moment| (&*moment.name, moment)).collect(),
        announced: emitted().filter_map(|one| one.name.as_deref()).collect(),
        any: emitted().any(|one| one.name.is_none()),
        own: fields.collect(),
    };
    let each = look.facts.iter().flat_map(|facts| {
        let named = facts.uses.moments.iter().flat_map(|one| look.named(facts, one));
        named.chain(facts.uses.event_fields.iter().filter_map(|field| look.field(facts, field)))
    });
    each.collect()
}

impl Look<'_> {
    fn is_new(&self, facts: &Facts) -> bool {
        let source = self.mods.get(&facts.owner);
        source.is_some_and(|source| source.manifest.edition >= EDITION)
    }

    fn problem(&self, facts: &Facts, line: u32, code: &str, found: String) -> Problem {
        let mut problem = Problem::error(code, found).at(facts.place(line));
        if !self.is_new(facts) {
            problem.severity = Severity::Warning;
        }
        problem
    }

    /// A moment that is named.
    fn named(&self, facts: &Facts, one: &MomentUse) -> Vec<Problem> {
        let Some(name) = one.name.as_deref() else { return Vec::new() };
        match (self.declared.get(name), one.verb.as_str()) {
            (Some(moment), "emit" | "preview") => self.event(facts, moment, one),
            (None, "emit") if self.is_new(facts) => vec![self.undeclared(facts, name, one)],
            (None, "before" | "after") => self.unknown(facts, name, one.line).into_iter().collect(),
            _ => Vec::new(),
        }
    }

    /// A hook on a moment that nobody announces.
    fn unknown(&self, facts: &Facts, name: &str, line: u32) -> Option<Problem> {
        // What a mod that is not here may announce, nobody knows.
        let source = self.mods.get(&facts.owner)?;
        let waits = source.manifest.after.iter().any(|id| self.mods.get(id).is_none());
        if self.any || waits || self.announced.contains(name) {
            return None;
        }
        let found = format!("nobody announces a moment \"{name}\", so this hook is never called");
        let problem = self.problem(facts, line, "unknown-moment", found);
        let known = self.announced.iter().chain(self.declared.keys()).copied();
        let problem = problem.expected("a moment that a mod declares: the reference lists them");
        Some(match nearest(name, known) {
            Some(near) => problem.hint(format!("did you mean \"{near}\"?")),
            None => problem,
        })
    }

    /// A moment that is announced and that nobody has declared.
    fn undeclared(&self, facts: &Facts, name: &str, one: &MomentUse) -> Problem {
        let found = format!("the moment \"{name}\" is announced and not declared");
        let fields = one.event.iter().flatten();
        let fields: Vec<String> = fields.map(|(field, _)| format!("{field} = field.any")).collect();
        self.problem(facts, one.line, "undeclared-moment", found)
            .expected(
                "a declaration under kinds/, so that those who hang hooks on it know its fields",
            )
            .hint(format!("moment \"{name}\" {{ {} }}", fields.join(", ")))
    }

    /// An event that is written out, against what its moment declares.
    fn event(&self, facts: &Facts, moment: &Kind, one: &MomentUse) -> Vec<Problem> {
        let Some(event) = &one.event else { return Vec::new() };
        let unknown = event.iter().filter(|(name, _)| moment.field(name).is_none());
        let mut problems: Vec<Problem> =
            unknown.map(|(name, line)| self.no_field(facts, moment, name, *line)).collect();
        let missing = moment
            .fields
            .iter()
            .filter(|field| !field.optional && !event.iter().any(|(name, _)| *name == *field.name));
        problems.extend(missing.map(|field| {
            let name = &moment.name;
            let found = format!("\"{name}\" is announced without `{}`", field.name);
            self.problem(facts, one.line, "missing-event-field", found)
                .expected(format!("`{}`, {}", field.name, field.ty))
                .hint("give it, or declare it `optional = true`")
                .by_way_of(moment.place.clone())
        }));
        problems
    }

    /// A field of an event, in a hook.
    fn field(&self, facts: &Facts, field: &EventField) -> Option<Problem> {
        let moment = self.declared.get(field.moment.as_str())?;
        let (name, owner) = (field.field.as_str(), facts.owner.as_str());
        let near = || nearest(name, moment.fields.iter().map(|field| &*field.name)).is_some();
        // A mark of a mod's own is put there by one hook of it and read by another.
        let is_own =
            self.own.contains(&(owner, field.moment.as_str(), name)) && !(field.assigned && near());
        (moment.field(name).is_none() && !is_own)
            .then(|| self.no_field(facts, moment, name, field.line))
    }

    fn no_field(&self, facts: &Facts, moment: &Kind, name: &str, line: u32) -> Problem {
        let found = format!("\"{}\" has no field `{name}`", moment.name);
        let names = || moment.fields.iter().map(|field| &*field.name);
        let problem = self
            .problem(facts, line, "unknown-event-field", found)
            .expected(format!("one of {}", names().collect::<Vec<_>>().join(", ")))
            .by_way_of(moment.place.clone());
        match nearest(name, names()) {
            Some(near) => problem.hint(format!("did you mean `{near}`?")),
            None => problem,
        }
    }
}
