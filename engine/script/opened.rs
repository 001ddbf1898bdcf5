//! What is declared in two steps, `moment "name"` and then `{ … }`: what was named, and nothing came of it. A
//! definition without a body is found where definitions are put together.

use std::cell::RefCell;

use crate::kit::{Place, Problem};

/// What was named, as what, and where.
type Name = (&'static str, String, Place);

/// What was named so far, and waits for what follows its name.
#[derive(Default)]
pub(crate) struct Opened(RefCell<Vec<Option<Name>>>);

impl Opened {
    /// Something is named; what follows is to close it by this number.
    pub(super) fn named(&self, what: &'static str, name: &str, place: &Place) -> usize {
        let mut opened = self.0.borrow_mut();
        opened.push(Some((what, name.to_owned(), place.clone())));
        opened.len() - 1
    }

    /// What follows the name is there.
    pub(super) fn closed(&self, number: usize) {
        if let Some(one) = self.0.borrow_mut().get_mut(number) {
            *one = None;
        }
    }

    /// The Problems of what was named alone.
    pub(super) fn left(&self) -> Vec<Problem> {
        let problem = |(what, name, place): Name| {
            Problem::error("missing-body", format!("{what} {name:?}: nothing follows the name"))
                .at(place)
                .expected(format!("{what} {name:?} {{ … }}"))
                .hint("write the fields right behind the name, without brackets or a comma, or take the line out")
        };
        self.0.take().into_iter().flatten().map(problem).collect()
    }
}
