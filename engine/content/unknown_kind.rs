//! The Problem of a name that no kind has.

use super::schema::Kind;
use base::problem::{describe_alternatives, nearest_name};
use base::{Code, Problem};

/// Says that no kind has this name, which kinds there are, and which was probably meant.
pub fn unknown_kind_problem<'k>(name: &str, kinds: impl IntoIterator<Item = &'k Kind>) -> Problem {
    expect_kind(unexplained_unknown_kind(name), name, kinds)
}

/// The same without the kinds that there are; `expect_kind` adds them later.
pub fn unexplained_unknown_kind(name: &str) -> Problem {
    Problem::error(Code::UnknownKind, format!("there is no kind \"{name}\""))
}

/// Says which kinds there are, and which was probably meant.
pub fn expect_kind<'k>(
    problem: Problem,
    name: &str,
    kinds: impl IntoIterator<Item = &'k Kind>,
) -> Problem {
    let names: Vec<&str> = kinds.into_iter().map(|kind| &*kind.name).collect();
    problem
        .expected(describe_alternatives(name, names.iter().copied()))
        .suggest_name(nearest_name(name, names))
}
