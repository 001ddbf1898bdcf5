//! Declarations without a body, such as `moment "name"` without `{ … }`. A definition without a
//! body is reported where definitions are assembled.

use std::cell::RefCell;

use crate::base::{Code, Problem, SourceLocation};

/// The kind of declaration, the name, and the place.
type PendingName = (&'static str, String, SourceLocation);

/// Declarations that wait for their body.
#[derive(Default)]
pub(crate) struct PendingDeclarations(RefCell<Vec<Option<PendingName>>>);

impl PendingDeclarations {
    /// Adds a declaration without its body. `complete` takes the returned number.
    pub(super) fn add(&self, what: &'static str, name: &str, place: &SourceLocation) -> usize {
        let mut opened = self.0.borrow_mut();
        opened.push(Some((what, name.to_owned(), place.clone())));
        opened.len() - 1
    }

    /// The body of a declaration has come.
    pub(super) fn complete(&self, number: usize) {
        if let Some(one) = self.0.borrow_mut().get_mut(number) {
            *one = None;
        }
    }

    /// The Problems of declarations without a body.
    pub(super) fn missing_bodies(&self) -> Vec<Problem> {
        let problem = |(what, name, place): PendingName| {
            Problem::error(Code::MissingBody, format!("{what} {name:?} has no body"))
                .at(place)
                .expected(format!("{what} {name:?} {{ … }}"))
                .hint("write the fields directly after the name, without brackets or a comma, or remove the line")
        };
        self.0.take().into_iter().flatten().map(problem).collect()
    }
}
