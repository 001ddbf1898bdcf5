//! Starts a session: the world of a new run, and its first step.

use super::recorder::StepRecorder;
use super::run_content::{RunContent, RunParameters};
use super::step::{Session, StepTask};
use super::step_outcome::StepOutcome;
use base::Problem;
use protocol::WorldState;
use script::Vm;

impl Session {
    /// Starts a run: step 0 is the game's `start`. If that fails, the session shows a host prompt
    /// with the reason.
    pub fn start(
        content: RunContent,
        vm: Vm,
        run_parameters: &RunParameters,
        recorder: StepRecorder,
    ) -> Result<(Self, StepOutcome), Problem> {
        let world = WorldState::new(run_parameters.seed);
        Self::start_in_world(content, vm, world, run_parameters, recorder)
    }

    /// The same in a world that a test has prepared.
    pub fn start_in_world(
        content: RunContent,
        vm: Vm,
        world: WorldState,
        run_parameters: &RunParameters,
        recorder: StepRecorder,
    ) -> Result<(Self, StepOutcome), Problem> {
        let world = world.with_run_options(&run_parameters.options);
        let mut session =
            Self::with_world(content, vm, world, run_parameters.profile.clone(), recorder, 0);
        let outcome = session.run_step(StepTask::Start(run_parameters.options.clone()))?;
        Ok((session, outcome))
    }
}
