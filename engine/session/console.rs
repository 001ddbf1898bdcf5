//! The console for mod authors: a line of Luau, a scene or a seed. Each command is a step with a
//! journal entry. A run with console commands is marked and earns nothing.

use super::attribution::active_mods;
use super::step::{Session, StepTask};
use super::step_outcome::StepOutcome;
use base::problem::nearest_name;
use base::{Code, Id, Problem, truncate_quoted_text};
use dice::RandomStreams;
use mods::ModSource;
use save::ConsoleCommand;

impl Session {
    /// The id of the run, if it is on disk.
    pub fn run_id(&mut self) -> Option<String> {
        self.journal().map(|journal| journal.run_id().to_owned())
    }

    /// Runs a console command as a step.
    pub fn run_console_step(&mut self, command: ConsoleCommand) -> Result<StepOutcome, Problem> {
        if self.host_prompt.is_some() {
            let why = "the host prompt must be answered first".to_owned();
            return Err(Problem::error(Code::BadAnswer, why));
        }
        assert!(self.world.run_outcome().is_none(), "a finished run takes no input");
        self.recorder.record_console_command(self.step_number + 1, &command)?;
        self.run_step(StepTask::Console(command))
    }

    /// Runs a line of Luau as a step, as in a file of that mod. It has no journal entry, so it is
    /// only for runs without a journal.
    pub fn run_unrecorded_luau(&mut self, owner: &str, line: &str) -> Result<StepOutcome, Problem> {
        assert!(
            self.journal().is_none(),
            "a run with a journal takes only commands that are recorded"
        );
        let owner = if owner.is_empty() { self.content.mods.game().id() } else { owner };
        let task = StepTask::LuauLine { owner: owner.to_owned(), line: line.to_owned() };
        self.run_step(task)
    }

    /// Runs a console command inside the transaction of its step.
    pub(super) fn run_console_command(&mut self, command: &ConsoleCommand) -> Result<(), Problem> {
        let game = self.content.mods.game().id().to_owned();
        match command {
            ConsoleCommand::Lua(line) => {
                self.vm.run_console_line(&mut self.world, &self.profile, &game, line)
            }
            ConsoleCommand::LuaInMod { mod_id, line } => {
                self.check_mod_is_active(mod_id)?;
                self.vm.run_console_line(&mut self.world, &self.profile, mod_id, line)
            }
            ConsoleCommand::Goto(scene) => {
                let scene_problem = |why: String| Problem::error(Code::UnknownScene, why);
                let id = Id::parse(scene, &game).map_err(scene_problem)?;
                let registry = self.vm.registry();
                if registry.get("scene", id.as_str()).is_none() {
                    let scenes = registry.all_definitions("scene").map(|scene| scene.id.as_str());
                    let problem = scene_problem(format!("there is no scene \"{id}\""));
                    return Err(problem.suggest_name(nearest_name(id.as_str(), scenes)));
                }
                self.world.clear_agenda();
                self.world.replace_top_scene(id.as_str()).map_err(scene_problem)
            }
            ConsoleCommand::Seed(seed) => {
                self.world.dice = RandomStreams::new(*seed);
                Ok(())
            }
        }
    }

    /// Checks that a console line can run in the scope of a mod.
    fn check_mod_is_active(&self, mod_id: &str) -> Result<(), Problem> {
        let active = active_mods(&self.content.mods, &self.disabled_entries);
        if active.get(mod_id).is_some() {
            return Ok(());
        }
        let mod_id = truncate_quoted_text(mod_id);
        let is_disabled = self.content.mods.get(&mod_id).is_some();
        let message = match is_disabled {
            true => format!("the mod \"{mod_id}\" is disabled in this run"),
            false => format!("this run has no mod \"{mod_id}\""),
        };
        let ids: Vec<&str> = active.mods.iter().map(ModSource::id).collect();
        let problem = Problem::error(Code::NoSuchMod, message)
            .expected(format!("after `@`, one of: {}", ids.join(", ")));
        Err(problem.suggest_name(nearest_name(&mod_id, ids).filter(|_| !is_disabled)))
    }
}
