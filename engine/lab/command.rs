//! The commands of the laboratory, as subcommands of the program.

use clap::Subcommand;

use crate::explore::{self, ExploreArguments};
use crate::mutate::{self, MutateArguments};
use crate::simulate::{self, SimulateArguments};
use author::common_arguments::CommonArguments;
use author::{CommandContext, CommandOutput, CommandResult};
use ui::menu::DEFAULT_PLAYER_NAME;

/// A command that plays many runs.
#[derive(Debug, Subcommand)]
pub enum LabCommand {
    /// Play many runs with a bot and report statistics
    #[command(after_help = simulate::HELP)]
    Simulate(SimulateArguments),
    /// Play many runs to find errors and content that is never reached
    #[command(after_help = explore::HELP)]
    Explore(ExploreArguments),
    /// Run mutation tests: change rules and report changes that no test catches
    #[command(after_help = mutate::HELP)]
    Mutate(MutateArguments),
}

impl LabCommand {
    /// The arguments that every command has.
    pub fn common_arguments(&self) -> &CommonArguments {
        match self {
            Self::Simulate(asked) => &asked.common,
            Self::Explore(asked) => &asked.common,
            Self::Mutate(asked) => &asked.common,
        }
    }

    /// The name of the player.
    pub fn profile_name(&self) -> &str {
        match self {
            Self::Simulate(asked) => &asked.player.profile,
            Self::Explore(asked) => &asked.player.profile,
            Self::Mutate(_) => DEFAULT_PLAYER_NAME,
        }
    }

    /// Mods that are turned on for this command only.
    pub fn extra_mods(&self) -> &[String] {
        match self {
            Self::Simulate(asked) => &asked.with,
            Self::Explore(asked) => &asked.mods_on,
            Self::Mutate(_) => &[],
        }
    }

    /// Runs the command.
    pub fn run(self, context: &CommandContext, out: &mut dyn CommandOutput) -> CommandResult {
        match self {
            Self::Simulate(asked) => simulate::simulate(context, &asked, out),
            Self::Explore(asked) => explore::explore(context, &asked, out),
            Self::Mutate(asked) => mutate::mutate(context, &asked, out),
        }
    }
}
