//! Checks what `table.insert` puts into a list whose type is declared, and what `table.find` looks
//! for in one.

use super::access_paths::format_access_path;
use super::call_graph::CallGraph;
use super::declaration_lookup::DeclarationLookup;
use super::type_check::LiteralTypeChecker;
use super::value_types::type_of_path;
use crate::analysis::{CallSite, FileSummary, PathRoot, ValueSource};
use base::{Code, Problem};
use content::FieldType;

/// Checks the items in all files.
pub(super) fn check_list_items(
    lookup: &DeclarationLookup<'_>,
    graph: &CallGraph<'_>,
) -> Vec<Problem> {
    let mut problems = Vec::new();
    for (file, summary) in graph.summaries.iter().enumerate() {
        let calls = summary.uses.calls.iter();
        let calls = calls.filter(|call| ["table.insert", "table.find"].contains(&&*call.name));
        problems.extend(calls.flat_map(|call| check_item(lookup, graph, (file, summary), call)));
    }
    problems
}

fn check_item(
    lookup: &DeclarationLookup<'_>,
    graph: &CallGraph<'_>,
    (file, summary): (usize, &FileSummary),
    call: &CallSite,
) -> Vec<Problem> {
    let Some(Some(ValueSource::Path(list))) = call.argument_sources.first() else {
        return Vec::new();
    };
    // `table.insert(list, place, item)` has the item at its end; `table.find` may have a place there.
    let is_search = call.name == "table.find";
    let item = match is_search {
        true => call.argument_literals.get(1),
        false => call.argument_literals.get(1..).and_then(<[_]>::last),
    };
    let (Some(item), Some(FieldType::List(ty))) = (item, type_of_path(lookup, graph, file, list))
    else {
        return Vec::new();
    };
    let type_check =
        LiteralTypeChecker { registry: lookup.vm.registry(), reports_missing_fields: false };
    let wrong = type_check.mismatches(&ty, item, call.line).into_iter();
    let problems = wrong.map(|wrong| {
        let list_text = format_access_path(&lookup.callbacks, list);
        let found = wrong.found_text();
        let at =
            if wrong.path.is_empty() { String::new() } else { format!(" at `{}`", wrong.path) };
        let found = match is_search {
            true => format!("`table.find` looks for {found}{at} in {list_text}"),
            false => format!("`table.insert` adds {found}{at} to {list_text}"),
        };
        let code = match list.root {
            PathRoot::State | PathRoot::FunctionResult(..) if !is_search => Code::StateWrongValue,
            _ => Code::WrongType,
        };
        let problem = Problem::error(code, found).at(summary.place(wrong.line));
        problem.expected(wrong.expected).with_optional_hint(wrong.hint)
    });
    problems.collect()
}
