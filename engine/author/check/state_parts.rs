//! Checks reads and writes of the state: whether each part is declared, and whether a written value
//! fits.

use std::sync::Arc;

use super::access_paths::state_path_text;
use super::call_graph::CallGraph;
use super::missing_schemas::MissingSchemas;
use super::type_check::{LiteralTypeChecker, TypeMismatch};
use crate::analysis::{FileSummary, Literal, PathAccess, PathRoot};
use base::{Code, Problem, SourceLocation};
use content::{
    FieldList, FieldType, PathLookupResult, StatePathStep, StateSchemas, find_function_field,
};
use script::{Vm, name_in_list_problem, undeclared_field_problem};

struct StateCheck<'t> {
    schemas: &'t StateSchemas,
    type_check: LiteralTypeChecker<'t>,
    summaries: &'t [Arc<FileSummary>],
}

/// Checks reads and writes of the state.
pub(super) fn check_state_parts(
    vm: &Vm,
    schemas: &StateSchemas,
    graph: &CallGraph<'_>,
) -> Vec<Problem> {
    let type_check = LiteralTypeChecker { registry: vm.registry(), reports_missing_fields: true };
    let check = StateCheck { schemas, type_check, summaries: graph.summaries };
    let mut problems = Vec::new();
    let mut missing_schemas = MissingSchemas::default();
    for (file, summary) in graph.summaries.iter().enumerate() {
        for access in &summary.uses.accesses {
            // What an export returns has a declared type of its own.
            let (PathRoot::State | PathRoot::FunctionResult(..)) = access.path.root else {
                continue;
            };
            let Some(path) = graph.state_path(file, &access.path) else { continue };
            for problem in check.check_access(summary, access, &path) {
                problems.extend(missing_schemas.add_use(summary, access, &path, problem));
            }
        }
    }
    problems.extend(missing_schemas.into_problems());
    problems
}

impl StateCheck<'_> {
    fn check_access(
        &self,
        summary: &FileSummary,
        access: &PathAccess,
        path: &[StatePathStep],
    ) -> Vec<Problem> {
        match self.schemas.lookup_in_state(path) {
            PathLookupResult::Untyped => Vec::new(),
            PathLookupResult::NameInList(at) => {
                let (name, list) = (state_path_text(&path[..=at]), state_path_text(&path[..at]));
                let problem = name_in_list_problem(&name, &format!("`{list}`"));
                let problem = problem.at(summary.place(access.line));
                vec![self.with_declaration_place(problem, path)]
            }
            PathLookupResult::UnknownName(at, fields) => {
                let place = summary.place(access.line);
                let problem = self.unknown_state_field_problem(place, &path[..=at], fields);
                problem.into_iter().collect()
            }
            PathLookupResult::Found(ty) => {
                let Some(literal) = &access.written_value else { return Vec::new() };
                if let Some(problem) = self.removed_field_problem(summary, access, path, ty) {
                    return vec![problem];
                }
                let wrong = self.type_check.mismatches(ty, literal, access.line).into_iter();
                let wrong = wrong.filter(|wrong| !wrong.is_missing || self.is_never_written(wrong));
                let problems = wrong.map(|wrong| {
                    let name = format!("{}{}", state_path_text(path), wrong.path);
                    let problem = match wrong.found {
                        None if wrong.is_missing => {
                            let found = format!("`{name}` is missing, and no line writes it");
                            Problem::error(Code::StateWrongValue, found)
                        }
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

    /// Whether no line of a script writes a field of this name, so that a table without it stays
    /// without it.
    fn is_never_written(&self, missing: &TypeMismatch) -> bool {
        let name = missing.path.rsplit('.').next().unwrap_or_default();
        let is_write = |line: &str| {
            line.match_indices(name).any(|(at, _)| {
                let (before, after) = (&line[..at], &line[at + name.len()..]);
                // `part.name = …`, `part["name"] = …`, and a compound assignment.
                let after = after.trim_start_matches(['"', '\'', ']', ' ']);
                let after = after.trim_start_matches(['+', '-', '*', '/', '%', '.']);
                before.ends_with(['.', '"', '\''])
                    && after.starts_with(['=', '[', ','])
                    && !after.starts_with("==")
            })
        };
        !self.summaries.iter().any(|summary| summary.lines.iter().any(|line| is_write(line)))
    }

    /// A field that always has a value, and is given nil.
    fn removed_field_problem(
        &self,
        summary: &FileSummary,
        access: &PathAccess,
        path: &[StatePathStep],
        ty: &FieldType,
    ) -> Option<Problem> {
        if access.written_value != Some(Literal::Nil) {
            return None;
        }
        let field = find_function_field(self.schemas.fields(), path)?;
        if field.is_optional || field.ty == FieldType::Any {
            return None;
        }
        let found = format!("`{}` is given nothing", state_path_text(path));
        let problem = Problem::error(Code::StateWrongValue, found)
            .at(summary.place(access.line))
            .expected(ty.to_string())
            .hint("give it a value, or declare it with `optional = true`");
        Some(self.with_declaration_place(problem, path))
    }

    fn unknown_state_field_problem(
        &self,
        place: SourceLocation,
        path: &[StatePathStep],
        fields: &FieldList,
    ) -> Option<Problem> {
        if !matches!(path.last(), Some(StatePathStep::Name(_))) {
            return None;
        }
        let problem =
            undeclared_field_problem(&state_path_text(path), path, fields).at(place).explain(&());
        Some(if path.len() == 1 { problem } else { self.with_declaration_place(problem, path) })
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
