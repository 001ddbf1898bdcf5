//! Checks loops that nothing ends: they run until the fuel is spent.

use std::sync::Arc;

use crate::analysis::FileSummary;
use base::{Code, Problem};

/// Checks the loops in all functions.
pub(super) fn check_endless_loops(summaries: &[Arc<FileSummary>]) -> Vec<Problem> {
    let functions = summaries
        .iter()
        .flat_map(|summary| summary.uses.functions.iter().map(move |one| (summary, one)));
    let problems = functions.filter_map(|(summary, function)| {
        let line = function.flow.endless_loop_line?;
        let problem = Problem::error(Code::OutOfFuel, "nothing ends this loop")
            .at(summary.place(line))
            .expected("a `break`, a `return` or an error inside it")
            .hint("a step that spends its fuel is undone: name the condition, `while … do` or `until …`");
        Some(problem)
    });
    problems.collect()
}
