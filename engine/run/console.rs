//! The console for mod authors: a line of Luau, a scene or a seed. Each command is a step with a
//! journal entry. A run with console commands is marked and earns nothing.

use super::session::{Session, StepError, Task, Told};
use crate::dice::Streams;
use crate::kit::problem::nearest;
use crate::kit::{Id, Problem};
use crate::save::Order;

impl Session {
    /// The id of the run, if it is on disk.
    pub fn run_id(&mut self) -> Option<String> {
        self.journal().map(|journal| journal.run_id().to_owned())
    }

    /// Runs a console command as a step.
    pub fn console(&mut self, order: Order) -> Result<Told, StepError> {
        if self.fell_back.is_some() {
            let why = "the host prompt must be answered first".to_owned();
            return Err(StepError::NotAccepted(why));
        }
        assert!(self.world.finished().is_none(), "a finished run takes no input");
        self.recorder.console(self.step + 1, &order).map_err(StepError::NotWritten)?;
        self.carry_out(Task::Console(order))
    }

    /// Runs a line of Luau as a step, as in a file of that mod. It has no journal entry, so it is
    /// only for runs without a journal.
    pub fn try_line(&mut self, owner: &str, line: &str) -> Result<Told, StepError> {
        assert!(
            self.journal().is_none(),
            "a run with a journal takes only commands that are recorded"
        );
        let owner = if owner.is_empty() { self.content.mods.game().id() } else { owner };
        let task = Task::Line { owner: owner.to_owned(), line: line.to_owned() };
        self.carry_out(task)
    }

    /// Runs a console command inside the transaction of its step.
    pub(super) fn obey(&mut self, order: &Order) -> Result<(), Problem> {
        let game = self.content.mods.game().id().to_owned();
        match order {
            Order::Lua(line) => self.vm.console(&mut self.world, &self.profile, &game, line),
            Order::Goto(scene) => {
                let wrong = |why: String| Problem::error("unknown-scene", why);
                let id = Id::parse(scene, &game).map_err(wrong)?;
                let registry = self.vm.registry();
                if registry.get("scene", id.as_str()).is_none() {
                    let scenes = registry.every("scene").map(|scene| scene.id.as_str());
                    let problem = wrong(format!("there is no scene \"{id}\""));
                    return Err(problem.did_you_mean(nearest(id.as_str(), scenes)));
                }
                self.world.drop_items();
                self.world.go(id.as_str()).map_err(wrong)
            }
            Order::Seed(seed) => {
                self.world.dice = Streams::new(*seed);
                Ok(())
            }
        }
    }
}
