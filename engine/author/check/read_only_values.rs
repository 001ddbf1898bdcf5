//! Checks writes to values that never change in play: the profile, options, definitions, inputs, and
//! the events of `after` hooks.

use std::sync::Arc;

use super::access_paths::{event_path_text, format_access_path};
use super::declaration_lookup::DeclarationLookup;
use crate::analysis::{
    AccessPath, FileSummary, MUTATING_FUNCTIONS, PROFILE_GLOBALS, PathRoot, ValueSource,
};
use base::{Code, Problem};
use content::StatePathStep;
use script::{option_write_problem, profile_write_problem};

/// Checks all writes.
pub(super) fn check_read_only_values(
    lookup: &DeclarationLookup<'_>,
    summaries: &[Arc<FileSummary>],
) -> Vec<Problem> {
    let mut problems = Vec::new();
    for summary in summaries {
        let written = summary.uses.accesses.iter().filter(|one| one.written_value.is_some());
        for access in written.filter(|one| !one.path.path.is_empty()) {
            let problem = match &access.path.root {
                PathRoot::Event(event) if access.is_in_final_event => {
                    Some(final_event_problem(event, &access.path.path))
                }
                _ => read_only_problem(lookup, summary, &access.path),
            };
            problems.extend(problem.map(|problem| problem.at(summary.place(access.line))));
        }
        let calls = summary.uses.calls.iter().filter(|call| {
            call.required_file.is_none() && MUTATING_FUNCTIONS.contains(&&*call.name)
        });
        for call in calls {
            if let Some(Some(ValueSource::Path(path))) = call.argument_sources.first() {
                let problem = read_only_problem(lookup, summary, path);
                problems.extend(problem.map(|problem| problem.at(summary.place(call.line))));
            }
        }
    }
    problems
}

/// The Problem of a write to a part of a value that is read-only, if it is.
fn read_only_problem(
    lookup: &DeclarationLookup<'_>,
    summary: &FileSummary,
    path: &AccessPath,
) -> Option<Problem> {
    let target = || format_access_path(&lookup.callbacks, path);
    match &path.root {
        PathRoot::Global(name) if PROFILE_GLOBALS.contains(&&**name) => {
            Some(profile_write_problem(&target()))
        }
        PathRoot::Global(name) if name == "options" => Some(option_write_problem(&target())),
        PathRoot::StartOptions => Some(option_write_problem(&target())),
        PathRoot::HandlerInput(_) => {
            Some(frozen_problem(&target(), "the input of a handler is final"))
        }
        PathRoot::Global(name) => {
            let kind = lookup.vm.registry().kind(name)?;
            if !kind.is_builtin && !lookup.vm.can_see(&summary.owner, &kind.place.owner) {
                return None;
            }
            let id = match path.path.first() {
                Some(StatePathStep::Name(id)) => id,
                _ => "…",
            };
            let problem = frozen_problem(&target(), "definitions stay as they were loaded");
            Some(problem.hint(format!(
                "change it while loading: `patch.{name} {id:?} {{ … }}`; keep what changes in play \
                 in `state`"
            )))
        }
        _ => None,
    }
}

fn frozen_problem(what: &str, reason: &str) -> Problem {
    Problem::error(Code::FrozenTable, format!("{what} is written"))
        .expected(format!("no change: {reason}"))
}

/// The Problem of an event that is changed where it is final.
fn final_event_problem(event_name: &str, path: &[StatePathStep]) -> Problem {
    let name = event_path_text(path);
    let found = format!("`{name}` of the event of {event_name:?} is written in an `after` hook");
    Problem::error(Code::FrozenTable, found)
        .expected("no change: in an `after` hook the event is final")
        .hint(format!("change it in a `before` hook: `before({event_name:?}, …)`"))
}
