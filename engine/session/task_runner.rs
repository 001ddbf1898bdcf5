//! One attempt at a task: runs the scripts and computes the next prompt. If the VM may be at fault
//! for a failure, a new VM repeats the attempt.

use super::step::{Session, StepTask};
use base::Problem;
use dice::RandomStreams;
use protocol::world::WorldSavepoint;
use protocol::{Prompt, View};

/// The prompt after a successful step; `None` if the run is over.
type NextPrompt = Option<(Prompt, Option<View>)>;

impl Session {
    /// Attempts a task. If it fails and the state of the VM may be the cause, repeats it in a new
    /// VM, whose outcome counts. The savepoint is the world before the attempt. `dice` are the dice
    /// before it, if the task may change their seed.
    pub(super) fn run_task_with_retry(
        &mut self,
        task: &StepTask,
        dice: Option<&RandomStreams>,
    ) -> (WorldSavepoint, Result<NextPrompt, Problem>) {
        let mark = self.world.open_savepoint();
        let outcome =
            self.run_task(task).and_then(|next| self.check_written_state(&mark).map(|()| next));
        if outcome.is_ok() || !self.vm.is_last_call_inconclusive() {
            return (mark, outcome);
        }
        self.roll_back(mark, dice.cloned());
        let mark = self.world.open_savepoint();
        match self.load_new_vm(true) {
            Ok(new_vm) => self.vm = new_vm,
            Err(_) => return (mark, outcome),
        }
        (mark, self.run_task(task))
    }

    /// In strict mode: checks at the end of a step that everything written matches its schema.
    fn check_written_state(&self, mark: &WorldSavepoint) -> Result<(), Problem> {
        if !self.is_strict {
            return Ok(());
        }
        let names = self.world.written_state_fields(mark);
        self.vm.find_incomplete_state(&self.world, &names).map_or(Ok(()), Err)
    }

    pub(super) fn run_task(&mut self, task: &StepTask) -> Result<NextPrompt, Problem> {
        self.vm.begin_step();
        self.vm.set_strict(self.is_strict);
        if self.traces_steps {
            self.vm.begin_step_trace();
        }
        match task {
            StepTask::Start(options) => {
                let started = self.vm.start_run(&mut self.world, &self.profile, options);
                started.map_err(|problem| match problem.place {
                    Some(_) => problem,
                    None => problem.at(self.content.mods.game().manifest_location("game", "game")),
                })?;
            }
            StepTask::Answer(input) => {
                self.vm.handle_answer(&mut self.world, &self.profile, &self.prompt, input)?;
            }
            StepTask::Console(console_command) => self.run_console_command(console_command)?,
            StepTask::LuauLine { owner, line } => {
                self.vm.run_console_line(&mut self.world, &self.profile, owner, line)?;
            }
        }
        if self.world.run_outcome().is_some() {
            return Ok(None);
        }
        self.compute_prompt().map(Some)
    }
}
