//! Checks scripts: locals of a file that change while playing, and loops without a fixed order.

use std::sync::Arc;

use crate::kit::Problem;
use crate::workshop::lua::{Facts, Kept};

/// Checks the scripts.
pub(super) fn look(facts: &[Arc<Facts>]) -> Vec<Problem> {
    let mut problems = Vec::new();
    for facts in facts {
        problems.extend(facts.kept.iter().map(|kept| kept_local(facts, kept)));
        for found in &facts.loops {
            let message = format!(
                "the keys of `{}` may be tables or functions, which have no fixed order",
                found.name
            );
            problems.push(
                Problem::warning("unordered-keys", message)
                    .at(facts.place(found.line))
                    .expected("text or integer keys, or a list")
                    .hint("use ids as keys, or loop over a list beside the table"),
            );
        }
    }
    problems
}

fn kept_local(facts: &Facts, kept: &Kept) -> Problem {
    let name = &kept.name;
    let message = match kept.assigned {
        true => format!("a function assigns to `{name}`, a local of its file"),
        false => format!("a function writes into the table `{name}`, a local of its file"),
    };
    let expected = match kept.assigned {
        true => "locals of a file that do not change after loading: they are not saved",
        false => "tables in locals of a file are frozen after loading",
    };
    Problem::warning("kept-in-a-local", message)
        .at(facts.place(kept.line))
        .expected(expected)
        .hint(
            "keep changing data in `state`; if the function is called only while loading, add: \
             `-- allow(kept-in-a-local): called only while loading`",
        )
        .by_way_of(facts.place(kept.declared))
}
