//! Why the menu ended early; the exit status follows from it.

use std::io;

use base::{Code, Problem};

/// Why the menu ended early.
#[derive(Debug)]
pub enum ExitReason {
    /// The player quit; nothing is wrong.
    Quit,
    /// Something failed. Problems not shown yet are printed at the end.
    Failed(Vec<Problem>),
    /// The command line asks for something that does not exist.
    UsageError(Vec<Problem>),
    /// The terminal or the pipe failed.
    TerminalError(io::Error),
}

impl ExitReason {
    /// The reason if a run that was named on the command line cannot be used.
    pub fn from_run_problem(problem: Problem) -> Self {
        match problem.code {
            Code::NoRun | Code::BadName => Self::UsageError(vec![problem]),
            _ => Self::Failed(vec![problem]),
        }
    }
}

impl From<io::Error> for ExitReason {
    fn from(error: io::Error) -> Self {
        Self::TerminalError(error)
    }
}
