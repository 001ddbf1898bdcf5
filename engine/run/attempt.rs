//! One attempt at a task: runs the scripts and computes the next prompt. If the VM may be at fault
//! for a failure, a new VM repeats the attempt.

use super::session::{Session, Task};
use crate::dice::Streams;
use crate::kit::Problem;
use crate::kit::fault::linger;
use crate::play::world::WorldMark;
use crate::play::{Prompt, View};

/// What follows a successful step: nothing if the run is over.
type Next = Option<(Prompt, Option<View>)>;

impl Session {
    /// Attempts a task. If it fails and the state of the VM may be the cause, repeats it in a new
    /// VM, whose outcome counts. The mark is the world before the attempt. `dice` are the dice
    /// before it, if the task may change their seed.
    pub(super) fn judge(
        &mut self,
        task: &Task,
        dice: Option<&Streams>,
    ) -> (WorldMark, Result<Next, Problem>) {
        let mark = self.world.mark();
        let came = self.attempt(task).and_then(|next| self.is_whole(&mark).map(|()| next));
        if came.is_ok() || !self.vm.in_doubt() {
            return (mark, came);
        }
        self.take_back(mark, dice.cloned());
        let mark = self.world.mark();
        match self.another_vm(true) {
            Ok(anew) => self.vm = anew,
            Err(_) => return (mark, came),
        }
        (mark, self.attempt(task))
    }

    /// In strict mode: checks at the end of a step that everything written matches its schema.
    fn is_whole(&self, mark: &WorldMark) -> Result<(), Problem> {
        if !self.holds {
            return Ok(());
        }
        let names = self.world.written_names(mark);
        self.vm.not_whole(&self.world, &names).map_or(Ok(()), Err)
    }

    fn attempt(&mut self, task: &Task) -> Result<Next, Problem> {
        linger("busy_in_a_step");
        self.vm.begin_step(self.known);
        self.vm.hold(self.holds);
        match task {
            Task::Start(options) => {
                let started = self.vm.start(&mut self.world, &self.profile, options);
                started.map_err(|problem| match problem.place {
                    Some(_) => problem,
                    None => problem.at(self.content.mods.game().manifest_place("game", "game")),
                })?;
            }
            Task::Act(input) => {
                self.vm.act(&mut self.world, &self.profile, &self.prompt, input)?;
            }
            Task::Console(order) => self.obey(order)?,
            Task::Line { owner, line } => {
                self.vm.console(&mut self.world, &self.profile, owner, line)?;
            }
        }
        if self.world.finished().is_some() {
            return Ok(None);
        }
        self.ask().map(Some)
    }
}
