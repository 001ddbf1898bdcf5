//! The error path: what is checked, and the path to the present value inside it.

use std::fmt::{self, Write as _};
use std::sync::Arc;

use base::SourceLocation;

/// The position of the checker: the subject, its location and the path inside it.
pub(super) struct ErrorPath<'t> {
    /// What is being checked, `boat "m:x"`.
    pub(super) subject: String,
    /// Its source location. Names without a mod belong to the mod of this location.
    pub(super) place: &'t SourceLocation,
    /// The steps of the path, outermost first.
    pub(super) path: Vec<ErrorPathStep>,
}

/// One step of a path to a value.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum ErrorPathStep {
    /// A field, or another named entry.
    Field(Arc<str>),
    /// A list item, counted from 1.
    Item(usize),
}

impl fmt::Display for ErrorPathStep {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Field(name) => f.write_str(name),
            Self::Item(number) => write!(f, "[{number}]"),
        }
    }
}

impl<'t> ErrorPath<'t> {
    pub(super) fn new(subject: String, place: &'t SourceLocation) -> Self {
        Self { subject, place, path: Vec::new() }
    }

    /// Runs a check one step deeper.
    pub(super) fn with_step<R>(
        &mut self,
        step: ErrorPathStep,
        check: impl FnOnce(&mut Self) -> R,
    ) -> R {
        self.path.push(step);
        let result = check(self);
        self.path.pop();
        result
    }

    /// The path as text, `choices[2].label`.
    pub(super) fn joined_path(&self) -> String {
        // Called for every default that is filled in, so it allocates once.
        let length = |step: &ErrorPathStep| match step {
            ErrorPathStep::Field(name) => name.len() + 1,
            ErrorPathStep::Item(_) => 4,
        };
        let mut out = String::with_capacity(self.path.iter().map(length).sum());
        for step in &self.path {
            match step {
                ErrorPathStep::Field(name) if out.is_empty() => out.push_str(name),
                ErrorPathStep::Field(name) => {
                    out.push('.');
                    out.push_str(name);
                }
                ErrorPathStep::Item(number @ 1..10) => {
                    out.extend(['[', char::from(b'0' + *number as u8), ']']);
                }
                ErrorPathStep::Item(_) => drop(write!(out, "{step}")),
            }
        }
        out
    }

    /// The steps as text, list items as `[2]`.
    pub(super) fn steps(&self) -> Vec<String> {
        self.path.iter().map(ErrorPathStep::to_string).collect()
    }
}
