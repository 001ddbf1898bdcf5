//! Parts of the state, wherever a function looks at one or gives it a value: whether it is declared, and
//! whether what is written there suits it. A mod of the second edition is refused where it is not; an
//! older one is told of what looks like a slip.

use std::collections::BTreeSet;
use std::sync::Arc;

use super::suits::Suits;
use crate::content::{Come, Field, Shapes, Way};
use crate::kit::problem::nearest;
use crate::kit::{Problem, Severity};
use crate::mods::{EDITION, ModSet};
use crate::script::{OldName, Renamed, Vm, undeclared};
use crate::workshop::lua::{Facts, PartUse, Whole};

struct Look<'t> {
    vm: &'t Vm,
    mods: &'t ModSet,
    shapes: &'t Shapes,
    suits: Suits<'t>,
    /// What mods of the first edition put into the state: they need not declare it.
    undeclared: BTreeSet<&'t [Way]>,
}

/// Looks at what is read of the state and written into it.
pub(super) fn look(mods: &ModSet, vm: &Vm, shapes: &Shapes, facts: &[Arc<Facts>]) -> Vec<Problem> {
    let older = facts.iter().filter(|facts| !is_new(mods, facts));
    let given = older.flat_map(|facts| of_state(facts)).filter(|one| one.given.is_some());
    let undeclared = given.map(|one| &one.part.path[..]).collect();
    let suits = Suits { registry: vm.registry(), whole: false };
    let look = Look { vm, mods, shapes, suits, undeclared };
    let each = facts.iter().flat_map(|facts| {
        of_state(facts).flat_map(|one| look.part(facts, one)).collect::<Vec<_>>()
    });
    each.collect()
}

fn of_state(facts: &Facts) -> impl Iterator<Item = &PartUse> {
    facts.uses.parts.iter().filter(|one| one.part.of == Whole::State)
}

/// Whether a file is of a mod of the second edition.
pub(super) fn is_new(mods: &ModSet, facts: &Facts) -> bool {
    mods.get(&facts.owner).is_some_and(|source| source.manifest.edition >= EDITION)
}

/// The Problem for whoever wrote that file: of the first edition it is a warning.
pub(super) fn graded(mods: &ModSet, facts: &Facts, problem: Problem) -> Problem {
    match is_new(mods, facts) {
        true => problem,
        false => Problem { severity: Severity::Warning, ..problem },
    }
}

impl Look<'_> {
    fn part(&self, facts: &Facts, one: &PartUse) -> Vec<Problem> {
        let path = &one.part.path[..];
        match self.shapes.follow(path) {
            Come::Untold => Vec::new(),
            Come::Unknown(at, fields) => self.unknown(facts, one, at, fields).into_iter().collect(),
            Come::To(ty) => {
                let Some(said) = &one.given else { return Vec::new() };
                let wrong = self.suits.look(ty, said, one.line).into_iter();
                let problems = wrong.map(|wrong| {
                    let name = format!("{}{}", name_of(path), wrong.way);
                    let problem = match wrong.found {
                        Some(found) => {
                            let found = format!("`{name}` is given {found}");
                            Problem::error("state-wrong-value", found)
                        }
                        None => {
                            let found = format!("nobody declares `{name}`");
                            Problem::error("unknown-state-field", found)
                        }
                    };
                    let problem = problem.at(facts.place(wrong.line)).expected(wrong.expected);
                    let problem = problem.maybe_hint(wrong.hint);
                    graded(self.mods, facts, self.by_way(problem, path))
                });
                problems.collect()
            }
        }
    }

    fn unknown(
        &self,
        facts: &Facts,
        one: &PartUse,
        at: usize,
        fields: &[Field],
    ) -> Option<Problem> {
        let path = &one.part.path[..=at];
        let Some(Way::Name(last)) = path.last() else { return None };
        let is_new = is_new(self.mods, facts);
        let near = nearest(last, fields.iter().map(|field| &*field.name)).is_some();
        // What an older mod keeps there is its own; a slip of its own is told all the same.
        let old = self.vm.new_name(Renamed::Field, &facts.owner, &name_of(path));
        let kept = self.undeclared.iter().any(|given| given.starts_with(path));
        if old.is_none() && kept && (is_new || one.given.is_none() || !near) {
            return None;
        }
        // Where nobody declares anything, nobody of the first edition can be told of it.
        if old.is_none() && !is_new && (self.shapes.fields().is_empty() || (at == 0 && !near)) {
            return None;
        }
        let problem = undeclared(&name_of(path), path, fields).at(facts.place(one.line));
        let problem = if at == 0 { problem } else { self.by_way(problem, path) };
        Some(graded(self.mods, facts, problem.maybe_hint(old.as_ref().map(OldName::hint))))
    }

    /// The Problem with the place where what it is about is declared.
    fn by_way(&self, problem: Problem, path: &[Way]) -> Problem {
        let name = |at: usize| match path.get(at) {
            Some(Way::Name(name)) => Some(name.as_str()),
            _ => None,
        };
        problem.through(name(0).and_then(|of| self.shapes.place(of, name(1))).cloned())
    }
}

/// A part of the state as a script writes it.
pub(super) fn name_of(path: &[Way]) -> String {
    let mut name = "state".to_owned();
    for step in path {
        match step {
            Way::Name(step) => name.push_str(&format!(".{step}")),
            Way::Each => name.push_str("[…]"),
        }
    }
    name
}
