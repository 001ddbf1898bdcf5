//! Checks that something sets each part of the state that scripts use. A schema declares a part, but
//! gives it no value: `state.fleet.count += 1` fails until a line has assigned `state.fleet`.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use super::call_graph::CallGraph;
use crate::analysis::FileSummary;
use base::{Code, Problem};
use content::{StatePathStep, StateSchemas};

/// Checks the uses of the state in some files; `graph` has those of all files.
pub(super) fn check_unset_state(
    schemas: &StateSchemas,
    graph: &CallGraph<'_>,
    checked: &[Arc<FileSummary>],
) -> Vec<Problem> {
    let Some(set_names) = set_names(graph) else { return Vec::new() };
    let is_set = |name: &str| {
        let mut lines = graph.summaries.iter().flat_map(|summary| &summary.lines);
        set_names.contains(name) || lines.any(|line| assigns(line, name))
    };
    let mut is_set_by_name = BTreeMap::new();
    let mut reported = BTreeSet::new();
    let mut problems = Vec::new();
    for (file, summary) in graph.summaries.iter().enumerate() {
        if !checked.iter().any(|one| Arc::ptr_eq(one, summary)) {
            continue;
        }
        let accesses = summary.uses.accesses.iter();
        for access in accesses.filter(|access| access.written_value.is_some()) {
            let Some(path) = graph.state_path(file, &access.path) else { continue };
            let [StatePathStep::Name(name), _, ..] = &path[..] else { continue };
            let Some(declaration) = schemas.declaration_location(name, None) else { continue };
            // The fields of another mod's part are set by that mod.
            if declaration.owner != summary.owner {
                continue;
            }
            if *is_set_by_name.entry(name.clone()).or_insert_with(|| is_set(name))
                || !reported.insert((summary.owner.clone(), name.clone()))
            {
                continue;
            }
            let found = format!("nothing sets `state.{name}`: a schema gives no value");
            let problem = Problem::warning(Code::StateWrongValue, found)
                .at(summary.place(access.line))
                .expected(format!("a line that assigns it first: `state.{name} = …`"))
                .hint(format!("`state.{name} = state.{name} or {{ … }}`"));
            problems.push(problem.add_related_location(declaration.clone()));
        }
    }
    problems
}

/// The parts that are assigned; `None` if some are known only in play.
fn set_names(graph: &CallGraph<'_>) -> Option<BTreeSet<String>> {
    let mut names = BTreeSet::new();
    for (file, summary) in graph.summaries.iter().enumerate() {
        let accesses = summary.uses.accesses.iter();
        for access in accesses.filter(|access| access.written_value.is_some()) {
            match graph.state_path(file, &access.path).as_deref() {
                Some([StatePathStep::Name(name)]) => drop(names.insert(name.clone())),
                Some([StatePathStep::AnyEntry]) => return None,
                _ => {}
            }
        }
    }
    Some(names)
}

/// Whether a line has `.name =`, of whatever value; also with further names: `.name, … =`.
fn assigns(line: &str, name: &str) -> bool {
    line.match_indices(name).any(|(at, _)| {
        let after = line[at + name.len()..].trim_start();
        line[..at].ends_with('.')
            && (after.starts_with(',') || after.starts_with('=') && !after.starts_with("=="))
    })
}
