//! Checks reads and writes of the state: whether each part is declared, and whether a written value fits.

use std::sync::Arc;

use super::suits::Suits;
use crate::content::{Come, Field, Shapes, Way};
use crate::kit::Problem;
use crate::script::{Vm, undeclared};
use crate::workshop::lua::{Facts, PartUse, Whole};

struct Look<'t> {
    shapes: &'t Shapes,
    suits: Suits<'t>,
}

/// Checks reads and writes of the state.
pub(super) fn look(vm: &Vm, shapes: &Shapes, facts: &[Arc<Facts>]) -> Vec<Problem> {
    let suits = Suits { registry: vm.registry(), whole: false };
    let look = Look { shapes, suits };
    let each = facts.iter().flat_map(|facts| {
        of_state(facts).flat_map(|one| look.part(facts, one)).collect::<Vec<_>>()
    });
    each.collect()
}

fn of_state(facts: &Facts) -> impl Iterator<Item = &PartUse> {
    facts.uses.parts.iter().filter(|one| one.part.of == Whole::State)
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
                    self.by_way(problem, path)
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
        if !matches!(path.last(), Some(Way::Name(_))) {
            return None;
        }
        let problem = undeclared(&name_of(path), path, fields).at(facts.place(one.line));
        Some(if at == 0 { problem } else { self.by_way(problem, path) })
    }

    /// Adds the place of the declaration to a Problem.
    fn by_way(&self, problem: Problem, path: &[Way]) -> Problem {
        let name = |at: usize| match path.get(at) {
            Some(Way::Name(name)) => Some(name.as_str()),
            _ => None,
        };
        problem.through(name(0).and_then(|of| self.shapes.place(of, name(1))).cloned())
    }
}

/// A path into the state as a script writes it.
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
