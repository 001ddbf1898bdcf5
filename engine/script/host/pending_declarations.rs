//! Declarations without a body, such as `event "name"` without `{ … }`. A definition without a body
//! is reported where definitions are assembled.

use std::cell::RefCell;

use base::{Code, Problem, SourceLocation};

/// The kind of declaration, the name, and the place.
type PendingName = (&'static str, String, SourceLocation);

/// Declarations that wait for their body.
#[derive(Default)]
pub(crate) struct PendingDeclarations(RefCell<Vec<Option<PendingName>>>);

impl PendingDeclarations {
    /// Adds a declaration without its body. `complete` takes the returned number.
    pub(crate) fn add_declaration(
        &self,
        keyword: &'static str,
        name: &str,
        place: &SourceLocation,
    ) -> usize {
        let mut pending_names = self.0.borrow_mut();
        pending_names.push(Some((keyword, name.to_owned(), place.clone())));
        pending_names.len() - 1
    }

    /// The body of a declaration has come.
    pub(crate) fn mark_complete(&self, number: usize) {
        if let Some(pending_name) = self.0.borrow_mut().get_mut(number) {
            *pending_name = None;
        }
    }

    /// The Problems of declarations without a body.
    pub(crate) fn missing_body_problems(&self) -> Vec<Problem> {
        let missing_body_problem = |(keyword, name, place): PendingName| {
            Problem::error(Code::MissingBody, format!("{keyword} {name:?} has no body"))
                .at(place)
                .expected(format!("{keyword} {name:?} {{ … }}"))
                .hint("write the fields directly after the name, without brackets or a comma, or remove the line")
        };
        self.0.take().into_iter().flatten().map(missing_body_problem).collect()
    }
}
