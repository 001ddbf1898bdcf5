//! The outcome of a step.

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
