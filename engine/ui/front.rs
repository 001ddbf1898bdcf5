//! The one door between a run and the person who plays it. The full screen, the plain voice and
//! whatever comes later stand behind the same few calls.

use std::io;

use crate::kit::Problem;
use crate::play::{Event, Input, Prompt, View};

/// What came back from a question.
#[derive(Clone, Debug, PartialEq)]
pub enum Answer {
    /// An input that the prompt accepts.
    Input(Input),
    /// Back to where the run was chosen. A run has nothing to save then: every step is on disk.
    Leave,
    /// The end of the program: the keyboard's interrupt, the end of the input, a signal.
    Quit,
    /// The answers come from a file, and this line of it answers nothing.
    Stop(Problem),
}

/// A way of telling and asking.
pub trait Front {
    /// A new story begins. `past` is what was told of it before, for the log; the end of it is
    /// shown again.
    fn begin(&mut self, past: &[Event]) -> io::Result<()>;

    /// Tells what happened in a step.
    fn tell(&mut self, events: &[Event]) -> io::Result<()>;

    /// Asks until there is an answer that the prompt accepts, or none will come.
    fn ask(&mut self, prompt: &Prompt, view: &View) -> io::Result<Answer>;

    /// Shows a page of its own until the person has read it.
    fn show(&mut self, page: &View) -> io::Result<()>;

    /// Tells of a Problem.
    fn trouble(&mut self, problem: &Problem) -> io::Result<()>;

    /// Leaves the terminal as it was found and says the last lines there.
    fn finish(&mut self, last_lines: &[String]) -> io::Result<()>;
}
