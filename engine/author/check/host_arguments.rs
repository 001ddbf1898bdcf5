//! Checks arguments that are written out and that a host function refuses: dice notation, an empty
//! list to pick from, a kind that does not exist, a function in an award or in stored data.

use std::sync::Arc;

use crate::analysis::{FileSummary, Literal, TableLiteral};
use base::{Code, Problem};
use content::unknown_kind_problem;
use script::{Vm, notation_problem};

/// Host functions whose first argument is dice notation.
const ROLLING_FUNCTIONS: [&str; 2] = ["roll", "odds"];

/// Host functions whose second argument is stored until it is used.
const QUEUING_FUNCTIONS: [&str; 2] = ["ask", "queue_stage"];

/// Checks the arguments of all calls.
pub(super) fn check_host_arguments(vm: &Vm, summaries: &[Arc<FileSummary>]) -> Vec<Problem> {
    let (mut problems, registry) = (Vec::new(), vm.registry());
    for summary in summaries {
        for call in summary.uses.calls.iter().filter(|call| call.required_file.is_none()) {
            let problem = match (&*call.name, call.argument_literals.first()) {
                (name, Some(Literal::Text(Some(notation))))
                    if ROLLING_FUNCTIONS.contains(&name) =>
                {
                    notation_problem(name, notation)
                }
                ("pick", Some(Literal::Table(table)))
                    if !table.may_have_more_fields
                        && table.items.is_empty()
                        && table.named_fields.is_empty() =>
                {
                    Some(empty_list_problem())
                }
                ("award", Some(Literal::Table(award))) => award_problem(award),
                (name, _) if QUEUING_FUNCTIONS.contains(&name) => {
                    call.argument_literals.get(1).and_then(|data| queued_data_problem(name, data))
                }
                ("all", Some(Literal::Text(Some(kind)))) if registry.kind(kind).is_none() => {
                    Some(unknown_kind_problem(kind, registry.kinds()))
                }
                _ => None,
            };
            problems.extend(problem.map(|problem| problem.at(summary.place(call.line))));
        }
    }
    problems
}

/// A function in what a question or a stage is given: it is saved with the run.
fn queued_data_problem(name: &str, data: &Literal) -> Option<Problem> {
    let path = path_of_function(data)?;
    let place = if path.is_empty() { String::new() } else { format!(" as `{}`", &path[1..]) };
    Some(
        Problem::error(Code::NotPlain, format!("`{name}` is given a function{place}"))
            .expected("plain data: numbers, texts, tables of them")
            .hint("give it an id, and call the function where the answer is handled"),
    )
}

/// The path to the first function in a value: `.on`.
fn path_of_function(value: &Literal) -> Option<String> {
    match value {
        Literal::Function => Some(String::new()),
        Literal::Table(table) => {
            let mut named = table.named_fields.iter();
            let named = named
                .find_map(|(name, _, inner)| Some(format!(".{name}{}", path_of_function(inner)?)));
            named.or_else(|| table.items.iter().find_map(|(_, item)| path_of_function(item)))
        }
        _ => None,
    }
}

fn empty_list_problem() -> Problem {
    Problem::error(Code::EmptyList, "`pick` is given an empty list")
        .expected("a list with at least one item")
        .hint("fill the list, or remove the call")
}

/// A function among the values that are paid into the profile.
fn award_problem(award: &TableLiteral) -> Option<Problem> {
    let (name, ..) = award.named_fields.iter().find(|(_, _, value)| *value == Literal::Function)?;
    let found = format!("`award` is given a function as `{name}`");
    Some(
        Problem::error(Code::NotPlain, found)
            .expected("plain data: numbers, texts, tables of them"),
    )
}
