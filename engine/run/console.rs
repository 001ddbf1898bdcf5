//! The console of those who write mods: a line of Lua, a scene, a seed, each taken as a step of
//! its own and journalled. A run that it was used on is marked, and earns nothing.

use super::session::{Session, StepError, Task, Told};
use crate::dice::Streams;
use crate::kit::problem::nearest;
use crate::kit::{Id, Problem};
use crate::save::Order;

impl Session {
    /// The id of the run, if it lies on disk.
    pub fn run_id(&mut self) -> Option<String> {
        self.journal().map(|journal| journal.run_id().to_owned())
    }

    /// Takes an order of the console to its end, as a step.
    pub fn console(&mut self, order: Order) -> Result<Told, StepError> {
        if self.fell_back.is_some() {
            let why = "the host asks something first".to_owned();
            return Err(StepError::NotAccepted(why));
        }
        assert!(self.world.finished().is_none(), "a finished run takes no input");
        self.recorder.console(self.step + 1, &order).map_err(StepError::NotWritten)?;
        self.carry_out(Task::Console(order))
    }

    /// Runs a line of Lua as a step, as a file of that mod would run it. It is not journalled, so
    /// that it is for runs that nobody keeps.
    pub fn try_line(&mut self, owner: &str, line: &str) -> Result<Told, StepError> {
        assert!(self.journal().is_none(), "a run that is kept takes orders that are kept");
        let owner = if owner.is_empty() { self.content.mods.game().id() } else { owner };
        let task = Task::Line { owner: owner.to_owned(), line: line.to_owned() };
        self.carry_out(task)
    }

    /// Does what an order says, inside the transaction of its step.
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
