//! Checks scripts: locals of a file that change while playing, and loops without a fixed order.

use std::sync::Arc;

use crate::author::analysis::{FileSummary, LocalMutation};
use crate::base::{Code, Problem};

/// Checks the scripts.
pub(super) fn check_scripts(facts: &[Arc<FileSummary>]) -> Vec<Problem> {
    let mut problems = Vec::new();
    for facts in facts {
        problems.extend(facts.local_mutations.iter().map(|kept| mutable_local(facts, kept)));
        for found in &facts.loops {
            let message = format!(
                "the keys of `{}` may be tables or functions, which have no fixed order",
                found.name
            );
            problems.push(
                Problem::warning(Code::UnorderedKeys, message)
                    .at(facts.place(found.line))
                    .expected("text or integer keys, or a list")
                    .hint("use ids as keys, or loop over a list beside the table"),
            );
        }
    }
    problems
}

fn mutable_local(facts: &FileSummary, kept: &LocalMutation) -> Problem {
    let name = &kept.name;
    let message = match kept.is_assigned {
        true => format!("a function assigns to `{name}`, a local of its file"),
        false => format!("a function writes into the table `{name}`, a local of its file"),
    };
    let expected = match kept.is_assigned {
        true => "locals of a file that do not change after loading: they are not saved",
        false => "tables in locals of a file are frozen after loading",
    };
    Problem::warning(Code::KeptInALocal, message)
        .at(facts.place(kept.line))
        .expected(expected)
        .hint(
            "keep changing data in `state`; if the function is called only while loading, add: \
             `-- allow(kept-in-a-local): called only while loading`",
        )
        .called_from(facts.place(kept.declared_line))
}
