//! Checks reads and writes of the state: whether each part is declared, and whether a written value fits.

use std::sync::Arc;

use super::type_check::TypeCheck;
use crate::author::analysis::{FileSummary, PathAccess, TypeSource};
use crate::base::{Code, Problem};
use crate::content::{Field, Lookup, PathStep, StateSchemas};
use crate::script::{Vm, undeclared_field_problem};

struct StateCheck<'t> {
    schemas: &'t StateSchemas,
    type_check: TypeCheck<'t>,
}

/// Checks reads and writes of the state.
pub(super) fn check_state_parts(
    vm: &Vm,
    shapes: &StateSchemas,
    summaries: &[Arc<FileSummary>],
) -> Vec<Problem> {
    let type_check = TypeCheck { registry: vm.registry(), requires_fields: false };
    let check = StateCheck { schemas: shapes, type_check };
    let each = summaries.iter().flat_map(|facts| {
        state_accesses(facts).flat_map(|one| check.check_access(facts, one)).collect::<Vec<_>>()
    });
    each.collect()
}

fn state_accesses(summary: &FileSummary) -> impl Iterator<Item = &PathAccess> {
    summary.uses.accesses.iter().filter(|one| one.path.source == TypeSource::State)
}

impl StateCheck<'_> {
    fn check_access(&self, summary: &FileSummary, access: &PathAccess) -> Vec<Problem> {
        let path = &access.path.path[..];
        match self.schemas.lookup_in_state(path) {
            Lookup::Untyped => Vec::new(),
            Lookup::UnknownName(at, fields) => {
                self.unknown_part(summary, access, at, fields).into_iter().collect()
            }
            Lookup::Found(ty) => {
                let Some(literal) = &access.written_value else { return Vec::new() };
                let wrong = self.type_check.mismatches(ty, literal, access.line).into_iter();
                let problems = wrong.map(|wrong| {
                    let name = format!("{}{}", state_path_text(path), wrong.path);
                    let problem = match wrong.found {
                        Some(found) => {
                            let found = format!("`{name}` is given {found}");
                            Problem::error(Code::StateWrongValue, found)
                        }
                        None => {
                            let found = format!("nobody declares `{name}`");
                            Problem::error(Code::UnknownStateField, found)
                        }
                    };
                    let problem = problem.at(summary.place(wrong.line)).expected(wrong.expected);
                    let problem = problem.maybe_hint(wrong.hint);
                    self.with_declaration_place(problem, path)
                });
                problems.collect()
            }
        }
    }

    fn unknown_part(
        &self,
        summary: &FileSummary,
        access: &PathAccess,
        at: usize,
        fields: &[Field],
    ) -> Option<Problem> {
        let path = &access.path.path[..=at];
        if !matches!(path.last(), Some(PathStep::Name(_))) {
            return None;
        }
        let problem = undeclared_field_problem(&state_path_text(path), path, fields)
            .at(summary.place(access.line));
        Some(if at == 0 { problem } else { self.with_declaration_place(problem, path) })
    }

    /// Adds the place of the declaration to a Problem.
    fn with_declaration_place(&self, problem: Problem, path: &[PathStep]) -> Problem {
        let name = |at: usize| match path.get(at) {
            Some(PathStep::Name(name)) => Some(name.as_str()),
            _ => None,
        };
        problem.add_related_locations(
            name(0).and_then(|of| self.schemas.declared_at(of, name(1))).cloned(),
        )
    }
}

/// A path into the state as a script writes it.
pub(super) fn state_path_text(path: &[PathStep]) -> String {
    let mut name = "state".to_owned();
    for step in path {
        match step {
            PathStep::Name(step) => name.push_str(&format!(".{step}")),
            PathStep::AnyEntry => name.push_str("[…]"),
        }
    }
    name
}
