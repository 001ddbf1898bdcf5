//! Checks reads and writes of the state: whether each part is declared, and whether a written value
//! fits.

use std::sync::Arc;

use super::access_paths::state_path_text;
use super::type_check::LiteralTypeChecker;
use crate::analysis::{FileSummary, PathAccess, PathRoot};
use base::{Code, Problem};
use content::{FieldList, PathLookupResult, StatePathStep, StateSchemas};
use script::{Vm, undeclared_field_problem};

struct StateCheck<'t> {
    schemas: &'t StateSchemas,
    type_check: LiteralTypeChecker<'t>,
}

/// Checks reads and writes of the state.
pub(super) fn check_state_parts(
    vm: &Vm,
    shapes: &StateSchemas,
    summaries: &[Arc<FileSummary>],
) -> Vec<Problem> {
    let type_check = LiteralTypeChecker { registry: vm.registry(), reports_missing_fields: false };
    let check = StateCheck { schemas: shapes, type_check };
    let each = summaries.iter().flat_map(|facts| {
        state_accesses(facts).flat_map(|one| check.check_access(facts, one)).collect::<Vec<_>>()
    });
    each.collect()
}

fn state_accesses(summary: &FileSummary) -> impl Iterator<Item = &PathAccess> {
    summary.uses.accesses.iter().filter(|one| one.path.root == PathRoot::State)
}

impl StateCheck<'_> {
    fn check_access(&self, summary: &FileSummary, access: &PathAccess) -> Vec<Problem> {
        let path = &access.path.path[..];
        match self.schemas.lookup_in_state(path) {
            PathLookupResult::Untyped => Vec::new(),
            PathLookupResult::UnknownName(at, fields) => {
                self.unknown_state_field_problem(summary, access, at, fields).into_iter().collect()
            }
            PathLookupResult::Found(ty) => {
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
                            let found = format!("no mod declares `{name}`");
                            Problem::error(Code::UnknownStateField, found)
                        }
                    };
                    let problem = problem.at(summary.place(wrong.line)).expected(wrong.expected);
                    let problem = problem.with_optional_hint(wrong.hint);
                    self.with_declaration_place(problem, path)
                });
                problems.collect()
            }
        }
    }

    fn unknown_state_field_problem(
        &self,
        summary: &FileSummary,
        access: &PathAccess,
        at: usize,
        fields: &FieldList,
    ) -> Option<Problem> {
        let path = &access.path.path[..=at];
        if !matches!(path.last(), Some(StatePathStep::Name(_))) {
            return None;
        }
        let problem = undeclared_field_problem(&state_path_text(path), path, fields)
            .at(summary.place(access.line))
            .explain(&());
        Some(if at == 0 { problem } else { self.with_declaration_place(problem, path) })
    }

    /// Adds the place of the declaration to a Problem.
    fn with_declaration_place(&self, problem: Problem, path: &[StatePathStep]) -> Problem {
        let name = |at: usize| match path.get(at) {
            Some(StatePathStep::Name(name)) => Some(name.as_str()),
            _ => None,
        };
        problem.add_related_locations(
            name(0).and_then(|of| self.schemas.declaration_location(of, name(1))).cloned(),
        )
    }
}
