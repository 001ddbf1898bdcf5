//! The outcome of a step: its events, or why it did not run.

use base::Problem;
use protocol::StoryEvent;

/// The outcome of a step.
#[derive(Clone, Debug, Default)]
pub struct StepOutcome {
    /// The events, in order. Empty if the step was refused.
    pub events: Vec<StoryEvent>,
    /// Why the step was refused and rolled back, if it was.
    pub refusal: Option<Problem>,
}

/// Why an input did not run. Nothing has changed.
#[derive(Clone, Debug)]
pub enum StepError {
    /// It does not answer the prompt: what was found and what is expected.
    InvalidAnswer(String),
    /// It, or its result, could not be written.
    WriteFailed(Problem),
}
