//! What is wrong with scripts as they are written: module locals that change while playing, and
//! loops whose order nobody knows.

use std::sync::Arc;

use crate::kit::Problem;
use crate::workshop::lua::{Facts, Kept};

/// Looks at scripts.
pub(super) fn look(facts: &[Arc<Facts>]) -> Vec<Problem> {
    let mut problems = Vec::new();
    for facts in facts {
        problems.extend(facts.kept.iter().map(|kept| kept_local(facts, kept)));
        for found in &facts.loops {
            let message = format!(
                "the keys of `{}` may be tables or functions, and these have no order",
                found.name
            );
            problems.push(
                Problem::warning("unordered-keys", message)
                    .at(facts.place(found.line))
                    .expected("texts or whole numbers as keys, or a list")
                    .hint("keep the ids as keys, or a list beside the table, and walk that"),
            );
        }
    }
    problems
}

fn kept_local(facts: &Facts, kept: &Kept) -> Problem {
    let name = &kept.name;
    let message = match kept.assigned {
        true => format!("a function assigns to `{name}`, which its file keeps"),
        false => format!("a function writes into the table `{name}`, which its file keeps"),
    };
    let expected = match kept.assigned {
        true => "what a file keeps in locals is constant once it is loaded: it is in no save",
        false => "what a file keeps in locals is frozen once it is loaded",
    };
    Problem::warning("kept-in-a-local", message)
        .at(facts.place(kept.line))
        .expected(expected)
        .hint("keep what changes in `state`; a function that is called only while loading may say so: \
             `-- allow(kept-in-a-local): called only while loading`")
        .by_way_of(facts.place(kept.declared))
}
