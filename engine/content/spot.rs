//! Where a check stands: of what, and how deep inside.

use std::fmt::{self, Write as _};
use std::sync::Arc;

use crate::kit::Place;

/// Where the checker stands: in whose words, of what, and how deep inside.
pub(super) struct Spot<'t> {
    /// What is being checked, `boat "m:x"`.
    pub(super) subject: String,
    /// Where it was written. Its mod is the one that names without a mod belong to.
    pub(super) place: &'t Place,
    /// The steps on the way, outermost first.
    pub(super) path: Vec<Step>,
}

/// One step into what is checked.
#[derive(Clone)]
pub(super) enum Step {
    Field(Arc<str>),
    /// An item of a list, counted from 1.
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

    /// Stands one step deeper for as long as that takes.
    pub(super) fn inside<R>(&mut self, step: Step, look: impl FnOnce(&mut Self) -> R) -> R {
        self.path.push(step);
        let seen = look(self);
        self.path.pop();
        seen
    }

    /// The path as it is written, `choices[2].label`.
    pub(super) fn written(&self) -> String {
        // Each default that is filled in is written down like this.
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

    /// The steps as they are written, items of lists as `[2]`.
    pub(super) fn steps(&self) -> Vec<String> {
        self.path.iter().map(Step::to_string).collect()
    }
}
