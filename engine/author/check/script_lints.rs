//! Checks scripts: locals of a file that change while playing, loops without a fixed order, and
//! tables with one key twice.

use std::sync::Arc;

use crate::analysis::{DuplicateKey, FileSummary, LocalMutation};
use base::{Code, Problem};

/// Checks the scripts.
pub(super) fn lint_scripts(summaries: &[Arc<FileSummary>]) -> Vec<Problem> {
    let mut problems = Vec::new();
    for summary in summaries {
        problems.extend(
            summary.local_mutations.iter().map(|kept| mutable_local_problem(summary, kept)),
        );
        problems.extend(
            summary.duplicate_keys.iter().map(|found| duplicate_key_problem(summary, found)),
        );
        for found in &summary.unordered_loops {
            let message = format!(
                "the keys of `{}` may be tables or functions, which have no fixed order",
                found.name
            );
            problems.push(
                Problem::warning(Code::UnorderedKeys, message)
                    .at(summary.place(found.line))
                    .expected("text or integer keys, or a list")
                    .hint("use ids as keys, or loop over a list beside the table"),
            );
        }
    }
    problems
}

fn duplicate_key_problem(summary: &FileSummary, duplicate: &DuplicateKey) -> Problem {
    let key = &duplicate.key;
    Problem::warning(Code::DuplicateKey, format!("`{key}` occurs twice in one table"))
        .at(summary.place(duplicate.line))
        .expected("each key once: one of the two values is lost")
        .hint("remove one of the two, or rename its key")
        .add_related_location(summary.place(duplicate.first_line))
}

fn mutable_local_problem(summary: &FileSummary, mutation: &LocalMutation) -> Problem {
    let name = &mutation.name;
    let message = match mutation.is_assigned {
        true => format!("a function assigns to `{name}`, a local of its file"),
        false => format!("a function writes into the table `{name}`, a local of its file"),
    };
    let expected = match mutation.is_assigned {
        true => "locals of a file that do not change after loading: they are not saved",
        false => "tables in locals of a file are frozen after loading",
    };
    Problem::warning(Code::KeptInALocal, message)
        .at(summary.place(mutation.line))
        .expected(expected)
        .hint(
            "keep data that changes in `state`; if the function is called only while loading, add: \
             `-- allow(kept-in-a-local): called only while loading`",
        )
        .add_related_location(summary.place(mutation.declared_line))
}
