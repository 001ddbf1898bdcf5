//! One attempt at a task: runs the scripts and computes the next prompt. If the VM may be at fault
//! for a failure, a new VM repeats the attempt.

use super::step::{Session, StepTask};
use crate::base::Problem;
use crate::base::fault::linger;
use crate::dice::Streams;
use crate::protocol::world::WorldMark;
use crate::protocol::{Prompt, View};

/// What follows a successful step: nothing if the run is over.
type NextPrompt = Option<(Prompt, Option<View>)>;

impl Session {
    /// Attempts a task. If it fails and the state of the VM may be the cause, repeats it in a new
    /// VM, whose outcome counts. The mark is the world before the attempt. `dice` are the dice
    /// before it, if the task may change their seed.
    pub(super) fn attempt_with_retry(
        &mut self,
        task: &StepTask,
        dice: Option<&Streams>,
    ) -> (WorldMark, Result<NextPrompt, Problem>) {
        let mark = self.world.mark();
        let came = self.attempt(task).and_then(|next| self.check_written(&mark).map(|()| next));
        if came.is_ok() || !self.vm.is_inconclusive() {
            return (mark, came);
        }
        self.roll_back(mark, dice.cloned());
        let mark = self.world.mark();
        match self.new_vm(true) {
            Ok(anew) => self.vm = anew,
            Err(_) => return (mark, came),
        }
        (mark, self.attempt(task))
    }

    /// In strict mode: checks at the end of a step that everything written matches its schema.
    fn check_written(&self, mark: &WorldMark) -> Result<(), Problem> {
        if !self.is_strict {
            return Ok(());
        }
        let names = self.world.written_names(mark);
        self.vm.not_whole(&self.world, &names).map_or(Ok(()), Err)
    }

    fn attempt(&mut self, task: &StepTask) -> Result<NextPrompt, Problem> {
        linger("busy_in_a_step");
        self.vm.begin_step(self.replays_known_steps);
        self.vm.hold(self.is_strict);
        match task {
            StepTask::Start(options) => {
                let started = self.vm.start_run(&mut self.world, &self.profile, options);
                started.map_err(|problem| match problem.place {
                    Some(_) => problem,
                    None => problem.at(self.content.mods.game().manifest_place("game", "game")),
                })?;
            }
            StepTask::Act(input) => {
                self.vm.handle_answer(&mut self.world, &self.profile, &self.prompt, input)?;
            }
            StepTask::Console(order) => self.run_command(order)?,
            StepTask::Line { owner, line } => {
                self.vm.run_console_line(&mut self.world, &self.profile, owner, line)?;
            }
        }
        if self.world.run_outcome().is_some() {
            return Ok(None);
        }
        self.ask().map(Some)
    }
}
