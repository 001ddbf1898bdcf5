//! The error path: what is checked, and the path to the present value inside it.

use std::fmt::{self, Write as _};
use std::sync::Arc;

use crate::kit::Place;

/// The position of the checker: the subject, its location and the path inside it.
pub(super) struct Spot<'t> {
    /// What is being checked, `boat "m:x"`.
    pub(super) subject: String,
    /// Its source location. Names without a mod belong to the mod of this location.
    pub(super) place: &'t Place,
    /// The steps of the path, outermost first.
    pub(super) path: Vec<Step>,
}

/// One step of the path.
#[derive(Clone)]
pub(super) enum Step {
    Field(Arc<str>),
    /// A list item, counted from 1.
    Item(usize),
}

impl fmt::Display for Step {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Field(name) => f.write_str(name),
            Self::Item(number) => write!(f, "[{number}]"),
        }
    }
}

impl<'t> Spot<'t> {
    pub(super) fn new(subject: String, place: &'t Place) -> Self {
        Self { subject, place, path: Vec::new() }
    }

    /// Runs a check one step deeper.
    pub(super) fn inside<R>(&mut self, step: Step, look: impl FnOnce(&mut Self) -> R) -> R {
        self.path.push(step);
        let seen = look(self);
        self.path.pop();
        seen
    }

    /// The path as text, `choices[2].label`.
    pub(super) fn written(&self) -> String {
        // Called for every default that is filled in, so it allocates once.
        let length = |step: &Step| match step {
            Step::Field(name) => name.len() + 1,
            Step::Item(_) => 4,
        };
        let mut out = String::with_capacity(self.path.iter().map(length).sum());
        for step in &self.path {
            match step {
                Step::Field(name) if out.is_empty() => out.push_str(name),
                Step::Field(name) => {
                    out.push('.');
                    out.push_str(name);
                }
                Step::Item(number @ 1..10) => {
                    out.extend(['[', char::from(b'0' + *number as u8), ']']);
                }
                Step::Item(_) => drop(write!(out, "{step}")),
            }
        }
        out
    }

    /// The steps as text, list items as `[2]`.
    pub(super) fn steps(&self) -> Vec<String> {
        self.path.iter().map(Step::to_string).collect()
    }
}
